import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { AppState } from '#shared/core/state.ts'
import { openOperation } from '../../../src/renderer/palette/palette-state.ts'
import { beginMessage, closePalette } from '../../../src/renderer/palette-shown.ts'
import { BelfryWindow } from '../../../src/renderer/shell/window.tsx'
import { dismissToast, toast, undo } from '../../../src/renderer/toast.ts'
import { go, place } from '../../../src/renderer/window-state.ts'
import * as eg from '../../support/eg.ts'
import { type Answers, type FakeBridge, failed, mount, withBridge, withState } from '../mount.ts'

function show(state: AppState = eg.state(), answers: Answers = {}): FakeBridge {
  const bridge = withBridge(answers)
  withState(state)
  onTestFinished(dismissToast)
  onTestFinished(closePalette)
  mount(
    <div style={{ width: '420px', height: '620px' }}>
      <BelfryWindow />
    </div>,
  )
  return bridge
}

const line = () => page.getByRole('combobox', { name: 'Search or run anything' })
const options = () => page.getByRole('listbox', { name: 'Results' }).getByRole('option')
/** A key typed fast, so that the page has no time to answer in between. */
const press = (key: string, more: KeyboardEventInit = {}) =>
  document.activeElement?.dispatchEvent(
    new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }),
  )
const open = () => userEvent.keyboard('{Control>}k{/Control}')
/** The inputs of this operation, without the lists that pickers ask for. */
const ran = (bridge: FakeBridge, operation: string) =>
  bridge.inputsOf('run').filter((input) => JSON.stringify(input).includes(`"${operation}"`))
const runButton = () => page.getByRole('button', { name: /^Run/ })

describe('the palette', () => {
  test('opens by its key and its button, focuses its input, and closes with Esc', async () => {
    const bridge = show()
    await expect.element(page.getByRole('tree', { name: 'Checks' })).toHaveFocus()
    await open()
    await expect.element(line()).toHaveFocus()
    await userEvent.keyboard('{Escape}')
    await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
    await expect.element(page.getByRole('tree', { name: 'Checks' })).toHaveFocus()
    await page.getByRole('button', { name: 'Search or run anything' }).click()
    await expect.element(line()).toHaveFocus()
    await open()
    await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
    expect(bridge.inputsOf('hideWindow')).toEqual([])
  })

  test('acknowledges with the note that follows a colon', async () => {
    const check = eg.check({ name: 'db: nightly', status: 'down' })
    const bridge = show(
      { ...eg.state(), boards: new Map([[eg.opsId, eg.board([check])]]) },
      { silence: () => ({ id: 'new', reacted: 0 }) },
    )
    await open()
    await line().fill('ack DB: nightly: disk: looking')
    await expect
      .element(options().first())
      .toMatchTextContent('Acknowledge db: nightly: disk: looking')
    await userEvent.keyboard('{Enter}')
    await expect
      .poll(() => bridge.inputsOf('silence'))
      .toMatchObject([
        { how: 'acknowledge', scope: { checkId: check.id }, reason: 'disk: looking' },
      ])
  })

  test.each([
    [`ack db-backup: ${'x'.repeat(201)}`, 'The note is too long: 200 characters at most.'],
    [`db-backup for 2 h: ${'x'.repeat(201)}`, 'The reason is too long: 200 characters at most.'],
    [
      `db-backup every sunday 2:00 for 2 h: ${'x'.repeat(201)}`,
      'The reason is too long: 200 characters at most.',
    ],
  ])('says what is too long, and keeps it to be shortened: %s', async (typed, said) => {
    const bridge = show()
    await open()
    await line().fill(typed)
    await expect.element(options().first()).toMatchTextContent(said)
    await userEvent.keyboard('{Enter}')
    await expect.element(line()).toHaveValue(typed)
    await expect.element(options().first()).toMatchTextContent(said)
    expect([...bridge.inputsOf('silence'), ...bridge.inputsOf('planMaintenance')]).toEqual([])
  })

  test('hides names for the time that the screen is shared, and shows them again', async () => {
    const bridge = show()
    await open()
    await line().fill('screen')
    await expect.element(options().first()).toMatchTextContent('Hide names')
    await userEvent.keyboard('{Enter}')
    withState({ ...eg.state(), settings: { ...eg.state().settings, hideNames: true } })
    await open()
    await line().fill('show names')
    await expect.element(options().first()).toMatchTextContent('Show names again')
    await userEvent.keyboard('{Enter}')
    expect(bridge.inputsOf('updateSettings')).toEqual(
      expect.arrayContaining([{ hideNames: true }, { hideNames: false }]),
    )
  })

  test.each([
    ['snooze db', 'Snooze db-backup…'],
    ['snooze ', 'Snooze '],
    ['delete db', 'Delete db-backup…'],
    ['curl db', 'Copy the ping of db-backup as curl'],
    ['about ana', 'About Ana'],
  ])('does what “%s” says with the best match', async (query, title) => {
    const bridge = show(eg.state(), { run: () => failed({ kind: 'readOnlyKey' }) })
    await open()
    await line().fill(query)
    await expect.element(options().first()).toMatchTextContent(title)
    await userEvent.keyboard('{Enter}')
    if (query.startsWith('curl'))
      expect(bridge.inputsOf('copyPingAddress')).toMatchObject([{ form: 'curl' }])
    else {
      await expect.element(page.getByRole('dialog').getByRole('heading').first()).toBeVisible()
      await userEvent.keyboard('{Escape}')
    }
  })

  test.each(['CSV', 'JSON'])('copies the checks that the board shows as %s', async (format) => {
    const bridge = show()
    await open()
    await line().fill(`copy ${format.toLowerCase()}`)
    await expect.element(options().first()).toMatchTextContent(`Copy the checks shown as ${format}`)
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByText(`3 checks copied as ${format}.`)).toBeVisible()
    const [copied] = bridge.inputsOf('copyText') as { text: string }[]
    for (const name of ['db-backup', 'report-mailer', 'cert-renew'])
      expect(copied?.text).toContain(`"${name}"`)
  })

  test('opens a pasted address, or says why it can’t', async () => {
    const check = { view: 'check', accountId: eg.opsId, checkId: 'c0ffee' } as const
    const refused = 'Belfry isn’t connected to elsewhere.example.'
    const bridge = show(eg.state(), {
      run: () => ({ pings: [], flips: [], channels: [] }),
      whereLeads: (input) =>
        JSON.stringify(input).includes('elsewhere') ? { refused, wait: false } : { to: check },
    })
    await open()
    await line().fill('  https://elsewhere.example/checks/1/details/')
    await expect.element(options().first()).toMatchTextContent('Open in Belfry')
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByText(refused)).toBeVisible()
    await open()
    await line().fill('belfry://check/c0ffee')
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => place.value).toMatchObject(check)
    expect(bridge.inputsOf('whereLeads')).toEqual([
      { text: 'https://elsewhere.example/checks/1/details/' },
      { text: 'belfry://check/c0ffee' },
    ])
  })

  test('shortens a long title with “…” at 200 % in the smallest window', async () => {
    onTestFinished(() => page.viewport(414, 896))
    await page.viewport(180, 700)
    const checks = [eg.check({ name: `db-${'W'.repeat(60)}` })]
    show(eg.state({ boards: new Map([[eg.opsId, eg.board(checks)]]) }))
    await open()
    await line().fill('db')
    await expect.element(options().first()).toMatchTextContent(/^db-W/)
    const title = options().first().element().querySelector('.palette-title')
    expect(title?.getBoundingClientRect().right).toBeLessThanOrEqual(180)
  })

  test('opens the check chosen by two letters and Enter, and remembers it', async () => {
    const bridge = show(eg.state(), { run: () => ({ pings: [], flips: [], channels: [] }) })
    await open()
    await line().fill('db')
    await expect.element(options().first()).toMatchTextContent(/^db-backup/)
    await expect.element(options().first()).toHaveAttribute('aria-selected', 'true')
    await userEvent.keyboard('{Enter}')
    expect(place.value).toMatchObject({ view: 'check', accountId: eg.opsId })
    expect(bridge.inputsOf('updateSettings')).toEqual([
      { recentPalette: [expect.stringMatching(/^check\/ops\//)] },
    ])
    await expect.element(page.getByRole('heading', { name: 'db-backup' })).toBeVisible()
  })

  test('receives keys typed before it is drawn, so that none pauses or snoozes a check', async () => {
    const bridge = show(eg.state(), { run: () => ({ pings: [], flips: [], channels: [] }) })
    await expect.element(page.getByRole('tree', { name: 'Checks' })).toHaveFocus()
    // Nothing is rendered between these keys.
    press('k', { ctrlKey: true })
    for (const key of ['d', 'p', 'Backspace', 'b', 'Enter', 'n']) press(key)
    await expect.element(page.getByRole('heading', { name: 'db-backup' })).toBeVisible()
    expect(bridge.inputsOf('updateSettings')).toEqual([
      { recentPalette: [expect.stringMatching(/^check\/ops\//)] },
    ])
    press('k', { ctrlKey: true })
    press('p')
    press('Escape')
    await open()
    await expect.element(line()).toHaveValue('')
    expect(
      bridge.inputsOf('run').filter((input) => JSON.stringify(input).includes('ause')),
    ).toEqual([])
  })

  test('offers by name what keys do with the selected check, but doesn’t remember that for elsewhere', async () => {
    const bridge = show()
    await expect.element(page.getByRole('tree', { name: 'Checks' })).toHaveFocus()
    await userEvent.keyboard('{Home}j')
    const chosen = page.getByRole('treeitem', { selected: true })
    await expect.element(chosen).toMatchTextContent(/^db-backup/)
    await open()
    await line().fill('snooze')
    await expect.element(options().first()).toMatchTextContent(/^Snooze db-backup….*This check$/)
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByRole('dialog', { name: 'Snooze db-backup' })).toBeVisible()
    await userEvent.keyboard('{Escape}')
    expect(bridge.inputsOf('updateSettings')).toEqual([])
  })

  test('mutes the conversation that has the focus in the list', async () => {
    show({ ...eg.state(), realms: new Map([[eg.chatId, eg.realm([eg.message()])]]) })
    await userEvent.keyboard('{Control>}2{/Control}')
    await expect.element(page.getByRole('list', { name: 'Conversations' })).toBeVisible()
    await open()
    await line().fill('mute')
    await expect.element(options().first()).toMatchTextContent(/^Mute .+ for a while….*This chat$/)
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByRole('dialog', { name: /^Mute/ })).toBeVisible()
    await userEvent.keyboard('{Escape}')
  })

  test('attaches a file to the open composer, before any operation with that word in its name', async () => {
    const bridge = show(eg.state(), { run: () => ({ presence: {} }), chooseFiles: () => [] })
    const there = { accountId: eg.chatId, conversation: eg.topic }
    place.value = { view: 'conversation', ...there, messageId: null }
    await expect.element(page.getByRole('textbox', { name: /Write in/ })).toHaveFocus()
    await open()
    await line().fill('attach')
    await expect.element(options().first()).toMatchTextContent(/^Attach files…/)
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => bridge.inputsOf('chooseFiles')).toHaveLength(1)
    await expect.element(page.getByRole('textbox', { name: /Write in/ })).toHaveFocus()
  })

  test('keeps the input in view, however many people are chosen', async () => {
    const people = Array.from({ length: 12 }, (_, at) => ({
      id: at + 50,
      name: `Person ${at + 50}`,
    }))
    const users = new Map(people.map((one) => [one.id, { ...one, isBot: false }]))
    show({ ...eg.state(), realms: new Map([[eg.chatId, eg.realm([], { users })]]) })
    const userIds = people.slice(0, 10).map(({ id }) => id)
    beginMessage({ to: 'people', accountId: eg.chatId, userIds })
    const box = page.getByRole('dialog').getByRole('combobox')
    await expect.element(box).toHaveFocus()
    const { left, right } = box.element().getBoundingClientRect()
    const { width } = document.querySelector('.palette')!.getBoundingClientRect()
    expect(right - left).toBeGreaterThan(80)
    expect(right).toBeLessThan(width + 20)
    await userEvent.keyboard('61')
    await expect.element(options().first()).toMatchTextContent(/^Person 61/)
    await userEvent.keyboard('{Escape}{Escape}')
  })

  test('does with several people what it was asked to do with one', async () => {
    show()
    const chosen: unknown[] = []
    beginMessage(undefined, ({ conversation }) => chosen.push(conversation))
    const box = page.getByRole('dialog').getByRole('combobox')
    await box.fill('ana')
    await userEvent.keyboard(',')
    await expect.element(box).toHaveValue('')
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => chosen).toEqual([{ kind: 'direct', userIds: [eg.ana.id] }])
    expect(place.value.view).toBe('checks')
  })

  test('reacts, and inserts an emoji in the composer, by a word for it', async () => {
    const last = eg.message({ id: 77 })
    const bridge = show(
      { ...eg.state(), realms: new Map([[eg.chatId, eg.realm([last])]]) },
      {
        run: () => ({ presence: {} }),
        emojiNames: () => [{ name: 'thumbs_up', code: '1f44d', type: 'unicode_emoji' }],
      },
    )
    const there = { accountId: eg.chatId, conversation: last.conversation }
    place.value = { view: 'conversation', ...there, messageId: null }
    const box = page.getByRole('textbox', { name: /Reply to/ })
    await expect.element(box).toHaveFocus()
    await open()
    await line().fill('react')
    await expect.element(options().first()).toMatchTextContent(/^React to the newest message/)
    await userEvent.keyboard('{Enter}')
    await expect.element(options().first()).toMatchTextContent(/thumbs up/)
    await userEvent.keyboard('{Enter}')
    const reaction = { messageId: 77, name: 'thumbs_up', present: true }
    await expect.poll(() => bridge.inputsOf('setReaction')).toMatchObject([reaction])
    await expect.element(box).toHaveFocus()
    await box.fill('well done')
    await open()
    await line().fill('insert emoji')
    await userEvent.keyboard('{Enter}')
    await expect.element(options().first()).toMatchTextContent(/thumbs up/)
    await userEvent.keyboard('{Enter}')
    await expect.element(box).toHaveValue('well done:thumbs_up: ')
  })

  test('offers a check’s actions only on its page, and no longer once the user left', async () => {
    show(eg.state(), { run: () => ({ pings: [], flips: [], channels: [] }) })
    await open()
    await line().fill('db')
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByRole('heading', { name: 'db-backup' })).toBeVisible()
    await open()
    await line().fill('timeline of')
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByRole('region', { name: 'Events' })).toBeVisible()
    go({ view: 'settings' })
    await open()
    await line().fill('pin db-backup')
    await expect.element(page.getByText(/Nothing matches “pin/)).toBeVisible()
  })

  test('starts with recently used entries, and wraps around with the arrow keys', async () => {
    const settings = { ...eg.state().settings, recentPalette: ['command/settings'] }
    show({ ...eg.state(), settings })
    await open()
    await expect.element(options().first()).toMatchTextContent(/^Settings/)
    await userEvent.keyboard('{ArrowDown}{ArrowUp}{Enter}')
    await expect.element(page.getByRole('heading', { name: 'Settings' })).toBeVisible()
  })

  test('opens a conversation and runs a command', async () => {
    const bridge = show({
      ...eg.state(),
      realms: new Map([[eg.chatId, eg.realm([eg.message()])]]),
    })
    await open()
    await line().fill('ops db')
    await options().getByText('# ops ›', { exact: false }).click()
    expect(place.value).toMatchObject({ view: 'conversation', accountId: eg.chatId })
    await open()
    await line().fill('theme dark')
    await userEvent.keyboard('{Enter}')
    expect(bridge.inputsOf('updateSettings')).toContainEqual({ theme: 'dark' })
  })

  test('lists what a key does here once, and keeps a topic that the channel refuses', async () => {
    const topicRule = { rules: { ...eg.realm().rules, emptyTopic: 'only' as const } }
    show(eg.state({ realms: new Map([[eg.chatId, { ...eg.realm(), ...topicRule }]]) }), {
      run: () => ({ topics: [] }),
    })
    await userEvent.keyboard('{Control>}2{/Control}')
    await open()
    await line().fill('search messages')
    await expect.element(options().first()).toMatchTextContent(/Search messages…/)
    // The second is the last row of every list.
    expect(options().elements()).toHaveLength(2)
    await userEvent.keyboard('{Escape}n')
    const to = page.getByRole('combobox', { name: 'New message to' })
    await to.fill('#ops')
    await userEvent.keyboard('{Enter}')
    await to.fill('disk space')
    await expect
      .element(options().first())
      .toMatchTextContent(/only takes messages without a topic/)
    await userEvent.keyboard('{Enter}')
    await expect.element(to).toHaveValue('disk space')
  })

  test('begins a new topic in the channel that was typed, not a reply in the usual one', async () => {
    const usual = eg.message({ senderId: eg.me.id })
    const state = eg.state({ realms: new Map([[eg.chatId, eg.realm([usual])]]) })
    const bridge = show(state, { run: () => ({ topics: [] }) })
    await userEvent.keyboard('{Control>}2{/Control}n')
    await expect.element(page.getByRole('combobox', { name: 'New message to' })).toHaveFocus()
    await userEvent.keyboard('ops{Enter}')
    await expect.element(page.getByText('# ops', { exact: true })).toBeVisible()
    await userEvent.keyboard('Disk cleanup plan{Enter}')
    await expect
      .poll(() => place.value)
      .toMatchObject({
        conversation: { kind: 'topic', channelId: 10, topic: 'Disk cleanup plan' },
      })
    expect(bridge.inputsOf('sendMessage')).toEqual([])
  })

  test.each(['general chat', '(no topic)', ' general chat '])(
    'takes “%s” for the empty topic, as the server does',
    async (typed) => {
      const realm = { ...eg.realm([]), server: { version: '10.2', featureLevel: 372 } }
      show(eg.state({ realms: new Map([[eg.chatId, realm]]) }), { run: () => ({ topics: [] }) })
      await userEvent.keyboard('{Control>}2{/Control}n')
      const to = page.getByRole('combobox', { name: 'New message to' })
      await to.fill('#ops')
      await userEvent.keyboard('{Enter}')
      await to.fill(typed)
      await expect.element(options().first()).toMatchTextContent(/^general chat/)
      await userEvent.keyboard('{Enter}')
      await expect.poll(() => place.value).toMatchObject({ conversation: { topic: '' } })
    },
  )

  test('leads from a verb alone to what it can be done to', async () => {
    show()
    await open()
    await line().fill('pause')
    await expect.element(options().first()).toMatchTextContent(/^Pause /)
    await userEvent.keyboard('{ArrowDown}')
    const verb = options().getByText('Pause or resume a check…')
    await verb.click()
    await expect.element(line()).toHaveValue('pause ')
    await expect.element(options().first()).toMatchTextContent(/^(Pause|Resume) /)
    expect(options().first().element().querySelector('svg')).toBeNull()
    await line().fill('db')
    expect(options().first().element().querySelector('.shape-down')).not.toBeNull()
  })

  test('offers the operations of the services only after “>”, which its last row says', async () => {
    show()
    await open()
    await line().fill('list existing integrations')
    await expect.element(page.getByText(/^Nothing matches/)).toBeVisible()
    await expect.element(options()).toMatchTextContent(/^API operations…begin with >/)
    await userEvent.keyboard('{Enter}')
    await expect.element(line()).toHaveValue('>')
    expect(options().elements().length).toBeGreaterThan(40)
    await line().fill('>list existing integrations')
    await userEvent.keyboard('{Enter}')
    await expect.element(runButton()).toBeVisible()
  })

  test.each([
    ['tuesday', 'Outages: '],
    ['db-backup 7 nov', 'Outages: '],
    ['font', 'Text size'],
    ['text size', 'Text size'],
    ['theme', 'Theme'],
    ['sound', 'Sound'],
    ['volume', 'Sound'],
    ['export', 'Export and import settings'],
    ['backup', 'Export and import settings'],
    ['interval', 'Check every'],
    ['sort', 'Group and sort checks'],
    ['grouping', 'Group and sort checks'],
    ['autostart', 'Start at login'],
    ['undo', 'Undo'],
    ['delete', 'Delete '],
    ['help', 'Keyboard shortcuts'],
  ])('leads with “%s” to %s in its first row', async (word, title) => {
    show()
    await open()
    await line().fill(word)
    await expect.element(options().first()).toMatchTextContent(new RegExp(`^${title}`))
  })

  test('opens a setting with its control focused', async () => {
    show()
    await open()
    await line().fill('font')
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByRole('combobox', { name: 'Text size' })).toHaveFocus()
    await expect.element(page.getByRole('searchbox')).toHaveValue('text size')
  })

  test('opens the menu that groups and sorts the checks, from another page too', async () => {
    show()
    go({ view: 'settings' })
    await open()
    await line().fill('sort checks')
    await userEvent.keyboard('{Enter}')
    const menu = page.getByRole('menu', { name: 'View' })
    await expect.element(menu.getByRole('menuitemradio', { checked: true }).first()).toHaveFocus()
    await userEvent.keyboard('{Escape}')
    await expect.element(menu).not.toBeInTheDocument()
    await expect.element(page.getByRole('button', { name: 'View' })).toHaveFocus()
  })

  test('undoes what was done last, even once its toast has gone, but only once', async () => {
    show()
    let undone = 0
    toast(
      'Snoozed db-backup.',
      'done',
      undo(() => (undone += 1)),
    )
    dismissToast()
    for (const expected of ['Undo Snoozed db-backup.', 'Undo nothing to undo']) {
      await open()
      await line().fill('undo')
      const [title = '', hint = ''] = [...options().first().element().children].map(
        ({ textContent }) => textContent,
      )
      expect(`${title} ${hint}`).toBe(expected)
      await userEvent.keyboard('{Enter}')
      await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
    }
    expect(undone).toBe(1)
  })

  test('says so if nothing matches', async () => {
    show()
    await open()
    await line().fill('no such thing anywhere')
    await expect.element(page.getByText('Nothing matches', { exact: false })).toBeVisible()
  })

  test('is listed in the keyboard help', async () => {
    show()
    await open()
    await line().fill('keyboard shortcuts')
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
    await expect.element(page.getByRole('dialog').getByText('Search or run anything')).toBeVisible()
  })
})

describe('the form of an operation', () => {
  test('is drawn from its schema and sends what was filled in', async () => {
    const bridge = show(eg.state(), { run: () => ({ name: 'nightly', timeout: 3600 }) })
    openOperation('createCheck')
    await page.getByRole('textbox', { name: 'Name' }).fill('nightly')
    await page.getByRole('textbox', { name: 'Period' }).fill('1 h')
    await page.getByRole('combobox', { name: 'Manual resume' }).selectOptions('Yes')
    await runButton().click()
    await expect.element(page.getByRole('region', { name: 'Result' })).toBeVisible()
    expect(bridge.inputsOf('run').at(-1)).toEqual({
      accountId: eg.opsId,
      operation: 'createCheck',
      params: { name: 'nightly', timeout: 3600, manual_resume: true },
    })
  })

  test('goes back to the list at Esc, and then closes', async () => {
    show()
    openOperation('listBadges')
    await expect
      .element(page.getByRole('heading', { name: "List the project's badges" }))
      .toBeVisible()
    await expect.element(runButton()).toHaveFocus()
    await userEvent.keyboard('{Escape}')
    await expect.element(line()).toHaveFocus()
    await userEvent.keyboard('{Escape}')
    await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
  })

  test('shows an invalid value at its field, and focuses that', async () => {
    const bridge = show()
    openOperation('createCheck')
    const period = page.getByRole('textbox', { name: 'Period' })
    await period.fill('soon')
    await runButton().click()
    await expect.element(period).toHaveAttribute('aria-invalid', 'true')
    await expect.element(period).toHaveFocus()
    expect(ran(bridge, 'createCheck')).toEqual([])
  })

  test('shows a limit that main names at its field', async () => {
    show(eg.state(), {
      run: () => failed({ kind: 'invalid', field: 'timeout', message: 'at least 60 seconds' }),
    })
    openOperation('createCheck')
    const period = page.getByRole('textbox', { name: 'Period' })
    await period.fill('5 s')
    await runButton().click()
    await expect.element(period).toHaveFocus()
    await expect.element(page.getByText('At least 60 seconds.', { exact: true })).toBeVisible()
  })

  test('describes a failure in words', async () => {
    show(eg.state(), { run: () => failed({ kind: 'rateLimited', retryAfterMs: 5_000 }) })
    openOperation('listBadges')
    await runButton().click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(/Try again in 5 s/)
  })

  test('runs only once at a time, and reports a failure to a user who has left it', async () => {
    const { promise, resolve } = Promise.withResolvers()
    const bridge = show(eg.state(), { run: () => promise })
    openOperation('createCheck')
    const name = page.getByRole('textbox', { name: 'Name' })
    await name.fill('nightly')
    await runButton().click()
    await name.fill('nightly again')
    await expect.element(runButton()).toHaveAttribute('aria-busy', 'true')
    name.element().closest('form')?.requestSubmit()
    expect(ran(bridge, 'createCheck')).toHaveLength(1)
    await userEvent.keyboard('{Escape}{Escape}')
    resolve(failed({ kind: 'serverFault', httpStatus: 500 }))
    await expect.element(page.getByText(/^Create a new check: .*internal error/)).toBeVisible()
  })

  test('shows a list as a table, and what the server ignored', async () => {
    show(eg.state(), {
      run: () => ({
        result: 'success',
        msg: '',
        channels: [{ id: 'a1', name: 'Mail to ops', kind: 'email' }],
        ignored_parameters_unsupported: ['colour'],
      }),
    })
    openOperation('listIntegrations')
    await runButton().click()
    await expect.element(page.getByRole('cell', { name: 'Mail to ops' })).toBeVisible()
    await expect.element(page.getByText('The server ignored: colour.')).toBeVisible()
    await page.getByText('Raw JSON').click()
    await expect.element(page.getByRole('region', { name: 'Raw JSON' })).toBeVisible()
  })

  test('says how much of a long response is neither shown nor copied', async () => {
    const channels = Array.from({ length: 1_500 }, (_, n) => ({
      id: `a${n}`,
      name: `Mail to ${'x'.repeat(60)} ${n}`,
      kind: 'email',
    }))
    const bridge = show(eg.state(), { run: () => ({ channels }), copyText: () => undefined })
    openOperation('listIntegrations')
    await runButton().click()
    await expect.element(page.getByText('and 1,300 more', { exact: true })).toBeVisible()
    await page.getByText('Raw JSON').click()
    const { length } = JSON.stringify({ channels }, null, 2)
    const rest = `… and ${(length - 100_000).toLocaleString('en')} more characters`
    const raw = page.getByRole('region', { name: 'Raw JSON' })
    expect(raw.element().textContent.endsWith(`\n${rest}`)).toBe(true)
    await page.getByRole('button', { name: 'Copy the beginning' }).click()
    await expect
      .poll(() => bridge.inputsOf('copyText'))
      .toEqual([{ text: JSON.stringify({ channels }, null, 2).slice(0, 100_000) }])
  })

  test('offers reminders by what their messages say', async () => {
    const preamble =
      'You requested a reminder for the following message.\n\n@_**Ana|12** [said](x):'
    const reminders = ['Disk full', 'Lunch'].map((text, at) => ({
      reminder_id: at + 5,
      content: `${preamble}\n\`\`\`quote\n${text}\n\`\`\``,
    }))
    show(eg.state(), { run: () => ({ reminders }) })
    openOperation('deleteReminder')
    const reminder = page.getByRole('combobox', { name: 'Reminder' })
    await expect.element(reminder.getByRole('option', { name: /^Lunch[^`]*$/ })).toBeInTheDocument()
    await expect
      .element(reminder.getByRole('option', { name: /^Disk full/ }))
      .toHaveAttribute('value', '5')
  })

  test('keeps a chosen option in a long list whatever the filter is', async () => {
    const board = Array.from({ length: 300 }, (_, n) =>
      eg.check({ id: `${n}`.padStart(36, '0'), name: `job ${n}` }),
    )
    show(eg.state({ boards: new Map([[eg.opsId, eg.board(board)]]) }))
    openOperation('pauseCheck')
    const check = page.getByRole('combobox', { name: 'Check' })
    const filter = page.getByRole('searchbox', { name: 'Filter Check' })
    await filter.fill('job 299')
    await check.selectOptions('job 299')
    await filter.fill('')
    await expect.element(check).toHaveValue(board[299]!.id)
    await filter.fill('job 7')
    await expect.element(check).toHaveValue(board[299]!.id)
  })

  test('shows a server’s refusal at its field, or in view', async () => {
    let message = 'json validation error: timeout is too small'
    show(eg.state(), {
      run: () => failed({ kind: 'refused', httpStatus: 400, code: 'BAD_REQUEST', message }),
    })
    openOperation('createCheck')
    const period = page.getByRole('textbox', { name: 'Period' })
    await period.fill('1 h')
    await runButton().click()
    await expect.element(period).toHaveFocus()
    await expect.element(period).toHaveAccessibleDescription(/The server says: is too small/)
    message = 'no more checks'
    await runButton().click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(/no more checks/)
    await expect.element(page.getByRole('alert')).toBeInViewport()
    await page.getByRole('button', { name: 'Start over' }).click()
  })

  test('keeps what was filled in until it runs or is started over', async () => {
    const backup = eg.check({ name: 'db-backup' })
    const boards = new Map([[eg.opsId, eg.board([backup])]])
    show(eg.state({ boards }), { previewRequest: () => ({}), run: () => ({}) })
    const check = page.getByRole('combobox', { name: 'Check' })
    openOperation('deleteCheck')
    await check.selectOptions('db-backup')
    await runButton().click()
    await expect.element(page.getByRole('textbox', { name: /^Type db-backup/ })).toHaveFocus()
    await userEvent.keyboard('{Escape}')
    await expect.element(runButton()).toHaveFocus()
    await userEvent.keyboard('{Escape}')
    await expect.element(line()).toHaveFocus()
    openOperation('deleteCheck')
    await expect.element(check).toHaveValue(backup.id)
    await page.getByRole('button', { name: 'Start over' }).click()
    await expect.element(check).toHaveValue('')
    await expect.element(check).toHaveFocus()
    await open()
    openOperation('deleteCheck')
    await expect.element(check).toHaveValue('')
  })

  test('suggests channels and people as recipients, and accepts others', async () => {
    show({ ...eg.state(), realms: new Map([[eg.chatId, eg.realm([])]]) })
    openOperation('sendMessage')
    const to = page.getByRole('combobox', { name: 'To' })
    const offered = () =>
      [...document.querySelectorAll('datalist option')].map((one) => one.getAttribute('label'))
    await expect.element(to).toBeVisible()
    expect(offered()).toContain('# ops')
    await to.click()
    await userEvent.keyboard('nobody at all')
    await expect
      .element(page.getByRole('textbox', { name: 'To', exact: true }))
      .toHaveValue('nobody at all')
    expect(offered()).toEqual([])
    await page.getByRole('button', { name: 'Start over' }).click()
  })

  test('is not offered to a read-only key, nor any advice to replace it', async () => {
    show({ ...eg.state(), accounts: [eg.account({ keyKind: 'readOnly' })] })
    openOperation('createCheck')
    await expect.element(page.getByText(/its key can only read/)).toBeVisible()
    expect(page.getByRole('button', { name: 'Run' }).elements()).toEqual([])
    expect(page.getByText(/Replace/).elements()).toEqual([])
    openOperation('listChecks')
    await expect.element(runButton()).toBeEnabled()
  })

  test('says which server it needs, and leaves out what an older one doesn’t know', async () => {
    const server = { version: '10.2', featureLevel: 372 }
    const realms = new Map([[eg.chatId, eg.realm([], { server })]])
    const bridge = show({ ...eg.state(), realms })
    openOperation('listNavigationViews')
    const needs = 'This needs server 11 or later; yours is 10.2.'
    await expect.element(runButton()).toHaveAccessibleDescription(needs)
    await runButton().click({ force: true })
    expect(bridge.inputsOf('run')).toEqual([])
    openOperation('createChannel')
    await expect.element(page.getByRole('textbox', { name: 'Name' })).toBeVisible()
    await expect.element(page.getByRole('textbox', { name: 'Folder' })).not.toBeInTheDocument()
    await expect
      .element(page.getByText(/^Folder, .*: needs server 11 or later; yours is 10.2\.$/))
      .toBeVisible()
    await expect.element(runButton()).toBeEnabled()
  })

  test('offers the accounts of its service, those that can run it first', async () => {
    const bridge = show({
      ...eg.state(),
      accounts: [
        eg.account({ id: 'docs', label: 'docs-project', keyKind: 'readOnly' }),
        eg.account({ id: 'web', label: 'web-project', key: 'missing' }),
        ...eg.state().accounts,
      ],
    })
    openOperation('listIntegrations')
    const account = page.getByRole('combobox', { name: 'Account' })
    await expect.element(account).toHaveValue(eg.opsId)
    await runButton().click()
    expect(bridge.inputsOf('run')).toMatchObject([{ accountId: eg.opsId }])
    await account.selectOptions('web-project')
    await expect.element(page.getByText(/^web-project has no working key/)).toBeVisible()
    expect(account.element().textContent).not.toContain('docs-project')
  })

  test('shows the request without the key, and copies it as curl', async () => {
    const preview = {
      method: 'GET',
      url: 'https://hc.example.org/api/v3/badges/',
      headers: { 'x-api-key': '$KEY' },
      body: null,
      curl: 'curl … $KEY',
    }
    const bridge = show(eg.state(), { previewRequest: () => preview })
    openOperation('listBadges')
    await page.getByText('Request', { exact: true }).click()
    await expect
      .element(page.getByRole('region', { name: 'Request without the key' }))
      .toMatchTextContent(/x-api-key: \$KEY/)
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await expect.element(page.getByRole('button', { name: 'Copied' })).toBeVisible()
    expect(bridge.inputsOf('copyText')).toEqual([{ text: 'curl … $KEY' }])
    expect(bridge.inputsOf('run')).toEqual([])
  })

  test('says why a request was not copied until that is tried again', async () => {
    const answers: Answers = {
      previewRequest: () => failed({ kind: 'serverFault', httpStatus: 500 }),
    }
    show(eg.state(), answers)
    openOperation('listBadges')
    const copy = page.getByRole('button', { name: 'Copy as curl' })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    await copy.click()
    const why = page.getByRole('button', { name: /internal error/ })
    await expect.element(why).toBeVisible()
    vi.advanceTimersByTime(10_000)
    await new Promise(requestAnimationFrame)
    await expect.element(why).toBeVisible()
    answers.previewRequest = () => ({ curl: 'curl' })
    await why.click()
    await expect.element(page.getByRole('button', { name: 'Copied' })).toBeVisible()
  })

  test('deletes only what was chosen and confirmed by typing its name', async () => {
    const check = eg.check({ name: 'db-backup' })
    const boards = new Map([[eg.opsId, eg.board([check])]])
    const answers = { previewRequest: () => ({}), run: () => ({}) }
    const bridge = show(eg.state({ boards }), answers)
    openOperation('deleteCheck')
    await page.getByRole('combobox', { name: 'Check' }).selectOptions('db-backup')
    await runButton().click()
    const sure = page.getByRole('textbox', { name: 'Type db-backup to confirm' })
    await expect.element(sure).toHaveFocus()
    await userEvent.keyboard('{Enter}')
    await page.getByRole('button', { name: 'Delete a check' }).click({ force: true })
    expect(bridge.inputsOf('run')).toEqual([])
    await sure.fill('db-backup')
    await page.getByRole('button', { name: 'Delete a check' }).click()
    expect(bridge.inputsOf('run')).toMatchObject([
      { operation: 'deleteCheck', params: { uuid: check.id } },
    ])
  })

  test('lets main choose a file, shows the progress, and cancels it', async () => {
    const upload = {
      id: 'u1',
      fileId: 'f1',
      startedAt: 0,
      accountId: eg.chatId,
      conversation: null,
      name: 'plan.pdf',
      sent: 30,
      total: 100,
      state: 'sending',
      url: null,
      failure: null,
    } as const
    const bridge = show(eg.state(), {
      chooseFile: () => ({ fileId: 'f1', name: 'plan.pdf', size: 100 }),
      startUpload: () => ({ id: 'u1' }),
    })
    openOperation('uploadFile')
    await expect.element(page.getByRole('button', { name: 'Copy as curl' })).toBeVisible()
    await page.getByRole('button', { name: 'Choose a file…' }).click()
    await expect.poll(() => bridge.inputsOf('startUpload')).toHaveLength(1)
    closePalette()
    withState(eg.state({ uploads: [upload] }))
    openOperation('uploadFile')
    await expect
      .element(page.getByRole('progressbar', { name: 'Upload of plan.pdf' }))
      .toHaveAttribute('value', '30')
    expect(bridge.inputsOf('startUpload')).toEqual([
      { accountId: eg.chatId, fileId: 'f1', place: null, by: 'multipart' },
    ])
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(bridge.inputsOf('cancelUpload')).toEqual([{ id: 'u1' }])
    await expect.element(page.getByRole('button', { name: 'Choose a file…' })).toHaveFocus()
  })
})
