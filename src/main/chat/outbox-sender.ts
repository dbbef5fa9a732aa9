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
export function createOutbox(parts: OutboxParts) {
  const { accountId, get, update, onBug, signal } = parts
  /** Own messages that confirmed an entry. Each confirms one only: a text may be sent twice. */
  const claimed = new Set<number>()
  /** The highest message id known. */
  let newestId = 0
  /** Until the server's newest message id is known, new messages can't be told from older ones. */
  let isReady = false
  const realm = () => get().realms.get(accountId)
  const confirmSoon = (): void => void confirm.soon().catch(onBug)
  const sender = createOutboxSender({ ...parts, onState: onAnswer, isReady: () => isReady })
  const confirm = createOutboxConfirm({
    ...parts,
    unconfirmed: () => (realm()?.me == null ? [] : entriesIn('unconfirmed')),
    async onHistory(entries, messages) {
      const place = entries[0]?.conversation
      const afterId = Math.min(...entries.map(({ afterMessageId }) => afterMessageId))
      const held = realm()?.messages ?? noMessages
      const isNew = ({ id }: Message): boolean => id > afterId && !hasMessage(held, id)
      // Recognising a message removes its echo, so the message itself should be on screen by then.
      if (place !== undefined && messages.some(isNew)) await parts.reload(place)
      recognize(messages)
      for (const { localId } of entries) noteMissing(localId, messages)
    },
  })

  function entriesIn(state: OutboxMessage['state']): readonly OutboxMessage[] {
    return get().outbox.filter((entry) => entry.accountId === accountId && entry.state === state)
  }

  async function onAnswer(localId: string, change: OutboxChange): Promise<void> {
    const { messageId } = change
    const known = get().outbox.find((entry) => entry.localId === localId)?.state
    if (change.state === 'sent' && messageId !== null) {
      claimed.add(messageId)
      newestId = Math.max(newestId, messageId)
      update((state) => withSendAnswered(state, localId, messageId))
      awaitEvent(localId).catch(onBug)
    } else if (!signal.aborted || known === 'sending') {
      // Otherwise the account was reconnected, and the new session took over what this one sent.
      update((state) =>
        change.state === 'sending'
          ? withSending(state, localId, change, newestId)
          : withOutboxChange(state, localId, change),
      )
    }
    if (change.state === 'unconfirmed') confirmSoon()
    // After a crash, "sending" on disk is unconfirmed; "queued" would be sent a second time.
    if (change.state === 'sending') await parts.save()
  }

  async function awaitEvent(localId: string): Promise<void> {
    if ((await wait(overdueMs, signal)) === 'aborted') return
    if (entriesIn('sent').some((entry) => entry.localId === localId)) parts.onOverdue()
  }

  /** One update for a batch: one patch, one set of notices, and the echoes disappear with it. */
  function commit(change: (state: AppState) => AppState, arrived: Arrived): void {
    const before = get().outbox
    for (const { message, localId } of arrived) {
      newestId = Math.max(newestId, message.id)
      if (before.some((entry) => entry.localId === localId)) claimed.add(message.id)
    }
    update((state) => withoutSettled(change(state), accountId, arrived))
    const left = new Set(get().outbox.map(({ localId }) => localId))
    for (const { localId } of before) if (!left.has(localId)) sender.forget(localId)
  }

  /** What else decides which message an entry became. */
  function evidence(entry: OutboxMessage): Parameters<typeof wasSent>[3] {
    const { conversation } = followed(get(), entry)
    // Messages that a reply named are taken as well, although their entries still exist.
    const answered = get().outbox.flatMap((one) =>
      one.accountId === accountId ? (one.messageId ?? []) : [],
    )
    return {
      claimed: new Set([...claimed, ...answered]),
      serverOffsetMs: parts.serverOffsetMs(),
      movedTo: conversationKey(conversation),
    }
  }

  /** After reading all history since an entry was typed: notes whether it is surely missing. */
  function noteMissing(localId: string, messages: readonly Message[]): void {
    const entry = entriesIn('unconfirmed').find((one) => one.localId === localId)
    const me = realm()?.me?.id
    if (entry === undefined || me === undefined) return
    const now = parts.clock.now()
    const { missing } = entry
    const isMissing = isAbsent(entry, messages, me, evidence(entry))
    const isSure = missing != null && now - missing.since >= secondLookMs
    const change = isMissing ? { since: missing?.since ?? now, isSure } : null
    if (change !== null || missing != null)
      update((state) => withOutboxChange(state, localId, { missing: change }))
  }

  function recognize(messages: readonly Message[]): void {
    const me = realm()?.me?.id
    const own = messages.filter(({ senderId }) => senderId === me)
    if (me === undefined || own.length === 0) return
    for (const entry of entriesIn('unconfirmed')) {
      const place = placeOf(entry.conversation)
      if (entriesIn('sending').some(({ conversation }) => placeOf(conversation) === place)) {
        // The message may be that entry's; its reply will tell.
        confirmSoon()
        continue
      }
      const messageId = wasSent(entry, own, me, evidence(entry))
      const message = own.find(({ id }) => id === messageId)
      if (message !== undefined) commit((state) => state, [{ message, localId: entry.localId }])
    }
  }

  return {
    queue: sender.queue,
    forget: sender.forget,
    confirmSoon,
    /** Takes messages from an event or a reply, and the change of the state that shows them. */
    onMessages(change: (state: AppState) => AppState, arrived: Arrived): void {
      const ours = new Set(get().outbox.map(({ localId }) => localId))
      commit(change, arrived)
      // Our id comes back only in the queue that it was sent with, which may be lost by then. And
      // an entry that is gone may have claimed another's message with the same text.
      const unclaimed = arrived.filter(({ localId }) => localId === null || !ours.has(localId))
      recognize(unclaimed.map(({ message }) => message))
    },
    /** After a registration; null if the server did not report its newest message id. */
    onSnapshot(maxMessageId: number | null): void {
      newestId = Math.max(newestId, maxMessageId ?? 0)
      isReady ||= maxMessageId !== null
      sender.resume()
    },
    /** After the history was read, following a registration. */
    onCaughtUp(): void {
      isReady = true
      sender.resume()
      confirmSoon()
    },
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
export function createOutboxSender(options: OutboxSenderOptions) {
  const { signal, clock } = options
  const waits = createWaker()
  const waiting: OutboxMessage[] = []
  let isBusy = false
  let failures = 0

  /** Drops a waiting message; a reply to its request is ignored. Returns whether it was waiting. */
  const forget = (localId: string): boolean => {
    const at = waiting.findIndex((message) => message.localId === localId)
    const [gone] = at >= 0 ? waiting.splice(at, 1) : []
    if (gone?.heldUntil != null) waits.wake()
    return gone !== undefined
  }

  const isFirst = (localId: string): boolean => waiting[0]?.localId === localId

  /** Null if "sending" is on disk, else why not. */
  const accepted = async (localId: string, attempts: number): Promise<Failure | null> => {
    try {
      await options.onState(localId, { state: 'sending', messageId: null, attempts, failure: null })
      return null
    } catch (error) {
      return error instanceof RequestFailed ? error.failure : diskRefused
    }
  }

  /** Before the next attempt, of this message or the next. */
  const pause = (failure: Failure, ms: number) =>
    waitAfter(failure, ms, { signal, waker: waits, clock })

  const attempt = async (message: OutboxMessage, attempts: number): Promise<void> => {
    const { localId } = message
    const failure = await accepted(localId, attempts)
    if (failure !== null && !signal.aborted && isFirst(localId)) {
      failures += 1
      await options.onState(localId, { state: 'queued', messageId: null, attempts, failure })
      await pause(failure, Math.max(diskRetryMs, backoffMs(failures, clock.random(), retryCapMs)))
      return
    }
    if (signal.aborted) {
      // The account was reconnected before a byte left: the new session takes it from the outbox.
      await options.onState(localId, { state: 'queued', messageId: null, attempts, failure: null })
      return
    }
    if (!isFirst(localId)) return
    const change = await outcome(options, message, attempts)
    // Forgotten: its event arrived before this reply.
    if (!isFirst(localId)) return
    if (change.state !== 'queued') forget(localId)
    else waiting[0] = { ...message, attempts }
    failures = change.state === 'queued' ? failures + 1 : 0
    await options.onState(localId, change)
    if (change.state !== 'queued' || change.failure === null) return
    await pause(change.failure, retryDelayMs(change.failure, failures, clock.random()))
  }

  const work = async () => {
    if (isBusy || !options.isReady()) return
    isBusy = true
    const stopListening = options.waker.onWake(waits.wake)
    try {
      for (let next = waiting[0]; next !== undefined && !signal.aborted; next = waiting[0]) {
        const holdMs = (next.heldUntil ?? 0) - clock.now()
        if (holdMs > 0) {
          // Capped, so that a clock that is set back does not hold it up for longer.
          if (
            (await wait(Math.min(holdMs, longestHoldMs), signal, waits)) === 'over' &&
            isFirst(next.localId)
          )
            waiting[0] = { ...next, heldUntil: null }
          continue
        }
        await attempt(next, next.attempts + 1)
      }
    } finally {
      stopListening()
      isBusy = false
    }
  }

  const begin = () => {
    work().catch(options.onBug)
  }

  return {
    /** Adds a message, unless it is already waiting. */
    queue(message: OutboxMessage): void {
      if (signal.aborted || waiting.some(({ localId }) => localId === message.localId)) return
      waiting.push(message)
      begin()
    },
    forget,
    /** Starts sending, or ends a back-off: the server has just been heard from. */
    resume(): void {
      waits.wake()
      begin()
    },
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
