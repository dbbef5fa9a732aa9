import { messageOperations } from '../../shared/api/chat-messages.ts'
import { readMessage } from '../../shared/api/read-message.ts'
import type { AccountId } from '../../shared/core/account.ts'
import type { RealmSnapshot } from '../../shared/core/chat-event.ts'
import {
  type Conversation,
  type ConversationKey,
  conversationKey,
} from '../../shared/core/conversation.ts'
import { RequestFailed } from '../../shared/core/failure.ts'
import type { Message } from '../../shared/core/message.ts'
import type { OutboxMessage } from '../../shared/core/outbox.ts'
import type { Realm } from '../../shared/core/realm.ts'
import {
  changeRealm,
  withConversation,
  withHistory,
  withMessages,
  withTold,
} from '../../shared/core/realm-update.ts'
import type { AppState } from '../../shared/core/state.ts'
import { fetchMissed } from './catch-up.ts'
import type { Client } from './client.ts'
import { messageText } from './message-text.ts'
import { wasSent } from './outbox-match.ts'
import { narrowOf } from './realm-requests.ts'
import { wait } from './wait.ts'

/** Messages fetched when a conversation is opened, and with each step back. */
const pageSize = 100
/** Recent messages of all conversations, for the list, fetched after each registration. */
const recentSize = 200
/** Message ids by which the catch-up looks back behind the last one told of. */
const overlap = 50
/** How long an unconfirmed message's event may still come before the history is asked. */
const confirmAfterMs = 5_000

/** Everything that reads messages by request and not by event. */
export interface RealmHistory {
  /** The newest messages of a conversation, or those before the oldest held. Rejects with `RequestFailed`. */
  load(conversation: Conversation, older: boolean): Promise<void>
  /** After a registration: what came while nobody listened, and the newest of all for the list. */
  catchUp(snapshot: RealmSnapshot, signal: AbortSignal): Promise<void>
  /** Looks into the history of conversations with an unconfirmed message, once its event had time to come. */
  confirmLater(): Promise<void>
}

interface Page {
  readonly anchor: number | 'newest'
  readonly num_before: number
  readonly num_after: number
  readonly include_anchor?: boolean
  readonly narrow?: ReturnType<typeof narrowOf>
}

export function createRealmHistory(parts: {
  accountId: AccountId
  client: Client
  get: () => AppState
  update: (change: (state: AppState) => AppState) => void
  /** Applies a change that brings messages, and settles the echoes that these are. */
  settle: (change: (state: AppState) => AppState, arrived: readonly Message[]) => void
  /** Own messages that settled an entry already: one message proves one entry, the same text sent twice has two. */
  claimed: Set<number>
  serverOffsetMs: () => number
  /** An unconfirmed message that the history proves to have arrived. */
  wasFound: (localId: string, messageId: number) => void
  signal: AbortSignal
}): RealmHistory {
  const { accountId, client, get, update, settle, signal } = parts
  const realm = (): Realm | undefined => get().realms.get(accountId)
  const changing =
    (change: (realm: Realm) => Realm) =>
    (state: AppState): AppState =>
      changeRealm(state, accountId, change)

  async function getMessages(page: Page, pageSignal: AbortSignal) {
    const reply = await client.call(messageOperations.getMessages, page, {
      signal: pageSignal,
      priority: 'background',
    })
    const context = { me: realm()?.me?.id ?? -1, toText: messageText }
    return {
      messages: reply.messages
        .map((item) => readMessage(item, context))
        .filter((message) => message !== null),
      foundNewest: reply.found_newest ?? false,
      foundOldest: reply.found_oldest ?? false,
    }
  }

  async function load(conversation: Conversation, older: boolean): Promise<void> {
    const oldest = older ? oldestHeld(realm(), conversationKey(conversation)) : null
    if (!older)
      update(
        changing((before) =>
          withConversation(before, conversation, { history: 'loading', failure: null }),
        ),
      )
    try {
      const page = await getMessages(
        {
          anchor: oldest ?? 'newest',
          num_before: pageSize,
          num_after: 0,
          narrow: narrowOf(conversation),
          ...(oldest === null ? {} : { include_anchor: false }),
        },
        signal,
      )
      const history = {
        messages: page.messages,
        newest: oldest === null,
        oldest: page.foundOldest,
      }
      settle(
        changing((before) => withHistory(before, conversation, history)),
        page.messages,
      )
      settleUnconfirmed(conversation, page.messages)
    } catch (error) {
      const failure = error instanceof RequestFailed ? error.failure : null
      const history = older ? {} : { history: 'none' as const }
      update(changing((before) => withConversation(before, conversation, { ...history, failure })))
      throw error
    }
  }

  /** Like `load`, for nobody in particular: a failure is shown where the conversation is. */
  async function reload(conversation: Conversation): Promise<void> {
    await load(conversation, false).catch((error: unknown) => {
      if (!(error instanceof RequestFailed) && !signal.aborted) throw error
    })
  }

  /** What came since the last message told of. False when that was too much, and the rest is older than the newest. */
  async function fetchGap(snapshot: RealmSnapshot, gapSignal: AbortSignal): Promise<boolean> {
    const told = realm()?.told
    if (told == null) return true
    // A little overlap: the server may commit a lower id after a higher one. `told` knows the doubles.
    const after = Math.max(told.floor, (told.ids.at(-1) ?? 0) - overlap)
    if ((snapshot.maxMessageId ?? Number.MAX_SAFE_INTEGER) <= after) return true
    const missed = await fetchMissed({ after, signal: gapSignal, getMessages })
    const ids = missed.messages.map(({ id }) => id)
    // Fetched messages replace those held: edits and flags of the gap are not replayed.
    settle(
      changing((before) => withTold(withMessages(before, missed.messages), ids)),
      missed.messages,
    )
    return missed.complete
  }

  function unconfirmed(): readonly OutboxMessage[] {
    return get().outbox.filter(
      (entry) => entry.accountId === accountId && entry.state === 'unconfirmed',
    )
  }

  function settleUnconfirmed(conversation: Conversation, messages: readonly Message[]): void {
    const me = realm()?.me?.id
    if (me === undefined) return
    const key = conversationKey(conversation)
    for (const entry of unconfirmed()) {
      if (conversationKey(entry.conversation) !== key) continue
      const messageId = wasSent(entry, messages, me, {
        claimed: parts.claimed,
        serverOffsetMs: parts.serverOffsetMs(),
      })
      if (messageId === null) continue
      parts.claimed.add(messageId)
      parts.wasFound(entry.localId, messageId)
    }
  }

  return {
    load,

    async catchUp(snapshot, catchUpSignal) {
      const complete = await fetchGap(snapshot, catchUpSignal)
      const recent = { anchor: 'newest', num_before: recentSize, num_after: 0 } as const
      const { messages } = await getMessages(recent, catchUpSignal)
      settle(
        changing((before) =>
          complete ? withMessages(before, messages) : withNewestOnly(before, messages),
        ),
        messages,
      )
      // A conversation on the screen gets its gap filled now and not when it is opened again.
      const { to } = get().target
      if (to.view === 'conversation' && to.accountId === accountId) await reload(to.conversation)
    },

    async confirmLater() {
      if ((await wait(confirmAfterMs, signal)) === 'aborted') return
      const places = new Map(
        unconfirmed().map(({ conversation }) => [conversationKey(conversation), conversation]),
      )
      await Promise.all([...places.values()].map((conversation) => reload(conversation)))
    },
  }
}

/** After a gap too large to fill: a hole between old and new would look like silence. */
function withNewestOnly(realm: Realm, messages: readonly Message[]): Realm {
  return withTold(
    withMessages({ ...realm, messages: new Map() }, messages),
    messages.map(({ id }) => id),
  )
}

/** The lowest message id held of a conversation: where its older history begins. */
function oldestHeld(realm: Realm | undefined, key: ConversationKey): number | null {
  let oldest: number | null = null
  for (const message of realm?.messages.values() ?? [])
    if (message.key === key && (oldest === null || message.id < oldest)) oldest = message.id
  return oldest
}
