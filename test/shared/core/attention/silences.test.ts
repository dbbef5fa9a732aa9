import { describe, expect, test } from 'vitest'
import { uniqueKeyOf } from '../../../../src/main/base/unique-key.ts'
import { neverRead } from '../../../../src/shared/core/account.ts'
import { eventsBetween } from '../../../../src/shared/core/attention/events-between.ts'
import { emptyMemory } from '../../../../src/shared/core/attention/memory.ts'
import { withOutageMessages } from '../../../../src/shared/core/attention/outage-messages.ts'
import { oddRunEvents } from '../../../../src/shared/core/attention/runs/odd-runs.ts'
import { oddKinds } from '../../../../src/shared/core/attention/runs/usual-runs.ts'
import { saysState } from '../../../../src/shared/core/attention/same-event.ts'
import {
  quietChecks,
  quietWords,
  type Silence,
} from '../../../../src/shared/core/attention/silence.ts'
import { silencesOn } from '../../../../src/shared/core/attention/silences-on.ts'
import { withSilencesEnded } from '../../../../src/shared/core/attention/silences-update.ts'
import { stillDownEvents } from '../../../../src/shared/core/attention/still-down.ts'
import { withBoard } from '../../../../src/shared/core/checks/board.ts'
import { withMissed } from '../../../../src/shared/core/checks/board-update.ts'
import type { AppState } from '../../../../src/shared/core/state.ts'
import {
  offeredSpans,
  spanEnd,
  spanWords,
} from '../../../../src/shared/core/views/until-choices.ts'
import * as eg from '../../../support/eg.ts'

function silence(change: Partial<Silence> = {}): Silence {
  return {
    id: 's',
    how: 'snooze',
    scope: { of: 'check', accountId: eg.opsId, checkId: 'db' },
    until: { kind: 'ever' },
    since: eg.now - 2 * eg.minute,
    by: null,
    label: 'db',
    status: 'down',
    messageId: null,
    ...change,
  }
}

const local = (text: string): number => new Date(text).getTime()

test('an expired snooze of a tag reminds once per project, as soon as the project has been read', () => {
  const [db, web] = [
    eg.check({ status: 'down', tags: ['t'] }),
    eg.check({ status: 'down', tags: ['t'] }),
  ]
  const unread = eg.board([], {
    accountId: 'web',
    notified: new Map([[web.id, 'down']]),
    freshness: neverRead,
  })
  const until = { kind: 'time', at: eg.now - 1 } as const
  const names = (state: AppState) =>
    stillDownEvents(state, state, [], emptyMemory, eg.now).map(({ title }) =>
      title.replace(' is still down', ''),
    )
  const first = eg.state({
    accounts: [eg.account(), eg.account({ id: 'web', baseUrl: 'https://web.example.org' })],
    boards: new Map([
      [eg.opsId, eg.board([db])],
      ['web', unread],
    ]),
    silences: [silence({ scope: { of: 'tag', tag: 't' }, status: null, label: '#t', until })],
  })
  expect(names(first)).toEqual([db.name])
  const asked = withSilencesEnded(first, [], eg.now)
  expect(names(asked)).toEqual([])
  expect(withSilencesEnded(asked, [], eg.now)).toBe(asked)
  const read = withBoard(asked, eg.board([web], { accountId: 'web' }))
  expect(names(read)).toEqual([web.name])
  expect(withSilencesEnded(read, [], eg.now).silences).toEqual([])
})

describe('the length of a silence', () => {
  // Each by this computer's calendar; on a Monday "Monday" means the next one.
  test.each([
    ['2026-03-17T14:25', '2026-03-18T09:00', '2026-03-23T09:00'],
    ['2026-03-16T08:00', '2026-03-17T09:00', '2026-03-23T09:00'],
    ['2026-03-22T23:59', '2026-03-23T09:00', '2026-03-23T09:00'],
    ['2026-12-31T10:00', '2027-01-01T09:00', '2027-01-04T09:00'],
    // The night of the change to summer time in Europe is an hour shorter.
    ['2026-03-28T22:00', '2026-03-29T09:00', '2026-03-30T09:00'],
    // At night "tomorrow" means the coming morning.
    ['2026-03-18T00:30', '2026-03-18T09:00', '2026-03-23T09:00'],
    ['2026-03-23T04:59', '2026-03-23T09:00', '2026-03-30T09:00'],
    ['2026-03-18T05:00', '2026-03-19T09:00', '2026-03-23T09:00'],
  ])('chosen at %s is until %s or Monday %s', (now, tomorrow, monday) => {
    const offered = offeredSpans(local(now))
    expect(offered.map(({ digit, span }) => [digit, spanEnd(span, local(now))])).toEqual([
      [1, local(now) + 30 * eg.minute],
      [2, local(now) + eg.hour],
      [3, local(now) + 4 * eg.hour],
      [4, local(tomorrow)],
      // On a Sunday both are the same morning, offered once.
      ...(tomorrow === monday ? [] : [[5, local(monday)]]),
    ])
  })

  test('names the right morning, even in a menu opened before midnight', () => {
    const [before, after] = [local('2026-03-17T23:59'), local('2026-03-18T00:01')]
    const span = { kind: 'tomorrow' } as const
    expect(spanWords(span, before)).toBe('Until tomorrow 09:00')
    expect(spanWords(span, after)).toBe('Until 09:00')
    expect(spanEnd(span, after)).toBe(spanEnd(span, before))
    expect(spanWords(span, before, 'at')).toBe('Tomorrow morning')
    expect(spanWords(span, after, 'at')).toBe('This morning')
  })
})

describe('the words of a silence', () => {
  test.each<[Partial<Silence>, string]>([
    [{ until: { kind: 'change' } }, 'snoozed until it changes'],
    [{}, 'snoozed until you turn it off'],
    [{ how: 'acknowledge', by: 'Ana', until: { kind: 'change' } }, 'acknowledged by Ana 2 min ago'],
    [
      { how: 'acknowledge', by: 'Ana', until: { kind: 'change' }, messageId: 7 },
      'acknowledged by Ana in the chat 2 min ago',
    ],
    [
      { scope: { of: 'tag', tag: 'web' }, label: '#web' },
      'snoozed with #web until you turn it off',
    ],
    [
      {
        how: 'mute',
        scope: { of: 'channel', accountId: eg.chatId, channelId: 1 },
        until: { kind: 'change' },
      },
      'muted until someone mentions you',
    ],
  ])('%j: %s', (change, words) => {
    expect(quietWords(silence(change), eg.now)).toBe(words)
  })

  test('set by a clock that runs ahead do not speak of the future', () => {
    const ahead = silence({ how: 'acknowledge', since: eg.now + eg.minute })
    expect(quietWords(ahead, eg.now)).toBe('acknowledged just now')
  })
})

describe('the index of silenced checks', () => {
  test('gives the same answers as a search', () => {
    const over = { kind: 'time', at: eg.now } as const
    const silences = [
      silence({ id: 'over', scope: { of: 'project', accountId: 'web' }, until: over }),
      silence({ id: 'tag', scope: { of: 'tag', tag: 'prod' } }),
      silence({ id: 'check' }),
    ]
    const quiet = quietChecks(silences, eg.now)
    for (const accountId of [eg.opsId, 'web'])
      for (const id of ['db', 'other'])
        for (const tags of [[], ['prod'], ['web', 'prod']]) {
          const found = silences.some(
            ({ scope, until }) =>
              (until.kind !== 'time' || until.at > eg.now) &&
              ((scope.of === 'check' && scope.accountId === accountId && scope.checkId === id) ||
                (scope.of === 'tag' && tags.includes(scope.tag)) ||
                (scope.of === 'project' && scope.accountId === accountId)),
          )
          expect(quiet(accountId, { id, tags }) !== null).toBe(found)
        }
    expect(quiet(eg.opsId, { id: 'db', tags: ['prod'] })?.id).toBe('check')
  })
})

describe('an acknowledgement', () => {
  const scope = { of: 'check', accountId: eg.opsId, checkId: 'x' } as const
  const own = silence({
    how: 'acknowledge',
    scope,
    until: { kind: 'change' },
    status: 'down',
    since: eg.now - eg.hour,
  })

  test.each([
    ['before it', 2 * eg.hour, true],
    ['since', eg.minute, false],
  ])('survives a missed outage that ended %s: %s', (_name, ago, goesOn) => {
    const check = eg.check({ id: 'x', status: 'down' })
    const state = eg.state({
      boards: new Map([[eg.opsId, eg.board([check], { serverOffsetMs: eg.day })]]),
      silences: [own],
    })
    const to = eg.now + eg.day - ago
    const outage = { checkId: 'x', from: to - eg.minute, to, kind: 'down' } as const
    const after = withMissed(state, eg.opsId, ({ missed }) => ({ ...missed, found: [outage] }))
    const events = eventsBetween(state, after, eg.now, uniqueKeyOf)
    expect(events.map(({ kind }) => kind)).toEqual(['missed'])
    expect(silencesOn(events[0]!, [own], eg.now).length > 0).toBe(goesOn)
    expect(withSilencesEnded(after, events, eg.now).silences.length > 0).toBe(goesOn)
  })

  test.each([
    { how: 'made after the read of a new outage', readAgo: 2 * eg.hour, goesOn: true },
    { how: 'made before that read', readAgo: eg.minute, goesOn: false },
    { how: 'by a reaction, after it', readAgo: 2 * eg.hour, messageId: 7, goesOn: false },
  ])('$how goes on while flips show that it was up before: $goesOn', (its) => {
    const { readAgo, messageId = null, goesOn } = its
    const up = eg.check({ id: 'x', status: 'up' })
    const readAt = eg.now + eg.day - readAgo
    const board = eg.board([up], { serverOffsetMs: eg.day })
    const again = new Map([['x', { upForMs: eg.minute, readAt }]])
    const state = eg.state({
      boards: new Map([[eg.opsId, { ...board, missed: { ...board.missed, again } }]]),
      silences: [{ ...own, messageId }],
    })
    expect(withSilencesEnded(state, [], eg.now).silences.length > 0).toBe(goesOn)
  })
})

test.each(
  (['change', 'answer'] as const).flatMap((until) =>
    (['up', 'grace'] as const).map((status) => ({ until, status })),
  ),
)(
  'A silence until the $until of a check that is $status covers its odd runs, and goes on',
  (its) => {
    const { status } = its
    const check = eg.check({ id: 'db', status })
    const board = eg.board([check])
    const own = silence({ until: { kind: its.until }, status })
    const state = eg.state({ boards: new Map([[eg.opsId, board]]), silences: [own] })
    const run = {
      checkId: 'db',
      isRunning: false,
      seconds: 60,
      usual: null,
      limitSeconds: 30,
      runs: 20,
    }
    const odd = oddKinds.map((kind) => ({ ...run, kind }))
    const events = oddRunEvents(state, board, odd, eg.now)
    expect(events.map((event) => silencesOn(event, [own], eg.now))).toEqual(odd.map(() => [own]))
    expect(withSilencesEnded(state, events, eg.now)).toBe(state)
  },
)

describe('a bot’s message', () => {
  test.each([
    ['db-backup is DOWN. Last ping was 3 hours ago.', 'db-backup', true],
    ['Check "Nightly Backup" is down', 'nightly backup', true],
    ['db-backup-2 is DOWN', 'db-backup', false],
    ['my db-backup is UP', 'db-backup', false],
    ['DOWN with it: db-backup', 'db-backup', false],
    ['db-backup\nis DOWN', 'db-backup', false],
    ['anything is DOWN', '', false],
  ])('%j says that %s is down: %s', (text, name, tells) => {
    expect(saysState(text, name, 'down')).toBe(tells)
  })
})

describe('the messages about an outage', () => {
  const bot = { id: 15, name: 'Monitoring', isBot: true }
  const check = eg.check({ name: 'db-backup', status: 'down', since: eg.now - eg.minute })
  const before = eg.state({
    boards: new Map([[eg.opsId, eg.board([check])]]),
    realms: new Map([[eg.chatId, eg.realm([], { users: new Map([[15, bot]]) })]]),
  })
  const written = (sentAt: number, senderId = 15): AppState => {
    const text = 'db-backup is DOWN.'
    const html = `<p><a href="https://hc.example.org/cloaked/${check.id}/">db-backup</a> is DOWN.</p>`
    const message = eg.message({ senderId, text, html, sentAt })
    const realm = eg.realm([message], { users: new Map([[15, bot]]) })
    return { ...before, realms: new Map([[eg.chatId, realm]]) }
  }

  test('are a bot’s, about this outage', () => {
    const found = withOutageMessages(before, written(eg.now), eg.now, uniqueKeyOf).outageMessages
    expect(found).toMatchObject([{ projectId: eg.opsId, checkId: check.id, accountId: eg.chatId }])
  })

  test('are neither people’s nor about an earlier outage', () => {
    expect(
      withOutageMessages(before, written(eg.now, 7), eg.now, uniqueKeyOf).outageMessages,
    ).toEqual([])
    const old = written(eg.now - eg.hour)
    expect(withOutageMessages(before, old, eg.now, uniqueKeyOf).outageMessages).toEqual([])
  })

  test('are those of an outage that began long before, also while a project was not read yet', () => {
    const since = eg.now - eg.hour
    const long = eg.board([{ ...check, since }])
    const unread = eg.board([], { accountId: 'web', notified: null, freshness: neverRead })
    const said = written(since + eg.minute)
    const after = {
      ...said,
      boards: new Map([
        [eg.opsId, long],
        ['web', unread],
      ]),
    }
    const found = withOutageMessages(
      { ...before, boards: after.boards },
      after,
      eg.now,
      uniqueKeyOf,
    )
    expect(found.outageMessages).toHaveLength(1)
  })

  test('are neither of a check that is only late nor, of several that are down, of one’s earlier outage', () => {
    const none = (...checks: (typeof check)[]) => {
      const boards = new Map([[eg.opsId, eg.board(checks)]])
      const after = { ...written(eg.now - 30 * eg.minute), boards }
      return withOutageMessages({ ...before, boards }, after, eg.now, uniqueKeyOf).outageMessages
    }
    const other = eg.check({ status: 'down', since: eg.now - eg.hour })
    expect(none({ ...check, status: 'grace', since: eg.now - eg.hour })).toEqual([])
    expect(none(check, other)).toEqual([])
  })

  test('are found for a thousand checks at once, up to a limit', () => {
    const checks = Array.from({ length: 1_000 }, (_, n) =>
      eg.check({ name: `job-${n}`, status: 'down', since: eg.now }),
    )
    const messages = checks.map(({ id, name }) => {
      const html = `<a href="https://hc.example.org/cloaked/${id}/">${name}</a> is DOWN.`
      return eg.message({ senderId: 15, text: `${name} is DOWN.`, html, sentAt: eg.now })
    })
    const realm = eg.realm(messages, { users: new Map([[15, bot]]) })
    const after = {
      ...before,
      boards: new Map([[eg.opsId, eg.board(checks)]]),
      realms: new Map([[eg.chatId, realm]]),
    }
    const found = withOutageMessages(before, after, eg.now, uniqueKeyOf).outageMessages
    expect(found).toHaveLength(500)
  })
})
