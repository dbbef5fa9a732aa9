import { quietUntil } from '#shared/core/attention/quiet-hours.ts'
import { disturbUntil } from '#shared/core/attention/silence.ts'
import type { AppState } from '#shared/core/state.ts'
import { clockUntilWords } from '#shared/core/time.ts'
import { call } from '../bridge.ts'
import { Button } from '../parts/button.tsx'
import { sayIfFailed } from '../toast.ts'
import { appState, go, now } from '../window-state.ts'

/** Takes effect at once, unlike all else on the page. */
export function DisturbSection() {
  const until = disturbUntil(appState.value.silences, now.value)
  return (
    <section class="attention-section" aria-label="Do not disturb">
      <h2 class="group-label">Do not disturb</h2>
      <p class="field-help">
        {until === null
          ? 'Holds everything back at once; afterwards one digest tells what came.'
          : `On ${clockUntilWords(until, now.value)}. Afterwards one digest tells what came.`}
      </p>
      <div class="button-row">
        {disturbChoices(now.value).map(([label, at]) => (
          <Button key={label} onClick={() => disturbNot(at)}>
            {label}
          </Button>
        ))}
        {until !== null && <Button onClick={endDisturbNot}>End now</Button>}
      </div>
    </section>
  )
}

/** Holds everything back until then: it comes as one digest. */
function disturbNot(until: number): void {
  sayIfFailed(
    call.silence({
      how: 'mute',
      scope: { of: 'everything' },
      until: { kind: 'time', at: until },
    }),
  )
}

function endDisturbNot(): void {
  for (const { id, scope } of appState.value.silences)
    if (scope.of === 'everything') sayIfFailed(call.endSilence({ id }))
}

/** The quiet that reigns, for the foot of the window; null: none does. */
function hushWords(state: AppState, now: number): string | null {
  const disturb = disturbUntil(state.silences, now)
  if (disturb !== null) return `Do not disturb ${clockUntilWords(disturb, now)}`
  const hours = quietUntil(state.settings.attention.quietHours, now)
  return hours === null ? null : `Quiet hours ${clockUntilWords(hours, now)}`
}

/** When "do not disturb" may end, epoch ms. */
function disturbChoices(now: number): readonly (readonly [label: string, at: number])[] {
  const minute = 60_000
  const morning = new Date(now)
  // By the calendar and not by 24 hours: a night with a change of clocks is longer or shorter.
  morning.setDate(morning.getDate() + 1)
  morning.setHours(9, 0, 0, 0)
  return [
    ['30 min', now + 30 * minute],
    ['1 h', now + 60 * minute],
    ['Until tomorrow 09:00', morning.getTime()],
  ]
}

/** Above the status line while it is quiet: nobody should wonder why nothing rings. */
export function QuietLine() {
  const words = hushWords(appState.value, now.value)
  if (words === null) return null
  const isDisturb = disturbUntil(appState.value.silences, now.value) !== null
  return (
    <div class="quiet-line">
      <Moon />
      <span class="line-text">{words}</span>
      {isDisturb ? (
        <button type="button" class="link" onClick={endDisturbNot}>
          End now
        </button>
      ) : (
        <button type="button" class="link" onClick={() => go({ view: 'attention' })}>
          Change
        </button>
      )}
    </div>
  )
}

/** A crescent: it is quiet. Words stand beside it. */
function Moon() {
  return (
    <svg class="icon" width="14" height="14" viewBox="0 0 16 16" aria-hidden="true">
      <path d="M13.5 10.2A6 6 0 0 1 5.8 2.5a6 6 0 1 0 7.7 7.7Z" fill="currentColor" />
    </svg>
  )
}
