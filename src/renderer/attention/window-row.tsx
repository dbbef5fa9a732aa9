import type { QuietWindow } from '#shared/core/attention/quiet-hours.ts'

/** The week as most of the world begins it; 0 is Sunday. */
const week: readonly (readonly [day: number, short: string, name: string])[] = [
  [1, 'Mo', 'Monday'],
  [2, 'Tu', 'Tuesday'],
  [3, 'We', 'Wednesday'],
  [4, 'Th', 'Thursday'],
  [5, 'Fr', 'Friday'],
  [6, 'Sa', 'Saturday'],
  [0, 'Su', 'Sunday'],
]

interface Props {
  readonly one: QuietWindow
  readonly number: number
  readonly onChange: (change: Partial<QuietWindow>) => void
  readonly onDelete: () => void
}

/** Hours that are quiet on some days of the week; past midnight they belong to the day they begin on. */
export function WindowRow({ one, number, onChange, onDelete }: Props) {
  const { days, from, to } = one
  const turn = (day: number, on: boolean) =>
    onChange({ days: on ? [...days, day].sort() : days.filter((other) => other !== day) })
  return (
    <fieldset class="quiet-window" aria-label={`Quiet hours ${number}`}>
      <div class="days">
        {week.map(([day, short, name]) => (
          <label key={day} class="day">
            <input
              type="checkbox"
              aria-label={name}
              checked={days.includes(day)}
              onChange={(change) => turn(day, change.currentTarget.checked)}
            />
            <span aria-hidden="true">{short}</span>
          </label>
        ))}
      </div>
      <div class="hours">
        <Time label="From" value={from} onValue={(value) => onChange({ from: value })} />
        <span aria-hidden="true">–</span>
        <Time label="To" value={to} onValue={(value) => onChange({ to: value })} />
        <button
          type="button"
          class="link"
          aria-label={`Delete quiet hours ${number}`}
          onClick={onDelete}
        >
          Delete
        </button>
      </div>
      {days.length === 0 && <p class="field-error">Choose a day, or delete these hours.</p>}
      {to <= from && (
        <p class="field-help">
          {to === from ? 'The whole day round.' : `Until ${to} of the next day.`}
        </p>
      )}
    </fieldset>
  )
}

interface TimeProps {
  readonly label: string
  readonly value: string
  readonly onValue: (value: string) => void
}

function Time({ label, value, onValue }: TimeProps) {
  return (
    <input
      type="time"
      aria-label={label}
      value={value}
      required
      // Half a time is none yet.
      onChange={(change) =>
        change.currentTarget.value !== '' && onValue(change.currentTarget.value)
      }
    />
  )
}
