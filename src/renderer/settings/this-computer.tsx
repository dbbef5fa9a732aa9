import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { type GlobalAction, globalActions, keysProblem } from '#shared/core/settings.ts'
import { call } from '../bridge.ts'
import { IconButton } from '../parts/button.tsx'
import { SettingRow, SwitchInput } from '../parts/field.tsx'
import { toast, toastFailure, toastIfFailed } from '../toast.ts'
import { appState } from '../window-state.ts'

const loginHelp = 'Starts in the tray, without a window.'
const keysHelp =
  'Works in every program. Press the keys here, or Backspace to clear them. On Wayland, the system asks you first.'
// `Object.keys` returns `string[]`.
const names = Object.keys(globalActions) as GlobalAction[]

/** The settings of this computer: the words that a search finds each one by, and its line. */
export const computerLines: readonly (readonly [title: string, about: string, ComponentType])[] = [
  ['Start at login', `autostart startup ${loginHelp}`, LoginLine],
  ...names.map((name): readonly [string, string, ComponentType] => [
    globalActions[name],
    `global keys shortcut hotkey ${keysHelp}`,
    () => <KeysLine name={name} />,
  ]),
]

/** Asks the system each time, since the user may have changed the setting there. */
function LoginLine() {
  const [on, setOn] = useState<boolean | null>(null)
  useEffect(() => {
    void call.startsAtLogin({}).then((result) => {
      // A choice that was made before the answer came stays.
      if (result.ok) setOn((chosen) => chosen ?? result.value)
    })
  }, [])
  const change = async (wanted: boolean) => {
    setOn(wanted)
    const result = await call.setStartsAtLogin({ on: wanted })
    if (result.ok) return
    setOn(!wanted)
    toastFailure(result.failure)
  }
  return (
    <SettingRow
      label="Start at login"
      help={loginHelp}
      control={(id) => (
        <SwitchInput id={id} on={on === true} onChange={(wanted) => void change(wanted)} />
      )}
    />
  )
}

function KeysLine({ name }: { readonly name: GlobalAction }) {
  const { globalKeys } = appState.value.settings
  const label = globalActions[name]
  const keys = globalKeys[name]
  const take = (wanted: string | null): void => {
    const other = names.find((one) => one !== name && globalKeys[one] === wanted)
    if (wanted !== null && other !== undefined)
      toast(`${wanted} is already used for “${globalActions[other]}”.`, 'failed')
    else toastIfFailed(call.updateSettings({ globalKeys: { ...globalKeys, [name]: wanted } }))
  }
  const onKeyDown = (key: KeyboardEvent): void => {
    const pressed = keysOf(key)
    const isBare = !key.ctrlKey && !key.altKey && !key.metaKey
    if (isBare && ['Tab', 'Escape', 'Enter'].includes(key.key)) return
    // Keys pressed here must not act as shortcuts of the window.
    key.preventDefault()
    key.stopPropagation()
    if (pressed === null) return
    const wanted = isBare && ['Backspace', 'Delete'].includes(key.key) ? null : pressed
    const problem = wanted === null ? null : keysProblem(wanted)
    if (problem === null) take(wanted)
    else toast(problem, 'failed')
  }
  return (
    <SettingRow
      label={label}
      help={keysHelp}
      control={(id) => (
        <div class="row keys-choice">
          <input
            type="text"
            id={id}
            aria-describedby={`${id}-help`}
            readOnly
            placeholder="None"
            value={keys ?? ''}
            onKeyDown={onKeyDown}
          />
          {keys !== null && (
            <IconButton
              icon="close"
              label={`Clear the shortcut for ${label}`}
              onClick={() => take(null)}
            />
          )}
        </div>
      )}
    />
  )
}

const namedKeys: Readonly<Record<string, string>> = {
  ' ': 'Space',
  ArrowUp: 'Up',
  ArrowDown: 'Down',
  ArrowLeft: 'Left',
  ArrowRight: 'Right',
}

/** The pressed keys in the format of the setting; null while only modifiers are held. */
function keysOf(pressed: KeyboardEvent): string | null {
  const { key, code, ctrlKey, altKey, shiftKey, metaKey } = pressed
  if (['Control', 'Alt', 'AltGraph', 'Shift', 'Meta', 'OS'].includes(key)) return null
  // With Shift, Alt or a non-Latin layout, `key` says less than the position of the key.
  const atPlace = /^(?:Key|Digit)(.)$/.exec(code)?.[1] ?? key
  const name = namedKeys[key] ?? (/^[a-z0-9]$/i.test(key) ? key.toUpperCase() : atPlace)
  return [ctrlKey && 'Ctrl', altKey && 'Alt', shiftKey && 'Shift', metaKey && 'Super', name]
    .filter(Boolean)
    .join('+')
}
