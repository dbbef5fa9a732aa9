import type { AccountId } from '../account.ts'
import { mapped } from '../identity.ts'
import type { ChatSlice } from './chat-slice.ts'
import type { DraftsSlice } from './drafts.ts'
import { draftConversation, draftKey, joinTexts } from './drafts.ts'
import type { KeptForLater } from './kept-for-later.ts'
import { followed, serverPlace } from './places.ts'
import type { Realm, RealmsSlice } from './realm.ts'

/** Drafts written by other programs have the topic as it was typed there. */
export function withServerPlaces(realm: Realm, later: KeptForLater): KeptForLater {
  const drafts =
    later.drafts &&
    mapped(later.drafts, (draft) => {
      const to = draft.conversation && serverPlace(realm, draft.conversation)
      return to === draft.conversation ? draft : { ...draft, conversation: to }
    })
  const scheduled =
    later.scheduled &&
    mapped(later.scheduled, (message) => {
      const to = serverPlace(realm, message.conversation)
      return to === message.conversation ? message : { ...message, conversation: to }
    })
  const reminders =
    later.reminders &&
    mapped(later.reminders, (reminder) => {
      const at = reminder.conversation && serverPlace(realm, reminder.conversation)
      return at === reminder.conversation ? reminder : { ...reminder, conversation: at }
    })
  return drafts === later.drafts && scheduled === later.scheduled && reminders === later.reminders
    ? later
    : { ...later, drafts, scheduled, reminders }
}

/**
 * Moves drafts, queued messages and uploads along with their conversation: a reply begun before a
 * topic was resolved belongs in the resolved one. Text already there stays in front. A message
 * being sent goes to the old place, by the server's name; a refused one moves. After a registration, also to the names
 * that the server gives to their topics.
 */
export function withMoved<State extends ChatSlice>(
  before: RealmsSlice,
  after: State,
  accountId: AccountId,
): State {
  const realm = after.realms.get(accountId)
  const old = before.realms.get(accountId)
  if (realm === undefined) return after
  if (realm.movedTo === old?.movedTo && realm.server === old.server) return after
  return {
    ...after,
    scheduling: mapped(after.scheduling, (entry) => followed(after, entry)),
    drafts: movedDrafts(after, accountId),
    outbox: mapped(after.outbox, (entry) => {
      if (entry.state === 'queued' || entry.state === 'rejected') return followed(after, entry)
      if (entry.accountId !== accountId) return entry
      const conversation = serverPlace(realm, entry.conversation)
      return conversation === entry.conversation ? entry : { ...entry, conversation }
    }),
    uploads: mapped(after.uploads, (upload) => {
      const { accountId: id, conversation } = upload
      const to = conversation && followed(after, { accountId: id, conversation }).conversation
      return to === conversation ? upload : { ...upload, conversation: to }
    }),
  }
}

function movedDrafts(
  state: DraftsSlice & RealmsSlice,
  accountId: AccountId,
): DraftsSlice['drafts'] {
  const drafts = new Map(state.drafts)
  let isMoved = false
  for (const [key, text] of state.drafts) {
    const own = draftConversation(accountId, key)
    if (own === null) continue
    const conversation = state.draftLinks.get(key)?.conversation ?? own
    const to = draftKey(accountId, followed(state, { accountId, conversation }).conversation)
    if (to === key) continue
    drafts.delete(key)
    drafts.set(to, joinTexts(drafts.get(to) ?? '', text))
    isMoved = true
  }
  return isMoved ? drafts : state.drafts
}
