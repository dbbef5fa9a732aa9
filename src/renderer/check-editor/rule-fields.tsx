import { useState } from 'preact/hooks'
import type { CheckDetails } from '#shared/core/checks/check.ts'
import { Field } from '../parts/field.tsx'
import type { DraftProps } from './draft-fields.ts'

/** What few checks need: shown at once only where it is not the usual, or where something is wrong. */
export function RuleFields(props: DraftProps) {
  const { draft, errors, onChange } = props
  const [opened] = useState(() => isUnusual(props))
  const wrong = ['start', 'success', 'failure', 'filters', 'methods', 'manualResume'].some(
    (name) => name in errors,
  )
  return (
    <details class="form-group form-rules" open={opened || wrong}>
      <summary>Keywords, methods and pauses</summary>
      <KeywordFields {...props} />
      <Choice
        label="Only POST counts"
        help="Pings by any other method are logged and ignored."
        checked={draft.methods === 'POST'}
        onChange={(on) => onChange({ methods: on ? 'POST' : 'any' })}
      />
      <Choice
        label="Resume by hand only"
        help="A ping does not end a pause."
        checked={draft.manualResume}
        onChange={(manualResume) => onChange({ manualResume })}
      />
    </details>
  )
}

function isUnusual({ draft: { keywords, filters, methods, manualResume } }: DraftProps): boolean {
  const worded = Object.values(keywords).some((words) => words !== '')
  return worded || filters.length > 0 || methods !== 'any' || manualResume
}

const keywordNames = [
  ['start', 'Start keywords', 'STARTED'],
  ['success', 'Success keywords', 'SUCCESS, done'],
  ['failure', 'Failure keywords', 'ERROR'],
] as const

const places = [
  ['subject', 'In e-mail subjects', null],
  ['body', 'In e-mail bodies', null],
  ['httpBody', 'In bodies of HTTP pings', null],
  ['defaultFail', 'Anything else is a failure', 'A ping without any of the keywords.'],
] as const

function KeywordFields({ draft, errors, onChange }: DraftProps) {
  const { keywords, filters } = draft
  return (
    <>
      {keywordNames.map(([name, label, placeholder]) => (
        <Field
          key={name}
          label={label}
          name={`${name}_kw`}
          placeholder={placeholder}
          value={keywords[name]}
          error={errors[name] ?? null}
          {...(name === 'start' ? { help: 'Case-sensitive, with commas between.' } : {})}
          onInput={(words) => onChange({ keywords: { ...keywords, [name]: words } })}
        />
      ))}
      <fieldset class="form-places">
        <legend>Keywords are looked for</legend>
        {places.map(([place, label, help]) => (
          <Choice
            key={place}
            label={label}
            help={help}
            checked={filters.includes(place)}
            onChange={(on) => onChange({ filters: withPlace(filters, place, on) })}
          />
        ))}
        {errors.filters !== undefined && <p class="field-error">{errors.filters}</p>}
      </fieldset>
    </>
  )
}

/** In their fixed order, so that on and off again is no change. */
function withPlace(
  filters: CheckDetails['filters'],
  place: CheckDetails['filters'][number],
  on: boolean,
): CheckDetails['filters'] {
  return places.map(([one]) => one).filter((one) => (one === place ? on : filters.includes(one)))
}

interface ChoiceProps {
  readonly label: string
  readonly help: string | null
  readonly checked: boolean
  readonly onChange: (on: boolean) => void
}

function Choice({ label, help, checked, onChange }: ChoiceProps) {
  return (
    <label class="check-field">
      <input
        type="checkbox"
        checked={checked}
        onChange={(change) => onChange(change.currentTarget.checked)}
      />
      <span>
        {label}
        {help !== null && <span class="field-help choice-help">{help}</span>}
      </span>
    </label>
  )
}
