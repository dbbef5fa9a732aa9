import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Commands } from '#shared/contract.ts'
import type { ListedOutage, OutageList } from '#shared/core/outages/outage-list.ts'
import { OutagesPage } from '../../../src/renderer/outages/outages-page.tsx'
import { go, place } from '../../../src/renderer/window-state.ts'
import * as eg from '../../support/eg.ts'
import { mount, withBridge, withState } from '../mount.ts'

const check = eg.check({ id: 'one', name: 'db-backup', tags: ['db'] })

function outage(hoursAgo: number, change: Partial<ListedOutage> = {}): ListedOutage {
  return {
    ...{ accountId: eg.opsId, checkId: 'one', name: 'db-backup', tags: ['db'] },
    ...{ project: 'ops', isOver: true, kind: 'down', cause: null, by: [] },
    ...{ from: eg.now - hoursAgo * eg.hour, to: eg.now - hoursAgo * eg.hour + 5 * eg.minute },
    ...change,
  }
}

function show(list: Partial<OutageList> | Promise<Partial<OutageList>>, query?: string) {
  const bridge = withBridge({
    outages: async () => ({ outages: [], more: 0, gaps: [], unread: [], ...(await list) }),
    run: () => ({ flips: [] }),
  })
  withState({
    ...eg.state(),
    accounts: [eg.account()],
    boards: new Map([[eg.opsId, eg.board([check])]]),
  })
  go({ view: 'outages', ...(query !== undefined && { query }) })
  const Shown = () =>
    place.value.view === 'outages' ? <OutagesPage query={place.value.query} /> : null
  mount(
    <div style={{ display: 'flex', width: '420px', height: '600px' }}>
      <Shown />
    </div>,
  )
  return bridge
}

const rows = page.getByRole('list', { name: 'Outages' }).getByRole('button')
const status = page.getByRole('status')

test('outages are listed by day, filtered as one types, and lead to their check by keys', async () => {
  const web = { name: 'web-links', checkId: 'gone', project: 'web', tags: [] }
  const line = 'disk full'
  show({
    outages: [
      outage(1, { isOver: false, to: eg.now, by: ['Ana', 'you'] }),
      outage(26, { kind: 'possible' }),
      outage(27, { ...web, cause: { kind: 'failed', at: eg.now - 27 * eg.hour, line } }),
    ],
  })
  await expect.element(status).toMatchTextContent('2 outages, 1 possible; down 1 h 5 min')
  const list = page.getByRole('list', { name: 'Outages' })
  await expect.element(list).toMatchTextContent('13:25 to now')
  await expect.element(list).toMatchTextContent('Acknowledged by Ana and you')
  await expect.element(list).toMatchTextContent(/Failed at 11:25: disk full/)
  // What was deleted has no page.
  await expect.element(page.getByRole('button', { name: 'web-links' })).toBeDisabled()
  await userEvent.keyboard('#db')
  await expect.element(status).toMatchTextContent('1 outage, 1 possible; down 1 h')
  await userEvent.keyboard(' yesterday')
  await expect.element(status).toMatchTextContent(/^1 possible outage$/)
  await expect
    .element(page.getByRole('button', { name: /^Mon 16 Mar\s?1 possible outage/ }))
    .toHaveAttribute('aria-pressed', 'true')
  await userEvent.keyboard('{Enter}')
  await expect.element(rows.first()).toHaveFocus()
  await userEvent.keyboard('{ArrowUp}')
  await expect.element(page.getByRole('searchbox')).toHaveFocus()
  await userEvent.keyboard('{ArrowDown}{Enter}')
  expect(place.value).toEqual({ view: 'check', accountId: eg.opsId, checkId: 'one' })
})

test('one kind can be looked at, and what is not known is said', async () => {
  const gap = { accountId: eg.opsId, project: 'ops', why: 'unread', checks: 4 } as const
  show({
    outages: [outage(1), outage(2, { kind: 'possible' })],
    gaps: [{ ...gap, from: eg.now - 5 * eg.day, to: eg.now - eg.day }],
  })
  const list = page.getByRole('list', { name: 'Outages' })
  await expect.element(list).toMatchTextContent(/the history of 4 checks is not read/)
  await page.getByRole('button', { name: 'Down', exact: true }).click()
  await expect.element(status).toMatchTextContent(/^1 outage;/)
  expect(list.element().textContent).not.toContain('not read')
  await page.getByRole('button', { name: 'Not known' }).click()
  await expect.element(list).toMatchTextContent(/not known/)
  expect(rows.elements()).toEqual([])
})

test('thousands of outages are drawn a part at a time', async () => {
  const outages = Array.from({ length: 5_000 }, (_, n) => outage(1 + n / 100))
  show({ outages })
  await expect.element(status).toMatchTextContent(/^5,000 outages/)
  expect(rows.elements()).toHaveLength(100)
  await page.getByRole('button', { name: 'Show 100 of 4,900 more' }).click()
  await expect.poll(() => rows.elements().length).toBe(200)
  await expect.element(rows.nth(100)).toHaveFocus()
})

test('the flips of checks of which too little is known are read, a share of the budget', async () => {
  const unread = Array.from({ length: 30 }, (_, n) => ({
    accountId: eg.opsId,
    checkId: `check-${n}`,
  }))
  const gap = { accountId: eg.opsId, project: 'ops', why: 'unread', checks: 30 } as const
  const calls = show(
    { unread, gaps: [{ ...gap, from: eg.now - eg.day, to: eg.now - eg.hour }] },
    'db-backup yesterday',
  )
  await expect.poll(() => calls.inputsOf('run').length).toBe(20)
  await expect.element(status).toMatchTextContent(/reading the history of 30 more checks…/)
  const read = calls.inputsOf('run') as Parameters<Commands['run']>[0][]
  expect(read.map(({ operation, params }) => [operation, params['id']])).toEqual(
    unread.slice(0, 20).map(({ checkId }) => ['listFlips', checkId]),
  )
  // Those that the words match come first, and the list is asked for again as more is known.
  const asked = calls.inputsOf('outages')
  expect(asked.length).toBeGreaterThan(1)
  for (const one of asked) expect(one).toMatchObject({ words: 'db-backup' })
})

test('outages are copied only once they are listed', async () => {
  const listed = Promise.withResolvers<Partial<OutageList>>()
  const bridge = show(listed.promise)
  await userEvent.click(page.getByRole('button', { name: 'Copy' }))
  await userEvent.click(page.getByRole('menuitem', { name: 'Copy as CSV' }))
  expect(bridge.inputsOf('copyText')).toEqual([])
  listed.resolve({ outages: [outage(1)] })
  await expect.element(status).toMatchTextContent(/^1 outage/)
  await userEvent.click(page.getByRole('button', { name: 'Copy' }))
  await userEvent.click(page.getByRole('menuitem', { name: 'Copy as CSV' }))
  expect(JSON.stringify(bridge.inputsOf('copyText'))).toContain('db-backup')
})
