import type { Message } from '../../shared/core/chat/message.ts'
import { malformed, RequestFailed } from '../../shared/core/failure.ts'

export interface MissedOptions {
  /** The highest message id that is known to have been handled. */
  readonly after: number
  /** The highest that is of interest: newer ones come as events. */
  readonly upTo: number
  /** Operands of `is`, whose messages are fetched however many there are. */
  readonly personal: readonly string[]
  readonly signal: AbortSignal
  readonly getMessages: (
    params: {
      anchor: number
      num_before: 0
      num_after: number
      include_anchor: false
      narrow: Source['narrow']
    },
    signal: AbortSignal,
  ) => Promise<{ readonly messages: readonly Message[]; readonly foundNewest: boolean }>
  /** Ascending, across pages too: a lower id might already count as notified. */
  readonly onPage: (messages: readonly Message[]) => void
  /** Per request. */
  readonly pageSize?: number
  /** After about so many, only `personal` ones: the snapshot's unread counts cover the rest. */
  readonly limit?: number
}

/**
 * Fetches the messages that came while no event queue was followed, page by page. False if there
 * were more than the limit: of the rest, only the personal ones were fetched.
 */
export async function fetchMissed(options: MissedOptions): Promise<boolean> {
  const { after, upTo, personal, limit = 5_000 } = options
  const readUpTo = await fetchPages(options, [''], after, limit)
  if (readUpTo < upTo) await fetchPages(options, personal, readUpTo, Number.POSITIVE_INFINITY)
  return readUpTo >= upTo
}

/** Messages of one narrow, read up to some id. */
interface Source {
  readonly narrow: { operator: string; operand: string }[]
  readUpTo: number
  /** Fetched, but held back: another source may have lower ids. */
  pending: readonly Message[]
}

/** Fetches those of any of these operands of `is` ('': all), merged. Returns the id reached. */
async function fetchPages(
  options: MissedOptions,
  operands: readonly string[],
  after: number,
  limit: number,
): Promise<number> {
  const { upTo, onPage } = options
  const sources = operands.map((operand): Source => {
    const narrow = operand === '' ? [] : [{ operator: 'is', operand }]
    return { narrow, readUpTo: after, pending: [] }
  })
  let readUpTo = after
  for (let count = 0; count < limit && readUpTo < upTo; ) {
    for (const source of sources) if (source.readUpTo <= readUpTo) await fetchPage(options, source)
    readUpTo = Math.min(...sources.map((source) => source.readUpTo))
    const ready = new Map<number, Message>()
    for (const source of sources) {
      for (const message of source.pending)
        if (message.id <= readUpTo) ready.set(message.id, message)
      source.pending = source.pending.filter(({ id }) => id > readUpTo)
    }
    if (ready.size > 0) onPage([...ready.values()].sort((one, other) => one.id - other.id))
    count += ready.size
  }
  return readUpTo
}

/** The next page of a source that has none pending. */
async function fetchPage(
  { upTo, signal, getMessages, pageSize = 1_000 }: MissedOptions,
  source: Source,
): Promise<void> {
  const { narrow, readUpTo: anchor } = source
  const page = await inSmallerPages(pageSize, (count) =>
    getMessages({ anchor, num_before: 0, num_after: count, include_anchor: false, narrow }, signal),
  )
  const newest = page.messages.reduce((most, { id }) => Math.max(most, id), anchor)
  // Neither messages nor the end of them: a proxy's own "success", which fills no gap.
  if (newest === anchor && !page.foundNewest) throw malformed('shape', 'found_newest')
  source.readUpTo = page.foundNewest ? upTo : newest
  source.pending = page.messages.filter(({ id }) => id > anchor && id <= upTo)
}

/** Asks for fewer while the reply is too large: the same page would be too large each time. */
async function inSmallerPages<T>(pageSize: number, get: (count: number) => Promise<T>): Promise<T> {
  for (let count = pageSize; ; count = Math.ceil(count / 4)) {
    try {
      return await get(count)
    } catch (error) {
      if (count === 1 || !isTooLarge(error)) throw error
    }
  }
}

function isTooLarge(error: unknown): boolean {
  const failure = error instanceof RequestFailed ? error.failure : null
  return failure?.kind === 'network' && failure.reason === 'tooLarge'
}
