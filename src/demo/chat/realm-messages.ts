import type { DemoMessage, DemoPlace, DemoReaction } from './demo-message.ts'
import {
  emptyTopicName,
  nowSeconds,
  type Person,
  type RealmData,
  renderContext,
  shownEmail,
} from './realm-data.ts'
import { type Params, Refusal } from './realm-http.ts'
import type { DemoQueue } from './realm-queues.ts'
import { emojiCodes, renderMarkdown } from './realm-render.ts'

export interface NewMessage {
  readonly sender: Person
  readonly place: DemoPlace
  readonly content: string
  /** Used instead of rendering `content`, for what the small renderer can't do. */
  readonly html?: string | undefined
  readonly read: boolean
  readonly client: string
  /** Epoch seconds; now if not given. */
  readonly sentAt?: number | undefined
}

/** Stores a message without an event. */
export function addMessage(data: RealmData, given: NewMessage): DemoMessage {
  const message: DemoMessage = {
    id: data.nextMessageId(),
    place: given.place,
    senderId: given.sender.id,
    client: given.client,
    content: given.content,
    html: given.html ?? renderMarkdown(given.content, renderContext(data)),
    sentAt: given.sentAt ?? nowSeconds(data),
    editedAt: null,
    movedAt: null,
    received: isFollowed(data, given.place),
    flags: flagsFor(data, given.sender, given.content),
    reactions: [],
  }
  if (given.read || data.mutedUsers.has(given.sender.id)) message.flags.add('read')
  data.messages.set(message.id, message)
  return message
}

/** Quoted mentions mention nobody. */
function withoutQuotes(content: string): string {
  let fence: string | null = null
  const own = content.split('\n').filter((line) => {
    if (fence === null && /^`{3,}quote$/.test(line)) fence = line.slice(0, -'quote'.length)
    else if (line !== fence) return fence === null
    else fence = null
    return false
  })
  return own.join('\n')
}

/** The demo user's flags for a message with this content. */
export function flagsFor(data: RealmData, sender: Person, source: string): Set<string> {
  const content = withoutQuotes(source)
  const flags = new Set<string>()
  // The demo user is in this group, which counts as being mentioned.
  const names = [`@**${data.me.name}**`, `@**${data.me.name}|`, '@*on-call*']
  if (names.some((name) => content.includes(name))) flags.add('mentioned')
  if (/@\*\*(all|everyone|channel)\*\*/.test(content)) flags.add('stream_wildcard_mentioned')
  if (content.includes('@**topic**')) flags.add('topic_wildcard_mentioned')
  if (flags.has('stream_wildcard_mentioned') || flags.has('topic_wildcard_mentioned'))
    flags.add('wildcard_mentioned')
  const words = content.toLowerCase().split(/\W+/)
  const alerted = data.alertWords.some((word) => words.includes(word))
  if (alerted && sender.id !== data.me.id) flags.add('has_alert_word')
  return flags
}

/** Whether the demo user receives events about this place. */
export function isFollowed(data: RealmData, place: DemoPlace): boolean {
  return place.kind === 'direct'
    ? place.userIds.includes(data.me.id)
    : (data.channels.get(place.channelId)?.subscribed ?? false)
}

/** Stores a message, with an event; `echo` names the queue that gets the sender's `local_id`. */
export function postMessage(
  data: RealmData,
  given: NewMessage,
  echo: { readonly queueId: string; readonly localId: string } | null = null,
): DemoMessage {
  const message = addMessage(data, given)
  const followed = isFollowed(data, message.place)
  data.queues.push((queue) =>
    hears(queue, message, followed)
      ? {
          type: 'message',
          message: wireMessage(data, message, wireOptions(queue)),
          flags: followed ? [...message.flags] : [],
          ...(echo?.queueId === queue.id ? { local_message_id: echo.localId } : {}),
        }
      : null,
  )
  return message
}

/** A narrowed queue also gets messages of unsubscribed channels (real server, 10.2). */
function hears({ narrow, allPublic }: DemoQueue, message: DemoMessage, followed: boolean): boolean {
  const mayHear = followed || (message.place.kind === 'topic' && (allPublic || narrow !== null))
  return mayHear && (narrow?.(message) ?? true)
}

export interface WireOptions {
  readonly applyMarkdown: boolean
  /** The client supports empty topics. */
  readonly allowEmptyTopic: boolean
}

function wireOptions(queue: DemoQueue): WireOptions {
  return {
    applyMarkdown: queue.applyMarkdown,
    allowEmptyTopic: queue.capabilities['empty_topic_name'] === true,
  }
}

export function shownTopic(topic: string, { allowEmptyTopic }: WireOptions): string {
  return topic === '' && !allowEmptyTopic ? emptyTopicName : topic
}

/** A message as in events: without flags. */
function wireMessage(data: RealmData, message: DemoMessage, options: WireOptions) {
  const sender = data.people.get(message.senderId) ?? data.me
  return {
    id: message.id,
    ...wirePlace(data, message.place, options),
    content: options.applyMarkdown ? message.html : message.content,
    content_type: options.applyMarkdown ? 'text/html' : 'text/x-markdown',
    avatar_url: `/user_avatars/2/${sender.id}.png?version=1`,
    client: message.client,
    recipient_id: recipientId(message.place),
    sender_id: sender.id,
    sender_email: shownEmail(data, sender),
    sender_full_name: sender.name,
    sender_realm_str: 'demo',
    timestamp: message.sentAt,
    is_me_message: isAction(message),
    reactions: message.reactions,
    submessages: [],
    ...(message.editedAt === null ? {} : { last_edit_timestamp: message.editedAt }),
    ...(message.movedAt === null ? {} : { last_moved_timestamp: message.movedAt }),
  }
}

export function isAction(message: DemoMessage): boolean {
  return message.html.startsWith('<p>/me ')
}

/** A message as fetched: with its flags. */
export function fetchedMessage(data: RealmData, message: DemoMessage, options: WireOptions) {
  // The server stores no flags for unsubscribed channels.
  const flags = isFollowed(data, message.place) ? [...message.flags] : ['read', 'historical']
  return { ...wireMessage(data, message, options), flags }
}

function wirePlace(data: RealmData, place: DemoPlace, options: WireOptions) {
  if (place.kind === 'topic')
    return {
      type: 'stream',
      stream_id: place.channelId,
      display_recipient: data.channels.get(place.channelId)?.name ?? '',
      subject: shownTopic(place.topic, options),
      topic_links: [],
    }
  return {
    type: 'private',
    subject: '',
    topic_links: [],
    display_recipient: place.userIds.flatMap((id) => {
      const person = data.people.get(id)
      if (!person) return []
      const email = shownEmail(data, person)
      return [{ id, email, full_name: person.name, is_mirror_dummy: false }]
    }),
  }
}

function recipientId(place: DemoPlace): number {
  return place.kind === 'topic'
    ? place.channelId
    : 1_000 + place.userIds.reduce((sum, id) => (sum * 31 + id) % 100_000, 0)
}

/** Changes a flag, with an event if that changes anything. Returns the changed ids. */
export function changeFlag(
  data: RealmData,
  change: { readonly op: 'add' | 'remove'; readonly flag: string; readonly ids: readonly number[] },
): number[] {
  const { op, flag } = change
  const changed = change.ids.filter((id) => {
    const message = data.messages.get(id)
    return message !== undefined && message.flags.has(flag) !== (op === 'add')
  })
  for (const id of changed) data.messages.get(id)?.flags[op === 'add' ? 'add' : 'delete'](flag)
  if (changed.length > 0) {
    const details =
      op === 'remove' && flag === 'read' ? { message_details: unreadDetails(data, changed) } : {}
    sendFlagEvents(data, change, { messages: changed, all: false, ...details })
  }
  return changed
}

function unreadDetails(data: RealmData, ids: readonly number[]): Record<string, unknown> {
  return Object.fromEntries(
    ids.flatMap((id) => {
      const message = data.messages.get(id)
      if (!message) return []
      const mentioned = message.flags.has('mentioned') ? { mentioned: true } : {}
      const { place } = message
      const where =
        place.kind === 'topic'
          ? { type: 'stream', stream_id: place.channelId, topic: place.topic }
          : { type: 'private', user_ids: place.userIds.filter((user) => user !== data.me.id) }
      return [[String(id), { ...where, ...mentioned }]]
    }),
  )
}

/** Marks everything as read, with one event without ids. */
export function markAllRead(data: RealmData): void {
  for (const message of data.messages.values()) message.flags.add('read')
  sendFlagEvents(data, { op: 'add', flag: 'read' }, { messages: [], all: true })
}

function sendFlagEvents(
  data: RealmData,
  { op, flag }: { readonly op: string; readonly flag: string },
  fields: Readonly<Record<string, unknown>>,
): void {
  data.queues.send({ type: 'update_message_flags', op, operation: op, flag, ...fields })
}

/** Sent to everyone in the conversation, including the one who types. */
export function pushDirectTyping(
  data: RealmData,
  typing: { readonly op: string; readonly from: number; readonly people: readonly number[] },
): void {
  const wire = (id: number) => ({ user_id: id, email: `user${id}@${data.host}` })
  data.queues.send({
    type: 'typing',
    op: typing.op,
    message_type: 'direct',
    sender: wire(typing.from),
    recipients: typing.people.map(wire),
  })
}

function emojiNamed(name: string): Pick<DemoReaction, 'emoji_code' | 'reaction_type'> | null {
  if (name === 'belfry') return { emoji_code: '1', reaction_type: 'realm_emoji' }
  if (name === 'zulip') return { emoji_code: 'zulip', reaction_type: 'zulip_extra_emoji' }
  const code = emojiCodes.get(name)
  return code === undefined ? null : { emoji_code: code, reaction_type: 'unicode_emoji' }
}

export function addReaction(data: RealmData, message: DemoMessage, params: Params): void {
  const name = params.text('emoji_name')
  const code = params.maybeText('emoji_code')
  const type = params.maybeText('reaction_type')
  const earlier = message.reactions.find(
    (one) => one.emoji_code === code && (type === undefined || one.reaction_type === type),
  )
  // If someone already reacted with this emoji, their name for it is used unchecked.
  const emoji = earlier ?? validEmoji(name, code, type)
  const reaction: DemoReaction = {
    emoji_name: earlier?.emoji_name ?? name,
    emoji_code: emoji.emoji_code,
    reaction_type: emoji.reaction_type,
    user_id: data.me.id,
  }
  if (message.reactions.some((one) => sameReaction(one, reaction)))
    throw new Refusal('Reaction already exists.', { code: 'REACTION_ALREADY_EXISTS' })
  changeReaction(data, message, reaction, true)
}

/** The emoji of that name; refuses a code or type that does not match. */
export function validEmoji(name: string, code: string | undefined, type: string | undefined) {
  const emoji = emojiNamed(name)
  if (!emoji) throw new Refusal(`Emoji '${name}' does not exist`)
  if (type !== undefined && type !== emoji.reaction_type) throw new Refusal('Invalid emoji type.')
  if (code !== undefined && code !== emoji.emoji_code) throw new Refusal('Invalid emoji name.')
  return emoji
}

export function removeReaction(data: RealmData, message: DemoMessage, params: Params): void {
  const name = params.maybeText('emoji_name')
  const given = params.maybeText('emoji_code')
  const type = params.maybeText('reaction_type') ?? 'unicode_emoji'
  if (name === undefined && given === undefined)
    throw new Refusal(
      'At least one of the following arguments must be present: emoji_name, emoji_code',
    )
  const code = given ?? emojiNamed(name ?? '')?.emoji_code
  if (code === undefined) throw new Refusal(`Emoji '${name}' does not exist`)
  const mine = message.reactions.find(
    (one) => one.user_id === data.me.id && one.emoji_code === code && one.reaction_type === type,
  )
  if (!mine) throw new Refusal("Reaction doesn't exist.", { code: 'REACTION_DOES_NOT_EXIST' })
  changeReaction(data, message, mine, false)
}

function sameReaction(a: DemoReaction, b: DemoReaction): boolean {
  return (
    a.user_id === b.user_id && a.emoji_code === b.emoji_code && a.reaction_type === b.reaction_type
  )
}

/** Changes a message's reactions, with an event. */
export function changeReaction(
  data: RealmData,
  message: DemoMessage,
  reaction: DemoReaction,
  present: boolean,
): void {
  const others = message.reactions.filter((one) => !sameReaction(one, reaction))
  message.reactions = present ? [...others, reaction] : others
  data.queues.send({
    type: 'reaction',
    op: present ? 'add' : 'remove',
    message_id: message.id,
    ...reaction,
  })
}

export function demoReaction(userId: number, name: string): DemoReaction {
  const emoji = emojiNamed(name)
  if (!emoji) throw new Error(`the demo has no emoji ${name}`)
  return { emoji_name: name, ...emoji, user_id: userId }
}
