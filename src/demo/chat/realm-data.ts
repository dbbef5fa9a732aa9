import type { Random } from '../answers.ts'
import type { DemoMessage, DemoPlace, DirectPlace, TopicPlace } from './demo-message.ts'
import type { Queues } from './realm-queues.ts'
import type { RenderContext } from './realm-render.ts'

export interface Person {
  readonly id: number
  name: string
  /** The real address, used to sign in. The API also shows `user<id>@<host>`. */
  email: string
  readonly isBot: boolean
  role: 100 | 200 | 300 | 400 | 600
  /** IANA identifier; absent if not set. */
  readonly timezone?: string
}

export interface DemoChannel {
  readonly id: number
  name: string
  readonly description: string
  subscribed: boolean
  archived?: boolean
  muted: boolean
  readonly desktopNotifications: boolean | null
  readonly color: string
  /** Default: everyone. */
  maySend?: GroupSetting
  /** Subscribers other than the demo user; default: all people. */
  readonly others?: readonly number[]
  topicsPolicy?: string
}

/** In wire format: a group, or an unnamed one made of its members. */
export type GroupSetting =
  | number
  | { readonly direct_members: readonly number[]; readonly direct_subgroups: readonly number[] }

/** Ids of the system groups, the widest last; each but the first contains the one before it. */
export const roleGroups = {
  nobody: 2,
  owners: 3,
  administrators: 4,
  moderators: 5,
  members: 7,
  everyone: 8,
} as const

/** The state of the pretend realm. Handlers and controls change it and queue the events. */
export interface RealmData {
  readonly now: () => number
  readonly random: Random
  /** Host name, for the API's made-up e-mail addresses. */
  readonly host: string
  /** The one user who can sign in. */
  readonly me: Person
  readonly people: Map<number, Person>
  readonly channels: Map<number, DemoChannel>
  /** By id, ascending. */
  readonly messages: Map<number, DemoMessage>
  readonly topicPolicies: Map<string, DemoTopicPolicy>
  readonly mutedUsers: Map<number, number>
  /** Members by the group's id. */
  readonly groups: Map<number, Set<number>>
  readonly settings: Record<string, boolean | number | string>
  /** Permissions set by administrators. */
  readonly rules: {
    mentionMany: GroupSetting
    direct: GroupSetting
    startDirect: GroupSetting
    mandatoryTopics: boolean
  }
  readonly alertWords: readonly string[]
  /** By user, in wire format; empty values are left out of responses. */
  readonly statuses: Map<number, Readonly<Record<string, string>>>
  /** Deletes all drafts without events, as when their synchronization is switched off. */
  forgetDrafts: () => void
  readonly queues: Queues
  featureLevel: number
  readonly uploadLimits: UploadLimits
  /** The drafts, scheduled messages, snippets and reminders that `register` returns, by fetch type. */
  readonly kept: Map<string, () => readonly unknown[]>
  /** For everything but messages. */
  readonly nextId: () => number
  /** Ascending with gaps, as a server's realms share them. */
  readonly nextMessageId: () => number
}

export interface UploadLimits {
  /** MiB per file. */
  readonly mib: number
  /** For all files together. */
  readonly quotaBytes: number
}

interface DemoTopicPolicy {
  readonly stream_id: number
  readonly topic_name: string
  readonly visibility_policy: number
  readonly last_updated: number
}

/** Of the development of version 13: the newest in the API's change log. */
export const newestLevel = 512

/** The level that lists reminders, and sends events about them. */
export const remindersSince = 399

/** The first level of each version. */
const versions: readonly (readonly [level: number, version: string])[] = [
  [502, '13.0-dev'],
  [425, '12.2'],
  [377, '11.4'],
]

export function versionOf({ featureLevel }: Pick<RealmData, 'featureLevel'>): string {
  return versions.find(([level]) => featureLevel >= level)?.[1] ?? '10.2'
}

export const emptyTopicName = 'general chat'
export const limits = {
  message: 10_000,
  topic: 60,
  channelName: 60,
  channelDescription: 1024,
  reminderNote: 500,
}

export function nowSeconds(data: Pick<RealmData, 'now'>): number {
  return Math.floor(data.now() / 1000)
}

/** By full name, first name or id. */
export function personNamed(data: Pick<RealmData, 'people'>, name: string): Person {
  const found = [...data.people.values()].find((person) =>
    [person.name, person.name.split(' ')[0], String(person.id)].includes(name),
  )
  if (!found) throw new Error(`nobody in the demo is called ${name}`)
  return found
}

export function channelNamed(data: Pick<RealmData, 'channels'>, name: string): DemoChannel {
  const found = [...data.channels.values()].find((channel) => channel.name === name)
  if (!found) throw new Error(`no channel in the demo is called ${name}`)
  return found
}

/** The demo user's direct conversation with these people. */
export function directPlaceOf(data: RealmData, others: readonly number[]): DirectPlace {
  const userIds = [...new Set([...others, data.me.id])].sort((a, b) => a - b)
  return { kind: 'direct', userIds }
}

export function renderContext(
  data: Pick<RealmData, 'people' | 'channels' | 'featureLevel'>,
): RenderContext {
  const idOf = (items: Iterable<{ id: number; name: string }>, name: string) =>
    [...items].find((item) => item.name === name)?.id ?? null
  return {
    userId: (name) => idOf(data.people.values(), name.replace(/\|\d+$/, '')),
    channelId: (name) => idOf(data.channels.values(), name),
    level: data.featureLevel,
  }
}

/** The placeholder address that the API shows for everyone. */
export function shownEmail(data: Pick<RealmData, 'host'>, person: Person): string {
  return `user${person.id}@${data.host}`
}

export function emailsOf(data: Pick<RealmData, 'host'>, person: Person): readonly unknown[] {
  return [person.email, shownEmail(data, person)]
}

export function mutedRows({ mutedUsers }: RealmData) {
  return [...mutedUsers].map(([id, timestamp]) => ({ id, timestamp }))
}

export function wireUser(data: Pick<RealmData, 'host'>, person: Person) {
  return {
    user_id: person.id,
    email: shownEmail(data, person),
    delivery_email: person.email,
    full_name: person.name,
    date_joined: '2024-03-01T08:00:00+00:00',
    is_active: true,
    is_owner: person.role === 100,
    is_admin: person.role <= 200,
    is_guest: person.role === 600,
    is_bot: person.isBot,
    ...(person.isBot ? { bot_type: 1, bot_owner_id: null } : {}),
    role: person.role,
    timezone: person.timezone ?? '',
    avatar_url: `/user_avatars/2/${person.id}.png?version=1`,
    avatar_version: 1,
  }
}

export function wireSubscription(channel: DemoChannel) {
  return {
    stream_id: channel.id,
    name: channel.name,
    description: channel.description,
    rendered_description: `<p>${channel.description}</p>`,
    color: channel.color,
    pin_to_top: false,
    is_muted: channel.muted,
    in_home_view: !channel.muted,
    desktop_notifications: channel.desktopNotifications,
    audible_notifications: null,
    push_notifications: null,
    email_notifications: null,
    wildcard_mentions_notify: null,
    invite_only: false,
    is_web_public: false,
    is_archived: channel.archived ?? false,
    history_public_to_subscribers: true,
    first_message_id: null,
    stream_weekly_traffic: null,
    creator_id: null,
    date_created: 1_709_280_000,
    message_retention_days: null,
    can_send_message_group: channel.maySend ?? roleGroups.everyone,
    ...(channel.topicsPolicy === undefined ? {} : { topics_policy: channel.topicsPolicy }),
  }
}

export function subscribersOf({ people, me }: RealmData, channel: DemoChannel): number[] {
  const everybody = [...people.values()].filter(({ isBot }) => !isBot).map(({ id }) => id)
  const others = (channel.others ?? everybody).filter((id) => id !== me.id)
  return channel.subscribed ? [me.id, ...others] : others
}

/** The role of the people in each system group itself. */
const roleLimits: readonly (readonly [id: number, name: string, role: number])[] = [
  [roleGroups.nobody, 'role:nobody', 0],
  [roleGroups.owners, 'role:owners', 100],
  [roleGroups.administrators, 'role:administrators', 200],
  [roleGroups.moderators, 'role:moderators', 300],
  [roleGroups.members, 'role:members', 400],
  [roleGroups.everyone, 'role:everyone', 600],
]

export function isInGroup(data: RealmData, setting: GroupSetting, userId: number): boolean {
  if (typeof setting !== 'number')
    return (
      setting.direct_members.includes(userId) ||
      setting.direct_subgroups.some((id) => isInGroup(data, id, userId))
    )
  const role = roleLimits.find(([id]) => id === setting)
  const person = data.people.get(userId)
  return role === undefined
    ? (data.groups.get(setting)?.has(userId) ?? false)
    : person !== undefined && person.role <= role[2]
}

export function wireGroups({ groups, people }: Pick<RealmData, 'groups' | 'people'>) {
  const roles = roleLimits.map(([id, name, own], at) => ({
    id,
    name,
    description: '',
    members: [...people.values()].filter(({ role }) => role === own).map((person) => person.id),
    direct_subgroup_ids: roleLimits.slice(Math.max(1, at - 1), at).map(([inner]) => inner),
    can_mention_group: roleGroups.everyone,
    is_system_group: true,
    deactivated: false,
  }))
  const others = [...groups].map(([id, members]) => ({
    id,
    name: 'on-call',
    description: 'Who is woken at night',
    members: [...members],
    direct_subgroup_ids: [],
    can_mention_group: roleGroups.everyone,
    is_system_group: false,
    deactivated: false,
  }))
  return [...roles, ...others]
}

export function topicPolicyKey(channelId: number, topic: string): string {
  return `${channelId}/${topic.toLowerCase()}`
}

export function isMuted(data: RealmData, place: DemoPlace): boolean {
  if (place.kind === 'direct') return false
  const policy = data.topicPolicies.get(topicPolicyKey(place.channelId, place.topic))
  if (policy) return policy.visibility_policy === 1
  return data.channels.get(place.channelId)?.muted ?? true
}

/** Sets a topic's policy, with an event; 0 removes it. */
export function setTopicPolicy(
  data: RealmData,
  place: Omit<TopicPlace, 'kind'>,
  policy: number,
): void {
  const row = {
    stream_id: place.channelId,
    topic_name: place.topic,
    visibility_policy: policy,
    last_updated: nowSeconds(data),
  }
  const key = topicPolicyKey(place.channelId, place.topic)
  if (policy === 0) data.topicPolicies.delete(key)
  else data.topicPolicies.set(key, row)
  data.queues.send({ type: 'user_topic', ...row })
}

export function samePlace(a: DemoPlace, b: DemoPlace): boolean {
  if (a.kind === 'topic' && b.kind === 'topic')
    return a.channelId === b.channelId && a.topic.toLowerCase() === b.topic.toLowerCase()
  return a.kind === 'direct' && b.kind === 'direct' && a.userIds.join() === b.userIds.join()
}
