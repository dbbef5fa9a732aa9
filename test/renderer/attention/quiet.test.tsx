import { describe, expect, onTestFinished, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { readDependency } from '#shared/core/attention/dependencies/dependency-line.ts'
import type { Silence } from '#shared/core/attention/silence.ts'
import type { AppState } from '#shared/core/state.ts'
import { QuietDialog } from '../../../src/renderer/attention/quiet-dialog.tsx'
import { asking, SilenceList } from '../../../src/renderer/attention/quiet-menu.tsx'
import { activeKey, filterText, folds, scroll } from '../../../src/renderer/board/board-state.ts'
import { Board } from '../../../src/renderer/board/check-board.tsx'
import { CheckDetail } from '../../../src/renderer/board/check-detail.tsx'
import { ChatList } from '../../../src/renderer/chat/chat-list.tsx'
import { dismissToast, shownToast, takeOffer } from '../../../src/renderer/toast.ts'
import { appState } from '../../../src/renderer/window-state.ts'
import * as eg from '../../support/eg.ts'
import { type FakeBridge, failed, mount, withBridge, withState } from '../mount.ts'

const down = eg.check({ id: 'd'.repeat(40), name: 'db-backup', status: 'down', tags: ['prod'] })
const alsoDown = eg.check({ name: 'zone-transfer', status: 'down', tags: ['prod'] })
const well = eg.check({ name: 'cert-renew', tags: ['web'] })
const scope = { of: 'check', accountId: eg.opsId, checkId: down.id } as const

function silence(change: Partial<Silence> = {}): Silence {
  return {
    id: 's1',
    how: 'snooze',
    scope,
    until: { kind: 'time', at: eg.now + eg.hour },
    since: eg.now - 2 * eg.minute,
    by: null,
    label: 'db-backup',
    status: 'down',
    messageId: null,
    ...change,
  }
}

function withChecks(change: Partial<AppState> = {}): AppState {
  return {
    ...eg.state(),
    boards: new Map([[eg.opsId, eg.board([down, alsoDown, well])]]),
    ...change,
  }
}

function bridge(): FakeBridge {
  return withBridge({
    silence: (input) => {
      const { scope: asked } = input as { scope: { checks?: unknown[] } }
      return { id: 'new', reacted: asked.checks?.length ?? 1 }
    },
    // An empty history of the check.
    run: () => ({ flips: [], pings: [], channels: [] }),
  })
}

function showBoard(state: AppState) {
  withState(state)
  onTestFinished(() => {
    filterText.value = ''
    folds.value = new Map()
    activeKey.value = null
    asking.value = null
    scroll.top = 0
    dismissToast()
  })
  return mount(
    <div style={{ width: '420px', height: '560px' }}>
      <Board />
      <QuietDialog />
    </div>,
  )
}

const names = () => [...document.querySelectorAll('.check-name')].map((one) => one.textContent)
const list = () => page.getByRole('tree', { name: 'Checks' })

describe('a quiet check on the board', () => {
  test('is dimmed, says why and until when, and is sorted after the others of its status', async () => {
    bridge()
    const board = showBoard(withChecks({ silences: [silence()] }))
    await expect.element(list()).toBeVisible()
    expect(names()).toEqual(['zone-transfer', 'db-backup', 'cert-renew'])
    const row = board.getByRole('treeitem', { name: /db-backup/ })
    await expect.element(row).toMatchTextContent(/snoozed until \d\d:25/)
    const line = row.element().querySelector('.check-line')
    expect(line?.classList).toContain('is-quiet')
    expect(row.element().querySelector('.quiet-mark .icon')).not.toBeNull()
  })

  test.each([
    ['Ana', 'acknowledged by Ana 2 min ago'],
    [null, 'acknowledged 2 min ago'],
  ])('that %s acknowledged says who did and when', async (by, words) => {
    bridge()
    const state = withChecks({
      silences: [silence({ how: 'acknowledge', by, until: { kind: 'change' } })],
    })
    const board = showBoard(state)
    await expect
      .element(board.getByRole('treeitem', { name: /db-backup/ }))
      .toMatchTextContent(words)
  })

  test('that is quiet through its tag names that tag', async () => {
    bridge()
    const state = withChecks({
      silences: [silence({ scope: { of: 'tag', tag: 'web' }, label: '#web' })],
    })
    const board = showBoard(state)
    await list().click()
    await expect
      .element(board.getByRole('treeitem', { name: /cert-renew/ }))
      .toMatchTextContent('snoozed with #web until')
  })
})

describe('the keys on the board', () => {
  test('acknowledge one problem after the other, and the same key undoes each', async () => {
    const calls = bridge()
    const own = silence({ how: 'acknowledge', until: { kind: 'change' } })
    showBoard(withChecks())
    await expect.element(list()).toHaveFocus()
    await userEvent.keyboard('aa')
    await expect
      .poll(() => calls.inputsOf('silence'))
      .toMatchObject([
        { how: 'acknowledge', scope: { checkId: down.id } },
        { how: 'acknowledge', scope: { checkId: alsoDown.id } },
      ])
    appState.value = { ...appState.value, silences: [own] }
    const row = page.getByRole('treeitem', { name: /db-backup/ })
    await row.hover()
    await expect
      .element(page.getByRole('button', { name: 'Unacknowledge db-backup (key: a)' }))
      .toBeVisible()
    activeKey.value = `${eg.opsId}/${down.id}`
    await userEvent.keyboard('a')
    await expect.poll(() => calls.inputsOf('endSilence')).toEqual([{ ids: ['s1'] }])
  })

  test('snooze with s and a digit, and Undo ends the snooze', async () => {
    const calls = bridge()
    showBoard(withChecks())
    await expect.element(list()).toHaveFocus()
    await userEvent.keyboard('s')
    await expect.element(page.getByRole('dialog', { name: 'Snooze db-backup' })).toBeVisible()
    await userEvent.keyboard('2')
    expect(calls.inputsOf('silence')).toEqual([
      { how: 'snooze', scope, until: { kind: 'time', at: eg.now + eg.hour } },
    ])
    await expect.poll(() => shownToast.value?.text).toMatch(/^Snoozed db-backup until \d\d:25\.$/)
    await expect.element(list()).toHaveFocus()
    expect(takeOffer()).toBe(true)
    await expect.poll(() => calls.inputsOf('undoSilence')).toEqual([{ id: 'new' }])
    await expect.poll(() => shownToast.value?.text).toBe('Undone.')
  })

  test('acknowledge and tell others with A, but do nothing on a check that is up', async () => {
    const calls = bridge()
    showBoard(withChecks())
    await expect.element(list()).toHaveFocus()
    await userEvent.keyboard('A')
    await expect.poll(() => shownToast.value?.text).toContain('Others see your 👀')
    expect(calls.inputsOf('silence')).toEqual([
      { how: 'acknowledge', scope, until: { kind: 'change' }, tellOthers: true },
    ])
    await userEvent.keyboard('jja')
    await expect
      .poll(() => shownToast.value?.text)
      .toBe('cert-renew is up: there is nothing to acknowledge.')
    expect(calls.inputsOf('silence')).toHaveLength(1)
  })

  test('snooze a whole project or tag with s, and acknowledge what is down there with a', async () => {
    const calls = bridge()
    showBoard(withChecks())
    await expect.element(list()).toHaveFocus()
    await userEvent.keyboard('{Home}a')
    await expect.poll(() => shownToast.value?.text).toBe('Acknowledged 2 checks in ops-project.')
    takeOffer()
    await expect.poll(() => calls.inputsOf('undoSilence')).toHaveLength(1)
    await userEvent.keyboard('A')
    await expect
      .poll(() => shownToast.value?.text)
      .toBe('Acknowledged 2 checks in ops-project. Others see your 👀 in the chat.')
    expect(calls.inputsOf('silence')).toMatchObject(
      [false, true].map((tellOthers) => ({ tellOthers, scope: { checks: [{}, {}] } })),
    )
    // As fast as an experienced user types.
    await userEvent.keyboard('s1')
    await expect.poll(() => calls.inputsOf('silence')).toHaveLength(3)
    expect(calls.inputsOf('silence')[2]).toMatchObject({
      scope: { of: 'project', accountId: eg.opsId },
    })
    appState.value = { ...withChecks(), settings: { ...eg.state().settings, groupBy: 'tag' } }
    activeKey.value = 'tag/prod'
    await userEvent.keyboard('s')
    await expect.element(page.getByRole('dialog', { name: 'Snooze #prod' })).toBeVisible()
    // A tag has no status that could change.
    expect(page.getByRole('button', { name: /Until it changes/ }).elements()).toEqual([])
  })
})

describe('the snooze dialog', () => {
  test('is navigated by arrows, closed by Esc, and accepts a date', async () => {
    const calls = bridge()
    showBoard(withChecks())
    await expect.element(list()).toHaveFocus()
    await userEvent.keyboard('s')
    await expect.element(page.getByRole('button', { name: /For 30 min/ })).toHaveFocus()
    await userEvent.keyboard('{ArrowUp}')
    await expect.element(page.getByRole('button', { name: /Until it changes/ })).toHaveFocus()
    await userEvent.keyboard('{Escape}')
    expect(asking.value).toBeNull()
    await userEvent.keyboard('s')
    const date = page.getByLabelText('Until', { exact: true })
    await date.fill('2020-01-01T09:00')
    await page.getByRole('button', { name: 'Set' }).click()
    await expect.element(page.getByText('That is not in the future.')).toBeVisible()
    await date.fill('2026-04-01T09:30')
    await page.getByRole('button', { name: 'Set' }).click()
    expect(calls.inputsOf('silence')).toMatchObject([
      { until: { kind: 'time', at: new Date('2026-04-01T09:30').getTime() } },
    ])
  })
})

describe('the list of silences', () => {
  test('unfolds, ends one or all, and undoes that', async () => {
    const calls = bridge()
    const tag = silence({ id: 's2', scope: { of: 'tag', tag: 'web' }, label: '#web' })
    withState(withChecks({ silences: [silence(), tag] }))
    onTestFinished(dismissToast)
    mount(<SilenceList />)
    await page.getByRole('button', { name: '2 silenced: db-backup and #web' }).click()
    await page.getByRole('button', { name: 'Unsnooze: #web' }).click()
    expect(calls.inputsOf('endSilence')).toEqual([{ ids: ['s2'] }])
    await expect.poll(() => shownToast.value?.text).toBe('#web can notify you again.')
    takeOffer()
    await expect.poll(() => calls.inputsOf('restoreSilence')).toEqual([{ ids: ['s2'] }])
    await page.getByRole('button', { name: 'Unsnooze all' }).click()
    await expect
      .poll(() => calls.inputsOf('endSilence'))
      .toEqual([{ ids: ['s2'] }, { ids: ['s1', 's2'] }])
  })

  test('names the first of many', async () => {
    bridge()
    const many = Array.from({ length: 200 }, (_, n) => silence({ id: `s${n}`, label: `job-${n}` }))
    withState(withChecks({ silences: many }))
    mount(<SilenceList />)
    const name = /^200 silenced: job-0, .* job-7,? and 192 more$/
    await expect.element(page.getByRole('button', { name })).toBeVisible()
  })

  test('is hidden while nothing is silenced, and leaves do not disturb to its own place', () => {
    bridge()
    const disturb = silence({ how: 'mute', scope: { of: 'everything' }, label: 'Do not disturb' })
    withState(withChecks({ silences: [disturb] }))
    const shown = mount(<SilenceList />)
    expect(shown.element().textContent).toBe('')
  })
})

describe('a very narrow window', () => {
  test('shows what is silenced, and until when', async () => {
    const before = { width: window.innerWidth, height: window.innerHeight }
    await page.viewport(180, 640)
    onTestFinished(() => page.viewport(before.width, before.height))
    bridge()
    withState(withChecks({ silences: [silence({ label: 'db-backup-of-the-second-site' })] }))
    const shown = mount(<SilenceList />)
    await page.getByRole('button', { name: /^1 silenced/ }).click()
    const width = (one: string) => shown.element().querySelector(one)?.getBoundingClientRect().width
    expect(width('.silences-list .silence-label')).toBeGreaterThan(80)
    expect(width('.silences-list .quiet-mark')).toBeGreaterThan(80)
    const end = page
      .getByRole('button', { name: /^Unsnooze: / })
      .element()
      .getBoundingClientRect()
    expect(end.right).toBeLessThanOrEqual(180)
  })

  test('shows the whole dialog, and why a row is quiet', async () => {
    const before = { width: window.innerWidth, height: window.innerHeight }
    await page.viewport(280, 640)
    onTestFinished(() => page.viewport(before.width, before.height))
    bridge()
    const shown = showBoard(withChecks({ silences: [silence()] }))
    await expect.poll(() => shown.element().querySelector('.quiet-mark .icon')).toBeTruthy()
    const icon = shown.element().querySelector('.check-line-trouble .quiet-mark .icon')
    expect(icon?.getBoundingClientRect().width).toBeGreaterThan(0)
    asking.value = { scope, name: 'db-backup' }
    const dialog = page.getByRole('dialog', { name: 'Snooze db-backup' })
    await expect.element(dialog).toBeVisible()
    const { scrollWidth, clientWidth } = dialog.element()
    expect(scrollWidth).toBe(clientWidth)
  })
})

describe('the page of a check', () => {
  test('offers the opposite in the place of the verb for what the user has done', async () => {
    const calls = bridge()
    withState(withChecks({ silences: [silence()] }))
    onTestFinished(dismissToast)
    mount(<CheckDetail accountId={eg.opsId} checkId={down.id} />)
    await expect.element(page.getByText(/^snoozed until/)).toBeVisible()
    expect(page.getByRole('button', { name: 'Snooze', exact: true }).elements()).toEqual([])
    await page.getByRole('button', { name: 'Unsnooze' }).click()
    await expect.poll(() => calls.inputsOf('endSilence')).toEqual([{ ids: ['s1'] }])
  })

  test('shows what silences it until when, and tells others if there is a message they can see', async () => {
    const calls = bridge()
    const outage = {
      projectId: eg.opsId,
      checkId: down.id,
      accountId: eg.chatId,
      messageId: 7,
      seen: [],
    }
    const ana = silence({ how: 'acknowledge', by: 'Ana', until: { kind: 'change' } })
    withState(withChecks({ silences: [ana], outageMessages: [outage] }))
    onTestFinished(dismissToast)
    mount(
      <div style={{ width: '420px', height: '620px' }}>
        <CheckDetail accountId={eg.opsId} checkId={down.id} />
      </div>,
    )
    await expect.element(page.getByText('acknowledged by Ana 2 min ago')).toBeVisible()
    await page.getByRole('button', { name: 'Acknowledge' }).click()
    await page.getByRole('menuitem', { name: /tell others/ }).click()
    expect(calls.inputsOf('silence')).toMatchObject([{ tellOthers: true }])
    await page.getByRole('button', { name: 'Unacknowledge: db-backup' }).click()
    expect(calls.inputsOf('endSilence')).toEqual([{ ids: ['s1'] }])
  })
})

describe('a conversation that is muted in Belfry', () => {
  test('says so in the list, where s ends it, and else asks for how long', async () => {
    const calls = bridge()
    const message = eg.message({ flags: ['read'] })
    const state = eg.state({ realms: new Map([[eg.chatId, eg.realm([message])]]) })
    const muted = silence({
      how: 'mute',
      scope: { of: 'conversation', accountId: eg.chatId, key: message.key },
      until: { kind: 'answer' },
    })
    withState({ ...state, silences: [muted] })
    onTestFinished(() => {
      asking.value = null
    })
    mount(
      <div style={{ width: '420px', height: '560px' }}>
        <ChatList />
        <QuietDialog />
      </div>,
    )
    await expect.element(page.getByText('muted until someone answers')).toBeVisible()
    document.querySelector<HTMLElement>('.chat-row')?.focus()
    await userEvent.keyboard('s')
    await expect.poll(() => calls.inputsOf('endSilence')).toEqual([{ ids: ['s1'] }])
    appState.value = { ...appState.value, silences: [] }
    await userEvent.keyboard('s')
    await expect.element(page.getByRole('dialog', { name: /^Mute / })).toBeVisible()
    await expect
      .element(page.getByText(/Only in Belfry: the chat itself, .* is not muted/))
      .toBeVisible()
  })
})

describe('a maintenance', () => {
  const rule = { id: 'r', accountId: null, checkId: null, tag: 'prod', chatId: eg.chatId }
  const linked = () => {
    const discuss = [{ ...rule, channelId: 10, topic: 'work' }]
    return withChecks({
      accounts: [eg.account(), eg.chatAccount()],
      realms: new Map([[eg.chatId, eg.realm()]]),
      settings: { ...eg.state().settings, discuss },
    })
  }

  test('is started by m and Enter, for the tag of the row', async () => {
    const calls = bridge()
    showBoard(withChecks())
    await expect.element(list()).toHaveFocus()
    await userEvent.keyboard('m')
    await expect.element(page.getByLabelText('What')).toHaveValue('#prod')
    await expect.element(page.getByText(/^2 checks will be silent/)).toBeVisible()
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByText(/^Maintenance of #prod until/)).not.toBeInTheDocument()
    const asked = { how: 'maintenance', scope: { of: 'tag', tag: 'prod' }, reason: '' }
    expect(calls.inputsOf('silence')).toMatchObject([asked])
    expect(shownToast.value?.text).toMatch(/^Maintenance of #prod until/)
  })

  test('that is refused leaves the dialog as typed, with the reason', async () => {
    const calls = withBridge({ silence: () => failed({ kind: 'serverFault', httpStatus: 500 }) })
    showBoard(withChecks())
    await expect.element(list()).toHaveFocus()
    await userEvent.keyboard('m')
    await page.getByLabelText('What').fill('#prod for 45 min')
    await expect.element(page.getByText(/^Enter silences 2 checks until/)).toBeVisible()
    await userEvent.keyboard('{Tab}reindexing{Enter}')
    await expect.element(page.getByRole('dialog').getByText(/internal error/)).toBeVisible()
    await expect.element(page.getByLabelText('What')).toHaveValue('#prod for 45 min')
    await expect.element(page.getByLabelText('Reason')).toHaveValue('reindexing')
    expect(calls.inputsOf('silence')).toHaveLength(1)
    await userEvent.keyboard('{Escape}')
  })

  test('accepts a typed length, explains what is wrong with it, and is announced in the chat on request', async () => {
    const calls = bridge()
    showBoard(linked())
    await expect.element(list()).toHaveFocus()
    await userEvent.keyboard('m')
    await page.getByLabelText('What').fill('#nothing')
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByText('No check is tagged #nothing.')).toBeVisible()
    expect(calls.inputsOf('silence')).toEqual([])
    await page.getByLabelText('What').fill('#prod')
    await page.getByLabelText('Reason').fill('reindexing')
    await page.getByRole('checkbox', { name: /Announce it in # \S+ › work/ }).click()
    // Letters are a time, wherever the focus is outside of the fields.
    await userEvent.keyboard('in 2 h{Enter}')
    await expect.poll(() => calls.inputsOf('sendMessage')).toHaveLength(1)
    expect(calls.inputsOf('silence')).toMatchObject([{ reason: 'reindexing' }])
    const conversation = { kind: 'topic', channelId: 10, topic: 'work' }
    expect(calls.inputsOf('sendMessage')).toMatchObject([{ accountId: eg.chatId, conversation }])
    expect(JSON.stringify(calls.inputsOf('sendMessage'))).toMatch(
      /Maintenance of `#prod` until <time:[^>]+>: reindexing"/,
    )
  })

  test('is planned by a line with days and times, listed, and removed', async () => {
    const plan = {
      id: 'p1',
      label: '#web',
      scope: { of: 'tag', tag: 'web' },
      reason: 'patching',
      when: { of: 'weekly', days: [2], from: '22:00', to: '23:00', zone: 'Asia/Tokyo' },
      // It was ended early, and doesn’t begin again because it was removed and is back.
      lastUntil: 1,
    } as const
    const calls = withBridge({
      planMaintenance: () => ({ id: 'p2' }),
      cancelPlanned: () => undefined,
    })
    showBoard(withChecks({ planned: [plan] }))
    await expect.element(list()).toHaveFocus()
    await userEvent.keyboard('m')
    const shown = page.getByRole('region', { name: 'Planned' })
    await expect
      .element(shown.getByText(/^every Tuesday 22:00–23:00 \(Asia\/Tokyo\), next .*: patching$/))
      .toBeVisible()
    await page.getByLabelText('What').fill('#prod every sunday 2:00 for 30 h')
    await userEvent.keyboard('{Enter}')
    await expect
      .element(page.getByText('What is repeated can last at most 24 hours.'))
      .toBeVisible()
    await page.getByLabelText('What').fill('#prod every sunday 2:00 for 2 h in tokyo')
    await expect.element(page.getByText(/^Enter plans it for 2 checks: every Sunday/)).toBeVisible()
    await page.getByLabelText('Reason').fill('reindexing')
    await userEvent.keyboard('{Enter}')
    const when = { of: 'weekly', days: [0], from: '02:00', to: '04:00', zone: 'Asia/Tokyo' }
    const scope = { of: 'tag', tag: 'prod' }
    await expect
      .poll(() => calls.inputsOf('planMaintenance'))
      .toEqual([{ scope, when, reason: 'reindexing' }])
    await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
    await userEvent.keyboard('m')
    await page.getByRole('button', { name: 'Remove: #web' }).click()
    expect(calls.inputsOf('cancelPlanned')).toEqual([{ id: 'p1' }])
    takeOffer()
    const { id: _id, label: _label, ...again } = plan
    await expect.poll(() => calls.inputsOf('planMaintenance').slice(1)).toEqual([again])
    await userEvent.keyboard('{Escape}')
  })
})

describe('a note on an acknowledgement', () => {
  const own = silence({ how: 'acknowledge', until: { kind: 'change' }, reason: 'first look' })
  const showPage = (noteSilence: () => unknown = () => undefined) => {
    const calls = withBridge({ noteSilence, run: () => ({ flips: [], pings: [], channels: [] }) })
    withState(withChecks({ silences: [own] }))
    onTestFinished(dismissToast)
    mount(
      <>
        <CheckDetail accountId={eg.opsId} checkId={down.id} />
        <QuietDialog />
      </>,
    )
    return calls
  }
  const field = () => page.getByRole('textbox', { name: 'Note' })

  test('stands where the check says that it is acknowledged, and is changed there, and back', async () => {
    const calls = showPage()
    await expect.element(page.getByText('acknowledged 2 min ago: first look')).toBeVisible()
    await page.getByRole('button', { name: 'Edit note…' }).click()
    await expect.element(field()).toHaveValue('first look')
    await field().fill(' looking at the disk ')
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
    expect(shownToast.value?.text).toBe('Noted on db-backup.')
    takeOffer()
    await expect
      .poll(() => calls.inputsOf('noteSilence'))
      .toEqual([
        { id: 's1', note: 'looking at the disk' },
        { id: 's1', note: 'first look' },
      ])
  })

  test('that is too long or comes too late stays in its field, with the reason', async () => {
    const calls = showPage(() => failed({ kind: 'invalid', field: 'note', message: 'It is over.' }))
    await page.getByRole('button', { name: 'Edit note…' }).click()
    await field().fill('x'.repeat(201))
    await userEvent.keyboard('{Enter}')
    await expect
      .element(page.getByText('The note is too long: 200 characters at most.'))
      .toBeVisible()
    expect(calls.inputsOf('noteSilence')).toEqual([])
    await field().fill('looking')
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByText('It is over.')).toBeVisible()
    await expect.element(field()).toHaveValue('looking')
    await userEvent.keyboard('{Escape}')
  })
})

describe('a check that depends on another', () => {
  const on = { accountId: eg.opsId, checkId: alsoDown.id }
  const dependency = {
    ...{ id: 'x1', scope, label: 'db-backup', on, onLabel: 'zone-transfer' },
    ...{ out: true, overAt: 0 },
  } as const

  test('says so on its row', async () => {
    showBoard(withChecks({ dependencies: [dependency] }))
    await expect.element(page.getByText('because zone-transfer is down').first()).toBeVisible()
  })

  test('says so on its page, where that can be ended, and undone', async () => {
    const calls = withBridge({
      removeDependency: () => undefined,
      addDependency: () => ({ id: 'x2' }),
      run: () => ({ flips: [], pings: [], channels: [] }),
    })
    withState(withChecks({ dependencies: [dependency] }))
    mount(<CheckDetail accountId={eg.opsId} checkId={down.id} />)
    await expect.element(page.getByText('Quiet because zone-transfer is down')).toBeVisible()
    await page.getByRole('button', { name: 'Remove: db-backup depends on zone-transfer' }).click()
    await expect.poll(() => calls.inputsOf('removeDependency')).toEqual([{ id: 'x1' }])
    takeOffer()
    await expect.poll(() => calls.inputsOf('addDependency')).toEqual([{ scope, on }])
    dismissToast()
  })

  test.each([
    ['db-backup depends on zone-transfer', 'db-backup'],
    ['hang #prod on Zone-Transfer', '#prod'],
    ['db-backup on zone-transfer', undefined],
    ['db-backup depends on nothing', undefined],
  ])('is typed as “%s”', (text, name) => {
    const line = readDependency(text, withChecks())
    expect(line?.name).toBe(name)
    if (name !== undefined) expect(line).toMatchObject({ on, onName: 'zone-transfer' })
  })
})
