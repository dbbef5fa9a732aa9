import { disturbUntil } from '#shared/core/attention/silence.ts'
import { clockUntilWords } from '#shared/core/time.ts'
import { Button } from '../parts/button.tsx'
import { askWhen } from '../parts/when-dialog.tsx'
import { appState, now } from '../window-state.ts'
import { disturbNot, endDisturbNot } from './disturb.tsx'

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
