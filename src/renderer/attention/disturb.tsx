import { quietUntil } from '#shared/core/attention/quiet-hours.ts'
import { disturbUntil } from '#shared/core/attention/silence.ts'
import { clockUntilWords } from '#shared/core/time.ts'
import { call } from '../bridge.ts'
import { LinkButton } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { toast, toastFailure } from '../toast.ts'
import { appState, go, now } from '../window-state.ts'
import { endQuiet, undoSilence } from './quiet-menu.tsx'

export function endDisturbNot(): void {
  const silences = appState.value.silences.filter(({ scope }) => scope.of === 'everything')
  if (silences.length > 0) void endQuiet(silences, 'Do not disturb is off.')
}

/** Holds everything back until `at`, epoch ms. */
export async function disturbNot(at: number): Promise<void> {
  const until = { kind: 'time', at } as const
  const result = await call.silence({ how: 'mute', scope: { of: 'everything' }, until })
  if (!result.ok) return toastFailure(result.failure)
  const words = `Nothing interrupts you ${clockUntilWords(at, now.value)}.`
  toast(words, 'done', undoSilence(result.value.id))
}

/**
 * Shown above the status line, so that nobody wonders why there are no notifications. `onChange`
 * asks for another end of do not disturb.
 */
export function QuietLine({ onChange }: { readonly onChange: () => void }) {
  const { silences, settings } = appState.value
  const disturb = disturbUntil(silences, now.value)
  const until = disturb ?? quietUntil(settings.attention.quietHours, now.value)
  if (until === null) return null
  return (
    <div class="row foot-line">
      <Icon name="moon" />
      <span class="line-text">
        {disturb === null ? 'Quiet hours' : 'Do not disturb'} {clockUntilWords(until, now.value)}
      </span>
      {disturb !== null ? (
        <>
          <LinkButton onClick={onChange}>Change…</LinkButton>
          <LinkButton onClick={endDisturbNot}>End now</LinkButton>
        </>
      ) : (
        <LinkButton onClick={() => go({ view: 'attention' })}>Change</LinkButton>
      )}
    </div>
  )
}
