import { useMemo, useState } from 'preact/hooks'
import { type CheckDetails, type Integration, integrationName } from '#shared/core/checks/check.ts'
import type { CheckDraft } from '#shared/core/checks/check-draft.ts'
import { nextRuns, parseCron } from '#shared/core/checks/cron.ts'
import { failureWords } from '#shared/core/failure-words.ts'
import { periodWords, readDuration, zonedClockWords } from '#shared/core/time.ts'
import { isKnownZone } from '#shared/core/wall-clock.ts'
import { Field, LongField } from '../parts/field.tsx'
import type { Asked } from '../run.ts'
import { now } from '../window-state.ts'
import { type DraftProps, ownZone } from './use-check-form.ts'

const kinds = [
  ['period', 'Period'],
  ['cron', 'Cron'],
  ['onCalendar', 'OnCalendar'],
] as const

/** When a ping is expected, and how late it may be. */
export function ScheduleFields(props: DraftProps) {
  const { draft, errors, onChange } = props
  return (
    <fieldset class="form-group">
      <legend>Expected</legend>
      <div class="segments kind-choice">
        {kinds.map(([kind, words]) => (
          <label key={kind} class={draft.kind === kind ? 'is-chosen' : ''}>
            <input
              type="radio"
              name="kind"
              class="visually-hidden"
              checked={draft.kind === kind}
              onChange={() => onChange({ kind })}
            />
            {words}
          </label>
        ))}
      </div>
      {draft.kind === 'period' ? (
        <div class="field-pair">
          <PeriodField {...props} />
          <GraceField {...props} />
        </div>
      ) : (
        <>
          <ExpressionField {...props} />
          <div class="field-pair">
            <Field
              label="Time zone"
              name="tz"
              list="check-zones"
              value={draft.zone}
              error={errors.zone ?? null}
              onInput={(zone) => onChange({ zone })}
            />
            <GraceField {...props} />
          </div>
          <Zones />
          {errors.expression === undefined && <RunPreview draft={draft} />}
        </>
      )}
    </fieldset>
  )
}

function PeriodField({ draft, errors, onChange }: DraftProps) {
  return (
    <Field
      label="Period"
      name="timeout"
      value={draft.period}
      error={errors.period ?? null}
      help={`Between two pings${readAs(draft.period)}. 1 h 30 min, 90 s or 3600 will do.`}
      onInput={(period) => onChange({ period })}
    />
  )
}

function GraceField({ draft, errors, onChange }: DraftProps) {
  return (
    <Field
      label="Grace"
      name="grace"
      value={draft.grace}
      error={errors.grace ?? null}
      help={`How late it may be${readAs(draft.grace)} before it is down.`}
      onInput={(grace) => onChange({ grace })}
    />
  )
}

/** Said only where it is written in another way. */
function readAs(text: string): string {
  const seconds = readDuration(text)
  if (seconds === null || periodWords(seconds) === text.trim()) return ''
  return ` (${periodWords(seconds)})`
}

function ExpressionField({ draft, errors, onChange }: DraftProps) {
  const own = {
    name: 'schedule',
    value: draft.expression,
    error: errors.expression ?? null,
    onInput: (expression: string) => onChange({ expression }),
  }
  return draft.kind === 'cron' ? (
    <Field
      label="Cron expression"
      placeholder="0 3 * * *"
      help="Minute, hour, day, month, weekday."
      {...own}
    />
  ) : (
    <LongField
      label="OnCalendar expression"
      placeholder="Mon..Fri 9:00"
      rows={2}
      help="As in systemd timers; one in each line."
      {...own}
    />
  )
}

function Zones() {
  return (
    <datalist id="check-zones">
      {['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => (
        <option key={zone} value={zone} />
      ))}
    </datalist>
  )
}

const shown = 5

/** When a schedule comes next, in its own zone and in the user's: a hint, the server has the last word. */
function RunPreview({ draft }: { readonly draft: CheckDraft }) {
  const { kind, expression } = draft
  const zone = draft.zone.trim()
  const minute = Math.floor(now.value / 60_000) * 60_000
  const runs = useMemo(
    () => (kind === 'cron' ? cronRuns(expression, zone, minute) : null),
    [kind, expression, zone, minute],
  )
  if (expression.trim() === '') return null
  if (runs === null)
    return (
      <p class="note run-preview">
        The next times of an OnCalendar schedule are the server’s to tell.
      </p>
    )
  if (typeof runs === 'string') return <p class="note run-preview">{runs}</p>
  const own = ownZone()
  const both = own !== zone
  return (
    <table class="run-preview" aria-label="Next times">
      <thead>
        <tr>
          <th scope="col">Next in {zone}</th>
          {both && <th scope="col">Here ({own})</th>}
        </tr>
      </thead>
      <tbody>
        {runs.map((at) => (
          <tr key={at}>
            <td>{zonedClockWords(at, now.value, zone)}</td>
            {both && <td>{zonedClockWords(at, now.value)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Epoch ms, or in a sentence why there are none. */
function cronRuns(expression: string, zone: string, from: number): readonly number[] | string {
  const read = parseCron(expression)
  if ('error' in read) return read.error
  if (!isKnownZone(zone)) return 'No time zone of this name is known here.'
  // On a night of half-hour changes the server may come to the same time over and over.
  const runs = [...new Set(nextRuns(read.schedule, from, zone, shown))]
  return runs.length === 0 ? 'By this it never comes.' : runs
}

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
