import { describe, expect, test } from 'vitest'
import { withoutAccount } from '../../../src/main/accounts/account-commands.ts'
import { blindness } from '../../../src/shared/core/attention/blindness.ts'
import { eventsBetween } from '../../../src/shared/core/attention/events-between.ts'
import { type Board, withChecks } from '../../../src/shared/core/checks/board.ts'
import type { Check } from '../../../src/shared/core/checks/check.ts'
import { projectsOf } from '../../../src/shared/core/projects.ts'
import type { AppState } from '../../../src/shared/core/state.ts'
import { trayView } from '../../../src/shared/core/views/tray-view.ts'
import * as eg from '../../support/eg.ts'

const [x, y, z] = [eg.check({ name: 'x' }), eg.check({ name: 'y' }), eg.check({ name: 'z' })]
const down = (check: Check): Check => ({ ...check, status: 'down', rawStatus: 'down' })

/** Two accounts on one server; the first has the better key. */
const both = (first: Board, second: Board) =>
  eg.state({
    accounts: [
      eg.account({ id: 'a', label: 'A' }),
      eg.account({ id: 'b', label: 'B', keyKind: 'readOnly' }),
    ],
    boards: new Map([
      ['a', { ...first, accountId: 'a' }],
      ['b', { ...second, accountId: 'b' }],
    ]),
    realms: new Map(),
  })
const shown = (state: AppState) => [...projectsOf(state).boards.keys()]
const read = (state: AppState, id: string, checks: readonly Check[]) =>
  withChecks(state, id, {
    checks,
    unreadable: 0,
    at: eg.now,
    intervalMs: 60_000,
    serverOffsetMs: 0,
  })
const told = (before: AppState, after: AppState) =>
  eventsBetween(before, after, eg.now, (uuid) => uuid).map(({ title }) => title)

describe('two projects that both list a check while it is moved from one to the other', () => {
  test('stay two, and whatever is down in either shows on the icon', () => {
    for (const state of [
      both(eg.board([x, down(y)]), eg.board([z, x])),
      both(eg.board([x, y]), eg.board([down(z), x])),
    ])
      expect([shown(state), trayView(state, eg.now).shape]).toEqual([['a', 'b'], 'down'])
  })

  test('stay two, and one that can’t be read is neither green nor overlooked', () => {
    const freshness = {
      ...eg.fresh,
      readAt: eg.now - eg.hour,
      failedAt: eg.now - 59 * eg.minute,
      failure: { kind: 'serverFault', httpStatus: 500 } as const,
    }
    const state = both(eg.board([x, y], { freshness }), eg.board([z, x]))
    expect(trayView(state, eg.now).shape).toBe('stale')
    expect(
      blindness(state, eg.now, { gaps: [], startedAt: eg.now, onlineAt: 0 }).map(
        ({ title }) => title,
      ),
    ).toEqual(['A can’t be read'])
  })

  test('notify about what goes down meanwhile', () => {
    const before = both(eg.board([x, y]), eg.board([z]))
    const moved = read(before, 'b', [down(z), x])
    const after = read(moved, 'a', [y])
    expect([...told(before, moved), ...told(moved, after)]).toEqual(['z is down'])
  })
})

test('two accounts that turn out to be one project repeat no notification', () => {
  const before = both(eg.board([x]), eg.board([x]))
  const added = read(before, 'b', [x, down(y), down(z)])
  const after = read(added, 'a', [x, down(y), down(z)])
  expect([before, added, after].map(shown)).toEqual([['a'], ['a', 'b'], ['a']])
  expect([...told(before, added), ...told(added, after)]).toEqual(['y is down', 'z is down'])
})

test('an account hidden behind another notifies about its own outages once that one has another project', () => {
  const before = both(eg.board([x, y]), eg.board([down(x), y]))
  expect(shown(before)).toEqual(['a'])
  const after = read(before, 'a', [z])
  expect(shown(after)).toEqual(['a', 'b'])
  expect(told(before, after)).toEqual(['x is down'])
})

test('an outage that only the remaining account had read is notified when the other is removed', () => {
  const before = both(eg.board([x, y]), eg.board([down(x), y]))
  expect(told(before, withoutAccount(before, 'a'))).toEqual(['x is down'])
})
