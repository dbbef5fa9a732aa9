import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { withEvent } from '../../../../src/shared/core/chat/chat-apply.ts'
import type { ChatEvent, RealmSnapshot } from '../../../../src/shared/core/chat/chat-event.ts'
import {
  type Conversation,
  conversationKey,
} from '../../../../src/shared/core/chat/conversation.ts'
import {
  allMessages,
  hasMessage,
  messageOf,
  messagesBetween,
} from '../../../../src/shared/core/chat/message-list.ts'
import type { Realm } from '../../../../src/shared/core/chat/realm.ts'
import { myGroups } from '../../../../src/shared/core/chat/realm.ts'
import {
  emptyConversation,
  withHistory,
  withMessages,
  withNotified,
  withSnapshot,
} from '../../../../src/shared/core/chat/realm-update.ts'
import * as eg from '../../../support/eg.ts'

const arrived = (message = eg.message()): ChatEvent => ({ type: 'message', message, localId: null })
const read = (messageIds: readonly number[], change: Partial<ChatEvent> = {}): ChatEvent =>
  ({
    type: 'flag',
    present: true,
    flag: 'read',
    messageIds,
    all: false,
    unread: [],
    ...change,
  }) as ChatEvent
const unreadOf = (realm: Realm, conversation = eg.topic) =>
  realm.conversations.get(conversationKey(conversation))?.unread ?? []

function snapshot(change: Partial<RealmSnapshot> = {}): RealmSnapshot {
  const realm = eg.realm()
  return {
    ...realm,
    me: { id: 1, name: 'Maria' },
    unread: [],
    recentDirect: [],
    maxMessageId: 5_000,
    server: { version: '10.2', featureLevel: 372 },
    longpollTimeoutMs: 90_000,
    ...change,
  }
}

describe('a realm', () => {
  test('counts a message as unread right after its event', () => {
    const message = eg.message()
    const realm = withEvent(eg.realm(), arrived(message))
    expect(unreadOf(realm)).toEqual([message.id])
    expect(realm.notified?.ids).toContain(message.id)
  })

  test('does not count the user’s own message', () => {
    const own = eg.message({ isMe: true, flags: ['read'] })
    expect(unreadOf(withEvent(eg.realm(), arrived(own)))).toEqual([])
  })

  test('is the same after the same event twice, in whatever order a batch comes', () => {
    const messages = [eg.message(), eg.message(), eg.message({ conversation: eg.direct })]
    const events: ChatEvent[] = messages.map((message) => arrived(message))
    const plain = events.reduce(withEvent, eg.realm())
    fc.assert(
      fc.property(fc.shuffledSubarray([...events, ...events], { minLength: 6 }), (order) => {
        const realm = order.reduce(withEvent, eg.realm())
        expect(unreadOf(realm)).toEqual(unreadOf(plain))
        expect(realm.notified).toEqual(plain.notified)
        expect(idsIn(realm)).toEqual(idsIn(plain))
      }),
      { seed: 7, numRuns: 50 },
    )
  })

  test('counts what was read elsewhere as read', () => {
    const [first, second] = [eg.message(), eg.message()]
    const realm = withEvent(eg.realm([first, second]), read([first.id]))
    expect(unreadOf(realm)).toEqual([second.id])
    expect(messageOf(realm.messages, first.id)?.flags).toContain('read')
  })

  test('is read completely by an event with "all" and no ids', () => {
    const realm = withEvent(
      eg.realm([eg.message(), eg.message({ conversation: eg.direct })]),
      read([], { all: true } as Partial<ChatEvent>),
    )
    expect(unreadOf(realm)).toEqual([])
    expect(unreadOf(realm, eg.direct)).toEqual([])
  })

  test('counts a message marked unread elsewhere, even one that is not loaded', () => {
    const realm = withEvent(eg.realm(), {
      type: 'flag',
      present: false,
      flag: 'read',
      messageIds: [77],
      all: false,
      unread: [{ messageId: 77, conversation: eg.topic, mentioned: true }],
    })
    expect(realm.conversations.get(conversationKey(eg.topic))).toMatchObject({
      unread: [77],
      mentions: [77],
    })
  })

  test('moves messages with their unread counts to another topic', () => {
    const message = eg.message({ flags: ['mentioned'] })
    const realm = withEvent(eg.realm([message]), {
      type: 'moved',
      messageIds: [message.id],
      toChannelId: 11,
      toTopic: 'Backups',
      isWhole: false,
    })
    const moved = { kind: 'topic', channelId: 11, topic: 'Backups' } as const
    expect(unreadOf(realm, moved)).toEqual([message.id])
    expect(unreadOf(realm)).toEqual([])
    expect(messageOf(realm.messages, message.id)?.key).toBe('topic/11/backups')
  })

  test('moves the unread count of a message that was fetched at its new place before', () => {
    const to = { kind: 'topic', channelId: 10, topic: 'Backups' } as const
    const message = eg.message()
    const realm = withEvent(
      withMessages(eg.realm([message]), [
        { ...message, conversation: to, key: conversationKey(to) },
      ]),
      {
        ...{ type: 'moved', messageIds: [message.id], toChannelId: null, toTopic: 'Backups' },
        isWhole: true,
      },
    )
    expect(unreadOf(realm, to)).toEqual([message.id])
    expect(unreadOf(realm)).toEqual([])
  })

  test('takes what is about thousands of messages in no time, with thousands of topics', () => {
    const topics = Array.from({ length: 20_000 }, (_, at) => {
      const topic = { kind: 'topic', channelId: 10, topic: `${at}` } as const
      return [conversationKey(topic), { ...emptyConversation(topic), unread: [at] }] as const
    })
    const ids = Array.from({ length: 5_000 }, (_, at) => 1_000_000 + at)
    const conversation = { kind: 'topic', channelId: 10, topic: 'alerts' } as const
    const realm = withMessages(
      { ...eg.realm(), conversations: new Map(topics) },
      ids.slice(2_000).map((id) => eg.message({ id, conversation, flags: ['read'] })),
    )
    const unread = ids.map((messageId) => ({ messageId, conversation, mentioned: false }))
    const resolved = { toChannelId: null, toTopic: '✔ alerts', isWhole: true }
    const began = process.threadCpuUsage().user
    const marked = withEvent(realm, read(ids, { present: false, unread }))
    const marking = process.threadCpuUsage().user - began
    const moved = withEvent(marked, { type: 'moved', messageIds: ids, ...resolved })
    const moving = process.threadCpuUsage().user - began - marking
    // In µs. Message by message it took one second, and thirty.
    expect(marking).toBeLessThan(500_000)
    expect(moving).toBeLessThan(3_000_000)
    expect(unreadOf(moved, { ...conversation, topic: '✔ alerts' })).toEqual(ids)
    expect([...moved.movedTo.keys()]).toEqual([conversationKey(conversation)])
  })

  test('forgets deleted messages, their unread counts and their last position', () => {
    const [first, last] = [eg.message({ flags: ['read'] }), eg.message()]
    const realm = withEvent(eg.realm([first, last]), { type: 'deleted', messageIds: [last.id] })
    expect(unreadOf(realm)).toEqual([])
    expect(realm.conversations.get(first.key)?.lastMessageId).toBe(first.id)
    expect(hasMessage(realm.messages, last.id)).toBe(false)
  })

  test('shows an edit, but does not count a link preview as one', () => {
    const message = eg.message()
    const edit = {
      type: 'edited',
      messageId: message.id,
      html: '<p>new</p>',
      text: 'new',
      ...{ flags: [], isAction: null },
    } as const
    const edited = withEvent(eg.realm([message]), { ...edit, editedAt: eg.now })
    expect(messageOf(edited.messages, message.id)).toMatchObject({ text: 'new', editedAt: eg.now })
    const preview = withEvent(eg.realm([message]), { ...edit, editedAt: null })
    expect(messageOf(preview.messages, message.id)).toMatchObject({
      html: '<p>new</p>',
      editedAt: null,
    })
  })

  test('follows an edit that ends a /me message, and keeps a message read if the edit has no flags', () => {
    const message = eg.message({ isAction: true, flags: ['read', 'starred'] })
    const edit = { type: 'edited', messageId: message.id, html: '', text: 'I fixed it' } as const
    const edited = (isAction: boolean | null) => {
      const event = { ...edit, editedAt: eg.now, flags: null, isAction }
      const realm = withEvent(eg.realm([message]), event)
      return { ...messageOf(realm.messages, message.id), unread: unreadOf(realm) }
    }
    const kept = { flags: message.flags, unread: [] }
    expect(edited(false)).toMatchObject({ ...kept, isAction: false })
    expect(edited(null)).toMatchObject({ ...kept, isAction: true })
  })

  test('has the rules that administrators changed, and keeps the others', () => {
    const event: ChatEvent = { type: 'rules', change: { direct: 'role:nobody' } }
    const realm = eg.realm()
    expect(withEvent(realm, event).rules).toEqual({ ...realm.rules, direct: 'role:nobody' })
  })

  test("adds and removes each person's reaction once", () => {
    const message = eg.message()
    const reaction = { name: 'eyes', code: '1f440', type: 'unicode_emoji', userId: 2 }
    const add: ChatEvent = { type: 'reaction', present: true, messageId: message.id, reaction }
    const realm = withEvent(withEvent(eg.realm([message]), add), add)
    expect(messageOf(realm.messages, message.id)?.reactions).toEqual([reaction])
    const without = withEvent(realm, { ...add, present: false })
    expect(messageOf(without.messages, message.id)?.reactions).toEqual([])
  })

  test('knows which groups the user is in, including through subgroups', () => {
    const events: ChatEvent[] = [
      { type: 'group', groupId: 4, change: { hasMe: false }, added: [5] },
      { type: 'group', groupId: 5, added: [6] },
      { type: 'group', groupId: 6, change: { hasMe: true } },
      { type: 'group', groupId: 7, change: { hasMe: true }, added: [4] },
      { type: 'group', groupId: 8, change: { hasMe: false } },
    ]
    const realm = events.reduce(withEvent, eg.realm())
    expect([...myGroups(realm.groups)].sort()).toEqual([4, 5, 6, 7])
    const left = withEvent(realm, { type: 'group', groupId: 5, removed: [6] })
    expect([...myGroups(left.groups)].sort()).toEqual([6, 7])
  })

  test('follows changes of users, channels, policies and settings', () => {
    const events: ChatEvent[] = [
      { type: 'userChanged', userId: 2, change: { name: 'Ana K.' } },
      { type: 'channelChanged', channelId: 10, change: { muted: true } },
      { type: 'channels', channels: [eg.channel({ id: 12, name: 'new' })] },
      { type: 'channelsGone', channelIds: [11], deleted: false },
      { type: 'topicPolicy', key: 'topic/10/x', topic: 'X', policy: 'followed' },
      { type: 'mutedUsers', userIds: [3] },
      { type: 'settings', change: { sounds: false } },
    ]
    const realm = events.reduce(withEvent, eg.realm())
    expect(realm.users.get(2)?.name).toBe('Ana K.')
    expect(realm.channels.get(10)?.muted).toBe(true)
    expect([...realm.channels.keys()]).toEqual([10, 12])
    expect(realm.topicPolicies.get('topic/10/x')).toBe('followed')
    expect(realm.mutedUsers).toEqual([3])
    expect(realm.settings.sounds).toBe(false)
    const without = withEvent(realm, {
      ...{ type: 'topicPolicy', key: 'topic/10/x', topic: 'X', policy: null },
    })
    expect(without.topicPolicies.size).toBe(0)
  })
})

describe('a new registration', () => {
  test('replaces unread counts by the server’s and keeps loaded messages', () => {
    const old = eg.message()
    const realm = withSnapshot(
      eg.realm([old]),
      snapshot({ unread: [{ messageId: 4_000, conversation: eg.direct, mentioned: false }] }),
    )
    expect(unreadOf(realm)).toEqual([])
    expect(unreadOf(realm, eg.direct)).toEqual([4_000])
    expect(messageOf(realm.messages, old.id)?.flags).toContain('read')
    expect(realm.conversations.get(old.key)?.history).toBe('none')
  })

  test('for a new account counts the whole backlog as notified', () => {
    const realm = withSnapshot(eg.realm([], { notified: null }), snapshot())
    expect(realm.notified).toEqual({ floor: 5_000, ids: [] })
  })

  test('for a known account keeps the marks', () => {
    const notified = { floor: 10, ids: [12] }
    expect(withSnapshot(eg.realm([], { notified }), snapshot()).notified).toEqual(notified)
  })
})

describe('the marks of notified messages', () => {
  test('accept a lower id that the server committed late', () => {
    const realm = withNotified(
      withNotified(eg.realm([], { notified: { floor: 100, ids: [] } }), [105]),
      [103],
    )
    expect(realm.notified).toEqual({ floor: 100, ids: [103, 105] })
  })

  test('stay bounded: the floor follows far behind', () => {
    const ids = Array.from({ length: 900 }, (_, i) => 101 + i)
    const { notified } = withNotified(eg.realm([], { notified: { floor: 100, ids: [] } }), ids)
    expect(notified?.ids).toHaveLength(500)
    expect(notified?.floor).toBe(500)
  })
})

describe('the history of a conversation', () => {
  test('does not overwrite what the event stream already brought', () => {
    const live = eg.message({ text: 'edited live' })
    const realm = withHistory(eg.realm([live]), eg.topic, {
      messages: [{ ...live, text: 'as fetched before' }],
      newest: true,
      oldest: true,
    })
    expect(messageOf(realm.messages, live.id)?.text).toBe('edited live')
    expect(realm.conversations.get(live.key)).toMatchObject({ history: 'recent', complete: true })
  })

  test('keeps at most 3,000 messages of a realm, the newest', () => {
    const messages = Array.from({ length: 3_100 }, (_, i) =>
      eg.message({ id: i + 1, flags: ['read'] }),
    )
    const realm = withMessages(eg.realm(), messages)
    expect(realm.messages.size).toBe(3_000)
    expect(hasMessage(realm.messages, 100)).toBe(false)
    expect(hasMessage(realm.messages, 3_100)).toBe(true)
    expect(realm.conversations.get(conversationKey(eg.topic))?.complete).toBe(false)
  })

  test('can be read in a realm that is full of newer messages', () => {
    const old = { kind: 'topic', channelId: 10, topic: 'last year' } as const
    const page = [1, 2].map((id) => eg.message({ id, conversation: old, flags: ['read'] }))
    const full = withMessages(eg.realm(), many(3_000, 10))
    const history = { messages: page, newest: true, oldest: true }
    const opened = withMessages(withHistory(full, old, history), many(100, 4_000))
    expect(opened.messages.size).toBe(3_000)
    expect(hasMessage(opened.messages, 1)).toBe(true)
    expect(opened.conversations.get(conversationKey(old))).toMatchObject({ history: 'recent' })
  })

  test('has no gap when its newer part was fetched first and is dropped first', () => {
    const part = (from: number) => many(50, from, eg.topic)
    const read = { newest: false, oldest: false }
    const held = withHistory(withMessages(eg.realm(), part(1_000)), eg.topic, {
      ...read,
      messages: part(500),
    })
    const later = { kind: 'topic', channelId: 10, topic: 'other' } as const
    const full = withMessages(held, [...many(2_900, 2_000, later), ...part(6_000), ...part(7_000)])
    const ids = allMessages(full.messages).filter(({ key }) => key === conversationKey(eg.topic))
    expect(Math.min(...ids.map(({ id }) => id))).toBe(6_000)
    expect(ids).toHaveLength(100)
  })

  test('keeps a topic in the list while any of it is loaded or unread, and a direct conversation always', () => {
    const topic = { kind: 'topic', channelId: 10, topic: 'an incident' } as const
    const person = { kind: 'direct', userIds: [7] } as const
    const before = withMessages(eg.realm(), [
      eg.message({ id: 1, conversation: topic, flags: ['read'] }),
      eg.message({ id: 2, conversation: person, flags: ['read'] }),
      eg.message({ id: 3, conversation: { ...topic, topic: 'unread' }, flags: [] }),
    ])
    const { conversations } = withMessages(before, many(3_000, 10))
    expect(conversations.has(conversationKey(topic))).toBe(false)
    expect(conversations.get(conversationKey(person))).toMatchObject({ history: 'none' })
    expect(conversations.get(conversationKey({ ...topic, topic: 'unread' }))?.unread).toEqual([3])
  })

  test('shares what did not change, even if more messages come than are kept', () => {
    const held = withMessages(eg.realm(), many(2_990, 10))
    const [again, changed] = [messageOf(held.messages, 2_000), eg.message({ id: 2_001 })]
    if (again === undefined) throw new Error('not held')
    const after = withMessages(held, [again, changed, changed, ...many(20, 5_000)]).messages
    expect(messagesBetween(held.messages, after).changed).toHaveLength(21)
    expect(messagesBetween(held.messages, after).gone).toHaveLength(10)
  })
})

function idsIn({ messages }: Realm): Set<number> {
  return new Set(allMessages(messages).map(({ id }) => id))
}

function many(count: number, from: number, conversation: Conversation = eg.topic) {
  return Array.from({ length: count }, (_, n) =>
    eg.message({ id: from + n, conversation, flags: ['read'] }),
  )
}

describe('a resolved topic', () => {
  const resolved = { kind: 'topic', channelId: 10, topic: '✔ db-backup is DOWN' } as const
  const move = (realm: Realm, messageIds: readonly number[], isWhole = true) =>
    withEvent(realm, {
      ...{ type: 'moved', messageIds, toChannelId: null, toTopic: resolved.topic },
      isWhole,
    })

  test('takes its readers along, until somebody writes in the old one again', () => {
    const [one, two] = [eg.message(), eg.message()]
    const part = move(eg.realm([one, two]), [one.id])
    expect(part.movedTo.size).toBe(0)
    const whole = move(part, [two.id])
    expect(whole.movedTo.get(one.key)).toEqual(resolved)
    expect(withEvent(whole, arrived(eg.message())).movedTo.size).toBe(0)
  })

  test('leaves the list under its old name, even while it is open', () => {
    const one = eg.message()
    const shown = withHistory(eg.realm(), eg.topic, {
      ...{ messages: [one], newest: true, oldest: false },
    })
    const { conversations } = move(shown, [one.id])
    expect([...conversations.values()].map(({ conversation }) => conversation)).toEqual([resolved])
  })

  test('keeps its readers and its place if only its one loaded message moved', () => {
    const one = eg.message({ flags: ['read'] })
    const after = move(withMessages(eg.realm(), [one]), [one.id], false)
    expect(after.movedTo.size).toBe(0)
    expect([...after.conversations.keys()]).toEqual([one.key, conversationKey(resolved)])
  })

  test('keeps its readers if unread messages are left in it', () => {
    const left = { messageId: 7, conversation: eg.topic, mentioned: false }
    const realm = withSnapshot(eg.realm(), snapshot({ unread: [left] }))
    const one = eg.message({ flags: ['read'] })
    const after = move(withMessages(realm, [one]), [one.id])
    expect(after.movedTo.size).toBe(0)
    expect(after.conversations.get(one.key)).toMatchObject({ unread: [7], lastMessageId: 7 })
  })

  test('takes its readers along when its only message moves', () => {
    const one = eg.message()
    const read = withHistory(eg.realm(), eg.topic, {
      ...{ messages: [one], newest: true, oldest: true },
    })
    expect(move(read, [one.id], false).movedTo.get(one.key)).toEqual(resolved)
  })
})

describe('a conversation whose newest message is deleted', () => {
  const gone = (realm: Realm, ...messageIds: number[]) =>
    withEvent(realm, { type: 'deleted', messageIds })

  test('stays in the list if only that message was loaded', () => {
    const one = eg.message({ flags: ['read'] })
    const after = gone(withMessages(eg.realm(), [one]), one.id)
    expect([...after.conversations.keys()]).toEqual([one.key])
    const conversation = { kind: 'direct', userIds: [2] } as const
    const people = withSnapshot(
      eg.realm(),
      snapshot({ recentDirect: [{ conversation, lastMessageId: 500 }] }),
    )
    expect(gone(people, 500).conversations.has('direct/2')).toBe(true)
  })

  test('leaves the list if its whole history is loaded', () => {
    const one = eg.message({ flags: ['read'] })
    const page = { messages: [one], newest: false, oldest: true }
    const after = gone(withHistory(eg.realm(), eg.topic, page), one.id)
    expect(after.conversations.size).toBe(0)
  })

  test('has its true last message again once its history is read', () => {
    const [one, two] = [eg.message({ flags: ['read'] }), eg.message({ flags: ['read'] })]
    const after = gone(withMessages(eg.realm(), [two]), two.id)
    const page = { messages: [one], newest: true, oldest: false }
    const info = withHistory(after, eg.topic, page).conversations.get(one.key)
    expect(info?.lastMessageId).toBe(one.id)
  })
})
