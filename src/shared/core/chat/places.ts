import type { AccountId } from '../account.ts'
import { type Conversation, type ConversationKey, conversationKey } from './conversation.ts'
import type { Realm, RealmsSlice } from './realm.ts'
import { serverTopic } from './topic-name.ts'

/** A conversation of one of the accounts. */
export interface Place {
  readonly accountId: AccountId
  readonly conversation: Conversation
}

/**
 * The place by the server's name for it, or where all of it was moved since: topics are renamed and
 * resolved.
 */
export function followed<At extends Place>({ realms }: RealmsSlice, place: At): At {
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
