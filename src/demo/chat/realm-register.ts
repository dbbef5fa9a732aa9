import type { DemoMessage, DemoPlace } from './demo-message.ts'
import {
  emptyTopicName,
  isMuted,
  limits,
  mutedRows,
  type RealmData,
  remindersSince,
  shownEmail,
  versionOf,
  wireGroups,
  wireSubscription,
  wireUser,
} from './realm-data.ts'
import { type Params, Refusal, shapes } from './realm-http.ts'
import { isFollowed } from './realm-messages.ts'
import { eventFilter } from './realm-narrow.ts'
import { shownStatus } from './realm-people.ts'
import { emojiNamesPath } from './realm-uploads.ts'

/** Registers a queue and returns the realm's current state. */
export function register(data: RealmData, params: Params) {
  const eventTypes = params.maybe('event_types', shapes.texts)
  const fetchTypes = params.maybe('fetch_event_types', shapes.texts) ?? eventTypes
  const capabilities = params.maybe('client_capabilities', shapes.record) ?? {
    notification_settings_null: false,
  }
  if (typeof capabilities['notification_settings_null'] !== 'boolean')
    throw new Refusal('client_capabilities["notification_settings_null"] field is missing')
  const applyMarkdown = params.maybe('apply_markdown', shapes.boolean) ?? false
  params.check(shapes.boolean, 'client_gravatar', 'slim_presence')
  params.check(shapes.whole, 'presence_history_limit_days')
  const subscribers = params.maybeText('include_subscribers') ?? 'false'
  // `partial` is known since level 412.
  const words = data.featureLevel < 412 ? ['true', 'false'] : ['true', 'false', 'partial']
  if (!words.includes(subscribers)) throw new Refusal('include_subscribers is not valid')
  const queue = data.queues.register({
    narrow: eventFilter(data, params.maybe('narrow', shapes.list) ?? []),
    allPublic: params.maybe('all_public_streams', shapes.boolean) ?? false,
    types: eventTypes === undefined ? null : new Set(eventTypes),
    applyMarkdown,
    capabilities,
  })
  return {
    queue_id: queue.id,
    last_event_id: -1,
    zulip_version: versionOf(data),
    zulip_merge_base: versionOf(data),
    zulip_feature_level: data.featureLevel,
    ...initialData(
      data,
      fetchTypes === undefined ? null : new Set(fetchTypes),
      capabilities['archived_channels'] === true,
    ),
  }
}

type Part = (data: RealmData, withArchived: boolean) => Record<string, unknown>

/** What is kept for later, and the feature level that introduced it. */
const keptSince = [
  ['drafts', 1],
  ['scheduled_messages', 179],
  ['saved_snippets', 297],
  ['reminders', remindersSince],
] as const

/** What each fetch type returns (chat API, 3.2). */
const parts: readonly (readonly [readonly string[], Part])[] = [
  [['realm'], realmPart],
  [['message'], (data) => ({ max_message_id: [...data.messages.keys()].at(-1) ?? -1 })],
  [['message', 'update_message_flags'], (data) => ({ unread_msgs: unreadMessages(data) })],
  [['starred_messages'], (data) => ({ starred_messages: starred(data) })],
  [['recent_private_conversations'], recentPart],
  [
    ['subscription'],
    (data, withArchived) => ({
      subscriptions: subscribed(data, true, withArchived),
      unsubscribed: [],
      never_subscribed: subscribed(data, false, withArchived),
    }),
  ],
  [['realm_user'], usersPart],
  [['user_settings'], (data) => ({ user_settings: { ...data.settings } })],
  [['user_topic'], (data) => ({ user_topics: [...data.topicPolicies.values()] })],
  [['muted_users'], (data) => ({ muted_users: mutedRows(data) })],
  [['realm_user_groups'], (data) => ({ realm_user_groups: wireGroups(data) })],
  ...keptSince.map(([type, since]): [string[], Part] => [
    [type],
    ({ kept, featureLevel }) =>
      featureLevel < since ? {} : { [type]: [...(kept.get(type)?.() ?? [])] },
  ]),
  [
    ['user_status'],
    ({ statuses }) => ({
      user_status: Object.fromEntries(
        [...statuses].flatMap(([id, status]) => {
          const shown = shownStatus(status)
          return Object.keys(shown).length === 0 ? [] : [[id, shown]]
        }),
      ),
    }),
  ],
  [['alert_words'], (data) => ({ alert_words: data.alertWords })],
  [
    ['realm_emoji'],
    () => ({
      realm_emoji: {
        '1': {
          id: '1',
          name: 'belfry',
          source_url: '/user_avatars/2/emoji/images/1.png',
          still_url: null,
          deactivated: false,
          author_id: 12,
        },
      },
    }),
  ],
]

function initialData(data: RealmData, wanted: ReadonlySet<string> | null, withArchived: boolean) {
  const initial: Record<string, unknown> = {}
  for (const [types, part] of parts) {
    if (types.every((type) => wanted?.has(type) ?? true))
      Object.assign(initial, part(data, withArchived))
  }
  return initial
}

function realmPart({ uploadLimits, rules, featureLevel }: RealmData): Record<string, unknown> {
  return {
    realm_can_mention_many_users_group: rules.mentionMany,
    realm_direct_message_permission_group: rules.direct,
    realm_direct_message_initiator_group: rules.startDirect,
    realm_mandatory_topics: rules.mandatoryTopics,
    ...(featureLevel < 392
      ? {}
      : {
          realm_topics_policy: rules.mandatoryTopics ? 'disable_empty_topic' : 'allow_empty_topic',
        }),
    max_message_length: limits.message,
    ...(featureLevel < 415 ? {} : { max_reminder_note_length: limits.reminderNote }),
    max_topic_length: limits.topic,
    max_stream_name_length: limits.channelName,
    max_stream_description_length: limits.channelDescription,
    server_emoji_data_url: emojiNamesPath,
    max_file_upload_size_mib: uploadLimits.mib,
    event_queue_longpoll_timeout_seconds: 90,
    realm_name: 'Belfry Demo',
    realm_empty_topic_display_name: emptyTopicName,
    realm_icon_url: '/user_avatars/2/realm/icon.png?version=1',
    server_typing_started_expiry_period_milliseconds: 45_000,
    server_presence_ping_interval_seconds: 60,
  }
}

function usersPart(data: RealmData): Record<string, unknown> {
  const { me } = data
  // The real server leaves `is_active` out of these lists.
  const rows = [...data.people.values()].map((person) => {
    const { is_active: _left, ...row } = wireUser(data, person)
    return row
  })
  const isCrossRealm = (row: { user_id: number }) => row.user_id === 6
  return {
    user_id: me.id,
    email: shownEmail(data, me),
    delivery_email: me.email,
    full_name: me.name,
    is_admin: me.role <= 200,
    is_owner: me.role === 100,
    is_guest: me.role === 600,
    realm_users: rows.filter((row) => !isCrossRealm(row)),
    realm_non_active_users: [],
    cross_realm_bots: rows
      .filter(isCrossRealm)
      .map((row) => ({ ...row, is_system_bot: true, is_cross_realm_bot: true })),
  }
}

function subscribed(data: RealmData, wanted: boolean, withArchived: boolean) {
  return [...data.channels.values()]
    .filter(
      (channel) => channel.subscribed === wanted && (withArchived || channel.archived !== true),
    )
    .map(wireSubscription)
}

function starred(data: RealmData): number[] {
  return [...data.messages.values()].filter(({ flags }) => flags.has('starred')).map(({ id }) => id)
}

function recentPart(data: RealmData): Record<string, unknown> {
  const newest = new Map<string, { user_ids: number[]; max_message_id: number }>()
  for (const { id, place } of data.messages.values()) {
    if (place.kind !== 'direct') continue
    const others = place.userIds.filter((user) => user !== data.me.id)
    newest.set(others.join(), { user_ids: others, max_message_id: id })
  }
  const rows = [...newest.values()].sort((a, b) => b.max_message_id - a.max_message_id)
  return { recent_private_conversations: rows }
}

function unreadMessages(data: RealmData) {
  const unread = [...data.messages.values()].filter(
    ({ flags, place }) => !flags.has('read') && isFollowed(data, place),
  )
  const groups = new Map<string, { row: Record<string, unknown>; ids: number[]; list: string }>()
  for (const { id, place, senderId } of unread) {
    const [list, key, row] = unreadGroup(data, place, senderId)
    const group = groups.get(`${list}/${key}`) ?? { row, ids: [], list }
    group.ids.push(id)
    groups.set(`${list}/${key}`, group)
  }
  const listed = (list: string) =>
    [...groups.values()]
      .filter((group) => group.list === list)
      .map(({ row, ids }) => ({ ...row, unread_message_ids: ids }))
  return {
    count: unread.filter(({ place }) => !isMuted(data, place)).length,
    pms: listed('pms'),
    streams: listed('streams'),
    huddles: listed('huddles'),
    mentions: unread.filter((message) => isMention(data, message)).map(({ id }) => id),
    old_unreads_missing: false,
  }
}

/** Wildcard mentions count only in places that are not muted. */
function isMention(data: RealmData, { flags, place }: DemoMessage): boolean {
  return flags.has('mentioned') || (flags.has('wildcard_mentioned') && !isMuted(data, place))
}

function unreadGroup(
  data: RealmData,
  place: DemoPlace,
  senderId: number,
): [list: string, key: string, row: Record<string, unknown>] {
  if (place.kind === 'topic') {
    const { channelId, topic } = place
    const key = `${channelId}/${topic.toLowerCase()}`
    return ['streams', key, { stream_id: channelId, topic }]
  }
  if (place.userIds.length > 2) {
    const people = place.userIds.join(',')
    return ['huddles', people, { user_ids_string: people }]
  }
  const other = place.userIds.find((id) => id !== data.me.id) ?? data.me.id
  return ['pms', String(other), { other_user_id: other, sender_id: senderId }]
}

export function serverSettings(data: RealmData, baseUrl: string) {
  return {
    zulip_version: versionOf(data),
    zulip_merge_base: versionOf(data),
    zulip_feature_level: data.featureLevel,
    realm_url: baseUrl,
    realm_uri: baseUrl,
    realm_name: 'Belfry Demo',
    realm_icon: '/user_avatars/2/realm/icon.png?version=1',
    realm_description: '<p>The people who keep the clocks running.</p>',
    authentication_methods: { password: true, dev: false, email: true, ldap: false },
    external_authentication_methods: [],
    email_auth_enabled: true,
    require_email_format_usernames: true,
    push_notifications_enabled: false,
    is_incompatible: false,
    realm_web_public_access_enabled: false,
  }
}
