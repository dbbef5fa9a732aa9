import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Transport } from '../../src/main/base/ports.ts'
import { wait } from '../../src/main/http/wait.ts'
import type { HttpRequest } from '../../src/shared/http.ts'
import { type RunningApp, startApp } from '../support/app.ts'
import { toldOf, watching } from '../support/watched-job.ts'

const second = 1_000
const minute = 60 * second
const body = 'begin\npg_dump: error: disk full\nend'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25, 30) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const isOfLog = ({ url }: HttpRequest): boolean => /\/pings\//.test(url)
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** A connected app; counts requests for logs, which take `delayMs`, as do those for flips. */
async function counted(delayMs: number, flipsDelayMs = 0) {
  const first = await watching()
  const asked: HttpRequest[] = []
  const { world, disk, vault } = first.it
  await first.it.app.stop()
  const it = await startApp({
    ...{ world, disk, vault },
    transport: async (request, signal) => {
      if (isOfLog(request)) {
        asked.push(request)
        if (delayMs > 0 && (await wait(delayMs, signal)) === 'aborted') signal.throwIfAborted()
      }
      if (request.url.includes('/flips/') && (await wait(flipsDelayMs, signal)) === 'aborted')
        signal.throwIfAborted()
      return world.transport(request, signal)
    },
  })
  await pass(2 * minute)
  asked.length = 0
  return { ...first, it, asked }
}

const bodiesOf = (it: RunningApp, name: string) => toldOf(it, name).map((one) => one.body)

describe('the notification of a failure', () => {
  test('quotes the line of its output that matters', async () => {
    const { it, name, ops, asked } = await counted(0)
    ops.ping(name, 'fail', { body: bytes(body) })
    await pass(2 * minute)
    expect(bodiesOf(it, name)[0]).toMatch(/^Failed at \S+: pg_dump: error: disk full · /)
    // Its log and its output, once each, and nothing more while nothing changes.
    const { uuid } = ops.check(name)
    const ofIt = () => asked.filter(({ url }) => url.includes(uuid))
    expect(ofIt()).toHaveLength(2)
    await pass(10 * minute)
    expect(ofIt()).toHaveLength(2)
    expect(it.bugs).toEqual([])
    await it.app.stop()
  })

  test('waits at most two seconds for it; what comes later is shown on the board', async () => {
    const { it, name, ops, scope } = await counted(5 * second)
    ops.ping(name, 'fail', { body: bytes(body) })
    void it.app.commands.refresh({ accountId: null })
    await pass(1_900)
    expect(toldOf(it, name)).toEqual([])
    await pass(200)
    expect(bodiesOf(it, name)).toEqual([expect.stringMatching(/^Failed at \S+ · /)])
    await pass(15 * second)
    const logs = it.app.state.boards.get(scope.accountId)?.logs
    expect([...(logs?.values() ?? [])].map((log) => log.failure?.line)).toContain(
      'pg_dump: error: disk full',
    )
    expect(toldOf(it, name)).toHaveLength(1)
    await it.app.stop()
  })

  test('doesn’t wait for reasons that the budget doesn’t allow yet', async () => {
    const { it, name, ops, scope, asked } = await counted(0)
    const statusAfter = async (kind: 'fail' | 'success'): Promise<string | undefined> => {
      ops.ping(name, kind, { body: bytes(body) })
      void it.app.commands.refresh({ accountId: null })
      await pass(500)
      const checks = it.app.state.boards.get(scope.accountId)?.checks.values() ?? []
      return [...checks].find((check) => check.name === name)?.status
    }
    for (let outage = 0; outage < 12; outage += 1) {
      expect(await statusAfter('fail')).toBe('down')
      expect(await statusAfter('success')).toBe('up')
    }
    // The budget ends first: four fifths of 20 requests a minute.
    expect(asked.length).toBeLessThanOrEqual(16)
    await it.app.stop()
  })

  test('of many at once has the reasons of five; any other is read when its check is opened', async () => {
    const { it, ops, scope, asked } = await counted(0)
    const { accountId } = scope
    const names = ops.names().slice(0, 12)
    for (const one of names) ops.ping(one, 'fail', { body: bytes(body) })
    await pass(5 * minute)
    const read = (): number =>
      [...(it.app.state.boards.get(accountId)?.logs.values() ?? [])].filter(
        ({ failure }) => failure?.line === 'pg_dump: error: disk full',
      ).length
    expect(read()).toBe(5)
    expect(asked).toHaveLength(10)
    const { boards } = it.app.state
    const logs = boards.get(accountId)?.logs
    const other = names.map((one) => ops.check(one).uniqueKey).find((id) => logs?.has(id) === false)
    const run = (operation: 'listPings' | 'getPingBody', n?: number) =>
      it.app.commands.run({
        ...{ accountId, operation },
        params: { uuid: other ?? '', ...(n === undefined ? {} : { n }) },
      })
    await run('listPings')
    expect(read()).toBe(5)
    const failure = it.app.state.boards.get(accountId)?.logs.get(other ?? '')?.failure
    await run('getPingBody', failure?.n ?? 0)
    expect(read()).toBe(6)
    expect(it.bugs).toEqual([])
    await it.app.stop()
  })

  test('quotes it while the flips of many checks are looked up', async () => {
    const first = await watching()
    const { name, ops } = first
    const { world, disk, vault } = first.it
    ops.addChecks(80)
    await pass(minute)
    await first.it.app.stop()
    for (const one of ops.names().filter((job) => job.startsWith('job-') && job !== name))
      for (const kind of ['fail', 'success'] as const) ops.ping(one, kind)
    const lookups: number[] = []
    const transport: Transport = (request, signal) => {
      if (request.url.includes('/flips/?start=')) lookups.push(Date.now())
      return world.transport(request, signal)
    }
    const it = await startApp({ world, disk, vault, transport })
    await pass(2 * minute)
    // The control: lookups use up what they may.
    expect(lookups.filter((at) => at > Date.now() - minute)).toHaveLength(16)
    ops.ping(name, 'fail', { body: bytes(body) })
    await pass(30 * second)
    expect(bodiesOf(it, name)).toEqual([expect.stringContaining('pg_dump: error: disk full')])
    expect(first.it.bugs.concat(it.bugs)).toEqual([])
    await it.app.stop()
  })

  test('comes to the board after a minute of 429s, newest first', async () => {
    const first = await watching()
    const { ops, scope } = first
    const { world, disk, vault } = first.it
    ops.addChecks(3)
    await first.it.app.stop()
    let limitedUntil = 0
    const outputs: string[] = []
    const it = await startApp({
      ...{ world, disk, vault },
      transport: (request, signal) => {
        if (isOfLog(request) && Date.now() < limitedUntil)
          return Promise.resolve({ status: 429, headers: {}, body: bytes('{}') })
        if (/body$/.test(request.url)) outputs.push(request.url)
        return world.transport(request, signal)
      },
    })
    await pass(2 * minute)
    outputs.length = 0
    limitedUntil = Date.now() + minute
    const failed = ops.names().filter((one) => one.startsWith('job-'))
    for (const one of failed) {
      ops.ping(one, 'fail', { body: bytes(body) })
      await pass(2 * second)
    }
    await pass(45 * second)
    // The control: the failures are known, their reasons are not.
    const found = () =>
      failed.map((one) => {
        const board = it.app.state.boards.get(scope.accountId)
        const id = ops.check(one).uniqueKey
        return [board?.checks.get(id)?.status, board?.logs.get(id)?.failure?.line]
      })
    expect(new Set(found().map(String))).toEqual(new Set(['down,']))
    await pass(5 * minute)
    const uuids = failed.map((one) => ops.check(one).uuid)
    expect(outputs.map((url) => uuids.findIndex((uuid) => url.includes(uuid)))).toEqual([
      3, 2, 1, 0,
    ])
    expect(new Set(found().map(String))).toEqual(new Set(['down,pg_dump: error: disk full']))
    await it.app.stop()
  })

  test('waits three seconds in all for its flips and its reason, not for one after the other', async () => {
    const { it, name, ops } = await counted(10 * minute, 10 * minute)
    ops.ping(name, 'fail', { body: bytes(body) })
    void it.app.commands.refresh({ accountId: null })
    await pass(2_900)
    expect(toldOf(it, name)).toEqual([])
    await pass(200)
    expect(toldOf(it, name)).toHaveLength(1)
    await it.app.stop()
  })

  test('asks for the flips that say since when only once the host wants no more pause', async () => {
    const first = await watching()
    const { name, ops } = first
    const { world, disk, vault } = first.it
    await first.it.app.stop()
    const limitedUntil = Date.now() + 5 * minute
    const asked: number[] = []
    const it = await startApp({
      ...{ world, disk, vault },
      transport: (request, signal) => {
        const isOfIt = request.url.includes(`${ops.check(name).uniqueKey}/flips/`)
        if (isOfIt) asked.push(Date.now())
        return isOfIt && Date.now() < limitedUntil
          ? Promise.resolve({ status: 429, headers: { 'retry-after': '120' }, body: bytes('') })
          : world.transport(request, signal)
      },
    })
    await pass(minute)
    ops.ping(name, 'fail')
    await pass(3 * minute)
    const [begun = 0, again = 0] = asked
    expect(asked.length).toBeGreaterThan(1)
    expect(again - begun).toBeGreaterThanOrEqual(2 * minute)
    await pass(5 * minute)
    expect(asked.filter((at) => at >= limitedUntil)).toHaveLength(1)
    await it.app.stop()
  })

  test('quotes it though its flips don’t come', async () => {
    const { it, name, ops } = await counted(100, 10 * minute)
    ops.ping(name, 'fail', { body: bytes(body) })
    await pass(minute)
    expect(bodiesOf(it, name)).toEqual([expect.stringContaining('pg_dump: error: disk full')])
    await it.app.stop()
  })

  test('isn’t held up by a service that answers only the list', async () => {
    const { it, name, ops } = await counted(10 * minute)
    ops.ping(name, 'fail')
    await pass(2 * minute)
    expect(bodiesOf(it, name)).toEqual([expect.stringMatching(/^Failed at /)])
    expect(it.bugs).toEqual([])
    await it.app.stop()
  })
})
