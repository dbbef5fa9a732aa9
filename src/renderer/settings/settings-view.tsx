import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { type Settings, zoomSteps } from '#shared/core/settings.ts'
import { counted, percentWords } from '#shared/core/wording.ts'
import { isChanged } from '../attention/attention-draft.ts'
import { call } from '../bridge.ts'
import { DiscussSettings } from '../discuss/discuss-settings.tsx'
import { sendTestNotification } from '../notices/notice-commands.ts'
import { Button } from '../parts/button.tsx'
import { type Options, Select, SettingRow, SwitchInput } from '../parts/field.tsx'
import { EmptyState, PageBar } from '../parts/page-bar.tsx'
import { toast, toastFailure, toastIfFailed, undo } from '../toast.ts'
import { appState, go } from '../window-state.ts'
import { IconLine, iconHelp, SelfWatchLine, save, selfWatchHelp, withChoice } from './own-lines.tsx'
import { SoundsLine, soundsHelp, soundsTitle } from './sounds-line.tsx'
import { computerLines } from './this-computer.tsx'

/** What the page's search finds. */
const wantedSetting = signal('')

/** Each setting by its name, for the palette. */
export const namedSettings = () => lines.map(({ title, words }) => ({ title, words }))

/** Opens the page at the setting with this name. */
export function openSetting(title: string): void {
  wantedSetting.value = title.toLowerCase()
  go({ view: 'settings' })
}

export function SettingsView() {
  const box = useRef<HTMLInputElement>(null)
  const page = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const asked = wantedSetting.peek() !== ''
    const control = page.current?.querySelector<HTMLElement>(
      '.settings-group :is(select, input, button)',
    )
    ;(asked ? (control ?? box.current) : box.current)?.focus()
    return () => {
      wantedSetting.value = ''
    }
  }, [])
  const wanted = wantedSetting.value
  const setWanted = (text: string): void => {
    wantedSetting.value = text
  }
  const words = wanted.toLowerCase().split(/\s+/)
  const shown = lines.filter(({ about }) => words.every((word) => about.includes(word)))
  return (
    <section class="page" aria-label="Settings">
      <PageBar title="Settings" />
      <div class="page-scroll settings" ref={page}>
        <input
          ref={box}
          type="search"
          aria-label="Find a setting"
          placeholder="Find a setting"
          value={wanted}
          onInput={(input) => setWanted(input.currentTarget.value)}
          onKeyDown={(key) => {
            if (key.key !== 'Escape' || wanted === '') return
            // Esc clears the search first.
            key.preventDefault()
            setWanted('')
          }}
        />
        {shown.length === 0 && (
          <EmptyState title="No settings found">
            <p>Try another word. Esc lists all of them again.</p>
          </EmptyState>
        )}
        {[...Map.groupBy(shown, ({ group }) => group)].map(([group, found]) => (
          <section key={group} class="settings-group" aria-label={group}>
            <h2 class="group-label">{group}</h2>
            {found.map(({ about, Line }) => (
              <Line key={about} />
            ))}
          </section>
        ))}
        <p class="raw settings-version">
          Belfry {appState.value.environment.version}
          {appState.value.environment.standIn && ', on the system’s Chromium instead of Electron'}
        </p>
      </div>
    </section>
  )
}

const testHelp = 'Shows one now, and says how it was delivered.'
const rulesHelp =
  'Which events make a sound or a notification, rules for tags and people, quiet hours, do not disturb.'

function RulesLine() {
  return (
    <div class="setting">
      <div>
        <p class="setting-label">Notification rules</p>
        <p class="field-help">
          {rulesHelp}
          {isChanged.value && <b> You have unsaved changes there.</b>}
        </p>
      </div>
      <Button onClick={() => go({ view: 'attention' })}>Edit</Button>
    </div>
  )
}

const fileHelp = 'Settings and rules as a file for another computer, without keys.'

function SettingsFile() {
  const save = async () => {
    const result = await call.exportSettings({})
    if (!result.ok) toastFailure(result.failure)
    else if (result.value) toast('The settings were saved.')
  }
  const take = async () => {
    const result = await call.importSettings({})
    if (!result.ok) return toastFailure(result.failure)
    if (result.value === null) return
    const { before, strangers, programs } = result.value
    const about = counted(
      strangers,
      'rule names an account that is not here',
      'rules name accounts that are not here',
    )
    const lost = counted(
      programs,
      'rule has lost its program: choose it again in the rule',
      'rules have lost their programs: choose them again in the rules',
    )
    toast(
      [
        'The settings were imported.',
        strangers === 0 ? '' : `${about}.`,
        programs === 0 ? '' : `${lost}, as no file brings one.`,
      ]
        .filter((sentence) => sentence !== '')
        .join(' '),
      'done',
      undo(() => toastIfFailed(call.updateSettings(before))),
    )
  }
  return (
    <div class="setting">
      <p class="field-help">{fileHelp}</p>
      <div class="button-row">
        <Button onClick={() => void save()}>Export</Button>
        <Button onClick={() => void take()}>Import</Button>
      </div>
    </div>
  )
}

function TestNotification() {
  return (
    <div class="setting">
      <div>
        <p class="setting-label">Test notification</p>
        <p class="field-help">{testHelp}</p>
      </div>
      <Button onClick={() => sendTestNotification()}>Send a test</Button>
    </div>
  )
}

/** One setting, saved as soon as it is changed. */
function SettingLine({ setting }: { readonly setting: Setting }) {
  const { name, label, help, choices } = setting
  const value = appState.value.settings[name]
  return (
    <SettingRow
      label={label}
      help={help}
      control={(id) =>
        choices === undefined ? (
          <SwitchInput id={id} on={value === true} onChange={(on) => save({ [name]: on })} />
        ) : (
          <Select
            id={id}
            aria-describedby={`${id}-help`}
            value={String(value)}
            options={withChoice(choices, String(value))}
            onChange={(chosen) =>
              save({ [name]: typeof value === 'number' ? Number(chosen) : chosen })
            }
          />
        )
      }
    />
  )
}

interface Words {
  readonly group: 'Appearance' | 'Checks' | 'Notifications' | 'Chat'
  readonly label: string
  readonly help: string
  /** Other words that people search it by. */
  readonly words?: string
}

/** Settings without a line below: they have their own control, or none. */
type Elsewhere =
  | 'attention'
  | 'boardSeenAt'
  | 'discuss'
  | 'globalKeys'
  | 'groupBy'
  | 'iconView'
  | 'loginAsked'
  | 'noticesSeenAt'
  | 'views'
  | 'pins'
  | 'recentPalette'
  | 'recentSearches'
  | 'selfWatch'
  | 'sortBy'
  | 'weakStorage'

/** The control of each setting: a choice of one among a few, or a switch. */
const controls: {
  readonly [Name in Exclude<keyof Settings, Elsewhere>]: Words &
    (Settings[Name] extends boolean
      ? { readonly choices?: undefined }
      : { readonly choices: readonly (readonly [value: Settings[Name], label: string])[] })
} = {
  theme: {
    group: 'Appearance',
    label: 'Theme',
    help: 'Light, dark, or the same as the system.',
    choices: [
      ['system', 'Same as the system'],
      ['light', 'Light'],
      ['dark', 'Dark'],
    ],
  },
  zoom: {
    group: 'Appearance',
    label: 'Text size',
    words: 'zoom font font-size text-size',
    help: 'Ctrl + and Ctrl − change it too; Ctrl 0 resets it.',
    choices: zoomSteps.map((percent) => [percent, percentWords(percent)] as const),
  },
  density: {
    group: 'Appearance',
    label: 'Density',
    help: 'Compact rows show more checks and conversations at once.',
    choices: [
      ['comfortable', 'Comfortable'],
      ['compact', 'Compact'],
    ],
  },
  pollSeconds: {
    group: 'Checks',
    label: 'Check every',
    words: 'interval poll',
    help: 'While all is well. Every 30 s while something is down or the checks are in view.',
    choices: [
      [30, '30 s'],
      [60, '1 min'],
      [120, '2 min'],
      [300, '5 min'],
      [900, '15 min'],
    ],
  },
  sparesBattery: {
    group: 'Checks',
    label: 'Half as often on battery',
    words: 'power laptop energy save poll interval',
    help: 'While nothing is down. Accounts then says so, and what goes down is seen later by as much.',
  },
  blindMinutes: {
    group: 'Notifications',
    label: 'Account unreachable',
    help: 'How long before you are notified. Sleep does not count.',
    choices: [
      [5, 'After 5 min'],
      [10, 'After 10 min'],
      [30, 'After 30 min'],
      [60, 'After an hour'],
      [1_440, 'After a day'],
    ],
  },
  sounds: {
    group: 'Notifications',
    label: 'Sound',
    words: 'volume sounds',
    help: 'Lets notifications make a sound.',
  },
  noticeText: {
    group: 'Notifications',
    label: 'Show in notifications',
    help: 'While the screen is locked: only that something is down, or that somebody wrote.',
    choices: [
      ['all', 'Everything'],
      ['titles', 'Names, but no text'],
      ['minimal', 'Only that something is down'],
    ],
  },
  hideNames: {
    group: 'Notifications',
    label: 'Hide names',
    words: 'screen sharing privacy private present call',
    help: 'While others see your screen: notifications and the tray say only that something is down or that somebody wrote, until you switch this off. The window shows everything.',
  },
  sendKey: {
    group: 'Chat',
    label: 'Send with',
    help: 'The other one starts a new line.',
    choices: [
      ['enter', 'Enter'],
      ['ctrlEnter', 'Ctrl+Enter'],
    ],
  },
  undoSendSeconds: {
    group: 'Chat',
    label: 'Undo send',
    help: 'How long a message waits before it is sent. Until then, Undo or Ctrl+Z puts its text back.',
    choices: [[0, 'Off'], ...[5, 10, 20, 30].map((one) => [one, `${one} seconds`] as const)],
  },
  showAsActive: {
    group: 'Chat',
    label: 'Show as active',
    help: 'Others see you as active while you type or click in this window. Your phone then gets no notifications.',
  },
  keepMessages: {
    group: 'Chat',
    label: 'Keep recent messages on this computer',
    help: 'The last 20 of the 30 most recent conversations, to read offline and right after a start. They are deleted with the account, or when you switch this off.',
  },
  markReadOnOpen: {
    group: 'Chat',
    label: 'Mark as read when opened',
    help: 'Otherwise only with the button above the messages.',
  },
}

type Setting = Words & {
  readonly name: keyof typeof controls
  readonly choices?: Options | undefined
}

interface SettingsLine {
  readonly group: string
  readonly title: string
  /** What a search finds it by, in lower case; begins with the title. */
  readonly about: string
  /** Other words that the palette finds it by; one of several words with hyphens. */
  readonly words: string
  readonly Line: ComponentType
}

function lineOf(
  group: string,
  [title, words = '', help = '']: readonly [title: string, words?: string, help?: string],
  Line: ComponentType,
): SettingsLine {
  return { group, title, words, about: `${title} ${words} ${help} ${group}`.toLowerCase(), Line }
}

/** Everything on the page. Headings appear in the order of their first lines. */
const lines: readonly SettingsLine[] = [
  ...Object.entries(controls).map(([name, control]) => {
    const setting: Setting = { ...control, name: name as keyof typeof controls }
    const { group, label, help, words = '' } = control
    return lineOf(group, [label, words, help], () => <SettingLine setting={setting} />)
  }),
  lineOf(
    'Notifications',
    ['Notification rules', 'down late recovers mentions messages dnd', rulesHelp],
    RulesLine,
  ),
  lineOf('Notifications', [soundsTitle, 'file ringtone wav ogg mp3', soundsHelp], SoundsLine),
  lineOf('Checks', ['Icon counts', 'tray saved view', iconHelp], IconLine),
  lineOf('Notifications', ['Watch Belfry itself', 'heartbeat', selfWatchHelp], SelfWatchLine),
  lineOf('Notifications', ['Test notification', 'send', testHelp], TestNotification),
  lineOf(
    'Linked chats',
    [
      'Linked chats',
      'outages in conversation channel topic rule incident hand-off',
      'share discuss',
    ],
    DiscussSettings,
  ),
  ...computerLines.map(([title, about, Line]) => lineOf('This computer', [title, about], Line)),
  lineOf('Export and import', ['Export and import settings', 'backup', fileHelp], SettingsFile),
]
