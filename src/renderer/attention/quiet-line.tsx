import { disturbUntil } from '#shared/core/attention/silence.ts'
import { appState, go, now } from '../window-state.ts'
import { endDisturbNot } from './disturb.ts'
import { hushWords } from './hush-words.ts'
import { Moon } from './moon.tsx'

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
