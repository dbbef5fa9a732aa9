import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { defaultAttention } from '#shared/core/attention/rules.ts'
import { defaultSettings } from '#shared/core/settings.ts'
import { SettingsView } from '../../../src/renderer/settings/settings-view.tsx'
import * as eg from '../../support/eg.ts'
import { failed, mount, withBridge, withState } from '../mount.ts'

const ways = { ...defaultAttention.ways, mention: 'banner', late: 'banner' } as const
const settings = { ...defaultSettings, attention: { ...defaultAttention, ways } }
const ownSounds = new Map([
  ['down', { name: 'alarm.wav', isGone: false }],
  ['late', { name: 'drip.ogg', isGone: true }],
] as const)
const of = (kind: string) => page.getByRole('group', { name: `Sound: ${kind}` })
const groups = () =>
  page
    .getByRole('group', { name: /^Sound: / })
    .elements()
    .map((one) => one.getAttribute('aria-label'))

test('each kind with a sound has the system’s or a file, which can be played and replaced', async () => {
  const why = 'song.mp3 can’t be played with a notification.'
  const bridge = withBridge({
    playsOwnSounds: () => true,
    testNotification: () => ({ by: 'D-Bus', capabilities: ['sound'], systemQuiet: false }),
    chooseSound: () => failed({ kind: 'invalid', field: 'file', message: why }),
  })
  withState({ ...eg.state(), settings, ownSounds })
  mount(<SettingsView />)
  await expect.element(of('Check goes down')).toMatchTextContent('alarm.wav')
  await expect.element(of('Direct message')).toMatchTextContent('System sound')
  await expect
    .element(of('Check is late'))
    .toMatchTextContent('drip.ogg can’t be read: the system’s sound is played instead.')
  expect(groups()).toEqual(
    ['Check goes down', 'Check is late', 'Direct message', 'Alert word', 'Other message'].map(
      (kind) => `Sound: ${kind}`,
    ),
  )
  await of('Check goes down').getByRole('button', { name: 'Play' }).click()
  await of('Check goes down').getByRole('button', { name: 'System sound' }).click()
  await expect.element(of('Check goes down').getByRole('button', { name: 'Play' })).toHaveFocus()
  expect(of('Direct message').getByRole('button', { name: 'System sound' }).elements()).toEqual([])
  await of('Direct message').getByRole('button', { name: 'Choose a file…' }).click()
  await expect.poll(() => bridge.inputsOf('chooseSound')).toEqual([{ kind: 'direct' }])
  expect(bridge.inputsOf('testNotification')).toEqual([{ kind: 'down' }])
  expect(bridge.inputsOf('useSystemSound')).toEqual([{ kind: 'down' }])
})

test('where notifications can’t play a file, the settings say so and offer none', async () => {
  withBridge({ playsOwnSounds: () => false })
  withState({ ...eg.state(), settings, ownSounds })
  mount(<SettingsView />)
  const words =
    'Notifications on this desktop can’t play files: they have the system’s sound, or none.'
  await expect.element(page.getByText(words)).toBeVisible()
  expect(groups()).toEqual([])
})
