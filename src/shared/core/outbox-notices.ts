import { conversationTitle } from './conversation-title.ts'
import { failureSentence } from './failure-words.ts'
import type { Notice } from './notice.ts'
import type { OutboxMessage } from './outbox.ts'
import type { AppState } from './state.ts'

/**
 * Replies typed into a notification that did not get through. In the window the message itself says
 * so; here nobody is looking.
 */
export function outboxNotices(before: AppState, after: AppState, now: number): Notice[] {
  return after.outbox
    .filter((entry) => entry.fromNotification && isTrouble(entry) && !wasTrouble(before, entry))
    .map((entry) => outboxNotice(after, entry, now))
}

function isTrouble({ state }: OutboxMessage): boolean {
  return state === 'rejected' || state === 'unconfirmed'
}

function wasTrouble(before: AppState, { localId }: OutboxMessage): boolean {
  const old = before.outbox.find((entry) => entry.localId === localId)
  return old === undefined || isTrouble(old)
}

function outboxNotice(state: AppState, entry: OutboxMessage, now: number): Notice {
  const { accountId, conversation, localId } = entry
  const realm = state.realms.get(accountId)
  const place = realm === undefined ? 'the chat' : conversationTitle(realm, conversation)
  const words = entry.failure === null ? '' : failureSentence(entry.failure)
  return {
    id: `${accountId}/outbox/${localId}@${now}`,
    kind: 'message',
    accountId,
    subject: `${accountId}/outbox/${localId}`,
    title:
      entry.state === 'rejected'
        ? `Not sent to ${place}`
        : `Unsure whether ${place} got your reply`,
    body: [words, entry.text].filter((part) => part !== '').join(' · '),
    at: now,
    target: { view: 'conversation', accountId, conversation, messageId: null },
    canReply: false,
    sound: state.settings.sounds,
  }
}
