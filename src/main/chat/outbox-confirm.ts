import { conversationKey } from '../../shared/core/chat/conversation.ts'
import type { Message } from '../../shared/core/chat/message.ts'
import type { OutboxMessage } from '../../shared/core/chat/outbox.ts'
import { RequestFailed } from '../../shared/core/failure.ts'
import { retryDelayMs } from '../http/retry-delay.ts'
import { isAborted, type Waker, wait } from '../http/wait.ts'
import type { Clock } from '../ports.ts'
import { clockSlackMs } from './outbox-match.ts'

/** How long an unconfirmed message's event may still come before the history is asked. */
const confirmAfterMs = 5_000
const networkCapMs = 30_000

/** Own messages of one conversation, `before` an id (null: the newest), ascending. */
export type OwnPage = (
  entry: OutboxMessage,
  before: number | null,
) => Promise<{ readonly messages: readonly Message[]; readonly foundOldest: boolean }>

/** Looks for unconfirmed messages in the history of their conversations. */
export interface OutboxConfirm {
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
