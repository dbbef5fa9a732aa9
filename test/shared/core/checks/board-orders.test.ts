import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type BoardOrderName,
  boardOrderChoices,
} from '../../../../src/shared/core/checks/board-orders.ts'
import type { Check, CheckStatus } from '../../../../src/shared/core/checks/check.ts'
import { isTrouble } from '../../../../src/shared/core/checks/status-counts.ts'
import { type BoardQuery, boardView } from '../../../../src/shared/core/views/board-view.ts'
import { parseCheckFilter } from '../../../../src/shared/core/views/check-filter.ts'
import { problemsOf } from '../../../../src/shared/core/views/tray-menu.ts'
import * as eg from '../../../support/eg.ts'

const accounts = [eg.account(), eg.account({ id: 'web', label: 'web-project' })]

/** The checks of each project as the board lists them. */
function listed(
  projects: readonly (readonly Check[])[],
  query: Partial<BoardQuery>,
): readonly Check[] {
  const boards = new Map(
    projects.map((checks, at) => [accounts[at]!.id, eg.board(checks)] as const),
  )
  const { rows } = boardView(accounts.slice(0, projects.length), boards, {
    filter: parseCheckFilter(''),
    groupBy: 'none',
    sortBy: 'status',
    folds: new Map(),
    silences: [],
    pins: [],
    now: eg.now,
    ...query,
  })
  return [...rows].flatMap((row) => (row.kind === 'check' ? [row.check] : []))
}

const severity: readonly CheckStatus[] = ['down', 'grace', 'unknown', 'new', 'up', 'paused']

/** The sort keys before the name, ascending: the orders once more, in their plainest form. */
const oracle: Readonly<Record<BoardOrderName, (check: Check) => readonly number[]>> = {
  status: ({ status, since }) => [severity.indexOf(status), since === null ? -Infinity : since],
  name: () => [],
  nextPing: ({ nextPingAt: at }) => [at === null ? Infinity : at],
  lastPing: ({ lastPingAt: at }) => [at === null ? Infinity : -at],
  duration: ({ lastDurationSeconds: time }) => [time === null ? Infinity : -time],
}

function comesBefore(order: BoardOrderName, a: Check, b: Check): boolean {
  const [one, other] = [oracle[order](a), oracle[order](b)]
  for (const [at, value] of one.entries())
    if (value !== other[at]) return value < (other[at] ?? Number.NaN)
  return a.name === b.name ? a.id < b.id : a.name < b.name
}

/** Sorts by repeatedly picking the first. */
function picked(order: BoardOrderName, checks: readonly Check[]): readonly Check[] {
  const first = checks.find((one) =>
    checks.every((other) => other === one || comesBefore(order, one, other)),
  )
  if (first === undefined) return []
  return [
    first,
    ...picked(
      order,
      checks.filter((check) => check !== first),
    ),
  ]
}

const few = fc.option(fc.constantFrom(1, 2, 3), { nil: null })
const times = fc.record({
  name: fc.constantFrom('a', 'b', 'c'),
  status: fc.constantFrom(...severity),
  since: few,
  nextPingAt: few,
  lastPingAt: few,
  lastDurationSeconds: fc.option(fc.constantFrom(0, 1, 2), { nil: null }),
})
const project = (id: string) =>
  fc
    .array(times, { maxLength: 12 })
    .map((list) => list.map((one, at) => eg.check({ ...one, id: `${id}${at}` })))
const order = fc.constantFrom(...boardOrderChoices.map(([name]) => name))

describe('an order of the board', () => {
  const checks = [
    eg.check({ name: 'new trouble', status: 'down', since: 9, nextPingAt: null, lastPingAt: 4 }),
    eg.check({ name: 'old trouble', status: 'down', since: 5, nextPingAt: null, lastPingAt: 1 }),
    eg.check({ name: 'late', status: 'grace', since: 1, nextPingAt: 8, lastPingAt: 3 }),
    eg.check({ name: 'fine', since: null, nextPingAt: 20, lastPingAt: 2, lastDurationSeconds: 7 }),
    eg.check({ name: 'back', since: 8, nextPingAt: 10, lastPingAt: 9, lastDurationSeconds: 60 }),
    eg.check({ name: 'first', status: 'new', nextPingAt: null, lastPingAt: null }),
  ]

  test.each([
    ['status', ['old trouble', 'new trouble', 'late', 'first', 'fine', 'back']],
    ['name', ['back', 'fine', 'first', 'late', 'new trouble', 'old trouble']],
    ['nextPing', ['late', 'back', 'fine', 'first', 'new trouble', 'old trouble']],
    ['lastPing', ['back', 'new trouble', 'late', 'fine', 'old trouble', 'first']],
    ['duration', ['back', 'fine', 'first', 'late', 'new trouble', 'old trouble']],
  ] as const)('by %s is as listed', (sortBy, names) => {
    for (const groupBy of ['project', 'tag', 'none'] as const)
      expect(listed([checks], { sortBy, groupBy }).map(({ name }) => name)).toEqual(names)
    expect(picked(sortBy, checks).map(({ name }) => name)).toEqual(names)
  })

  test('is right for any checks, as they and the order change', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(project('o'), order), { maxLength: 4 }), (steps) => {
        for (const [own, sortBy] of steps)
          expect(listed([own], { sortBy })).toEqual(picked(sortBy, own))
      }),
      { numRuns: 300 },
    )
  })

  test('lists pinned checks first, sorted, however the others are grouped', () => {
    const grouping = fc.constantFrom('project', 'tag', 'status', 'none' as const)
    fc.assert(
      fc.property(project('o'), project('w'), order, grouping, fc.array(fc.nat(11)), (...given) => {
        const [own, others, sortBy, groupBy, picks] = given
        const isPinned = ({ id }: Check) => picks.some((at) => id === `o${at}` || id === `w${at}`)
        const all = [...own, ...others]
        const pins = all
          .filter(isPinned)
          .map(({ id }) => ({ accountId: id.startsWith('o') ? eg.opsId : 'web', checkId: id }))
        const shown = listed([own, others], { sortBy, groupBy, pins })
        const first = picked(sortBy, all.filter(isPinned))
        expect(shown.slice(0, first.length)).toEqual(first)
        const rest = shown.slice(first.length)
        if (groupBy !== 'none') expect(rest.filter(isPinned)).toEqual([])
        else
          expect(rest).toEqual(
            picked(
              sortBy,
              all.filter((check) => !isPinned(check)),
            ),
          )
      }),
      { numRuns: 300 },
    )
  })

  test('sorts several projects together in a flat list', () => {
    fc.assert(
      fc.property(project('o'), project('w'), order, (own, others, sortBy) => {
        expect(listed([own, others], { sortBy })).toEqual(picked(sortBy, [...own, ...others]))
      }),
      { numRuns: 300 },
    )
  })

  test('by status is the same in the tray', () => {
    fc.assert(
      fc.property(project('o'), (own) => {
        const state = eg.state({ boards: new Map([[eg.opsId, eg.board(own)]]) })
        const problems = problemsOf(state, eg.now).map(({ check }) => check)
        expect(problems).toEqual(listed([own], {}).filter(isTrouble))
      }),
    )
  })
})
