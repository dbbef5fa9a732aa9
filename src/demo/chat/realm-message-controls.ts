import type { Conversation } from '../../shared/core/chat/conversation.ts'
import {
  type DemoMessage,
  type DemoPlace,
  nowSeconds,
  personNamed,
  type RealmData,
  renderContext,
} from './realm-data.ts'
import { directPlaceOf, placeNamed } from './realm-history-seed.ts'
import {
  changeFlag,
  flagsFor,
  isAction,
  isFollowed,
  markAllRead,
  postMessage,
} from './realm-messages.ts'
import { changeReaction, demoReaction } from './realm-reactions.ts'
import { renderMarkdown } from './realm-render.ts'

/** `ops > db-primary`, `Ana`, `Ana,Boris`, or a conversation as the app names it. */
export type ControlPlace = string | Conversation

export interface MessageControls {
  /** Returns the message's id. `mention` puts the demo user's name in front; `html` replaces rendering. */
  say(input: {
    readonly from: string
    readonly to: ControlPlace
    readonly text: string
    readonly html?: string
    readonly mention?: boolean
  }): number
  edit(messageId: number, text: string): void
  /** A rendering-only update, as when a link preview arrives. */
  preview(messageId: number, html: string): void
  remove(...messageIds: number[]): void
  react(input: {
    readonly from: string
    readonly messageId: number
    readonly name: string
    readonly present?: boolean
  }): void
  /** Read in the web app, say; 'all' is told without ids. */
  readElsewhere(messageIds: readonly number[] | 'all'): void
  unreadElsewhere(messageIds: readonly number[]): void
  moveTopic(from: string, to: string): void
  messages(): readonly DemoMessage[]
}

export function placeFor(data: RealmData, place: ControlPlace): DemoPlace {
  if (typeof place === 'string') return placeNamed(data, place)
  return place.kind === 'topic' ? place : directPlaceOf(data, place.userIds)
}

function messageAt(data: RealmData, id: number): DemoMessage {
  const message = data.messages.get(id)
  if (!message) throw new Error(`the demo has no message ${id}`)
  return message
}

/** What other people, and the user elsewhere, do to messages. */
export function messageControls(data: RealmData) {
  return {
    say({ from, to, text, html, mention }) {
      const sender = personNamed(data, from)
      const place = placeFor(data, to)
      const people =
        place.kind === 'direct' ? directPlaceOf(data, [...place.userIds, sender.id]) : place
      const content = mention ? `@**${data.me.name}** ${text}` : text
      return postMessage(data, {
        sender,
        place: people,
        content,
        html,
        read: false,
        client: 'website',
      }).id
    },
    edit: (id, text) => editMessage(data, messageAt(data, id), text),
    preview(id, html) {
      const message = messageAt(data, id)
      message.html = html
      pushUpdate(data, message, {
        user_id: null,
        rendering_only: true,
        rendered_content: html,
        content: message.content,
      })
    },
    remove: (...ids) => removeMessages(data, ids),
    react({ from, messageId, name, present = true }) {
      const reaction = demoReaction(personNamed(data, from).id, name)
      changeReaction(data, messageAt(data, messageId), reaction, present)
    },
    readElsewhere(ids) {
      if (ids === 'all') markAllRead(data)
      else changeFlag(data, { op: 'add', flag: 'read', ids })
    },
    unreadElsewhere(ids) {
      changeFlag(data, { op: 'remove', flag: 'read', ids })
    },
    moveTopic: (from, to) => moveTopic(data, from, to),
    messages: () => [...data.messages.values()],
  } satisfies MessageControls
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
  data.queues.push(() => ({
    type: 'update_message',
    message_id: message.id,
    message_ids: [message.id],
    flags: [...message.flags],
    edit_timestamp: nowSeconds(data),
    ...channel,
    ...fields,
  }))
}

export function removeMessages(data: RealmData, ids: readonly number[]): void {
  const place = messageAt(data, ids[0] ?? 0).place
  for (const id of ids) data.messages.delete(id)
  const where =
    place.kind === 'topic'
      ? { message_type: 'stream', stream_id: place.channelId, topic: place.topic }
      : { message_type: 'private' }
  data.queues.push((queue) =>
    queue.capabilities['bulk_message_deletion'] === true
      ? { type: 'delete_message', message_ids: ids, ...where }
      : null,
  )
  for (const id of ids) {
    data.queues.push((queue) =>
      queue.capabilities['bulk_message_deletion'] === true
        ? null
        : { type: 'delete_message', message_id: id, ...where },
    )
  }
}

function moveTopic(data: RealmData, from: string, to: string): void {
  const old = placeNamed(data, from)
  const next = placeNamed(data, to)
  if (old.kind !== 'topic' || next.kind !== 'topic') throw new Error('only topics can be moved')
  const moved = messagesOf(data, old)
  if (moved.length === 0) throw new Error(`nothing was said in ${from}`)
  moveMessages(data, moved, { from: old, to: next, mode: 'change_all' })
}

type TopicPlace = Extract<DemoPlace, { kind: 'topic' }>

export function messagesOf(data: RealmData, topic: TopicPlace): DemoMessage[] {
  return [...data.messages.values()].filter(
    ({ place }) =>
      place.kind === 'topic' &&
      place.channelId === topic.channelId &&
      place.topic.toLowerCase() === topic.topic.toLowerCase(),
  )
}

/** Moves messages of one topic to another and tells the queues. */
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
  data.queues.push(() => ({
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
  }))
}
