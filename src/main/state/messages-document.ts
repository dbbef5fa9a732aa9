import * as v from 'valibot'
import { messageSchema } from '../../shared/core/chat/message.ts'
import { recentMessages } from '../../shared/core/chat/message-list.ts'
import type { Realm } from '../../shared/core/chat/realm.ts'
import { asRead, withMessages, withRealm } from '../../shared/core/chat/realm-update.ts'
import { idSchema, inPart, numberId, readableItems } from '../../shared/core/schemas.ts'
import type { AppState } from '../../shared/core/state.ts'
import { counter } from '../storage/left-out.ts'
import { type StoredDocument, strangersAmong } from './stored-document.ts'

const named = inPart(v.array(v.object({ id: numberId, name: v.string() })))

/** An account's messages, and the names needed to show them. */
const keptRealm = v.tuple([
  idSchema,
  v.object({
    me: v.nullable(v.object({ id: numberId, name: v.string() })),
    users: named,
    channels: named,
    messages: inPart(v.array(messageSchema)),
  }),
])
type KeptRealm = v.InferOutput<typeof keptRealm>

function keptOf({ me, users, channels, messages: all }: Realm) {
  const messages = recentMessages(all).map(({ submessages: _answeredOnline, ...rest }) => rest)
  const people = new Set(messages.map(({ senderId }) => senderId))
  const places = new Set<number>()
  for (const { conversation } of messages)
    if (conversation.kind === 'topic') places.add(conversation.channelId)
    else for (const id of conversation.userIds) people.add(id)
  const namesOf = (ids: ReadonlySet<number>, all: ReadonlyMap<number, { readonly name: string }>) =>
    [...ids].flatMap((id) => {
      const name = all.get(id)?.name
      return name === undefined ? [] : { id, name }
    })
  return { me, users: namesOf(people, users), channels: namesOf(places, channels), messages }
}

const unsaid = {
  muted: false,
  desktopNotifications: null,
  audibleNotifications: null,
  wildcardMentionsNotify: null,
} as const

/** Adds saved messages as read: the service says what is unread and what else has changed. */
function withKept(state: AppState, [id, kept]: KeptRealm): AppState {
  const realm = state.realms.get(id)
  if (realm === undefined) return state
  const { me, users, channels, messages } = kept
  const known = {
    ...realm,
    me,
    users: new Map(users.map((user) => [user.id, { ...user, isBot: false }])),
    channels: new Map(channels.map((one) => [one.id, { ...unsaid, ...one }])),
  }
  return withRealm(
    state,
    withMessages(
      known,
      messages.map((message) => asRead(message, true)),
    ),
  )
}

/** The last messages of recent conversations, where the settings ask for them. */
export const messagesDocument: StoredDocument = {
  words: 'the recent messages',
  file: 'messages',
  parts: ({ state: { settings, realms } }) =>
    settings.keepMessages ? [...realms].flatMap(([id, { messages }]) => [id, messages]) : [],
  // Messages that must no longer be stored are removed at once.
  mayWait: (before, after) => after.length >= before.length,
  write: ({ state: { settings, realms } }, isIn) =>
    settings.keepMessages
      ? [...realms].flatMap(([id, realm]) => (isIn(id) ? [[id, keptOf(realm)]] : []))
      : [],
  read: ({ state, memory }, document) => {
    const lost = counter()
    const kept = state.settings.keepMessages ? document : null
    const saved = readableItems(keptRealm, kept ?? [], lost.add)
    const orphans = strangersAmong(state, saved)
    return { state: saved.reduce(withKept, state), memory, unreadable: lost.count(), orphans }
  },
  without: (state) => state,
}
