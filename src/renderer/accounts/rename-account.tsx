import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Account } from '#shared/core/account.ts'
import { failureSentence } from '#shared/core/failure-words.ts'
import { call } from '../bridge.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'

interface Props {
  readonly account: Account
  readonly onClose: () => void
}

export function RenameAccount({ account, onClose }: Props) {
  const [label, setLabel] = useState(account.label)
  const [error, setError] = useState<string | null>(null)
  const form = useRef<HTMLFormElement>(null)
  useLayoutEffect(() => form.current?.querySelector('input')?.select(), [])
  const save = () => {
    if (label.trim() === '') return setError('Give it a name.')
    void call.renameAccount({ accountId: account.id, label: label.trim() }).then((result) => {
      if (result.ok) onClose()
      else setError(failureSentence(result.failure))
    })
  }
  return (
    <Dialog title={`Rename ${account.label}`} onClose={onClose}>
      <form
        ref={form}
        noValidate
        onSubmit={(submit) => {
          submit.preventDefault()
          save()
        }}
      >
        <Field label="Name" name="label" value={label} error={error} onInput={setLabel} />
        <div class="button-row button-row-end">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit">
            Rename
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
