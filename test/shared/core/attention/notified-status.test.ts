import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { uniqueKeyOf } from '../../../../src/main/base/unique-key.ts'
import {
  notifiedStateDocument,
  readNotifiedState,
} from '../../../../src/main/storage/notified-state.ts'
import { eventsBetween } from '../../../../src/shared/core/attention/events-between.ts'
import {
  type Board,
  emptyBoard,
  notifiedStatus,
  withBoard,
} from '../../../../src/shared/core/checks/board.ts'
import { withChecks } from '../../../../src/shared/core/checks/board-update.ts'
import { type CheckStatus, statusOrder } from '../../../../src/shared/core/checks/check.ts'
import * as eg from '../../../support/eg.ts'

type Told = ReadonlyMap<string, CheckStatus>
/** What an answer said. */
interface Seen {
  readonly told: Told
  readonly unreadable: number
}

type Rows = readonly { readonly n: number; readonly status: CheckStatus }[]

interface Poll {
  readonly rows: Rows
  readonly unreadable: number
  readonly restart: boolean
}

/**
 * The plain algorithm: keeps the notified status of every check, even of those that are up.
 * `was`: null since a start.
 */
function plainlyTold(before: Told | null, was: Seen | null, { told: is, unreadable }: Seen): Told {
  const isDoubtful = unreadable > 0 || (is.size === 0 && (was === null || was.told.size > 0))
  const notified = new Map(isDoubtful ? before : [])
  for (const [id, status] of is)
    notified.set(id, status === 'unknown' ? (before?.get(id) ?? 'unknown') : status)
  return notified
}

/** The plain algorithm: the news between two polls, in words. */
function plainNews(before: Told | null, notified: Told, is: Told): string[] {
  if (before === null) return []
  return [...is.keys()].flatMap((id) => {
    const [was, now] = [before.get(id), notified.get(id)]
    if (was === now) return []
    if (now === 'down') return [`down ${id}`]
    if (was === 'down' && (now === 'up' || now === 'grace')) return [`recovered ${id}`]
    return now === 'grace' ? [`late ${id}`] : []
  })
}

const boardOf = (state: ReturnType<typeof eg.state>): Board => {
  const board = state.boards.get(eg.opsId)
  if (board === undefined) throw new Error('no board')
  return board
}

/** A check only ever seen with an unknown status counts as up. */
const orUp = (status: CheckStatus | undefined) => (status === 'unknown' ? 'up' : status)

function restarted(state: ReturnType<typeof eg.state>): ReturnType<typeof eg.state> {
  const { notified } = boardOf(state)
  const boards = new Map(notified === null ? [] : [[eg.opsId, notified]])
  const kept = notifiedStateDocument({ ...readNotifiedState(null), boards })
  const read = readNotifiedState(JSON.parse(JSON.stringify(kept))).boards.get(eg.opsId)
  return withBoard(state, emptyBoard(eg.opsId, read ?? null))
}

describe('the notified status of a check', () => {
  test('is the same, and gives the same news, as if it were kept for every check', () => {
    const row = fc.record({ n: fc.nat(6), status: fc.constantFrom(...statusOrder) })
    const poll = fc.record({
      rows: fc.uniqueArray(row, { maxLength: 7, selector: ({ n }) => n }),
      unreadable: fc.constantFrom(0, 0, 1),
      restart: fc.constantFrom(false, false, true),
    })
    fc.assert(
      fc.property(fc.array(poll, { maxLength: 10 }), (polls) => comparePolls(polls)),
      { seed: 20_261_122, numRuns: 1_000, examples: [[endOfDoubt], [emptyTwice]] },
    )
  })
})

/** Check 0 is gone once every row could be read, though the list is the same. */
const endOfDoubt: readonly Poll[] = [
  { rows: [{ n: 0, status: 'down' }], unreadable: 0, restart: false },
  { rows: [{ n: 1, status: 'up' }], unreadable: 1, restart: false },
  { rows: [{ n: 1, status: 'up' }], unreadable: 0, restart: false },
  { rows: [{ n: 0, status: 'down' }], unreadable: 0, restart: false },
]

/** Check 0 is gone once the list was empty twice. */
const emptyTwice: readonly Poll[] = [
  { rows: [{ n: 0, status: 'down' }], unreadable: 0, restart: false },
  { rows: [], unreadable: 0, restart: false },
  { rows: [], unreadable: 0, restart: false },
  { rows: [{ n: 0, status: 'down' }], unreadable: 0, restart: false },
]

function comparePolls(polls: readonly Poll[]): void {
  let state = eg.state({ boards: new Map([[eg.opsId, emptyBoard(eg.opsId, null)]]) })
  let plain: Told | null = null
  let was: Seen | null = null
  for (const { rows, unreadable, restart } of polls) {
    if (restart) {
      state = restarted(state)
      was = null
    }
    const is = new Map(rows.map(({ n, status }) => [`check-${n}`, status]))
    const checks = [...is].map(([id, status]) => eg.check({ id, name: id, status }))
    const read = { checks, unreadable, at: eg.now, intervalMs: 60_000, serverOffsetMs: 0 }
    const after = withChecks(state, eg.opsId, read)
    const notified = plainlyTold(plain, was, { told: is, unreadable })
    const news = eventsBetween(state, after, eg.now, uniqueKeyOf).map(
      (event) => `${event.kind} ${event.of === 'check' ? event.checkId : ''}`,
    )
    expect(news.sort()).toEqual(plainNews(plain, notified, is).sort())
    for (const id of is.keys())
      expect(notifiedStatus(boardOf(after), id)).toBe(orUp(notified.get(id)))
    state = after
    plain = notified
    was = { told: is, unreadable }
  }
}
