/**
 * A place where one answers: a topic of a channel, or the people of a direct conversation.
 * `userIds` are the others, ascending; a note to self has one's own id alone.
 */
export type Conversation =
  | { readonly kind: 'topic'; readonly channelId: number; readonly topic: string }
  | { readonly kind: 'direct'; readonly userIds: readonly number[] }

/** Identity of a conversation within its realm. Topics compare without case, as the server does. */
export type ConversationKey = string

export function conversationKey(conversation: Conversation): ConversationKey {
  return conversation.kind === 'topic'
    ? `topic/${conversation.channelId}/${conversation.topic.toLowerCase()}`
    : `direct/${[...conversation.userIds].sort((a, b) => a - b).join(',')}`
}

/** The conversation of a direct message among `participants` (which may hold oneself), seen by `me`. */
export function directConversation(participants: readonly number[], me: number): Conversation {
  const others = [...new Set(participants)].filter((id) => id !== me).sort((a, b) => a - b)
  return { kind: 'direct', userIds: others.length === 0 ? [me] : others }
}
