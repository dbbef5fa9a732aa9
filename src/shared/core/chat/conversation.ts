import * as v from 'valibot'
import { type Immutable, numberId } from '../schemas.ts'

/**
 * A topic of a channel, or a direct conversation. `userIds` are the other participants, ascending;
 * a note to self has only one's own id.
 */
export const conversationSchema = v.variant('kind', [
  v.object({
    kind: v.literal('topic'),
    channelId: numberId,
    topic: v.pipe(v.string(), v.maxLength(1_000)),
  }),
  v.object({
    kind: v.literal('direct'),
    userIds: v.pipe(v.array(numberId), v.minLength(1), v.maxLength(1_000)),
  }),
])
export type Conversation = Immutable<v.InferOutput<typeof conversationSchema>>

/** Identifies a conversation within its realm. Topics are case-insensitive, as on the server. */
export type ConversationKey = string

export function conversationKey(conversation: Conversation): ConversationKey {
  return conversation.kind === 'topic'
    ? `topic/${conversation.channelId}/${topicKey(conversation.topic)}`
    : `direct/${[...conversation.userIds].sort((a, b) => a - b).join(',')}`
}

/**
 * The same for topics that are one to the server, which compares them with SQL's `upper`, character
 * by character: "ς" and "σ" are the same, but "ß" isn't "ss".
 */
export function topicKey(topic: string): string {
  const upper = topic.replace(/[^\0-\x7f]/gu, (sign) => {
    const other = sign.toUpperCase()
    return [...other].length === 1 ? other : sign
  })
  return upper.toLowerCase()
}

/** The direct conversation of `participants` (who may include `me`), as seen by `me`. */
export function directConversation(participants: readonly number[], me: number): Conversation {
  const others = [...new Set(participants)].filter((id) => id !== me).sort((a, b) => a - b)
  return { kind: 'direct', userIds: others.length === 0 ? [me] : others }
}

/** The conversation of a key, with its topic in lower case; null if the key has another format. */
export function conversationOf(key: ConversationKey): Conversation | null {
  const topic = /^topic\/(\d+)\/(.*)$/s.exec(key)
  if (topic?.[1] !== undefined && topic[2] !== undefined)
    return { kind: 'topic', channelId: Number(topic[1]), topic: topic[2] }
  const direct = /^direct\/(\d+(?:,\d+)*)$/.exec(key)
  if (direct?.[1] === undefined) return null
  return { kind: 'direct', userIds: direct[1].split(',').map(Number) }
}

/**
 * Encodes a part of a URL as the web app does behind `#narrow`: percent-encoding with `.` in place
 * of `%`, so a literal dot becomes `.2E`. Encoding more than necessary is always safe.
 */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replace(/[.!'()*~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%', '.')
}

/**
 * The URL of a channel, a conversation, or a message in it, in the realm's web app (chat-api,
 * "Permalinks"). Only the leading ids count; the names after them are for people who see the link.
 */
export function permalink(
  baseUrl: string,
  channelName: (channelId: number) => string | null,
  conversation: Conversation | { readonly kind: 'channel'; readonly channelId: number },
  messageId: number | null,
): string {
  const near = messageId === null ? '' : `/near/${messageId}`
  const narrow = `${baseUrl.replace(/(?<!\/)\/+$/, '')}/#narrow`
  if (conversation.kind === 'direct') {
    const ids = conversation.userIds.join(',')
    return `${narrow}/dm/${ids}-${conversation.userIds.length > 1 ? 'group' : 'dm'}${near}`
  }
  const name = channelName(conversation.channelId)
  const slug = name === null ? '' : `-${encode(name.replaceAll(' ', '-'))}`
  const channel = `${narrow}/channel/${conversation.channelId}${slug}`
  if (conversation.kind === 'channel') return channel
  return `${channel}/topic/${encode(conversation.topic)}${near}`
}
