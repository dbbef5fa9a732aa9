import { describe, expect, onTestFinished, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import {
  type AttentionSettings,
  defaultAttention,
  type Rule,
} from '#shared/core/attention/rules.ts'
import type { Silence } from '#shared/core/attention/silence.ts'
import type { AttentionTrial } from '#shared/core/attention/trial.ts'
import { defaultSettings } from '#shared/core/settings.ts'
import type { AppState } from '#shared/core/state.ts'
import { dropDraft } from '../../../src/renderer/attention/attention-draft.ts'
import { BelfryWindow } from '../../../src/renderer/shell/window.tsx'
import { dismissToast } from '../../../src/renderer/toast.ts'
import { appState, go } from '../../../src/renderer/window-state.ts'
import * as eg from '../../support/eg.ts'
import { type FakeBridge, failed, mount, withBridge, withState } from '../mount.ts'

const byTag: Rule = {
  id: 'prod',
  kinds: ['down'],
  accountId: null,
  tag: 'prod',
  checkId: null,
  channelId: null,
  topic: null,
  senderId: null,
  way: 'sound',
  afterMinutes: 5,
}
const byPerson: Rule = {
  ...byTag,
  id: 'ana',
  kinds: ['direct', 'mention'],
  tag: null,
  accountId: eg.chatId,
  senderId: eg.ana.id,
  way: null,
  afterMinutes: null,
}

function withAttention(change: Partial<AttentionSettings>): AppState {
  const attention = { ...defaultAttention, ...change }
  return eg.state({ settings: { ...defaultSettings, attention } })
}

function show(state: AppState = eg.state()): void {
  withState(state)
  onTestFinished(dismissToast)
  onTestFinished(dropDraft)
  mount(
    <div style={{ width: '420px', height: '620px' }}>
      <BelfryWindow />
    </div>,
  )
  go({ view: 'attention' })
}

const button = (name: string | RegExp) => page.getByRole('button', { name })

const customise = () => button('Customise').click()

async function saved(bridge: FakeBridge): Promise<AttentionSettings> {
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const [input] = bridge.inputsOf('updateSettings') as { attention: AttentionSettings }[]
  if (input === undefined) throw new Error('nothing was saved')
  return input.attention
}

describe('the page of notification rules', () => {
  test('is reached from the settings, and found there by searching', async () => {
    withBridge()
    show()
    go({ view: 'settings' })
    await page.getByRole('searchbox', { name: 'Find a setting' }).fill('quiet hours')
    await button('Edit').click()
    await expect.element(page.getByRole('heading', { name: 'Notification rules' })).toBeVisible()
  })

  test('sets a way for each kind, by keyboard too, and saves all at once', async () => {
    const bridge = withBridge()
    show()
    await expect.element(button('Save')).not.toBeInTheDocument()
    await customise()
    await page.getByRole('radio', { name: 'Check is late: Notification' }).click()
    await page.getByRole('radio', { name: 'Check goes down: Sound' }).click()
    await userEvent.keyboard('{ArrowRight}')
    await page.getByRole('spinbutton', { name: 'Ignore outages shorter than' }).fill('3')
    const { ways, afterMinutes } = await saved(bridge)
    expect(ways).toEqual({ ...defaultAttention.ways, late: 'banner', down: 'banner' })
    expect(afterMinutes).toBe(3)
    await expect.element(button('Save')).not.toBeInTheDocument()
  })

  test('sets all kinds by one of three levels, each said in a sentence', async () => {
    const bridge = withBridge()
    show()
    const level = (name: string) => page.getByRole('radio', { name, exact: true })
    await expect.element(level('Normal')).toBeChecked()
    await expect
      .element(level('Quiet'))
      .toHaveAccessibleDescription(/^Checks that go down .* without a sound/)
    await expect.element(page.getByRole('table')).not.toBeInTheDocument()
    await level('Quiet').click()
    await customise()
    await page.getByRole('radio', { name: 'Direct message: Notification' }).click()
    await expect.element(page.getByText('Customised, as below.')).toBeVisible()
    await expect.element(level('Quiet')).not.toBeChecked()
    // The table stays when its choices amount to a level again.
    await page.getByRole('radio', { name: 'Direct message: Silent' }).click()
    await expect.element(level('Quiet')).toBeChecked()
    await expect.element(page.getByRole('table')).toBeVisible()
    const { ways } = await saved(bridge)
    expect(ways).toMatchObject({ down: 'banner', trouble: 'banner', late: 'tray', message: 'tray' })
  })

  test('is saved by Ctrl+Enter, with the number that is being typed, and says why it failed', async () => {
    const bridge = withBridge({
      updateSettings: () => failed({ kind: 'invalid', field: '', message: 'The disk is full.' }),
    })
    show()
    const minutes = page.getByRole('spinbutton', { name: 'Ignore outages shorter than' })
    await minutes.click()
    await userEvent.keyboard('{Control>}a{/Control}7{Control>}{Enter}{/Control}')
    await expect.element(page.getByRole('alert')).toMatchTextContent(/The disk is full/)
    expect(bridge.inputsOf('updateSettings')).toMatchObject([{ attention: { afterMinutes: 7 } }])
    await expect.element(minutes).toHaveFocus()
    await expect.element(minutes).toHaveValue(7)
    await expect.element(button('Save')).toBeVisible()
  })

  test('keeps changes made while the disk is still saving', async () => {
    const { promise, resolve } = Promise.withResolvers()
    const bridge = withBridge({ updateSettings: () => promise })
    show()
    await customise()
    const late = (way: string) => page.getByRole('radio', { name: `Check is late: ${way}` })
    await late('Notification').click()
    expect((await saved(bridge)).ways.late).toBe('banner')
    await late('Sound').click()
    resolve(undefined)
    await expect.element(page.getByText('Saved.')).toBeVisible()
    await expect.element(late('Sound')).toBeChecked()
    await expect.element(page.getByText(/Not saved yet/)).toBeVisible()
  })

  test('keeps unsaved changes while the user is elsewhere, and says so', async () => {
    const bridge = withBridge()
    show()
    await customise()
    await page.getByRole('radio', { name: 'You are mentioned: Nothing' }).click()
    go({ view: 'settings' })
    await expect.element(page.getByText('You have unsaved changes there.')).toBeVisible()
    go({ view: 'attention' })
    await expect
      .element(page.getByRole('radio', { name: 'You are mentioned: Nothing' }))
      .toBeChecked()
    await button('Cancel').click()
    await expect.element(page.getByRole('radio', { name: 'Normal' })).toBeChecked()
    await expect
      .element(page.getByRole('radio', { name: 'You are mentioned: Sound' }))
      .toBeChecked()
    expect(bridge.inputsOf('updateSettings')).toEqual([])
    // The focused button disappeared.
    await expect
      .poll(() => document.activeElement?.getAttribute('aria-label'))
      .toBe('Notification rules')
  })
})

describe('the rules', () => {
  test('are described with names, and say what they inherit from the default', async () => {
    withBridge()
    show(withAttention({ rules: [byTag, byPerson] }))
    const rules = page.getByRole('region', { name: 'Rules' }).getByRole('listitem')
    const first = rules.nth(0)
    await expect.element(first.getByText('Check goes down · #prod')).toBeVisible()
    await expect.element(first.getByText('→ Notification with sound, after 5 min')).toBeVisible()
    const second = rules.nth(1)
    await expect.element(second.getByText(/from Ana/)).toBeVisible()
    await expect.element(second.getByText('→ Default: Notification with sound')).toBeVisible()
    await expect.element(page.getByText(/The first matching rule decides/)).toBeVisible()
  })

  test('are reordered by buttons that keep the focus', async () => {
    const bridge = withBridge()
    show(withAttention({ rules: [byTag, byPerson] }))
    await button('Move rule 2 up').click()
    await expect.element(button('Move rule 1 up')).toHaveFocus()
    await button('Remove rule 2').click()
    // The rule now in its place, since "Add a rule" may be far below.
    await expect.element(button('Edit rule 1')).toHaveFocus()
    expect((await saved(bridge)).rules).toEqual([byPerson])
  })

  test('are added with kinds, place and effect', async () => {
    const bridge = withBridge()
    show()
    await button('Add a rule').click()
    const form = page.getByRole('region', { name: 'Rules' })
    await form.getByRole('checkbox', { name: 'Check recovers' }).click()
    await form.getByRole('combobox', { name: 'Account' }).selectOptions(eg.opsId)
    await form.getByRole('combobox', { name: 'Tag' }).fill('#db')
    await form.getByRole('combobox', { name: 'Then' }).selectOptions('nothing')
    await button('Close rule 1').click()
    await expect.element(button('Edit rule 1')).toHaveFocus()
    await button('Edit rule 1').click()
    await button('Done').click()
    await expect.element(button('Edit rule 1')).toHaveFocus()
    const [rule] = (await saved(bridge)).rules
    expect(rule).toMatchObject({
      kinds: ['recovered'],
      accountId: eg.opsId,
      tag: 'db',
      way: 'nothing',
      afterMinutes: null,
    })
  })

  test('set limits for runs, only where they are of such a kind', async () => {
    const bridge = withBridge()
    show()
    await button('Add a rule').click()
    const form = page.getByRole('region', { name: 'Rules' })
    const longer = form.getByRole('spinbutton', { name: 'If a run takes longer than (minutes)' })
    const shorter = form.getByRole('spinbutton', { name: 'If a run takes less than (minutes)' })
    await expect.element(longer).not.toBeInTheDocument()
    await form.getByRole('checkbox', { name: 'Run takes too long' }).click()
    await expect.element(shorter).not.toBeInTheDocument()
    await longer.fill('120')
    await button('Done').click()
    await expect.element(form.getByText(/longer than 120 min/)).toBeVisible()
    await button('Edit rule 1').click()
    await form.getByRole('checkbox', { name: 'Run takes too long' }).click()
    await expect.element(form.getByText(/longer than 120 min/)).not.toBeInTheDocument()
    await form.getByRole('checkbox', { name: 'Run takes too long' }).click()
    await expect.element(longer).toHaveValue(120)
    await button('Done').click()
    expect((await saved(bridge)).rules).toMatchObject([
      { kinds: ['tooLong'], longerMinutes: 120, afterMinutes: null },
    ])
  })
})

describe('the quiet hours', () => {
  test('start with all nights, and take days, times, zone and exceptions', async () => {
    const bridge = withBridge()
    show()
    await page.getByRole('switch', { name: 'Stay quiet at certain hours' }).click()
    await page.getByRole('checkbox', { name: 'Sunday' }).click()
    await page.getByRole('textbox', { name: 'From' }).or(page.getByLabelText('From')).fill('21:30')
    await page.getByRole('combobox', { name: 'Time zone' }).fill('berlin')
    await button('Let #prod through').click()
    await page.getByRole('combobox', { name: /these people/ }).selectOptions('Ana')
    expect((await saved(bridge)).quietHours).toEqual({
      enabled: true,
      zone: 'Europe/Berlin',
      windows: [{ days: [1, 2, 3, 4, 5, 6], from: '21:30', to: '07:00' }],
      exceptTags: ['prod'],
      exceptPeople: [{ accountId: eg.chatId, userId: eg.ana.id }],
    })
  })

  test('find a person among very many by part of their name', async () => {
    const bridge = withBridge()
    const users = Array.from({ length: 20_000 }, (_, n) => ({
      ...eg.ana,
      id: n + 1,
      name: `P${n}`,
    }))
    const realm = { ...eg.realm(), users: new Map(users.map((user) => [user.id, user])) }
    show(eg.state({ realms: new Map([[eg.chatId, realm]]) }))
    await page.getByRole('switch', { name: 'Stay quiet at certain hours' }).click()
    const people = page.getByRole('combobox', { name: /these people/ })
    await expect.element(people).toBeVisible()
    expect(people.element().querySelectorAll('option').length).toBeLessThan(300)
    await page.getByRole('searchbox', { name: /these people/ }).fill('p1234')
    await userEvent.keyboard('{Enter}')
    await expect.element(people).toHaveFocus()
    await people.selectOptions('P12345')
    await expect.element(button('Stop letting P12345 through')).toBeVisible()
    expect((await saved(bridge)).quietHours.exceptPeople).toEqual([
      { accountId: eg.chatId, userId: 12_346 },
    ])
  })

  test('show their end in the footer of every page', async () => {
    withBridge()
    show(
      withAttention({
        quietHours: {
          ...defaultAttention.quietHours,
          enabled: true,
          zone: 'UTC',
          windows: [{ days: [2], from: '14:00', to: '15:00' }],
        },
      }),
    )
    go({ view: 'checks' })
    await expect
      .element(page.getByRole('contentinfo').getByText(/^Quiet hours until /))
      .toBeVisible()
  })
})

describe('do not disturb', () => {
  test('starts for a given time, is shown in the footer, and ends with a button there', async () => {
    const bridge = withBridge({ silence: () => ({ id: 'dnd', reacted: 0 }) })
    show()
    await button('Turn on…').click()
    await page.getByRole('button', { name: /For 1 h/ }).click()
    expect(bridge.inputsOf('silence')).toEqual([
      {
        how: 'mute',
        scope: { of: 'everything' },
        until: { kind: 'time', at: expect.any(Number) as number },
      },
    ])
    const silence: Silence = {
      id: 'dnd',
      how: 'mute',
      scope: { of: 'everything' },
      until: { kind: 'time', at: eg.now + eg.hour },
      since: eg.now,
      by: null,
      label: 'Do not disturb',
      status: null,
      messageId: null,
    }
    appState.value = { ...appState.value, silences: [silence] }
    const foot = page.getByRole('contentinfo')
    await expect.element(foot.getByText(/^Do not disturb until /)).toBeVisible()
    await foot.getByRole('button', { name: 'End now' }).click()
    expect(bridge.inputsOf('endSilence')).toEqual([{ ids: ['dnd'] }])
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => bridge.inputsOf('restoreSilence')).toEqual([{ ids: ['dnd'] }])
  })
})

test('tags that were cancelled are gone from their field', async () => {
  withBridge()
  const quietHours = { ...defaultAttention.quietHours, enabled: true, exceptTags: ['prod'] }
  show(withAttention({ quietHours }))
  const tags = page.getByRole('textbox', { name: 'Let checks with these tags through' })
  await tags.fill('prod, #db, ')
  await expect.element(tags).toHaveValue('prod, #db, ')
  await button('Cancel').click()
  await expect.element(tags).toHaveValue('prod')
})

describe('a trial', () => {
  const trial: AttentionTrial = {
    from: eg.now - 6 * eg.day,
    events: 240,
    before: { shown: 40, tray: 20, folded: 100, silent: 80, popUps: 44 },
    after: { shown: 39, tray: 21, folded: 100, silent: 80, popUps: 43 },
    changed: [{ title: 'db-backup is down', at: eg.now - eg.day, before: 'shown', after: 'tray' }],
    changes: 1,
  }

  test('uses the edited rules, compares before and after, and disappears with the next change', async () => {
    const bridge = withBridge({ tryAttention: () => trial })
    show()
    await customise()
    await page.getByRole('radio', { name: 'Check goes down: Silent' }).click()
    await button('Try on the last 7 days').click()
    await expect.element(page.getByText('1 event would have been different.')).toBeVisible()
    await expect.element(page.getByRole('row', { name: 'Notifications 44 43' })).toBeVisible()
    const changed = page.getByRole('list', { name: 'What would have been different' })
    await expect.element(changed.getByText('db-backup is down')).toBeVisible()
    await expect.element(changed.getByText('Silent')).toBeVisible()
    const [input] = bridge.inputsOf('tryAttention') as { attention: AttentionSettings }[]
    expect(input?.attention.ways.down).toBe('tray')
    await page.getByRole('radio', { name: 'Check goes down: Nothing' }).click()
    await expect.element(page.getByText('1 event would have been')).not.toBeInTheDocument()
  })
})
