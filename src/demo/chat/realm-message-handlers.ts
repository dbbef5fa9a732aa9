import { createHash } from 'node:crypto'
import type { DemoMessage } from './demo-message.ts'
import { editMessage, messagesOf, moveMessages, removeMessages } from './realm-controls.ts'
import { directPlaceOf, type RealmData, renderContext } from './realm-data.ts'
import { type Call, type Handlers, type Params, pathId, Refusal, shapes } from './realm-http.ts'
import {
  addReaction,
  changeFlag,
  fetchedMessage,
  isFollowed,
  markAllRead,
  pushDirectTyping,
  removeReaction,
  type WireOptions,
} from './realm-messages.ts'
import { narrowFilter, searchWords } from './realm-narrow.ts'
import { readContent, topicPlace } from './realm-post.ts'
import { register } from './realm-register.ts'
import { escapeHtml, highlighted, renderMarkdown } from './realm-render.ts'

export function messageHandlers(data: RealmData) {
  return {
    getMessages: (call) => getMessages(data, call),
    getMessage(call) {
      const message = messageOf(data, call)
      const options = wireOptionsOf(call.params)
      return { message: fetchedMessage(data, message, options), raw_content: message.content }
    },
    renderMessage: ({ params }) => ({
      rendered: renderMarkdown(params.text('content'), renderContext(data)),
    }),
    updateMessageFlags: (call) => updateFlags(data, call),
    updateMessageFlagsForNarrow: (call) => updateFlagsForNarrow(data, call),
    markAllAsRead() {
      markAllRead(data)
      return { complete: true }
    },
    addReaction: (call) => addReaction(data, messageOf(data, call), call.params),
    removeReaction: (call) => removeReaction(data, messageOf(data, call), call.params),
    setTyping: (call) => setTyping(data, call),
    setTypingForEdit(call) {
      call.params.word('op', ['start', 'stop'])
      const message = messageOf(data, call)
      if (message.senderId !== data.me.id)
        throw new Refusal("You don't have permission to edit this message")
      refuseUnlessSent(data, message.place.kind === 'direct' ? 'private' : 'stream')
    },
  } satisfies Partial<Handlers>
}

export function queueHandlers(data: RealmData) {
  return {
    registerQueue: ({ params }) => register(data, params),
    async getEvents({ params, signal }) {
      const id = params.text('queue_id')
      const lastEventId = params.json('last_event_id', shapes.whole)
      const dontBlock = params.maybe('dont_block', shapes.boolean) ?? false
      const events = await data.queues.poll({ id, lastEventId, dontBlock, signal })
      return { events: [...events], queue_id: id }
    },
    deleteQueue({ params }) {
      data.queues.remove(params.text('queue_id'))
    },
  } satisfies Partial<Handlers>
}

function messageOf(data: RealmData, call: Call): DemoMessage {
  return demandMessage(data, pathId(call, 'message_id'))
}

export function demandMessage(data: RealmData, id: number): DemoMessage {
  const message = data.messages.get(id)
  if (!message) throw new Refusal('Invalid message(s)')
  return message
}

function wireOptionsOf(params: Params): WireOptions {
  return {
    applyMarkdown: params.maybe('apply_markdown', shapes.boolean) ?? true,
    allowEmptyTopic: params.maybe('allow_empty_topic_name', shapes.boolean) ?? false,
  }
}

function getMessages(data: RealmData, { params }: Call) {
  const options = wireOptionsOf(params)
  params.maybe('client_gravatar', shapes.boolean)
  const ids = params.maybe('message_ids', shapes.wholes)
  if (ids !== undefined) {
    refuseWindow(params)
    // In the requested order, so that clients can't rely on ascending ids.
    const messages = ids.flatMap((id) => data.messages.get(id) ?? [])
    return {
      messages: messages.map((message) => fetchedMessage(data, message, options)),
      found_anchor: false,
      found_oldest: false,
      found_newest: false,
      history_limited: false,
    }
  }
  const window = readWindow(data, params, false)
  return {
    messages: window.messages.map((message) => ({
      ...fetchedMessage(data, message, options),
      ...matches(message, window.words),
    })),
    found_anchor: window.foundAnchor,
    ...window.ends,
    history_limited: false,
    anchor: window.anchor,
  }
}

/** Messages are asked for by id or around an anchor, not both. */
function refuseWindow(params: Params): void {
  const names = ['anchor', 'include_anchor', 'num_after', 'num_before']
  const given = names.filter((name) => params.maybeText(name) !== undefined)
  if (given.length === 0) return
  const parameters = ['message_ids', ...given].join(', ')
  throw new Refusal(`Unsupported parameter combination: ${parameters}`, { extra: { parameters } })
}

/** Highlighted search results; empty unless it was a search. */
function matches({ html, place }: DemoMessage, words: readonly string[]) {
  if (words.length === 0) return {}
  const topic = place.kind === 'topic' ? place.topic : ''
  return {
    match_content: highlighted(html, words),
    match_subject: highlighted(escapeHtml(topic), words),
  }
}

const ownFlags = ['read', 'starred', 'collapsed']
const serverFlags = ['mentioned', 'wildcard_mentioned', 'has_alert_word', 'historical']

function readChange(params: Params): { op: 'add' | 'remove'; flag: string } {
  const op = params.word('op', ['add', 'remove'])
  const flag = params.text('flag')
  if (ownFlags.includes(flag)) return { op, flag }
  throw new Refusal(
    serverFlags.includes(flag) ? `Flag not editable: '${flag}'` : `Invalid flag: '${flag}'`,
  )
}

function updateFlags(data: RealmData, { params }: Call) {
  const ids = params.json('messages', shapes.wholes)
  const change = readChange(params)
  const known = ids.filter((id) => data.messages.has(id))
  if (known.length < ids.length && change.flag !== 'read') throw new Refusal('Invalid message(s)')
  const { own, channels } = withoutUnsubscribed(data, known)
  changeFlag(data, { ...change, ids: change.flag === 'read' ? own : known })
  // Echoes the request, whatever the outcome.
  return { messages: ids, ignored_because_not_subscribed_channels: channels }
}

function withoutUnsubscribed(data: RealmData, ids: readonly number[]) {
  const own: number[] = []
  const channels = new Set<number>()
  for (const id of ids) {
    const place = data.messages.get(id)?.place
    if (place && isFollowed(data, place)) own.push(id)
    else if (place?.kind === 'topic') channels.add(place.channelId)
  }
  return { own, channels: [...channels] }
}

function updateFlagsForNarrow(data: RealmData, { params }: Call) {
  const window = readWindow(data, params, true)
  const change = readChange(params)
  const ids = window.messages.map(({ id }) => id)
  const { own, channels } = withoutUnsubscribed(data, ids)
  const changed = changeFlag(data, { ...change, ids: own })
  return {
    processed_count: ids.length,
    updated_count: changed.length,
    first_processed_id: ids[0] ?? null,
    last_processed_id: ids.at(-1) ?? null,
    ...window.ends,
    ignored_because_not_subscribed_channels: channels,
  }
}

function refuseUnlessSent(data: RealmData, kind: 'private' | 'stream'): void {
  if (data.settings[`send_${kind}_typing_notifications`] === false)
    throw new Refusal('User has disabled typing notifications')
}

function setTyping(data: RealmData, { params }: Call) {
  const op = params.word('op', ['start', 'stop'])
  const kind = params.maybeText('type') ?? 'direct'
  refuseUnlessSent(data, kind === 'direct' ? 'private' : 'stream')
  if (!['direct', 'channel', 'stream'].includes(kind)) throw new Refusal('Invalid type')
  const to = params.maybe('to', shapes.wholes)
  const streamId = params.maybe('stream_id', shapes.whole)
  const topic = params.maybeText('topic')
  if (kind !== 'direct') {
    if (streamId === undefined) throw new Refusal("Missing 'stream_id' argument")
    if (topic === undefined) throw new Refusal("Missing 'topic' argument")
    if (!data.channels.has(streamId)) throw new Refusal('Invalid channel ID')
    return
  }
  if (to === undefined) throw new Refusal("Missing 'to' argument")
  if (to.length === 0) throw new Refusal("Empty 'to' list")
  const people = directPlaceOf(data, to).userIds
  const unknown = people.find((id) => !data.people.has(id))
  if (unknown !== undefined) throw new Refusal(`Invalid user ID ${unknown}`)
  pushDirectTyping(data, { op, from: data.me.id, people })
}

/** The real server's `newest`: larger than any id, and not a safe integer. */
const newestAnchor = 10_000_000_000_000_000

/** Messages per request (chat API, "GET /messages"). */
const maxWindow = 5_000

/** Messages around an anchor in a narrow. `clamp`: reduces excessive counts instead of refusing. */
function readWindow(data: RealmData, params: Params, clamp: boolean) {
  const given = params.text('anchor')
  const before = readCount(params, 'num_before')
  const after = readCount(params, 'num_after')
  const includeAnchor = params.maybe('include_anchor', shapes.boolean) ?? true
  const narrow = params.maybe('narrow', shapes.list) ?? []
  const filter = narrowFilter(data, narrow)
  if (!includeAnchor && before > 0 && after > 0)
    throw new Refusal('The anchor can only be excluded at an end of the range')
  if (!clamp && before + after > maxWindow)
    throw new Refusal(`Too many messages requested (maximum ${maxWindow}).`)
  const all = [...data.messages.values()].filter(filter)
  const anchor = anchorId(given, all)
  const numBefore = Math.min(before, maxWindow)
  const numAfter = Math.min(after, maxWindow)
  const older = all.filter(({ id }) => id < anchor)
  const newer = all.filter(({ id }) => id > anchor)
  const at = includeAnchor ? all.filter(({ id }) => id === anchor) : []
  return {
    messages: [
      ...older.slice(Math.max(0, older.length - numBefore)),
      ...at,
      ...newer.slice(0, numAfter),
    ],
    anchor,
    foundAnchor: at.length > 0,
    ends: {
      found_oldest: anchor === 0 || older.length < numBefore,
      found_newest: anchor === newestAnchor || newer.length < numAfter,
    },
    /** Empty unless the narrow has a search. */
    words: searchWords(narrow),
  }
}

function readCount(params: Params, name: string): number {
  const count = params.maybe(name, shapes.whole) ?? 0
  if (count < 0) throw new Refusal(`${name} must be non-negative`)
  return count
}

function anchorId(given: string, all: readonly DemoMessage[]): number {
  if (given === 'newest') return newestAnchor
  if (given === 'oldest') return 0
  if (given === 'first_unread')
    return all.find(({ flags }) => !flags.has('read'))?.id ?? newestAnchor
  if (!/^-?\d+$/.test(given)) throw new Refusal('Invalid anchor')
  return Math.min(Math.max(Number(given), 0), newestAnchor)
}

/** Editing and deleting messages, and the older ways of marking them as read. */
export function editHandlers(data: RealmData) {
  return {
    editMessage: (call) => edit(data, call),
    deleteMessage(call) {
      const message = messageOf(data, call)
      if (message.senderId !== data.me.id && data.me.role > 200)
        throw new Refusal("You don't have permission to delete this message")
      removeMessages(data, [message.id])
    },
    markChannelAsRead({ params }) {
      const channelId = channelOf(data, params.json('stream_id', shapes.whole))
      const ids = [...data.messages.values()]
        .filter(({ place }) => place.kind === 'topic' && place.channelId === channelId)
        .map(({ id }) => id)
      changeFlag(data, { op: 'add', flag: 'read', ids })
    },
    markTopicAsRead({ params }) {
      const channelId = channelOf(data, params.json('stream_id', shapes.whole))
      const topic = params.text('topic_name')
      const messages = messagesOf(data, { kind: 'topic', channelId, topic })
      if (messages.length === 0) throw new Refusal(`No such topic '${topic}'`)
      changeFlag(data, { op: 'add', flag: 'read', ids: messages.map(({ id }) => id) })
    },
  } satisfies Partial<Handlers>
}

function channelOf(data: RealmData, id: number): number {
  if (!data.channels.has(id)) throw new Refusal('Invalid channel ID')
  return id
}

const modes = ['change_one', 'change_later', 'change_all']

function edit(data: RealmData, call: Call) {
  const { params } = call
  const content = params.maybeText('content') === undefined ? undefined : readContent(params)
  const topic = params.maybeText('topic', 'subject')
  const channelId = params.maybe('stream_id', shapes.whole)
  const mode = params.maybeText('propagate_mode') ?? 'change_one'
  const hash = params.maybeText('prev_content_sha256')
  const notices = ['send_notification_to_old_thread', 'send_notification_to_new_thread']
  params.check(shapes.boolean, ...notices)
  const message = messageOf(data, call)
  if (!modes.includes(mode)) throw new Refusal('Invalid propagate_mode')
  if (content === undefined && topic === undefined && channelId === undefined)
    throw new Refusal('Nothing to change')
  if (content !== undefined && channelId !== undefined)
    throw new Refusal('Cannot change message content while changing channel')
  if (content !== undefined && message.senderId !== data.me.id)
    throw new Refusal("You don't have permission to edit this message")
  if (hash !== undefined && hash !== sha256(message.content))
    throw new Refusal("'prev_content_sha256' value does not match the expected value.", {
      code: 'EXPECTATION_MISMATCH',
    })
  if (topic !== undefined || channelId !== undefined)
    move(data, message, { topic, channelId, mode })
  if (content !== undefined) editMessage(data, message, content)
  return { detached_uploads: [] }
}

function move(
  data: RealmData,
  message: DemoMessage,
  wanted: { topic: string | undefined; channelId: number | undefined; mode: string },
): void {
  const from = message.place
  if (from.kind !== 'topic') throw new Refusal('Direct messages cannot have topics.')
  const channelId = channelOf(data, wanted.channelId ?? from.channelId)
  const to = topicPlace(data, channelId, wanted.topic ?? from.topic)
  if (to.kind !== 'topic') return
  const all = messagesOf(data, from)
  const moved = all.filter(({ id }) =>
    wanted.mode === 'change_one'
      ? id === message.id
      : wanted.mode === 'change_all' || id >= message.id,
  )
  moveMessages(data, moved, { from, to, mode: wanted.mode })
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
