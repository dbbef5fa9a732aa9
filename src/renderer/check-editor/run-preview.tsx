import { useMemo } from 'preact/hooks'
import type { CheckDraft } from '#shared/core/checks/check-draft.ts'
import { zonedClockWords } from '#shared/core/zoned-clock.ts'
import { now } from '../window-state.ts'
import { ownZone } from './editor-state.ts'
import { nextRuns } from './next-runs.ts'

const shown = 5

function isKnownZone(zone: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    // The one way to ask: it throws a RangeError for a name that it does not know.
    return false
  }
}

/** When a schedule comes next, in its own zone and in the user's. */
export function RunPreview({ draft }: { readonly draft: CheckDraft }) {
  const { kind, expression, zone } = draft
  const minute = Math.floor(now.value / 60_000) * 60_000
  const runs = useMemo(
    () => (kind === 'cron' ? nextRuns(expression, zone, minute, shown) : null),
    [kind, expression, zone, minute],
  )
  if (expression.trim() === '') return null
  if (kind === 'onCalendar')
    return (
      <p class="note run-preview">
        The next times of an OnCalendar schedule are the server’s to tell.
      </p>
    )
  if (runs === null || runs.length === 0)
    return (
      <p class="note run-preview">
        {runs === null
          ? isKnownZone(zone.trim())
            ? 'This can’t be read here: the server has the last word.'
            : 'No time zone of this name is known here.'
          : 'By this it never comes.'}
      </p>
    )
  const own = ownZone()
  const both = own !== zone.trim()
  return (
    <table class="run-preview" aria-label="Next times">
      <thead>
        <tr>
          <th scope="col">Next in {zone.trim()}</th>
          {both && <th scope="col">Here ({own})</th>}
        </tr>
      </thead>
      <tbody>
        {runs.map((at) => (
          <tr key={at}>
            <td>{zonedClockWords(at, now.value, zone.trim())}</td>
            {both && <td>{zonedClockWords(at, now.value)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
