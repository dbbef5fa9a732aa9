import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { emptyBoard, nothingMissed } from '../../../../src/shared/core/checks/board.ts'
import {
  withCheck,
  withChecks,
  withChecksFailed,
} from '../../../../src/shared/core/checks/board-update.ts'
import type { Check } from '../../../../src/shared/core/checks/check.ts'
import { snapshotOf } from '../../../../src/shared/core/checks/unseen-flips.ts'
import { differenceOf } from '../../../../src/shared/core/map-difference.ts'
import * as eg from '../../../support/eg.ts'

const read = (checks: readonly Check[], change = {}) => ({
  checks,
  unreadable: 0,
  at: eg.now,
  intervalMs: 60_000,
  serverOffsetMs: 0,
  ...change,
})
const withBoardOf = (checks: readonly Check[]) =>
  eg.state({ boards: new Map([[eg.opsId, eg.board(checks)]]) })

const checksOf = (state: ReturnType<typeof withBoardOf>) =>
  state.boards.get(eg.opsId)?.checks ?? new Map<string, Check>()
const isEqual = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

interface Row {
  readonly n: number
  readonly pings: number
  readonly isNew: boolean
}

/** A list made from rows, sharing some objects; or the last list, unchanged or with a row moved. */
function nextList(
  list: readonly Check[],
  poll: readonly Row[] | { readonly from: number; readonly to: number } | null,
): readonly Check[] {
  if (poll === null) return [...list]
  if ('from' in poll) {
    const moved = list[poll.from]
    const rest = list.filter((_, place) => place !== poll.from)
    return moved === undefined ? rest : rest.toSpliced(poll.to, 0, moved)
  }
  return poll.map(({ n, pings, isNew }) => {
    const id = `check-${n}`
    const known = list.find((one) => one.id === id)
    if (known !== undefined && !isNew) return known
    return eg.check({ id, writable: false, name: id, pingCount: pings, tags: [`tag-${n % 3}`] })
  })
}

describe('a board', () => {
  test('keeps its map and its checks if the reply did not change', () => {
    const checks = [eg.check(), eg.check({ tags: ['a', 'b'] })]
    const before = withBoardOf(checks)
    const after = withChecks(before, eg.opsId, read(checks.map((one) => structuredClone(one))))
    expect(after.boards.get(eg.opsId)?.checks).toBe(before.boards.get(eg.opsId)?.checks)
    expect(after.boards.get(eg.opsId)?.notified).toBe(before.boards.get(eg.opsId)?.notified)
    expect(after.boards.get(eg.opsId)?.freshness.readAt).toBe(eg.now)
  })

  test('keeps the unchanged checks as they are when one changes', () => {
    const [steady, other] = [eg.check(), eg.check()]
    const after = withChecks(
      withBoardOf([steady, other]),
      eg.opsId,
      read([{ ...steady }, { ...other, status: 'down', since: null }]),
    )
    expect(after.boards.get(eg.opsId)?.checks.get(steady.id)).toBe(steady)
    expect(after.boards.get(eg.opsId)?.counts).toMatchObject({ up: 1, down: 1 })
  })

  test('drops checks that the server no longer lists', () => {
    const [stays, goes] = [eg.check(), eg.check()]
    const after = withChecks(withBoardOf([stays, goes]), eg.opsId, read([stays]))
    expect([...(after.boards.get(eg.opsId)?.checks.keys() ?? [])]).toEqual([stays.id])
    expect(after.boards.get(eg.opsId)?.notified?.has(goes.id)).toBe(false)
  })

  test('has the checks of each reply, however they moved, and knows which of them differ', () => {
    const row = fc.record({ n: fc.nat(30), pings: fc.nat(2), isNew: fc.boolean() })
    const poll = fc.oneof(
      fc.uniqueArray(row, { maxLength: 30, selector: ({ n }) => n }),
      // Some ids occur twice.
      fc.array(row, { maxLength: 30 }),
      fc.constant(null),
      fc.record({ from: fc.nat(30), to: fc.nat(30) }),
    )
    fc.assert(
      fc.property(fc.array(poll, { maxLength: 8 }), (polls) => {
        let state = withBoardOf([])
        let list: readonly Check[] = []
        for (const one of polls) {
          list = nextList(list, one)
          const before = checksOf(state)
          state = withChecks(state, eg.opsId, read(list))
          const after = checksOf(state)
          const expected = new Map(list.map((check) => [check.id, check]))
          expect(after).toEqual(expected)
          const changed = [...expected].filter(([id, check]) => !isEqual(before.get(id), check))
          const { changed: found, gone } = differenceOf(before, after)
          expect(new Set(found)).toEqual(new Set(changed.map(([id]) => id)))
          expect([...gone].sort()).toEqual(
            [...before.keys()].filter((id) => !expected.has(id)).sort(),
          )
          for (const [id, check] of after)
            if (!found.includes(id)) expect(check).toBe(before.get(id))
        }
      }),
      { seed: 20_261_122, numRuns: 300 },
    )
  })

  test('keeps a check that was listed twice and then once', () => {
    const [one, twin, other] = [eg.check({ id: 'a' }), eg.check({ id: 'a' }), eg.check({ id: 'b' })]
    let state = withBoardOf([])
    for (const list of [[one, twin, other], [one, other], [twin, one], [twin]]) {
      state = withChecks(state, eg.opsId, read(list))
      expect([...checksOf(state).keys()].sort()).toEqual([...new Set(list.map(({ id }) => id))])
    }
  })

  test('has the last of two entries with the same id, in every reply that contains both', () => {
    const [first, last] = [eg.check({ id: 'a', status: 'down' }), eg.check({ id: 'a' })]
    let state = withBoardOf([])
    for (const list of [
      [first, last],
      [first, last],
      [first, last, eg.check()],
      [last, first],
    ]) {
      state = withChecks(state, eg.opsId, read(list))
      expect(checksOf(state).get('a')?.status).toBe(list.findLast(({ id }) => id === 'a')?.status)
    }
  })

  test('follows the list again after a single reply differed from it', () => {
    const checks = [eg.check(), eg.check()] as const
    const listed = withChecks(withBoardOf([]), eg.opsId, read(checks))
    const paused = { ...checks[0], status: 'paused' } as const
    const shown = withCheck(listed, eg.opsId, paused, eg.now)
    expect(checksOf(shown).get(paused.id)?.status).toBe('paused')
    const after = withChecks(shown, eg.opsId, read([...checks]))
    expect(checksOf(after).get(paused.id)?.status).toBe('up')
  })

  test('remembers since when a check is down while the replies do not say', () => {
    const down = eg.check({ status: 'down', since: eg.now - eg.hour })
    const after = withChecks(
      withBoardOf([down]),
      eg.opsId,
      read([{ ...down, since: null, pingCount: 9 }]),
    )
    expect(after.boards.get(eg.opsId)?.checks.get(down.id)?.since).toBe(eg.now - eg.hour)
  })

  test('uses the time it saw the change, by the server’s clock, when nothing better is known', () => {
    const check = eg.check()
    const after = withChecks(
      withBoardOf([check]),
      eg.opsId,
      read([{ ...check, status: 'down', since: null }], { serverOffsetMs: 5_000 }),
    )
    expect(after.boards.get(eg.opsId)?.checks.get(check.id)?.since).toBe(eg.now + 5_000)
  })

  test('keeps what was read, with its age, when a poll fails', () => {
    const failure = { kind: 'serverFault', httpStatus: 502 } as const
    const before = withBoardOf([eg.check()])
    const after = withChecksFailed(before, eg.opsId, failure, eg.now)
    const board = after.boards.get(eg.opsId)
    expect(board?.checks.size).toBe(1)
    expect(board?.freshness).toMatchObject({
      readAt: eg.fresh.readAt,
      failure,
      failedAt: eg.now,
    })
    const again = withChecksFailed(after, eg.opsId, failure, eg.now + 5_000)
    expect(again.boards.get(eg.opsId)?.freshness.failedAt).toBe(eg.now)
  })

  test('does not count an unknown status as notified', () => {
    const down = eg.check({ status: 'down' })
    const odd = withChecks(withBoardOf([down]), eg.opsId, read([{ ...down, status: 'unknown' }]))
    expect(odd.boards.get(eg.opsId)?.notified?.get(down.id)).toBe('down')
  })

  test('shows the reply to a pause before the next poll', () => {
    const check = eg.check()
    const after = withCheck(withBoardOf([check]), eg.opsId, { ...check, status: 'paused' }, eg.now)
    expect(after.boards.get(eg.opsId)?.counts).toMatchObject({ up: 0, paused: 1 })
  })

  test('of a removed account is not brought back by a late reply', () => {
    const state = eg.state({ boards: new Map() })
    expect(withChecks(state, eg.opsId, read([eg.check()]))).toBe(state)
  })

  test('has no notified statuses before its first read', () => {
    expect(emptyBoard(eg.opsId, null).notified).toBeNull()
  })

  test('keeps what the previous run saw of other checks, however long ago, until the list is read', () => {
    const [one, other] = [eg.check({ name: 'one' }), eg.check({ name: 'other' })]
    const at = eg.now - 3 * eg.day
    const snapshots = new Map([one, other].map((check) => [check.id, snapshotOf(check, at)]))
    const before = emptyBoard(eg.opsId, new Map(), { ...nothingMissed, snapshots })
    const state = eg.state({ boards: new Map([[eg.opsId, before]]) })
    const snapshotsOf = (after: typeof state) => [
      ...(after.boards.get(eg.opsId)?.missed.snapshots.keys() ?? []),
    ]
    const opened = withCheck(state, eg.opsId, one, eg.now)
    expect(snapshotsOf(opened)).toEqual([other.id])
    const pinged = { ...one, pingCount: one.pingCount + 1 }
    expect(snapshotsOf(withChecks(opened, eg.opsId, read([pinged])))).toEqual([])
  })
})
