import { type Integration, integrationName } from '#shared/core/checks/integration.ts'
import { failureWords } from '#shared/core/failure-words.ts'
import type { Asked } from '../run.ts'
import type { DraftProps } from './draft-fields.ts'

interface Props extends DraftProps {
  readonly integrations: Asked<readonly Integration[]>
}

/** How the service itself tells that it is down. */
export function IntegrationFields({ draft, errors, onChange, integrations }: Props) {
  const { value, failure } = integrations
  const chosen = new Set(draft.integrationIds ?? [])
  const all = value ?? []
  return (
    <fieldset class="form-group">
      <legend>Integrations</legend>
      {all.length > 1 && (
        <div class="form-group-tools">
          <button
            type="button"
            class="link"
            onClick={() => onChange({ integrationIds: all.map(({ id }) => id) })}
          >
            All
          </button>
          <button type="button" class="link" onClick={() => onChange({ integrationIds: [] })}>
            None
          </button>
        </div>
      )}
      {all.map((one) => (
        <label key={one.id} class="check-field">
          <input
            type="checkbox"
            checked={chosen.has(one.id)}
            onChange={(change) =>
              onChange({ integrationIds: toggled(chosen, one.id, change.currentTarget.checked) })
            }
          />
          <span class="integration-name" dir="auto">
            {integrationName(one)} {one.name.trim() !== '' && <span class="raw">{one.kind}</span>}
          </span>
        </label>
      ))}
      {value === null && (
        <p class="note">
          {failure === null
            ? 'Reading the integrations'
            : `${failureWords(failure).what} They stay as they are.`}
        </p>
      )}
      {value?.length === 0 && <p class="note">This project has none.</p>}
      {errors.integrationIds !== undefined && <p class="field-error">{errors.integrationIds}</p>}
    </fieldset>
  )
}

function toggled(chosen: ReadonlySet<string>, id: string, on: boolean): readonly string[] {
  const next = new Set(chosen)
  if (on) next.add(id)
  else next.delete(id)
  return [...next]
}
