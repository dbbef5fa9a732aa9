import {
  agreement,
  bad,
  type ChatCase,
  holding,
  inner,
  isAbsent,
  isList,
  isNumber,
  isText,
  ok,
  post,
  rows,
  whoAmI,
} from './chat-parts.ts'

type Fields = Readonly<Record<string, unknown>>

const register = (fields: Fields, expect = ok()) => post('/register', fields, expect)

/** What registering for an event type returns. */
const parts: readonly (readonly [string, Fields])[] = [
  ['message', { max_message_id: isNumber }],
  ['subscription', { subscriptions: isList, unsubscribed: isList, never_subscribed: isList }],
  [
    'realm_user',
    { realm_users: isList, cross_realm_bots: isList, user_id: isNumber, email: isText },
  ],
  [
    'user_settings',
    { user_settings: { enable_desktop_notifications: (v: unknown) => typeof v === 'boolean' } },
  ],
  ['user_topic', { user_topics: isList }],
  ['muted_users', { muted_users: isList }],
  ['alert_words', { alert_words: isList }],
  ['starred_messages', { starred_messages: isList }],
  ['drafts', { drafts: isList }],
  ['scheduled_messages', { scheduled_messages: isList }],
  ['saved_snippets', { saved_snippets: isList }],
  ['recent_private_conversations', { recent_private_conversations: isList }],
  ['realm_emoji', { realm_emoji: (value: unknown) => typeof value === 'object' }],
  [
    'realm',
    {
      max_message_length: isNumber,
      max_topic_length: isNumber,
      max_stream_name_length: isNumber,
      max_stream_description_length: isNumber,
      max_file_upload_size_mib: isNumber,
      event_queue_longpoll_timeout_seconds: isNumber,
      realm_empty_topic_display_name: isText,
      realm_name: isText,
    },
  ],
]

const registering: readonly ChatCase[] = [
  agreement('registerQueue', 'a registration names queue, last event, version and level', [
    register(
      { event_types: [] },
      ok({
        queue_id: isText,
        last_event_id: -1,
        zulip_version: isText,
        zulip_feature_level: isNumber,
      }),
    ),
  ]),
  ...parts.map(([type, fields]) =>
    agreement('registerQueue', `a registration for ${type} brings its data`, [
      register({ event_types: [type] }, ok(fields)),
    ]),
  ),
  agreement('registerQueue', 'unread messages need two types', [
    register({ event_types: ['message'] }, ok({ unread_msgs: isAbsent })),
    register(
      { event_types: ['message', 'update_message_flags'] },
      ok({ unread_msgs: { pms: isList, streams: isList, huddles: isList, mentions: isList } }),
    ),
  ]),
  agreement('registerQueue', 'what wasn’t requested is missing', [
    register({ event_types: ['message'] }, ok({ subscriptions: isAbsent, realm_users: isAbsent })),
  ]),
  agreement('registerQueue', 'the fetched data can differ from the event types', [
    register(
      { event_types: ['message'], fetch_event_types: ['alert_words'] },
      ok({ alert_words: isList, max_message_id: isAbsent }),
    ),
  ]),
  agreement('registerQueue', 'unknown types are ignored', [register({ event_types: ['weather'] })]),
  agreement('registerQueue', 'listed users don’t say if they are active', [
    register(
      { event_types: ['realm_user'] },
      holding('is_active is absent', (body) =>
        rows(body, 'realm_users').every((user) => !('is_active' in user)),
      ),
    ),
  ]),
  agreement('registerQueue', 'a system bot is listed separately', [
    register(
      { event_types: ['realm_user'] },
      holding('no id is in both lists', (body) => {
        const apart = rows(body, 'cross_realm_bots').map(({ user_id }) => user_id)
        return rows(body, 'realm_users').every(({ user_id }) => !apart.includes(user_id))
      }),
    ),
  ]),
  agreement('registerQueue', 'capabilities must include notification_settings_null', [
    register({ client_capabilities: {} }, bad),
    register({ client_capabilities: { notification_settings_null: true } }),
  ]),
  agreement('registerQueue', 'unknown capabilities are ignored', [
    register({ client_capabilities: { notification_settings_null: true, flying: true } }),
  ]),
  agreement('registerQueue', 'a narrow by an unsupported operator is refused', [
    register({ narrow: [['is', 'followed']] }, bad),
    register({ narrow: [['has', 'link']] }, bad),
  ]),
  agreement('registerQueue', 'unread notes to oneself are counted under oneself', [
    whoAmI,
    post('/messages', { type: 'direct', to: '[{me}]', content: 'x' }),
    register(
      { event_types: ['message', 'update_message_flags'] },
      holding('there is one', (body, saved) =>
        rows(inner(body['unread_msgs']), 'pms').some(
          ({ other_user_id }) => other_user_id === Number(saved['me']),
        ),
      ),
    ),
  ]),
]

export const registerCases: readonly ChatCase[] = [...registering]
