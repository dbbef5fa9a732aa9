import { describe, expect, test } from 'vitest'
import type { Check } from '../../src/shared/core/check.ts'
import type { AppState } from '../../src/shared/core/state.ts'
import { nextStaleAt, trayView } from '../../src/shared/core/tray-view.ts'
import * as eg from '../support/eg.ts'

const watching = (checks: readonly Check[], change: Partial<AppState> = {}, board = {}): AppState =>
  eg.state({
    accounts: [eg.account()],
    boards: new Map([[eg.opsId, eg.board(checks, board)]]),
    realms: new Map(),
    ...change,
  })
const shape = (state: AppState) => trayView(state, eg.now).shape
const labels = (state: AppState) =>
  trayView(state, eg.now).menu.flatMap((item) => ('label' in item ? [item.label] : ['—']))
const up = () => eg.check()
const oldRead = { freshness: { ...eg.fresh, readAt: eg.now - 2 * 60_000 - 1 } }

describe('the tray', () => {
  test('is good when everything was read within two intervals and is up', () => {
    expect(shape(watching([up(), up()]))).toBe('good')
  })

  test.each([
    ['one check is down', 'down', watching([up(), eg.check({ status: 'down' })])],
    ['one is late', 'late', watching([up(), eg.check({ status: 'grace' })])],
    ['the data are older than two intervals', 'stale', watching([up()], {}, oldRead)],
    [
      'nothing was read yet',
      'stale',
      watching([], {}, { freshness: { ...eg.fresh, readAt: null } }),
    ],
    [
      'the key was rejected',
      'key',
      watching([up()], { accounts: [eg.account({ key: 'rejected' })] }),
    ],
    ['everything is paused', 'paused', watching([eg.check({ status: 'paused' })])],
    [
      'there is no account',
      'empty',
      eg.state({ accounts: [], boards: new Map(), realms: new Map() }),
    ],
    ['a check could not be read', 'stale', watching([up()], {}, { unreadable: 1 })],
    ['a status is unknown', 'stale', watching([up(), eg.check({ status: 'unknown' })])],
    [
      'a check is down and the data are old',
      'down',
      watching([eg.check({ status: 'down' })], {}, oldRead),
    ],
    [
      'a check is down and another key was rejected',
      'down',
      watching([eg.check({ status: 'down' })], {
        accounts: [eg.account(), eg.chatAccount({ key: 'rejected' })],
      }),
    ],
    [
      'a check is late and the data are old',
      'stale',
      watching([eg.check({ status: 'grace' })], {}, oldRead),
    ],
  ] as const)('when %s is %s', (_case, expected, state) => {
    expect(shape(state)).toBe(expected)
  })

  test('is never good while one of two accounts was not read', () => {
    const state = eg.state({
      boards: new Map([[eg.opsId, eg.board([up()])]]),
      realms: new Map([[eg.chatId, eg.realm([], { freshness: { ...eg.fresh, readAt: null } })]]),
    })
    expect(shape(state)).toBe('stale')
  })

  test('counts what is down and says the most urgent first', () => {
    const view = trayView(
      eg.state({
        realms: new Map([[eg.chatId, eg.realm([eg.message({ flags: ['mentioned'] })])]]),
      }),
      eg.now,
    )
    expect(view.count).toBe(1)
    expect(view.tooltip).toBe('1 down, 1 late, 1 up · 1 mention · read 12 s ago')
  })

  test('keeps its chat mark beside a check that is down', () => {
    const realms = (flags: ('mentioned' | 'read')[]) =>
      new Map([[eg.chatId, eg.realm([eg.message({ conversation: eg.direct, flags })])]])
    const withRealm = (flags: ('mentioned' | 'read')[]) => eg.state({ realms: realms(flags) })
    expect(trayView(withRealm([]), eg.now)).toMatchObject({ shape: 'down', mark: 'unread' })
    expect(trayView(withRealm(['mentioned']), eg.now)).toMatchObject({
      shape: 'down',
      mark: 'mention',
    })
    expect(trayView(withRealm(['read']), eg.now).mark).toBe('none')
  })

  test('never says more than 127 characters', () => {
    const accounts = [eg.account({ label: 'x'.repeat(300), key: 'rejected' })]
    expect(trayView(watching([up()], { accounts }), eg.now).tooltip.length).toBeLessThanOrEqual(127)
  })

  test('knows when its data turn stale', () => {
    const state = watching([up()])
    const at = nextStaleAt(state, eg.now)!
    expect(shape(state)).toBe('good')
    expect(trayView(state, at).shape).toBe('stale')
    expect(trayView(state, at - 2).shape).toBe('good')
  })
})

describe('the tray menu', () => {
  test('lists the worst checks and the unread conversations, each opening on it', () => {
    const down = eg.check({ name: 'db-backup', status: 'down' })
    const state = eg.state({
      boards: new Map([
        [eg.opsId, eg.board([up(), eg.check({ name: 'mailer', status: 'grace' }), down])],
      ]),
      realms: new Map([[eg.chatId, eg.realm([eg.message({ conversation: eg.direct })])]]),
    })
    expect(labels(state)).toEqual([
      'Open board',
      'Quick reply…',
      '—',
      'db-backup (down for 2 h 13 min)',
      expect.stringMatching(/^mailer \(late/),
      '—',
      'Ana (1 unread)',
      '—',
      'Refresh',
      'Quit',
    ])
    const item = trayView(state, eg.now).menu[3]
    expect(item).toMatchObject({
      action: { do: 'open', target: { view: 'check', checkId: down.id } },
    })
  })

  test('folds a long list of trouble', () => {
    const checks = Array.from({ length: 20 }, () => eg.check({ status: 'down' }))
    expect(labels(watching(checks))).toContain('… 12 more')
  })

  test('shows other people’s names on one line without control or direction characters', () => {
    const state = watching([eg.check({ name: 'a\nb\u202egpj.exe', status: 'down' })])
    expect(labels(state).find((label) => label.includes('gpj'))).toMatch(/^a b gpj\.exe \(down/)
  })
})
