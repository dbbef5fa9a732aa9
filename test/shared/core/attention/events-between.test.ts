import { describe, expect, test } from 'vitest'
import { uniqueKeyOf } from '../../../../src/main/base/unique-key.ts'
import type {
  AttentionEvent,
  CheckEvent,
  MessageEvent,
} from '../../../../src/shared/core/attention/event.ts'
import { eventsBetween, overBetween } from '../../../../src/shared/core/attention/events-between.ts'
import { checkEventBody } from '../../../../src/shared/core/attention/notices.ts'
import { withEvent } from '../../../../src/shared/core/chat/chat-apply.ts'
import type { Message } from '../../../../src/shared/core/chat/message.ts'
import type { OutboxMessage } from '../../../../src/shared/core/chat/outbox.ts'
import type { Realm } from '../../../../src/shared/core/chat/realm.ts'
import { changeRealm } from '../../../../src/shared/core/chat/realm-update.ts'
import type { Board, MissedOutage } from '../../../../src/shared/core/checks/board.ts'
import { withMissed } from '../../../../src/shared/core/checks/board-update.ts'
import type { Check } from '../../../../src/shared/core/checks/check.ts'
import type { AppState } from '../../../../src/shared/core/state.ts'
import * as eg from '../../../support/eg.ts'

const between = (before: AppState, after: AppState) =>
  eventsBetween(before, after, eg.now, uniqueKeyOf)
const board = (checks: readonly Check[], change: Partial<Board> = {}): AppState =>
  eg.state({ boards: new Map([[eg.opsId, eg.board(checks, change)]]) })
const bare = (change: Partial<AppState>): AppState => eg.state({ boards: new Map(), ...change })
const realm = (messages: readonly Message[], change: Partial<Realm> = {}): AppState =>
  bare({ realms: new Map([[eg.chatId, eg.realm(messages, change)]]) })
const told = (state: AppState, ...messages: readonly Message[]): AppState =>
  changeRealm(state, eg.chatId, (one) =>
    messages.reduce(
      (next, message) => withEvent(next, { type: 'message', message, localId: null }),
      one,
    ),
  )

describe('a check that goes down', () => {
  test('is an event of its own, with what the server’s clock says', () => {
    const check = eg.check({ id: 'x', name: 'db' })
    const fallen = { ...check, status: 'down' as const, since: eg.now + 50 * eg.minute }
    const ahead = { serverOffsetMs: eg.hour }
    const [event] = between(board([check], ahead), board([fallen], ahead)) as CheckEvent[]
    expect(event).toMatchObject({ id: `ops/check/x/down@${eg.now}`, from: 'up' })
    expect(checkEventBody(event!)).toContain('down for 10 min')
  })

  test.each([
    ['new', 'up', []],
    ['new', 'down', ['down from new']],
    ['down', 'up', ['recovered from down']],
  ] as const)('or else from %s to %s is told with what it was', (was, is, events) => {
    const check = eg.check({ status: was })
    const made = between(board([check]), board([{ ...check, status: is }])) as CheckEvent[]
    expect(made.map(({ kind, from }) => `${kind} from ${from}`)).toEqual(events)
  })

  test('and was up between two reads says which read had that, by this computer’s clock', () => {
    const check = eg.check({ status: 'down', name: 'db' })
    const again = new Map([[check.id, { upForMs: eg.minute, readAt: eg.now + eg.hour }]])
    const { missed } = eg.board([])
    const ahead = { serverOffsetMs: eg.hour }
    const before = board([check], { ...ahead, notified: new Map(), missed: { ...missed, again } })
    expect(between(before, board([check], ahead))).toMatchObject([
      { title: 'db is down again (was up for at most 1 min)', from: 'down', readAt: eg.now },
    ])
    const up = board([{ ...check, status: 'up' }], { missed: { ...missed, again } })
    expect(between(board([check]), up)).toEqual([])
  })
})

describe('an outage that a look-up found', () => {
  const check = eg.check({ id: 'x', name: 'db', tags: ['prod'], hasRunbook: true })
  const [from, to] = [eg.now - eg.hour, eg.now - 50 * eg.minute]
  const outage: MissedOutage = { checkId: 'x', from, to, kind: 'down' }
  const found = (outages: readonly MissedOutage[], state = board([check])) => {
    const after = withMissed(state, eg.opsId, ({ missed }) => ({ ...missed, found: outages }))
    return { after, events: between(state, after) as CheckEvent[] }
  }

  test.each([
    ['up', 'it is up again'],
    ['grace', 'it is up again'],
    ['down', 'it is down again'],
    ['paused', 'it is paused now'],
  ] as const)('of a check that is %s by now says so, and leads to it', (status, words) => {
    expect(found([outage], board([{ ...check, status }])).events).toMatchObject([
      {
        body: `${words} · ops-project · #prod`,
        target: { view: 'check', accountId: 'ops', checkId: 'x' },
        last: { place: 'ops-project · #prod' },
        hasRunbook: true,
      },
    ])
  })

  test('is told by this computer’s clock', () => {
    const { events } = found([outage], board([check], { serverOffsetMs: eg.hour }))
    expect(events).toMatchObject([{ last: { from: from - eg.hour }, endedAt: to - eg.hour }])
  })

  test('is told once, and not if its check is gone', () => {
    const { after } = found([outage])
    expect(between(after, { ...after, boards: new Map(after.boards) })).toEqual([])
    expect(found([{ ...outage, checkId: 'gone' }]).events).toEqual([])
  })

  test.each<[string, Partial<MissedOutage>, string]>([
    [
      'possibly one of several, beside one that may have been a pause',
      { kind: 'unsure', from: eg.now - 20 * eg.minute, to: eg.now - 5 * eg.minute },
      'was down, possibly 2 times, last',
    ],
    [
      'in the second in which another began',
      { from: to + 900, to: to + 999 },
      'was down several times, last',
    ],
  ])('is told as %s', (_which, other, what) => {
    const [event] = found([outage, { ...outage, ...other }]).events
    expect(event?.last?.what).toBe(what)
  })

  test('counts as long as the longest of several', () => {
    const short = { ...outage, from: eg.now - 2 * eg.minute, to: eg.now - eg.minute }
    expect(found([outage, short]).events[0]?.lastedMs).toBe(10 * eg.minute)
  })
})

describe('a message', () => {
  const { direct, topic } = eg
  const group = { kind: 'direct', userIds: [2, 3] } as const
  const unnamed = { kind: 'topic', channelId: 10, topic: '' } as const
  const only = (state: AppState, message: Message) =>
    between(state, told(state, message)) as MessageEvent[]

  test.each<[string, Partial<Message>, Partial<MessageEvent>]>([
    [
      'of a channel',
      { conversation: topic },
      { kind: 'message', channelId: 10, topic: 'db-backup is DOWN' },
    ],
    ['without a topic', { conversation: unnamed }, { kind: 'message', topic: 'general chat' }],
    ['with an alert word', { flags: ['alerted'] }, { kind: 'alertWord' }],
    [
      'to me',
      { conversation: direct },
      { kind: 'direct', title: 'Ana (to you)', channelId: null, topic: null },
    ],
    ['to several', { conversation: group }, { kind: 'direct', title: 'Ana (to you and others)' }],
    ['that mentions me', { flags: ['mentioned'] }, { kind: 'mention', isBot: false }],
    ['of nobody known', { senderId: 99 }, { isBot: false }],
  ])('%s is so', (_what, change, event) => {
    expect(only(realm([]), eg.message(change))).toMatchObject([event])
  })

  test.each<[string, Partial<Message>]>([
    ['of my own', { isMe: true, senderId: 1 }],
    ['that was read elsewhere', { flags: ['read'] }],
  ])('%s is no news, nor is a mention that an edit adds to it', (_what, change) => {
    const message = eg.message({ ...change, conversation: direct })
    expect(only(realm([]), message)).toEqual([])
    const before = told(realm([]), message)
    const flags = [...message.flags, 'mentioned'] as const
    const edit = { type: 'edited', messageId: message.id, html: '', text: 'x' } as const
    const after = changeRealm(before, eg.chatId, (one) =>
      withEvent(one, { ...edit, editedAt: eg.now, flags, isAction: null }),
    )
    expect(between(before, after)).toEqual([])
  })

  test('is no news in the first read of an account', () => {
    const first = realm([eg.message()])
    expect(between(bare({ realms: new Map() }), first)).toEqual([])
    expect(between(realm([], { notified: null }), first)).toEqual([])
  })

  test('that comes edited, and mentions me, is told once; what is only rendered anew, not at all', () => {
    const edited = eg.message({ flags: ['mentioned'], editedAt: eg.now })
    expect(only(realm([]), edited)).toHaveLength(1)
    const before = realm([eg.message({ id: 7 })])
    const after = changeRealm(before, eg.chatId, (one) =>
      withEvent(one, {
        ...{ type: 'edited', messageId: 7, html: '', text: 'x', editedAt: null },
        ...{ flags: ['mentioned'], isAction: null },
      }),
    )
    expect(between(before, after)).toEqual([])
  })

  test('of what was skipped, up to which all is now told of, is news but for what was told', () => {
    const messages = [1, 2, 3].map((id) => eg.message({ id }))
    const before = realm(messages, { notified: { floor: 0, ids: [2] } })
    const after = realm(messages, { notified: { floor: 2, ids: [3] } })
    const events = between(before, after) as MessageEvent[]
    expect(events.map(({ messageId }) => messageId)).toEqual([1, 3])
  })

  test('of a bot about a check is about that alone only if it doesn’t mention me', () => {
    const bot = { id: 15, name: 'Monitoring', isBot: true }
    const state = {
      ...realm([], { users: new Map([[15, bot]]) }),
      boards: new Map([[eg.opsId, eg.board([eg.check({ name: 'db', status: 'down' })])]]),
    }
    const discuss = [
      {
        ...{ id: '1', accountId: eg.opsId, tag: null, checkId: null },
        ...{ chatId: eg.chatId, channelId: 10, topic: '{check}' },
      },
    ]
    const linked = { ...state, settings: { ...state.settings, discuss } }
    const said = {
      senderId: 15,
      senderName: bot.name,
      text: 'db is DOWN',
      conversation: { ...topic, topic: 'x' },
    }
    const [plain] = only(linked, eg.message(said))
    expect(plain).toMatchObject({ isBot: true, news: { state: 'down' } })
    const [mention] = only(linked, eg.message({ ...said, flags: ['mentioned'] }))
    expect(mention).not.toHaveProperty('news')
  })

  const reminder = {
    senderId: 6,
    senderName: 'Notification Bot',
    conversation: { kind: 'direct', userIds: [6] },
    html: '<p><span class="user-mention silent">Ana</span> <a href="#narrow/dm/2-dm/near/15">said</a></p>',
  } as const
  const plain = reminder.html.replace(' silent', '')
  test.each<[string, Partial<Message>, boolean]>([
    ['the server’s bot', {}, true],
    ['somebody else', { senderId: 2 }, false],
    ['a user whom nobody knows', { senderId: 99 }, false],
    ['the server’s bot among others', { conversation: { kind: 'direct', userIds: [2, 6] } }, false],
    ['the server’s bot in a channel', { conversation: topic }, false],
    ['the server’s bot, which mentions me loudly,', { html: plain }, false],
    [
      'the server’s bot, with a link to no message,',
      { html: reminder.html.replace('dm/2-dm/near/15', 'is/starred') },
      false,
    ],
  ])('by %s is a reminder: %s', (_who, change, isReminder) => {
    const bot = { id: 6, name: reminder.senderName, isBot: true, isSystem: true }
    const state = realm([], { users: new Map([eg.ana, bot].map((one) => [one.id, one])) })
    const [event] = only(state, eg.message({ ...reminder, ...change }))
    expect(event?.reminds === true).toBe(isReminder)
  })
})

describe('a problem', () => {
  const trouble = (before: AppState, after: AppState): AttentionEvent[] => between(before, after)
  const withKey = (key: 'present' | 'rejected' | 'missing') =>
    bare({ accounts: [eg.account({ key })] })

  test.each([
    ['present', 'rejected', 1],
    ['missing', 'rejected', 1],
    ['rejected', 'rejected', 0],
    ['present', 'missing', 0],
  ] as const)('of a key that was %s and is %s is told %i times', (was, is, times) => {
    const events = trouble(withKey(was), withKey(is))
    expect(events.map(({ subject }) => subject)).toEqual(Array(times).fill('ops/key'))
  })

  test('of a new account is not told: its dialog says so', () => {
    expect(trouble(bare({ accounts: [] }), withKey('rejected'))).toEqual([])
  })

  test('has the server’s words', () => {
    const failure = { kind: 'badKey', httpStatus: 401, message: 'Account is deactivated' } as const
    const state = {
      ...withKey('rejected'),
      boards: new Map([[eg.opsId, eg.board([], { freshness: { ...eg.fresh, failure } })]]),
    }
    expect(trouble(withKey('present'), state)).toMatchObject([
      { title: 'ops-project: Account is deactivated' },
    ])
  })

  const reply = eg.outboxMessage({ fromNotification: true, text: 'on my way' })
  const refused = { kind: 'refused', httpStatus: 400, code: 'BAD', message: 'Not here' } as const
  const stuck = eg.outboxMessage({ fromNotification: true, state: 'rejected' })
  const state = bare({ outbox: [stuck, reply] })
  const replied = (change: Partial<typeof reply>, before = state) =>
    trouble(before, { ...before, outbox: [stuck, { ...reply, ...change }] })

  test.each<[OutboxMessage['state'], Partial<OutboxMessage>, string | null]>([
    ['rejected', {}, 'Not sent to ops › db-backup is DOWN: on my way'],
    [
      'rejected',
      { failure: refused },
      'Not sent to ops › db-backup is DOWN: The server says “Not here”. · on my way',
    ],
    ['unconfirmed', {}, 'Unsure whether ops › db-backup is DOWN got your reply: on my way'],
    ['rejected', { fromNotification: false }, null],
    ['sending', {}, null],
  ])('of a reply that is %s (%o): %s', (is, change, words) => {
    const events = replied({ ...change, state: is })
    const said = events.map(({ title, body }) => `${title}: ${body as string}`.replace('# ', ''))
    expect(said).toEqual(words === null ? [] : [words])
    for (const { target } of events)
      expect(target).toMatchObject({ view: 'conversation', conversation: reply.conversation })
  })

  test('of a reply is told once, and not after a start', () => {
    const rejected = bare({ outbox: [stuck, { ...reply, state: 'rejected' }] })
    expect(replied({ state: 'rejected' }, rejected)).toEqual([])
    expect(replied({ state: 'rejected' }, bare({}))).toEqual([])
  })
})

describe('what was said', () => {
  test.each([
    ['down', 'up', true],
    ['down', 'grace', true],
    ['grace', 'up', true],
    ['up', 'paused', true],
    ['paused', 'new', true],
    ['up', 'new', true],
    ['grace', 'down', false],
    ['up', 'down', false],
    ['up', 'grace', false],
  ] as const)('of a check that was %s and is %s is over: %s', (was, is, isOver) => {
    const check = eg.check({ id: 'x', status: was })
    const over = overBetween(board([check]), board([{ ...check, status: is }]))
    expect(over).toEqual(isOver ? ['ops/check/x'] : [])
  })

  test('of a check stays while it was not read, or its flips are being taken in', () => {
    const check = eg.check({ id: 'x', status: 'down' })
    const { missed, freshness } = eg.board([])
    const unread = { freshness: { ...freshness, readAt: null } }
    const snapshots = new Map([['x', { status: 'up' }]]) as unknown as Board['missed']['snapshots']
    const start = board([], { ...unread, missed: { ...missed, snapshots } })
    expect(overBetween(start, board([], { ...unread, missed: { ...missed, snapshots } }))).toEqual(
      [],
    )
    const again = new Map([['x', { upForMs: 1, readAt: eg.now }]])
    const up = board([{ ...check, status: 'up' }], { missed: { ...missed, again } })
    expect(overBetween(board([check]), up)).toEqual([])
    const lacking = board([], { unreadable: 1, notified: new Map([['x', 'down']]) })
    expect(overBetween(board([check]), lacking)).toEqual([])
    expect(overBetween(board([], { notified: null }), board([check]))).toEqual([])
  })

  const one = eg.message({ conversation: eg.direct })
  const other = eg.message({ conversation: { kind: 'direct', userIds: [3] } })
  const read = (...of: readonly Message[]) =>
    of.map((message) => ({ ...message, flags: [...message.flags, 'read' as const] }))
  const more = eg.message({ conversation: eg.direct })
  test.each<[string, readonly Message[], readonly Message[], readonly Message[]]>([
    ['that was read', [one, other], [...read(one), other], [one]],
    ['of which some was read', [one, more], [...read(one), more], []],
    ['that was read, with a new message', [one], [...read(one), more], []],
    ['that had been read', read(one), [...read(one), other], []],
    [
      'of which the rest was moved',
      [one, more],
      [...read(one), { ...more, conversation: other.conversation, key: other.key }],
      [],
    ],
  ])('of a conversation %s is over for what is left of it', (_what, before, after, over) => {
    const subjects = over.map(({ key }) => `chat/${key}`)
    expect(overBetween(realm(before), realm(after))).toEqual(subjects)
  })

  test('of an account goes with it', () => {
    const rejected = bare({ accounts: [eg.account({ key: 'rejected' })] })
    const back = bare({ accounts: [eg.account()] })
    expect(overBetween(rejected, back)).toEqual(['ops/key'])
    expect(overBetween(rejected, { ...rejected, accounts: [] })).toEqual(['ops/key'])
    const talk = realm([one, ...read(other)])
    expect(overBetween(talk, { ...talk, realms: new Map() })).toEqual([`chat/${one.key}`])
  })

  test('of a reply that was not sent is over once it is sent or taken back', () => {
    const reply = eg.outboxMessage({ localId: 'r', state: 'rejected', fromNotification: true })
    const state = bare({ outbox: [reply] })
    const over = (outbox: AppState['outbox']) => overBetween(state, { ...state, outbox })
    expect(over([])).toEqual(['chat/outbox/r'])
    expect(over([{ ...reply, state: 'sending' }])).toEqual(['chat/outbox/r'])
    expect(over([{ ...reply, state: 'unconfirmed' }])).toEqual([])
  })
})
