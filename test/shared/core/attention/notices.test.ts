import { describe, expect, test } from 'vitest'
import { uniqueKeyOf } from '../../../../src/main/base/unique-key.ts'
import { step } from '../../../../src/shared/core/attention/engine.ts'
import {
  eventsBetween,
  overBetween as withdrawnBetween,
} from '../../../../src/shared/core/attention/events-between.ts'
import { emptyMemory } from '../../../../src/shared/core/attention/memory.ts'
import type { Notice } from '../../../../src/shared/core/attention/notice.ts'
import { defaultAttention } from '../../../../src/shared/core/attention/rules.ts'
import { withEvent } from '../../../../src/shared/core/chat/chat-apply.ts'
import type { ChatEvent } from '../../../../src/shared/core/chat/chat-event.ts'
import { conversationKey } from '../../../../src/shared/core/chat/conversation.ts'
import type { Message } from '../../../../src/shared/core/chat/message.ts'
import { usualChatSettings } from '../../../../src/shared/core/chat/realm.ts'
import { changeRealm } from '../../../../src/shared/core/chat/realm-update.ts'
import { withChecks, withMissed } from '../../../../src/shared/core/checks/board-update.ts'
import type { Check } from '../../../../src/shared/core/checks/check.ts'
import { snapshotsOf } from '../../../../src/shared/core/checks/missed-flips.ts'
import type { AppState } from '../../../../src/shared/core/state.ts'
import * as eg from '../../../support/eg.ts'

/** What is shown between two states to a user who has seen no notification yet. */
function noticesBetween(before: AppState, after: AppState, now: number): readonly Notice[] {
  const context = {
    settings: after.settings.attention,
    sounds: after.settings.sounds,
    silences: after.silences,
    systemQuiet: false,
    away: null,
    unread: [],
    down: {},
  }
  const happened = { events: eventsBetween(before, after, now, uniqueKeyOf), over: [] }
  return step(emptyMemory, happened, context, now).popUps
}

const project = (checks: readonly Check[], change = {}): AppState =>
  eg.state({ boards: new Map([[eg.opsId, eg.board(checks, change)]]) })
const polled = (state: AppState, checks: readonly Check[]): AppState =>
  withChecks(state, eg.opsId, {
    checks,
    unreadable: 0,
    at: eg.now,
    intervalMs: 60_000,
    serverOffsetMs: 0,
  })
const turned = (check: Check, status: Check['status']): Check => ({ ...check, status, since: null })
const told = (state: AppState, ...messages: Message[]): AppState =>
  changeRealm(state, eg.chatId, (realm) =>
    messages.reduce(
      (next, message) => withEvent(next, { type: 'message', message, localId: null }),
      realm,
    ),
  )

const withWays = (ways: Partial<typeof defaultAttention.ways>) => ({
  ...defaultAttention,
  ways: { ...defaultAttention.ways, ...ways },
})

describe('a project', () => {
  test('whose check goes down gives one notice that leads to the check', () => {
    const check = eg.check({ name: 'db-backup', tags: ['prod', 'db'] })
    const steady = eg.check()
    const before = project([check, steady])
    const after = polled(before, [turned(check, 'down'), steady])
    const notices = noticesBetween(before, after, eg.now)
    expect(notices).toHaveLength(1)
    expect(notices[0]).toMatchObject({
      kind: 'down',
      title: 'db-backup is down',
      target: { view: 'check', accountId: eg.opsId, checkId: check.id },
    })
    // When it was expected, once.
    expect(notices[0]?.body).toMatch(/^No ping since \S+; expected \S+ · ops-project · #prod #db$/)
  })

  test('whose check recovers says how long it was down, without sound', () => {
    const check = eg.check({ name: 'db-backup', status: 'down', since: eg.now - 12 * eg.minute })
    const before = project([check])
    const notices = noticesBetween(before, polled(before, [turned(check, 'up')]), eg.now)
    expect(notices[0]).toMatchObject({
      kind: 'recovered',
      title: 'db-backup is up again',
      sound: false,
    })
    expect(notices[0]?.body).toContain('was down for 12 min')
  })

  test('read for the first time only sets a baseline', () => {
    const before = project([], { notified: null })
    const after = polled(before, [eg.check({ status: 'down' })])
    expect(noticesBetween(before, after, eg.now)).toEqual([])
  })

  test('known from before the restart reports what went down meanwhile', () => {
    const check = eg.check()
    const before = project([], { notified: new Map([[check.id, 'up']]) })
    expect(noticesBetween(before, polled(before, [turned(check, 'down')]), eg.now)).toHaveLength(1)
  })

  test('known from before the restart repeats no notification', () => {
    const check = eg.check({ status: 'down' })
    const before = project([], { notified: new Map([[check.id, 'down']]) })
    expect(noticesBetween(before, polled(before, [check]), eg.now)).toEqual([])
  })

  test('with more than three checks down at once gives one notice that names their common tag', () => {
    const checks = Array.from({ length: 200 }, (_, i) => eg.check({ tags: ['host:web3', `n${i}`] }))
    const before = project(checks)
    const notices = noticesBetween(
      before,
      polled(
        before,
        checks.map((one) => turned(one, 'down')),
      ),
      eg.now,
    )
    expect(notices).toHaveLength(1)
    expect(notices[0]).toMatchObject({
      title: '200 checks down in ops-project',
      target: { view: 'checks' },
    })
    expect(notices[0]?.body).toContain('and 196 more')
    expect(notices[0]?.body).toContain('all tagged #host:web3')
  })

  test.each([
    ['paused', 'down'],
    ['up', 'paused'],
    ['paused', 'up'],
    ['new', 'up'],
    ['up', 'grace'],
  ] as const)(
    'raises a notice for a check that goes from %s to %s only if it is now down',
    (from, to) => {
      const check = eg.check({ status: from })
      const before = project([check])
      const kinds = noticesBetween(before, polled(before, [turned(check, to)]), eg.now).map(
        ({ kind }) => kind,
      )
      expect(kinds).toEqual(to === 'down' ? ['down'] : [])
    },
  )

  test('says nothing about what is switched off in the settings', () => {
    const check = eg.check()
    const quiet = project([check])
    const before = {
      ...quiet,
      settings: { ...quiet.settings, attention: withWays({ down: 'tray' }) },
    }
    expect(noticesBetween(before, polled(before, [turned(check, 'down')]), eg.now)).toEqual([])
  })

  test('withdraws the notification of a check that is paused, or is pinged after being late', () => {
    const check = eg.check({ status: 'down' })
    const before = project([check])
    const late = polled(before, [turned(check, 'grace')])
    expect(withdrawnBetween(late, polled(late, [turned(check, 'up')]))).toEqual([
      `${eg.opsId}/check/${check.id}`,
    ])
    expect(withdrawnBetween(late, polled(late, [turned(check, 'down')]))).toEqual([])
    expect(withdrawnBetween(before, polled(before, [turned(check, 'paused')]))).toEqual([
      `${eg.opsId}/check/${check.id}`,
    ])
  })

  test('withdraws the notification of a check that was deleted, also while Belfry was off', () => {
    const [check, other] = [eg.check(), eg.check()]
    const before = project([check, other])
    const gone = [`${eg.opsId}/check/${check.id}`]
    expect(withdrawnBetween(before, polled(before, [other]))).toEqual(gone)
    const { missed, ...board } = eg.board([])
    const snapshots = snapshotsOf(eg.board([check, other]))
    const start = project([], {
      freshness: { ...board.freshness, readAt: null },
      missed: { ...missed, snapshots },
    })
    expect(withdrawnBetween(start, { ...start })).toEqual([])
    expect(withdrawnBetween(start, polled(start, [other]))).toEqual(gone)
  })

  test('withdraws what was said of its checks, also that they are up again, once its account is removed', () => {
    const checks = [eg.check({ status: 'up' }), eg.check({ status: 'down' })]
    const before = project(checks)
    const subjects = checks.map(({ id }) => `${eg.opsId}/check/${id}`)
    const withdrawn = withdrawnBetween(before, { ...before, boards: new Map() })
    expect(withdrawn.toSorted()).toEqual(subjects.toSorted())
  })
})

test.each([
  ['down', 1, 'was down from'],
  ['down', 3, 'was down 3 times, last from'],
  ['unsure', 1, 'was possibly down from'],
  ['unsure', 4, 'was possibly down 4 times, last from'],
] as const)('outages between two reads (%s) are counted: %i', (kind, count, words) => {
  const check = eg.check({ name: 'db' })
  const before = eg.state({ boards: new Map([[eg.opsId, eg.board([check])]]) })
  const found = Array.from({ length: count }, (_, n) => {
    const from = eg.now - (count - n) * 10 * eg.minute
    return { checkId: check.id, from, to: from + 2 * eg.minute, kind }
  })
  const after = withMissed(before, eg.opsId, ({ missed }) => ({ ...missed, found }))
  const [notice] = noticesBetween(before, after, eg.now)
  expect(notice?.title).toContain(`db ${words}`)
})

test.each([
  [1, 1],
  [5, 0],
])(
  'an outage of 2 min that a look-up found, where those below %i min are ignored, makes %i notices',
  (afterMinutes, notices) => {
    const check = eg.check({ name: 'db' })
    const state = eg.state({ boards: new Map([[eg.opsId, eg.board([check])]]) })
    const attention = { ...state.settings.attention, afterMinutes }
    const before = { ...state, settings: { ...state.settings, attention } }
    const outage = {
      checkId: check.id,
      from: eg.now - eg.hour,
      to: eg.now - eg.hour + 2 * eg.minute,
    }
    const found = [{ ...outage, kind: 'down' as const }]
    const after = withMissed(before, eg.opsId, ({ missed }) => ({ ...missed, found }))
    expect(noticesBetween(before, after, eg.now)).toHaveLength(notices)
  },
)

describe('a realm', () => {
  test('reports a direct message with its sender, its text and a reply field', () => {
    const before = eg.state()
    const message = eg.message({ conversation: eg.direct, text: 'could you look?' })
    expect(noticesBetween(before, told(before, message), eg.now)).toMatchObject([
      {
        kind: 'direct',
        title: 'Ana (to you)',
        body: 'could you look?',
        target: { view: 'conversation', conversation: eg.direct, messageId: message.id },
      },
    ])
  })

  test('reports a mention with its channel and topic', () => {
    const before = eg.state()
    const [notice] = noticesBetween(
      before,
      told(before, eg.message({ flags: ['mentioned'] })),
      eg.now,
    )
    expect(notice?.kind).toBe('mention')
    expect(notice?.title).toContain('ops')
    expect(notice?.title).toContain('db-backup is DOWN')
  })

  test('reports a message once, however often its event comes', () => {
    const message = eg.message({ conversation: eg.direct })
    const before = told(eg.state(), message)
    expect(noticesBetween(before, told(before, message), eg.now)).toEqual([])
  })

  test('joins several messages of one conversation into one notice', () => {
    const before = eg.state()
    const messages = [1, 2, 3].map((n) => eg.message({ conversation: eg.direct, text: `no. ${n}` }))
    const notices = noticesBetween(before, told(before, ...messages), eg.now)
    expect(notices).toHaveLength(1)
    expect(notices[0]?.body).toBe('3 messages · no. 3')
  })

  test('joins the messages of more than three conversations into one notice', () => {
    const before = eg.state()
    const messages = [2, 3, 4, 5].map((id) =>
      eg.message({ conversation: { kind: 'direct', userIds: [id] } }),
    )
    const notices = noticesBetween(before, told(before, ...messages), eg.now)
    expect(notices).toMatchObject([
      { title: '4 messages in 4 conversations', target: { view: 'chat' } },
    ])
  })

  test('hides the text of direct messages if the user’s setting says so', () => {
    const before = eg.state({
      realms: new Map([
        [
          eg.chatId,
          eg.realm([], { settings: { ...usualChatSettings, showDirectMessageText: false } }),
        ],
      ]),
    })
    const after = told(before, eg.message({ conversation: eg.direct, text: 'a secret' }))
    expect(noticesBetween(before, after, eg.now)).toMatchObject([
      { title: 'New direct message from Ana', body: '' },
    ])
  })

  test('reports a mention added by an edit, once', () => {
    const message = eg.message()
    const before = told(eg.state(), message)
    const edit = {
      type: 'edited',
      messageId: message.id,
      html: '',
      text: '@Maria look',
      editedAt: eg.now,
      flags: ['mentioned'],
      isAction: null,
    } as const
    const after = changeRealm(before, eg.chatId, (realm) => withEvent(realm, edit))
    expect(noticesBetween(before, after, eg.now)).toHaveLength(1)
    const again = changeRealm(after, eg.chatId, (realm) => withEvent(realm, edit))
    expect(noticesBetween(after, again, eg.now)).toEqual([])
  })

  test('withdraws the notification of a conversation that was read elsewhere', () => {
    const message = eg.message({ conversation: eg.direct })
    const before = told(eg.state(), message)
    const after = changeRealm(before, eg.chatId, (realm) =>
      withEvent(realm, {
        type: 'flag',
        present: true,
        flag: 'read',
        messageIds: [message.id],
        all: false,
        unread: [],
      }),
    )
    expect(withdrawnBetween(before, after)).toEqual([`${eg.chatId}/${message.key}`])
  })

  test('keeps the notification of a topic renamed twice until its messages are read', () => {
    const message = eg.message({ conversation: eg.topic })
    const flag = { present: true, flag: 'read', messageIds: [message.id], all: false } as const
    const happened: ChatEvent[] = [
      {
        type: 'moved',
        messageIds: [message.id],
        toChannelId: null,
        toTopic: 'disk',
        isWhole: true,
      },
      {
        type: 'moved',
        messageIds: [message.id],
        toChannelId: null,
        toTopic: '✔ disk',
        isWhole: true,
      },
      { type: 'flag', ...flag, unread: [] },
    ]
    let state = told(eg.state(), message)
    const over = happened.map((event) => {
      const before = state
      state = changeRealm(before, eg.chatId, (realm) => withEvent(realm, event))
      return withdrawnBetween(before, state)
    })
    const names = ['✔ disk', 'db-backup is DOWN', 'disk'].map((topic) =>
      conversationKey({ kind: 'topic', channelId: 10, topic }),
    )
    expect(over).toEqual([[], [], names.map((name) => `${eg.chatId}/${name}`)])
  })
})

describe('an account', () => {
  test('whose key was rejected asks for a new one, once', () => {
    const before = eg.state()
    const after = { ...before, accounts: [eg.account({ key: 'rejected' }), eg.chatAccount()] }
    expect(noticesBetween(before, after, eg.now)).toMatchObject([
      {
        kind: 'trouble',
        title: 'ops-project: key rejected',
        target: { view: 'replaceKey', accountId: eg.opsId },
      },
    ])
    expect(noticesBetween(after, { ...after }, eg.now)).toEqual([])
  })
})

test.each([
  ['<a href="#narrow/channel/10-ops/topic/db/near/15">said</a>', true],
  ['<a href="https://chat.example/#narrow/dm/2-dm/near/15">sent</a> a poll', true],
  ['in <a href="#narrow/channel/99-x.2Fnear.2Fy">#x/near/y</a>', false],
  ['in <a class="message-link" href="/#narrow/channel/10-ops/topic/db/near/15">#ops</a>', false],
  ['on <a href="https://shop.example/near/15">a page</a>', false],
])('what the server’s bot says is a reminder if it links to a message: %s', (link, isReminder) => {
  const bot = { id: 6, name: 'Notification Bot', isBot: true, isSystem: true }
  const state = eg.state({
    realms: new Map([[eg.chatId, eg.realm([], { users: new Map([[6, bot]]) })]]),
  })
  const html = `<p><span class="user-mention silent" data-user-id="2">Ana</span> ${link}</p>`
  const conversation = { kind: 'direct', userIds: [6] } as const
  const said = eg.message({ senderId: 6, senderName: bot.name, conversation, html })
  const [event] = eventsBetween(state, told(state, said), eg.now, uniqueKeyOf)
  expect(event).toMatchObject({ kind: 'direct' })
  expect(event).toHaveProperty(
    'title',
    isReminder ? 'Reminder from Notification Bot' : 'Notification Bot (to you)',
  )
})
