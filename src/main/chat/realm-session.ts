import { messageOperations } from '../../shared/api/chat/message-operations.ts'
import { eventId, readEvent } from '../../shared/api/chat/read-events.ts'
import { readSnapshot, registerParams } from '../../shared/api/chat/read-snapshot.ts'
import { queueOperations } from '../../shared/api/chat/server-operations.ts'
import { type AccountId, accountById } from '../../shared/core/account.ts'
import { withNoticesFollowing } from '../../shared/core/attention/notices-follow.ts'
import { withSilencesMoved } from '../../shared/core/attention/silences-update.ts'
import { newestHeard, withEvents } from '../../shared/core/chat/chat-apply.ts'
import type { ChatEvent } from '../../shared/core/chat/chat-event.ts'
import { type Conversation, conversationKey } from '../../shared/core/chat/conversation.ts'
import type { Emoji } from '../../shared/core/chat/message.ts'
import { withMoved } from '../../shared/core/chat/moved-places.ts'
import type { Realm } from '../../shared/core/chat/realm.ts'
import {
  changeRealm,
  withRealmAlive,
  withRealmFailed,
  withSnapshot,
} from '../../shared/core/chat/realm-update.ts'
import type { Failure } from '../../shared/core/failure.ts'
import { withIncidentsMoved } from '../../shared/core/outages/incident.ts'
import type { AppState } from '../../shared/core/state.ts'
import type { Clock } from '../base/ports.ts'
import { type Client, reportingRefusals } from '../http/client.ts'
import { createYielding, runYielding, type Waker } from '../http/wait.ts'
import { followEvents } from './event-queue.ts'
import { messageText } from './message-text.ts'
import { createOutbox } from './outbox-sender.ts'
import { createRealmHistory } from './realm-history.ts'
import { createRealmLater } from './realm-later.ts'
import { isDoneAlready, sendParams } from './realm-pages.ts'

/** The server takes any number of ids; this keeps one request small. */
const flagsAtOnce = 1_000
/** Fewer than the messages kept of a realm, so that notices are decided before any is dropped. */
const eventsAtOnce = 1_000

/**
 * A run of messages is applied in one step, but every other event copies the map that it changes:
 * this many at first, then as many as take no longer than `longBatchMs`.
 */
const copiesAtFirst = 16
const longBatchMs = 20

function batchOf(events: readonly ChatEvent[], mostCopies: number): readonly ChatEvent[] {
  let copies = 0
  const end = events.findIndex(({ type }) => {
    if (type !== 'message') copies += 1
    return copies > mostCopies
  })
  return end === -1 ? events : events.slice(0, end)
}

/** The running connection of one chat account, until its signal aborts. */
export type RealmLink = ReturnType<typeof followRealm>

/** Keeps one realm in sync with its server: queue → state, and outbox → server. */
export function followRealm(parts: {
  accountId: AccountId
  client: Client
  get: () => AppState
  update: (change: (state: AppState) => AppState) => void
  /** Writes the outbox to disk as it is now. */
  persist: (name: 'outbox' | 'draftLinks') => Promise<void>
  /** Called after each good reply. */
  onRead: () => void
  /** Server clock minus ours, in ms. */
  serverOffsetMs: () => number
  onFailure: (failure: Failure) => void
  /** Shows a problem until it is dismissed, one for each id; null: it is over. */
  trouble: (id: string, text: string | null) => void
  onBug: (error: unknown) => void
  clock: Clock
  waker: Waker
  signal: AbortSignal
}) {
  const { accountId, get, update, onBug, clock, waker, signal } = parts
  /** For everything but the queue, which handles refusals itself. */
  const client = reportingRefusals(parts.client, (failure) => {
    // Once it is known, more refused calls must not restart the poll each time.
    if (isRejected()) return
    failed(failure)
    queue.pollNow()
  })
  let queueId: string | null = null
  let longpollMs = 0
  const realm = (): Realm | undefined => get().realms.get(accountId)
  const changeOurs = (change: (realm: Realm) => Realm): void =>
    update((state) => changeRealm(state, accountId, change))
  const isRejected = (): boolean => accountById(get(), accountId)?.key === 'rejected'
  const failed = (failure: Failure): void => {
    changeOurs((before) => withRealmFailed(before, failure, clock.now()))
    parts.onFailure(failure)
  }
  const heard = (): void => {
    const wasRejected = isRejected()
    parts.onRead()
    if (wasRejected) outbox.confirmSoon()
  }

  const outbox = createOutbox({
    ...parts,
    send: (message, sendSignal) => {
      // As it was stored when its sending began: its topic may have moved since it was queued.
      const stored = get().outbox.find(({ localId }) => localId === message.localId) ?? message
      return client.call(messageOperations.sendMessage, sendParams(stored, queueId), {
        signal: sendSignal,
      })
    },
    save: () => parts.persist('outbox'),
    ownPage: (conversation, before) => history.ownPage(conversation, before),
    reload: (conversation) => history.reload(conversation),
    onOverdue: () => queue.pollOverdue(),
  })

  /** `readAt`: when the server reported it; null for a change of our own, not yet reported. */
  function apply(events: readonly ChatEvent[], readAt: number | null): void {
    history.noteEvents(events)
    const arrived = events.filter((event) => event.type === 'message')
    const change = (before: Realm): Realm => {
      const after = withEvents(before, events)
      return readAt === null ? after : withRealmAlive(after, readAt, longpollMs)
    }
    outbox.onMessages((state) => {
      const next = withMoved(state, changeRealm(state, accountId, change), accountId)
      const after = withNoticesFollowing(state, next, accountId, events)
      return events.some(({ type }) => type === 'moved') ? withRestMoved(after) : after
    }, arrived)
    later.onEvents(events)
  }

  const history = createRealmHistory({
    accountId,
    client,
    get,
    update,
    onMessages: outbox.onMessages,
    signal,
  })

  const later = createRealmLater({ ...parts, client })

  /** Messages whose events could not be read, with their local ids. */
  let unreadable = new Map<number, string | null>()

  /** Fetches these; if that fails, after a later reply. One that can't be read then is given up. */
  async function fetchUnreadable(): Promise<void> {
    const asked = unreadable
    if (asked.size === 0) return
    unreadable = new Map()
    const messages = await history.byIds([...asked.keys()])
    if (messages === null) unreadable = new Map([...asked, ...unreadable])
    for (const message of messages ?? [])
      apply([{ type: 'message', message, localId: asked.get(message.id) ?? null }], null)
  }

  /** Not awaited by the queue: events must not wait for it. */
  const fetchSoon = (): void =>
    void fetchUnreadable().catch((error: unknown) => {
      if (!signal.aborted) onBug(error)
    })

  const queue = followEvents({
    register: async (registerSignal) =>
      runYielding(
        readSnapshot(
          await parts.client.call(queueOperations.registerQueue, registerParams, {
            priority: 'poll',
            signal: registerSignal,
          }),
        ),
      ),
    getEvents: async (poll, pollSignal) => {
      const { events } = await parts.client.call(
        queueOperations.getEvents,
        {
          queue_id: poll.queueId,
          last_event_id: poll.lastEventId,
          ...(poll.dontBlock ? { dont_block: true } : {}),
        },
        { priority: 'poll', signal: pollSignal, deadlineMs: poll.timeoutMs },
      )
      return events
    },
    deleteQueue: async (id, deleteSignal) => {
      const { deleteQueue } = queueOperations
      await parts.client.call(deleteQueue, { queue_id: id }, { signal: deleteSignal })
    },
    eventId,
    readEvent: (wire) =>
      readEvent(wire, { me: realm()?.me?.id ?? -1, toText: messageText, at: clock.now() }),
    onSnapshot: (snapshot, id) => {
      queueId = id
      longpollMs = snapshot.longpollTimeoutMs
      parts.onRead()
      update((state) => {
        const change = (before: Realm): Realm => withSnapshot(before, snapshot)
        return withRestMoved(withMoved(state, changeRealm(state, accountId, change), accountId))
      })
      outbox.onSnapshot(snapshot.maxMessageId)
    },
    catchUp: async (snapshot, catchUpSignal) => {
      await history.catchUp(snapshot, catchUpSignal)
      outbox.onCaughtUp()
      later.onSnapshot()
    },
    onEvents: async (events) => {
      heard()
      const yielding = createYielding(signal)
      let most = copiesAtFirst
      for (let at = 0; at < events.length; ) {
        if (yielding.isOver()) await yielding.next()
        const some = batchOf(events.slice(at, at + eventsAtOnce), most)
        const began = clock.monotonic()
        apply(some, clock.now())
        at += some.length
        most = clock.monotonic() - began > longBatchMs ? Math.ceil(most / 4) : 2 * most
      }
      for (const event of events)
        if (event.type === 'unreadable') unreadable.set(event.id, event.localId)
      fetchSoon()
    },
    newestId: history.newestId,
    heardUpTo: () => newestHeard(realm() ?? { notified: null }),
    onAlive: () => {
      heard()
      changeOurs((before) => withRealmAlive(before, clock.now(), longpollMs))
      later.onAlive()
      fetchSoon()
    },
    onFailure: failed,
    onBug,
    clock,
    waker,
    signal,
  })

  return {
    client,
    loadConversation: history.load,
    loadGap: history.loadGap,
    showMessage: history.show,
    search: history.search,
    later,
    send: outbox.queue,
    /** Discards a message: it is not sent, unless it already was. */
    forget: outbox.forget,
    /** Up to the message with this id; by default all. */
    async markRead(conversation: Conversation, upTo = Number.POSITIVE_INFINITY) {
      const all = realm()?.conversations.get(conversationKey(conversation))?.unread ?? []
      const unread = all.filter((id) => id <= upTo)
      for (let at = 0; at < unread.length; at += flagsAtOnce) {
        const messageIds = unread.slice(at, at + flagsAtOnce)
        await client.call(
          messageOperations.updateMessageFlags,
          { messages: messageIds, op: 'add', flag: 'read' },
          { signal },
        )
        // The event says the same a moment later; the screen need not wait for it.
        const flag = { type: 'flag', present: true, flag: 'read', all: false, unread: [] } as const
        apply([{ ...flag, messageIds }], null)
      }
    },
    async setReaction(
      { messageId, name, code, type }: Emoji & { readonly messageId: number },
      present: boolean,
    ) {
      const params = {
        message_id: messageId,
        emoji_name: name,
        emoji_code: code,
        reaction_type: type,
      }
      const { addReaction, removeReaction } = messageOperations
      await client
        .call(present ? addReaction : removeReaction, params, { signal })
        .catch((error: unknown) => {
          if (!isDoneAlready(error)) throw error
        })
    },
    /** Polls at once instead of at the end of a back-off. */
    refresh: queue.pollNow,
    /** Resolves when the signal has ended the loop; rejects on a bug. */
    done: queue.done,
  }
}

/** What isn't the chat's own moves along with its conversation, too. */
function withRestMoved(state: AppState): AppState {
  return withIncidentsMoved(withSilencesMoved(state))
}
