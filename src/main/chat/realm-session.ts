import { messageOperations } from '../../shared/api/chat/message-operations.ts'
import { eventId, readEvent } from '../../shared/api/chat/read-events.ts'
import { readSnapshot, registerParams } from '../../shared/api/chat/read-snapshot.ts'
import { queueOperations } from '../../shared/api/chat/server-operations.ts'
import { type AccountId, accountById } from '../../shared/core/account.ts'
import { withNoticesFollowing } from '../../shared/core/attention/notices-follow.ts'
import { withRemindersMoved } from '../../shared/core/attention/remind-me/due-reminders.ts'
import { withSilencesMoved } from '../../shared/core/attention/silences-update.ts'
import { newestNotified, withEvents } from '../../shared/core/chat/chat-apply.ts'
import type { ChatEvent, RealmSnapshot } from '../../shared/core/chat/chat-event.ts'
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
import { DraftSync } from './draft-sync.ts'
import { EventQueue, type EventQueueOptions } from './event-queue.ts'
import { messageText } from './message-text.ts'
import { Outbox } from './outbox-sender.ts'
import { mostAsked, RealmHistory } from './realm-history.ts'
import { isDoneAlready, sendParams } from './realm-pages.ts'
import { ScheduledSync } from './scheduled-sync.ts'
import { ServerReminders } from './server-reminders.ts'
import { StatusClearing } from './status-clearing.ts'

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

interface RealmParts {
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
}

/** Keeps one realm in sync with its server until its signal aborts: queue → state, and outbox → server. */
export class RealmLink {
  readonly #parts: RealmParts
  /** For everything but the queue, which handles refusals itself. */
  readonly client: Client
  readonly #queue: EventQueue
  readonly outbox: Outbox
  readonly history: RealmHistory
  readonly drafts: DraftSync
  readonly scheduled: ScheduledSync
  readonly reminders: ServerReminders
  readonly status: StatusClearing
  #queueId: string | null = null
  #longpollMs = 0
  /** Messages whose events could not be read, with their local ids. */
  #unreadable = new Map<number, string | null>()

  constructor(parts: RealmParts) {
    this.#parts = parts
    const { accountId, get, update, clock, signal } = parts
    this.client = reportingRefusals(parts.client, (failure) => {
      // Once it is known, more refused calls must not restart the poll each time.
      if (this.#isRejected()) return
      this.#failed(failure)
      this.#queue.pollNow()
    })
    const { client } = this
    this.outbox = new Outbox({
      ...parts,
      send: (message, sendSignal) => {
        // As it was stored when its sending began: its topic may have moved since it was queued.
        const stored = get().outbox.find(({ localId }) => localId === message.localId) ?? message
        const params = sendParams(stored, this.#queueId)
        return client.call(messageOperations.sendMessage, params, { signal: sendSignal })
      },
      save: () => parts.persist('outbox'),
      ownPage: (conversation, before) => this.history.ownPage(conversation, before),
      reload: (conversation) => this.history.reload(conversation),
      onOverdue: () => this.#queue.pollOverdue(),
    })
    this.history = new RealmHistory({
      ...{ accountId, client, get, update, signal },
      onMessages: (change, arrived) => this.outbox.onMessages(change, arrived),
    })
    this.drafts = new DraftSync({ ...parts, client })
    this.scheduled = new ScheduledSync({ ...parts, client })
    this.reminders = new ServerReminders({ ...parts, client })
    this.status = new StatusClearing({ ...parts, client })
    this.#queue = new EventQueue({
      ...queueRequests(parts.client),
      eventId,
      readEvent: (wire) =>
        readEvent(wire, { me: this.#realm()?.me?.id ?? -1, toText: messageText, at: clock.now() }),
      onSnapshot: (snapshot, queueId) => this.#takeSnapshot(snapshot, queueId),
      catchUp: async (snapshot, catchUpSignal) => {
        await this.history.catchUp(snapshot, catchUpSignal)
        this.outbox.onCaughtUp()
        this.scheduled.reconcile()
        this.drafts.onSnapshot()
        this.status.look()
      },
      onEvents: (events) => this.#takeEvents(events),
      newestId: (newestSignal) => this.history.newestId(newestSignal),
      notifiedUpTo: () => newestNotified(this.#realm() ?? { notified: null }),
      onAlive: () => {
        this.#heard()
        this.#changeOurs((before) => withRealmAlive(before, clock.now(), this.#longpollMs))
        this.status.look()
        this.scheduled.onAlive()
        this.#fetchSoon()
      },
      onFailure: (failure) => this.#failed(failure),
      ...{ onBug: parts.onBug, clock, waker: parts.waker, signal },
    })
  }

  /** Resolves when the signal has ended the loop; rejects on a bug. */
  get done(): Promise<void> {
    return this.#queue.done
  }

  /** Polls at once instead of at the end of a back-off. */
  refresh(): void {
    this.#queue.pollNow()
  }

  /** Up to the message with this id; by default all. */
  async markRead(conversation: Conversation, upTo = Number.POSITIVE_INFINITY) {
    const { signal } = this.#parts
    const all = this.#realm()?.conversations.get(conversationKey(conversation))?.unread ?? []
    const unread = all.filter((id) => id <= upTo)
    for (let at = 0; at < unread.length; at += flagsAtOnce) {
      const messageIds = unread.slice(at, at + flagsAtOnce)
      await this.client.call(
        messageOperations.updateMessageFlags,
        { messages: messageIds, op: 'add', flag: 'read' },
        { signal },
      )
      // The event says the same a moment later; the screen need not wait for it.
      const flag = { type: 'flag', present: true, flag: 'read', all: false, unread: [] } as const
      this.#apply([{ ...flag, messageIds }], null)
    }
  }

  async setReaction(
    { messageId, name, code, type }: Emoji & { readonly messageId: number },
    present: boolean,
  ) {
    const { signal } = this.#parts
    const params = {
      message_id: messageId,
      emoji_name: name,
      emoji_code: code,
      reaction_type: type,
    }
    const { addReaction, removeReaction } = messageOperations
    await this.client
      .call(present ? addReaction : removeReaction, params, { signal })
      .catch((error: unknown) => {
        if (!isDoneAlready(error)) throw error
      })
  }

  #failed(failure: Failure): void {
    this.#changeOurs((before) => withRealmFailed(before, failure, this.#parts.clock.now()))
    this.#parts.onFailure(failure)
  }

  #realm(): Realm | undefined {
    return this.#parts.get().realms.get(this.#parts.accountId)
  }

  #changeOurs(change: (realm: Realm) => Realm): void {
    this.#parts.update((state) => changeRealm(state, this.#parts.accountId, change))
  }

  #isRejected(): boolean {
    return accountById(this.#parts.get(), this.#parts.accountId)?.key === 'rejected'
  }

  /** The server's state replaces what was known. */
  #takeSnapshot(snapshot: RealmSnapshot, queueId: string): void {
    const { accountId, update, onRead } = this.#parts
    this.#queueId = queueId
    this.#longpollMs = snapshot.longpollTimeoutMs
    onRead()
    update((state) => {
      const change = (before: Realm): Realm => withSnapshot(before, snapshot)
      return withRestMoved(withMoved(state, changeRealm(state, accountId, change), accountId))
    })
    this.outbox.onSnapshot(snapshot.maxMessageId)
  }

  /** Applies events in turns, each as long as the window can wait. */
  async #takeEvents(events: readonly ChatEvent[]): Promise<void> {
    const { clock, signal } = this.#parts
    this.#heard()
    const yielding = createYielding(signal)
    let most = copiesAtFirst
    for (let at = 0; at < events.length; ) {
      if (yielding.isOver()) await yielding.next()
      const some = batchOf(events.slice(at, at + eventsAtOnce), most)
      const began = clock.monotonic()
      this.#apply(some, clock.now())
      at += some.length
      most = clock.monotonic() - began > longBatchMs ? Math.ceil(most / 4) : 2 * most
    }
    for (const event of events)
      if (event.type === 'unreadable' && event.id !== null)
        this.#unreadable.set(event.id, event.localId)
    this.#fetchSoon()
  }

  #heard(): void {
    const wasRejected = this.#isRejected()
    this.#parts.onRead()
    if (wasRejected) this.outbox.confirmSoon()
  }

  /** `readAt`: when the server reported it; null for a change of our own, not yet reported. */
  #apply(events: readonly ChatEvent[], readAt: number | null): void {
    const { accountId } = this.#parts
    this.history.noteEvents(events)
    const arrived = events.filter((event) => event.type === 'message')
    const change = (before: Realm): Realm => {
      const after = withEvents(before, events)
      return readAt === null ? after : withRealmAlive(after, readAt, this.#longpollMs)
    }
    this.outbox.onMessages((state) => {
      const next = withMoved(state, changeRealm(state, accountId, change), accountId)
      const after = withNoticesFollowing(state, next, accountId, events)
      return events.some(({ type }) => type === 'moved') ? withRestMoved(after) : after
    }, arrived)
    for (const kept of [this.drafts, this.scheduled, this.status]) kept.onEvents(events)
  }

  /** Fetches these; if that fails, after a later reply. One that can't be read then is given up. */
  async #fetchUnreadable(): Promise<void> {
    const asked = new Map([...this.#unreadable].slice(0, mostAsked))
    if (asked.size === 0) return
    for (const id of asked.keys()) this.#unreadable.delete(id)
    const messages = await this.history.byIds([...asked.keys()])
    if (messages === null) {
      this.#unreadable = new Map([...asked, ...this.#unreadable])
      return
    }
    for (const message of messages)
      this.#apply([{ type: 'message', message, localId: asked.get(message.id) ?? null }], null)
    await this.#fetchUnreadable()
  }

  /** Not awaited by the queue: events must not wait for it. */
  #fetchSoon(): void {
    void this.#fetchUnreadable().catch((error: unknown) => {
      if (!this.#parts.signal.aborted) this.#parts.onBug(error)
    })
  }
}

/** What the queue asks of the server. */
function queueRequests(
  client: Client,
): Pick<EventQueueOptions, 'register' | 'getEvents' | 'deleteQueue'> {
  const { registerQueue, getEvents, deleteQueue } = queueOperations
  return {
    register: async (signal) => {
      const options = { priority: 'poll', signal } as const
      return runYielding(readSnapshot(await client.call(registerQueue, registerParams, options)))
    },
    getEvents: async ({ queueId, lastEventId, dontBlock, timeoutMs }, signal) => {
      const params = { queue_id: queueId, last_event_id: lastEventId }
      const options = { priority: 'poll', signal, deadlineMs: timeoutMs } as const
      const given = dontBlock ? { ...params, dont_block: true } : params
      return (await client.call(getEvents, given, options)).events
    },
    deleteQueue: async (queueId, signal) => {
      await client.call(deleteQueue, { queue_id: queueId }, { signal })
    },
  }
}

/** What isn't the chat's own moves along with its conversation, too. */
function withRestMoved(state: AppState): AppState {
  return withRemindersMoved(withIncidentsMoved(withSilencesMoved(state)))
}
