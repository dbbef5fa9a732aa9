import { useId } from 'preact/hooks'
import { isPlainHttp } from './form-errors.ts'

interface Props {
  readonly kind: 'monitoring' | 'chat'
  readonly address: string
  readonly agreed: boolean
  readonly error: string | null
  readonly onChange: (agreed: boolean) => void
}

/** Asked only where it matters: plain http to another computer. */
export function HttpConsent({ kind, address, agreed, error, onChange }: Props) {
  const id = useId()
  if (!isPlainHttp(address, kind)) return null
  return (
    <div class="field consent">
      <div class="check-field">
        <input
          id={id}
          type="checkbox"
          name="allowHttp"
          checked={agreed}
          aria-invalid={error !== null}
          aria-describedby={`${id}-help`}
          onChange={(change) => onChange(change.currentTarget.checked)}
        />
        <label for={id}>Send the key without encryption to this server</label>
      </div>
      {error !== null && <p class="field-error">{error}</p>}
      <p class="field-help" id={`${id}-help`}>
        The address begins with http, so anyone on the way can read the key. Belfry marks the
        account for as long as this is so.
      </p>
    </div>
  )
}
