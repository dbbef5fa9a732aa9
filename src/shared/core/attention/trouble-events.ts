import { conversationTitle } from '../chat/conversation-title.ts'
import type { OutboxMessage } from '../chat/outbox.ts'
import { failureSentence, refusalWords } from '../failure-words.ts'
import { type AppState, accountById, freshnessOf } from '../state.ts'
import type { AttentionEvent } from './event.ts'

/** What goes wrong with Belfry's own work where nobody is looking: keys, and replies typed into a notification. */
export function troubleEvents(before: AppState, after: AppState, now: number): AttentionEvent[] {
  const keys = before.accounts === after.accounts ? [] : keyEvents(before, after, now)
  if (before.outbox === after.outbox) return keys
  const replies = after.outbox
    .filter((entry) => entry.fromNotification && isTrouble(entry) && !wasTrouble(before, entry))
    .map((entry) => replyEvent(after, entry, now))
  return [...keys, ...replies]
}

function keyEvents(before: AppState, after: AppState, now: number): AttentionEvent[] {
  return after.accounts
    .filter(({ id, key }) => {
      const old = accountById(before, id)
      return old !== null && old.key !== key && key === 'rejected'
    })
    .map(({ id, label }) => ({
      of: 'trouble',
      kind: 'trouble',
      id: `${id}/key@${now}`,
      at: now,
      accountId: id,
      subject: `${id}/key`,
      title: `${label}: key rejected`,
      body: `${refusalWords(freshnessOf(after, id)?.failure, 'The server no longer accepts this key.')} Nothing new is read. Click to enter a new key.`,
      target: { view: 'replaceKey', accountId: id },
    }))
}

/** In the window the message itself says so. */
function replyEvent(state: AppState, entry: OutboxMessage, now: number): AttentionEvent {
  const { accountId, conversation, localId } = entry
  const realm = state.realms.get(accountId)
  const place = realm === undefined ? 'the chat' : conversationTitle(realm, conversation)
  const words = entry.failure === null ? '' : failureSentence(entry.failure)
  return {
    of: 'trouble',
    kind: 'trouble',
    id: `${accountId}/outbox/${localId}@${now}`,
    at: now,
    accountId,
    subject: `${accountId}/outbox/${localId}`,
    title:
      entry.state === 'rejected'
        ? `Not sent to ${place}`
        : `Unsure whether ${place} got your reply`,
    body: [words, entry.text].filter((part) => part !== '').join(' · '),
    target: { view: 'conversation', accountId, conversation, messageId: null },
  }
}

function isTrouble({ state }: OutboxMessage): boolean {
  return state === 'rejected' || state === 'unconfirmed'
}

function wasTrouble(before: AppState, { localId }: OutboxMessage): boolean {
  const old = before.outbox.find((entry) => entry.localId === localId)
  return old === undefined || isTrouble(old)
}
