import { useId } from 'preact/hooks'
import type { Settings } from '#shared/core/settings.ts'
import { call } from '../bridge.ts'
import { SwitchInput } from '../parts/switch-input.tsx'
import { sayIfFailed } from '../toast.ts'
import { appState } from '../window-state.ts'
import type { Setting } from './settings-shown.ts'

/** One setting: its sentence at the left, its control at the right. Saved at once. */
export function SettingLine({ setting }: { readonly setting: Setting }) {
  const id = useId()
  const value = appState.value.settings[setting.name]
  return (
    <div class="setting">
      <div>
        <label class="setting-label" for={id}>
          {setting.label}
        </label>
        <p class="field-help" id={`${id}-help`}>
          {setting.help}
        </p>
      </div>
      {setting.kind === 'switch' ? (
        <SwitchInput id={id} on={value === true} onChange={(on) => save({ [setting.name]: on })} />
      ) : (
        <select
          id={id}
          aria-describedby={`${id}-help`}
          value={String(value)}
          onChange={(change) => save(choiceOf(setting.name, change.currentTarget.value))}
        >
          {choicesFor(setting, String(value)).map(([choice, label]) => (
            <option key={choice} value={choice}>
              {label}
            </option>
          ))}
        </select>
      )}
    </div>
  )
}

/** A value from elsewhere (a file edited by hand) is shown as it is, not as another. */
function choicesFor(
  setting: Extract<Setting, { kind: 'choice' }>,
  value: string,
): readonly (readonly [string, string])[] {
  return setting.choices.some(([choice]) => choice === value)
    ? setting.choices
    : [...setting.choices, [value, value]]
}

function choiceOf(name: Extract<Setting, { kind: 'choice' }>['name'], value: string): unknown {
  return { [name]: name === 'pollSeconds' ? Number(value) : value }
}

function save(change: unknown): void {
  // The values come from `settingsShown` alone, and main holds them against its schema.
  sayIfFailed(call.updateSettings(change as Partial<Settings>))
}
