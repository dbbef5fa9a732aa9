import { quietUntil } from '#shared/core/attention/quiet-hours.ts'
import { disturbUntil } from '#shared/core/attention/silence.ts'
import { clockUntilWords } from '#shared/core/time.ts'
import { LinkButton } from '../parts/button.tsx'
import { appState, go, now } from '../window-state.ts'
import { endQuiet } from './quiet-menu.tsx'

export function endDisturbNot(): void {
  const held = appState.value.silences.filter(({ scope }) => scope.of === 'everything')
  if (held.length > 0) void endQuiet(held, 'Do not disturb is off.')
}

/** Shown above the status line, so that nobody wonders why there are no notifications. */
export function QuietLine() {
  const { silences, settings } = appState.value
  const disturb = disturbUntil(silences, now.value)
  const until = disturb ?? quietUntil(settings.attention.quietHours, now.value)
  if (until === null) return null
  return (
    <div class="quiet-line">
      <Moon />
      <span class="line-text">
        {disturb === null ? 'Quiet hours' : 'Do not disturb'} {clockUntilWords(until, now.value)}
      </span>
      {disturb !== null ? (
        <LinkButton onClick={endDisturbNot}>End now</LinkButton>
      ) : (
        <LinkButton onClick={() => go({ view: 'attention' })}>Change</LinkButton>
      )}
    </div>
  )
}

function Moon() {
  return (
    <svg class="icon" width="14" height="14" viewBox="0 0 16 16" aria-hidden="true">
      <path d="M13.5 10.2A6 6 0 0 1 5.8 2.5a6 6 0 1 0 7.7 7.7Z" fill="currentColor" />
    </svg>
  )
}
