import type { ChatOperationId } from '../../shared/api/chat/chat-operations.ts'
import {
  channelNamed,
  type DemoChannel,
  nowSeconds,
  personNamed,
  type RealmData,
  setTopicPolicy,
  wireSubscription,
} from './realm-data.ts'
import { placeNamed } from './realm-history-seed.ts'
import {
  type ControlPlace,
  type MessageControls,
  messageControls,
  placeFor,
} from './realm-message-controls.ts'
import { pushDirectTyping } from './realm-message-handlers.ts'
import { renamePerson } from './realm-people.ts'

/** What the realm's door obeys. */
export interface Gate {
  fault: { readonly status: number; readonly only: ChatOperationId | null } | null
  key: string
}

/** What happens in the pretend realm that is not the user's doing. People are named as in `personNamed`. */
export interface RealmControls extends MessageControls {
  /** 0 none, 1 muted, 2 unmuted, 3 followed. */
  setTopicPolicy(place: string, policy: 0 | 1 | 2 | 3): void
  muteChannel(name: string, muted: boolean): void
  renameChannel(name: string, to: string): void
  subscribe(name: string, subscribed: boolean): void
  muteUsers(...names: string[]): void
  rename(name: string, to: string): void
  set(property: string, value: boolean): void
  typing(from: string, to: ControlPlace, op?: 'start' | 'stop'): void
  /** An event of a known type that says what no client has heard of, as a newer server's may. */
  unheardOf(): void
  /** All queues are lost, as after a crash; waiting polls learn it at once. */
  dropQueues(): void
  /** The server comes back, maybe upgraded; the queues survive. */
  restart(featureLevel: number): void
  /** Every request, or those of one operation, fails with this status until null is given. */
  refuse(status: number | null, only?: ChatOperationId): void
  /** The key stops working, as when it was regenerated. */
  revokeKey(): void
  queues(): { readonly registered: number; readonly waiting: number }
}

export function createControls(data: RealmData, gate: Gate): RealmControls {
  return { ...messageControls(data), ...realmControls(data), ...doorControls(data, gate) }
}

function realmControls(data: RealmData) {
  const channelEvent = (channel: DemoChannel, fields: Readonly<Record<string, unknown>>) => ({
    op: 'update',
    stream_id: channel.id,
    name: channel.name,
    ...fields,
  })
  return {
    setTopicPolicy(place, policy) {
      const found = placeNamed(data, place)
      if (found.kind === 'topic') setTopicPolicy(data, found, policy)
    },
    muteChannel(name, muted) {
      const channel = channelNamed(data, name)
      channel.muted = muted
      const event = channelEvent(channel, { property: 'is_muted', value: muted })
      data.queues.push(() => ({ type: 'subscription', ...event }))
    },
    renameChannel(name, to) {
      const channel = channelNamed(data, name)
      const event = channelEvent(channel, { property: 'name', value: to })
      channel.name = to
      data.queues.push(() => ({ type: 'stream', ...event }))
    },
    subscribe(name, subscribed) {
      const channel = channelNamed(data, name)
      channel.subscribed = subscribed
      const rows = subscribed ? [wireSubscription(channel)] : [{ stream_id: channel.id, name }]
      const op = subscribed ? 'add' : 'remove'
      data.queues.push(() => ({ type: 'subscription', op, subscriptions: rows }))
    },
    muteUsers(...names) {
      data.mutedUsers.clear()
      for (const name of names) data.mutedUsers.set(personNamed(data, name).id, nowSeconds(data))
      const rows = [...data.mutedUsers].map(([id, timestamp]) => ({ id, timestamp }))
      data.queues.push(() => ({ type: 'muted_users', muted_users: rows }))
    },
    rename: (name, to) => renamePerson(data, personNamed(data, name), to),
    set(property, value) {
      data.settings[property] = value
      data.queues.push(() => ({ type: 'user_settings', op: 'update', property, value }))
    },
    unheardOf: () => data.queues.push(() => ({ type: 'stream', op: 'from_the_future' })),
    typing(from, to, op = 'start') {
      const place = placeFor(data, to)
      const sender = personNamed(data, from)
      if (place.kind === 'direct') {
        return pushDirectTyping(data, { op, from: sender.id, people: place.userIds })
      }
      data.queues.push(() => ({
        type: 'typing',
        op,
        message_type: 'stream',
        sender: { user_id: sender.id, email: `user${sender.id}@${data.host}` },
        stream_id: place.channelId,
        topic: place.topic,
      }))
    },
  } satisfies Partial<RealmControls>
}

function doorControls(data: RealmData, gate: Gate) {
  return {
    dropQueues: () => data.queues.drop(),
    restart(featureLevel) {
      data.featureLevel = featureLevel
      data.queues.push(() => ({
        type: 'restart',
        zulip_version: '11.5',
        zulip_merge_base: '11.5',
        zulip_feature_level: featureLevel,
        server_generation: nowSeconds(data),
      }))
    },
    refuse(status, only) {
      gate.fault = status === null ? null : { status, only: only ?? null }
    },
    revokeKey() {
      gate.key = 'revoked'
    },
    queues: () => ({ registered: data.queues.count(), waiting: data.queues.waiting() }),
  } satisfies Partial<RealmControls>
}
