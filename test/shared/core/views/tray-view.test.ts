import { describe, expect, test } from 'vitest'
import { neverRead } from '../../../../src/shared/core/account.ts'
import type { Silence } from '../../../../src/shared/core/attention/silence.ts'
import { conversationKey } from '../../../../src/shared/core/chat/conversation.ts'
import type { Check } from '../../../../src/shared/core/checks/check.ts'
import { defaultSettings } from '../../../../src/shared/core/settings.ts'
import type { AppState } from '../../../../src/shared/core/state.ts'
import { clockWords } from '../../../../src/shared/core/time.ts'
import { statusOf } from '../../../../src/shared/core/views/status-texts.ts'
import type { TrayMenuItem } from '../../../../src/shared/core/views/tray.ts'
import {
  iconWords,
  nextStaleAt,
  shownIconWords,
  type TrayShape,
  trayShapes,
  trayView,
} from '../../../../src/shared/core/views/tray-view.ts'
import * as eg from '../../../support/eg.ts'

const silence = (change: Partial<Silence> = {}): Silence => ({
  id: 'silence-1',
  how: 'acknowledge',
  scope: { of: 'project', accountId: eg.opsId },
  until: { kind: 'change' },
  since: eg.now,
  by: null,
  label: 'db-backup',
  status: 'down',
  messageId: null,
  ...change,
})
const silenced = (check: Check, change: Partial<Silence> = {}): Silence =>
  silence({ scope: { of: 'check', accountId: eg.opsId, checkId: check.id }, ...change })
const disturb = (until: Silence['until']): Silence =>
  silence({ how: 'mute', scope: { of: 'everything' }, until })
const entry = (items: readonly TrayMenuItem[], start: string): TrayMenuItem => {
  const found = items.find((item) => 'label' in item && item.label.startsWith(start))
  if (found === undefined) throw new Error(`no "${start}" in ${JSON.stringify(items)}`)
  return found
}
const submenu = (item: TrayMenuItem): readonly TrayMenuItem[] =>
  'submenu' in item ? item.submenu : []

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
/** The cause of a check last pinged `last` minutes ago and expected `expected` minutes ago. */
const missed = (last: number, expected: number): string =>
  `No ping since ${clockWords(eg.now - last * eg.minute, eg.now)}; expected ${clockWords(eg.now - expected * eg.minute, eg.now)}`
const up = () => eg.check()
interface Ingredients {
  readonly checks: readonly Check[]
  readonly accounts: AppState['accounts']
  readonly silences: readonly Silence[]
}
const oldRead = { freshness: { ...eg.fresh, readAt: eg.now - 70_001 } }
const failing = (ms: number) => {
  const failure = { kind: 'serverFault', httpStatus: 502 } as const
  return { freshness: { ...eg.fresh, failure, failedAt: eg.now - ms } }
}

describe('the tray', () => {
  test('is green when everything was read within its interval and is up', () => {
    expect(shape(watching([up(), up()]))).toBe('good')
  })

  test.each([
    ['one check is down', 'down', watching([up(), eg.check({ status: 'down' })])],
    ['one is late', 'late', watching([up(), eg.check({ status: 'grace' })])],
    ['the data are older than an interval', 'stale', watching([up()], {}, oldRead)],
    [
      'reading has failed for more than ten seconds',
      'stale',
      watching([up()], {}, failing(10_001)),
    ],
    ['a read has just failed', 'good', watching([up()], {}, failing(10_000))],
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
    const words = expected === 'good' ? /^Green: \w/ : /^(?!Green)\w/
    expect(iconWords(state, eg.now)).toMatch(words)
  })

  test('explains why it is green, and every reason why it is not', () => {
    expect(iconWords(watching([up()]), eg.now)).toBe(
      'Green: ops-project was updated within its interval.',
    )
    expect(iconWords(eg.state({ boards: new Map([[eg.opsId, eg.board([up()])]]) }), eg.now)).toBe(
      'Green: all 2 accounts were updated within their interval.',
    )
    const broken = watching([eg.check({ status: 'down' }), eg.check({ status: 'grace' })], {
      accounts: [eg.account(), eg.chatAccount({ key: 'rejected' })],
      boards: new Map([[eg.opsId, eg.board([eg.check({ status: 'down' })], failing(60 * 60_000))]]),
    })
    expect(iconWords(broken, eg.now)).toMatch(
      /^1 check down; the key of Example can’t be used; ops-project unreachable since \d\d:\d\d\.$/,
    )
    expect(iconWords(watching([eg.check({ status: 'paused' })]), eg.now)).toBe(
      'All checks are paused.',
    )
  })

  test('gives each reason once, and mentions paused checks only if all are paused', () => {
    const late = eg.check({ status: 'grace' })
    const down = eg.check({ status: 'down' })
    const overrun = eg.check({ status: 'grace', started: true })
    const checks = [down, late, overrun, eg.check({ status: 'paused' })]
    expect(iconWords(watching(checks, { silences: [silenced(down)] }), eg.now)).toBe(
      '2 checks late; 1 check down (1 acknowledged).',
    )
  })

  /** Worst first. */
  const holding: Readonly<Record<Exclude<TrayShape, 'empty'>, () => Partial<Ingredients>>> = {
    down: () => ({ checks: [eg.check({ status: 'down' })] }),
    key: () => ({ accounts: [eg.chatAccount({ key: 'rejected' })] }),
    stale: () => ({ checks: [eg.check({ status: 'unknown' })] }),
    late: () => ({ checks: [eg.check({ status: 'grace' })] }),
    overrun: () => ({ checks: [eg.check({ status: 'grace', started: true })] }),
    silenced: () => {
      const check = eg.check({ status: 'down' })
      return { checks: [check], silences: [silenced(check)] }
    },
    paused: () => ({ checks: [eg.check({ status: 'paused' })] }),
    good: () => ({ checks: [up()] }),
  }
  const order = Object.keys(holding) as (keyof typeof holding)[]
  const pairs = order.flatMap((worse, at) =>
    order.slice(at).map((better) => [worse, better] as const),
  )

  test.each(pairs)('shows "%s" even if "%s" also holds', (worse, better) => {
    const [one, other] = [holding[worse](), holding[better]()]
    const state = watching([...(one.checks ?? []), ...(other.checks ?? [])], {
      accounts: [eg.account(), ...(one.accounts ?? []), ...(other.accounts ?? [])],
      silences: [...(one.silences ?? []), ...(other.silences ?? [])],
    })
    // "paused" applies only if all checks are paused.
    const expected = worse === 'paused' && better === 'good' ? 'good' : worse
    const view = trayView(state, eg.now)
    expect(view.shape).toBe(expected)
    expect(iconWords(state, eg.now)).toMatch(expected === 'good' ? /^Green: \w/ : /^(?!Green)\w/)
    expect(view.hidden).toBe(better === 'silenced' && worse !== 'silenced')
    expect(Object.keys(trayShapes)).toEqual(['empty', ...order.slice(0, -1)])
  })

  test('shows no name while names are hidden, says so, and offers to show them again', () => {
    const check = eg.check({ status: 'down', name: 'db-backup', tags: ['secret'] })
    const settings = { ...defaultSettings, hideNames: true }
    const accounts = [eg.account({ label: 'ops' }), eg.account({ id: 'x', label: 'other' })]
    const seen = trayView({ ...eg.state(), ...watching([check], { settings, accounts }) }, eg.now)
    expect(seen.tooltip).toMatch(/^names hidden · no fresh data from 1 account · 1 down · /)
    expect(JSON.stringify(seen)).not.toMatch(/db-backup|secret|ops|other"/)
    expect(entry(seen.menu, 'Names are hidden')).toMatchObject({
      action: { do: 'hideNames', on: false },
    })
    const shown = trayView(watching([check]), eg.now)
    expect(entry(shown.menu, 'Hide names')).toMatchObject({ action: { do: 'hideNames', on: true } })
  })

  const gateway = eg.check({ id: 'gateway', name: 'secret-gateway', status: 'down' })
  /** Checks tagged `prod`, which depend on it, and both alarms were told. */
  const depending = (checks: readonly Check[], change: Partial<AppState> = {}): AppState =>
    watching(
      [gateway, ...checks],
      {
        dependencies: [
          {
            id: 'dependency-1',
            scope: { of: 'tag', tag: 'prod' },
            label: '#prod',
            on: { accountId: eg.opsId, checkId: gateway.id },
            onLabel: gateway.name,
            out: true,
            overAt: 0,
          },
        ],
        ...change,
      },
      { notified: new Map([gateway, ...checks].map(({ id, status }) => [id, status])) },
    )

  test('does not name what checks depend on while names are hidden', () => {
    const child = eg.check({ status: 'down', tags: ['prod'] })
    const words = (hideNames: boolean) =>
      trayView(depending([child], { settings: { ...defaultSettings, hideNames } }), eg.now)
    expect(words(false).tooltip).toMatch(/^2 down \(1 because secret-gateway is down\) · /)
    expect(words(true).tooltip).toMatch(/^names hidden · 2 down \(1 because of another check\) · /)
    expect(JSON.stringify(words(true))).not.toContain('secret-gateway')
  })

  describe('that counts one saved view', () => {
    const view = {
      name: 'Prod',
      key: '1',
      filter: '#prod',
      groupBy: 'project',
      sortBy: 'status',
    } as const
    const settings = { ...defaultSettings, views: [view], iconView: 'Prod' }
    const prod = (change: Partial<Check> = {}) => eg.check({ tags: ['prod'], ...change })
    const elsewhere = eg.check({ status: 'down', tags: ['test'] })

    test('shows that view alone, says so, and counts what is down elsewhere', () => {
      const state = watching([prod(), elsewhere], { settings })
      const seen = trayView(state, eg.now)
      expect(seen).toMatchObject({ shape: 'good', count: 0, hidden: false })
      expect(seen.tooltip).toMatch(/^Only “Prod” · 1 up · 1 down elsewhere · /)
      expect(labels(state).filter((label) => label.includes('down for'))).toHaveLength(1)
      expect(shownIconWords(state, eg.now)).toMatch(
        /^The icon counts only the view “Prod”. Green: /,
      )
      const down = watching([prod({ status: 'down' }), elsewhere], { settings })
      expect(trayView(down, eg.now)).toMatchObject({ shape: 'down', count: 1 })
    })

    test('is not green while any account can’t be read, or without a check in the view', () => {
      const accounts = [eg.account(), eg.account({ id: 'other' })]
      expect(shape(watching([prod(), elsewhere], { settings, accounts }))).toBe('stale')
      const chat = [eg.account(), eg.chatAccount({ key: 'rejected' })]
      expect(shape(watching([prod()], { settings, accounts: chat }))).toBe('key')
      const nothing = watching([up()], { settings })
      expect(trayView(nothing, eg.now).tooltip).toMatch(/^Only “Prod” · no checks · /)
      expect(shape(nothing)).toBe('empty')
      expect(shownIconWords(nothing, eg.now)).toBe(
        'The icon counts only the view “Prod”, which has no checks.',
      )
    })

    test('knows what its checks depend on elsewhere', () => {
      const state = depending([prod({ status: 'down' })], { settings })
      expect(trayView(state, eg.now).tooltip).toMatch(
        /^Only “Prod” · 1 down \(1 because secret-gateway is down\) · 1 down elsewhere · updated/,
      )
      expect(shownIconWords(state, eg.now)).toContain('(1 because secret-gateway is down)')
      const [, ofView] = statusOf(state, eg.now, false).scopes
      expect(ofView?.words).toContain('(1 because secret-gateway is down)')
    })

    test('counts everything again once the view is gone', () => {
      const gone = { ...settings, views: [{ ...view, name: 'Production' }] }
      const state = watching([prod(), elsewhere], { settings: gone })
      expect(trayView(state, eg.now)).toMatchObject({ shape: 'down', count: 1 })
      expect(trayView(state, eg.now).tooltip).toMatch(/^1 down, 1 up/)
    })
  })

  test('leaves silenced checks out of its count, but marks and mentions them', () => {
    const known = eg.check({ status: 'down' })
    const state = watching([known, eg.check({ status: 'down' }), up()], {
      silences: [silenced(known)],
    })
    expect(trayView(state, eg.now)).toMatchObject({ shape: 'down', count: 1, hidden: true })
    expect(trayView(state, eg.now).tooltip).toMatch(/^2 down \(1 acknowledged\), 1 up/)
    const all = { ...state, silences: [silence({ how: 'snooze' })] }
    expect(trayView(all, eg.now)).toMatchObject({ shape: 'silenced', count: 0, hidden: false })
    expect(trayView(all, eg.now).tooltip).toMatch(/^2 down \(2 snoozed\), 1 up/)
  })

  test('counts a snoozed check again when the snooze ends', () => {
    const check = eg.check({ status: 'down' })
    const silences = [silenced(check, { until: { kind: 'time', at: eg.now + 1_000 } })]
    const state = watching([check], { silences })
    expect(trayView(state, eg.now).shape).toBe('silenced')
    expect(trayView(state, eg.now + 1_000)).toMatchObject({ shape: 'down', count: 1 })
  })

  test('says that do-not-disturb is on, and never hides a check that is down because of it', () => {
    const at = eg.now + eg.hour
    const state = watching([eg.check({ status: 'down' })], {
      silences: [disturb({ kind: 'time', at })],
    })
    expect(trayView(state, eg.now)).toMatchObject({ shape: 'down', count: 1, quiet: true })
    expect(trayView(state, eg.now).tooltip).toMatch(
      /^1 down · check-\d+: No ping .* · quiet until \d\d:\d\d · updated/,
    )
    expect(trayView(state, at).quiet).toBe(false)
  })

  test('is quiet during quiet hours, and always knows when they end', () => {
    const quietHours = {
      ...defaultSettings.attention.quietHours,
      enabled: true,
      zone: 'UTC',
      windows: [{ days: [2], from: '14:00', to: '15:00' }],
    }
    const settings = {
      ...defaultSettings,
      attention: { ...defaultSettings.attention, quietHours },
    }
    const state = watching([up()], { settings })
    const quiet = (at: number) => trayView(state, at).quiet
    const end = Date.UTC(2026, 2, 17, 15)
    expect([eg.now, eg.now + 1, end - 1, end, eg.now - eg.hour].map(quiet)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ])
  })

  test('is never green while one of two accounts has not been read', () => {
    const state = eg.state({
      boards: new Map([[eg.opsId, eg.board([up()])]]),
      realms: new Map([[eg.chatId, eg.realm([], { freshness: { ...eg.fresh, readAt: null } })]]),
    })
    expect(shape(state)).toBe('stale')
  })

  test('counts what is down and names the most urgent first', () => {
    const view = trayView(
      eg.state({
        realms: new Map([[eg.chatId, eg.realm([eg.message({ flags: ['mentioned'] })])]]),
      }),
      eg.now,
    )
    expect(view.count).toBe(1)
    expect(view.tooltip).toBe(
      `1 down, 1 late, 1 up · db-backup: ${missed(203, 143)} · 1 mention · updated 12 s ago`,
    )
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

  test('counts checks with an unknown status', () => {
    const odd = eg.check({ status: 'unknown', rawStatus: 'frozen' })
    expect(trayView(watching([odd, up()]), eg.now).tooltip).toMatch(/^1 unknown, 1 up · /)
  })

  test('has a tooltip of at most 127 characters', () => {
    const accounts = [eg.account({ label: 'x'.repeat(300), key: 'rejected' })]
    expect(trayView(watching([up()], { accounts }), eg.now).tooltip.length).toBeLessThanOrEqual(127)
  })

  test('says how many are down even if an account with a long name can’t be read', () => {
    const down = eg.check({ status: 'down' })
    for (const key of ['present', 'missing'] as const) {
      const accounts = [eg.account({ label: 'p'.repeat(100), key })]
      const board = { freshness: { readAt: eg.now - 3_600_000 } }
      const { tooltip } = trayView(watching([down], { accounts }, board), eg.now)
      expect(tooltip).toContain('1 down')
    }
  })

  test('lists an account that can’t be read with a link to its stale page', () => {
    const old = { ...neverRead, readAt: eg.now - eg.hour, intervalMs: 60_000 }
    const state = watching([up()], {
      accounts: [eg.account({ label: 'ops' }), eg.chatAccount({ label: 'team' })],
      boards: new Map([[eg.opsId, eg.board([up()], { freshness: old })]]),
      realms: new Map([[eg.chatId, eg.realm([], { freshness: old })]]),
    })
    const { menu } = trayView(state, eg.now)
    expect(entry(menu, 'ops: no fresh')).toMatchObject({ action: { target: { view: 'checks' } } })
    expect(entry(menu, 'team: no fresh')).toMatchObject({ action: { target: { view: 'chat' } } })
  })

  test('cuts no emoji in two, and neither does its menu', () => {
    const down = (name: string) => eg.check({ name, status: 'down' })
    const checks = [down('🔥'.repeat(70)), down(`x${'🔥'.repeat(70)}`)]
    const view = trayView(watching(checks), eg.now)
    for (const text of [view.tooltip, ...labels(watching(checks))])
      expect(text.isWellFormed()).toBe(true)
  })

  test.each([
    ['with age', {}],
    ['after a failed read', failing(3_000)],
  ])('knows when its data become stale %s', (_why, board) => {
    const state = watching([up()], {}, board)
    const at = nextStaleAt(state, eg.now)!
    expect(shape(state)).toBe('good')
    expect(trayView(state, at).shape).toBe('stale')
    expect(trayView(state, at - 2).shape).toBe('good')
  })
})

describe('the tray menu', () => {
  test('lists the worst checks and the unread conversations, each with a link', () => {
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
      'New message…',
      '—',
      `db-backup (down for 2 h 13 min): ${missed(203, 143)}`,
      expect.stringMatching(/^mailer \(late/),
      '—',
      'Ana (1 unread)',
      '—',
      'Maintenance',
      'Do not disturb',
      'Hide names (screen sharing)',
      'Refresh now',
      'Quit',
    ])
    const { menu } = trayView(state, eg.now)
    const scope = { of: 'check', accountId: eg.opsId, checkId: down.id }
    const silencing = { do: 'silence', scope }
    const [open, ...actions] = submenu(entry(menu, 'db-backup'))
    expect(open).toMatchObject({
      label: 'Open',
      action: { do: 'open', target: { view: 'check', checkId: down.id } },
    })
    expect(actions).toEqual(
      expect.arrayContaining([
        {
          label: 'Acknowledge',
          action: { ...silencing, how: 'acknowledge', until: { kind: 'change' } },
        },
        {
          label: 'Snooze 1 h',
          action: { ...silencing, how: 'snooze', until: { kind: 'for', minutes: 60 } },
        },
      ]),
    )
    const place = { accountId: eg.chatId, conversation: eg.direct }
    expect(submenu(entry(menu, 'Ana'))).toMatchObject([
      { label: 'Open', action: { do: 'open', target: { view: 'conversation', ...place } } },
      { label: 'Reply…', action: { do: 'open', target: { view: 'conversation', ...place } } },
      { label: 'Mark read', action: { do: 'markRead', ...place } },
    ])
  })

  test('lists silenced checks in a group of their own, where the silence can be ended', () => {
    const check = eg.check({ name: 'db-backup', status: 'down' })
    const state = watching([check], {
      silences: [silenced(check, { by: 'Ana', reason: 'disk full' })],
    })
    expect(labels(state)).toEqual([
      'Open board',
      'Quick reply…',
      '—',
      'Silenced',
      'db-backup (acknowledged by Ana: disk full)',
      '—',
      'Maintenance',
      'Do not disturb',
      'Hide names (screen sharing)',
      'Refresh now',
      'Quit',
    ])
    const { menu } = trayView(state, eg.now)
    expect(submenu(entry(menu, 'db-backup'))).toMatchObject([
      { label: 'Open', action: { do: 'open', target: { view: 'check', checkId: check.id } } },
      { label: 'Unacknowledge', action: { do: 'endSilence', id: 'silence-1' } },
    ])
  })

  test('turns do-not-disturb on for a time, and off', () => {
    const choices = (state: AppState) =>
      submenu(entry(trayView(state, eg.now).menu, 'Do not disturb')).map((item) =>
        'action' in item ? item.action : null,
      )
    const on = [
      { do: 'disturb', until: { kind: 'for', minutes: 30 } },
      { do: 'disturb', until: { kind: 'for', minutes: 60 } },
      { do: 'disturb', until: { kind: 'for', minutes: 240 } },
      { do: 'disturb', until: { kind: 'tomorrow' } },
      { do: 'disturb', until: { kind: 'monday' } },
    ]
    expect(choices(watching([up()]))).toEqual(on)
    const quiet = watching([up()], { silences: [disturb({ kind: 'ever' })] })
    expect(choices(quiet)).toEqual([...on, { do: 'disturb', until: null }])
    expect(labels(quiet)).toContain('Do not disturb (until you turn it off)')
  })

  test('shortens a long list of trouble', () => {
    const checks = Array.from({ length: 1_234 }, () => eg.check({ status: 'down' }))
    expect(labels(watching(checks.slice(0, 20)))).toContain('… 10 more')
    expect(labels(watching(checks))).toContain('… 1,224 more')
  })

  test('leaves out a conversation muted in Belfry, itself or with its channel', () => {
    const accountId = eg.chatId
    const key = conversationKey(eg.message().conversation)
    const unread = (scope?: Silence['scope']) => {
      const silences = scope === undefined ? [] : [silence({ scope, until: { kind: 'ever' } })]
      const state = eg.state({ realms: new Map([[eg.chatId, eg.realm([eg.message()])]]), silences })
      return labels(state).filter((label) => label.includes('unread'))
    }
    expect(unread()).toHaveLength(1)
    expect(unread({ of: 'channel', accountId, channelId: 10 })).toEqual([])
    expect(unread({ of: 'conversation', accountId, key })).toEqual([])
  })

  test('shows foreign names on one line without control or direction characters', () => {
    const state = watching([eg.check({ name: 'a\nb\u202egpj.exe', status: 'down' })])
    expect(labels(state).find((label) => label.includes('gpj'))).toMatch(/^a bgpj\.exe \(down/)
  })
})
