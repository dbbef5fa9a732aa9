import { differenceBy, type MapDifference } from '../map-difference.ts'
import type { Message } from './message.ts'

/** A chunk is copied when one of its messages changes, and for each one added until it is full. */
const chunkSize = 64

interface Chunk {
  /** The range of the ids; the messages aren't sorted by id. */
  readonly lowest: number
  readonly highest: number
  readonly messages: readonly Message[]
}

/**
 * Messages in insertion order, each id once. A list derived from another one shares its unchanged
 * chunks, so one new message costs no copy of thousands. Plain data, since it is sent to the
 * windows.
 */
export interface MessageList {
  readonly size: number
  readonly chunks: readonly Chunk[]
}

export const noMessages: MessageList = { size: 0, chunks: [] }

export function isMessageList(value: unknown): value is MessageList {
  return typeof value === 'object' && value !== null && 'chunks' in value
}

export function messageList(messages: readonly Message[]): MessageList {
  return withPut(noMessages, messages)
}

export function allMessages({ chunks }: Pick<MessageList, 'chunks'>): readonly Message[] {
  return chunks.flatMap(({ messages }) => messages)
}

export function messageOf(list: MessageList, id: number): Message | undefined {
  const { chunk, at } = placeOf(list, id)
  return list.chunks[chunk]?.messages[at]
}

export function hasMessage(list: MessageList, id: number): boolean {
  return placeOf(list, id).at !== -1
}

/** The first `count` messages inserted. */
export function firstMessages({ chunks }: MessageList, count: number): readonly Message[] {
  const first: Message[] = []
  for (const { messages } of chunks) {
    if (first.length >= count) break
    first.push(...messages)
  }
  return first.slice(0, count)
}

/** Messages with ids above `above`, up to and including `upTo`. */
export function messagesWithin(
  { chunks }: MessageList,
  above: number,
  upTo: number,
): readonly Message[] {
  const some = chunks.filter(({ lowest, highest }) => highest > above && lowest <= upTo)
  return allMessages({ chunks: some }).filter(({ id }) => id > above && id <= upTo)
}

/** Adds messages; those already there are replaced in place. */
export function withPut(list: MessageList, messages: readonly Message[]): MessageList {
  const added = new Map<number, Message>()
  let next = list
  for (const message of messages)
    if (hasMessage(list, message.id)) next = withChanged(next, message.id, () => message)
    else added.set(message.id, message)
  return added.size === 0 ? next : appended(next, [...added.values()])
}

/** Applies `change` to a message, if it is there. */
export function withChanged(
  list: MessageList,
  id: number,
  change: (message: Message) => Message,
): MessageList {
  const place = placeOf(list, id)
  const chunk = list.chunks[place.chunk]
  const before = chunk?.messages[place.at]
  if (chunk === undefined || before === undefined) return list
  const after = change(before)
  if (after === before) return list
  const changed = { ...chunk, messages: chunk.messages.with(place.at, after) }
  return { ...list, chunks: list.chunks.with(place.chunk, changed) }
}

export function withoutIds(list: MessageList, ids: ReadonlySet<number>): MessageList {
  if (ids.size === 0) return list
  const { lowest, highest } = boundsOf([...ids])
  const chunks = list.chunks.flatMap((chunk) => {
    if (chunk.highest < lowest || chunk.lowest > highest) return chunk
    const kept = chunk.messages.filter(({ id }) => !ids.has(id))
    return kept.length === chunk.messages.length ? chunk : chunksOf(kept)
  })
  const size = chunks.reduce((sum, { messages }) => sum + messages.length, 0)
  return size === list.size ? list : { size, chunks }
}

/** What differs in `after`, comparing messages by identity. Skips chunks that both share. */
export function messagesBetween(before: MessageList, after: MessageList): MapDifference<number> {
  return differenceBy(compared, before, after)
}

function compared(before: MessageList, after: MessageList): MapDifference<number> {
  const fresh = notIn(before, after).filter((message) => message !== messageOf(before, message.id))
  const gone = notIn(after, before).filter(({ id }) => !hasMessage(after, id))
  return { changed: fresh.map(({ id }) => id), gone: gone.map(({ id }) => id) }
}

/**
 * Messages that `other` may lack. Skips shared chunks, and messages that both have in one place.
 */
function notIn(other: MessageList, { chunks }: MessageList): readonly Message[] {
  return chunks.flatMap((chunk, place) => {
    if (chunk === other.chunks[place] || other.chunks.includes(chunk)) return []
    const there = other.chunks.find(({ lowest }) => lowest === chunk.lowest)
    return chunk.messages.filter((message, at) => message !== there?.messages[at])
  })
}

/** Where a message is; `at` is -1 if it is nowhere. Looks among the newest first. */
function placeOf({ chunks }: MessageList, id: number): { chunk: number; at: number } {
  for (let place = chunks.length - 1; place >= 0; place -= 1) {
    const chunk = chunks[place]
    if (chunk === undefined || id < chunk.lowest || id > chunk.highest) continue
    const at = chunk.messages.findIndex((message) => message.id === id)
    if (at !== -1) return { chunk: place, at }
  }
  return { chunk: -1, at: -1 }
}

/** Fills up the last chunk first. */
function appended(list: MessageList, messages: readonly Message[]): MessageList {
  const last = list.chunks.at(-1)
  const room = last === undefined ? 0 : chunkSize - last.messages.length
  const size = list.size + messages.length
  if (last === undefined || room === 0)
    return { size, chunks: list.chunks.concat(chunksOf(messages)) }
  const filled = list.chunks.with(-1, filledUp(last, messages.slice(0, room)))
  return { size, chunks: filled.concat(chunksOf(messages.slice(room))) }
}

function filledUp(chunk: Chunk, messages: readonly Message[]): Chunk {
  const { lowest, highest } = boundsOf(messages.map(({ id }) => id))
  return {
    lowest: Math.min(lowest, chunk.lowest),
    highest: Math.max(highest, chunk.highest),
    messages: chunk.messages.concat(messages),
  }
}

function chunksOf(messages: readonly Message[]): Chunk[] {
  const chunks: Chunk[] = []
  for (let from = 0; from < messages.length; from += chunkSize) {
    const some = messages.slice(from, from + chunkSize)
    chunks.push({ ...boundsOf(some.map(({ id }) => id)), messages: some })
  }
  return chunks
}

function boundsOf(ids: readonly number[]): { lowest: number; highest: number } {
  let lowest = Number.POSITIVE_INFINITY
  let highest = Number.NEGATIVE_INFINITY
  for (const id of ids) {
    lowest = Math.min(lowest, id)
    highest = Math.max(highest, id)
  }
  return { lowest, highest }
}

/** Limits of what is kept on disk for each realm. */
const kept = { conversations: 30, messages: 20, characters: 1_000_000 } as const

/** The newest messages of the newest conversations, ascending, without gaps, to be kept on disk. */
export function recentMessages(list: MessageList): readonly Message[] {
  const counts = new Map<string, number>()
  let room: number = kept.characters
  const recent = allMessages(list)
    .toSorted((one, other) => other.id - one.id)
    .filter(({ key, html, text }) => {
      const count = counts.get(key) ?? 0
      if (count === 0 && counts.size === kept.conversations) return false
      const size = html.length + text.length
      const fits = count < kept.messages && size <= room
      if (fits) room -= size
      // Leaves out everything older in the conversation too: no gaps.
      counts.set(key, fits ? count + 1 : kept.messages)
      return fits
    })
  return recent.reverse()
}
