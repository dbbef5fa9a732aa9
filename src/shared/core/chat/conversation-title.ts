import type { AccountId } from '../account.ts'
import { type Conversation, conversationKey } from './conversation.ts'
import { allMessages } from './message-list.ts'
import type { Realm } from './realm.ts'

/** "Ana, Boris" for people, "# ops › db-backup is DOWN" for a topic, as one line everywhere. */
export function conversationTitle(realm: Realm, conversation: Conversation): string {
  if (conversation.kind === 'topic') {
    const { channelId } = conversation
    // A channel one left is not in the realm's list any more; its messages still are.
    const channel = realm.channels.get(channelId)?.name ?? `channel ${channelId}`
    return `# ${channel} › ${topicTitle(realm, conversation.topic)}`
  }
  const others = conversation.userIds.filter((id) => id !== realm.me?.id)
  if (others.length === 0) return 'Notes to yourself'
  return others.map((id) => userName(realm, id)).join(', ')
}

/** A topic may have no name at all; each realm has its own words for that one. */
function topicTitle(realm: Realm, topic: string): string {
  return topic === '' ? realm.emptyTopicName : topic
}

/**
 * The present name of a user. Deactivated, hidden and cross-realm people are missing from the
 * realm's list, so the name on one of their messages is the second source (chat API, trap T17).
 */
export function userName(realm: Realm, userId: number): string {
  const known = realm.users.get(userId)
  if (known !== undefined) return known.name
  for (const message of allMessages(realm.messages))
    if (message.senderId === userId) return message.senderName
  return `user ${userId}`
}

/** Where the unsent text of a conversation is kept in `AppState.drafts`. */
export function draftKey(accountId: AccountId, conversation: Conversation): string {
  return `${accountId}/${conversationKey(conversation)}`
}

/** The conversation that a draft belongs to; null when it is another account's or of another form. */
export function draftConversation(accountId: AccountId, key: string): Conversation | null {
  if (!key.startsWith(`${accountId}/`)) return null
  const rest = key.slice(accountId.length + 1)
  const topic = /^topic\/(\d+)\/(.*)$/s.exec(rest)
  if (topic?.[1] !== undefined && topic[2] !== undefined)
    return { kind: 'topic', channelId: Number(topic[1]), topic: topic[2] }
  const direct = /^direct\/(\d+(?:,\d+)*)$/.exec(rest)
  if (direct?.[1] === undefined) return null
  return { kind: 'direct', userIds: direct[1].split(',').map(Number) }
}
