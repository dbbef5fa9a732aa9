import { type ChatEvent, isForAll, messageIdsOf } from './chat-event.ts'
import { type Conversation, conversationKey } from './conversation.ts'
import type { Message, MessageFlag } from './message.ts'
import { asRead } from './realm-update.ts'
import { type Submessage, widgetOf, widgetWords } from './widget.ts'

/** Applies an event to a message; null if deleted. A message that it isn't about stays the same. */
export function messageAfter(message: Message, event: ChatEvent): Message | null {
  if (!isForAll(event) && !messageIdsOf(event).includes(message.id)) return message
  if (event.type === 'edited') return edit(message, event)
  if (event.type === 'moved') return moved(message, event)
  if (event.type === 'deleted') return null
  if (event.type === 'flag') return flagged(message, event.flag, event.present)
  if (event.type === 'submessage') return answered(message, event.submessage)
  return event.type === 'reaction' ? reacted(message, event) : message
}

export function edit(message: Message, event: Extract<ChatEvent, { type: 'edited' }>): Message {
  // Of a poll, only the command was edited, which shows nowhere.
  const widget = widgetOf(message.submessages)
  return {
    ...message,
    html: event.html,
    text: widget === null ? event.text : widgetWords(widget),
    editedAt: event.editedAt ?? message.editedAt,
    // The event's flags are our own flags after the edit: a new mention can come with it.
    flags: event.editedAt === null ? message.flags : (event.flags ?? message.flags),
    isAction: event.isAction ?? message.isAction,
  }
}

export function flagged(message: Message, flag: MessageFlag, present: boolean): Message {
  if (flag === 'read') return asRead(message, present)
  if (message.flags.includes(flag) === present) return message
  const others = message.flags.filter((other) => other !== flag)
  return { ...message, flags: present ? [...others, flag] : others }
}

/** A vote, a new option, a new title or a finished task in a poll or to-do list. */
export function answered(message: Message, submessage: Submessage): Message {
  if (message.submessages?.some(({ id }) => id === submessage.id) !== false) return message
  const submessages = [...message.submessages, submessage]
  const widget = widgetOf(submessages)
  return { ...message, submessages, text: widget === null ? message.text : widgetWords(widget) }
}

export function reacted(
  message: Message,
  event: Extract<ChatEvent, { type: 'reaction' }>,
): Message {
  const { reaction, present } = event
  const others = message.reactions.filter(
    (other) =>
      other.userId !== reaction.userId ||
      other.code !== reaction.code ||
      other.type !== reaction.type,
  )
  const had = others.length !== message.reactions.length
  if (had === present) return message
  return { ...message, reactions: present ? [...others, reaction] : others }
}

export function targetOf(
  from: Conversation,
  { toChannelId, toTopic }: Extract<ChatEvent, { type: 'moved' }>,
): Conversation | null {
  if (from.kind !== 'topic') return null
  return { kind: 'topic', channelId: toChannelId ?? from.channelId, topic: toTopic ?? from.topic }
}

function moved(message: Message, event: Extract<ChatEvent, { type: 'moved' }>): Message {
  const conversation = targetOf(message.conversation, event)
  if (conversation === null) return message
  return { ...message, conversation, key: conversationKey(conversation) }
}
