import fc from 'fast-check'
import { looseObject, optional, safeParse, string, unknown } from 'valibot'
import { describe, expect, test } from 'vitest'
import { lenient, whole } from '../../../../src/shared/api/chat/chat-fields.ts'
import { eventId, readEvent } from '../../../../src/shared/api/chat/read-events.ts'

const context = { me: 11, toText: (html: string) => html.replace(/<[^>]*>/g, '') }
const read = (wire: unknown) => readEvent(wire, context)

const message = {
  id: 4200,
  type: 'stream',
  stream_id: 1,
  display_recipient: 'ops',
  subject: 'db',
  content: '<p>Hi</p>',
  sender_id: 12,
  sender_full_name: 'Ana',
  timestamp: 1_773_757_500,
}

describe('a message event', () => {
  test('carries the flags given beside the message', () => {
    const [event] = read({ type: 'message', id: 3, message, flags: ['mentioned'] })
    expect(event).toMatchObject({
      type: 'message',
      message: { id: 4200, flags: ['mentioned'] },
      localId: null,
    })
  })

  test.each([
    ['local_message_id beside the message', { message, local_message_id: '9.01' }],
    ['local_id beside the message', { message, local_id: '9.01' }],
    ['local_id inside the message', { message: { ...message, local_id: '9.01' } }],
  ])('identifies our own message by %s', (_case, fields) => {
    expect(read({ type: 'message', flags: [], ...fields })).toMatchObject([{ localId: '9.01' }])
  })
})

const update = {
  type: 'update_message',
  user_id: 12,
  message_id: 5,
  message_ids: [5, 7],
  flags: [],
}
const edit = { ...update, edit_timestamp: 100, rendered_content: '<p>new</p>' }

describe('an update of a message', () => {
  test('whose flags can’t be read leaves them as they are', () => {
    expect(read({ ...edit, flags: { 0: 'read' } })).toMatchObject([{ flags: null }])
  })

  test('with new content is an edit', () => {
    expect(read({ ...edit, rendering_only: false, flags: ['mentioned', 'read'] })).toEqual([
      {
        type: 'edited',
        messageId: 5,
        html: '<p>new</p>',
        text: 'new',
        editedAt: 100_000,
        flags: ['mentioned', 'read'],
        isAction: null,
      },
    ])
  })

  test.each([
    ['says so', { rendering_only: true, user_id: null }],
    ['has no author, as on old servers', { user_id: undefined }],
  ])(
    'that only changes the rendering, because it %s, is not an edit by anyone',
    (_case, fields) => {
      expect(read({ ...edit, ...fields })).toMatchObject([{ type: 'edited', editedAt: null }])
    },
  )

  test('that moves covers all its messages, and does not mistake the old channel for a new one', () => {
    const move = { ...update, stream_id: 1, orig_subject: 'old', new_stream_id: 2 }
    const moved = { type: 'moved', messageIds: [5, 7], isWhole: false }
    expect(read(move)).toEqual([{ ...moved, toChannelId: 2, toTopic: null }])
    expect(read({ ...update, stream_id: 1, subject: '' })).toEqual([
      { ...moved, toChannelId: null, toTopic: '' },
    ])
  })

  test.each([
    ['change_all', true],
    ['change_later', false],
    ['change_one', false],
  ])('that moves with %s covers the whole topic: %s', (mode, isWhole) => {
    expect(read({ ...update, subject: 'x', propagate_mode: mode })).toMatchObject([{ isWhole }])
  })

  test('that both edits and moves gives both events', () => {
    expect(read({ ...edit, subject: 'new' }).map(({ type }) => type)).toEqual(['edited', 'moved'])
  })
})

describe('a deletion', () => {
  test('may cover many messages or one', () => {
    expect(read({ type: 'delete_message', message_ids: [1, 2] })).toEqual([
      { type: 'deleted', messageIds: [1, 2] },
    ])
    expect(read({ type: 'delete_message', message_id: 3 })).toEqual([
      { type: 'deleted', messageIds: [3] },
    ])
  })
})

const flags = { type: 'update_message_flags', flag: 'read', messages: [1, 2], all: false }

describe('a change of flags', () => {
  test('is read from op or operation', () => {
    const present = { type: 'flag', present: true, flag: 'read', messageIds: [1, 2], all: false }
    expect(read({ ...flags, op: 'add' })).toEqual([{ ...present, unread: [] }])
    expect(read({ ...flags, operation: 'remove' })).toMatchObject([{ present: false }])
  })

  test('may cover all messages, without ids', () => {
    expect(read({ ...flags, op: 'add', messages: [], all: true })).toMatchObject([
      { all: true, messageIds: [] },
    ])
  })

  test('to unread says where each message is', () => {
    const message_details = {
      1: { type: 'stream', stream_id: 4, topic: 'x', mentioned: true },
      2: { type: 'private', user_ids: [12] },
      3: { type: 'private', user_ids: [] },
      4: { type: 'private' },
      odd: 'odd',
    }
    const [event] = read({ ...flags, op: 'remove', message_details })
    expect(event).toMatchObject({
      unread: [
        {
          messageId: 1,
          conversation: { kind: 'topic', channelId: 4, topic: 'x' },
          mentioned: true,
        },
        { messageId: 2, conversation: { kind: 'direct', userIds: [12] }, mentioned: false },
        { messageId: 3, conversation: { kind: 'direct', userIds: [11] }, mentioned: false },
      ],
    })
  })

  test('for an irrelevant flag gives no event', () => {
    expect(read({ ...flags, op: 'add', flag: 'collapsed' })).toEqual([])
  })
})

describe('a realm event', () => {
  test.each([
    [
      'a reaction',
      {
        type: 'reaction',
        op: 'remove',
        message_id: 5,
        emoji_name: 'tada',
        emoji_code: '1f389',
        reaction_type: 'unicode_emoji',
        user_id: 12,
      },
      {
        type: 'reaction',
        present: false,
        messageId: 5,
        reaction: { name: 'tada', code: '1f389', type: 'unicode_emoji', userId: 12 },
      },
    ],
    [
      'a new user',
      { type: 'realm_user', op: 'add', person: { user_id: 20, full_name: 'Eve', is_bot: true } },
      { type: 'users', users: [{ id: 20, name: 'Eve', isBot: true }] },
    ],
    [
      'a new name',
      { type: 'realm_user', op: 'update', person: { user_id: 12, full_name: 'Ana K.' } },
      { type: 'userChanged', userId: 12, change: { name: 'Ana K.' } },
    ],
    [
      'somebody typing to me',
      {
        type: 'typing',
        op: 'start',
        message_type: 'direct',
        sender: { user_id: 12 },
        recipients: [{ user_id: 11 }, { user_id: 12 }],
      },
      { type: 'typing', key: 'direct/12', userId: 12, at: 0 },
    ],
    [
      'a subscription',
      {
        type: 'subscription',
        op: 'add',
        subscriptions: [{ stream_id: 2, name: 'general', in_home_view: false }, { name: 'bad' }],
      },
      {
        type: 'channels',
        channels: [
          {
            id: 2,
            name: 'general',
            muted: true,
            desktopNotifications: null,
            audibleNotifications: null,
            wildcardMentionsNotify: null,
            maySend: null,
            postPolicy: null,
            emptyTopic: null,
          },
        ],
      },
    ],
    [
      'who may post in a channel',
      {
        type: 'stream',
        op: 'update',
        stream_id: 2,
        property: 'can_send_message_group',
        value: { direct_members: [11], direct_subgroups: [4] },
      },
      {
        type: 'channelChanged',
        channelId: 2,
        change: { maySend: { users: [11], groups: [4] } },
      },
    ],
    [
      'who may post in a channel of an older server',
      { type: 'stream', op: 'update', stream_id: 2, property: 'stream_post_policy', value: 4 },
      { type: 'channelChanged', channelId: 2, change: { postPolicy: 'role:moderators' } },
    ],
    [
      'that everybody may post there',
      { type: 'stream', op: 'update', stream_id: 2, property: 'stream_post_policy', value: 1 },
      { type: 'channelChanged', channelId: 2, change: { postPolicy: null } },
    ],
    [
      'the end of a subscription',
      { type: 'subscription', op: 'remove', subscriptions: [{ stream_id: 2, name: 'general' }] },
      { type: 'channelsGone', channelIds: [2], deleted: false },
    ],
    [
      'a muted channel',
      { type: 'subscription', op: 'update', stream_id: 2, property: 'is_muted', value: true },
      { type: 'channelChanged', channelId: 2, change: { muted: true } },
    ],
    [
      'the same by its older name',
      { type: 'subscription', op: 'update', stream_id: 2, property: 'in_home_view', value: true },
      { type: 'channelChanged', channelId: 2, change: { muted: false } },
    ],
    [
      'a setting that is inherited again',
      {
        type: 'subscription',
        op: 'update',
        stream_id: 2,
        property: 'desktop_notifications',
        value: null,
      },
      { type: 'channelChanged', channelId: 2, change: { desktopNotifications: null } },
    ],
    [
      'a renamed channel',
      { type: 'stream', op: 'update', stream_id: 2, property: 'name', value: 'all' },
      { type: 'channelChanged', channelId: 2, change: { name: 'all' } },
    ],
    [
      'a group that I am in',
      {
        type: 'user_group',
        op: 'add',
        group: { id: 4, name: 'ops', members: [11, 2], direct_subgroup_ids: [5] },
      },
      {
        type: 'group',
        groupId: 4,
        change: { name: 'ops', hasMe: true, size: 2, subgroups: [5], canMention: null },
      },
    ],
    [
      'a group that was renamed',
      { type: 'user_group', op: 'update', group_id: 4, data: { name: 'night' } },
      { type: 'group', groupId: 4, change: { name: 'night' } },
    ],
    [
      'a group that I leave',
      { type: 'user_group', op: 'remove_members', group_id: 4, user_ids: [11] },
      { type: 'group', groupId: 4, change: { hasMe: false } },
    ],
    [
      'a group that is gone',
      { type: 'user_group', op: 'remove', group_id: 4 },
      { type: 'group', groupId: 4, change: { isOff: true, hasMe: false } },
    ],
    [
      'what administrators allow now',
      {
        type: 'realm',
        op: 'update_dict',
        property: 'default',
        data: { direct_message_permission_group: 8, mandatory_topics: false, name: 'x' },
      },
      { type: 'rules', change: { direct: 8, emptyTopic: 'allowed' } },
    ],
    [
      'a single changed rule',
      { type: 'realm', op: 'update', property: 'topics_policy', value: 'empty_topic_only' },
      { type: 'rules', change: { emptyTopic: 'only' } },
    ],
    [
      'an archived channel',
      { type: 'stream', op: 'update', stream_id: 2, property: 'is_archived', value: true },
      { type: 'archived', channelId: 2, archived: true },
    ],
    [
      'a new channel',
      { type: 'stream', op: 'create', streams: [{ stream_id: 2, name: 'incidents' }] },
      { type: 'channelsMade', channels: [{ id: 2, name: 'incidents', archived: false }] },
    ],
    [
      'a deleted channel',
      { type: 'stream', op: 'delete', streams: [{ stream_id: 2 }] },
      { type: 'channelsGone', channelIds: [2], deleted: true },
    ],
    [
      'a followed topic',
      { type: 'user_topic', stream_id: 1, topic_name: 'DB', visibility_policy: 3 },
      { type: 'topicPolicy', key: 'topic/1/db', topic: 'DB', policy: 'followed' },
    ],
    [
      'a topic without policy of its own',
      { type: 'user_topic', stream_id: 1, topic_name: 'DB', visibility_policy: 0 },
      { type: 'topicPolicy', key: 'topic/1/db', topic: 'DB', policy: null },
    ],
    [
      'muted users',
      { type: 'muted_users', muted_users: [{ id: 13, timestamp: 1 }] },
      { type: 'mutedUsers', userIds: [13] },
    ],
    [
      'a setting',
      { type: 'user_settings', op: 'update', property: 'enable_sounds', value: false },
      { type: 'settings', change: { sounds: false } },
    ],
    [
      'a restart',
      { type: 'restart', service_feature_level: 430 },
      { type: 'restarted', featureLevel: 430 },
    ],
  ])('is read: %s', (_case, wire, expected) => {
    expect(read({ id: 1, ...wire })).toEqual([expected])
  })

  test.each([
    ['a heartbeat', { type: 'heartbeat' }],
    ['an unknown type', { type: 'navigation_view', op: 'add' }],
    ['a type that objects inherit as a property', { type: 'constructor' }],
    ['an irrelevant setting', { type: 'user_settings', property: 'color_scheme', value: 2 }],
    ['a realm with another name', { type: 'realm', op: 'update', property: 'name', value: 'x' }],
    ['an emoji alone, not all of them', { type: 'realm_emoji', op: 'update_one', emoji: {} }],
    ["other people's subscriptions", { type: 'subscription', op: 'peer_add', user_ids: [1] }],
    ['a deactivated user', { type: 'realm_user', op: 'update', person: { user_id: 1 } }],
    ['an unreadable one', { type: 'reaction', op: 'add', message_id: 'x' }],
  ])('is ignored, but its id is read: %s', (_case, wire) => {
    expect(read({ id: 12, ...wire })).toEqual([])
    expect(eventId({ id: 12, ...wire })).toBe(12)
  })
})

describe('any JSON at all', () => {
  const types = ['message', 'update_message', 'update_message_flags', 'subscription', 'realm_user']

  test('gives a list of events, never a crash', () => {
    const odd = fc.tuple(fc.constantFrom(...types), fc.dictionary(fc.string(), fc.jsonValue()))
    fc.assert(
      fc.property(odd, fc.jsonValue(), ([type, fields], junk) => {
        expect(Array.isArray(read({ ...fields, type }))).toBe(true)
        expect(Array.isArray(read(junk))).toBe(true)
        expect(eventId(junk) ?? 0).toBeTypeOf('number')
      }),
    )
  })
})

describe('what is read without a schema equals what a schema would read', () => {
  const value = fc.oneof(
    fc.jsonValue(),
    fc.double(),
    fc.constantFrom(undefined, 0, -0, 2 ** 53, 4_200, '', '9.01', []),
  )
  const wire = fc.oneof(
    value,
    fc.record(
      { id: value, type: value, local_message_id: value, local_id: value },
      { requiredKeys: [] },
    ),
  )

  const fieldsOf = (given: unknown): object =>
    typeof given === 'object' && given !== null ? given : {}

  test('for the id of an event', () => {
    const schema = looseObject({ id: whole })
    fc.assert(
      fc.property(wire, (given) => {
        const parsed = safeParse(schema, given)
        expect(eventId(given)).toBe(parsed.success ? parsed.output.id : null)
      }),
    )
  })

  test('for our own id of a message', () => {
    const localIds = { local_message_id: lenient(string()), local_id: lenient(string()) }
    const event = looseObject({ message: unknown(), flags: optional(unknown()), ...localIds })
    const inner = looseObject(localIds)
    fc.assert(
      fc.property(wire, wire, (beside, inside) => {
        const given = {
          ...fieldsOf(beside),
          type: 'message',
          message: { ...fieldsOf(inside), ...message },
        }
        const one = safeParse(event, given)
        const other = safeParse(inner, given.message)
        const told = [one, other].flatMap(({ success, output }) =>
          success ? [output.local_message_id ?? output.local_id] : [],
        )
        expect(read(given)).toMatchObject([
          { localId: told.find((text) => text !== undefined) ?? null },
        ])
      }),
    )
  })
})
