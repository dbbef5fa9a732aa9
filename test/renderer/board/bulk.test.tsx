import { expect, onTestFinished, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { checkSubject } from '#shared/core/attention/event.ts'
import { type Silence, silenceOfMany } from '#shared/core/attention/silence.ts'
import type { Failure } from '#shared/core/failure.ts'
import { QuietDialog } from '../../../src/renderer/attention/quiet-dialog.tsx'
import { asking } from '../../../src/renderer/attention/quiet-menu.tsx'
import { activeKey, filterText, folds, scroll } from '../../../src/renderer/board/board-state.ts'
import {
  bulkActions,
  bulkAsk,
  chosen,
  clearSelection,
  startWork,
  work,
} from '../../../src/renderer/board/bulk-work.ts'
import { Board } from '../../../src/renderer/board/check-board.tsx'
import { isInputHeld } from '../../../src/renderer/held-input.ts'
import { dismissToast, shownToast } from '../../../src/renderer/toast.ts'
import { appState, now } from '../../../src/renderer/window-state.ts'
import { silence } from '../../support/attention-eg.ts'
import * as eg from '../../support/eg.ts'
import { type Answers, failed, mount, withBridge, withState } from '../mount.ts'

const names = ['alpha', 'beta', 'gamma', 'delta']
const checks = names.map((name, n) =>
  eg.check({ id: `${n}`.repeat(40), name, status: 'down', tags: ['prod'] }),
)
const lost: Failure = { kind: 'network', reason: 'timeout', host: 'x', reached: 'maybe' }

/** `asked` has each `run`, as in "pauseCheck alpha"; `answers` has replies by the same key. */
function shown(answers: Readonly<Record<string, unknown>> = {}, more: Answers = {}) {
  const asked: string[] = []
  const bridge = withBridge({
    changeWait: () => 0,
    silence: () => ({ id: crypto.randomUUID(), reacted: 0 }),
    run: (input) => {
      const { operation, params } = input as {
        operation: string
        params: { uuid?: string; id?: string }
      }
      const id = params.uuid ?? params.id
      const what = `${operation} ${checks.find((one) => one.id === id)?.name ?? ''}`.trim()
      asked.push(what)
      return answers[what] ?? {}
    },
    ...more,
  })
  withState({ ...eg.state(), boards: new Map([[eg.opsId, eg.board(checks)]]) })
  onTestFinished(() => {
    filterText.value = ''
    folds.value = new Map()
    activeKey.value = null
    asking.value = null
    bulkAsk.value = null
    work.value = null
    clearSelection()
    scroll.top = 0
    dismissToast()
  })
  mount(
    <div style={{ width: '420px', height: '100vh' }}>
      <Board />
      <QuietDialog />
    </div>,
  )
  return { asked, bridge }
}

const list = () => page.getByRole('tree', { name: 'Checks' })
const row = (name: string) => page.getByRole('treeitem', { name: new RegExp(name) })
const bar = () => page.getByRole('region', { name: 'Selected checks' })

test('several checks are selected by Ctrl, Shift, keys and Ctrl+A, and deselected by Esc', async () => {
  shown()
  await row('beta').click({ modifiers: ['Control'] })
  await expect.element(bar()).toMatchTextContent('1 selected')
  const actions = row('beta').element().querySelector('.row-actions')
  const [fill, rowFill] = [actions!, row('beta').element()].map(
    (element) => getComputedStyle(element).backgroundColor,
  )
  expect(fill, 'behind the buttons of the row').toBe(rowFill)
  await row('gamma').click({ modifiers: ['Shift'] })
  await expect.element(bar()).toMatchTextContent(/[23] selected/)
  await expect.element(row('beta')).toHaveAttribute('aria-selected', 'true')
  await expect.element(row('gamma')).toHaveAttribute('aria-selected', 'true')
  await userEvent.keyboard('{Control>}a{/Control}')
  await expect.element(bar()).toMatchTextContent('4 selected')
  await userEvent.keyboard('{Escape}')
  await expect.element(bar()).not.toBeInTheDocument()
  await expect.element(list()).toHaveFocus()
  await userEvent.keyboard('{Home}{Shift>}{ArrowDown}{ArrowDown}{/Shift}')
  await expect.element(bar()).toMatchTextContent(/[23] selected/)
  await userEvent.keyboard('{Escape}x')
  await expect.element(bar()).toMatchTextContent('1 selected')
})

test('one check is pinned by right-click, several by a key, and Esc closes the menu', async () => {
  const { bridge } = shown()
  await row('gamma').click({ button: 'right' })
  const menu = page.getByRole('menu', { name: 'gamma' })
  await menu.getByRole('menuitem', { name: /^Pin gamma/ }).click()
  const pinned = (name: string) => ({
    accountId: eg.opsId,
    checkId: checks.find((one) => one.name === name)!.id,
  })
  expect(bridge.inputsOf('updateSettings')).toEqual([{ pins: [pinned('gamma')] }])
  const { settings } = appState.value
  appState.value = { ...appState.value, settings: { ...settings, pins: [pinned('gamma')] } }
  await expect.poll(() => document.querySelector('.check-name')?.textContent).toBe('gamma')
  await row('beta').click({ button: 'right' })
  await userEvent.keyboard('{Escape}')
  await expect.element(list()).toHaveFocus()
  await userEvent.keyboard('{Control>}a{/Control}f')
  const [, several] = bridge.inputsOf('updateSettings') as { pins: unknown[] }[]
  expect(several?.pins).toHaveLength(4)
  await row('gamma').click({ button: 'right' })
  await expect.element(page.getByRole('menu', { name: 'Selected checks' })).toBeVisible()
})

test('p pauses the selection, one request each, and reports each result', async () => {
  const { asked } = shown({
    'pauseCheck beta': failed({ kind: 'refused', httpStatus: 403, code: '', message: 'no' }),
    'pauseCheck gamma': failed(lost),
    'getCheck gamma': { status: 'paused', tags: '', channels: '' },
  })
  await list().click()
  await userEvent.keyboard('{Control>}a{/Control}p')
  const work = page.getByRole('region', { name: 'Several checks' })
  await expect.element(work).toMatchTextContent('Paused: 3 of 4 checks, 1 failed')
  expect(asked.filter((one) => one.startsWith('pauseCheck')).sort()).toEqual(
    names.map((name) => `pauseCheck ${name}`).sort(),
  )
  // The window must keep this while it is hidden.
  expect(isInputHeld()).toBe(true)
  await work.getByRole('button', { name: 'Details' }).click()
  await expect.element(work.getByText(/^beta:/)).toMatchTextContent(/no/)
  await expect.element(work.getByText(/^gamma:/)).toMatchTextContent('paused')
  await work.getByRole('button', { name: 'Retry the rest' }).click()
  await expect.element(work).toMatchTextContent('Paused: 0 of 1 check, 1 failed')
  expect(asked.filter((one) => one === 'pauseCheck beta')).toHaveLength(2)
  await work.getByRole('button', { name: 'Dismiss' }).click()
  await expect.element(bar()).not.toBeInTheDocument()
  expect(isInputHeld()).toBe(false)
})

/** Adds #db to all checks. */
async function tagAll(): Promise<void> {
  await list().click()
  await userEvent.keyboard('{Control>}a{/Control}')
  await page.getByRole('button', { name: 'More for the selected checks' }).click()
  await page.getByRole('menuitem', { name: 'Add a tag…' }).click()
  await page.getByRole('dialog', { name: 'Add a tag' }).getByRole('combobox').fill('#db')
  await userEvent.keyboard('{Enter}')
}

test('one undo takes back what was changed, and only that', async () => {
  const { asked } = shown({
    'getCheck alpha': { status: 'up', tags: 'db', channels: '' },
    ...Object.fromEntries(
      names.slice(1).map((name) => [`getCheck ${name}`, { status: 'up', tags: '' }]),
    ),
  })
  await tagAll()
  await expect.poll(() => shownToast.value?.text).toBe('Added #db: 3 of 4 checks, 1 unchanged.')
  asked.splice(0)
  shownToast.value?.action?.act()
  await expect.poll(() => shownToast.value?.text).toBe('Removed #db: 0 of 3 checks, 3 unchanged.')
  expect(asked).toEqual(['getCheck beta', 'getCheck gamma', 'getCheck delta'])
})

test('a change that had to wait, or went wrong, stays to be read, with its undo', async () => {
  const { asked } = shown({ 'pauseCheck beta': failed(lost) }, { changeWait: () => 2 })
  await list().click()
  await userEvent.keyboard('{Control>}a{/Control}p')
  const work = page.getByRole('region', { name: 'Several checks' })
  await expect.element(work).toMatchTextContent('Paused: 3 of 4 checks, 1 failed')
  asked.splice(0)
  await work.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => shownToast.value?.text).toMatch(/^Resumed: .* of 3 checks/)
  expect(asked.filter((one) => one.endsWith('beta'))).toEqual([])
})

test('the key hints stay while something is selected, even after a change', async () => {
  shown()
  await list().click()
  await userEvent.keyboard('{Control>}a{/Control}p')
  await expect.poll(() => shownToast.value?.text).toBe('Paused: 4 of 4 checks.')
  await expect.element(bar()).toMatchTextContent('4 selected')
  await userEvent.keyboard('{Escape}')
  await expect.element(bar()).not.toBeInTheDocument()
  await userEvent.keyboard('x')
  await expect.element(bar()).toMatchTextContent('1 selected')
})

test('a check that has left the board meanwhile is reported when the rest is retried', async () => {
  const no = failed({ kind: 'refused', httpStatus: 403, code: '', message: 'no' })
  const { asked } = shown({ 'pauseCheck beta': no, 'pauseCheck gamma': no })
  await list().click()
  await userEvent.keyboard('{Control>}a{/Control}p')
  const work = page.getByRole('region', { name: 'Several checks' })
  await expect.element(work).toMatchTextContent('Paused: 2 of 4 checks, 2 failed')
  const without = (...gone: string[]) => {
    const left = checks.filter(({ name }) => !gone.includes(name))
    appState.value = { ...appState.value, boards: new Map([[eg.opsId, eg.board(left)]]) }
  }
  without('gamma')
  await work.getByRole('button', { name: 'Retry the rest' }).click()
  await expect
    .element(work)
    .toMatchTextContent('Paused: 0 of 2 checks, 1 failed, 1 no longer there')
  expect(asked.filter((one) => one === 'pauseCheck gamma')).toHaveLength(1)
  await work.getByRole('button', { name: 'Details' }).click()
  await expect.element(work.getByText(/^gamma:/)).toMatchTextContent('It no longer exists.')
  without('beta', 'gamma')
  await work.getByRole('button', { name: 'Retry the rest' }).click()
  await expect.element(work).toMatchTextContent('Paused: 0 of 2 checks, 2 no longer there')
  expect(work.getByRole('button', { name: 'Retry the rest' }).elements()).toEqual([])
})

test('a server’s rate limit is obeyed, and Stop ends the wait at once', async () => {
  const busy = failed({ kind: 'rateLimited', retryAfterMs: 2 * eg.hour })
  const { asked } = shown(Object.fromEntries(names.map((name) => [`pauseCheck ${name}`, busy])))
  now.value = Date.now()
  await list().click()
  await userEvent.keyboard('{Control>}a{/Control}p')
  const work = page.getByRole('region', { name: 'Several checks' })
  await expect.element(work).toMatchTextContent('Pausing: 0 of 4 · next in 2 h (rate limit)')
  await work.getByRole('button', { name: 'Stop' }).click()
  await expect.element(work).toMatchTextContent('Paused: 0 of 4 checks, 1 failed, 3 not tried')
  expect(asked).toHaveLength(1)
  await work.getByRole('button', { name: 'Details' }).click()
  await expect.element(work).toMatchTextContent(/Try again in 2 h/)
})

test('a server’s rate limit ends on time, even if the computer slept meanwhile', async () => {
  const busy = failed({ kind: 'rateLimited', retryAfterMs: 2 * eg.hour })
  const answers: Record<string, unknown> = { 'pauseCheck alpha': busy }
  shown(answers)
  now.value = Date.now()
  await list().click()
  await userEvent.keyboard('{Control>}a{/Control}p')
  const work = page.getByRole('region', { name: 'Several checks' })
  await expect.element(work).toMatchTextContent(/next in 2 h/)
  answers['pauseCheck alpha'] = {}
  now.value = Date.now() + 2 * eg.hour
  await expect.element(work).toMatchTextContent('Paused: 4 of 4 checks')
})

test('p pressed again during a bulk pause sends nothing again, and resumes nothing', async () => {
  let answer = (): void => undefined
  const answered = new Promise<unknown>((resolve) => {
    answer = () => resolve({})
  })
  const { asked } = shown({ 'pauseCheck delta': answered })
  await list().click()
  await userEvent.keyboard('{Control>}a{/Control}p')
  await expect.poll(() => asked).toContain('pauseCheck delta')
  await userEvent.keyboard('pp')
  await expect.poll(() => shownToast.value?.text).toMatch(/wait until this one is done/)
  answer()
  await expect.poll(() => shownToast.value?.text).toBe('Paused: 4 of 4 checks.')
  expect([...asked].sort()).toEqual(names.map((name) => `pauseCheck ${name}`).sort())
})

test('more than twenty checks are paused only after a confirmation, and resumed without one', async () => {
  const { asked } = shown()
  const many = (status: 'down' | 'paused', count: number) => {
    const board = Array.from({ length: count }, (_, n) =>
      eg.check({ id: `${n}`.padStart(36, '0'), name: `job ${n}`, status }),
    )
    appState.value = { ...appState.value, boards: new Map([[eg.opsId, eg.board(board)]]) }
  }
  many('down', 21)
  await list().click()
  await userEvent.keyboard('{Control>}a{/Control}p')
  const question = page.getByRole('dialog', { name: 'Pause 21 checks?' })
  await expect.element(question).toMatchTextContent(/You selected job 0.* 16 more\./)
  await userEvent.keyboard('{Escape}')
  await expect.element(question).not.toBeInTheDocument()
  expect(asked).toEqual([])
  await userEvent.keyboard('p')
  await question.getByRole('button', { name: 'Pause' }).click()
  await expect.poll(() => shownToast.value?.text).toBe('Paused: 21 of 21 checks.')
  many('paused', 21)
  await userEvent.keyboard('p')
  await expect.poll(() => shownToast.value?.text).toBe('Resumed: 21 of 21 checks.')
  many('down', 20)
  await userEvent.keyboard('p')
  await expect.poll(() => shownToast.value?.text).toBe('Paused: 20 of 20 checks.')
})

test('deleting several requires typing their number, and sends nothing before', async () => {
  const { asked } = shown()
  await list().click()
  await userEvent.keyboard('{Control>}a{/Control}')
  await page.getByRole('button', { name: 'More for the selected checks' }).click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete 4 checks?' })
  await dialog.getByRole('textbox').fill('3')
  await userEvent.keyboard('{Enter}')
  await expect.element(dialog).toMatchTextContent('Type 4, the number of checks.')
  expect(asked).toEqual([])
  await dialog.getByRole('textbox').fill('4')
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => asked.filter((one) => one.startsWith('deleteCheck'))).toHaveLength(4)
})

test('a tag is added to the tags the service has now, and only where it is missing', async () => {
  const { asked, bridge } = shown({
    'getCheck alpha': { status: 'down', tags: 'prod changed-elsewhere', channels: '' },
    ...Object.fromEntries(
      names.slice(1).map((name) => [`getCheck ${name}`, { status: 'down', tags: 'db' }]),
    ),
  })
  await tagAll()
  await expect.poll(() => shownToast.value?.text).toBe('Added #db: 1 of 4 checks, 3 unchanged.')
  expect(asked.filter((one) => one.startsWith('updateCheck'))).toEqual(['updateCheck alpha'])
  expect(JSON.stringify(bridge.inputsOf('run'))).toContain('"tags":"prod changed-elsewhere db"')
})

test('a rate limit that is over by the second attempt stops no change of integrations', async () => {
  const busy = failed({ kind: 'rateLimited', retryAfterMs: 1 })
  const lists = [busy, { channels: [{ id: 'c1', name: 'Slack', kind: 'slack' }] }]
  const check = { status: 'down', tags: '', channels: '' }
  const { asked } = shown({
    ...Object.fromEntries(names.map((name) => [`getCheck ${name}`, check])),
    get listIntegrations() {
      return lists.shift()
    },
  })
  const all = checks.map((check) => ({ accountId: eg.opsId, check }))
  await startWork({ do: 'integration', name: 'Slack', on: true }, all)
  expect(work.value?.outcomes.map(({ outcome }) => outcome.is)).toEqual(all.map(() => 'done'))
  expect(asked.filter((one) => one === 'listIntegrations')).toHaveLength(2)
})

test('s and a digit snooze all of them by one command, and one undoes it', async () => {
  const { bridge } = shown()
  await list().click()
  await userEvent.keyboard('{Control>}a{/Control}s')
  await expect.element(page.getByRole('dialog', { name: 'Snooze 4 checks' })).toBeVisible()
  await userEvent.keyboard('2')
  await expect.poll(() => shownToast.value?.text).toMatch(/^Snoozed 4 checks until/)
  const ids = checks.map(({ id }) => ({ accountId: eg.opsId, checkId: id }))
  const [asked] = bridge.inputsOf('silence') as { scope: { of: string; checks: unknown[] } }[]
  expect(bridge.inputsOf('silence')).toHaveLength(1)
  expect(asked?.scope.of).toBe('checks')
  expect(new Set(asked?.scope.checks)).toEqual(new Set(ids))
  shownToast.value?.action?.act()
  await expect.poll(() => bridge.inputsOf('undoSilence')).toHaveLength(1)
})

test('snoozing several doesn’t offer to end do not disturb', async () => {
  shown()
  const disturb = silence({ scope: { of: 'everything' }, until: { kind: 'ever' }, label: 'all' })
  appState.value = { ...appState.value, silences: [disturb] }
  await list().click()
  await userEvent.keyboard('{Control>}a{/Control}s')
  const dialog = page.getByRole('dialog', { name: 'Snooze 4 checks' })
  await expect.element(dialog).toBeVisible()
  expect(dialog.getByRole('button', { name: 'Unmute' }).elements()).toEqual([])
})

test('acknowledging several that is refused says why', async () => {
  const message = 'The disk is full.'
  shown({}, { silence: () => failed({ kind: 'invalid', field: 'disk', message }) })
  await list().click()
  await userEvent.keyboard('{Control>}a{/Control}a')
  await expect.poll(() => shownToast.value?.text).toBe(message)
})

test('the details of a long change list only some hundred checks, what failed first', async () => {
  shown()
  const outcomes = Array.from({ length: 2_000 }, (_, n) => ({
    target: { accountId: eg.opsId, checkId: `${n}`, name: `job-${n}`, isPaused: false },
    outcome: n === 1_999 ? { is: 'unsure' as const } : { is: 'done' as const },
  }))
  const action = { do: 'pause' } as const
  work.value = { action, total: 2_000, outcomes, state: 'ended', waitsUntil: 0 }
  await page.getByRole('button', { name: 'Details' }).click()
  const items = () => [...document.querySelectorAll('.bulk-each li')].map((one) => one.textContent)
  await expect.poll(() => items()).toHaveLength(301)
  expect(items()[0]).toMatch(/^job-1999: The response was lost/)
  expect(items()[300]).toBe('and 1,700 more')
})

test('selected or matching checks are counted with separators, and one is singular', async () => {
  shown()
  const many = Array.from({ length: 1_200 }, (_, n) =>
    eg.check({ id: `${n}`.padStart(40, '0'), name: n < 2 ? `odd-${n}` : `job-${n}` }),
  )
  appState.value = { ...appState.value, boards: new Map([[eg.opsId, eg.board(many)]]) }
  await list().click()
  await userEvent.keyboard('{Control>}a{/Control}')
  await expect.element(bar()).toMatchTextContent(/1,200 selected/)
  expect(bulkActions(chosen.value)[0]?.title).toBe('Snooze 1,200 checks…')
  filterText.value = 'job'
  await expect.element(page.getByText('1,198 of 1,200')).toBeVisible()
  expect(bulkActions(chosen.value.slice(0, 1))[0]?.title).toBe('Snooze 1 check…')
})

test('the bar for what is selected is one line in the narrowest window, whatever it counts', async () => {
  shown()
  withState({
    ...eg.state(),
    boards: new Map([
      [
        eg.opsId,
        eg.board(
          Array.from({ length: 1_200 }, (_, n) =>
            eg.check({ id: String(n).padStart(40, '0'), name: `job ${n}`, status: 'paused' }),
          ),
        ),
      ],
    ]),
  })
  const frame = list().element().closest<HTMLElement>('[style]')!
  frame.style.width = '340px'
  list().element().focus()
  await userEvent.keyboard('{Control>}a{/Control}')
  await expect.element(bar()).toMatchTextContent('1,200 selected')
  const lines = () => {
    const parts = [...bar().element().children].map((part) => part.getBoundingClientRect())
    return parts.map(({ top, bottom }) => Math.round((top + bottom) / 2))
  }
  expect(new Set(lines()).size).toBe(1)
  // The control: where nothing fits, they do stand on two.
  frame.style.width = '150px'
  await expect.poll(() => new Set(lines()).size).toBeGreaterThan(1)
})

test('keys work in the bar as in the list, which has the focus once the bar is gone', async () => {
  const { asked } = shown()
  const more = page.getByRole('button', { name: 'More for the selected checks' })
  await row('beta').click({ modifiers: ['Control'] })
  await more.click()
  await userEvent.keyboard('{Escape}')
  await expect.element(more).toHaveFocus()
  await userEvent.keyboard('p')
  await expect.poll(() => asked).toEqual(['pauseCheck beta'])
  await userEvent.keyboard('{Escape}')
  await expect.element(list()).toHaveFocus()
  await row('gamma').click({ modifiers: ['Control'] })
  ;(more.element() as HTMLElement).focus()
  await userEvent.keyboard('{Escape}')
  await expect.element(bar()).not.toBeInTheDocument()
  await expect.element(list()).toHaveFocus()
})

test('what all of the selected are is taken back by the verb in its place, at once or in part', async () => {
  const { bridge } = shown()
  const of = (n: number) => ({ of: 'check', accountId: eg.opsId, checkId: checks[n]!.id }) as const
  const each = checks.map((_, n) => silence({ id: `own-${n}`, scope: of(n), label: names[n]! }))
  const many = silenceOfMany({ ...silence({ id: 'many' }) }, each)!
  const verbs = () =>
    [...bar().element().querySelectorAll('.small-button')].map(({ textContent }) => textContent)
  appState.value = { ...appState.value, silences: [many] }
  list().element().focus()
  await userEvent.keyboard('{Control>}a{/Control}')
  await expect.poll(verbs).toEqual(['Unsnooze', 'Acknowledge', 'Pause'])
  await bar().getByRole('button', { name: 'Unsnooze' }).click()
  await expect.poll(() => shownToast.value?.text).toBe('4 checks can notify you again.')
  expect(bridge.inputsOf('endSilence')).toEqual([{ ids: ['many'] }])
  await row('beta').click({ modifiers: ['Control'] })
  await expect.element(bar()).toMatchTextContent('3 selected')
  await bar().getByRole('button', { name: 'Unsnooze' }).click()
  const ids = [0, 2, 3].map((n) => `many/${checkSubject(eg.opsId, checks[n]!.id)}`)
  await expect.poll(() => bridge.inputsOf('endSilence')).toContainEqual({ ids })
  // Acknowledged: the other verb. In part, or in several ways: nothing that all of them are.
  const how = (...hows: readonly Silence['how'][]) => {
    const silences = hows.map((one, n) => silence({ ...each[n], how: one }))
    appState.value = { ...appState.value, silences }
  }
  list().element().focus()
  await userEvent.keyboard('{Control>}a{/Control}')
  how('acknowledge', 'acknowledge', 'acknowledge', 'acknowledge')
  await expect.poll(verbs).toEqual(['Snooze', 'Unacknowledge', 'Pause'])
  const width = list().element().closest<HTMLElement>('[style]')!.style
  width.width = '340px'
  const middles = [...bar().element().children].map((part) => {
    const { top, bottom } = part.getBoundingClientRect()
    return Math.round((top + bottom) / 2)
  })
  expect(new Set(middles).size).toBe(1)
  how('acknowledge', 'snooze', 'acknowledge', 'acknowledge')
  await expect.poll(verbs).toEqual(['Snooze', 'Acknowledge', 'Pause'])
  how('snooze', 'snooze', 'snooze')
  await expect.poll(verbs).toEqual(['Snooze', 'Acknowledge', 'Pause'])
})
