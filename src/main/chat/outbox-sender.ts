import type { OutboxMessage } from '../../shared/core/chat/outbox.ts'
import { type Failure, RequestFailed } from '../../shared/core/failure.ts'
import { backoffMs } from '../http/backoff.ts'
import { retryDelayMs } from '../http/retry-delay.ts'
import { throwLater } from '../http/throw-later.ts'
import { createWaker, type Waker, wait } from '../http/wait.ts'
import type { Clock } from '../ports.ts'

export type OutboxChange = Pick<OutboxMessage, 'state' | 'messageId' | 'attempts' | 'failure'>

export interface OutboxSenderOptions {
  readonly send: (message: OutboxMessage, signal: AbortSignal) => Promise<{ readonly id: number }>
  /**
   * Each change of a message's state. The sender waits for what `sending` returns, so that it can be
   * on disk before the first byte leaves: a crash in between must not make "queued" of it again. When
   * that rejects (a full disk), the message stays queued and is tried again later.
   */
  readonly onState: (localId: string, change: OutboxChange) => void | Promise<void>
  /** False: nothing leaves yet, and `resume` asks again. */
  readonly isReady?: () => boolean
  /** Something thrown by `send` that is no failure. The message counts as unconfirmed. */
  readonly onBug?: (error: unknown) => void
  readonly clock: Clock
  readonly waker: Waker
  readonly signal: AbortSignal
}

/** What a message waits for that could not be marked as being sent: without the mark, a crash would send it twice. */
const diskRefused: Failure = {
  kind: 'invalid',
  field: 'disk',
  message: 'It waits until this computer can save again (disk full or read-only).',
}
const diskRetryMs = 1_000
const diskRetryCapMs = 30_000

export interface OutboxSender {
  /** Takes a message into the line. One that is in it already is not taken twice. */
  queue(message: OutboxMessage): void
  /** Takes a message out of the line: discarded, or its event came. What its request still answers is ignored. */
  forget(localId: string): void
  /** Begins, or ends a back-off: the server was just heard from. */
  resume(): void
}

/**
 * Sends one account's messages, one at a time, in order. See `core/outbox.ts` for the states. Only
 * what surely was not processed is sent again, and it holds up those behind it: whatever kept it
 * from the server (no network, too many requests) keeps them too. Refused and unconfirmed ones step
 * out of the line.
 */
export function createOutboxSender(options: OutboxSenderOptions): OutboxSender {
  const { signal } = options
  const waits = createWaker()
  const line: OutboxMessage[] = []
  let isBusy = false
  let failures = 0

  const leaveLine = (localId: string): boolean => {
    const at = line.findIndex((message) => message.localId === localId)
    if (at >= 0) line.splice(at, 1)
    return at >= 0
  }

  const isFirst = (localId: string): boolean => line[0]?.localId === localId

  /** Null: "sending" is on disk. */
  const accepted = async (localId: string, attempts: number): Promise<Failure | null> => {
    try {
      await options.onState(localId, { state: 'sending', messageId: null, attempts, failure: null })
      return null
    } catch (error) {
      return error instanceof RequestFailed ? error.failure : diskRefused
    }
  }

  /** The delay before the next attempt, of this message or the next. */
  const attempt = async (message: OutboxMessage, attempts: number): Promise<number> => {
    const { localId } = message
    const failure = await accepted(localId, attempts)
    if (failure !== null && !signal.aborted && isFirst(localId)) {
      failures += 1
      await options.onState(localId, { state: 'queued', messageId: null, attempts, failure })
      return Math.max(diskRetryMs, backoffMs(failures, options.clock.random(), diskRetryCapMs))
    }
    if (signal.aborted) {
      // The account got a new life before a byte left: whoever follows takes it from the outbox.
      await options.onState(localId, { state: 'queued', messageId: null, attempts, failure: null })
      return 0
    }
    if (!isFirst(localId)) return 0
    const change = await outcome(options, message, attempts)
    // Forgotten meanwhile: its event beat this answer.
    if (!isFirst(localId)) return 0
    if (change.state !== 'queued') leaveLine(localId)
    else line[0] = { ...message, attempts }
    failures = change.state === 'queued' ? failures + 1 : 0
    await options.onState(localId, change)
    if (change.state !== 'queued' || change.failure === null) return 0
    return retryDelayMs(change.failure, failures, options.clock.random())
  }

  const work = async () => {
    if (isBusy || options.isReady?.() === false) return
    isBusy = true
    const stopListening = options.waker.onWake(waits.wake)
    try {
      for (let next = line[0]; next !== undefined && !signal.aborted; next = line[0]) {
        const delay = await attempt(next, next.attempts + 1)
        if (delay > 0) await wait(delay, signal, waits)
      }
    } finally {
      stopListening()
      isBusy = false
    }
  }

  const begin = () => {
    work().catch(options.onBug ?? throwLater)
  }

  return {
    queue(message) {
      if (signal.aborted || line.some(({ localId }) => localId === message.localId)) return
      line.push(message)
      begin()
    },
    forget: leaveLine,
    resume() {
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
    if (!options.signal.aborted) (options.onBug ?? throwLater)(error)
    return { state: 'unconfirmed', messageId: null, attempts, failure: null }
  }
}

/**
 * What a failed request says about its message. There is no idempotency key, so a second request
 * for a message that was processed after all makes a second message: in doubt, it is not sent again.
 */
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
