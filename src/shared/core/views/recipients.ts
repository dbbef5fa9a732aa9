import { conversationTitle, mentionName } from '../chat/chat-names.ts'
import { type Conversation, conversationKey, directConversation } from '../chat/conversation.ts'
import { draftKey } from '../chat/drafts.ts'
import { allMessages } from '../chat/message-list.ts'
import type { Realm } from '../chat/realm.ts'
import { isAllowed, postersOf } from '../chat/writing-rules.ts'
import type { AppState } from '../state.ts'
import {
  joinedIndex,
  type PaletteIndex,
  type PaletteItem,
  paletteIndex,
  type Recipients,
} from './palette-search.ts'

/** Possible recipients of a new message. */
export interface RecipientList {
  readonly index: PaletteIndex
  /** Ids of items, those written to most often first. */
  readonly usual: readonly string[]
}

const people = new WeakMap<
  Realm['users'],
  { readonly muted: Realm['mutedUsers']; readonly index: PaletteIndex }
>()

/** Everybody who can be written to. Cached per list of users: folding 20,000 names is slow. */
export function peopleOf(realm: Realm): PaletteIndex {
  const { users, mutedUsers: muted } = realm
  const known = people.get(users)
  if (known?.muted === muted) return known.index
  const index = paletteIndex(personItems(realm))
  people.set(users, { muted, index })
  return index
}

/**
 * Lists whom a new message can go to: all people and places, further people for a group, or the
 * topics of a channel.
 */
export function recipientList(state: AppState, chosen: Recipients): RecipientList {
  const realms = [...state.realms.values()].filter(
    ({ accountId }) => chosen.to === 'anyone' || accountId === chosen.accountId,
  )
  const parts = realms.flatMap((realm) => {
    if (chosen.to === 'channel') return [paletteIndex(topicItems(realm, chosen.channelId))]
    if (chosen.to === 'people') return [without(peopleOf(realm), realm, chosen.userIds)]
    return [peopleOf(realm), paletteIndex([...placeItems(realm), ...channelItems(realm)])]
  })
  return { index: joinedIndex(parts), usual: realms.flatMap(usualRecipients) }
}

/** The conversation with the chosen people; null if none are chosen. */
export function chosenConversation(realm: Realm, chosen: Recipients): Conversation | null {
  return chosen.to === 'people' ? directConversation(chosen.userIds, realm.me?.id ?? -1) : null
}

function without(
  { items, titles, keywords, aliases }: PaletteIndex,
  { accountId }: Realm,
  userIds: readonly number[],
): PaletteIndex {
  const gone = new Set(userIds.map((id) => personId(accountId, id)))
  const kept = [...items.keys()].filter((at) => !gone.has(items[at]?.id ?? ''))
  const pick = <T>(list: readonly T[]): T[] => kept.flatMap((at) => list[at] ?? [])
  return {
    items: pick(items),
    titles: kept.map((at) => titles[at] ?? ''),
    keywords: kept.map((at) => keywords[at] ?? ''),
    aliases: kept.map((at) => aliases[at] ?? ''),
  }
}

function personId(accountId: string, userId: number): string {
  return `person/${accountId}/${userId}`
}

function personItems(realm: Realm): readonly PaletteItem[] {
  const { accountId, me, mutedUsers } = realm
  const muted = new Set(mutedUsers)
  return [...realm.users.values()].flatMap((user) => {
    if (user.isFormer === true) return []
    return {
      id: personId(accountId, user.id),
      kind: 'person',
      title: user.id === me?.id ? `${user.name} (you)` : user.name,
      hint: [
        muted.has(user.id) ? 'muted' : '',
        user.isBot ? 'bot' : '',
        mentionName(realm, user) === user.name ? '' : `user ${user.id}`,
      ]
        .filter((words) => words !== '')
        .join(' · '),
      key: '',
      keywords: user.id === me?.id ? 'me myself' : '',
      action: open(realm, { kind: 'direct', userIds: [user.id] }),
      isLast: muted.has(user.id),
    }
  })
}

/** Group conversations and topics. */
function placeItems(realm: Realm): readonly PaletteItem[] {
  return [...realm.conversations.values()].flatMap(({ conversation }) =>
    conversation.kind === 'direct' && conversation.userIds.length === 1
      ? []
      : placeItem(realm, conversation, conversationTitle(realm, conversation)),
  )
}

function placeItem(realm: Realm, conversation: Conversation, title: string): PaletteItem {
  return {
    id: `conversation/${draftKey(realm.accountId, conversation)}`,
    kind: 'conversation',
    title,
    hint: '',
    key: '',
    keywords: '',
    action: open(realm, conversation),
  }
}

export function channelItems(realm: Realm): readonly PaletteItem[] {
  const { accountId } = realm
  return [...realm.channels.values()].map((channel) => ({
    id: `channel/${accountId}/${channel.id}`,
    kind: 'channel',
    title: `# ${channel.name}`,
    hint: isAllowed(realm, postersOf(channel)) ? 'choose a topic' : 'you can’t post there',
    key: '',
    // "#ops", as people write it.
    keywords: `#${channel.name}`,
    action: { does: 'message', recipients: { to: 'channel', accountId, channelId: channel.id } },
  }))
}

/** The channel's known topics. */
function topicItems(realm: Realm, channelId: number): readonly PaletteItem[] {
  return [...realm.conversations.values()].flatMap(({ conversation }) =>
    conversation.kind === 'topic' && conversation.channelId === channelId
      ? topicItem(realm, conversation)
      : [],
  )
}

/** A topic in the list of its channel. */
export function topicItem(
  realm: Realm,
  conversation: Extract<Conversation, { kind: 'topic' }>,
): PaletteItem {
  return placeItem(realm, conversation, conversation.topic || realm.emptyTopicName)
}

function open({ accountId }: Realm, conversation: Conversation): PaletteItem['action'] {
  return { does: 'go', target: { view: 'conversation', accountId, conversation, messageId: null } }
}

/** Places by how often I wrote there in the messages loaded here, then by their last message. */
export function usualRecipients(realm: Realm): readonly string[] {
  const { accountId, me } = realm
  const counts = new Map<string, number>()
  for (const { senderId, key } of allMessages(realm.messages))
    if (senderId === me?.id) counts.set(key, (counts.get(key) ?? 0) + 1)
  return [...realm.conversations.values()]
    .map(({ conversation, lastMessageId }) => ({
      conversation,
      count: counts.get(conversationKey(conversation)) ?? 0,
      last: lastMessageId ?? 0,
    }))
    .filter(({ conversation, count }) => count > 0 || conversation.kind === 'direct')
    .sort((a, b) => b.count - a.count || b.last - a.last)
    .slice(0, 50)
    .map(({ conversation }) => {
      const [only, ...others] = conversation.kind === 'direct' ? conversation.userIds : []
      return only !== undefined && others.length === 0
        ? personId(accountId, only)
        : `conversation/${draftKey(accountId, conversation)}`
    })
}
