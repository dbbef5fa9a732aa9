import { disturbUntil } from '#shared/core/attention/silence.ts'
import { clockUntilWords } from '#shared/core/clock-until-words.ts'
import { Button } from '../parts/button.tsx'
import { appState, now } from '../window-state.ts'
import { disturbNot, endDisturbNot } from './disturb.ts'
import { disturbChoices } from './hush-words.ts'

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
