import { describe, expect, test } from 'vitest'
import { withHandedOver, withJoined } from '../../../src/main/accounts/joined-account.ts'
import type { Silence } from '../../../src/shared/core/attention/silence.ts'
import type { CheckStatus } from '../../../src/shared/core/checks/check.ts'
import type { AppState } from '../../../src/shared/core/state.ts'
import { calm, checkEvent, rule, running, silence } from '../../support/attention-eg.ts'
import * as eg from '../../support/eg.ts'
import { type Seeded, seeded } from '../../support/seeded.ts'

const gone = '5f0c1b9e-1f7a-4c53-9a54-0d8a1f6f1e11'
const stays = '0b6de7b0-7d5e-4a0c-8a0f-3f5f7f7c2a22'
const other = 'c0ffee00-0000-4000-8000-000000000003'
const checks = ['aa', 'bb', 'cc', 'dd'].map((id) => eg.check({ id, name: id }))

/** Maps and sets as lists, and nothing of the accounts themselves. */
const textOf = (kept: unknown): string =>
  JSON.stringify(kept, (_key, value: unknown) =>
    value instanceof Map || value instanceof Set ? [...value] : value,
  )

/** Items of every kind that name either account, or another one. */
function random(draw: Seeded) {
  const many = <T>(make: (at: number) => T): T[] =>
    Array.from({ length: draw.whole(0, 6) }, (_, at) => make(at))
  const id = () => draw.pick([gone, gone, stays, other])
  const check = () => ({ accountId: id(), checkId: draw.pick(['aa', 'bb', 'cc']) })
  const scope = (): Silence['scope'] =>
    draw.chance(0.7) ? { of: 'check', ...check() } : { of: 'project', accountId: id() }
  const event = (at: number) =>
    checkEvent({ ...check(), at: eg.now + at, kind: draw.pick(['down', 'recovered', 'late']) })
  const context = {
    ...calm,
    systemQuiet: draw.chance(0.3),
    settings: { ...calm.settings, afterMinutes: draw.chance(0.5) ? 10 : 0 },
  }
  const engine = running(context)
  for (const one of many(event)) engine.at(one.at, [one])
  const place = { tag: null, chatId: 'chat', channelId: 1, topic: '{check}' }
  const base = eg.state()
  const state: AppState = {
    ...base,
    accounts: [gone, stays, other].map((one) => eg.account({ id: one, label: `label ${one[0]}` })),
    boards: new Map(
      [gone, stays, other].map((one) => [one, { ...eg.board(checks), accountId: one }]),
    ),
    silences: [
      ...many((at) => silence({ id: `s${at}`, scope: scope(), awaited: many(id) })),
      ...many((at) => {
        const one = { ...check(), label: '', status: 'down' as const }
        const checks = new Map([[`${one.accountId}/check/${one.checkId}`, one]])
        return { ...silence({ id: `m${at}` }), scope: { of: 'checks' as const }, checks }
      }),
    ],
    incidents: many((at) => ({
      ...{ ...check(), chatId: 'chat', conversation: eg.topic, messageId: at },
      ...{ since: eg.now, told: 'down' as const, toldAt: eg.now },
    })),
    outageMessages: many((at) => {
      const { accountId: projectId, checkId } = check()
      return { projectId, checkId, accountId: 'chat', messageId: 1, seen: [at] }
    }),
    notices: many((at) => {
      const { accountId, checkId } = check()
      const target = { view: 'check', accountId, checkId } as const
      const subject = `${accountId}/check/${checkId}`
      return eg.notice({ id: `${subject}@${at}`, accountId, subject, target })
    }),
    drafts: new Map(
      many((at) => {
        const { accountId, checkId } = check()
        return [`${accountId}/report/${checkId}`, `text ${at}`] as const
      }),
    ),
    settings: {
      ...base.settings,
      pins: many(check),
      selfWatch: draw.chance(0.5) ? check() : null,
      discuss: many((at) => ({ ...place, ...check(), id: `d${at}` })),
      recentPalette: many(() => `check/${id()}/aa`),
      attention: {
        ...base.settings.attention,
        rules: many((at) => rule({ id: `r${at}`, accountId: id() })),
      },
    },
  }
  return { state, memory: engine.memory(), runs: new Map() }
}

describe('two accounts that are joined', () => {
  test('leave nothing that names the one that goes, and lose nothing', () => {
    let named = 0
    for (let seed = 1; seed <= 300; seed += 1) {
      const kept = random(seeded(seed))
      const { state: before } = kept
      const { state, memory } = withJoined(kept, gone, stays)
      named += textOf(kept).split(gone).length - 1
      expect(textOf([state, memory]), `seed ${seed}`).not.toContain(gone)
      expect(withJoined({ ...kept, state, memory }, gone, stays).state, `seed ${seed}`).toEqual(
        state,
      )
      const joined = <T>(value: T) => JSON.parse(textOf(value).replaceAll(gone, stays)) as T
      const bare = (one: object) =>
        textOf({ ...one, id: '', label: '', project: '', seen: [], messageId: 0 })
      const has = (all: readonly object[], one: object) =>
        expect(all.map(bare), `seed ${seed}`).toContain(bare(joined(one)))
      for (const one of before.silences) has(state.silences, one)
      for (const one of before.incidents) has(state.incidents, one)
      for (const one of before.outageMessages) has(state.outageMessages, one)
      for (const one of before.notices) has(state.notices, one)
      for (const one of before.settings.pins) has(state.settings.pins, one)
      expect(state.settings.discuss).toEqual(joined(before.settings.discuss))
      expect(state.settings.attention).toEqual(joined(before.settings.attention))
      expect(state.settings.selfWatch).toEqual(joined(before.settings.selfWatch))
      for (const [key, text] of before.drafts)
        expect(state.drafts.get(joined(key)), `seed ${seed}`).toContain(text)
      const seen = (all: AppState['outageMessages']) =>
        all.flatMap(({ projectId, checkId, seen: users }) =>
          users.map((user) => joined([projectId, checkId, user]).join()),
        )
      expect(new Set(seen(state.outageMessages))).toEqual(new Set(seen(before.outageMessages)))
      expect(state.accounts.map(({ id }) => id)).toEqual([stays, other])
      expect([...state.boards.keys()].sort()).toEqual([stays, other].sort())
    }
    expect(named).toBeGreaterThan(3_000)
  })

  test('pass what names one to the other while both stay connected', () => {
    const kept = random(seeded(5))
    const { state, memory } = withHandedOver(kept, gone, stays)
    const { accounts, boards, ...rest } = state
    expect(textOf([rest, memory])).not.toContain(gone)
    expect([accounts.length, boards.get(gone)?.freshness.readAt]).toEqual([3, null])
  })

  test('name the project that stays in saved views and in what is silenced', () => {
    const base = random(seeded(1))
    const views = [
      ['#db project:"ops old" is:down', '#db project:ops is:down'],
      ['-project:OLD late:>5m', '-project:ops late:>5m'],
      ['project:ops', 'project:ops'],
      ['"project:old"', '"project:old"'],
    ] as const
    const view = { name: 'v', key: '1', groupBy: 'project', sortBy: 'status' } as const
    const [from, to] = base.state.accounts
    const state = {
      ...base.state,
      accounts: [
        { ...from!, label: 'ops old' },
        { ...to!, label: 'ops' },
      ],
      silences: [silence({ scope: { of: 'project', accountId: gone }, label: 'ops old' })],
      settings: {
        ...base.state.settings,
        views: views.map(([filter]) => ({ ...view, filter })),
      },
    }
    const joined = withJoined({ ...base, state }, gone, stays).state
    expect(joined.settings.views.map(({ filter }) => filter)).toEqual(views.map(([, one]) => one))
    expect(joined.silences[0]?.label).toBe('ops')
  })
})

describe('what was notified of a check through two accounts that are joined', () => {
  test.each([
    ['went down while Belfry was off is news', 'down', 'up', 'up'],
    ['came back while Belfry was off is news', 'up', 'down', 'down'],
  ] as const)(
    'is not what the first read of one of them shows: what %s',
    (_name, is, was, told) => {
      const check = eg.check({ id: 'aa', status: is })
      const known = eg.board([], {
        accountId: gone,
        freshness: { ...eg.fresh, readAt: null },
        notified: new Map(was === 'up' ? [] : [['aa', was]]),
      })
      const { missed } = known
      const snapshot = { at: eg.now, status: was, pingCount: 1, started: false } as const
      const snapshots = new Map([
        ['aa', { ...snapshot, lastPingAt: null, deadline: null, plan: '' }],
      ])
      const state = {
        ...eg.state(),
        accounts: [
          eg.account({ id: gone, keyKind: 'readOnly' }),
          eg.account({ id: stays, keyKind: 'readWrite' }),
        ],
        boards: new Map([
          [gone, { ...known, missed: { ...missed, since: eg.now - eg.hour, snapshots } }],
          [
            stays,
            eg.board([check], {
              accountId: stays,
              notified: new Map(is === 'up' ? [] : [['aa', is]]),
              missed: { ...missed, since: null },
            }),
          ],
        ]),
        notices: [],
      }
      const joined = withJoined({ state, memory: running().memory(), runs: new Map() }, gone, stays)
      expect(joined.state.boards.get(stays)?.notified?.get('aa') ?? 'up').toBe(told)
    },
  )

  /**
   * Both were last read before the start, `gone` after `stays`; which notice came last, and which came
   * before it, by a clock that was a day ahead.
   */
  const told = (
    mine: CheckStatus,
    theirs: CheckStatus,
    last: 'down' | 'recovered' | null,
    before: 'down' | 'recovered' | null = null,
  ) => {
    const board = (accountId: string, status: CheckStatus, since: number) =>
      [
        accountId,
        eg.board([], {
          accountId,
          freshness: { ...eg.fresh, readAt: null },
          notified: new Map(status === 'up' ? [] : [['aa', status]]),
          missed: {
            ...eg.board().missed,
            since,
            snapshots: new Map([
              [
                'aa',
                {
                  ...{ at: since, status, pingCount: 1, started: false },
                  ...{ lastPingAt: null, deadline: null, plan: '' },
                },
              ],
            ]),
          },
        }),
      ] as const
    const target = { view: 'check', accountId: stays, checkId: 'aa' } as const
    const base = eg.state()
    const state = {
      ...base,
      accounts: [
        eg.account({ id: gone, keyKind: 'readOnly' }),
        eg.account({ id: stays, keyKind: 'readWrite' }),
      ],
      boards: new Map([
        board(stays, mine, eg.now - eg.minute),
        board(gone, theirs, eg.now - 30_000),
      ]),
      notices: [
        ...(last === null ? [] : [eg.notice({ kind: last, accountId: stays, target })]),
        ...(before === null
          ? []
          : [eg.notice({ kind: before, at: eg.now + eg.day, accountId: stays, target })]),
      ],
    }
    const joined = withJoined({ state, memory: running().memory(), runs: new Map() }, gone, stays)
    return joined.state.boards.get(stays)?.notified?.get('aa') ?? 'up'
  }

  test.each([
    ['both noted', 'down', 'down', null, 'down'],
    ['only the lesser key had noted, which notifies nobody', 'up', 'down', null, 'up'],
    ['the lesser key had noted after a recovery', 'up', 'down', 'recovered', 'up'],
    ['only the better key had noted', 'down', 'up', null, 'down'],
    ['the user was told through the other meanwhile', 'up', 'down', 'down', 'down'],
    ['the user was told of its end through the other', 'down', 'up', 'recovered', 'up'],
  ] as const)('is what %s', (_name, mine, theirs, last, status) => {
    expect(told(mine, theirs, last)).toBe(status)
  })

  test('is what the user was told last, also if the clock was set back since the notice before', () => {
    expect(told('up', 'down', 'recovered', 'down')).toBe('up')
    expect(told('down', 'up', 'down', 'recovered')).toBe('down')
  })
})
