import { createHash } from 'node:crypto'
import type { DemoMessage, RealmData } from './realm-data.ts'
import { type Call, type Handlers, pathId } from './realm-handlers.ts'
import { Refusal, shapes } from './realm-http.ts'
import { editMessage, messagesOf, moveMessages, removeMessages } from './realm-message-controls.ts'
import { changeFlag } from './realm-messages.ts'
import { readContent, topicPlace } from './realm-post.ts'

/** Changing and deleting messages, and the older ways of marking them as read. */
export function editHandlers(data: RealmData) {
  return {
    editMessage: (call) => edit(data, call),
    deleteMessage(call) {
      const message = messageOf(data, call)
      if (message.senderId !== data.me.id && data.me.role > 200)
        throw new Refusal("You don't have permission to delete this message")
      removeMessages(data, [message.id])
      return {}
    },
    markChannelAsRead({ params }) {
      const channelId = channelOf(data, params.json('stream_id', shapes.whole))
      readAll(data, (place) => place.kind === 'topic' && place.channelId === channelId)
      return {}
    },
    markTopicAsRead({ params }) {
      const channelId = channelOf(data, params.json('stream_id', shapes.whole))
      const topic = params.text('topic_name')
      const messages = messagesOf(data, { kind: 'topic', channelId, topic })
      if (messages.length === 0) throw new Refusal(`No such topic '${topic}'`)
      changeFlag(data, { op: 'add', flag: 'read', ids: messages.map(({ id }) => id) })
      return {}
    },
  } satisfies Partial<Handlers>
}

function channelOf(data: RealmData, id: number): number {
  if (!data.channels.has(id)) throw new Refusal('Invalid channel ID')
  return id
}

function readAll(data: RealmData, wanted: (place: DemoMessage['place']) => boolean): void {
  const ids = [...data.messages.values()].filter(({ place }) => wanted(place)).map(({ id }) => id)
  changeFlag(data, { op: 'add', flag: 'read', ids })
}

function messageOf(data: RealmData, call: Call): DemoMessage {
  const message = data.messages.get(pathId(call, 'message_id'))
  if (!message) throw new Refusal('Invalid message(s)')
  return message
}

const modes = ['change_one', 'change_later', 'change_all']

function edit(data: RealmData, call: Call) {
  const { params } = call
  const content = params.maybeText('content') === undefined ? undefined : readContent(params)
  const topic = params.maybeText('topic', 'subject')
  const channelId = params.maybe('stream_id', shapes.whole)
  const mode = params.maybeText('propagate_mode') ?? 'change_one'
  const hash = params.maybeText('prev_content_sha256')
  params.maybe('send_notification_to_old_thread', shapes.boolean)
  params.maybe('send_notification_to_new_thread', shapes.boolean)
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

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
