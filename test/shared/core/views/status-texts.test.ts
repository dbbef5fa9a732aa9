import { describe, expect, test } from 'vitest'
import { neverRead } from '../../../../src/shared/core/account.ts'
import type { Check } from '../../../../src/shared/core/checks/check.ts'
import { defaultSettings, type SavedView } from '../../../../src/shared/core/settings.ts'
import type { AppState } from '../../../../src/shared/core/state.ts'
import { statusFiles, statusOf } from '../../../../src/shared/core/views/status-texts.ts'
import * as eg from '../../../support/eg.ts'

const view = (key: SavedView['key'], filter: string): SavedView => ({
  ...{ name: 'mine', key, filter, groupBy: 'project', sortBy: 'status' },
})
const watching = (checks: readonly Check[], change: Partial<AppState> = {}, board = {}): AppState =>
  eg.state({
    accounts: [eg.account()],
    boards: new Map([[eg.opsId, eg.board(checks, board)]]),
    realms: new Map(),
    ...change,
  })
const withViews = (state: AppState, ...filters: readonly string[]): AppState => {
  const keys = ['1', '2', '3'] as const
  const views = keys.flatMap((key, index) => {
    const filter = filters[index]
    return filter === undefined ? [] : [view(key, filter)]
  })
  return { ...state, settings: { ...defaultSettings, views } }
}
const said = (state: AppState, now = eg.now) =>
  statusOf(state, now, false).scopes.map(({ exit, line }) => `${exit} ${line}`)

const down = eg.check({ name: 'db-backup', status: 'down', tags: ['db'] })
const overdue = eg.check({ name: 'report', status: 'grace' })
const up = eg.check({ name: 'cert', tags: ['web'] })
const paused = eg.check({ name: 'old', status: 'paused' })
const strange = eg.check({ name: 'new kind', status: 'unknown', rawStatus: 'limbo' })
const acknowledged: Partial<AppState> = {
  silences: [
    {
      id: '1',
      how: 'acknowledge',
      scope: { of: 'project', accountId: eg.opsId },
      until: { kind: 'change' },
      since: eg.now,
      by: null,
      label: '',
      status: 'down',
      messageId: null,
    },
  ],
}

describe('what other programs are told', () => {
  test.each<[string, AppState, string]>([
    ['an account without trouble', watching([up]), '0 ✓ 1 up'],
    ['a check that is down', watching([up, down, overdue]), '1 ▲ 1 down, 1 late'],
    ['one that is late', watching([up, overdue]), '0 ◷ 1 late'],
    ['one that is silenced', watching([up, down], acknowledged), '0 △ 1 silenced'],
    ['paused checks', watching([paused]), '0 ‖ 1 paused'],
    ['no account', watching([], { accounts: [], boards: new Map() }), '2 ? no account yet'],
    [
      'an account that was not read',
      watching([], {}, { freshness: neverRead }),
      '2 ? no fresh data',
    ],
    [
      'a key that is gone',
      watching([up], { accounts: [eg.account({ key: 'missing' })] }),
      '2 ? key problem',
    ],
    ['a check that cannot be read', watching([up], {}, { unreadable: 1 }), '2 ? no fresh data'],
    ['a status of a newer service', watching([up, strange]), '2 ? no fresh data, 1 unknown'],
    ['an old outage', watching([down], {}, { freshness: neverRead }), '1 ▲ 1 down'],
    ['a project without checks', watching([]), '0 ✓ no checks'],
  ])('of %s is its shape in words and a code', (_of, state, line) => {
    expect(said(state)).toEqual([line])
  })

  test('becomes stale when the last read is too old, without another one', () => {
    expect(said(watching([up]), eg.now + 5 * eg.minute)).toEqual(['2 ? no fresh data'])
  })

  test('of a saved view concerns its checks only', () => {
    const state = withViews(watching([down, up, overdue]), '#db', '#web', 'is:late')
    expect(said(state)).toEqual(['1 ▲ 1 down, 1 late', '1 ▲ 1 down', '0 ✓ 1 up', '0 ◷ 1 late'])
  })

  test('of a saved view is stale with any project, and for a filter that matches nothing', () => {
    const state = withViews(watching([up, down]), '#web', '#wbe', 'is:frob')
    expect(said(state)).toEqual(['1 ▲ 1 down', '0 ✓ 1 up', '2 ? no checks', '2 ? no checks'])
    const { boards } = watching([up], {}, { freshness: neverRead })
    expect(said({ ...state, boards })[1]).toBe('2 ? no fresh data')
  })

  test('of a saved view follows time, tags and names', () => {
    const since = eg.now - 5 * eg.minute
    const state = withViews(watching([{ ...down, since }, up]), 'down:>10m', 'project:ops')
    const fresh = { ...eg.fresh, intervalMs: eg.hour }
    const boards = new Map([[eg.opsId, eg.board([{ ...down, since }, up], { freshness: fresh })]])
    expect(said({ ...state, boards })).toEqual(['1 ▲ 1 down', '2 ? no checks', '1 ▲ 1 down'])
    expect(said({ ...state, boards }, eg.now + 6 * eg.minute)[1]).toBe('1 ▲ 1 down')
    const accounts = [eg.account({ label: 'renamed' })]
    expect(said({ ...state, boards, accounts })[2]).toBe('2 ? no checks')
  })

  test('names the worst checks, unless notifications must not name them either', () => {
    const state = watching([up, down, overdue])
    const [open] = statusOf(state, eg.now, false).scopes
    expect(open).toMatchObject({
      words: '1 check down; 1 check late.',
      worst: [
        { name: 'db-backup', status: 'down', project: 'ops-project' },
        { name: 'report', status: 'late', project: 'ops-project' },
      ],
    })
    const stale = watching([up, down], {}, { freshness: neverRead })
    expect(JSON.stringify(statusOf(stale, eg.now, false))).toContain('ops-project')
    for (const one of [state, stale, withViews(stale, '#db')]) {
      const told = JSON.stringify(statusOf(one, eg.now, true))
      expect(told).not.toMatch(/ops-project|db-backup|report|mine/)
    }
  })

  test('stays the same while only time passes', () => {
    const state = withViews(watching([down, up]), '#db')
    expect(statusOf(state, eg.now + 20_000, false)).toEqual(statusOf(state, eg.now, false))
  })

  test('contains ten names at most, and counts all', () => {
    const checks = Array.from({ length: 40 }, (_, at) =>
      eg.check({ name: `job ${at}`, status: 'down' }),
    )
    const [all] = statusOf(watching(checks), eg.now, false).scopes
    expect(all?.worst).toHaveLength(10)
    expect(all?.counts['down']).toBe(40)
  })
})

describe('the status files', () => {
  const validity = { from: eg.now + 1, until: eg.now + 75_001, pid: 7 }

  test('say until when they hold, never a second too long', () => {
    const { status, json } = statusFiles(statusOf(watching([up]), eg.now, false), validity)
    const [, head] = status.split('\n')
    expect(head).toBe(`${eg.now / 1_000} ${eg.now / 1_000 + 75} 7`)
    expect(JSON.parse(json)).toMatchObject({
      ...{ belfry: 1, verdict: 'well', exit: 0, shape: 'good', pid: 7, views: [] },
      writtenAt: '2026-03-17T14:25:00.001Z',
      validUntil: '2026-03-17T14:26:15.001Z',
    })
  })

  test('have the views in JSON too', () => {
    const { json } = statusFiles(
      statusOf(withViews(watching([down]), '#db'), eg.now, false),
      validity,
    )
    expect(JSON.parse(json)).toMatchObject({ exit: 1, view: null, views: [{ exit: 1, view: '1' }] })
  })
})
