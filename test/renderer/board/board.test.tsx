import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Check, CheckStatus } from '#shared/core/checks/check.ts'
import type { AppState } from '#shared/core/state.ts'
import { activeKey, filterText, folds, scroll } from '../../../src/renderer/board/board-state.ts'
import {
  announcement,
  followChanges,
  followLooks,
} from '../../../src/renderer/board/changed-checks.ts'
import { Board } from '../../../src/renderer/board/check-board.tsx'
import { followRowStrips } from '../../../src/renderer/board/row-strips.tsx'
import { dismissToast, shownToast } from '../../../src/renderer/toast.ts'
import { appState, now, place, visible } from '../../../src/renderer/window-state.ts'
import * as eg from '../../support/eg.ts'
import { failed, mount, withBridge, withState } from '../mount.ts'

function show(state: AppState) {
  withState(state)
  onTestFinished(() => {
    filterText.value = ''
    folds.value = new Map()
    activeKey.value = null
    scroll.top = 0
    dismissToast()
  })
  return mount(
    <div style={{ width: '420px', height: '560px' }}>
      <Board />
    </div>,
  )
}

function withChecks(checks: readonly Check[], state: AppState = eg.state()): AppState {
  return { ...state, boards: new Map([[eg.opsId, eg.board(checks)]]) }
}

function shownNames(): string[] {
  return [...document.querySelectorAll('.check-name')].map((name) => name.textContent)
}

const list = () => page.getByRole('tree', { name: 'Checks' })

describe('the board', () => {
  test('shows the state of each check by shape and words, worst first', async () => {
    withBridge()
    const board = show(eg.state())
    await expect.element(list()).toBeVisible()
    expect(shownNames()).toEqual(['db-backup', 'report-mailer', 'cert-renew'])
    const down = board.getByRole('treeitem', { name: /db-backup/ })
    await expect.element(down).toMatchTextContent('down for 2 h 13 min')
    await expect.element(down).toMatchTextContent('#prod #db')
    await expect.element(down).toMatchTextContent(/No ping since \S+; expected \S+/)
    await expect
      .element(board.getByRole('treeitem', { name: /ops-project/ }))
      .toMatchTextContent('1 down · 1 late')
  })

  test('isolates the text direction of each tag, whatever control characters it has', async () => {
    withBridge()
    show(
      withChecks([
        eg.check({ name: 'mirror', tags: ['prod', 'גיבוי', 'e\u2069\u202elive', 'db'] }),
      ]),
    )
    await expect.element(list()).toBeVisible()
    expect(document.querySelector('.check-tags')?.textContent).toBe(
      '#prod \u2068#גיבוי\u2069 \u2068#elive\u2069 #db',
    )
  })

  test('is operated by keyboard: down to a check, Enter opens it', async () => {
    withBridge()
    show(eg.state())
    await expect.element(list()).toHaveFocus()
    await userEvent.keyboard('j')
    const active = document.querySelector('[aria-selected="true"]')
    expect(active?.textContent).toContain('report-mailer')
    expect(list().element().getAttribute('aria-activedescendant')).toBe(active?.id)
    await userEvent.keyboard('{ArrowUp}{Enter}')
    expect(place.value).toMatchObject({ view: 'check', accountId: eg.opsId })
  })

  test('offers a row’s actions while the mouse is over it', async () => {
    withBridge()
    const board = show(eg.state())
    const snooze = board.getByRole('button', { name: /^Snooze/ })
    await expect.element(snooze).not.toBeInTheDocument()
    await userEvent.hover(board.getByRole('treeitem', { name: /db-backup/ }))
    await expect.element(snooze).toHaveAccessibleName('Snooze db-backup (key: s)')
    await userEvent.hover(board.getByRole('searchbox', { name: 'Filter checks' }))
    await expect.element(snooze).not.toBeInTheDocument()
  })

  test('moves and covers nothing that is read while the mouse is over it', async () => {
    withBridge()
    const down = eg.check({ status: 'down', name: 'db-backup' })
    const board = show(withChecks([down]))
    for (const [row, parts] of [
      [board.getByRole('treeitem', { name: /db-backup/ }), ['.check-status', '.check-facts']],
      [board.getByRole('treeitem', { name: /^ops-project/ }), ['.group-counts']],
    ] as const) {
      await userEvent.hover(board.getByRole('searchbox', { name: 'Filter checks' }))
      const boxes = () =>
        parts.map((part) => row.element().querySelector(part)!.getBoundingClientRect())
      const before = boxes()
      await userEvent.hover(row)
      await expect.element(board.getByRole('button', { name: /^Acknowledge/ })).toBeVisible()
      expect(boxes()).toEqual(before)
      const buttons = row.element().querySelector('.row-actions')!.getBoundingClientRect()
      for (const { right, top } of boxes())
        expect(right <= buttons.left || top >= buttons.bottom - 1).toBe(true)
    }
  })

  test('filters by a whole tag as soon as one has exactly that name', async () => {
    withBridge()
    const tagged = ['db', 'db-old'].map((tag) => eg.check({ id: tag, name: tag, tags: [tag] }))
    show(withChecks(tagged))
    for (const [text, names] of [
      ['#d', ['db', 'db-old']],
      ['#db', ['db']],
      ['#db-o', ['db-old']],
    ] as const) {
      filterText.value = text
      await expect.poll(shownNames).toEqual(names)
    }
  })

  test('filters while the user types, and shows all again at Esc', async () => {
    withBridge()
    show(eg.state())
    await expect.element(list()).toHaveFocus()
    await userEvent.keyboard('/')
    await expect.element(page.getByRole('searchbox', { name: 'Filter checks' })).toHaveFocus()
    await userEvent.keyboard('is:late')
    await expect.element(page.getByText('1 of 3')).toBeVisible()
    expect(shownNames()).toEqual(['report-mailer'])
    await userEvent.keyboard('{Escape}')
    await expect.element(list()).toHaveFocus()
    expect(shownNames()).toHaveLength(3)
  })

  test('says if nothing matches, and if a status doesn’t exist', async () => {
    withBridge()
    show(eg.state())
    filterText.value = 'is:broken'
    await expect.element(page.getByText('None of 3 checks match')).toBeVisible()
    await expect.element(page.getByText(/no status “broken”/)).toBeVisible()
    await page.getByRole('button', { name: 'Clear the filter' }).click()
    await expect.element(list()).toBeVisible()
  })

  test('shows a project’s counts in full however long its name is, and long tags, too', async () => {
    withBridge()
    const name = 'W'.repeat(60)
    const checks = [eg.check({ status: 'down', tags: [name] }), eg.check({ status: 'grace' })]
    const other = eg.account({ id: 'web', label: 'web' })
    const accounts = [eg.account({ label: name }), other]
    show(withChecks(checks, eg.state({ accounts })))
    const counts = page.getByText('1 down · 1 late').element()
    expect(counts.scrollWidth).toBeLessThanOrEqual(counts.clientWidth)
    await expect.element(page.getByTitle(name)).toBeVisible()
    await userEvent.keyboard('/')
    await userEvent.keyboard('#W')
    const end = page.getByRole('button', { name: /^#W/ })
    await expect.element(end).toBeVisible()
    expect(end.element().scrollWidth).toBeLessThanOrEqual(end.element().clientWidth)
  })

  test('completes a word with Tab, and says which tag doesn’t exist', async () => {
    withBridge()
    show(eg.state())
    await userEvent.keyboard('/')
    await userEvent.keyboard('#pr')
    await expect.element(page.getByRole('button', { name: /^#prod/ })).toBeVisible()
    await userEvent.keyboard('{Tab}')
    const filter = page.getByRole('searchbox', { name: 'Filter checks' })
    await expect.element(filter).toHaveValue('#prod')
    await expect.element(filter).toHaveFocus()
    await userEvent.keyboard('x')
    await expect.element(page.getByText('No check is tagged #prodx.')).toBeVisible()
  })

  test('opens a saved view by its key: three projects at a glance', async () => {
    const calls = withBridge()
    const ids = ['ops', 'web', 'mail', 'other']
    const view = { name: 'Mine', key: '2', groupBy: 'status', sortBy: 'name' } as const
    const filter = 'project:ops project:web project:mail'
    const { settings } = eg.state()
    show({
      ...eg.state(),
      accounts: ids.map((id) => eg.account({ id, label: `${id}-project` })),
      boards: new Map(
        ids.map((id) => {
          const check = eg.check({ name: `job of ${id}`, status: 'down' })
          return [id, eg.board([check], { accountId: id })]
        }),
      ),
      settings: { ...settings, views: [{ ...view, filter }] },
    })
    await expect.element(list()).toHaveFocus()
    await userEvent.keyboard('2')
    await expect.element(page.getByText('3 of 4')).toBeVisible()
    expect(shownNames().sort()).toEqual(['job of mail', 'job of ops', 'job of web'])
    expect(calls.inputsOf('updateSettings')).toEqual([{ groupBy: 'status', sortBy: 'name' }])
  })

  test('saves the current view under a name and a free key', async () => {
    const calls = withBridge()
    show(eg.state())
    filterText.value = '#prod'
    await page.getByRole('button', { name: 'View' }).click()
    await page.getByRole('menuitem', { name: 'Save this view…' }).click()
    await page.getByLabelText('Name').fill('Production')
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => shownToast.value?.text).toContain('press 1 on the board')
    const view = { name: 'Production', key: '1', filter: '#prod', groupBy: 'project' }
    expect(calls.inputsOf('updateSettings')).toMatchObject([{ views: [view] }])
  })

  test('says in the dialog why a view could not be saved, and keeps its name', async () => {
    withBridge({
      updateSettings: () => failed({ kind: 'invalid', field: 'views', message: 'Too many views.' }),
    })
    show(eg.state())
    await page.getByRole('button', { name: 'View' }).click()
    await page.getByRole('menuitem', { name: 'Save this view…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabelText('Name').fill('Production')
    await userEvent.keyboard('{Enter}')
    await expect.element(dialog.getByText('Too many views.')).toBeVisible()
    await expect.element(dialog.getByLabelText('Name')).toHaveValue('Production')
    expect(shownToast.value).toBeNull()
  })

  test('restores a removed view', async () => {
    const calls = withBridge({ updateSettings: () => ({}) })
    const view = (key: '1' | '2', filter: string) =>
      ({ name: `View ${key}`, key, filter, groupBy: 'tag', sortBy: 'name' }) as const
    const [first, second] = [view('1', '#prod'), view('2', '#staging')]
    const settings = { ...eg.state().settings, groupBy: first.groupBy, sortBy: first.sortBy }
    show({ ...eg.state(), settings: { ...settings, views: [first, second] } })
    filterText.value = first.filter
    await page.getByRole('button', { name: 'View' }).click()
    await page.getByRole('menuitem', { name: 'Remove “View 1”' }).click()
    await expect.poll(() => shownToast.value?.text).toBe('Removed “View 1”.')
    appState.value = { ...appState.value, settings: { ...settings, views: [second] } }
    shownToast.value?.action?.act()
    await expect
      .poll(() => calls.inputsOf('updateSettings'))
      .toEqual([{ views: [second] }, { views: [first, second] }])
  })

  test('folds and unfolds a project whose checks are all up', async () => {
    withBridge()
    const web = eg.account({ id: 'web', label: 'web-project' })
    const state = eg.state()
    show({
      ...state,
      accounts: [...state.accounts, web],
      boards: new Map([...state.boards, ['web', eg.board([eg.check({ name: 'quiet' })])]]),
    })
    const head = page.getByRole('treeitem', { name: /web-project/ })
    await expect.element(head).toHaveAttribute('aria-expanded', 'false')
    expect(shownNames()).not.toContain('quiet')
    await head.click()
    await expect.element(head).toHaveAttribute('aria-expanded', 'true')
    expect(shownNames()).toContain('quiet')
  })

  test('never shows old data as good news', async () => {
    withBridge()
    const old = { ...eg.fresh, readAt: eg.now - eg.hour }
    show({
      ...eg.state(),
      boards: new Map([
        [eg.opsId, eg.board([eg.check({ name: 'cert-renew' })], { freshness: old })],
      ]),
    })
    const row = page.getByRole('treeitem', { name: /cert-renew/ })
    await expect.element(row).toMatchTextContent('was up')
    expect(row.element().querySelector('.shape-up')).toBeNull()
    expect(row.element().querySelector('.shape-stale')).not.toBeNull()
    await expect
      .element(page.getByRole('treeitem', { name: /ops-project/ }))
      .toMatchTextContent('was 1 up')
  })

  test('leads from a rejected key to the form that replaces it', async () => {
    withBridge()
    show({ ...eg.state(), accounts: [eg.account({ key: 'rejected' })] })
    await page.getByRole('treeitem', { name: /rejected the key/ }).click()
    expect(place.value).toEqual({ view: 'replaceKey', accountId: eg.opsId })
  })

  test('pauses with p and says how the pause ends', async () => {
    const bridge = withBridge()
    const check = eg.check({ name: 'db-backup', status: 'down' })
    show(withChecks([check]))
    await expect.element(list()).toHaveFocus()
    await userEvent.keyboard('p')
    await expect
      .poll(() => shownToast.value)
      .toEqual({ tone: 'done', text: 'Paused db-backup. The next ping ends the pause.' })
    expect(bridge.inputsOf('run')).toEqual([
      { accountId: eg.opsId, operation: 'pauseCheck', params: { uuid: check.id } },
    ])
  })

  test('says that a check is no longer paused if the service answers so', async () => {
    withBridge({
      run: () => failed({ kind: 'refused', httpStatus: 409, code: '', message: '' }),
    })
    show(withChecks([eg.check({ name: 'mirror', status: 'paused' })]))
    await expect.element(list()).toHaveFocus()
    await userEvent.keyboard('p')
    await expect
      .poll(() => shownToast.value?.text)
      .toBe('mirror is no longer paused: there is nothing to resume.')
  })

  test('refuses p, with the reason, if the key can only read', async () => {
    const bridge = withBridge()
    const state = withChecks([eg.check({ writable: false })])
    show({ ...state, accounts: [eg.account({ keyKind: 'readOnly' })] })
    await expect.element(list()).toHaveFocus()
    await userEvent.keyboard('p')
    expect(shownToast.value?.text).toContain('can only read')
    expect(bridge.inputsOf('run')).toEqual([])
  })

  test('offers in the menus of a row and of several no change that the key can’t make', async () => {
    withBridge()
    const checks = [eg.check({ writable: false })]
    const menus = async (keyKind: 'readOnly' | 'readWrite') => {
      appState.value = { ...withChecks(checks), accounts: [eg.account({ keyKind })] }
      await userEvent.click(page.getByRole('treeitem').last(), { button: 'right' })
      const items = page.getByRole('menuitem')
      await expect.element(items.first()).toBeVisible()
      const ofRow = items.elements().map((one) => one.textContent)
      await userEvent.keyboard('{Escape}{Control>}a{/Control}')
      const bar = page.getByRole('region', { name: 'Selected checks' })
      await bar.getByRole('button', { name: 'More for the selected checks' }).click()
      const ofSeveral = [...bar.getByRole('button').elements(), ...items.elements()]
      const all = [...ofRow, ...ofSeveral.map((one) => one.textContent)]
      await userEvent.keyboard('{Escape}{Escape}')
      return all.filter((one) => /Pause|Resume|Edit|Delete|Add|Remove/.test(one))
    }
    show({ ...withChecks(checks), accounts: [eg.account({ keyKind: 'readOnly' })] })
    expect(await menus('readOnly')).toEqual([])
    checks[0] = eg.check()
    expect((await menus('readWrite')).length).toBeGreaterThan(6)
  })
})

describe('a board of 10,000 checks', () => {
  const many = Array.from({ length: 10_000 }, (_, index) => eg.check({ name: `job ${index}` }))

  test('is drawn by the first frame, only the visible rows, with the keyboard on the worst', async () => {
    withBridge()
    show(withChecks(many))
    // Rendering continues in microtasks, with no frame in between.
    for (let n = 0; n < 10; n += 1) await Promise.resolve()
    const height = document.querySelector('.virtual-list')?.clientHeight ?? 0
    const rows = [...document.querySelectorAll('[role=treeitem]')]
    expect(rows).toHaveLength(Math.floor(height / 32) + 1)
    expect(document.activeElement?.getAttribute('aria-activedescendant')).toBe(rows[1]?.id)
    expect(rows[1]?.getAttribute('aria-selected')).toBe('true')
  })

  test('draws only the visible rows, and reaches the last with one key', async () => {
    withBridge()
    show(withChecks(many))
    await expect.element(list()).toHaveFocus()
    expect(shownNames().length).toBeLessThan(60)
    await userEvent.keyboard('{End}')
    await expect.element(page.getByText('job 9999', { exact: true })).toBeVisible()
    expect(shownNames().length).toBeLessThan(60)
  })

  test('keeps its scroll position when a check far below goes down, flashes that and announces it', async () => {
    withBridge()
    show(withChecks(many))
    onTestFinished(followChanges())
    const box = list().element()
    // Taking the focus, one frame later, scrolls to the first row.
    await expect.poll(() => activeKey.value).not.toBeNull()
    box.scrollTop = 5_000
    await expect.element(page.getByText('job 160', { exact: true })).toBeVisible()
    const before = page.getByText('job 160', { exact: true }).element().getBoundingClientRect().top
    const changed = many.map((check) =>
      check.name === 'job 9000' ? { ...check, status: 'down' as const } : check,
    )
    appState.value = withChecks(changed)
    await expect.poll(() => announcement.value).toBe('job 9000 is down')
    const after = page.getByText('job 160', { exact: true })
    await expect.poll(() => after.element().getBoundingClientRect().top).toBeCloseTo(before, 0)
    expect(box.scrollTop).toBeGreaterThan(5_000)
    box.scrollTop = 0
    await expect.element(page.getByText('job 9000', { exact: true })).toBeVisible()
    const flashing = document.querySelector('.row-flash')!
    expect(flashing.textContent).toContain('job 9000')
    expect(getComputedStyle(flashing).backgroundColor).not.toBe('rgba(0, 0, 0, 0)')
    // Each frame of an animated background is drawn anew: it is still for as long as it is lit.
    const [fade] = flashing.getAnimations()
    expect(fade?.effect?.getTiming()).toMatchObject({ delay: 1_300, duration: 300 })
  })

  test('has its rows in DOM order once scrolling stops, wherever the user scrolled to', async () => {
    withBridge()
    show(withChecks(many))
    await expect.poll(() => activeKey.value).not.toBeNull()
    for (const top of [400, 900, 20_000, 19_700]) {
      list().element().scrollTop = top
      await expect
        .poll(() => shownNames().some((name) => name === `job ${Math.floor(top / 32)}`))
        .toBe(true)
    }
    const inOrder = () => {
      const shown = shownNames().map((name) => Number(name.replace('job ', '')))
      return shown.every((number, at) => number === (shown[0] ?? 0) + at)
    }
    await expect.poll(inOrder).toBe(true)
    const places = [...document.querySelectorAll('.board-row')].map(({ id }) => id)
    expect(new Set(places).size).toBe(places.length)
  })

  test.each([
    ['Home', '{Home}', 0],
    ['the arrow up on the first row', '{ArrowUp}', 0],
  ])('leads back to the active row by %s after scrolling away', async (_what, key, top) => {
    withBridge()
    show(withChecks(many))
    list().element().focus()
    await userEvent.keyboard('{Home}')
    await expect.element(page.getByText('job 1', { exact: true })).toBeVisible()
    list().element().scrollTop = 90_000
    await expect.element(page.getByText('job 2815', { exact: true })).toBeVisible()
    await userEvent.keyboard(key)
    await expect.poll(() => list().element().scrollTop).toBe(top)
    const active = list().element().getAttribute('aria-activedescendant') ?? ''
    expect(document.getElementById(active)).not.toBeNull()
  })

  test('updates the rows just outside the view, too', async () => {
    withBridge()
    show(withChecks(many))
    const beyond = page.getByRole('treeitem', { name: /job 25 / })
    await expect.element(beyond).toMatchTextContent('up')
    appState.value = withChecks(
      many.map((check) => (check.name === 'job 25' ? { ...check, tags: ['moved'] } : check)),
    )
    await expect.element(beyond).toMatchTextContent('#moved')
  })

  test('shows the same rows in the next frame when hundreds far below go down', async () => {
    withBridge()
    show(withChecks(many))
    await expect.poll(() => activeKey.value).not.toBeNull()
    list().element().scrollTop = 5_000
    await expect.element(page.getByText('job 160', { exact: true })).toBeVisible()
    const { left, top } = list().element().getBoundingClientRect()
    const seen = () =>
      document.elementFromPoint(left + 60, top + 300)?.closest('.board-row')?.textContent
    const before = seen()
    expect(before).toMatch(/^job 16/)
    appState.value = withChecks(
      many.map((check, at) => (at >= 9_000 ? { ...check, status: 'down' as const } : check)),
    )
    await new Promise((resolve) => requestAnimationFrame(resolve))
    expect(seen()).toBe(before)
  })

  test('flashes nothing if half of it changes at once, and announces how many', async () => {
    withBridge()
    show(withChecks(many))
    onTestFinished(followChanges())
    const changed = many.map((check, at) =>
      at % 2 === 0 ? { ...check, status: 'down' as const } : check,
    )
    appState.value = withChecks(changed)
    await expect.poll(() => announcement.value).toBe('5,000 checks changed')
    await expect.element(page.getByText('job 2', { exact: true })).toBeVisible()
    await expect.element(page.getByRole('treeitem', { name: /job 0 .*down/ })).toBeVisible()
    expect(document.querySelector('.row-flash')).toBeNull()
  })
})

describe('a check that is paused from the board', () => {
  test('moves, and stays selected and visible', async () => {
    withBridge({ run: () => ({}) })
    const down = Array.from({ length: 60 }, (_, at) =>
      eg.check({ id: `c${at}`, name: `job ${at}`, status: 'down' }),
    )
    show(withChecks(down))
    await expect.poll(() => activeKey.value).toBe(`${eg.opsId}/c0`)
    await userEvent.keyboard('p')
    appState.value = withChecks(
      down.map((check) => (check.id === 'c0' ? { ...check, status: 'paused' } : check)),
    )
    const row = page.getByRole('treeitem', { name: /job 0 / })
    await expect.element(row).toHaveAttribute('aria-selected', 'true')
    const box = () => list().element().getBoundingClientRect()
    await expect
      .poll(() => row.element().getBoundingClientRect().bottom <= box().bottom + 1)
      .toBe(true)
    expect(row.element().getBoundingClientRect().top).toBeGreaterThanOrEqual(box().top)
  })
})

test('rows show the last week, read one at a time while the board is visible', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const iso = (hoursAgo: number) => new Date(eg.now - hoursAgo * eg.hour).toISOString()
  const checks = ['a', 'b'].map((name) => eg.check({ name, id: `strip ${name}` }))
  const bridge = withBridge({
    run: () => ({
      flips: [
        { timestamp: iso(30), up: 1 },
        { timestamp: iso(34), up: 0 },
        { timestamp: iso(900), up: 1 },
      ],
    }),
  })
  const asked = () => bridge.inputsOf('run').map((input) => (input as { params: unknown }).params)
  show(withChecks(checks))
  onTestFinished(followRowStrips())
  const strips = () =>
    [...document.querySelectorAll('.row-strip')].map((strip) =>
      [...strip.children].map((part) => part.classList.value.replace('row-strip-', '')).join(' '),
    )
  await expect.poll(strips).toEqual(['', ''])
  vi.advanceTimersByTime(3_000)
  await expect.poll(strips).toEqual(['up unsure up', ''])
  vi.advanceTimersByTime(3_000)
  await expect.poll(strips).toEqual(['up unsure up', 'up unsure up'])
  vi.advanceTimersByTime(60_000)
  expect(asked()).toEqual([{ id: 'strip a' }, { id: 'strip b' }])
  appState.value = withChecks(
    checks.map((check) => (check.name === 'b' ? { ...check, status: 'down' } : check)),
  )
  await expect.element(page.getByRole('treeitem', { name: /b down/ })).toBeVisible()
  visible.value = false
  vi.advanceTimersByTime(60_000)
  expect(asked()).toHaveLength(2)
  visible.value = true
  vi.advanceTimersByTime(3_000)
  await expect.poll(() => asked()[2]).toEqual({ id: 'strip b' })
})

test('a week that could not be read is read again after a minute', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const lost = { kind: 'network', reason: 'offline', host: 'x', reached: 'no' } as const
  const answers: unknown[] = [failed(lost), { flips: [] }]
  const bridge = withBridge({ run: () => answers.shift() })
  show(withChecks([eg.check({ name: 'c', id: 'strip c' })]))
  onTestFinished(followRowStrips())
  const asked = () => bridge.inputsOf('run').length
  await expect.poll(() => document.querySelectorAll('.row-strip').length).toBe(1)
  vi.advanceTimersByTime(3_000)
  await expect.poll(asked).toBe(1)
  expect(document.querySelector('.row-strip')?.childElementCount).toBe(0)
  vi.advanceTimersByTime(30_000)
  expect(asked()).toBe(1)
  vi.advanceTimersByTime(36_000)
  await expect.poll(() => document.querySelector('.row-strip-up')).not.toBeNull()
  expect(asked()).toBe(2)
})

test('the board marks only what changed after an earlier window or run was left', async () => {
  withBridge()
  const seenAt = Date.now() - 3_600_000
  const check = (name: string, since: number | null) => eg.check({ name, since, status: 'down' })
  const offsetMs = 600_000
  const checks = [
    check('after', seenAt + offsetMs + 1),
    check('before', seenAt + offsetMs - 1),
    check('at some time', null),
  ]
  const state = withChecks(checks)
  const board = { ...state.boards.get(eg.opsId)!, serverOffsetMs: offsetMs }
  const boards = new Map([[eg.opsId, board]])
  const settings = { ...state.settings, boardSeenAt: null as number | null }
  show({ ...state, boards, settings })
  const marked = () => document.querySelectorAll('.changed-mark').length
  await expect.element(page.getByRole('treeitem', { name: /^after/ })).toBeVisible()
  expect(marked()).toBe(0)
  appState.value = { ...appState.value, settings: { ...settings, boardSeenAt: seenAt } }
  await expect
    .element(page.getByRole('treeitem', { name: /after changed since you last looked/ }))
    .toBeVisible()
  expect(marked()).toBe(1)
})

// Must be last: it advances the clock, and what it changed keeps flashing until then.
test('the board marks what changed while nobody looked, until someone has looked for two seconds', async () => {
  const bridge = withBridge()
  const checks = [0, 1, 2].map((n) => eg.check({ name: `job ${n}` }))
  show(withChecks(checks))
  let laterMs = 0
  const real = performance.now.bind(performance)
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => real() + laterMs)
  onTestFinished(() => clock.mockRestore())
  onTestFinished(followLooks())
  onTestFinished(followChanges())
  const lookAway = (afterMs: number): void => {
    laterMs += afterMs
    visible.value = false
  }
  const lookAgain = (): void => {
    visible.value = true
  }
  const marked = () =>
    [...document.querySelectorAll('.changed-mark')].map(
      (mark) => mark.closest('.check-main')?.querySelector('.check-name')?.textContent,
    )
  const turn = (name: string, status: CheckStatus) => {
    const boards = appState.value.boards.get(eg.opsId)?.checks.values() ?? []
    appState.value = withChecks(
      [...boards].map((check) => (check.name === name ? { ...check, status } : check)),
    )
  }
  lookAway(3_000)
  expect(bridge.inputsOf('updateSettings')).toEqual([{ boardSeenAt: now.peek() }])
  turn('job 1', 'down')
  lookAgain()
  await expect.poll(marked).toEqual(['job 1'])
  await expect
    .element(page.getByRole('treeitem', { name: /job 1 changed since you last looked/ }))
    .toBeVisible()
  lookAway(500)
  lookAgain()
  await expect.poll(marked).toEqual(['job 1'])
  laterMs += 3_000
  // This change happens while the user is looking.
  turn('job 2', 'down')
  await expect.element(page.getByText('job 2', { exact: true })).toBeVisible()
  expect(marked()).toEqual(['job 1'])
  lookAway(0)
  turn('job 1', 'up')
  turn('job 1', 'down')
  lookAgain()
  await expect.poll(marked).toEqual([])
})
