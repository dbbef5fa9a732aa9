import { parse } from 'valibot'
import { describe, expect, test } from 'vitest'
import { chatOperations } from '../../../../src/shared/api/chat/chat-operations.ts'
import { readSnapshot, registerParams } from '../../../../src/shared/api/chat/read-snapshot.ts'
import { RequestFailed } from '../../../../src/shared/core/failure.ts'
import { atOnce } from '../../../../src/shared/core/steps.ts'

const bare = { queue_id: 'q:1', last_event_id: -1, user_id: 11, full_name: 'Dana' }

const full = {
  ...bare,
  zulip_version: '11.4',
  zulip_feature_level: 421,
  max_message_length: 5_000,
  max_topic_length: 50,
  event_queue_longpoll_timeout_seconds: 30,
  realm_empty_topic_display_name: 'misc',
  max_message_id: 4_200,
  realm_users: [{ user_id: 12, full_name: 'Ana' }, { user_id: 'bad' }, null],
  cross_realm_bots: [{ user_id: 6, full_name: 'Notification Bot', is_bot: true }],
  subscriptions: [{ stream_id: 1, name: 'ops', is_muted: true }, { stream_id: 2 }],
  user_topics: [
    { stream_id: 1, topic_name: 'DB', visibility_policy: 3 },
    { stream_id: 1, topic_name: 'x', visibility_policy: 0 },
  ],
  muted_users: [{ id: 13, timestamp: 1 }],
  user_settings: { enable_sounds: false, enable_stream_desktop_notifications: true },
  unread_msgs: {
    pms: [
      { other_user_id: 12, unread_message_ids: [5] },
      { sender_id: 13, unread_message_ids: [6] },
    ],
    streams: [{ stream_id: 1, topic: '', unread_message_ids: [7, 8] }, { topic: 'bad' }],
    huddles: [{ user_ids_string: '11,12,13', unread_message_ids: [9] }],
    mentions: [8],
  },
  recent_private_conversations: [
    { user_ids: [], max_message_id: 3 },
    { user_ids: [12, 13], max_message_id: 9 },
  ],
  realm_emoji: { 1: { id: '1', name: 'belfry', source_url: '/e.png' }, 2: 'bad' },
}

describe('a snapshot', () => {
  const snapshot = atOnce(readSnapshot(full))

  test('names the queue and the user', () => {
    expect(snapshot).toMatchObject({
      queueId: 'q:1',
      lastEventId: -1,
      me: { id: 11, name: 'Dana' },
      server: { version: '11.4', featureLevel: 421 },
      maxMessageId: 4_200,
    })
  })

  test("has the server's limits", () => {
    expect(snapshot.limits).toEqual({ messageLength: 5_000, topicLength: 50 })
    expect(snapshot.longpollTimeoutMs).toBe(30_000)
    expect(snapshot.emptyTopicName).toBe('misc')
  })

  test('keeps the readable users and channels when others are unreadable', () => {
    expect([...snapshot.users.keys()].sort((a, b) => a - b)).toEqual([6, 12])
    expect([...snapshot.channels.keys()]).toEqual([1])
    expect(snapshot.channels.get(1)).toMatchObject({ muted: true, desktopNotifications: null })
  })

  test('has topic policies by conversation, without empty ones', () => {
    expect([...snapshot.topicPolicies]).toEqual([['topic/1/db', 'followed']])
    expect(snapshot.topicNames.get('topic/1/db')).toBe('DB')
    expect(snapshot.mutedUsers).toEqual([13])
  })

  test("has the user's settings, with the server's defaults for the rest", () => {
    expect(snapshot.settings).toMatchObject({
      sounds: false,
      channelDesktopNotifications: true,
      desktopNotifications: true,
    })
  })

  test('has each unread message with its conversation', () => {
    const ana = { kind: 'direct', userIds: [12] }
    const empty = { kind: 'topic', channelId: 1, topic: '' }
    expect(snapshot.unread).toEqual([
      { messageId: 5, conversation: ana, mentioned: false },
      { messageId: 6, conversation: { kind: 'direct', userIds: [13] }, mentioned: false },
      { messageId: 7, conversation: empty, mentioned: false },
      { messageId: 8, conversation: empty, mentioned: true },
      { messageId: 9, conversation: { kind: 'direct', userIds: [12, 13] }, mentioned: false },
    ])
  })

  test('lists direct conversations newest first, including the one with oneself', () => {
    expect(snapshot.recentDirect).toEqual([
      { conversation: { kind: 'direct', userIds: [12, 13] }, lastMessageId: 9 },
      { conversation: { kind: 'direct', userIds: [11] }, lastMessageId: 3 },
    ])
    expect([...snapshot.emoji]).toEqual([['1', { name: 'belfry', source: '/e.png' }]])
  })
})

describe('a minimal snapshot', () => {
  test("is filled in with the server's usual defaults", () => {
    const snapshot = atOnce(
      readSnapshot({ ...bare, max_message_id: -1, service_feature_level: 430 }),
    )
    expect(snapshot).toMatchObject({
      limits: { messageLength: 10_000, topicLength: 60 },
      longpollTimeoutMs: 90_000,
      emptyTopicName: 'general chat',
      maxMessageId: null,
      server: { version: null, featureLevel: 430 },
      unread: [],
    })
  })
})

describe('a registration reply without its queue', () => {
  test.each([
    ['queue_id', { ...bare, queue_id: null }],
    ['last_event_id', { ...bare, last_event_id: 'x' }],
    ['user_id', { ...bare, user_id: undefined }],
  ])('is malformed at %s', (where, wire) => {
    const failed = new RequestFailed({ kind: 'malformed', what: 'shape', where })
    expect(() => atOnce(readSnapshot(wire))).toThrow(failed)
    try {
      atOnce(readSnapshot(wire))
    } catch (error) {
      expect((error as RequestFailed).failure).toEqual(failed.failure)
    }
  })
})

describe('the registration', () => {
  test('fits the operation and declares the capabilities that real servers require', () => {
    const sent = parse(chatOperations.registerQueue.params, registerParams)
    expect(sent.client_capabilities).toHaveProperty('notification_settings_null', true)
    expect(sent.fetch_event_types).toEqual(
      expect.arrayContaining(['message', 'update_message_flags']),
    )
  })
})

test.each([
  ['a current server', { realm_can_mention_many_users_group: 7 }, { mentionMany: 7, direct: null }],
  [
    'an older one',
    { realm_wildcard_mention_policy: 5 },
    { mentionMany: 'role:administrators', direct: null },
  ],
  [
    'one that allows everybody',
    { realm_wildcard_mention_policy: 1 },
    { mentionMany: null, direct: null },
  ],
  [
    'one without direct messages',
    { realm_private_message_policy: 2 },
    { mentionMany: null, direct: 'role:nobody' },
  ],
  [
    'one that sends nonsense',
    { realm_wildcard_mention_policy: 'x' },
    { mentionMany: null, direct: null },
  ],
])('the policies of %s are read', (_which, policies, rules) => {
  const wire = { queue_id: 'q', last_event_id: -1, user_id: 1, ...policies }
  expect(atOnce(readSnapshot(wire)).rules).toMatchObject(rules)
})

test.each([
  ['everybody', 1, null],
  ['administrators', 2, 'role:administrators'],
  ['full members', 3, 'role:fullmembers'],
  ['moderators', 4, 'role:moderators'],
  ['a role from a later version', 9, null],
  ['nonsense', 'x', null],
])('who may post in a channel of an older server is read: %s', (_who, policy, postPolicy) => {
  const subscriptions = [{ stream_id: 2, name: 'news', stream_post_policy: policy }]
  const wire = { queue_id: 'q', last_event_id: -1, user_id: 1, subscriptions }
  expect(atOnce(readSnapshot(wire)).channels.get(2)).toMatchObject({ maySend: null, postPolicy })
})
