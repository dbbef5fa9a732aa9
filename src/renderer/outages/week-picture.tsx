import type { ListedOutage, OutageGap } from '#shared/core/outages/outage-list.ts'
import type { Days } from '#shared/core/typed-day.ts'
import {
  dayWords,
  type HourCount,
  hoursOfDays,
  summaryWords,
  touches,
} from '#shared/core/views/outage-view.ts'
import { dateWords, numberWords } from '#shared/core/wording.ts'
import { keyOf, stepInList } from '../parts/page-actions.ts'
import { now } from '../window-state.ts'

interface Props {
  /** Oldest first. */
  readonly days: readonly Days[]
  readonly outages: readonly ListedOutage[]
  readonly gaps: readonly OutageGap[]
  /** The days that the filter names; null: none. */
  readonly chosen: Days | null
  /** Called with the day to filter by; null: with none. */
  readonly onChoose: (day: number | null) => void
}

/** The hours of a week, a line for each day; a line can be chosen, and says the same in words. */
export function WeekPicture({ days, outages, gaps, chosen, onChoose }: Props) {
  const hours = hoursOfDays(outages, days)
  const isChosen = ({ from, to }: Days) => chosen?.from === from && chosen.to === to
  return (
    <fieldset
      class="week"
      aria-label="Days"
      onKeyDown={(key) => {
        const lines = [...key.currentTarget.querySelectorAll<HTMLElement>('.week-line')]
        const at = lines.findIndex((one) => one.matches(':focus'))
        const to = at === -1 ? null : stepInList(keyOf(key), at, lines.length)
        if (to === null) return
        lines[to]?.focus()
        key.preventDefault()
      }}
    >
      <div class="raw week-hours" aria-hidden="true">
        {[0, 6, 12, 18].map((hour) => (
          <span key={hour}>
            {dateWords(Date.UTC(2000, 0, 1, hour), { timeStyle: 'short' }, 'UTC')}
          </span>
        ))}
      </div>
      {days.map((day, index) => {
        const own = outages.filter((one) => touches(one, day))
        const until = Math.min(day.to, now.value)
        return (
          <button
            key={day.from}
            type="button"
            class="week-line"
            aria-pressed={isChosen(day)}
            onClick={() => onChoose(isChosen(day) ? null : day.from)}
          >
            <span class="week-day">{dayWords(day.from, now.value)}</span>
            <svg viewBox="0 0 240 16" preserveAspectRatio="none" aria-hidden="true">
              {(hours[index] ?? []).map((count, hour) => (
                <Hour key={hour} hour={hour} count={count} gaps={gaps} />
              ))}
            </svg>
            <span class="week-count" aria-hidden="true">
              {own.length === 0 ? '' : numberWords(own.length)}
            </span>
            <span class="visually-hidden">{summaryWords(own, { from: day.from, to: until })}</span>
          </button>
        )
      })}
    </fieldset>
  )
}

interface HourProps {
  readonly hour: number
  readonly count: HourCount
  readonly gaps: readonly OutageGap[]
}

/** From so many outages in an hour on, a block is drawn at its full height. */
const many = 4

/** Told apart by height as well as colour: a block for down, a frame for possibly, lines for the rest. */
function Hour({ hour, count: { from, to, down, possible }, gaps }: HourProps) {
  const x = hour * 10 + 1
  if (from > now.value) return null
  if (down > 0) {
    const height = 8 + (8 * Math.min(down, many)) / many
    return <rect class="strip-down" x={x} width={8} y={16 - height} height={height} />
  }
  if (possible > 0)
    return <rect class="week-possible" x={x + 0.75} width={6.5} y={8.75} height={6.5} />
  const isUnknown = gaps.some((gap) => gap.from < to && gap.to > from)
  return isUnknown ? (
    <rect class="strip-unknown" x={x + 2.5} width={3} y={13} height={3} />
  ) : (
    <rect class="strip-up" x={x} width={8} y={14} height={2} />
  )
}
