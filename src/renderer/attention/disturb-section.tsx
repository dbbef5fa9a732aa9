import { disturbUntil } from '#shared/core/attention/silence.ts'
import { clockUntilWords } from '#shared/core/time.ts'
import { call } from '../bridge.ts'
import { Button } from '../parts/button.tsx'
import { askWhen } from '../parts/when-dialog.tsx'
import { toast, toastFailure } from '../toast.ts'
import { appState, now } from '../window-state.ts'
import { endDisturbNot } from './disturb.tsx'
import { undoSilence } from './quiet-menu.tsx'

/** Takes effect at once, unlike everything else on the page. */
export function DisturbSection() {
  const until = disturbUntil(appState.value.silences, now.value)
  return (
    <section class="attention-section" aria-label="Do not disturb">
      <h2 class="group-label">Do not disturb</h2>
      <p class="field-help">
        {until === null
          ? 'Pauses notifications from now on; afterwards one digest shows what you missed.'
          : `On ${clockUntilWords(until, now.value)}. Afterwards one digest shows what you missed.`}
      </p>
      <div class="button-row">
        <Button onClick={askToDisturbNot}>{until === null ? 'Turn on…' : 'Change…'}</Button>
        {until !== null && <Button onClick={endDisturbNot}>End now</Button>}
      </div>
    </section>
  )
}

/** Asks until when, then holds everything back until that time. */
export function askToDisturbNot(): void {
  askWhen({
    title: 'Do not disturb',
    note: 'Pauses notifications; afterwards one digest shows what you missed.',
    use: 'until',
    onChoose: (at) => void disturbNot(at),
  })
}

async function disturbNot(at: number): Promise<void> {
  const until = { kind: 'time', at } as const
  const result = await call.silence({ how: 'mute', scope: { of: 'everything' }, until })
  if (!result.ok) return toastFailure(result.failure)
  const words = `Nothing interrupts you ${clockUntilWords(at, now.value)}.`
  toast(words, 'done', undoSilence(result.value.id))
}
