import { readDuration } from '#shared/core/read-duration.ts'
import { periodWords } from '#shared/core/time.ts'
import { Field, LongField } from '../parts/field.tsx'
import type { DraftProps } from './draft-fields.ts'
import { RunPreview } from './run-preview.tsx'

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
          <RunPreview draft={draft} />
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
