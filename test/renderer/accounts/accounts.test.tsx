import { describe, expect, onTestFinished, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Freshness } from '#shared/core/account.ts'
import { type Board, nothingMissed, type PendingLookup } from '#shared/core/checks/board.ts'
import { snapshotOf } from '#shared/core/checks/unseen-flips.ts'
import type { AppState } from '#shared/core/state.ts'
import { AccountList } from '../../../src/renderer/accounts/account-list.tsx'
import {
  AddAccount,
  accountDrafts,
  ReplaceKey,
} from '../../../src/renderer/accounts/add-account.tsx'
import { isInputHeld } from '../../../src/renderer/held-input.ts'
import { dismissToast, shownToast } from '../../../src/renderer/toast.ts'
import { appState, go, place } from '../../../src/renderer/window-state.ts'
import { fieldsOf } from '../../../src/shared/core/schemas.ts'
import * as eg from '../../support/eg.ts'
import { type Answers, failed, mount, withBridge, withState } from '../mount.ts'

const key = 'k'.repeat(32)
const label = () => page.getByRole('textbox', { name: 'Name' })
const address = () => page.getByRole('textbox', { name: 'Address' })
const email = () => page.getByRole('textbox', { name: 'E-mail' })
const apiKey = () => page.getByLabelText('API key', { exact: true })
const connect = () => page.getByRole('button', { name: 'Connect', exact: true })

function open(kind: 'monitoring' | 'chat', answers: Answers = {}, state: AppState = eg.state()) {
  accountDrafts.all.value = new Map()
  const bridge = withBridge(answers)
  withState(state)
  mount(<AddAccount kind={kind} />)
  return bridge
}

const report = {
  kind: 'monitoring',
  baseUrl: 'https://hc.example.org',
  keyKind: 'readOnly',
  checks: 42,
  unreadable: 0,
}

/** The form where the window is at one, as in the window. */
function Shown() {
  const { value } = place
  return value.view === 'addAccount' ? <AddAccount kind={value.kind} /> : null
}

describe('the form of a monitoring project', () => {
  test('tries the key without saving and explains what it gives access to', async () => {
    const bridge = open('monitoring', { tryAccount: () => report })
    await label().fill('ops')
    await address().fill(' https://hc.example.org/ ')
    await apiKey().fill(`  ${key} `)
    await page.getByRole('button', { name: 'Try the key' }).click()
    await expect.element(page.getByText(/read-only.*gives access to 42 checks/)).toBeVisible()
    expect(bridge.inputsOf('tryAccount')).toEqual([
      {
        kind: 'monitoring',
        label: 'ops',
        baseUrl: 'https://hc.example.org/',
        key,
        allowHttp: false,
      },
    ])
    expect(bridge.inputsOf('addAccount')).toEqual([])
  })

  test('connects, clears the key and opens the board', async () => {
    open('monitoring', { addAccount: () => ({ accountId: 'new', report }) })
    place.value = { view: 'addAccount', kind: 'monitoring' }
    await label().fill('ops')
    await address().fill('https://hc.example.org')
    await apiKey().fill(key)
    await connect().click()
    await expect.element(apiKey()).toHaveValue('')
    expect(place.value).toEqual({ view: 'checks' })
  })

  test('asks for the name of a project, and suggests the server’s only if it is free', async () => {
    const bridge = open('monitoring', { addAccount: () => ({ accountId: 'new', report }) })
    await address().fill('https://hc.example.org/projects/abc/checks/')
    await expect
      .element(address())
      .toHaveAccessibleDescription('Belfry uses https://hc.example.org.')
    await apiKey().fill(key)
    await connect().click()
    await expect.element(label()).toHaveFocus()
    await expect.element(label()).toHaveValue('hc.example.org')
    await expect.element(label()).toHaveAccessibleDescription(/press Connect again/)
    expect(bridge.calls).toEqual([])
    await connect().click()
    await expect
      .poll(() => bridge.inputsOf('addAccount'))
      .toMatchObject([{ label: 'hc.example.org' }])
  })

  test('suggests no name that another project has', async () => {
    const accounts = [{ ...eg.account(), label: 'hc.example.org' }]
    open('monitoring', {}, { ...eg.state(), accounts })
    await address().fill('https://hc.example.org')
    await apiKey().fill(key)
    await connect().click()
    await expect.element(label()).toHaveValue('')
    await expect.element(label()).toHaveAccessibleDescription(/tells it from the other project/)
  })

  test('offers to use a second key of a connected project instead', async () => {
    const bridge = open(
      'monitoring',
      {
        addAccount: (input: unknown) =>
          fieldsOf(input)['instead'] === eg.opsId
            ? { accountId: eg.opsId, report }
            : { accountId: eg.opsId, report, alike: { isSure: true } },
      },
      eg.state(),
    )
    await label().fill('again')
    await address().fill('https://hc.example.org')
    await apiKey().fill(key)
    await connect().click()
    const offer = page.getByRole('region', { name: 'Already connected' })
    await expect.element(offer).toMatchTextContent(/connected as ops-project/)
    await offer.getByRole('button', { name: 'Cancel' }).click()
    await expect.element(apiKey()).toHaveFocus()
    await connect().click()
    const use = offer.getByRole('button', { name: 'Use this key instead' })
    await expect.element(use).toHaveFocus()
    await expect
      .element(offer.getByRole('button', { name: 'Connect as well' }))
      .not.toBeInTheDocument()
    await use.click()
    await expect.poll(() => place.value).toEqual({ view: 'checks' })
    expect(bridge.inputsOf('addAccount')).toMatchObject([{}, {}, { instead: eg.opsId }])
  })

  test('tries a key without a name for the project', async () => {
    const bridge = open('monitoring', { tryAccount: () => report })
    await address().fill('https://hc.example.org')
    await apiKey().fill(key)
    await page.getByRole('button', { name: 'Try the key' }).click()
    await expect.element(page.getByText(/^The key works/)).toBeVisible()
    expect(bridge.inputsOf('tryAccount')).toMatchObject([{ label: '' }])
  })

  test('tells whoever went elsewhere why it failed, and leads nobody away', async () => {
    const answers = [Promise.withResolvers(), Promise.withResolvers()] as const
    const [first, second] = answers
    onTestFinished(dismissToast)
    withState(eg.state())
    mount(<Shown />)
    for (const { promise } of answers) {
      withBridge({ addAccount: () => promise })
      go({ view: 'addAccount', kind: 'monitoring' })
      await label().fill('ops')
      await address().fill('https://hc.example.org')
      await apiKey().fill(key)
      await connect().click()
      go({ view: 'settings' })
      await expect.element(connect()).not.toBeInTheDocument()
    }
    first.resolve(failed({ kind: 'serverFault', httpStatus: 500 }))
    await expect
      .poll(() => shownToast.value?.text)
      .toMatch(/^Connect a monitoring project: .*internal error/)
    second.resolve({ accountId: 'new', report })
    await expect.poll(() => shownToast.value?.text).toMatch(/^The key works/)
    expect(place.value.view).toBe('settings')
  })

  test('keeps what was typed when it is left, except the key', async () => {
    accountDrafts.all.value = new Map()
    withState(eg.state())
    mount(<Shown />)
    go({ view: 'addAccount', kind: 'monitoring' })
    await address().fill('https://hc.example.org')
    await apiKey().fill(key)
    go({ view: 'settings' })
    await expect.element(connect()).not.toBeInTheDocument()
    expect(isInputHeld()).toBe(true)
    go({ view: 'addAccount', kind: 'monitoring' })
    await expect.element(address()).toHaveValue('https://hc.example.org')
    await expect.element(apiKey()).toHaveValue('')
  })

  test('names what is missing under each field and focuses the first', async () => {
    const bridge = open('monitoring')
    await connect().click()
    await expect.element(page.getByText('Enter the address of the server.')).toBeVisible()
    await expect.element(page.getByText('Paste the API key.')).toBeVisible()
    await expect.element(address()).toHaveFocus()
    await expect.element(address()).toHaveAccessibleDescription(/Enter the address/)
    expect(bridge.calls).toEqual([])
  })

  test('shows a rejected key under the key, and a server out of reach under the address', async () => {
    let failure: Parameters<typeof failed>[0] = { kind: 'badKey', httpStatus: 401, message: '' }
    open('monitoring', { addAccount: () => failed(failure) })
    await label().fill('ops')
    await address().fill('https://hc.example.org')
    await apiKey().fill(key)
    await connect().click()
    await expect.element(apiKey()).toHaveAccessibleDescription(/rejected the key/)
    await expect.element(apiKey()).toHaveFocus()
    failure = { kind: 'network', reason: 'dns', host: 'hc.example.org', reached: 'no' }
    await connect().click()
    await expect.element(address()).toHaveAccessibleDescription(/Can’t reach hc\.example\.org/)
    await expect.element(address()).toHaveFocus()
  })

  test('asks for consent to plain http only if the key could be read on the way', async () => {
    const bridge = open('monitoring', { addAccount: () => ({ accountId: 'new', report }) })
    const consent = page.getByRole('checkbox', { name: /without encryption/ })
    await address().fill('http://127.0.0.1:8000')
    await expect.element(consent).not.toBeInTheDocument()
    await address().fill('http://hc.lan:8000')
    await expect.element(consent).toBeVisible()
    await label().fill('ops')
    await apiKey().fill(key)
    await connect().click()
    await expect.element(consent).toHaveFocus()
    expect(bridge.calls).toEqual([])
    await consent.click()
    await connect().click()
    await expect.poll(() => bridge.inputsOf('addAccount')).toMatchObject([{ allowHttp: true }])
  })

  test('hides the key unless asked', async () => {
    open('monitoring')
    await apiKey().fill(key)
    await expect.element(apiKey()).toHaveAttribute('type', 'password')
    await page.getByRole('button', { name: 'Show the API key' }).click()
    await expect.element(apiKey()).toHaveAttribute('type', 'text')
    await expect.element(apiKey()).toHaveValue(key)
  })

  test('says if the key will be kept for this session only', async () => {
    const environment = { ...eg.state().environment, protection: 'session' as const }
    open('monitoring', {}, { ...eg.state(), environment })
    const note = page.getByText(/no secure storage/)
    await expect.element(note).toBeVisible()
    const link = page.getByRole('button', { name: 'Trust a certificate file' }).element()
    const { top } = note.element().getBoundingClientRect()
    expect(top - link.getBoundingClientRect().bottom).toBeGreaterThanOrEqual(12)
  })
})

describe('the form of a chat account', () => {
  const zuliprc = `[api]\nemail=me@example.org\nkey=${key}\nsite=https://chat.example.org\n`

  test('accepts a chosen zuliprc file and names the realm', async () => {
    open('chat', {
      tryAccount: () => ({
        kind: 'chat',
        baseUrl: 'https://chat.example.org',
        realmName: 'Example',
        realmIcon: null,
        userName: 'Maria',
        email: 'me@example.org',
      }),
    })
    await page.getByLabelText(/Drop a zuliprc/).upload(new File([zuliprc], 'zuliprc'))
    await expect.element(address()).toHaveValue('https://chat.example.org')
    await expect.element(email()).toHaveValue('me@example.org')
    await expect.element(apiKey()).toHaveValue(key)
    await page.getByRole('button', { name: 'Try the key' }).click()
    await expect.element(page.getByText(/Maria \(me@example\.org\) at Example/)).toBeVisible()
  })

  test('accepts the whole file pasted into any field', async () => {
    open('chat')
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', zuliprc)
    email()
      .element()
      .dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
      )
    await expect.element(apiKey()).toHaveValue(key)
  })

  test('says what is missing in a file', async () => {
    open('chat')
    await page.getByLabelText(/Drop a zuliprc/).upload(new File(['hello'], 'notes.txt'))
    await expect.element(page.getByText(/not a zuliprc file/)).toBeVisible()
  })
})

describe('the accounts', () => {
  test('show a long name in full', async () => {
    withBridge()
    withState(eg.state({ accounts: [eg.account({ label: 'W'.repeat(60) })] }))
    mount(
      <div style={{ width: '420px' }}>
        <AccountList />
      </div>,
    )
    const name = page.getByText('W'.repeat(60), { exact: true })
    await expect.element(name).toBeVisible()
    expect(name.element().getBoundingClientRect().right).toBeLessThanOrEqual(420)
    expect(name.element().scrollWidth).toBeLessThanOrEqual(name.element().clientWidth)
  })

  test('for a chat show pictures only after the user turns them on', async () => {
    const bridge = withBridge()
    withState({ ...eg.state(), accounts: [eg.account(), eg.chatAccount()] })
    mount(<AccountList />)
    const images = page.getByRole('switch', { name: 'Show images in messages' })
    await expect.element(images).not.toBeChecked()
    await images.click()
    expect(bridge.inputsOf('setImages')).toEqual([{ accountId: eg.chatId, images: true }])
  })

  test('are listed with all that matters about each', async () => {
    withBridge()
    withState({
      ...eg.state(),
      accounts: [
        eg.account({ key: 'rejected', insecure: true, protection: 'session' }),
        eg.chatAccount(),
      ],
      realms: new Map([
        [eg.chatId, eg.realm([], { server: { version: '10.2', featureLevel: 372 } })],
      ]),
    })
    mount(<AccountList />)
    const ops = page.getByRole('listitem', { name: 'ops-project' })
    await expect.element(ops).toMatchTextContent('not encrypted')
    await expect.element(ops).toMatchTextContent('key kept for this session only')
    await expect.element(ops).toMatchTextContent('The server rejected the key.')
    await expect
      .element(page.getByRole('listitem', { name: 'Example' }))
      .toMatchTextContent('me@example.org at https://chat.example.org')
    await expect.element(page.getByText('server 10.2, feature level 372')).toBeVisible()
  })

  test('that couldn’t be read a moment ago have no tick', async () => {
    withBridge()
    const freshness = {
      ...eg.fresh,
      failure: { kind: 'serverFault', httpStatus: 500 } as const,
    }
    withState({ ...eg.state(), boards: new Map([[eg.opsId, eg.board([], { freshness })]]) })
    mount(<AccountList />)
    const ops = page.getByRole('listitem', { name: 'ops-project' })
    await expect.element(ops).toMatchTextContent('The server has an internal error (500).')
    expect(ops.element().querySelector('.shape-up')).toBeNull()
  })

  test('say if the history of checks isn’t being read', async () => {
    withBridge()
    const withMissed = (missed: Partial<Board['missed']>) =>
      withState({
        ...eg.state(),
        boards: new Map([[eg.opsId, eg.board([], { missed: { ...nothingMissed, ...missed } })]]),
      })
    const pending: PendingLookup = {
      ...snapshotOf(eg.check(), eg.now),
      ...{ seenDown: [], notifiedUpTo: null },
      owedAt: eg.now - 2 * eg.hour,
    }
    withMissed({ pending: new Map([['a', pending]]) })
    mount(<AccountList />)
    const ops = page.getByRole('listitem', { name: 'ops-project' })
    await expect
      .element(ops)
      .toMatchTextContent('The history of 1 check has been waiting to be read since')
    const failure = { kind: 'serverFault', httpStatus: 500 } as const
    withMissed({ failing: { count: 2, failure } })
    await expect.element(ops).toMatchTextContent('The history of 2 checks can’t be read:')
    withMissed({ pending: new Map([['a', { ...pending, owedAt: eg.now - 2 * eg.minute }]]) })
    await expect.element(ops).not.toMatchTextContent('history')
  })

  test('show that they are read less often on battery', async () => {
    withBridge()
    const freshness = { ...eg.fresh, nextAt: eg.now + 90_000, intervalMs: 2 * eg.minute }
    const withFreshness = (change: object): void =>
      withState({
        ...eg.state(),
        boards: new Map([
          [eg.opsId, eg.board([eg.check()], { freshness: { ...freshness, ...change } })],
        ]),
      })
    withFreshness({})
    mount(<AccountList />)
    const ops = page.getByRole('listitem', { name: 'ops-project' })
    await expect
      .element(ops)
      .toMatchTextContent('Updated 12 s ago, next in 1 min (every 2 min on battery)')
    withFreshness({ intervalMs: eg.minute })
    await expect.element(ops).not.toMatchTextContent('battery')
  })

  test('show when they were read, their last error, and what the icon is based on', async () => {
    withBridge()
    const failure = { kind: 'serverFault', httpStatus: 502 } as const
    const freshness = { ...eg.fresh, lastFailure: { failure, at: eg.now - eg.hour } }
    const checks = [eg.check()]
    withState({ ...eg.state(), boards: new Map([[eg.opsId, eg.board(checks, { freshness })]]) })
    mount(<AccountList />)
    const ops = page.getByRole('listitem', { name: 'ops-project' })
    await expect.element(ops).toMatchTextContent('Updated 12 s ago, next in 31 s')
    await expect.element(ops).toMatchTextContent(/Last error \d\d:\d\d: .*\(502\)/)
    await expect
      .element(page.getByText('Green: all 2 accounts were updated within their interval.'))
      .toBeVisible()
    withState({
      ...eg.state(),
      boards: new Map([
        [
          eg.opsId,
          eg.board(checks, { freshness: { ...freshness, failure, failedAt: eg.now - eg.hour } }),
        ],
      ]),
    })
    await expect.element(ops).toMatchTextContent(/Failing since \d\d:\d\d/)
    await expect
      .element(page.getByText(/^ops-project unreachable since \d\d:\d\d\.$/))
      .toBeVisible()
  })

  describe('with a long list that comes uncompressed', () => {
    const wire = { bytes: 9_300_000 }
    const seen = (
      change: Partial<Board>,
      wholeReadMinutes?: number,
      freshness: Partial<Freshness> = {},
    ) =>
      withState({
        ...eg.state(),
        accounts: [eg.account({ ...(wholeReadMinutes === undefined ? {} : { wholeReadMinutes }) })],
        boards: new Map([
          [
            eg.opsId,
            eg.board([eg.check()], { ...change, freshness: { ...eg.fresh, ...freshness } }),
          ],
        ]),
      })
    const ops = () => page.getByRole('listitem', { name: 'ops-project' })
    const option = () =>
      page.getByRole('switch', { name: 'Ask only for the counts between two lists' })

    test('are offered to ask for the counts, with what that saves', async () => {
      const bridge = withBridge()
      seen({})
      mount(<AccountList />)
      await expect.element(ops()).toBeVisible()
      await expect.element(option()).not.toBeInTheDocument()
      seen({ wire })
      await expect.element(option()).not.toBeChecked()
      const help = document.getElementById(
        option().element().getAttribute('aria-describedby') ?? '',
      )
      expect(help?.textContent).toMatch(/is 9\.3 MB and comes uncompressed: 13 GB a day/)
      expect(help?.textContent).toMatch(
        /every 10 min and whenever the counts change, it is 1\.3 GB/,
      )
      await option().click()
      expect(bridge.inputsOf('setWholeReads')).toEqual([{ accountId: eg.opsId, minutes: 10 }])
    })

    test('say within what time a swap is seen, and let that be chosen', async () => {
      const bridge = withBridge()
      seen({ wire }, 5)
      mount(<AccountList />)
      await expect.element(option()).toBeChecked()
      await expect.element(ops()).toMatchTextContent('2.7 GB a day while the counts stay the same')
      await expect
        .element(ops())
        .toMatchTextContent(
          /is seen within 1 min, as before\. A swap, .*, is seen within 5 min; .* the key was revoked\. .* is told within 15 min\./,
        )
      const every = page.getByRole('combobox', { name: 'Read the whole list every' })
      await expect.element(every).toHaveValue('5')
      await every.selectOptions('30 min')
      expect(bridge.inputsOf('setWholeReads')).toEqual([{ accountId: eg.opsId, minutes: 30 }])
      seen({ wire }, 7)
      await expect.element(every).toHaveValue('7')
      await option().click()
      expect(bridge.inputsOf('setWholeReads')).toHaveLength(2)
      expect(bridge.inputsOf('setWholeReads')[1]).toEqual({ accountId: eg.opsId, minutes: null })
    })

    test('say what is known by the list, and what by its counts', async () => {
      withBridge()
      seen({ wire }, 10, { readAt: eg.now - 6 * eg.minute, seenAt: eg.now - 12_000 })
      mount(<AccountList />)
      await expect.element(ops()).toMatchTextContent(/Counts the same 12 s ago, list read \d\d:19/)
      await expect
        .element(page.getByText(/^Green: .*, ops-project by its counts, its list at \d\d:19\.$/))
        .toBeVisible()
    })

    test.each([
      ['unread', 'the badge could not be read'],
      ['differs', 'the badge counted something else'],
      ['busy', 'the counts changed at each'],
      ['odd', 'some of its checks could not be read'],
      ['owed', 'too many checks reported several times'],
    ] as const)('say that the badge was given up: %s', async (why, words) => {
      withBridge()
      seen({ wire: { ...wire, givenUp: { why, until: eg.now + eg.hour } } }, 10)
      mount(<AccountList />)
      await expect
        .element(page.getByText(/^The whole list is read each time, for now: /))
        .toMatchTextContent(new RegExp(`${words}.*tries the badge again at \\d\\d:25`))
    })
  })

  test('have no tick next to checks that are down', async () => {
    withBridge()
    withState(eg.state())
    mount(<AccountList />)
    const ops = page.getByRole('listitem', { name: 'ops-project' })
    await expect.element(ops).toMatchTextContent('1 down · 1 late')
    expect(ops.element().querySelector('.shape-up')).toBeNull()
    expect(ops.element().querySelector('.shape-down')).not.toBeNull()
  })

  test('are removed at a press of a button; main asks first', async () => {
    const bridge = withBridge()
    withState(eg.state())
    onTestFinished(dismissToast)
    mount(<AccountList />)
    const chat = page.getByRole('listitem', { name: 'Example' })
    await chat.getByRole('button', { name: 'Remove' }).click()
    await expect.poll(() => shownToast.value?.text).toBe('Removed Example.')
    expect(bridge.inputsOf('removeAccount')).toEqual([{ accountId: eg.chatId }])
  })

  test('say if the account is gone but its key could not be deleted', async () => {
    const words = 'The account was removed, but its key could not be deleted from the disk yet.'
    withBridge({
      // In main, too, the account is removed first.
      removeAccount: async () => {
        appState.value = { ...appState.value, accounts: [eg.account()] }
        await expect.element(chat).not.toBeInTheDocument()
        return failed({ kind: 'invalid', field: 'disk', message: words })
      },
    })
    withState(eg.state())
    onTestFinished(dismissToast)
    mount(<AccountList />)
    const chat = page.getByRole('listitem', { name: 'Example' })
    await chat.getByRole('button', { name: 'Remove' }).click()
    await expect.poll(() => shownToast.value?.text).toBe(words)
  })

  test('are renamed', async () => {
    const bridge = withBridge()
    withState(eg.state())
    mount(<AccountList />)
    await page.getByRole('button', { name: 'Rename' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name' }).fill(' night jobs ')
    await userEvent.keyboard('{Enter}')
    await expect
      .poll(() => bridge.inputsOf('renameAccount'))
      .toEqual([{ accountId: eg.opsId, label: 'night jobs' }])
  })

  test.each([
    ['leaves the dialog that was opened since alone', true],
    ['is said in the window if it failed', false],
  ])('are renamed, which %s', async (_what, works) => {
    const { promise, resolve } = Promise.withResolvers()
    withBridge({ renameAccount: () => promise })
    withState(eg.state())
    onTestFinished(dismissToast)
    mount(<AccountList />)
    await page.getByRole('button', { name: 'Rename' }).first().click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('night jobs')
    await userEvent.keyboard('{Enter}{Escape}')
    await page.getByRole('button', { name: 'Rename' }).nth(1).click()
    const question = page.getByRole('dialog', { name: 'Rename Example' })
    await expect.element(question).toBeVisible()
    resolve(works ? undefined : failed({ kind: 'invalid', field: 'label', message: 'In use.' }))
    if (!works) await expect.poll(() => shownToast.value?.text).toMatch(/^Rename .*: In use\.$/)
    // The answer has arrived once another call's has.
    await window.bridge.call('hideWindow', {})
    await new Promise(requestAnimationFrame)
    await expect.element(question).toBeVisible()
  })

  test('get a new key, which is cleared here once it works', async () => {
    const bridge = withBridge({ replaceKey: () => report })
    withState(eg.state())
    mount(<ReplaceKey accountId={eg.opsId} />)
    const field = page.getByLabelText('New API key', { exact: true })
    await field.fill(` ${key}`)
    await page.getByRole('button', { name: 'Replace key' }).click()
    await expect.element(field).toHaveValue('')
    expect(bridge.inputsOf('replaceKey')).toEqual([{ accountId: eg.opsId, key }])
  })

  test('get a new key without moving back a user who went elsewhere meanwhile', async () => {
    const { promise, resolve } = Promise.withResolvers()
    const bridge = withBridge({ replaceKey: () => promise })
    withState(eg.state())
    mount(<ReplaceKey accountId={eg.opsId} />)
    const field = page.getByLabelText('New API key', { exact: true })
    await field.fill(key)
    await page.getByRole('button', { name: 'Replace key' }).click()
    go({ view: 'chat' })
    resolve(report)
    await expect.element(field).toHaveValue('')
    expect(place.value.view).toBe('chat')
    expect(bridge.inputsOf('hideWindow')).toEqual([])
  })
})

describe('the storage of keys', () => {
  const without = (change: Partial<AppState> = {}): AppState => ({
    ...eg.state(),
    environment: { ...eg.state().environment, protection: 'session' },
    ...change,
  })
  const consent = () => page.getByRole('checkbox', { name: /Store keys on disk anyway/ })

  test('isn’t mentioned if there is a keyring', async () => {
    withBridge()
    withState({ ...eg.state(), environment: { ...eg.state().environment, protection: 'os' } })
    mount(<AccountList />)
    await expect.element(page.getByRole('button', { name: 'Rename' }).first()).toBeVisible()
    await expect.element(consent()).not.toBeInTheDocument()
  })

  test('is explained if there is no keyring, with a plain request for consent to use the disk', async () => {
    const bridge = withBridge()
    withState(without())
    mount(<AccountList />)
    const part = page.getByRole('region', { name: 'How keys are kept' })
    await expect
      .element(part)
      .toMatchTextContent('This computer has no keyring. Keys are kept until Belfry quits.')
    await expect.element(consent()).not.toBeChecked()
    await expect
      .element(consent())
      .toHaveAccessibleName(/readable by every program that runs as you/)
    await consent().click()
    expect(bridge.inputsOf('allowWeakStorage')).toEqual([{ allowed: true }])
  })

  test('shows the consent while it stands, even with a keyring, and lets the user withdraw it there', async () => {
    const bridge = withBridge()
    const { settings, environment } = eg.state()
    withState({
      ...eg.state(),
      environment: { ...environment, protection: 'os' },
      settings: { ...settings, weakStorage: true },
      accounts: [eg.account({ protection: 'weak' })],
    })
    mount(<AccountList />)
    await expect
      .element(page.getByRole('listitem', { name: 'ops-project' }))
      .toMatchTextContent('key on disk without protection')
    await consent().click()
    expect(bridge.inputsOf('allowWeakStorage')).toEqual([{ allowed: false }])
  })

  test('offers another try at once if the keyring is locked', async () => {
    const bridge = withBridge()
    withState({ ...eg.state(), accounts: [eg.account({ key: 'locked' })] })
    mount(<AccountList />)
    const ops = page.getByRole('listitem', { name: 'ops-project' })
    await expect.element(ops).toMatchTextContent('The keyring is locked')
    await ops.getByRole('button', { name: 'Try now' }).click()
    expect(bridge.inputsOf('refresh')).toEqual([{ accountId: eg.opsId }])
  })

  test('names the keyring a key was saved with if that isn’t there now', async () => {
    withBridge()
    const keyLoss = { why: 'otherKeyring', savedWith: 'gnome_libsecret' } as const
    withState({ ...eg.state(), accounts: [eg.account({ key: 'missing', keyLoss })] })
    mount(<AccountList />)
    await expect
      .element(page.getByRole('listitem', { name: 'ops-project' }))
      .toMatchTextContent('saved with another keyring (gnome-libsecret)')
  })
})
