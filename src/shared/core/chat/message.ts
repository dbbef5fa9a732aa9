import type { Conversation, ConversationKey } from './conversation.ts'

export interface Reaction {
  readonly name: string
  readonly code: string
  /** As received (`unicode_emoji`, `realm_emoji`, …): sent back unchanged when removing. */
  readonly type: string
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
  /** Server-rendered and hostile until proven otherwise: only `chat/message-html.tsx` may draw it. */
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
}
