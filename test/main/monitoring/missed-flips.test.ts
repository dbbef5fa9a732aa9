import { describe, expect, test } from 'vitest'
import { searchMissedFlips } from '../../../src/main/monitoring/flip-lookups.ts'
import { missedEvents } from '../../../src/shared/core/attention/events-between.ts'
import type { Board } from '../../../src/shared/core/checks/board.ts'
import { type MissedOutage, withFound } from '../../../src/shared/core/checks/missed-flips.ts'
import { RequestFailed } from '../../../src/shared/core/failure.ts'
import * as eg from '../../support/eg.ts'

const wake = eg.now
const sleep = wake - 2 * eg.hour

/** So many checks before a sleep, and after it: each was pinged after its deadline. */
function boards(count: number): { before: Board; after: Board } {
  const old = Array.from({ length: count }, () =>
    eg.check({ lastPingAt: sleep, nextPingAt: sleep + 3_600_000, pingCount: 5 }),
  )
  const now = old.map((check) => ({ ...check, lastPingAt: wake - eg.minute, pingCount: 6 }))
  return {
    before: eg.board(old, { freshness: { ...eg.fresh, readAt: sleep } }),
    after: eg.board(now, { freshness: { ...eg.fresh, readAt: wake } }),
  }
}

/** Down at the deadline, up at the ping. */
const outage = [
  { at: wake - eg.minute, up: true },
  { at: sleep + 70 * eg.minute, up: false },
]

function searching(flips: () => Promise<typeof outage>) {
  const done: (readonly MissedOutage[])[] = []
  const pending: number[] = []
  let asked = 0
  const search = searchMissedFlips({
    flips: () => {
      asked += 1
      return flips()
    },
    pings: () => Promise.reject(new Error('the deadline tells enough')),
    onPending: (since) => pending.push(since),
    onDone: (found) => done.push(found),
    signal: new AbortController().signal,
  })
  return { search, done, pending, asked: () => asked }
}

describe('the search for missed flips', () => {
  test('of 1,000 checks after a sleep asks for ten a poll, and tells one notice at its end', async () => {
    const { search, done, pending, asked } = searching(async () => outage)
    const { before, after } = boards(1_000)
    search.compare(before, after)
    let polls = 0
    while (done.length === 0 && polls < 200) {
      await search.search()
      polls += 1
      expect(asked()).toBeLessThanOrEqual(10 * polls)
      // An answer that brings no news begins nothing anew.
      search.compare(after, after)
    }
    expect(polls).toBe(100)
    expect(pending[0]).toBe(sleep)
    expect(done[0]).toHaveLength(1_000)
    const board = { ...after, missed: withFound(after.missed, done[0]!) }
    const state = eg.state({ boards: new Map([[eg.opsId, board]]) })
    expect(missedEvents(state, after, board, eg.now)).toHaveLength(1_000)
  })

  test('tries again what a server could not answer, and gives up a check that is gone', async () => {
    const answers = [
      new RequestFailed({ kind: 'serverFault', httpStatus: 503 }),
      new RequestFailed({ kind: 'refused', httpStatus: 404, code: '', message: '' }),
      null,
    ]
    const { search, done, asked } = searching(async () => {
      const failure = answers.shift()
      if (failure instanceof Error) throw failure
      return outage
    })
    const { before, after } = boards(2)
    search.compare(before, after)
    await search.search()
    expect(asked()).toBe(1)
    await search.search()
    expect(asked()).toBe(3)
    expect(done.flat()).toHaveLength(1)
  })

  test('begins with nothing for an account that is read for the first time', async () => {
    const { search, asked } = searching(async () => outage)
    const { before, after } = boards(3)
    search.compare({ ...before, told: null }, after)
    search.compare(undefined, after)
    await search.search()
    expect(asked()).toBe(0)
  })
})
