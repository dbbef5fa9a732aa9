import { memoized } from '../identity.ts'
import { visibleName } from '../visible-text.ts'
import type { Conversation } from './conversation.ts'
import { allMessages } from './message-list.ts'
import type { Realm, User } from './realm.ts'

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
 * realm's list, so the sender's name on a loaded message is the fallback (chat API, trap T17).
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
  const isPlain = nameCounts(users).get(key) === 1 && !wildcardNames.has(key)
  // Else the end of "Ana|7" would be taken for an id.
  return isPlain && !/\|\d+$/.test(name) ? name : `${name}|${id}`
}
