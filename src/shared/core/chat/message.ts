import * as v from 'valibot'
import { numberId, timeSchema } from '../schemas.ts'
import { type Conversation, type ConversationKey, conversationSchema } from './conversation.ts'
import type { Submessage } from './widget.ts'

export interface Emoji {
  readonly name: string
  readonly code: string
  /** As received (`unicode_emoji`, `realm_emoji`, …): sent back unchanged when removing. */
  readonly type: string
}

/** 👀: "I am looking at it". */
export const eyes = { name: 'eyes', code: '1f440', type: 'unicode_emoji' } as const

export interface Reaction extends Emoji {
  readonly userId: number
}

export type MessageFlag = 'read' | 'starred' | 'mentioned' | 'wildcardMentioned' | 'alerted'

/** A chat message as the server rendered it. Times are epoch ms. */
export interface Message {
  readonly id: number
  readonly conversation: Conversation
  readonly key: ConversationKey
  readonly senderId: number
  readonly senderName: string
  /** Server-rendered and untrusted: only `chat/message-html.tsx` may display it. */
  readonly html: string
  /** The same as plain text, for notifications and previews (the web app's rules). */
  readonly text: string
  readonly sentAt: number
  readonly editedAt: number | null
  readonly isMe: boolean
  /** `/me` status message: the sender's name is part of the sentence. */
  readonly isAction: boolean
  readonly flags: readonly MessageFlag[]
  readonly reactions: readonly Reaction[]
  /** What makes it a poll or a to-do list, oldest first; absent for nearly all. */
  readonly submessages?: readonly Submessage[]
}

/** What a notification says of it: "Ana waves". */
export function saidText({ isAction, senderName, text }: Message): string {
  return isAction ? `${senderName} ${text}` : text
}

const text = v.string()

/** A message as stored on disk. */
export const messageSchema = v.object({
  id: numberId,
  conversation: conversationSchema,
  key: text,
  senderId: numberId,
  senderName: text,
  html: text,
  text,
  sentAt: timeSchema,
  editedAt: v.nullable(timeSchema),
  isMe: v.boolean(),
  isAction: v.boolean(),
  flags: v.array(v.picklist(['read', 'starred', 'mentioned', 'wildcardMentioned', 'alerted'])),
  reactions: v.array(v.object({ name: text, code: text, type: text, userId: numberId })),
})
