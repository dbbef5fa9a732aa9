import { signal } from '@preact/signals'
import { describe, expect, onTestFinished, test } from 'vitest'
import { cdp, page, userEvent } from 'vitest/browser'
import type { CommandInput } from '#shared/command-inputs.ts'
import type { Silence } from '#shared/core/attention/silence.ts'
import { draftKey } from '#shared/core/chat/drafts.ts'
import type { Realm } from '#shared/core/chat/realm.ts'
import { emptyState } from '#shared/core/state.ts'
import type { Target } from '#shared/core/target.ts'
import { filterText } from '../../../src/renderer/board/board-state.ts'
import { closePalette } from '../../../src/renderer/palette-shown.ts'
import { followAppearance } from '../../../src/renderer/shell/appearance.ts'
import { BelfryWindow } from '../../../src/renderer/shell/window.tsx'
import { dismissToast } from '../../../src/renderer/toast.ts'
import { appState, go, goFrom, now, place } from '../../../src/renderer/window-state.ts'
import * as eg from '../../support/eg.ts'
import { type Answers, failed, mount, withBridge, withState } from '../mount.ts'

function show(state = eg.state()) {
  withState(state)
  onTestFinished(dismissToast)
  mount(
    <div style={{ width: '420px', height: '620px' }}>
      <BelfryWindow />
    </div>,
  )
}

const tab = (name: RegExp) => page.getByRole('tab', { name })

describe('the window', () => {
  test('offers three ways to start while there is no account', async () => {
    const bridge = withBridge()
    show(emptyState)
    await expect
      .element(page.getByRole('button', { name: 'Connect a monitoring project' }))
      .toHaveFocus()
    await expect.element(page.getByRole('button', { name: 'Connect a chat account' })).toBeVisible()
    await page.getByRole('button', { name: 'Explore the demo' }).click()
    expect(bridge.inputsOf('exploreDemo')).toEqual([{}])
    await page.getByRole('button', { name: 'Connect a monitoring project' }).click()
    await expect.element(page.getByRole('textbox', { name: 'Address' })).toBeVisible()
  })

  test('shows on its tabs how much is behind each', async () => {
    withBridge()
    show({ ...eg.state(), realms: new Map([[eg.chatId, eg.realm([eg.message()])]]) })
    await expect.element(tab(/^Checks 1 down$/)).toHaveAttribute('aria-selected', 'true')
    await expect.element(tab(/^Chat 1 unread$/)).toHaveAttribute('aria-selected', 'false')
    await tab(/^Chat/).click()
    await expect.element(page.getByRole('list', { name: 'Conversations' })).toBeVisible()
    await userEvent.keyboard('{Control>}1{/Control}')
    await expect.element(page.getByRole('tree', { name: 'Checks' })).toBeVisible()
  })

  test.each<Target>([
    { view: 'diagnostics' },
    { view: 'importChecks', accountId: eg.opsId },
    { view: 'check', accountId: eg.opsId, checkId: 'gone' },
  ])('focuses what it opens: $view', async (target) => {
    withBridge({ diagnose: () => failed({ kind: 'readOnlyKey' }) })
    show()
    await expect.element(page.getByRole('tree', { name: 'Checks' })).toHaveFocus()
    go(target)
    await expect.element(page.getByRole('tree', { name: 'Checks' })).not.toBeInTheDocument()
    await expect.poll(() => document.activeElement?.closest('.page') ?? null).not.toBeNull()
  })

  test('can’t be scrolled out of view, however long its lists are', async () => {
    withBridge()
    const messages = Array.from({ length: 200 }, (_, n) =>
      eg.message({
        id: 1_000 + n,
        conversation: { kind: 'topic', channelId: 10, topic: `incident ${n}` },
      }),
    )
    show({ ...eg.state(), realms: new Map([[eg.chatId, eg.realm(messages)]]) })
    go({ view: 'chat' })
    await expect.element(page.getByRole('button', { name: /incident 100\b/ })).toBeInTheDocument()
    const { scrollHeight, clientHeight } = document.documentElement
    expect(scrollHeight).toBeLessThanOrEqual(Math.max(clientHeight, 620))
  })

  test('distinguishes active and selected items in forced colours', async () => {
    withBridge({ run: () => ({ pings: [], flips: [], channels: [] }) })
    const media = (features: readonly { name: string; value: string }[]) =>
      cdp().send('Emulation.setEmulatedMedia', { features: [...features] })
    onTestFinished(() => media([]).then(() => undefined))
    await media([{ name: 'forced-colors', value: 'active' }])
    show(eg.state({ realms: new Map([[eg.chatId, eg.realm([eg.message()])]]) }))
    await expect.element(page.getByRole('tree', { name: 'Checks' })).toHaveFocus()
    await userEvent.keyboard('xj')
    const look = (one: string) => {
      const found = document.querySelector(one)
      const style = found && getComputedStyle(found)
      // Treats the page’s white background as none, whatever its opacity.
      const background = style?.backgroundColor.replace(/^rgba?\(255, 255, 255.*/, '')
      return [background, style?.borderInlineStartWidth, style?.outlineStyle]
    }
    await expect
      .poll(() => look('.board-row.is-selected:not(.is-active)'))
      .not.toEqual(look('.board-row:not(.is-selected, .is-active)'))
    await tab(/^Chat/).click()
    await expect.element(page.getByRole('button', { name: 'Recent' })).toBeVisible()
    const ofSegment = (pressed: boolean) => look(`.segments button[aria-pressed="${pressed}"]`)
    expect(ofSegment(true)).not.toEqual(ofSegment(false))
    await page.getByRole('button', { name: /# ops/ }).click()
    await expect
      .element(page.getByRole('textbox', { name: /^(?:Reply to|Write in)/ }))
      .toHaveFocus()
    await userEvent.keyboard('@')
    const ofOption = (chosen: boolean) => look(`.completion[aria-selected="${chosen}"]`)
    await expect.poll(() => ofOption(true)).not.toEqual(ofOption(false))
  })

  test('leaves the keys of an input method to it', async () => {
    withBridge()
    show()
    onTestFinished(() => {
      filterText.value = ''
    })
    const press = (key: string, how: KeyboardEventInit) =>
      document.activeElement?.dispatchEvent(
        new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...how }),
      )
    const filter = page.getByRole('searchbox', { name: 'Filter checks' })
    await filter.fill('db')
    for (const how of [{ isComposing: true }, { keyCode: 229 }])
      for (const key of ['Enter', 'ArrowDown', 'Escape']) press(key, how)
    expect([filterText.value, document.activeElement]).toEqual(['db', filter.element()])
    press('Enter', {})
    await expect.element(page.getByRole('tree', { name: 'Checks' })).toHaveFocus()
    await userEvent.keyboard('?')
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await expect.element(dialog).toBeVisible()
    press('Escape', { isComposing: true })
    await expect.element(dialog).toBeVisible()
    press('Escape', {})
    await expect.element(dialog).not.toBeInTheDocument()
  })

  test('acts once for a key that is held down, unless it moves or types', async () => {
    const bridge = withBridge()
    show()
    onTestFinished(() => {
      filterText.value = ''
    })
    const hold = async (key: string) => {
      const event = { key, bubbles: true, cancelable: true }
      const ends: boolean[] = []
      for (const repeat of [false, true, true])
        ends.push(
          document.activeElement?.dispatchEvent(
            new KeyboardEvent('keydown', { ...event, repeat }),
          ) ?? true,
        )
      await Promise.resolve()
      return ends
    }
    const list = page.getByRole('tree', { name: 'Checks' })
    await expect.element(list).toHaveFocus()
    const at = list.element().getAttribute('aria-activedescendant')
    await hold('ArrowDown')
    await hold('k')
    await expect.element(list).toHaveAttribute('aria-activedescendant', at)
    await hold('p')
    expect(bridge.inputsOf('run')).toMatchObject([{ operation: 'pauseCheck' }])
    go({ view: 'settings' })
    go({ view: 'attention' })
    await expect.element(page.getByRole('region', { name: 'Notification rules' })).toBeVisible()
    await hold('Escape')
    expect([place.value.view, bridge.inputsOf('hideWindow')]).toEqual(['settings', []])
    go({ view: 'checks' })
    await page.getByRole('searchbox', { name: 'Filter checks' }).click()
    expect(await hold('a')).toEqual([true, true, true])
  })

  test('acts once on a double click, unless both clicks are on the same button', async () => {
    const clicks: string[] = []
    const rows = signal(['one', 'two', 'three'])
    const remove = (name: string) => {
      clicks.push(name)
      rows.value = rows.value.filter((row) => row !== name)
    }
    const List = () =>
      rows.value.map((row) => (
        <div key={row}>
          <button type="button" style={{ width: '90px' }} onClick={() => remove(row)}>
            Remove {row}
          </button>
        </div>
      ))
    const zoom = () => clicks.push('zoom')
    mount(
      <>
        <List />
        <label>
          <input type="checkbox" onChange={() => clicks.push('checkbox')} /> All
        </label>
        <button type="button" onClick={zoom}>
          Zoom in
        </button>
      </>,
    )
    await page.getByRole('button', { name: 'Remove one' }).dblClick()
    expect(clicks).toEqual(['one'])
    await page.getByRole('button', { name: 'Remove two' }).click()
    await page.getByRole('button', { name: 'Zoom in' }).dblClick()
    await page.getByText('All').dblClick()
    expect(clicks).toEqual(['one', 'two', 'zoom', 'zoom', 'checkbox', 'checkbox'])
  })

  test('takes a key by its place where the layout has no such letter', async () => {
    const bridge = withBridge({ run: () => ({ presence: {}, rendered: '<p>all well</p>' }) })
    show(eg.state({ realms: new Map([[eg.chatId, eg.realm([eg.message()])]]) }))
    onTestFinished(closePalette)
    const press = (key: string, code: string, how: KeyboardEventInit = {}) =>
      document.activeElement?.dispatchEvent(
        new KeyboardEvent('keydown', { key, code, bubbles: true, cancelable: true, ...how }),
      )
    await expect.element(page.getByRole('tree', { name: 'Checks' })).toHaveFocus()
    press('ą', 'KeyP', { modifierAltGraph: true })
    expect(bridge.inputsOf('run')).toEqual([])
    press('з', 'KeyP')
    expect(bridge.inputsOf('run')).toMatchObject([{ operation: 'pauseCheck' }])
    press('л', 'KeyK', { ctrlKey: true })
    await expect.element(page.getByRole('dialog', { name: 'Search or run anything' })).toBeVisible()
    press('л', 'KeyK', { ctrlKey: true })
    go({ view: 'chat' })
    await page.getByRole('button', { name: /# ops/ }).click()
    const box = page.getByRole('textbox', { name: /^(?:Reply to|Write in)/ })
    await expect.element(box).toHaveFocus()
    await box.fill('all well')
    // In the layout of Dvorak, the letter counts and not what else is at the place.
    const preview = page.getByRole('region', { name: 'Preview' })
    press('l', 'KeyP', { altKey: true })
    await expect.element(preview).not.toBeInTheDocument()
    press('p', 'KeyR', { altKey: true })
    await expect.element(preview).toBeVisible()
    press('π', 'KeyP', { altKey: true })
    await expect.element(preview).not.toBeInTheDocument()
  })

  test('takes a digit by its place where the layout has it only with Shift', async () => {
    const bridge = withBridge({
      run: () => ({ presence: {} }),
      searchMessages: () => ({ hits: [] }),
    })
    show()
    const press = (key: string, code: string, how: KeyboardEventInit = {}) =>
      document.activeElement?.dispatchEvent(
        new KeyboardEvent('keydown', { key, code, bubbles: true, cancelable: true, ...how }),
      )
    await expect.element(page.getByRole('tree', { name: 'Checks' })).toHaveFocus()
    press('é', 'Digit2', { ctrlKey: true })
    await expect.element(page.getByRole('button', { name: 'Recent', pressed: true })).toBeVisible()
    press('"', 'Digit3')
    await expect.poll(() => place.value).toEqual({ view: 'chat', list: 'channels' })
    press('#', 'Digit3', { shiftKey: true })
    press('2', 'Digit2', { shiftKey: true })
    await expect.poll(() => place.value).toEqual({ view: 'chat', list: 'direct' })
    // In the layout bépo, "/" is in the top row.
    press('/', 'Digit9')
    await expect.poll(() => place.value.view).toBe('search')
    // "-" is on the key of 6 in a French layout.
    press('-', 'Digit6', { ctrlKey: true })
    press('à', 'Digit0', { ctrlKey: true })
    expect(bridge.inputsOf('updateSettings')).toEqual([{ zoom: 90 }, { zoom: 100 }])
  })

  test('counts every zoom key, even those pressed before main has answered', async () => {
    const bridge = withBridge()
    const at = (zoom: number) => {
      const state = eg.state()
      return { ...state, settings: { ...state.settings, zoom } }
    }
    show()
    await userEvent.keyboard('{Control>}=={/Control}')
    expect(bridge.inputsOf('updateSettings')).toEqual([{ zoom: 110 }, { zoom: 125 }])
    withState(at(110))
    withState(at(125))
    withState(at(150))
    await userEvent.keyboard('{Control>}-{/Control}')
    withState(at(125))
    await userEvent.keyboard('{Control>}0{/Control}')
    withState(at(100))
    expect(bridge.inputsOf('updateSettings').slice(2)).toEqual([{ zoom: 125 }, { zoom: 100 }])
  })

  test('goes back at Esc and then hides', async () => {
    const bridge = withBridge()
    show()
    go({ view: 'settings' })
    await expect.element(page.getByRole('heading', { name: 'Settings' })).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await expect.element(page.getByRole('tree', { name: 'Checks' })).toBeVisible()
    expect(bridge.inputsOf('hideWindow')).toEqual([])
    await userEvent.keyboard('{Escape}')
    expect(bridge.inputsOf('hideWindow')).toEqual([{}])
  })

  test('goes back from another chat list to the first one, and then hides', async () => {
    const bridge = withBridge()
    show({ ...eg.state(), realms: new Map([[eg.chatId, eg.realm([eg.message()])]]) })
    go({ view: 'chat', list: 'direct' })
    await expect.element(page.getByRole('heading', { name: 'Chat' })).toBeInTheDocument()
    document.querySelector<HTMLElement>('[data-pane=list] button')?.focus()
    await userEvent.keyboard('{Escape}')
    expect(place.value).toEqual({ view: 'chat' })
    expect(bridge.inputsOf('hideWindow')).toEqual([])
    await userEvent.keyboard('{Escape}')
    expect(bridge.inputsOf('hideWindow')).toEqual([{}])
  })

  test('closes a menu that loses the focus, keeps keys from the page behind, and has room for long names', async () => {
    const bridge = withBridge()
    onTestFinished(() => {
      filterText.value = ''
    })
    const state = eg.state()
    const view = { key: '1', filter: 'is:down', groupBy: 'project', sortBy: 'status' } as const
    const views = [{ ...view, name: 'Databases of all teams in all regions, the worst first' }]
    show({ ...state, settings: { ...state.settings, views } })
    const menu = page.getByRole('menu')
    for (const leave of ['{Control>}1{/Control}', '1']) {
      await userEvent.keyboard('{Control>}1{/Control}')
      await page.getByRole('button', { name: 'View' }).click()
      await expect.element(menu.getByRole('menuitemradio', { name: 'By tag' })).toBeVisible()
      expect(menu.element().getBoundingClientRect().width).toBeGreaterThan(240)
      // On the board this would pause the check.
      await userEvent.keyboard('p')
      await userEvent.keyboard(leave)
      await expect.element(menu).not.toBeInTheDocument()
    }
    await expect.element(page.getByRole('searchbox')).toHaveValue('is:down')
    expect(bridge.inputsOf('run')).toEqual([])
  })

  test('does what the keys of other programs do', async () => {
    const bridge = withBridge({ run: () => ({ channels: [] }) })
    show({ ...eg.state(), realms: new Map([[eg.chatId, eg.realm([eg.message()])]]) })
    const tree = page.getByRole('tree', { name: 'Checks' })
    await expect.element(tree).toHaveFocus()
    await userEvent.keyboard('{Control>}f{/Control}')
    await expect.element(page.getByRole('searchbox', { name: 'Filter checks' })).toHaveFocus()
    await userEvent.keyboard('{Control>},{/Control}')
    await expect.element(page.getByRole('heading', { name: 'Settings' })).toBeVisible()
    await userEvent.keyboard('{Tab}{Alt>}{ArrowLeft}{/Alt}')
    expect(place.value).toEqual({ view: 'settings' })
    document.querySelector<HTMLElement>('.page-bar button')?.focus()
    await userEvent.keyboard('{Alt>}{ArrowLeft}{/Alt}')
    expect(place.value).toEqual({ view: 'checks' })
    await userEvent.keyboard('{Control>}n{/Control}')
    expect(place.value).toMatchObject({ view: 'editCheck', checkId: null })
    await userEvent.keyboard('{Control>}2{/Control}')
    await expect.element(page.getByRole('list', { name: 'Conversations' })).toBeVisible()
    await userEvent.keyboard('{Control>}n{/Control}')
    await expect.element(page.getByRole('combobox', { name: 'New message to' })).toHaveFocus()
    await userEvent.keyboard('{Escape}')
    await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
    expect(bridge.inputsOf('refresh')).toEqual([])
    await userEvent.keyboard('{F5}{Control>}r{/Control}')
    expect(bridge.inputsOf('refresh')).toHaveLength(2)
    expect(bridge.inputsOf('quit')).toEqual([])
    await userEvent.keyboard('{Control>}q{/Control}')
    expect(bridge.inputsOf('quit')).toHaveLength(1)
    expect(bridge.inputsOf('hideWindow')).toEqual([])
  })

  test('shows the keyboard shortcuts at ?, and Esc closes only those', async () => {
    const bridge = withBridge()
    show()
    await expect.element(page.getByRole('tree', { name: 'Checks' })).toHaveFocus()
    await userEvent.keyboard('?')
    await expect.element(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
    expect(bridge.inputsOf('hideWindow')).toEqual([])
  })

  test('leads from its menu to the other pages, by keyboard too', async () => {
    withBridge()
    show()
    await page.getByRole('button', { name: 'More' }).click()
    await expect.element(page.getByRole('menuitem', { name: 'Accounts' })).toHaveFocus()
    const items = page.getByRole('menuitem').elements()
    expect(items.map(({ firstChild }) => firstChild?.textContent)).toEqual([
      'Accounts',
      'Notification rules',
      'Settings',
      'Diagnostics',
      'Help',
      'Quit',
    ])
    await userEvent.keyboard('{ArrowDown}{ArrowDown}{Enter}')
    await expect.element(page.getByRole('heading', { name: 'Settings' })).toBeVisible()
  })

  test('counts on its bell the notifications shown since they were last looked at', async () => {
    withBridge()
    const { settings } = eg.state()
    const notices = [
      eg.notice({ id: '1', at: 100 }),
      eg.notice({ id: '2', at: 200 }),
      eg.notice({ id: '3', at: 300, outcome: 'silent' }),
    ]
    show(eg.state({ notices, settings: { ...settings, noticesSeenAt: 100 } }))
    const bell = page.getByRole('button', { name: 'Notifications, 1 new' })
    await bell.click()
    await expect.element(page.getByRole('heading', { name: 'Notifications' })).toBeVisible()
    await expect.element(bell).toHaveAttribute('aria-current', 'page')
    // A second press stays, with Back leading to where the first was.
    await bell.click()
    await userEvent.keyboard('{Escape}')
    expect(place.value).toEqual({ view: 'checks' })
  })

  test('turns do not disturb on for an hour and off again by one button', async () => {
    const bridge = withBridge({ silence: () => ({ id: 'dnd', reacted: 0 }) })
    show()
    const toggle = page.getByRole('button', { name: 'Do not disturb' })
    await expect.element(toggle).toHaveAttribute('aria-pressed', 'false')
    await toggle.click()
    await expect.poll(() => bridge.inputsOf('silence').length).toBe(1)
    const [{ until, scope }] = bridge.inputsOf('silence') as [
      { until: { kind: 'time'; at: number }; scope: object },
    ]
    expect(scope).toEqual({ of: 'everything' })
    expect(until.at - now.value).toBe(eg.hour)
    await expect.element(page.getByText(/^Nothing interrupts you until/)).toBeVisible()
    const on: Silence = {
      ...{ id: 'dnd', how: 'mute', scope: { of: 'everything' }, until, since: eg.now },
      ...{ by: null, label: 'Do not disturb', status: null, messageId: null },
    }
    withState({ ...appState.value, silences: [on] })
    await expect.element(toggle).toHaveAttribute('aria-pressed', 'true')
    const foot = page.getByRole('contentinfo')
    await foot.getByRole('button', { name: 'Change…' }).click()
    await expect.element(page.getByRole('dialog', { name: 'Do not disturb' })).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await toggle.click()
    await expect.poll(() => bridge.inputsOf('endSilence')).toEqual([{ ids: ['dnd'] }])
  })

  test('shows in its footer how fresh everything is', async () => {
    withBridge()
    show()
    await expect.element(page.getByText('Updated 12 s ago')).toBeVisible()
  })

  test('leads from a rejected key in its footer to the form', async () => {
    withBridge()
    show({ ...eg.state(), accounts: [eg.account({ key: 'rejected' })] })
    await page.getByRole('button', { name: 'Replace key' }).click()
    expect(place.value).toEqual({ view: 'replaceKey', accountId: eg.opsId })
  })

  test('shows a problem until it is dismissed', async () => {
    const bridge = withBridge()
    show({ ...eg.state(), troubles: [{ id: 'disk', text: 'The disk is full.' }] })
    await expect.element(page.getByText('The disk is full.')).toBeVisible()
    await page.getByRole('button', { name: 'Dismiss' }).click()
    expect(bridge.inputsOf('dismissTrouble')).toEqual([{ id: 'disk' }])
  })

  test('leaves room for the rest if there are many problems', async () => {
    withBridge()
    const troubles = ['one', 'two', 'three', 'four'].map((id) => ({ id, text: `trouble ${id}` }))
    show({ ...eg.state(), troubles })
    await expect.element(page.getByText('trouble two')).toBeVisible()
    expect(page.getByText('trouble three').query()).toBeNull()
    await page.getByRole('button', { name: 'and 2 more' }).click()
    await expect.element(page.getByText('trouble four')).toBeVisible()
    await page.getByRole('button', { name: 'Show fewer' }).click()
    expect(page.getByText('trouble three').query()).toBeNull()
  })

  test.each(['Yes', 'No'])('offers once to start at login, and accepts %s', async (answer) => {
    const bridge = withBridge({ startsAtLogin: () => false })
    const { settings } = eg.state()
    show()
    const offer = page.getByRole('region', { name: 'Start at login' })
    await offer.getByRole('button', { name: answer }).click()
    expect(bridge.inputsOf('updateSettings')).toEqual([{ loginAsked: true }])
    await expect
      .poll(() => bridge.inputsOf('setStartsAtLogin'))
      .toEqual(answer === 'Yes' ? [{ on: true }] : [])
    appState.value = { ...eg.state(), settings: { ...settings, loginAsked: true } }
    await expect.element(offer).not.toBeInTheDocument()
  })

  test.each([
    ['the system does already', eg.state(), true],
    ['there is only the demo', { ...eg.state(), accounts: [eg.account({ demo: true })] }, false],
  ])('doesn’t offer to start at login if %s', async (_what, state, starts) => {
    const bridge = withBridge({ startsAtLogin: () => starts })
    show(state)
    await expect.element(page.getByRole('tree', { name: 'Checks' })).toBeVisible()
    await expect.poll(() => bridge.inputsOf('startsAtLogin').length).toBe(starts ? 1 : 0)
    await expect
      .element(page.getByRole('region', { name: 'Start at login' }))
      .not.toBeInTheDocument()
  })

  test('leaves the demo', async () => {
    const bridge = withBridge()
    show({ ...eg.state(), accounts: [eg.account({ demo: true })] })
    await page.getByRole('button', { name: 'Leave the demo' }).click()
    expect(bridge.inputsOf('leaveDemo')).toEqual([{}])
  })
})

describe('the hints after connecting', () => {
  const hint = () => page.getByRole('region', { name: 'Hint' })
  const dismiss = () => hint().getByRole('button', { name: 'Close the hint' }).click()

  async function connect() {
    const bridge = withBridge({ run: () => ({ flips: [], pings: [] }) })
    show(emptyState)
    go({ view: 'addAccount', kind: 'monitoring' })
    await expect.element(page.getByRole('heading', { name: /Connect/ })).toBeVisible()
    appState.value = eg.state()
    go({ view: 'checks' })
    return bridge
  }

  test('come one at a time, and each is gone once it was used or dismissed', async () => {
    await connect()
    await expect.element(hint()).toMatchTextContent(/a triangle counts the checks that are down/)
    await dismiss()
    await expect.element(hint()).toMatchTextContent(/^Checks that go down and messages/)
    // Used out of turn: it doesn't come any more.
    await userEvent.keyboard('{Control>}k{/Control}')
    await expect.element(page.getByRole('dialog')).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await hint().getByRole('button', { name: 'Change' }).click()
    await expect.element(page.getByRole('heading', { name: 'Notification rules' })).toBeVisible()
    await expect.element(hint()).not.toBeInTheDocument()
    go({ view: 'checks' })
    await expect.element(hint()).toMatchTextContent(/all keys/)
    await userEvent.keyboard('?')
    await expect.element(page.getByRole('dialog')).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await expect.element(hint()).not.toBeInTheDocument()
  })

  test('say nothing of the icon once the window came from there, and of ways that are the user’s own', async () => {
    await connect()
    const { settings, target } = appState.value
    const { attention } = settings
    const ways = { ...attention.ways, late: 'sound' } as const
    const changed = { ...settings, attention: { ...attention, ways } }
    const opened = { to: { view: 'checks' }, times: target.times + 1 } as const
    appState.value = { ...appState.value, settings: changed, target: opened }
    await expect.element(hint()).toMatchTextContent(/^Ctrl\+K/)
  })

  test('are not for the demo', async () => {
    withBridge()
    show(emptyState)
    appState.value = { ...eg.state(), accounts: [eg.account({ demo: true })] }
    await expect.element(page.getByText('Leave the demo')).toBeVisible()
    expect(hint().query()).toBeNull()
  })

  test('are not for a window that opens with an account', async () => {
    withBridge()
    show()
    await expect.element(page.getByRole('tree')).toBeVisible()
    expect(hint().query()).toBeNull()
  })
})

describe('a wide window', () => {
  const noHistory = { run: () => ({ flips: [], pings: [] }) }
  const list = () => page.getByRole('tree', { name: 'Checks' })
  const row = (name: RegExp) => page.getByRole('treeitem', { name })

  const isOf = (input: unknown, operation: string) =>
    (input as { readonly operation: string }).operation === operation

  /** Sets the width of the page, in px, until the test ends. */
  async function showAt(width: number, state = eg.state(), height = 700) {
    onTestFinished(() => page.viewport(414, 896))
    await page.viewport(width, height)
    withState(state)
    onTestFinished(dismissToast)
    mount(
      <div style={{ height: `${height}px` }}>
        <BelfryWindow />
      </div>,
    )
  }

  test('shows a check next to the list: Enter and → move into it, Esc back to the list', async () => {
    const bridge = withBridge(noHistory)
    await showAt(720)
    await expect.element(list()).toHaveFocus()
    await expect.element(page.getByRole('heading', { name: 'db-backup' })).toBeVisible()
    await expect.element(list()).toHaveFocus()
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByRole('region', { name: 'Details', exact: true })).toHaveFocus()
    await expect.element(page.getByRole('heading', { name: 'db-backup' })).toBeVisible()
    await expect.element(row(/db-backup/)).toHaveAttribute('aria-current', 'true')
    await userEvent.keyboard('{Escape}')
    await expect.element(list()).toHaveFocus()
    await expect.element(page.getByRole('heading', { name: 'db-backup' })).toBeVisible()
    await userEvent.keyboard('{ArrowDown}{ArrowRight}')
    await expect.element(page.getByRole('heading', { name: 'db-backup' })).not.toBeInTheDocument()
    await expect.element(page.getByRole('region', { name: 'Details', exact: true })).toHaveFocus()
    expect(bridge.inputsOf('hideWindow')).toEqual([])
    await userEvent.keyboard('{Escape}{Escape}')
    expect(bridge.inputsOf('hideWindow')).toEqual([{}])
  })

  test('shows the selected check, whatever selects it, and leaves the focus in the list', async () => {
    const bridge = withBridge({
      ...noHistory,
      silence: () => ({ id: 'one', reacted: 0 }),
      weeklyLook: () => [],
    })
    const names = ['alpha', 'beta', 'gamma']
    const checks = names.map((name) => eg.check({ id: name, name, status: 'down' }))
    const shown = (name: string) =>
      expect.element(page.getByRole('heading', { name })).toBeVisible()
    await showAt(720, eg.state({ boards: new Map([[eg.opsId, eg.board(checks)]]) }))
    await shown('alpha')
    await userEvent.keyboard('j')
    await shown('beta')
    await expect.element(row(/beta/)).toHaveAttribute('aria-current', 'true')
    expect(page.getByRole('heading', { name: 'alpha' }).query()).toBeNull()
    // Nothing was opened, so nothing is to be closed.
    expect(page.getByRole('button', { name: /^(?:Back|Close)/ }).query()).toBeNull()
    await userEvent.keyboard('a')
    await shown('gamma')
    await expect.element(list()).toHaveFocus()
    // Also in place of one that was opened, and of no other page.
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByRole('region', { name: 'Details', exact: true })).toHaveFocus()
    await userEvent.keyboard('{Escape}k')
    await shown('beta')
    await expect.element(list()).toHaveFocus()
    go({ view: 'weekly' })
    await shown('Weekly review')
    list().element().focus()
    await userEvent.keyboard('k')
    await expect.element(row(/alpha/)).toHaveAttribute('aria-selected', 'true')
    await shown('Weekly review')
    await page.getByRole('button', { name: 'Close' }).click()
    await shown('alpha')
    // From what is only shown there, too, Esc leads to the list.
    page.getByRole('button', { name: 'Share to chat' }).element().focus()
    await userEvent.keyboard('{Escape}')
    await expect.element(list()).toHaveFocus()
    expect(bridge.inputsOf('hideWindow')).toEqual([])
    await page.viewport(719, 700)
    await expect.element(page.getByRole('heading', { name: 'alpha' })).not.toBeInTheDocument()
    await expect.element(list()).toBeVisible()
  })

  test('asks for the past of a check once, however often it is selected, and as a glance', async () => {
    const bridge = withBridge(noHistory)
    const checks = ['alpha', 'beta'].map((name) => eg.check({ id: name, name, status: 'down' }))
    await showAt(720, eg.state({ boards: new Map([[eg.opsId, eg.board(checks)]]) }))
    const asked = () => bridge.inputsOf('run').filter((one) => isOf(one, 'listFlips'))
    const flips = () => asked().length
    for (const [name, key] of [
      ['alpha', 'j'],
      ['beta', 'k'],
      ['alpha', 'j'],
      ['beta', '{Shift}'],
    ] as const) {
      await expect.element(page.getByRole('heading', { name })).toBeVisible()
      await userEvent.keyboard(key)
    }
    expect(flips()).toBe(2)
    // A ping may have changed it.
    const ping = (times: number): void => {
      const pinged = checks.map((check) => ({ ...check, pingCount: check.pingCount + times }))
      appState.value = { ...appState.value, boards: new Map([[eg.opsId, eg.board(pinged)]]) }
    }
    ping(1)
    await expect.poll(flips).toBe(3)
    for (const one of asked()) expect(one).toMatchObject({ glance: true })
    // One that was opened is waited for.
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByRole('region', { name: 'Details', exact: true })).toHaveFocus()
    ping(2)
    await expect.poll(flips).toBe(4)
    expect(asked().at(-1)).not.toHaveProperty('glance')
  })

  test('shows no check that is gone', async () => {
    withBridge(noHistory)
    const state = eg.state({ boards: new Map([[eg.opsId, eg.board([eg.check({ name: 'one' })])]]) })
    await showAt(720, state)
    await expect.element(page.getByRole('heading', { name: 'one' })).toBeVisible()
    appState.value = { ...state, boards: new Map([[eg.opsId, eg.board([])]]) }
    await expect.element(page.getByText('The selected check is shown here')).toBeVisible()
  })

  test('gives single keys to the focused half', async () => {
    const bridge = withBridge(noHistory)
    await showAt(1_600)
    await expect.element(list()).toHaveFocus()
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByRole('region', { name: 'Details', exact: true })).toHaveFocus()
    await userEvent.keyboard('/')
    await expect.element(page.getByRole('searchbox', { name: 'Filter checks' })).not.toHaveFocus()
    await userEvent.keyboard('{Escape}{Home}p')
    // A project’s row can’t be paused, and the key isn’t meant for what is open beside it.
    const paused = { operation: 'pauseCheck' } as const
    expect(bridge.inputsOf('run')).not.toContainEqual(expect.objectContaining(paused))
    await userEvent.keyboard('/')
    await expect.element(page.getByRole('searchbox', { name: 'Filter checks' })).toHaveFocus()
  })

  describe('previews the selected conversation', () => {
    const box = () => page.getByRole('textbox', { name: /^(?:Reply to|Write in)/ })
    const isPreviewed = async (title: string) => {
      await expect.element(page.getByRole('heading', { name: title })).toBeVisible()
      await expect.element(box()).not.toBeInTheDocument()
    }
    const conversation = (name: RegExp) => page.getByRole('button', { name })

    const deploys = { kind: 'topic', channelId: 10, topic: 'deploys' } as const

    async function showChat(answers: Answers = {}, change: Partial<Realm> = {}) {
      const bridge = withBridge({ run: () => ({ presence: {} }), ...answers })
      const messages = [
        eg.message({ text: 'lunch?', conversation: eg.direct }),
        eg.message({ text: 'restarting', sentAt: eg.now - eg.hour }),
      ]
      const account = eg.chatAccount({ images: true })
      const held = eg.realm(messages)
      // Not read in this run yet.
      const unread = [...held.conversations].map(
        ([key, info]) => [key, { ...info, history: 'none' }] as const,
      )
      const realm = { ...held, conversations: new Map(unread), ...change }
      const realms = new Map([[eg.chatId, realm]])
      await showAt(900, { ...eg.state({ accounts: [account], realms }) })
      go({ view: 'chat' })
      await isPreviewed('Ana')
      return bridge
    }

    test('marks nothing as read and writes nothing there, until Enter opens it', async () => {
      const bridge = await showChat()
      await expect.element(conversation(/^@ Ana/)).toHaveFocus()
      await expect.element(conversation(/^@ Ana/)).toHaveAttribute('aria-current', 'true')
      await userEvent.keyboard('j')
      await isPreviewed('# ops › db-backup is DOWN')
      await expect.element(conversation(/^# ops/)).toHaveFocus()
      // What is asked of the service is a glance, and only once for each.
      const { topic, direct } = eg
      const asked = [direct, topic].map((one) => ({ accountId: eg.chatId, conversation: one }))
      await expect
        .poll(() => bridge.inputsOf('loadConversation'))
        .toEqual(asked.map((one) => ({ ...one, older: false, glance: true })))
      const quiet = ['markRead', 'saveDraft', 'run', 'loadImage', 'showMessage'] as const
      for (const name of quiet) expect(bridge.inputsOf(name)).toEqual([])
      expect(place.value).toEqual({ view: 'chat' })
      await userEvent.keyboard('{Enter}')
      await expect.element(box()).toHaveFocus()
      await expect
        .poll(() => bridge.inputsOf('loadConversation').at(-1))
        .not.toHaveProperty('glance')
    })

    test('in place of an open one, whose text is kept', async () => {
      const bridge = await showChat({
        saveDraft: (input) => {
          const { accountId, conversation: at, text } = input as CommandInput<'saveDraft'>
          const drafts = new Map(appState.peek().drafts).set(draftKey(accountId, at), text)
          appState.value = { ...appState.peek(), drafts }
        },
      })
      await userEvent.keyboard('{Enter}')
      await expect.element(box()).toHaveFocus()
      await userEvent.keyboard('half a sent{Escape}')
      await expect.element(conversation(/^@ Ana/)).toHaveFocus()
      await expect.element(box()).toHaveValue('half a sent')
      await userEvent.keyboard('{ArrowDown}')
      await isPreviewed('# ops › db-backup is DOWN')
      await expect
        .poll(() => bridge.inputsOf('saveDraft').at(-1))
        .toMatchObject({ conversation: eg.direct, text: 'half a sent' })
      await userEvent.keyboard('k')
      await isPreviewed('Ana')
      await page.getByRole('button', { name: 'half a sent', exact: true }).click()
      await expect.element(box()).toHaveFocus()
      await expect.element(box()).toHaveValue('half a sent')
      // It is left only by a key that selects another.
      goFrom('chat', {
        view: 'conversation',
        accountId: eg.chatId,
        conversation: deploys,
        messageId: null,
      })
      await expect.element(page.getByRole('heading', { name: /deploys/ })).toBeVisible()
      await userEvent.keyboard('{Escape}')
      await expect.element(conversation(/^@ Ana/)).toHaveFocus()
      await expect.element(page.getByRole('textbox', { name: /deploys/ })).toBeVisible()
      expect(bridge.inputsOf('hideWindow')).toEqual([])
    })

    test('of a channel, as the first of its topics', async () => {
      await showChat()
      await userEvent.keyboard('3')
      await expect.element(conversation(/^# general/)).toBeVisible()
      await userEvent.keyboard('{Home}')
      await isPreviewed('# ops › db-backup is DOWN')
      await userEvent.keyboard('{ArrowDown}')
      await expect.element(page.getByText('The selected conversation is shown here')).toBeVisible()
    })

    test('of a mention, at its message, and opens it there', async () => {
      const messages = Array.from({ length: 80 }, (_, at) =>
        eg.message({ id: 1_000 + at, text: `step ${at}`, flags: ['read'] }),
      )
      const hit = { ...messages[9], messageId: 1_009, parts: [{ text: 'step 9', hit: false }] }
      await showChat(
        { searchMessages: () => ({ hits: [hit], isComplete: true }) },
        eg.realm([...messages, eg.message({ conversation: eg.direct })]),
      )
      await userEvent.keyboard('4')
      await isPreviewed('# ops › db-backup is DOWN')
      await expect
        .element(page.getByRole('log').getByText('step 9', { exact: true }))
        .toBeInViewport()
      await userEvent.keyboard('{Enter}')
      await expect.element(box()).toHaveFocus()
      expect(place.value).toMatchObject({ view: 'conversation', messageId: 1_009 })
    })
  })

  test('keeps what is open, what is typed and the focus across 720 px', async () => {
    withBridge(noHistory)
    await showAt(900, { ...eg.state(), realms: new Map([[eg.chatId, eg.realm([eg.message()])]]) })
    go({ view: 'chat' })
    const conversations = page.getByRole('list', { name: 'Conversations' })
    await page.getByRole('button', { name: /^# ops/ }).click()
    const box = page.getByRole('textbox', { name: /^(?:Reply to|Write in)/ })
    await expect.element(box).toHaveFocus()
    await userEvent.keyboard('half a sent')
    for (const width of [719, 720, 400, 1_280]) {
      await page.viewport(width, 700)
      await expect.poll(() => conversations.query() !== null).toBe(width >= 720)
      await expect.element(box).toHaveFocus()
      await expect.element(box).toHaveValue('half a sent')
    }
    await userEvent.keyboard('{Escape}')
    await expect.element(page.getByRole('button', { name: /^# ops/ })).toHaveFocus()
    await page.viewport(719, 700)
    await expect.element(conversations).not.toBeInTheDocument()
    await expect.element(box).toHaveFocus()
  })

  test('keeps everything in reach at 200 % in the smallest window, with a count on both tabs', async () => {
    withBridge(noHistory)
    const messages = Array.from({ length: 1_200 }, (_, id) => eg.message({ id: id + 1 }))
    await showAt(180, { ...eg.state(), realms: new Map([[eg.chatId, eg.realm(messages)]]) })
    await expect.element(page.getByRole('tab', { name: /^Chat 999/ })).toBeVisible()
    await expect.element(row(/db-backup/)).toBeVisible()
    const { scrollWidth } = document.documentElement
    expect(scrollWidth).toBeLessThanOrEqual(180)
  })

  const ofDb = { accountId: eg.opsId, checkId: 'db' }

  test.each<[last: string, target: Target]>([
    ['Uptime', { view: 'check', ...ofDb }],
    ['OnCalendar', { view: 'editCheck', ...ofDb }],
    ['Clear', { view: 'notices' }],
    ['Theme', { view: 'settings' }],
    ['Nothing', { view: 'attention' }],
  ])('cuts off nothing in the smallest window at double size: %s', async (last, target) => {
    const flips = [{ timestamp: new Date(eg.now - 40 * eg.day).toISOString(), up: 1 }]
    withBridge({ run: () => ({ flips, pings: [], channels: [] }) })
    const boards = new Map([[eg.opsId, eg.board([eg.check({ id: 'db', name: 'db-backup' })])]])
    const { settings } = eg.state()
    // Of no level, so that the table of all kinds is open.
    const ways = { ...settings.attention.ways, late: 'banner' } as const
    const attention = { ...settings.attention, ways }
    const notices = [eg.notice()]
    await showAt(180, eg.state({ boards, notices, settings: { ...settings, attention } }))
    go(target)
    await expect.element(page.getByText(last, { exact: true }).last()).toBeInTheDocument()
    const cut = [...document.querySelectorAll('.window *')].filter(
      (one) =>
        one.scrollWidth > one.clientWidth + 1 &&
        getComputedStyle(one).overflowX === 'hidden' &&
        getComputedStyle(one).textOverflow !== 'ellipsis',
    )
    expect(cut).toEqual([])
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(180)
  })

  test.each(['View', 'More'])(
    'keeps a menu within the smallest window at 200 %: %s',
    async (name) => {
      withBridge(noHistory)
      await showAt(180, eg.state(), 210)
      await page.getByRole('button', { name, exact: true }).click()
      await expect.element(page.getByRole('menu')).toBeVisible()
      const { left, right, top, bottom } = page.getByRole('menu').element().getBoundingClientRect()
      expect(Math.min(left, top)).toBeGreaterThanOrEqual(0)
      expect(right).toBeLessThanOrEqual(180)
      expect(bottom).toBeLessThanOrEqual(210)
    },
  )

  test('shows some of a list and of a conversation in the smallest window at 200 %', async () => {
    withBridge({ run: () => ({ flips: [], pings: [], channels: [] }) })
    const height = (one: string) => document.querySelector(one)?.clientHeight
    const realms = new Map([[eg.chatId, eg.realm([eg.message({ flags: ['read'] })])]])
    await showAt(180, eg.state({ realms }), 210)
    await expect.poll(() => height('.board .virtual-list')).toBeGreaterThan(100)
    await userEvent.keyboard('{Control>}a{/Control}')
    const clear = page.getByRole('button', { name: /^Clear the selection/ })
    await expect.element(clear).toBeInTheDocument()
    clear.element().scrollIntoView()
    await expect.element(clear).toBeInViewport()
    await userEvent.keyboard('{Escape}')
    go({ view: 'chat' })
    await expect.poll(() => height('.chat-list')).toBeGreaterThan(100)
    await page.getByRole('button', { name: /# ops/ }).click()
    await expect.poll(() => height('.message-column')).toBeGreaterThan(100)
    go({ view: 'notices' })
    const nothing = page.getByText('No notifications yet')
    await expect.element(nothing).toBeInTheDocument()
    const bar = page
      .getByRole('heading', { name: 'Notifications' })
      .element()
      .getBoundingClientRect()
    expect(nothing.element().getBoundingClientRect().top).toBeGreaterThan(bar.bottom)
    withState(emptyState)
    go({ view: 'checks' })
    await expect.element(page.getByRole('region', { name: 'Welcome' })).toBeVisible()
    expect(document.querySelector('.mark')?.getBoundingClientRect().top).toBeGreaterThan(0)
  })

  test('has one half if there is nothing to list', async () => {
    withBridge(noHistory)
    await showAt(900, { ...eg.state(), accounts: [eg.account()] })
    go({ view: 'chat' })
    await expect.element(page.getByText('No chat account yet')).toBeVisible()
    await expect.element(page.getByText(/opens a conversation here/)).not.toBeInTheDocument()
  })
})

describe('the theme', () => {
  test('is applied as soon as it is chosen', () => {
    withState({ ...eg.state(), settings: { ...eg.state().settings, theme: 'dark' } })
    onTestFinished(followAppearance())
    expect(document.documentElement.dataset['theme']).toBe('dark')
    appState.value = { ...eg.state(), settings: { ...eg.state().settings, theme: 'light' } }
    expect(document.documentElement.dataset['theme']).toBe('light')
  })

  test('comes with a density that the rows of both lists follow', async () => {
    withBridge()
    onTestFinished(followAppearance())
    const of = (density: 'comfortable' | 'compact') => ({
      ...eg.state(),
      settings: { ...eg.state().settings, density },
      realms: new Map([[eg.chatId, eg.realm([eg.message()])]]),
    })
    onTestFinished(() => {
      delete document.documentElement.dataset['density']
    })
    const heightOf = (element: Element) => element.getBoundingClientRect().height
    const rows = () =>
      ['.check-line:not(.check-line-trouble)', '.check-line-trouble', '.group-head', '.chat-row']
        .flatMap((one) => [...document.querySelectorAll(one)].slice(0, 1))
        .map(heightOf)
    show(of('comfortable'))
    await expect.element(page.getByRole('tree', { name: 'Checks' })).toBeVisible()
    await expect.poll(rows).toEqual([32, 48, 32])
    appState.value = of('compact')
    await expect.poll(rows).toEqual([26, 40, 26])
    go({ view: 'chat' })
    await expect.poll(rows).toEqual([38])
  })
})

describe('the notices', () => {
  test('open what they are about, and can be cleared', async () => {
    const bridge = withBridge()
    const target = {
      view: 'conversation',
      accountId: eg.chatId,
      conversation: eg.topic,
      messageId: 5,
    } as const
    show({
      ...eg.state(),
      notices: [eg.notice({ title: 'Ana in # ops', kind: 'mention', target })],
    })
    go({ view: 'notices' })
    await page.getByRole('button', { name: 'Clear' }).click()
    expect(bridge.inputsOf('clearNotices')).toEqual([{}])
    await expect.element(page.getByText('Cleared 1 notification.')).toBeVisible()
    await page.getByRole('button', { name: 'Undo' }).click()
    expect(bridge.inputsOf('restoreNotices')).toEqual([{}])
    await page.getByRole('button', { name: /Ana in # ops/ }).click()
    expect(place.value).toEqual(target)
  })

  test('say so if there are none', async () => {
    withBridge()
    show()
    go({ view: 'notices' })
    await expect.element(page.getByText('No notifications yet')).toBeVisible()
  })
})

describe('the settings', () => {
  test('are found by searching and saved at once', async () => {
    const bridge = withBridge()
    show()
    go({ view: 'settings' })
    await page.getByRole('searchbox', { name: 'Find a setting' }).fill('make a sound')
    await page.getByRole('switch', { name: 'Sound' }).click()
    expect(bridge.inputsOf('updateSettings')).toEqual([{ sounds: false }])
    await page.getByRole('searchbox', { name: 'Find a setting' }).fill('all is well')
    await page.getByRole('combobox', { name: 'Check every' }).selectOptions('300')
    expect(bridge.inputsOf('updateSettings').at(-1)).toEqual({ pollSeconds: 300 })
  })

  test('set start at login even before its state is known, and switch back if that fails', async () => {
    const said = Promise.withResolvers<boolean>()
    const fails: boolean[] = []
    const change = () =>
      fails.length > 0 ? failed({ kind: 'invalid', field: 'x', message: 'No.' }) : null
    const bridge = withBridge({ startsAtLogin: () => said.promise, setStartsAtLogin: change })
    show(eg.state())
    go({ view: 'settings' })
    const start = page.getByRole('switch', { name: 'Start at login' })
    await start.click()
    said.resolve(false)
    await said.promise
    expect(bridge.inputsOf('setStartsAtLogin')).toEqual([{ on: true }])
    await expect.element(start).toBeChecked()
    fails.push(true)
    await start.click()
    await expect.element(page.getByText('No.')).toBeVisible()
    await expect.element(start).toBeChecked()
  })

  test('record global shortcuts as they are pressed, and say which can’t be one', async () => {
    const bridge = withBridge({ startsAtLogin: () => false })
    const state = eg.state()
    const globalKeys = { board: null, reply: 'Super+R', message: null }
    show({ ...state, settings: { ...state.settings, globalKeys } })
    go({ view: 'settings' })
    const board = page.getByRole('textbox', { name: 'Open board' })
    await board.click()
    await userEvent.keyboard('b')
    await expect.element(page.getByText(/^Other programs use “B”/)).toBeVisible()
    await userEvent.keyboard('{Meta>}r{/Meta}')
    await expect.element(page.getByText('Super+R is already used for “Quick reply”.')).toBeVisible()
    expect(bridge.inputsOf('updateSettings')).toEqual([])
    await userEvent.keyboard('{Control>}{Alt>}k{/Alt}{/Control}')
    expect(bridge.inputsOf('updateSettings')).toEqual([
      { globalKeys: { ...globalKeys, board: 'Ctrl+Alt+K' } },
    ])
    await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
    await page.getByRole('button', { name: 'Clear the shortcut for Quick reply' }).click()
    expect(bridge.inputsOf('updateSettings').at(-1)).toEqual({
      globalKeys: { ...globalKeys, reply: null },
    })
  })

  test('say which way a test notification went', async () => {
    withBridge({
      testNotification: () => ({
        by: 'D-Bus',
        capabilities: ['actions', 'body'],
        systemQuiet: true,
      }),
    })
    show()
    go({ view: 'settings' })
    await page.getByRole('button', { name: 'Send a test' }).click()
    const words =
      'A test notification was sent through D-Bus. It supports buttons. The system’s do-not-disturb mode may hide it.'
    await expect.element(page.getByText(words)).toBeVisible()
  })

  test.each([
    [
      'nobody shows them',
      () => ({ by: 'nobody', capabilities: [], systemQuiet: false }),
      /^Nothing on this computer can show/,
    ],
    ['it failed', () => failed({ kind: 'invalid', field: 'test', message: 'No.' }), /No\./],
  ] as const)(
    'report on a test notification from the palette if %s',
    async (_why, answer, words) => {
      withBridge({ testNotification: answer })
      show()
      await userEvent.keyboard('{Control>}k{/Control}')
      await page.getByRole('combobox').fill('send a test notification')
      await userEvent.keyboard('{Enter}')
      await expect.element(page.getByText(words)).toBeVisible()
    },
  )
})
