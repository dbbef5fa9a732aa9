import * as v from 'valibot'
import type { AccountId } from '../account.ts'
import { memoized, withEntry } from '../identity.ts'
import { type Immutable, numberId } from '../schemas.ts'
import type { AppState } from '../state.ts'
import { visibleName } from '../visible-text.ts'
import { allMessages } from './message-list.ts'
import type { Realm, User } from './realm.ts'
import { serverTopic } from './topic-name.ts'

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

/** The title on one line: "Ana, Boris" for people, "# ops › db-backup is DOWN" for a topic. */
export function conversationTitle(realm: Realm, conversation: Conversation): string {
  if (conversation.kind === 'topic') {
    return `# ${channelName(realm, conversation.channelId)} › ${topicTitle(realm, conversation.topic)}`
  }
  const others = conversation.userIds.filter((id) => id !== realm.me?.id)
  if (others.length === 0) return 'Notes to yourself'
  return others.map((id) => userName(realm, id)).join(', ')
}

/** Also names channels that are archived, no longer subscribed to, or known only by their id. */
export function channelName({ channels, otherChannels }: Realm, id: number): string {
  const other = otherChannels.get(id)
  const archived = other?.archived === true ? ' (archived)' : ''
  return channels.get(id)?.name ?? (other === undefined ? `channel ${id}` : other.name + archived)
}

/** A topic may be empty; each realm has its own name for that one. */
function topicTitle(realm: Realm, topic: string): string {
  return topic === '' ? realm.emptyTopicName : visibleName(topic)
}

/**
 * The current name of a user. Deactivated, hidden and cross-realm users are missing from the
 * realm's list, so the sender's name on a held message is the fallback (chat API, trap T17).
 */
export function userName(realm: Realm, userId: number): string {
  const known = realm.users.get(userId)
  if (known !== undefined) return known.name
  for (const message of allMessages(realm.messages))
    if (message.senderId === userId) return message.senderName
  return `user ${userId}`
}

/** In lower case, as the server compares them. */
const nameCounts = memoized((users: Realm['users']): ReadonlyMap<string, number> => {
  const all = new Map<string, number>()
  for (const { name } of users.values()) {
    const key = name.toLowerCase()
    all.set(key, (all.get(key) ?? 0) + 1)
  }
  return all
})

/** What mentions everybody ("Mention everyone"), whoever else is called so. */
const wildcardNames = new Set(['all', 'everyone', 'channel', 'stream', 'topic'])

/**
 * A name in a mention: with the id if it would also mean somebody else, or everybody ("Mention a
 * user or group").
 */
export function mentionName({ users }: Realm, { id, name }: User): string {
  const key = name.toLowerCase()
  return nameCounts(users).get(key) === 1 && !wildcardNames.has(key) ? name : `${name}|${id}`
}

/** How long a window may hold a typed draft or report before main gets it and writes it to disk. */
export const draftDelayMs = 200

/** The key of a conversation's unsent text in `AppState.drafts`. */
export function draftKey(accountId: AccountId, conversation: Conversation): string {
  return `${accountId}/${conversationKey(conversation)}`
}

interface Place {
  readonly accountId: AccountId
  readonly conversation: Conversation
}

export function draftOf(state: AppState, { accountId, conversation }: Place): string {
  return state.drafts.get(draftKey(accountId, conversation)) ?? ''
}

export function withDraft(state: AppState, place: Place, text: string): AppState {
  if (draftOf(state, place) === text) return state
  const key = draftKey(place.accountId, place.conversation)
  const next = { ...state, drafts: withEntry(state.drafts, key, text || null) }
  const link = state.draftLinks.get(key)
  if (text === '')
    return link?.id === null && link.sent === null
      ? { ...next, draftLinks: withEntry(state.draftLinks, key, null) }
      : next
  if (link !== undefined) return next
  // The key has the topic in lower case; this keeps it as it was typed.
  const begun = { conversation: place.conversation, id: null, base: '', sent: null }
  return { ...next, draftLinks: withEntry(state.draftLinks, key, begun) }
}

/**
 * Replaces the draft `over` with `text`, unless it was edited meanwhile. Where its topic was moved,
 * it may stand below another draft now.
 */
export function withDraftOver(state: AppState, place: Place, over: string, text: string): AppState {
  const at = followed(state, place)
  const all = draftOf(state, at)
  const isBelow = at !== place && over !== '' && all.endsWith(`\n\n${over}`)
  return all === over || isBelow ? withDraft(state, at, withEndTyped(all, over, text)) : state
}

/**
 * Joins two unsent texts for one field as paragraphs. A text that the other already contains is not
 * repeated: the program may have ended when it was in two places.
 */
export function joinTexts(first: string, second: string): string {
  const holds = (one: string, other: string): boolean =>
    `\n\n${one}\n\n`.includes(`\n\n${other}\n\n`)
  if (second === '' || holds(first, second)) return first
  return first === '' || holds(second, first) ? second : `${first}\n\n${second}`
}

/** Replaces a draft's end `over`, typed in a field at a moved topic's old place, with `typed`. */
export function withEndTyped(all: string, over: string, typed: string): string {
  if (all === over) return typed
  const end = `\n\n${over}`
  return joinTexts(over !== '' && all.endsWith(end) ? all.slice(0, -end.length) : all, typed)
}

/**
 * The place by the server's name for it, or where all of it was moved since: topics are renamed and
 * resolved.
 */
export function followed<At extends Place>({ realms }: Pick<AppState, 'realms'>, place: At): At {
  const realm = realms.get(place.accountId)
  if (realm === undefined) return place
  const seen = new Set<ConversationKey>()
  let conversation = serverPlace(realm, place.conversation)
  for (;;) {
    const key = conversationKey(conversation)
    const next = realm.movedTo.get(key)
    if (next === undefined || seen.has(key)) break
    seen.add(key)
    conversation = next
  }
  return conversation === place.conversation ? place : { ...place, conversation }
}

/** The conversation with its topic as the server names it. */
export function serverPlace(realm: Realm, conversation: Conversation): Conversation {
  if (conversation.kind === 'direct') return conversation
  const topic = serverTopic(realm, conversation.topic)
  return topic === conversation.topic ? conversation : { ...conversation, topic }
}

/** The conversation of a draft's key; null if the key is another account's or no conversation's. */
export function draftConversation(accountId: AccountId, key: string): Conversation | null {
  return key.startsWith(`${accountId}/`) ? conversationOf(key.slice(accountId.length + 1)) : null
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
