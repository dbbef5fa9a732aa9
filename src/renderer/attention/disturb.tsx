import { quietUntil } from '#shared/core/attention/quiet-hours.ts'
import { disturbUntil } from '#shared/core/attention/silence.ts'
import {
  disturbSpans,
  type Span,
  spanEnd,
  spanWords,
} from '#shared/core/attention/until-choices.ts'
import { clockUntilWords } from '#shared/core/time.ts'
import { call } from '../bridge.ts'
import { Button, LinkButton } from '../parts/button.tsx'
import { toastIfFailed } from '../toast.ts'
import { appState, go, now } from '../window-state.ts'

/** Takes effect at once, unlike everything else on the page. */
export function DisturbSection() {
  const until = disturbUntil(appState.value.silences, now.value)
  return (
    <section class="attention-section" aria-label="Do not disturb">
      <h2 class="group-label">Do not disturb</h2>
      <p class="field-help">
        {until === null
          ? 'Holds everything back from now on; afterwards one digest shows what you missed.'
          : `On ${clockUntilWords(until, now.value)}. Afterwards one digest shows what you missed.`}
      </p>
      <div class="button-row">
        {disturbSpans.map((span) => (
          <Button key={JSON.stringify(span)} onClick={() => disturbNot(span)}>
            {spanWords(span, now.value)}
          </Button>
        ))}
        {until !== null && <Button onClick={endDisturbNot}>End now</Button>}
      </div>
    </section>
  )
}

export function disturbNot(span: Span): void {
  const at = spanEnd(span, Date.now())
  toastIfFailed(
    call.silence({ how: 'mute', scope: { of: 'everything' }, until: { kind: 'time', at } }),
  )
}

export function endDisturbNot(): void {
  const held = appState.value.silences.filter(({ scope }) => scope.of === 'everything')
  if (held.length > 0) toastIfFailed(call.endSilence({ ids: held.map(({ id }) => id) }))
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
