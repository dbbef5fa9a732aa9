import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { call } from '../bridge.ts'
import { sayIfFailed } from '../toast.ts'
import { appState } from '../window-state.ts'

/**
 * Where no keyring protects keys, what becomes of them, and the one thing that can be done about it
 * without one. Shown for as long as it is so, and for as long as the consent stands.
 */
export function WeakStorage() {
  const id = useId()
  const busy = useSignal(false)
  const { environment, settings } = appState.value
  if (environment.demo || (environment.protection === 'os' && !settings.weakStorage)) return null
  const allow = (allowed: boolean): void => {
    busy.value = true
    const answer = call.allowWeakStorage({ allowed })
    sayIfFailed(answer)
    void answer.finally(() => {
      busy.value = false
    })
  }
  return (
    <section class="weak-storage" aria-label="How keys are kept">
      <p>
        {environment.protection === 'os'
          ? 'This computer has a keyring now, and Belfry keeps keys in it.'
          : settings.weakStorage
            ? 'This computer has no keyring. Keys are on its disk, where nothing protects them.'
            : 'This computer has no keyring. Keys are kept until Belfry ends.'}
      </p>
      <div class="check-field">
        <input
          id={id}
          type="checkbox"
          checked={settings.weakStorage}
          disabled={busy.value}
          aria-describedby={`${id}-help`}
          onChange={(change) => allow(change.currentTarget.checked)}
        />
        <label for={id}>Keep them on disk anyway, readable by every program that runs as you</label>
      </div>
      <p class="field-help" id={`${id}-help`}>
        {settings.weakStorage
          ? 'Taking this back deletes such keys from the disk; they work on until Belfry ends.'
          : 'Once a keyring is there, Belfry moves the keys into it.'}
      </p>
    </section>
  )
}
