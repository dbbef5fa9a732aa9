import { useMemo, useState } from 'preact/hooks'
import { type CheckDetails, type Integration, integrationName } from '#shared/core/checks/check.ts'
import type { CheckDraft } from '#shared/core/checks/check-draft.ts'
import { nextRuns, parseCron } from '#shared/core/checks/cron.ts'
import { skippedMonths } from '#shared/core/checks/schedule-words.ts'
import { failureWords } from '#shared/core/failure-words.ts'
import { clockWords } from '#shared/core/time.ts'
import { findZone, isKnownZone } from '#shared/core/wall-clock.ts'
import { LinkButton } from '../parts/button.tsx'
import { CheckField, Field, LongField, withOne } from '../parts/field.tsx'
import { FoldSummary } from '../parts/fold.tsx'
import { draftField } from '../parts/form.ts'
import { durationRead } from '../parts/known-fields.tsx'
import { ZoneField } from '../parts/zone-field.tsx'
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
      <legend>Schedule</legend>
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
          <Field
            label="Period"
            help={`Time between two pings${durationRead(draft.period)}, such as 1 h 30 min, 90 s or 3600.`}
            {...draftField(props, 'period')}
          />
          <GraceField {...props} />
        </div>
      ) : (
        <>
          <ExpressionField {...props} />
          <div class="field-pair">
            <ZoneField {...draftField(props, 'zone')} />
            <GraceField {...props} />
          </div>
          {errors.expression === undefined && <RunPreview draft={draft} />}
        </>
      )}
    </fieldset>
  )
}

function GraceField(props: DraftProps) {
  const help = `How late a ping may be${durationRead(props.draft.grace)} before the check is down.`
  return <Field label="Grace" help={help} {...draftField(props, 'grace')} />
}

function ExpressionField(props: DraftProps) {
  const own = draftField(props, 'expression')
  return props.draft.kind === 'cron' ? (
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
      help="As in systemd timers, one per line."
      {...own}
    />
  )
}

const shown = 5

/** The next times of a schedule, in its zone and the user's: only a hint, as the server decides. */
function RunPreview({ draft }: { readonly draft: CheckDraft }) {
  const { kind, expression } = draft
  const zone = findZone(draft.zone) ?? draft.zone.trim()
  const minute = Math.floor(now.value / 60_000) * 60_000
  const runs = useMemo(
    () =>
      kind === 'cron'
        ? cronRuns(expression, zone, minute)
        : 'Only the server knows the next times of an OnCalendar schedule.',
    [kind, expression, zone, minute],
  )
  if (expression.trim() === '') return null
  if (runs.length === 0) return null
  const skips = kind === 'period' ? null : skippedMonths({ kind, expression, zone })
  if (typeof runs === 'string')
    return (
      <>
        {skips !== null && <p class="note">{skips}</p>}
        <p class="note run-preview">{runs}</p>
      </>
    )
  const own = ownZone()
  const both = own !== zone
  return (
    <>
      {skips !== null && <p class="note">{skips}</p>}
      <table class="facts-table run-preview" aria-label="Next times">
        <thead>
          <tr>
            <th scope="col">Next in {zone}</th>
            {both && <th scope="col">Here ({own})</th>}
          </tr>
        </thead>
        <tbody>
          {runs.map((at) => (
            <tr key={at}>
              <td>{clockWords(at, now.value, zone)}</td>
              {both && <td>{clockWords(at, now.value)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

/** Epoch ms, or in a sentence why there are none. */
function cronRuns(expression: string, zone: string, from: number): readonly number[] | string {
  const read = parseCron(expression)
  if ('error' in read) return read.error
  // The field says so.
  if (!isKnownZone(zone)) return []
  // As on the server, the same time may come repeatedly around a half-hour change of the clock.
  const runs = [...new Set(nextRuns(read.schedule, from, zone, shown))]
  return runs.length === 0 ? 'This schedule never runs.' : runs
}

/** Fields that few checks need: open only if they differ from the defaults or have an error. */
export function RuleFields(props: DraftProps) {
  const { draft, errors, onChange } = props
  const [opened] = useState(() => isUnusual(props))
  const wrong = ['slug', 'start', 'success', 'failure', 'filters', 'methods', 'manualResume'].some(
    (name) => name in errors,
  )
  return (
    <details class="form-group form-rules" open={opened || wrong}>
      <FoldSummary>Slug, keywords, methods and pauses</FoldSummary>
      <Field
        label="Slug"
        help="For addresses with a ping key: a-z, 0-9, - and _."
        {...draftField(props, 'slug')}
      />
      <KeywordFields {...props} />
      <CheckField
        help="Pings by any other method are logged and ignored."
        checked={draft.methods === 'POST'}
        onChange={(on) => onChange({ methods: on ? 'POST' : 'any' })}
      >
        Only POST counts
      </CheckField>
      <CheckField
        help="A ping does not end a pause."
        checked={draft.manualResume}
        onChange={(manualResume) => onChange({ manualResume })}
      >
        Resume by hand only
      </CheckField>
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
          error={errors[name]}
          {...(name === 'start' ? { help: 'Case-sensitive, separated by commas.' } : {})}
          onInput={(words) => onChange({ keywords: { ...keywords, [name]: words } })}
        />
      ))}
      <fieldset class="form-places">
        <legend>Where to look for keywords</legend>
        {places.map(([place, label, help]) => (
          <CheckField
            key={place}
            help={help}
            checked={filters.includes(place)}
            onChange={(on) => onChange({ filters: withPlace(filters, place, on) })}
          >
            {label}
          </CheckField>
        ))}
        {errors.filters !== undefined && <p class="field-error">{errors.filters}</p>}
      </fieldset>
    </>
  )
}

/** In a fixed order, so that switching one on and off again is not a change. */
function withPlace(
  filters: CheckDetails['filters'],
  place: CheckDetails['filters'][number],
  on: boolean,
): CheckDetails['filters'] {
  return places.map(([one]) => one).filter((one) => (one === place ? on : filters.includes(one)))
}

/** How the service itself notifies people. */
export function IntegrationFields(
  props: DraftProps & { integrations: Asked<readonly Integration[]> },
) {
  const { draft, errors, onChange } = props
  const { value, failure } = props.integrations
  const chosen = draft.integrationIds ?? []
  const all = value ?? []
  return (
    <fieldset class="form-group">
      <legend>Integrations</legend>
      {all.length > 1 && (
        <div class="form-group-tools">
          <LinkButton onClick={() => onChange({ integrationIds: all.map(({ id }) => id) })}>
            All
          </LinkButton>
          <LinkButton onClick={() => onChange({ integrationIds: [] })}>None</LinkButton>
        </div>
      )}
      {all.map((one) => (
        <CheckField
          key={one.id}
          checked={chosen.includes(one.id)}
          onChange={(on) => onChange({ integrationIds: withOne(chosen, one.id, on) })}
        >
          <span class="integration-name" dir="auto">
            {integrationName(one)} {one.name.trim() !== '' && <span class="raw">{one.kind}</span>}
          </span>
        </CheckField>
      ))}
      {value === null && (
        <p class="note">
          {failure === null
            ? 'Loading integrations…'
            : `${failureWords(failure).what} ${draft.integrationIds === null ? 'The new check gets all of them.' : 'They will not be changed.'}`}
        </p>
      )}
      {value?.length === 0 && <p class="note">This project has none.</p>}
      {errors.integrationIds !== undefined && <p class="field-error">{errors.integrationIds}</p>}
    </fieldset>
  )
}
