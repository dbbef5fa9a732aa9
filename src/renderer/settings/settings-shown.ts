import type { Settings } from '#shared/core/settings.ts'

type Switches = {
  [Name in keyof Settings]: Settings[Name] extends boolean ? Name : never
}[keyof Settings]

interface SettingBase {
  readonly group: 'Look' | 'Checks' | 'Notifications' | 'Chat'
  readonly label: string
  readonly help: string
}

/** A setting as the view draws it: a switch, or a choice among few. */
export type Setting = SettingBase &
  (
    | { readonly kind: 'switch'; readonly name: Switches }
    | {
        readonly kind: 'choice'
        readonly name: Exclude<keyof Settings, Switches>
        readonly choices: readonly (readonly [value: string, label: string])[]
      }
  )

export const settingsShown: readonly Setting[] = [
  {
    group: 'Look',
    kind: 'choice',
    name: 'theme',
    label: 'Theme',
    help: 'Light, dark, or as the system has it.',
    choices: [
      ['system', 'As the system'],
      ['light', 'Light'],
      ['dark', 'Dark'],
    ],
  },
  {
    group: 'Look',
    kind: 'choice',
    name: 'groupBy',
    label: 'Group checks',
    help: 'How the board is divided.',
    choices: [
      ['project', 'By project'],
      ['tag', 'By tag'],
      ['none', 'Not at all'],
    ],
  },
  {
    group: 'Checks',
    kind: 'choice',
    name: 'pollSeconds',
    label: 'Read the checks',
    help: 'While all is well. While something is down or the board is open it is every 30 s.',
    choices: [
      ['30', 'every 30 s'],
      ['60', 'every minute'],
      ['120', 'every 2 min'],
      ['300', 'every 5 min'],
      ['900', 'every 15 min'],
    ],
  },
  {
    group: 'Notifications',
    kind: 'switch',
    name: 'sounds',
    label: 'Sound',
    help: 'Lets notifications make a sound.',
  },
  {
    group: 'Chat',
    kind: 'choice',
    name: 'sendKey',
    label: 'Send with',
    help: 'The other one makes a new line.',
    choices: [
      ['enter', 'Enter'],
      ['ctrlEnter', 'Ctrl+Enter'],
    ],
  },
  {
    group: 'Chat',
    kind: 'switch',
    name: 'markReadOnOpen',
    label: 'Mark as read when opened',
    help: 'Else only by the button above the messages.',
  },
]
