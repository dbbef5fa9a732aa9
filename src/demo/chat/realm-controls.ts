import type { ChatOperationId } from '../../shared/api/chat/chat-operations.ts'
import type { Conversation } from '../../shared/core/chat/conversation.ts'
import type { DemoMessage, DemoPlace, TopicPlace } from './demo-message.ts'
import {
  channelNamed,
  type DemoChannel,
  directPlaceOf,
  mutedRows,
  nowSeconds,
  personNamed,
  type RealmData,
  renderContext,
  samePlace,
  setTopicPolicy,
  shownEmail,
  versionOf,
  wireSubscription,
} from './realm-data.ts'
import {
  changeFlag,
  changeReaction,
  demoReaction,
  flagsFor,
  isAction,
  isFollowed,
  markAllRead,
  postMessage,
  pushDirectTyping,
} from './realm-messages.ts'
import type { DemoQueue } from './realm-queues.ts'
import { renderMarkdown } from './realm-render.ts'
import { channel as newChannel, person, placeNamed } from './realm-seed.ts'
import { changeSetting, renamePerson } from './realm-settings.ts'

/** `ops > db-primary`, `Ana`, `Ana,Boris`, or a conversation as the app names it. */
type ControlPlace = string | Conversation

function placeFor(data: RealmData, place: ControlPlace): DemoPlace {
  if (typeof place === 'string') return placeNamed(data, place)
  return place.kind === 'topic' ? place : directPlaceOf(data, place.userIds)
}

function messageAt(data: RealmData, id: number): DemoMessage {
  const message = data.messages.get(id)
  if (!message) throw new Error(`the demo has no message ${id}`)
  return message
}

/** Everything in the realm that the user doesn't do. People are named as in `personNamed`. */
export function createControls(data: RealmData, gate: Gate) {
  return { ...messageControls(data), ...realmControls(data), ...serverControls(data, gate) }
}

/** What others, or the user on another device, do to messages. */
function messageControls(data: RealmData) {
  return {
    /** Returns the message's id. `mention`: of the demo user; `html` replaces rendering. */
    say(input: {
      readonly from: string
      readonly to: ControlPlace
      readonly text: string
      readonly html?: string
      readonly mention?: boolean
    }): number {
      const sender = personNamed(data, input.from)
      const to = placeFor(data, input.to)
      return postMessage(data, {
        sender,
        place: to.kind === 'direct' ? directPlaceOf(data, [...to.userIds, sender.id]) : to,
        content: input.mention ? `@**${data.me.name}** ${input.text}` : input.text,
        html: input.html,
        read: false,
        client: 'website',
      }).id
    },
    edit: (id: number, text: string) => editMessage(data, messageAt(data, id), text),
    /** A rendering-only update, as when a link preview arrives. */
    preview(id: number, html: string) {
      const message = messageAt(data, id)
      message.html = html
      pushUpdate(data, message, {
        user_id: null,
        rendering_only: true,
        rendered_content: html,
        content: message.content,
      })
    },
    remove: (...ids: number[]) => removeMessages(data, ids),
    react(input: {
      readonly from: string
      readonly messageId: number
      readonly name: string
      readonly present?: boolean
    }) {
      const reaction = demoReaction(personNamed(data, input.from).id, input.name)
      changeReaction(data, messageAt(data, input.messageId), reaction, input.present ?? true)
    },
    /** As if read in the web app; the event for 'all' has no ids. */
    readElsewhere(ids: readonly number[] | 'all') {
      if (ids === 'all') markAllRead(data)
      else changeFlag(data, { op: 'add', flag: 'read', ids })
    },
    unreadElsewhere: (ids: readonly number[]) =>
      changeFlag(data, { op: 'remove', flag: 'read', ids }),
    moveTopic: (from: string, to: string) => moveTopic(data, from, to),
    messages: (): readonly DemoMessage[] => [...data.messages.values()],
  }
}

function realmControls(data: RealmData) {
  const send = (type: string, { id, name }: DemoChannel, property: string, value: unknown) =>
    data.queues.send({ type, op: 'update', stream_id: id, name, property, value })
  return {
    /** 0 none, 1 muted, 2 unmuted, 3 followed. */
    setTopicPolicy(place: string, policy: 0 | 1 | 2 | 3) {
      const found = placeNamed(data, place)
      if (found.kind === 'topic') setTopicPolicy(data, found, policy)
    },
    muteChannel(name: string, muted: boolean) {
      const channel = channelNamed(data, name)
      channel.muted = muted
      send('subscription', channel, 'is_muted', muted)
    },
    renameChannel(name: string, to: string) {
      const channel = channelNamed(data, name)
      send('stream', channel, 'name', to)
      channel.name = to
    },
    archiveChannel: (name: string) => setArchived(data, channelNamed(data, name), true),
    unarchiveChannel: (name: string) => setArchived(data, channelNamed(data, name), false),
    allow(change: Partial<RealmData['rules']>) {
      const { mentionMany, direct, startDirect, mandatoryTopics } = Object.assign(
        data.rules,
        change,
      )
      const fields = {
        can_mention_many_users_group: mentionMany,
        direct_message_permission_group: direct,
        direct_message_initiator_group: startDirect,
        mandatory_topics: mandatoryTopics,
      }
      const event = { op: 'update_dict', property: 'default', data: fields }
      data.queues.send({ type: 'realm', ...event })
    },
    /** Changes who may post in a channel, and who is in it besides the demo user. */
    changeChannel(name: string, change: Pick<DemoChannel, 'maySend' | 'others' | 'topicsPolicy'>) {
      const channel = Object.assign(channelNamed(data, name), change)
      if (change.maySend !== undefined)
        send('stream', channel, 'can_send_message_group', change.maySend)
      if (change.topicsPolicy !== undefined)
        send('stream', channel, 'topics_policy', change.topicsPolicy)
    },
    subscribe(name: string, subscribed: boolean) {
      const channel = channelNamed(data, name)
      channel.subscribed = subscribed
      const rows = subscribed ? [wireSubscription(channel)] : [{ stream_id: channel.id, name }]
      const op = subscribed ? 'add' : 'remove'
      data.queues.send({ type: 'subscription', op, subscriptions: rows })
    },
    muteUsers(...names: string[]) {
      data.mutedUsers.clear()
      for (const name of names) data.mutedUsers.set(personNamed(data, name).id, nowSeconds(data))
      data.queues.send({ type: 'muted_users', muted_users: mutedRows(data) })
    },
    /** More people and channels, as of the next registration. */
    grow(people: number, channels: number) {
      for (let id = 1_000; id < 1_000 + people; id += 1)
        data.people.set(id, person(id, `Person ${id}`, 400))
      for (let id = 1_000; id < 1_000 + channels; id += 1)
        data.channels.set(id, newChannel(id, `team-${id}`, '', '#94c849'))
    },
    rename: (name: string, to: string) => renamePerson(data, personNamed(data, name), to),
    set: (property: string, value: boolean) => changeSetting(data, property, value),
    /** A known event type with an unknown `op`, as a newer server may send. */
    unheardOf: () => data.queues.send({ type: 'stream', op: 'from_the_future' }),
    typing(from: string, to: ControlPlace, op: 'start' | 'stop' = 'start') {
      const place = placeFor(data, to)
      const sender = personNamed(data, from)
      if (place.kind === 'direct')
        return pushDirectTyping(data, { op, from: sender.id, people: place.userIds })
      data.queues.send({
        type: 'typing',
        op,
        message_type: 'stream',
        sender: { user_id: sender.id, email: shownEmail(data, sender) },
        stream_id: place.channelId,
        topic: place.topic,
      })
    },
  }
}

/** Before level 378, and for clients without `archived_channels`, it is deleted or created. */
function setArchived(data: RealmData, channel: DemoChannel, archived: boolean): void {
  channel.archived = archived
  const { id, name } = channel
  const event = { type: 'stream', op: 'update', stream_id: id, name, property: 'is_archived' }
  const older = archived
    ? { type: 'stream', op: 'delete', stream_ids: [id], streams: [{ stream_id: id, name }] }
    : { type: 'stream', op: 'create', streams: [wireSubscription(channel)] }
  data.queues.push(({ capabilities }) =>
    capabilities['archived_channels'] === true && data.featureLevel >= 378
      ? { ...event, value: archived }
      : older,
  )
}

function serverControls(data: RealmData, gate: Gate) {
  return {
    /** Drops all queues, as after a crash; waiting polls fail at once. */
    dropQueues: () => data.queues.drop(),
    /** The server restarts, perhaps upgraded; queues survive. */
    restart(featureLevel: number) {
      data.featureLevel = featureLevel
      data.queues.send({
        type: 'restart',
        zulip_version: versionOf(data),
        zulip_merge_base: versionOf(data),
        zulip_feature_level: featureLevel,
        server_generation: nowSeconds(data),
      })
    },
    /** Fails every request, or those of one operation, with this status until set to null. */
    refuse(status: number | null, only: ChatOperationId | null = null) {
      gate.fault = status === null ? null : { status, only }
    },
    /** The key stops working, as if regenerated. */
    revokeKey() {
      gate.key = 'revoked'
    },
    queues: () => ({ registered: data.queues.count(), waiting: data.queues.waiting() }),
  }
}

/** Decides which requests are admitted. */
export interface Gate {
  fault: { readonly status: number; readonly only: ChatOperationId | null } | null
  key: string
}

export function editMessage(data: RealmData, message: DemoMessage, text: string): void {
  const { content, html } = message
  message.content = text
  message.html = renderMarkdown(text, renderContext(data))
  message.editedAt = nowSeconds(data)
  const kept = ['read', 'starred', 'collapsed'].filter((flag) => message.flags.has(flag))
  const sender = data.people.get(message.senderId) ?? data.me
  message.flags.clear()
  for (const flag of [...kept, ...flagsFor(data, sender, text)]) message.flags.add(flag)
  pushUpdate(data, message, {
    user_id: message.senderId,
    rendering_only: false,
    orig_content: content,
    orig_rendered_content: html,
    content: text,
    rendered_content: message.html,
    is_me_message: isAction(message),
  })
}

function pushUpdate(
  data: RealmData,
  message: DemoMessage,
  fields: Readonly<Record<string, unknown>>,
): void {
  if (!isFollowed(data, message.place)) return
  const channel = message.place.kind === 'topic' ? { stream_id: message.place.channelId } : {}
  data.queues.send({
    type: 'update_message',
    message_id: message.id,
    message_ids: [message.id],
    flags: [...message.flags],
    edit_timestamp: nowSeconds(data),
    ...channel,
    ...fields,
  })
}

export function removeMessages(data: RealmData, ids: readonly number[]): void {
  const { place, received } = messageAt(data, ids[0] ?? 0)
  for (const id of ids) data.messages.delete(id)
  if (!received && !isFollowed(data, place)) return
  const where =
    place.kind === 'topic'
      ? { message_type: 'stream', stream_id: place.channelId, topic: place.topic }
      : { message_type: 'private' }
  const inBulk = (queue: DemoQueue) => queue.capabilities['bulk_message_deletion'] === true
  const type = 'delete_message'
  data.queues.push((queue) => (inBulk(queue) ? { type, message_ids: ids, ...where } : null))
  for (const id of ids)
    data.queues.push((queue) => (inBulk(queue) ? null : { type, message_id: id, ...where }))
}

function moveTopic(data: RealmData, from: string, to: string): void {
  const old = placeNamed(data, from)
  const next = placeNamed(data, to)
  if (old.kind !== 'topic' || next.kind !== 'topic') throw new Error('only topics can be moved')
  const moved = messagesOf(data, old)
  if (moved.length === 0) throw new Error(`nothing was said in ${from}`)
  moveMessages(data, moved, { from: old, to: next, mode: 'change_all' })
}

export function messagesOf(data: RealmData, topic: TopicPlace): DemoMessage[] {
  return [...data.messages.values()].filter(({ place }) => samePlace(place, topic))
}

/** Moves messages to another topic, with an event. */
export function moveMessages(
  data: RealmData,
  moved: readonly DemoMessage[],
  { from, to, mode }: { from: TopicPlace; to: TopicPlace; mode: string },
): void {
  const [first] = moved
  if (!first) return
  for (const message of moved) {
    message.place = to
    message.movedAt = nowSeconds(data)
  }
  data.queues.send({
    type: 'update_message',
    user_id: first.senderId,
    rendering_only: false,
    message_id: first.id,
    message_ids: moved.map(({ id }) => id),
    flags: [...first.flags],
    edit_timestamp: nowSeconds(data),
    stream_id: from.channelId,
    stream_name: data.channels.get(from.channelId)?.name,
    orig_subject: from.topic,
    propagate_mode: mode,
    ...(to.channelId === from.channelId ? {} : { new_stream_id: to.channelId }),
    ...(to.topic === from.topic ? {} : { subject: to.topic, topic_links: [] }),
  })
}
