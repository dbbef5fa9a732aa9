import type { AccountId } from '../../shared/core/account.ts'
import { type Conversation, conversationKey } from '../../shared/core/chat/conversation.ts'
import type { Message } from '../../shared/core/chat/message.ts'
import { hasMessage, noMessages } from '../../shared/core/chat/message-list.ts'
import {
  type OutboxMessage,
  placeOf,
  withOutboxChange,
  withoutSettled,
  withSendAnswered,
  withSending,
} from '../../shared/core/chat/outbox.ts'
import { followed } from '../../shared/core/chat/places.ts'
import { type Failure, RequestFailed } from '../../shared/core/failure.ts'
import type { AppState } from '../../shared/core/state.ts'
import type { Clock } from '../base/ports.ts'
import { backoffMs, retryDelayMs } from '../http/retry-delay.ts'
import { createWaker, type Waker, wait, waitAfter } from '../http/wait.ts'
import {
  createOutboxConfirm,
  isAbsent,
  type OwnPage,
  retryCapMs,
  secondLookMs,
  wasSent,
} from './outbox-confirm.ts'

interface OutboxParts {
  accountId: AccountId
  get: () => AppState
  update: (change: (state: AppState) => AppState) => void
  send: OutboxSenderOptions['send']
  /** Writes the outbox to disk as it is now. */
  save: () => Promise<void>
  ownPage: OwnPage
  /** Fetches the newest messages of a conversation for the screen. */
  reload: (conversation: Conversation) => Promise<void>
  /** The event of a message that the server has is overdue. */
  onOverdue: () => void
  /** Server clock minus ours, in ms. */
  serverOffsetMs: () => number
  onBug: (error: unknown) => void
  clock: Clock
  waker: Waker
  signal: AbortSignal
}

/** Polls are at most 2.6 s apart, and a slow line takes its time. */
const overdueMs = 10_000

type Session = Pick<OutboxParts, 'clock' | 'waker' | 'signal'>
type Arrived = Parameters<typeof withoutSettled>[2]

/**
 * One account's outbox: sends what is queued, recognises what came back, and looks for messages
 * that may or may not have been sent.
 */
export class Outbox {
  readonly #parts: OutboxParts
  /** Own messages that confirmed an entry. Each confirms one only: a text may be sent twice. */
  readonly #claimed = new Set<number>()
  /** The highest message id known. */
  #newestId = 0
  /** Until the server's newest message id is known, new messages can't be told from older ones. */
  #isReady = false
  readonly #sender: OutboxSender
  readonly #confirm: ReturnType<typeof createOutboxConfirm>

  constructor(parts: OutboxParts) {
    this.#parts = parts
    this.#sender = new OutboxSender({
      ...parts,
      onState: (localId, change) => this.#onAnswer(localId, change),
      isReady: () => this.#isReady,
    })
    this.#confirm = createOutboxConfirm({
      ...parts,
      unconfirmed: () => (this.#realm()?.me == null ? [] : this.#entriesIn('unconfirmed')),
      onHistory: async (entries, messages) => {
        const place = entries[0]?.conversation
        const afterId = Math.min(...entries.map(({ afterMessageId }) => afterMessageId))
        const loaded = this.#realm()?.messages ?? noMessages
        const isNew = ({ id }: Message): boolean => id > afterId && !hasMessage(loaded, id)
        // Recognising a message removes its echo, so the message itself should be on screen by then.
        if (place !== undefined && messages.some(isNew)) await parts.reload(place)
        this.#recognize(messages)
        for (const { localId } of entries) this.#noteMissing(localId, messages)
      },
    })
  }

  /** Adds a message, unless it is already waiting. */
  queue(message: OutboxMessage): void {
    this.#sender.queue(message)
  }

  /** Discards a message: it is not sent, unless it already was. Returns whether it was waiting. */
  forget(localId: string): boolean {
    return this.#sender.forget(localId)
  }

  confirmSoon(): void {
    void this.#confirm.soon().catch(this.#parts.onBug)
  }

  /** Takes messages from an event or a reply, and the change of the state that shows them. */
  onMessages(change: (state: AppState) => AppState, arrived: Arrived): void {
    const ours = new Set(this.#parts.get().outbox.map(({ localId }) => localId))
    this.#commit(change, arrived)
    // Our id comes back only in the queue that it was sent with, which may be lost by then. And
    // an entry that is gone may have claimed another's message with the same text.
    const unclaimed = arrived.filter(({ localId }) => localId === null || !ours.has(localId))
    this.#recognize(unclaimed.map(({ message }) => message))
  }

  /** After a registration; null if the server did not report its newest message id. */
  onSnapshot(maxMessageId: number | null): void {
    this.#newestId = Math.max(this.#newestId, maxMessageId ?? 0)
    this.#isReady ||= maxMessageId !== null
    this.#sender.resume()
  }

  /** After the history was read, following a registration. */
  onCaughtUp(): void {
    this.#isReady = true
    this.#sender.resume()
    this.confirmSoon()
  }

  async #onAnswer(localId: string, change: OutboxChange): Promise<void> {
    const { update } = this.#parts
    const { messageId } = change
    const known = this.#parts.get().outbox.find((entry) => entry.localId === localId)?.state
    if (change.state === 'sent' && messageId !== null) {
      this.#claimed.add(messageId)
      this.#newestId = Math.max(this.#newestId, messageId)
      update((state) => withSendAnswered(state, localId, messageId))
      this.#awaitEvent(localId).catch(this.#parts.onBug)
    } else if (!this.#parts.signal.aborted || known === 'sending') {
      // Otherwise the account was reconnected, and the new session took over what this one sent.
      update((state) =>
        change.state === 'sending'
          ? withSending(state, localId, change, this.#newestId)
          : withOutboxChange(state, localId, change),
      )
    }
    if (change.state === 'unconfirmed') this.confirmSoon()
    // After a crash, "sending" on disk is unconfirmed; "queued" would be sent a second time.
    if (change.state === 'sending') await this.#parts.save()
  }

  #realm() {
    return this.#parts.get().realms.get(this.#parts.accountId)
  }

  #entriesIn(state: OutboxMessage['state']): readonly OutboxMessage[] {
    return this.#parts
      .get()
      .outbox.filter((entry) => entry.accountId === this.#parts.accountId && entry.state === state)
  }

  async #awaitEvent(localId: string): Promise<void> {
    if ((await wait(overdueMs, this.#parts.signal)) === 'aborted') return
    if (this.#entriesIn('sent').some((entry) => entry.localId === localId)) this.#parts.onOverdue()
  }

  /** One update for a batch: one patch, one set of notices, and the echoes disappear with it. */
  #commit(change: (state: AppState) => AppState, arrived: Arrived): void {
    const { get } = this.#parts
    const before = get().outbox
    for (const { message, localId } of arrived) {
      this.#newestId = Math.max(this.#newestId, message.id)
      if (before.some((entry) => entry.localId === localId)) this.#claimed.add(message.id)
    }
    this.#parts.update((state) => withoutSettled(change(state), this.#parts.accountId, arrived))
    const left = new Set(get().outbox.map(({ localId }) => localId))
    for (const { localId } of before) if (!left.has(localId)) this.#sender.forget(localId)
  }

  /** What else decides which message an entry became. */
  #evidence(entry: OutboxMessage): Parameters<typeof wasSent>[3] {
    const { conversation } = followed(this.#parts.get(), entry)
    // Messages that a reply named are taken as well, although their entries still exist.
    const answered = this.#parts
      .get()
      .outbox.flatMap((one) =>
        one.accountId === this.#parts.accountId ? (one.messageId ?? []) : [],
      )
    return {
      claimed: new Set([...this.#claimed, ...answered]),
      serverOffsetMs: this.#parts.serverOffsetMs(),
      movedTo: conversationKey(conversation),
    }
  }

  /** After reading all history since an entry was typed: notes whether it is surely missing. */
  #noteMissing(localId: string, messages: readonly Message[]): void {
    const entry = this.#entriesIn('unconfirmed').find((one) => one.localId === localId)
    const me = this.#realm()?.me?.id
    if (entry === undefined || me === undefined) return
    const now = this.#parts.clock.now()
    const { missing } = entry
    const isMissing = isAbsent(entry, messages, me, this.#evidence(entry))
    const isSure = missing != null && now - missing.since >= secondLookMs
    const change = isMissing ? { since: missing?.since ?? now, isSure } : null
    if (change !== null || missing != null)
      this.#parts.update((state) => withOutboxChange(state, localId, { missing: change }))
  }

  #recognize(messages: readonly Message[]): void {
    const me = this.#realm()?.me?.id
    const own = messages.filter(({ senderId }) => senderId === me)
    if (me === undefined || own.length === 0) return
    for (const entry of this.#entriesIn('unconfirmed')) {
      const place = placeOf(entry.conversation)
      if (this.#entriesIn('sending').some(({ conversation }) => placeOf(conversation) === place)) {
        // The message may be that entry's; its reply will tell.
        this.confirmSoon()
        continue
      }
      const messageId = wasSent(entry, own, me, this.#evidence(entry))
      const message = own.find(({ id }) => id === messageId)
      if (message !== undefined)
        this.#commit((state) => state, [{ message, localId: entry.localId }])
    }
  }
}

export type OutboxChange = Pick<OutboxMessage, 'state' | 'messageId' | 'attempts' | 'failure'>

export interface OutboxSenderOptions extends Session {
  readonly send: (message: OutboxMessage, signal: AbortSignal) => Promise<{ readonly id: number }>
  /**
   * Called with each change of a message's state. `sending` is awaited, to be on disk before the
   * first byte leaves: after a crash it must not be "queued" again. If that rejects (a full disk),
   * the message stays queued and is retried later.
   */
  readonly onState: (localId: string, change: OutboxChange) => void | Promise<void>
  /** While false, nothing is sent; `resume` checks again. */
  readonly isReady: () => boolean
  /** `send` threw something other than a failure: the message counts as unconfirmed. */
  readonly onBug: (error: unknown) => void
}

/** Why a message waits if `sending` could not be saved: it might be sent twice after a crash. */
const diskRefused: Failure = {
  kind: 'invalid',
  field: 'disk',
  message: 'It will be sent once this computer can save again (disk full or read-only).',
}
const diskRetryMs = 1_000

const longestHoldMs = 60_000

/**
 * Sends one account's messages, one at a time, in order. See `core/chat/outbox.ts` for the states.
 * Only what was surely not processed is sent again, and it holds up those behind it: whatever kept
 * it from the server (no network, rate limit) would keep them too. Refused and unconfirmed messages
 * leave the queue.
 */
export class OutboxSender {
  readonly #options: OutboxSenderOptions
  readonly #waits = createWaker()
  readonly #waiting: OutboxMessage[] = []
  #isBusy = false
  #failures = 0

  constructor(options: OutboxSenderOptions) {
    this.#options = options
  }

  /** Drops a waiting message; a reply to its request is ignored. Returns whether it was waiting. */
  forget(localId: string): boolean {
    const at = this.#waiting.findIndex((message) => message.localId === localId)
    const [gone] = at >= 0 ? this.#waiting.splice(at, 1) : []
    if (gone?.heldUntil != null) this.#waits.wake()
    return gone !== undefined
  }

  /** Adds a message, unless it is already waiting. */
  queue(message: OutboxMessage): void {
    if (
      this.#options.signal.aborted ||
      this.#waiting.some(({ localId }) => localId === message.localId)
    )
      return
    this.#waiting.push(message)
    this.#begin()
  }

  /** Starts sending, or ends a back-off: the server has just been heard from. */
  resume(): void {
    this.#waits.wake()
    this.#begin()
  }

  #isFirst(localId: string): boolean {
    return this.#waiting[0]?.localId === localId
  }

  /** Null if "sending" is on disk, else why not. */
  async #accepted(localId: string, attempts: number): Promise<Failure | null> {
    try {
      await this.#options.onState(localId, {
        state: 'sending',
        messageId: null,
        attempts,
        failure: null,
      })
      return null
    } catch (error) {
      return error instanceof RequestFailed ? error.failure : diskRefused
    }
  }

  /** Before the next attempt, of this message or the next. */
  #pause(failure: Failure, ms: number) {
    const { signal, clock } = this.#options
    return waitAfter(failure, ms, { signal, waker: this.#waits, clock })
  }

  async #attempt(message: OutboxMessage, attempts: number): Promise<void> {
    const { signal, clock } = this.#options
    const { localId } = message
    const failure = await this.#accepted(localId, attempts)
    if (failure !== null && !signal.aborted && this.#isFirst(localId)) {
      this.#failures += 1
      await this.#options.onState(localId, { state: 'queued', messageId: null, attempts, failure })
      await this.#pause(
        failure,
        Math.max(diskRetryMs, backoffMs(this.#failures, clock.random(), retryCapMs)),
      )
      return
    }
    if (signal.aborted) {
      // The account was reconnected before a byte left: the new session takes it from the outbox.
      await this.#options.onState(localId, {
        state: 'queued',
        messageId: null,
        attempts,
        failure: null,
      })
      return
    }
    if (!this.#isFirst(localId)) return
    const change = await outcome(this.#options, message, attempts)
    // Forgotten: its event arrived before this reply.
    if (!this.#isFirst(localId)) return
    if (change.state !== 'queued') this.forget(localId)
    else this.#waiting[0] = { ...message, attempts }
    this.#failures = change.state === 'queued' ? this.#failures + 1 : 0
    await this.#options.onState(localId, change)
    if (change.state !== 'queued' || change.failure === null) return
    await this.#pause(change.failure, retryDelayMs(change.failure, this.#failures, clock.random()))
  }

  async #work() {
    if (this.#isBusy || !this.#options.isReady()) return
    this.#isBusy = true
    const stopListening = this.#options.waker.onWake(() => this.#waits.wake())
    try {
      for (
        let next = this.#waiting[0];
        next !== undefined && !this.#options.signal.aborted;
        next = this.#waiting[0]
      ) {
        const holdMs = (next.heldUntil ?? 0) - this.#options.clock.now()
        if (holdMs > 0) {
          // Capped, so that a clock that is set back does not hold it up for longer.
          if (
            (await wait(Math.min(holdMs, longestHoldMs), this.#options.signal, this.#waits)) ===
              'over' &&
            this.#isFirst(next.localId)
          )
            this.#waiting[0] = { ...next, heldUntil: null }
          continue
        }
        await this.#attempt(next, next.attempts + 1)
      }
    } finally {
      stopListening()
      this.#isBusy = false
    }
  }

  #begin() {
    this.#work().catch(this.#options.onBug)
  }
}

async function outcome(
  options: OutboxSenderOptions,
  message: OutboxMessage,
  attempts: number,
): Promise<OutboxChange> {
  try {
    const { id } = await options.send(message, options.signal)
    return { state: 'sent', messageId: id, attempts, failure: null }
  } catch (error) {
    if (error instanceof RequestFailed) {
      const { failure } = error
      return { state: stateAfter(failure), messageId: null, attempts, failure }
    }
    if (!options.signal.aborted) options.onBug(error)
    return { state: 'unconfirmed', messageId: null, attempts, failure: null }
  }
}

/** No idempotency key exists: if in doubt, a message isn't resent, as it might arrive twice. */
function stateAfter(failure: Failure): 'queued' | 'rejected' | 'unconfirmed' {
  switch (failure.kind) {
    case 'network':
      return failure.reached === 'no' ? 'queued' : 'unconfirmed'
    case 'rateLimited':
      return 'queued'
    case 'refused':
    case 'invalid':
    case 'badKey':
    case 'readOnlyKey':
      return 'rejected'
    case 'serverFault':
    case 'malformed':
      return 'unconfirmed'
  }
}
