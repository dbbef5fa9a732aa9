import type { App } from '../../src/main/app.ts'
import type { Conversation } from '../../src/shared/core/chat/conversation.ts'
import type { RealmServer } from './realm-server.ts'
import { textKey } from './send-trace.ts'

/** What one user wants to send in one realm, and how often each text: `place key / text`. */
export type Wanted = Map<string, number>

/** Counts how often each text was wanted, is on the server, and is still with the user. */
export function tally(app: App, server: RealmServer, wanted: readonly Wanted[]) {
  const sum = { lost: 0, doubled: 0, unconfirmed: 0, rejected: 0, unresolved: 0 }
  const wrong: { readonly realm: number; readonly key: string; readonly what: string }[] = []
  for (const [index, texts] of wanted.entries()) {
    const realm = server.realms[index]
    const atServer = new Map<string, number>()
    for (const { senderId, place, content } of realm?.controls.messages() ?? []) {
      if (senderId !== realm?.user.id) continue
      const conversation: Conversation =
        place.kind === 'topic'
          ? place
          : { kind: 'direct', userIds: place.userIds.filter((id) => id !== realm.user.id) }
      const key = textKey(conversation, content)
      atServer.set(key, (atServer.get(key) ?? 0) + 1)
    }
    for (const [key, times] of texts) {
      const there = atServer.get(key) ?? 0
      const entries = app.state.outbox.filter(
        (entry) =>
          entry.accountId === `chat-${index}` && textKey(entry.conversation, entry.text) === key,
      )
      const unconfirmed = entries.filter(({ state }) => state === 'unconfirmed').length
      const doubled = Math.max(0, there - times)
      const lost = Math.max(0, times - there - entries.length)
      sum.doubled += doubled
      sum.lost += lost
      const surplus = Math.max(0, Math.min(there, times) + entries.length - times)
      sum.unresolved += surplus
      if (lost + doubled + surplus > 0)
        wrong.push({
          realm: index,
          key,
          what: `lost ${lost} doubled ${doubled} unresolved ${surplus}, of ${times}`,
        })
      sum.unconfirmed += Math.max(0, unconfirmed - surplus)
      sum.rejected += entries.filter(({ state }) => state === 'rejected').length
    }
  }
  return { ...sum, wrong }
}
