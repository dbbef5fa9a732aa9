import type { Message } from '../../shared/core/chat/message.ts'
import { RequestFailed } from '../../shared/core/failure.ts'

export interface MissedOptions {
  /** The highest message id that is known to have been handled. */
  readonly after: number
  readonly signal: AbortSignal
  readonly getMessages: (
    params: { anchor: number; num_before: 0; num_after: number; include_anchor: false },
    signal: AbortSignal,
  ) => Promise<{ readonly messages: readonly Message[]; readonly foundNewest: boolean }>
  /** Per request. */
  readonly pageSize?: number
  /** More than these are not caught up one by one: the unread counts of the snapshot tell of them. */
  readonly limit?: number
}

export interface Missed {
  readonly messages: readonly Message[]
  /** False: there were more than the limit, and newer ones are still to be fetched. */
  readonly complete: boolean
}

/**
 * The messages that came while no event queue was followed: all after `after`, ascending, each once.
 * Page by page until the server says that there is nothing newer.
 */
export async function fetchMissed(options: MissedOptions): Promise<Missed> {
  const { after, signal, getMessages, pageSize = 1_000, limit = 5_000 } = options
  const missed = new Map<number, Message>()
  for (let anchor = after; missed.size < limit; ) {
    const page = await getMessages(
      {
        anchor,
        num_before: 0,
        num_after: Math.min(pageSize, limit - missed.size),
        include_anchor: false,
      },
      signal,
    )
    const newest = page.messages.reduce((most, { id }) => Math.max(most, id), anchor)
    for (const message of page.messages) if (message.id > after) missed.set(message.id, message)
    if (page.foundNewest) return { messages: sorted(missed), complete: true }
    // Neither messages nor the word that these are all: a proxy's own "success", and no gap is filled
    // by it. What came would never be told of, since the mark moves on with the next event.
    if (newest === anchor)
      throw new RequestFailed({ kind: 'malformed', what: 'shape', where: 'found_newest' })
    anchor = newest
  }
  return { messages: sorted(missed), complete: false }
}

function sorted(missed: ReadonlyMap<number, Message>): readonly Message[] {
  return [...missed.values()].sort((one, other) => one.id - other.id)
}
