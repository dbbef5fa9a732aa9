import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { Place } from '#shared/contract.ts'
import { type ConversationKey, conversationKey } from '#shared/core/chat/conversation.ts'
import type { Message } from '#shared/core/chat/message.ts'
import { allMessages, noMessages } from '#shared/core/chat/message-list.ts'
import type { OutboxMessage } from '#shared/core/chat/outbox.ts'
import type { ConversationInfo, Realm } from '#shared/core/chat/realm.ts'
import { call } from '../bridge.ts'

/** True while the window is on the screen. */
export function useVisible(): boolean {
  const visible = useSignal(document.visibilityState === 'visible')
  useEffect(() => {
    const note = (): void => {
      visible.value = document.visibilityState === 'visible'
    }
    document.addEventListener('visibilitychange', note)
    return () => document.removeEventListener('visibilitychange', note)
  }, [visible])
  return visible.value
}

/**
 * Fetches the newest messages when the conversation is opened, and again whenever a lost event queue
 * made what we hold doubtful. After a failure the user asks, not we: no storm on a broken server.
 */
export function useHistory(target: Place, realm: Realm | undefined, info?: ConversationInfo): void {
  const doubtful = info === undefined || (info.history === 'none' && info.failure === null)
  const wanted = doubtful && realm?.phase === 'live'
  useEffect(() => {
    if (wanted) void call.loadConversation({ ...target, older: false })
  }, [wanted])
}

/**
 * Marks as read what the user has before their eyes. Each newest unread message asks once, so that a
 * refusal does not turn into a stream of requests.
 */
export function useMarkRead(target: Place, info: ConversationInfo | undefined, on: boolean): void {
  const newest = info?.history === 'recent' ? info.unread.at(-1) : undefined
  useEffect(() => {
    if (on && newest !== undefined) void call.markRead(target)
  }, [on, newest])
}

/**
 * The first message that was new when one came: it keeps its mark after it is marked as read, and a
 * message that arrives before one's eyes gets none. Coming back to the window starts anew.
 */
export function useFirstNew(info: ConversationInfo | undefined, visible: boolean): number | null {
  const firstNew = useRef<number | null>(null)
  const looking = useRef(false)
  if (!visible) looking.current = false
  else if (!looking.current && info?.history === 'recent') {
    looking.current = true
    firstNew.current = info.unread[0] ?? null
  }
  // Unread ones that are there from the start are new even before their history is complete.
  return looking.current ? firstNew.current : (info?.unread[0] ?? null)
}

/** The messages of a conversation that we hold, oldest first. */
export function useMessages(realm: Realm | undefined, key: ConversationKey): readonly Message[] {
  const held = realm?.messages ?? noMessages
  return useMemo(
    () =>
      allMessages(held)
        .filter((one) => one.key === key)
        .sort((a, b) => a.id - b.id),
    [held, key],
  )
}

/** One's own messages on their way here, but none whose message is already in the column. */
export function useEchoes(
  outbox: readonly OutboxMessage[],
  { accountId, conversation }: Place,
  messages: readonly Message[],
): readonly OutboxMessage[] {
  const key = conversationKey(conversation)
  return outbox.filter(
    (entry) =>
      entry.accountId === accountId &&
      conversationKey(entry.conversation) === key &&
      !messages.some(({ id }) => id === entry.messageId),
  )
}
