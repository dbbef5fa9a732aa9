import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import type { Transport } from '../../src/main/base/ports.ts'
import { statusLine } from '../../src/shared/core/views/status-line.ts'
import type { HttpReply, HttpRequest } from '../../src/shared/http.ts'
import { type RunningApp, startApp } from '../support/app.ts'

const second = 1_000
const minute = 60 * second

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

interface WireList {
  readonly checks: readonly Readonly<Record<string, unknown>>[]
}
type Change = (reply: HttpReply, list: WireList) => HttpReply
const asItIs: Change = (reply) => reply
const withChecks = (reply: HttpReply, checks: WireList['checks'], headers = {}): HttpReply => ({
  ...reply,
  headers: { ...reply.headers, ...headers },
  body: new TextEncoder().encode(JSON.stringify({ checks })),
})

/** Shows this check as down, whatever the project’s list says. */
const down =
  (name: string, headers: Record<string, string>): Change =>
  (reply, { checks }) => {
    const status = (check: WireList['checks'][number]) =>
      check['name'] === name ? { ...check, status: 'down', n_pings: 9_000 } : check
    return withChecks(reply, checks.map(status), headers)
  }

async function watching() {
  const world = createWorld({ now: Date.now, seed: 1, lively: false })
  world.web.controls.addChecks(20)
  world.web.controls.rewrite((record) => ({ ...record, status: 'up', started: false }))
  const around = { change: asItIs, lists: [] as HttpRequest[] }
  const transport: Transport = async (request, signal) => {
    const reply = await world.transport(request, signal)
    if (!request.url.endsWith('/checks/')) return reply
    around.lists.push(request)
    // The response of the demo project.
    const list = JSON.parse(new TextDecoder().decode(reply.body)) as WireList
    return around.change(reply, list)
  }
  const it: RunningApp = await startApp({ world, transport })
  const typed = { ...world.newAccounts.web, key: world.web.table.readWriteKey }
  await it.app.commands.addAccount(typed)
  await pass(3 * second)
  return Object.assign(it, { around })
}

const board = ({ app }: RunningApp) => [...app.state.boards.values()][0]!
const count = (it: RunningApp) => board(it).checks.size
const shape = ({ desktop }: RunningApp) => desktop.trays.at(-1)?.shape
const said = ({ app }: RunningApp) => statusLine(app.state, Date.now()).text
const askAll = (it: RunningApp) => it.app.commands.refresh({ accountId: null })

describe('a list of checks', () => {
  test.each([
    ['is suddenly empty', (reply) => withChecks(reply, [])],
    [
      'lacks every third check',
      (reply, { checks }) =>
        withChecks(
          reply,
          checks.filter((_, at) => at % 3 > 0),
        ),
    ],
    ['comes out of a cache', (reply, { checks }) => withChecks(reply, checks, { age: '40' })],
    [
      'has an age that can’t be read',
      (reply, { checks }) => withChecks(reply, checks, { age: '300, 5' }),
    ],
    [
      'is dated long ago',
      (reply, { checks }) =>
        withChecks(reply, checks, { date: new Date(Date.now() - minute).toUTCString() }),
    ],
  ] satisfies [string, Change][])(
    'that %s is not believed, and asked for again past all caches',
    async (_how, change) => {
      const it = await watching()
      const all = count(it)
      expect(shape(it)).toBe('good')
      it.around.lists.length = 0
      it.around.change = (reply, list) => {
        it.around.change = asItIs
        return change(reply, list)
      }
      await askAll(it)
      await pass(200)
      expect(count(it)).toBe(all)
      expect(said(it)).toMatch(/missing|cache/)
      await pass(5 * second)
      expect(it.around.lists.map(({ headers }) => headers['cache-control'])).toEqual([
        undefined,
        'no-cache',
      ])
      expect(board(it).freshness.failure).toBeNull()
      expect([count(it), shape(it)]).toEqual([all, 'good'])
      expect(it.desktop.notices).toEqual([])
      await it.app.stop()
    },
  )

  test('from a cache makes the icon doubtful, never good', async () => {
    const it = await watching()
    it.around.change = (reply, { checks }) => withChecks(reply, checks, { age: '40' })
    await askAll(it)
    await pass(11 * second)
    expect(shape(it)).toBe('stale')
    await pass(5 * minute)
    expect(shape(it)).toBe('stale')
    it.around.change = asItIs
    await pass(30 * second)
    expect(shape(it)).toBe('good')
    await it.app.stop()
  })

  test('that is shorter twice in the same way is believed: the checks were deleted', async () => {
    const it = await watching()
    const all = count(it)
    it.around.change = (reply, { checks }) => withChecks(reply, checks.slice(0, 5))
    await askAll(it)
    await pass(5 * second)
    expect(all).toBeGreaterThan(20)
    expect([count(it), board(it).freshness.failure]).toEqual([5, null])
    await it.app.stop()
  })

  test('that loses one check of many is believed at once', async () => {
    const it = await watching()
    const all = count(it)
    it.around.lists.length = 0
    it.around.change = (reply, { checks }) => withChecks(reply, checks.slice(1))
    await askAll(it)
    await pass(5 * second)
    expect([count(it), it.around.lists.length]).toEqual([all - 1, 1])
    await it.app.stop()
  })

  test('brings no recovery while in doubt, and an outage within 10 s', async () => {
    const it = await watching()
    const [first, other] = [...board(it).checks.values()].map(({ name }) => name)
    it.around.change = down(first!, {})
    await askAll(it)
    await pass(2 * second)
    expect(it.desktop.notices.map(({ kind }) => kind)).toEqual(['down'])
    it.around.change = down(other!, { age: '40' })
    await askAll(it)
    await pass(5 * second)
    expect(it.desktop.notices).toHaveLength(1)
    await pass(5 * second)
    expect(it.desktop.notices.map(({ kind, title }) => [kind, title.includes(other!)])).toEqual([
      ['down', false],
      ['down', true],
    ])
    await it.app.stop()
  })

  test('that is in doubt from the start brings an outage within 10 s, once', async () => {
    const before = await watching()
    const [name] = [...board(before).checks.values()].map((check) => check.name)
    before.around.change = down(name!, { age: '40' })
    const it = await before.restart()
    await pass(10 * second)
    expect(shape(it)).not.toBe('good')
    const told = () => it.desktop.notices.map(({ kind, title }) => [kind, title])
    expect(told()).toEqual([['down', `${name} is down`]])
    before.around.change = down(name!, {})
    await pass(minute)
    expect(board(it).freshness.failure).toBeNull()
    expect(count(it)).toBe(count(before))
    expect(told()).toHaveLength(1)
    expect(shape(it)).toBe('down')
    await it.app.stop()
  })

  test('that lacks what Belfry deleted is believed at once', async () => {
    const it = await watching()
    it.around.change = (reply, { checks }) => withChecks(reply, checks.slice(0, 3))
    await askAll(it)
    await pass(10 * second)
    const [id] = board(it).checks.keys()
    const left = [...board(it).checks.values()].slice(1).map((check) => check.name)
    it.around.change = (reply, { checks }) =>
      withChecks(
        reply,
        checks.filter((check) => left.includes(String(check['name']))),
      )
    it.around.lists.length = 0
    const { accountId } = board(it)
    await it.app.commands.run({ accountId, operation: 'deleteCheck', params: { uuid: id } })
    await pass(2 * second)
    expect([count(it), board(it).freshness.failure]).toEqual([2, null])
    expect(it.around.lists).toHaveLength(1)
    await it.app.stop()
  })

  test('is believed with the second response after the computer’s clock was set', async () => {
    const it = await watching()
    vi.setSystemTime(Date.now() + 3 * 60 * minute)
    await pass(20 * second)
    expect(board(it).freshness.failure).toBeNull()
    expect(shape(it)).toBe('good')
    await it.app.stop()
  })
})

test.each([1, 2, 3])(
  'A check that was told to be down is told again when it is back after %i empty lists that were believed',
  async (lists) => {
    const it = await watching()
    const { controls } = it.world.web
    const [name] = controls.names().filter((one) => one.startsWith('job-'))
    controls.rewrite((record) => ({
      ...record,
      status: record['name'] === name ? 'down' : 'up',
      started: false,
    }))
    await askAll(it)
    await pass(minute)
    const told = () => it.desktop.notices.filter(({ title }) => title === `${name} is down`)
    expect(told()).toHaveLength(1)
    const withdrawn = it.desktop.withdrawn.length
    it.around.change = (reply) => withChecks(reply, [])
    for (let n = 0; n <= lists; n += 1) {
      await askAll(it)
      await pass(20 * second)
    }
    expect(count(it)).toBe(0)
    it.around.change = asItIs
    await askAll(it)
    await pass(20 * second)
    const isGone = it.desktop.withdrawn.slice(withdrawn).includes(told()[0]!.subject)
    expect(told()).toHaveLength(isGone ? 2 : 1)
    await it.app.stop()
  },
)

test('A snooze that ends while the list is empty reminds of what is down once it is back', async () => {
  const it = await watching()
  const [name] = it.world.web.controls.names().filter((one) => one.startsWith('job-'))
  const scope = { of: 'project', accountId: it.app.state.accounts[0]!.id } as const
  const until = { kind: 'time', at: Date.now() + minute } as const
  await it.app.commands.silence({ how: 'snooze', scope, until })
  it.around.change = down(name!, {})
  await askAll(it)
  await pass(20 * second)
  it.around.change = (reply) => withChecks(reply, [])
  await askAll(it)
  await pass(45 * second)
  expect(count(it)).toBe(0)
  it.around.change = down(name!, {})
  await askAll(it)
  await pass(20 * second)
  expect(it.desktop.notices.map(({ title }) => title)).toEqual([`${name} is still down`])
  expect(it.app.state.silences).toEqual([])
  await it.app.stop()
})

test('The end of a maintenance says nothing of a check whose project has none any more', async () => {
  const it = await watching()
  const [name] = it.world.web.controls.names()
  const { id: accountId } = it.app.state.accounts[0]!
  const until = { kind: 'time', at: Date.now() + 10 * minute } as const
  const scope = { of: 'project', accountId } as const
  await it.app.commands.silence({ how: 'maintenance', scope, until })
  it.around.change = down(name!, {})
  await askAll(it)
  await pass(minute)
  it.around.change = (reply) => withChecks(reply, [])
  await askAll(it)
  await pass(10 * minute)
  expect(it.app.state.silences).toEqual([])
  expect(it.desktop.notices.filter(({ kind }) => kind === 'digest')).toEqual([])
  await it.app.stop()
})
