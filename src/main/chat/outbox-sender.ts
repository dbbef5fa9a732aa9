import { type ConversationKey, conversationKey } from '../../shared/core/chat/conversation.ts'
import type { Message } from '../../shared/core/chat/message.ts'
import type { OutboxMessage } from '../../shared/core/chat/outbox.ts'
import { type Failure, RequestFailed } from '../../shared/core/failure.ts'
import { sentText } from '../../shared/core/text-length.ts'
import { backoffMs, retryDelayMs } from '../http/retry-delay.ts'
import { createWaker, isAborted, throwLater, type Waker, wait } from '../http/wait.ts'
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

interface OutboxSender {
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

/** How long an unconfirmed message's event may still come before the history is asked. */
const confirmAfterMs = 5_000
const networkCapMs = 30_000

/** Own messages of one conversation, `before` an id (null: the newest), ascending. */
export type OwnPage = (
  entry: OutboxMessage,
  before: number | null,
) => Promise<{ readonly messages: readonly Message[]; readonly foundOldest: boolean }>

/** Looks for unconfirmed messages in the history of their conversations. */
interface OutboxConfirm {
  /** Begins a look, after the event had time to come; while one is under way, another follows it. */
  soon(): Promise<void>
}

/**
 * Asks until it was answered: an unconfirmed message is the mark of a bad network, on which the first
 * look often fails as well.
 */
export function createOutboxConfirm(parts: {
  unconfirmed: () => readonly OutboxMessage[]
  ownPage: OwnPage
  serverOffsetMs: () => number
  /** The messages of a conversation back to the time when the first of these was typed. */
  onHistory: (entries: readonly OutboxMessage[], messages: readonly Message[]) => Promise<void>
  clock: Clock
  waker: Waker
  signal: AbortSignal
}): OutboxConfirm {
  const { signal, clock } = parts
  let isBusy = false
  let again = false

  async function look(): Promise<void> {
    const places = Map.groupBy(parts.unconfirmed(), ({ conversation }) =>
      conversationKey(conversation),
    )
    for (const entries of places.values())
      await parts.onHistory(entries, await historyOf(parts, entries))
  }

  async function untilAnswered(): Promise<void> {
    for (let failures = 1; !isAborted(signal); failures += 1) {
      try {
        await look()
        return
      } catch (error) {
        if (isAborted(signal)) return
        if (!(error instanceof RequestFailed)) throw error
        // Whoever hears that the key is taken again asks anew.
        if (error.failure.kind === 'badKey') return
        const delay = retryDelayMs(error.failure, failures, clock.random(), networkCapMs)
        await wait(delay, signal, parts.waker)
      }
    }
  }

  return {
    async soon() {
      again = true
      if (isBusy) return
      isBusy = true
      try {
        while (again && !isAborted(signal)) {
          again = false
          if ((await wait(confirmAfterMs, signal)) !== 'aborted') await untilAnswered()
        }
      } finally {
        isBusy = false
      }
    },
  }
}

/** All pages back to what was there when the oldest of the entries was typed, not "the last hundred". */
async function historyOf(
  parts: { readonly ownPage: OwnPage; readonly serverOffsetMs: () => number },
  entries: readonly OutboxMessage[],
): Promise<readonly Message[]> {
  const [first] = entries
  if (first === undefined) return []
  const afterId = Math.min(...entries.map(({ afterMessageId }) => afterMessageId))
  const typedAt = Math.min(...entries.map(({ queuedAt }) => queuedAt))
  const since = typedAt + parts.serverOffsetMs() - clockSlackMs
  const found: Message[] = []
  for (let before: number | null = null; ; ) {
    const { messages, foundOldest }: Awaited<ReturnType<OwnPage>> = await parts.ownPage(
      first,
      before,
    )
    found.push(...messages)
    const oldest = messages.toSorted((a, b) => a.id - b.id)[0]
    if (foundOldest) return found
    // An answer that says nothing at all is none.
    if (oldest === undefined)
      throw new RequestFailed({ kind: 'malformed', what: 'shape', where: 'found_oldest' })
    if (oldest.id <= afterId || oldest.sentAt < since) return found
    // A server that gives the same page again would be asked for ever.
    if (before !== null && oldest.id >= before) return found
    before = oldest.id
  }
}

/** Servers cut times to whole seconds, and clocks that are set by the network differ by less than this. */
const clockSlackMs = 10_000

interface MatchOptions {
  /** Server clock minus ours. */
  readonly serverOffsetMs?: number
  /** Ids that other outbox messages were found to be: the same text twice is two messages. */
  readonly claimed?: ReadonlySet<number>
  /** Where its conversation went, when the topic was renamed or resolved. */
  readonly movedTo?: ConversationKey | null
}

/**
 * The id of the message that an unconfirmed one turned out to be, or null: the first own message of
 * its conversation, not older than it, that says the same.
 *
 * Servers give back what they rendered and not what was typed, so that letters and digits are
 * compared, without what Markdown makes of the rest. Where rendering changes those too (a time, an
 * emoji alone), this says null and the user decides: wrongly "not sent" costs a look, wrongly "sent"
 * would lose a message.
 */
export function wasSent(
  outboxMessage: Pick<
    OutboxMessage,
    'conversation' | 'text' | 'queuedAt' | 'afterMessageId' | 'notMessageIds'
  >,
  messages: readonly Message[],
  me: number,
  { serverOffsetMs = 0, claimed = new Set(), movedTo = null }: MatchOptions = {},
): number | null {
  const key = conversationKey(outboxMessage.conversation)
  const notBefore = outboxMessage.queuedAt + serverOffsetMs - clockSlackMs
  const candidates = messages.filter(
    ({ id, senderId, sentAt, ...message }) =>
      senderId === me &&
      (message.key === key || message.key === movedTo) &&
      id > outboxMessage.afterMessageId &&
      sentAt >= notBefore &&
      !claimed.has(id) &&
      !outboxMessage.notMessageIds?.includes(id),
  )
  const ids = candidates
    .filter((message) => saysTheSame(outboxMessage.text, message))
    .map(({ id }) => id)
  return ids.length === 0 ? null : Math.min(...ids)
}

function saysTheSame(typed: string, message: Message): boolean {
  const source = sentText(typed)
  // A history may also be fetched unrendered.
  if (source === message.html.trim() || squeezed(source) === squeezed(message.text)) return true
  const expected = lettersOf(plainSource(source))
  const seen = lettersOf(withoutEmojiNames(message.text))
  if (expected === '') return false
  // What a server adds to a text that it cut: "\n[message truncated]".
  const cut = /^(.+)messagetruncated$/.exec(seen)?.[1]
  return seen === expected || (cut !== undefined && expected.startsWith(cut))
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function lettersOf(text: string): string {
  return text.normalize('NFC').replace(/[^\p{L}\p{N}]/gu, '')
}

/** `:smile:` is drawn as a character or an image. */
function withoutEmojiNames(text: string): string {
  return text.replace(/:[\w+-]+:/g, '')
}

/** Markdown without the letters that rendering takes away. */
function plainSource(source: string): string {
  return withoutEmojiNames(
    source
      .replace(/^\/me\s/, '')
      // A code block's language.
      .replace(/^(```+|~~~+)[ \t]*[\w+#.-]+[ \t]*$/gm, '')
      // A mention's user id, a link to a topic's message id.
      .replace(/([@#]_?\*\*[^*\n]*?)[|@]\d+\*\*/g, '$1')
      // A link's address.
      .replace(/\[([^\]\n]*)\]\([^)\s]*\)/g, '$1'),
  )
}
