import * as v from 'valibot'
import { expect, test } from 'vitest'
import { lastBoardSchema } from '../../../../src/main/storage/last-board-schema.ts'
import { isFresh } from '../../../../src/shared/core/account.ts'
import { emptyBoard, withBoard } from '../../../../src/shared/core/checks/board.ts'
import { withChecks } from '../../../../src/shared/core/checks/board-update.ts'
import { emptyState } from '../../../../src/shared/core/state.ts'
import {
  lastBoardOf,
  notShown,
  withLastBoards,
} from '../../../../src/shared/core/views/last-board.ts'
import * as eg from '../../../support/eg.ts'

const nonePinned = () => false
const notRead = (last: ReturnType<typeof lastBoardOf>) =>
  withBoard(emptyState, { ...emptyBoard(eg.opsId, new Map()), last })
const shown = (last: ReturnType<typeof lastBoardOf>) => {
  const board = withLastBoards(notRead(last)).boards.get(eg.opsId)
  if (board === undefined) throw new Error('the board is gone')
  return board
}
const many = Array.from({ length: 500 }, (_, at) => eg.check({ id: `c${at}`, name: `job ${at}` }))

test('a board of the previous run is shown as it was read, through JSON and its schema', () => {
  const checks = [
    eg.check({ id: 'a', status: 'down', tags: ['db', 'prod'], since: null, slug: 'own-slug' }),
    eg.check({ id: 'b', schedule: { kind: 'cron', expression: '0 4 * * *', zone: 'UTC' } }),
    eg.check({ id: 'c', status: 'paused', nextPingAt: null, started: true }),
  ]
  const left = lastBoardOf(eg.board(checks, { serverOffsetMs: 7 }), nonePinned)
  const [, read] = v.parse(lastBoardSchema, JSON.parse(JSON.stringify([eg.opsId, left])))
  const board = shown(read)
  expect([...board.checks.values()]).toEqual(checks)
  expect(board).toMatchObject({ counts: { up: 1, down: 1, paused: 1 }, serverOffsetMs: 7 })
  expect(board.freshness.readAt).toBe(eg.fresh.readAt)
  expect(notShown(board)).toBe(0)
})

test('is never fresh, however soon the app was started again', () => {
  const at = eg.fresh.readAt ?? 0
  expect(isFresh(eg.fresh, at)).toBe(true)
  expect(isFresh(shown(lastBoardOf(eg.board(many), nonePinned)).freshness, at)).toBe(false)
})

test('keeps the pinned and the worst checks, in the order of the list, and counts the others', () => {
  const checks = many.map((check, at) =>
    at === 400 ? { ...check, status: 'down' as const } : check,
  )
  const last = lastBoardOf(eg.board(checks), (id) => id === 'c499')
  const ids = last?.checks.map(({ id }) => id) ?? []
  expect(ids).toHaveLength(60)
  expect(ids.slice(-2)).toEqual(['c400', 'c499'])
  const board = shown(last)
  expect(board.counts).toMatchObject({ up: 499, down: 1 })
  expect(notShown(board)).toBe(440)
})

test('is kept over runs that read nothing, and gone with the first read', () => {
  const last = lastBoardOf(eg.board(many), nonePinned)
  const state = notRead(last)
  expect(lastBoardOf(state.boards.get(eg.opsId) ?? eg.board(), nonePinned)).toBe(last)
  const { readAt } = eg.fresh
  const read = { checks: many.slice(1), unreadable: 0, intervalMs: 60_000, serverOffsetMs: 0 }
  const after = withChecks(state, eg.opsId, { ...read, at: (readAt ?? 0) + 60_000 })
  expect(withLastBoards(after)).toBe(after)
  expect(after.boards.get(eg.opsId)).toMatchObject({ last: null })
  expect(after.boards.get(eg.opsId)?.checks.size).toBe(499)
})

test('nothing is news of what the previous run left: to all but the window, the board is unread', () => {
  const { checks, freshness } = emptyBoard(eg.opsId, new Map())
  expect(notRead(lastBoardOf(eg.board(many), nonePinned)).boards.get(eg.opsId)).toMatchObject({
    checks,
    freshness,
  })
})
