import * as v from 'valibot'
import {
  type Conversation,
  conversationKey,
  directConversation,
} from '../../core/chat/conversation.ts'
import type { Message, MessageFlag, Reaction } from '../../core/chat/message.ts'
import { type Submessage, widgetOf, widgetWords } from '../../core/chat/widget.ts'
import { reader } from '../schema-field.ts'
import { htmlText, id, lenient, nameText, seconds, shortText, topicText } from './chat-fields.ts'

export interface ReadContext {
  /** Our own user id. */
  readonly me: number
  /** Converts rendered content to plain text; main has the parser. */
  readonly toText: (html: string) => string
  /** When the event arrived, epoch ms. */
  readonly at?: number
}

/** The readable items of a wire list. */
export function readEach<T>(wire: unknown, read: (item: unknown) => T | null): T[] {
  if (!Array.isArray(wire)) return []
  return wire.map(read).filter((item) => item !== null)
}

export const ids = lenient(v.array(id))

const flagNames: ReadonlyMap<string, MessageFlag> = new Map([
  ['read', 'read'],
  ['starred', 'starred'],
  ['mentioned', 'mentioned'],
  ['stream_wildcard_mentioned', 'wildcardMentioned'],
  ['topic_wildcard_mentioned', 'wildcardMentioned'],
  // Before feature level 224; newer servers send it in addition to the two above.
  ['wildcard_mentioned', 'wildcardMentioned'],
  ['has_alert_word', 'alerted'],
])

/** Null for flags that we do not use (`collapsed`, `historical`, …). */
export function readFlag(name: string): MessageFlag | null {
  return flagNames.get(name) ?? null
}

export function readFlags(wire: unknown): MessageFlag[] {
  const known = readEach(wire, (name) => (typeof name === 'string' ? readFlag(name) : null))
  return [...new Set(known)]
}

const wireReaction = v.object({
  emoji_name: shortText,
  emoji_code: shortText,
  reaction_type: shortText,
  user_id: v.optional(id),
  /** Until feature level 339. */
  user: lenient(v.object({ user_id: id })),
})

export const readReaction = reader(wireReaction, (reaction): Reaction | null => {
  const userId = reaction.user_id ?? reaction.user?.user_id
  const { emoji_name: name, emoji_code: code, reaction_type: type } = reaction
  return userId === undefined ? null : { name, code, type, userId }
})

/** More than a large team's poll gets. */
const mostSubmessages = 2_000

export const readSubmessage = reader(
  v.object({
    id: lenient(id),
    /** Only in events, where `id` is the event's own. */
    submessage_id: lenient(id),
    sender_id: id,
    content: v.pipe(v.string(), v.maxLength(10_000)),
  }),
  (one): Submessage | null => {
    const number = one.submessage_id ?? one.id
    return number === undefined
      ? null
      : { id: number, senderId: one.sender_id, content: one.content }
  },
)

/** More reactions than a message gets on any known server. */
const mostReactions = 2_000

function readReactions(wire: unknown): Reaction[] {
  return readEach(Array.isArray(wire) ? wire.slice(0, mostReactions) : [], readReaction)
}

const wireMessage = v.object({
  id,
  type: v.picklist(['stream', 'channel', 'private', 'direct']),
  stream_id: lenient(id),
  subject: lenient(topicText),
  content: htmlText,
  sender_id: id,
  sender_full_name: lenient(nameText),
  timestamp: seconds,
  last_edit_timestamp: lenient(v.nullish(seconds)),
  is_me_message: lenient(v.boolean()),
  /** Only in fetched messages; events have them next to the message. */
  flags: v.optional(v.unknown()),
  reactions: v.optional(v.unknown()),
  submessages: v.optional(v.unknown()),
  display_recipient: v.union([v.string(), v.pipe(v.array(v.object({ id })), v.maxLength(1_000))]),
})

type WireMessage = v.InferOutput<typeof wireMessage>

/** The text of a rendered message; for a `/me` message, what follows the sender's name. */
export function readText(html: string, isAction: boolean, toText: ReadContext['toText']): string {
  const text = toText(html)
  return isAction ? text.replace(/^\/me\s+/, '') : text
}

/** A topic if there is a channel, else the conversation with these people; null without either. */
export function placeOf(
  me: number,
  channelId: number | undefined,
  topic: string | undefined,
  people: readonly number[] | undefined,
): Conversation | null {
  if (channelId !== undefined) return { kind: 'topic', channelId, topic: topic ?? '' }
  return people === undefined ? null : directConversation(people, me)
}

function readPlace(wire: WireMessage, me: number): Conversation | null {
  if (wire.type === 'stream' || wire.type === 'channel')
    return placeOf(me, wire.stream_id, wire.subject, undefined)
  // A list of people, including oneself; a string would be a channel's name.
  if (typeof wire.display_recipient === 'string') return null
  return directConversation(
    wire.display_recipient.map((person) => person.id),
    me,
  )
}

type MessageContext = ReadContext & { readonly flags?: readonly string[] | undefined }

/**
 * Reads a message, fetched or from an event; null if unreadable. `flags` are those that an event
 * has next to its message; they override those inside it.
 */
export const readMessage = reader(wireMessage, (message, context: MessageContext) => {
  const conversation = readPlace(message, context.me)
  if (!conversation) return null
  const isAction = message.is_me_message ?? false
  const wireSubmessages = Array.isArray(message.submessages) ? message.submessages : []
  const submessages = readEach(wireSubmessages.slice(0, mostSubmessages), readSubmessage)
  const widget = widgetOf(submessages)
  return {
    id: message.id,
    conversation,
    key: conversationKey(conversation),
    senderId: message.sender_id,
    senderName: message.sender_full_name ?? `user ${message.sender_id}`,
    html: message.content,
    text:
      widget === null ? readText(message.content, isAction, context.toText) : widgetWords(widget),
    sentAt: message.timestamp * 1000,
    editedAt: message.last_edit_timestamp ? message.last_edit_timestamp * 1000 : null,
    isMe: message.sender_id === context.me,
    isAction,
    flags: readFlags(context.flags ?? message.flags),
    reactions: readReactions(message.reactions),
    ...(widget === null ? {} : { submessages }),
  } satisfies Message
})
