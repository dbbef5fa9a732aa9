import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createLookupQueue, FlipLookups } from '../../../src/main/monitoring/flip-lookups.ts'
import type { AttentionEvent } from '../../../src/shared/core/attention/event.ts'
import { eventsBetween } from '../../../src/shared/core/attention/events-between.ts'
import { type Board, emptyBoard, withBoard } from '../../../src/shared/core/checks/board.ts'
import { withChecks } from '../../../src/shared/core/checks/board-update.ts'
import type { Check } from '../../../src/shared/core/checks/check.ts'
import type { Flip } from '../../../src/shared/core/checks/history.ts'
import { type Failure, RequestFailed } from '../../../src/shared/core/failure.ts'
import type { AppState } from '../../../src/shared/core/state.ts'
import * as eg from '../../support/eg.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: eg.now })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const clock = { monotonic: () => performance.now() }

/** Down and up again within the last minute. */
const outage = (): Flip[] => [
  { at: Date.now() - 20_000, up: true },
  { at: Date.now() - 30_000, up: false },
]

/** A project whose checks are read on command; records what is requested and what is notified. */
function project(
  count: number,
  flips: (id: string) => readonly Flip[] | Failure,
  queue = createLookupQueue(clock),
) {
  const asked: { readonly at: number; readonly id: string }[] = []
  const events: string[][] = []
  let last: AttentionEvent | undefined
  let checks: Check[] = Array.from({ length: count }, () =>
    eg.check({ pingCount: 5, writable: false }),
  )
  let state = withBoard(
    eg.state({ accounts: [eg.account()], boards: new Map(), realms: new Map() }),
    emptyBoard(eg.opsId, null),
  )
  const board = (): Board => state.boards.get(eg.opsId)!
  const update = (change: (before: AppState) => AppState): void => {
    const before = state
    state = change(before)
    const news = eventsBetween(before, state, Date.now(), (id) => id)
    if (news.length > 0) events.push(news.map(({ kind }) => kind))
    last = news.at(-1) ?? last
  }
  const looks = new FlipLookups({
    board,
    update,
    flips: async (id) => {
      asked.push({ at: performance.now(), id })
      const answer = flips(id)
      if ('kind' in answer) throw new RequestFailed(answer)
      return answer
    },
    pings: () => Promise.resolve(null),
    queue,
    clock,
    onBug: (error) => {
      throw error
    },
    signal: new AbortController().signal,
  })
  const read = async (change: (check: Check) => Partial<Check> = () => ({})): Promise<void> => {
    checks = checks.map((check) => ({ ...check, ...change(check) }))
    const at = Date.now()
    const how = { unreadable: 0, at, intervalMs: 60_000, serverOffsetMs: 0 }
    update((before) => withChecks(before, eg.opsId, { checks, ...how }))
    looks.polled()
    await pass(0)
  }
  return { asked, events, last: () => last, board, read, queue }
}

/** Two more pings: one may have been a failure, although the schedule expects as many. */
const pingedTwice = ({ pingCount }: Check): Partial<Check> => ({
  pingCount: pingCount + 2,
  lastPingAt: Date.now() - 5_000,
})
const frequent = { schedule: { kind: 'period', periodSeconds: 60 } } as const

/** `polls` minutes, with the same reply every minute. */
async function minutes(it: ReturnType<typeof project>, polls: number): Promise<void> {
  for (let n = 0; n < polls; n += 1) {
    await pass(60_000)
    await it.read()
  }
}

function mostAMinute(asked: readonly { readonly at: number }[]): number {
  return Math.max(
    ...asked.map(({ at }) => asked.filter((one) => one.at >= at && one.at < at + 60_000).length),
  )
}

describe('pending looks for missed flips', () => {
  test('are made oldest first, 16 a minute for all projects on a host, and come to an end', async () => {
    const ops = project(50, () => [])
    const web = project(50, () => [], ops.queue)
    for (const it of [ops, web]) await it.read(() => frequent)
    await pass(60_000)
    for (const it of [ops, web]) await it.read((check) => ({ ...frequent, ...pingedTwice(check) }))
    for (let n = 0; n < 7; n += 1) {
      await pass(60_000)
      for (const it of [ops, web]) await it.read()
    }
    const asked = [...ops.asked, ...web.asked].sort((one, other) => one.at - other.at)
    expect(asked).toHaveLength(100)
    expect(mostAMinute(asked)).toBe(16)
    expect(ops.board().missed.pending.size + web.board().missed.pending.size).toBe(0)
  })

  test('are made first for checks that are down, but keep no other waiting for much over an hour', async () => {
    const it = project(200, () => [])
    const isUp = ({ id }: Check): boolean => id === [...it.board().checks.keys()].at(-1)
    await it.read(() => ({ status: 'down', rawStatus: 'down', nextPingAt: null }))
    await it.read((check) => (isUp(check) ? { status: 'up', rawStatus: 'up' } : {}))
    const upId = [...it.board().checks.keys()].at(-1)
    await pass(60_000)
    await it.read(pingedTwice)
    const owedAt = performance.now()
    for (let n = 0; n < 80; n += 1) {
      await pass(60_000)
      await it.read((check) => (isUp(check) ? {} : pingedTwice(check)))
    }
    const place = it.asked.findIndex(({ id }) => id === upId)
    expect(place).toBeGreaterThan(200)
    expect(it.asked[place]!.at - owedAt).toBeLessThan(70 * 60_000)
  })

  test('are limited to 4 a minute for an hour after a 429', async () => {
    const it = project(40, () => [])
    await it.read(() => frequent)
    it.queue.limited(null)
    await pass(60_000)
    await it.read((check) => ({ ...frequent, ...pingedTwice(check) }))
    await minutes(it, 10)
    expect(it.asked).toHaveLength(40)
    expect(mostAMinute(it.asked)).toBe(4)
    await minutes(it, 60)
    await it.read((check) => ({ ...frequent, ...pingedTwice(check) }))
    await minutes(it, 3)
    expect(it.asked).toHaveLength(80)
    expect(mostAMinute(it.asked)).toBeGreaterThan(15)
  })

  test('are repeated until they succeed, are reported when they fail, and block no others', async () => {
    let isBroken = true
    let first = ''
    const failure: Failure = { kind: 'refused', httpStatus: 403, code: '', message: '' }
    const it = project(3, (id) => (isBroken && id === first ? failure : outage()))
    await it.read(() => frequent)
    first = [...it.board().checks.keys()][0]!
    await pass(60_000)
    await it.read((check) => ({ ...frequent, ...pingedTwice(check) }))
    await minutes(it, 10)
    expect(it.events).toEqual([['missed', 'missed']])
    expect(it.board().missed.failing).toEqual({ count: 1, failure })
    const tries = it.asked.filter(({ id }) => id === first).length
    expect(tries).toBeGreaterThan(5)
    expect(tries).toBeLessThan(12)
    isBroken = false
    await minutes(it, 6)
    expect(it.board().missed.failing).toBe(null)
    expect(it.board().missed.pending.size).toBe(0)
  })

  test('at a thousand checks after a sleep lead to only a few notifications', async () => {
    const it = project(1_000, outage)
    await it.read()
    await pass(2 * eg.hour)
    await it.read(pingedTwice)
    await minutes(it, 70)
    expect(it.board().missed.pending.size).toBe(0)
    expect(it.events.length).toBeLessThanOrEqual(12)
  })
})

test('a check that went down, up and down again has a new outage', async () => {
  const down = { status: 'down', rawStatus: 'down', nextPingAt: null } as const
  const it = project(1, () => [
    { at: Date.now() - 10_000, up: false },
    { at: Date.now() - 30_000, up: true },
    { at: Date.now() - 5 * eg.minute, up: false },
  ])
  await it.read()
  await it.read(() => ({ ...down, lastPingAt: Date.now() - 1_000 }))
  await pass(60_000)
  await it.read(({ pingCount }) => ({ pingCount: pingCount + 2, lastPingAt: Date.now() - 10_000 }))
  await pass(1_000)
  expect(it.events).toEqual([['down'], ['down']])
  expect(it.last()?.title).toContain('is down again (was up for at most 1 min)')
  expect([...it.board().checks.values()][0]?.since).toBe(eg.now + 50_000)
  await minutes(it, 5)
  expect(it.events).toHaveLength(2)
})

test('a new outage that ended before its flips were read is listed', async () => {
  const down = { status: 'down', rawStatus: 'down', nextPingAt: null } as const
  const flips = [60, 50, 30, -1].map((second, at) => ({
    at: eg.now + second * 1_000,
    up: at % 2 === 0,
  }))
  let isBack = false
  const it = project(1, () => {
    const known = flips.filter(({ at }) => at < Date.now() || isBack)
    if (Date.now() < eg.now + 60_000 || isBack) return known
    // The success comes while its flips are being fetched.
    isBack = true
    void it.read(({ pingCount }) => ({
      ...{ status: 'up', rawStatus: 'up', nextPingAt: eg.now + eg.hour },
      pingCount: pingCount + 1,
      lastPingAt: eg.now + 60_000,
    }))
    return known
  })
  await it.read()
  await it.read(() => ({ ...down, lastPingAt: eg.now - 1_000 }))
  await pass(60_000)
  await it.read(({ pingCount }) => ({
    pingCount: pingCount + 2,
    lastPingAt: eg.now + 50_000,
  }))
  await minutes(it, 5)
  expect(it.events).toEqual([['down'], ['recovered'], ['missed']])
  expect(it.board().missed.found.map(({ from }) => from)).toEqual([eg.now + 50_000])
})
