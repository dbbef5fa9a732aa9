import { describe, expect, test } from 'vitest'
import type { Account } from '../../../../src/shared/core/account.ts'
import type { Board } from '../../../../src/shared/core/checks/board.ts'
import { type Check, checkName, noChecks } from '../../../../src/shared/core/checks/check.ts'
import { countStatuses, countWords } from '../../../../src/shared/core/checks/status-counts.ts'
import {
  type BoardQuery,
  type BoardRow,
  boardView,
} from '../../../../src/shared/core/views/board-view.ts'
import { parseCheckFilter } from '../../../../src/shared/core/views/check-filter.ts'
import { silence } from '../../../support/attention-eg.ts'
import * as eg from '../../../support/eg.ts'

const web = eg.account({ id: 'web', label: 'web-project' })

function view(
  boards: Readonly<Record<string, Board>>,
  { filter = '', ...query }: Partial<Omit<BoardQuery, 'filter'>> & { filter?: string } = {},
  accounts: readonly Account[] = [eg.account(), web],
) {
  const made = boardView(accounts, new Map(Object.entries(boards)), {
    groupBy: 'project',
    sortBy: 'status',
    folds: new Map(),
    silences: [],
    pins: [],
    now: eg.now,
    ...query,
    filter: parseCheckFilter(filter),
  })
  return { ...made, rows: [...made.rows] }
}

/** One word per row: `[project]` open, `(project)` folded, `!note`, or the check's name. */
function outline(rows: readonly BoardRow[]): string[] {
  return rows.map((row) => {
    if (row.kind === 'group') return row.open ? `[${row.title}]` : `(${row.title})`
    return row.kind === 'note' ? `!${row.note.is}` : checkName(row.check)
  })
}

const well = (name: string) => eg.board([eg.check({ name })])

describe('the board view', () => {
  test('sorts the checks of a project worst first, then by name', () => {
    const checks = [
      eg.check({ name: 'job 10' }),
      eg.check({ name: 'job 2' }),
      eg.check({ name: 'idle', status: 'paused' }),
      eg.check({ name: 'fresh', status: 'new' }),
      eg.check({ name: 'odd', status: 'unknown' }),
      eg.check({ name: 'late', status: 'grace' }),
      eg.check({ name: 'broken', status: 'down' }),
    ]
    expect(outline(view({ ops: eg.board(checks) }, {}, [eg.account()]).rows)).toEqual([
      '[ops-project]',
      'broken',
      'late',
      'odd',
      'fresh',
      'job 2',
      'job 10',
      'idle',
    ])
  })

  test('sorts projects with trouble first and folds one that is all well', () => {
    const boards = { ops: well('fine'), web: eg.board([eg.check({ name: 'bad', status: 'down' })]) }
    expect(outline(view(boards).rows)).toEqual(['[web-project]', 'bad', '(ops-project)'])
  })

  test('does not fold the only project, where folding would make room for nothing', () => {
    const rows = view({ ops: well('fine') }, {}, [eg.account()]).rows
    expect(outline(rows)).toEqual(['[ops-project]', 'fine'])
  })

  test("follows the user's choice of what is open and folded", () => {
    const boards = { ops: eg.board([eg.check({ status: 'down' })]), web: well('fine') }
    const folds = new Map([
      ['project/ops', false],
      ['project/web', true],
    ])
    expect(outline(view(boards, { folds }).rows)).toEqual([
      '(ops-project)',
      '[web-project]',
      'fine',
    ])
  })

  test('shows only what matches a filter, in groups opened for it', () => {
    const boards = { ops: well('backup'), web: well('mailer') }
    const { rows, matching, total } = view(boards, { filter: 'back' })
    expect(outline(rows)).toEqual(['[ops-project]', 'backup'])
    expect({ matching, total }).toEqual({ matching: 1, total: 2 })
  })

  test('marks a project as stale ten seconds after its interval has passed', () => {
    const boards = { ops: well('fine') }
    const at = (seconds: number) =>
      view(boards, { now: eg.fresh.readAt! + seconds * 1_000 }, [eg.account()]).rows.map(
        (row) => row.kind !== 'note' && row.stale,
      )
    expect(at(70)).toEqual([false, false])
    expect(at(71)).toEqual([true, true])
  })

  test('ends with the checks of which the previous run kept nothing, whatever the filter', () => {
    const left = eg.board([eg.check({ name: 'db', status: 'down' })], {
      counts: { ...noChecks, down: 1, up: 12 },
      freshness: { ...eg.fresh, isOfLastRun: true },
    })
    const rowsOf = (query: Parameters<typeof view>[1]) =>
      outline(view({ ops: left }, query, [eg.account()]).rows)
    expect(rowsOf({})).toEqual(['[ops-project]', 'db', '!more'])
    expect(rowsOf({ filter: 'd' })).toEqual(['[ops-project]', 'db', '!more'])
    expect(rowsOf({ groupBy: 'none' })).toEqual(['db', '!more'])
    expect(rowsOf({ groupBy: 'status' }).at(-1)).toBe('!more')
  })

  test('has a note for a missing key, a failed connection, unreadable checks or no checks', () => {
    const failure = { kind: 'serverFault', httpStatus: 502 } as const
    const accounts = [
      eg.account({ id: 'a', key: 'rejected' }),
      eg.account({ id: 'b' }),
      eg.account({ id: 'c' }),
      eg.account({ id: 'd' }),
      eg.account({ id: 'e' }),
    ]
    const boards = {
      b: eg.board([eg.check({ name: 'old' })], { freshness: { ...eg.fresh, failure } }),
      c: eg.board([eg.check({ name: 'readable' })], { unreadable: 2 }),
      d: eg.board(),
    }
    const rows = view(boards, {}, accounts).rows
    expect(outline(rows).filter((one) => !one.startsWith('['))).toEqual([
      '!key',
      '!failed',
      'old',
      '!unreadable',
      'readable',
      '!empty',
      '!reading',
    ])
  })

  test('shows a check under each of its tags, counts it once and names its project', () => {
    const boards = {
      ops: eg.board([eg.check({ name: 'both', tags: ['db', 'prod'], status: 'down' })]),
      web: eg.board([eg.check({ name: 'bare' })]),
    }
    const { rows, matching } = view(boards, { groupBy: 'tag' })
    expect(outline(rows)).toEqual(['[#db]', 'both', '[#prod]', 'both', '(No tag)'])
    expect(matching).toBe(2)
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length)
    expect(rows[1]).toMatchObject({ project: 'ops-project', tags: ['prod'] })
  })

  test('lists all projects as one when flat', () => {
    const boards = {
      ops: well('b-fine'),
      web: eg.board([eg.check({ name: 'z', status: 'down' }), eg.check({ name: 'a-fine' })]),
    }
    expect(outline(view(boards, { groupBy: 'none' }).rows)).toEqual(['z', 'a-fine', 'b-fine'])
  })

  test('keeps the order right as checks change, arrive and leave', () => {
    const names = () => outline(view({ ops: board }, {}, [eg.account()]).rows).slice(1)
    const [a, b, c] = ['a', 'b', 'c'].map((name) => eg.check({ name }))
    let board = eg.board([c!, a!, b!])
    expect(names()).toEqual(['a', 'b', 'c'])
    board = eg.board([a!, b!, { ...c!, status: 'down' }])
    expect(names()).toEqual(['c', 'a', 'b'])
    board = eg.board([{ ...b!, name: 'z' }, c!, eg.check({ name: 'bb' })])
    expect(names()).toEqual(['bb', 'c', 'z'])
  })
})

describe('a group with silenced trouble', () => {
  const tags = ['db']
  const down = eg.check({ id: 'down', name: 'broken', status: 'down', tags })
  const late = eg.check({ id: 'late', name: 'slow', status: 'grace', tags })
  const up = eg.check({ id: 'up', name: 'fine', tags })
  const quiet = ({ id }: Check) =>
    silence({
      id: `s-${id}`,
      scope: { of: 'check', accountId: eg.opsId, checkId: id },
      until: { kind: 'time', at: eg.now + eg.hour },
    })

  test.each([
    ['all of its trouble is silenced', [down, late, up], [down, late], true],
    ['one problem is not silenced', [down, late, up], [down], false],
    ['the other problem is not silenced', [down, late, up], [late], false],
    ['nothing is wrong', [up], [up], false],
  ])('is marked as quiet only if %s', (_where, checks, silenced, expected) => {
    for (const groupBy of ['project', 'tag'] as const) {
      const silences = silenced.map(quiet)
      const { rows } = view({ ops: eg.board(checks) }, { groupBy, silences }, [eg.account()])
      const heard = checks.filter((check) => expected || check === up || !silenced.includes(check))
      expect(rows[0]).toMatchObject({
        kind: 'group',
        isQuiet: expected,
        quiet: checks.length - heard.length,
        // As the tab and the tray count.
        counts: countStatuses(heard),
      })
    }
  })

  test('is not marked as quiet if a check can’t be read, which its header shows', () => {
    const board = eg.board([down], { unreadable: 2 })
    const { rows } = view({ ops: board }, { silences: [quiet(down)] }, [eg.account()])
    expect(rows[0]).toMatchObject({ kind: 'group', unreadable: 2, isQuiet: false })
  })
})

describe('the counts of a group', () => {
  test.each([
    [{ down: 2, grace: 1, up: 40 }, '2 down · 1 late'],
    [{ up: 38 }, 'all 38 up'],
    [{ up: 1 }, '1 up'],
    [{ up: 37, paused: 1 }, '37 up · 1 paused'],
    [{ unknown: 3, up: 2 }, '3 unknown'],
    [{}, 'no checks'],
  ])('%o are "%s"', (counts, words) => {
    expect(countWords({ ...noChecks, ...counts })).toBe(words)
  })

  test('never claim that all are up if some can’t be read', () => {
    expect(countWords({ ...noChecks, up: 38 }, 1)).toBe('38 up · 1 unreadable')
    expect(countWords({ ...noChecks, up: 38, down: 1 }, 2)).toBe('1 down · 2 unreadable')
    expect(countWords(noChecks, 3)).toBe('3 unreadable')
  })
})

describe('a board grouped by status', () => {
  test('has a group for each status, the worst first, and folds what is well', () => {
    const checks = (['up', 'down', 'paused', 'grace'] as const).map((status) =>
      eg.check({ name: `is ${status}`, status }),
    )
    const { rows } = boardView([eg.account()], new Map([[eg.opsId, eg.board(checks)]]), {
      filter: parseCheckFilter(''),
      groupBy: 'status',
      sortBy: 'status',
      folds: new Map(),
      silences: [],
      pins: [],
      now: eg.now,
    })
    const words = [...rows].map((row) =>
      row.kind === 'group'
        ? `${row.title} ${row.status}`
        : row.kind === 'check'
          ? row.check.name
          : '',
    )
    expect(words).toEqual([
      'Down down',
      'is down',
      'Late grace',
      'is grace',
      'Up up',
      'Paused paused',
    ])
  })
})
