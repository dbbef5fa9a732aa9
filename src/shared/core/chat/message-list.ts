import { differenceBy, type MapDifference } from '../map-difference.ts'
import type { Message } from './message.ts'

/** Copied when one of them changes, and for each that comes until it is full. */
const chunkSize = 64

interface Chunk {
  /** Of their ids. */
  readonly lowest: number
  readonly highest: number
  readonly messages: readonly Message[]
}

/**
 * Messages in the order in which they were put in, each id once. A list that is made of another one
 * shares all chunks that stay as they are, so one message costs no copy of thousands. Plain data,
 * since it goes to the windows as it is.
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

/** Those that were put in first. */
export function firstMessages({ chunks }: MessageList, count: number): readonly Message[] {
  const first: Message[] = []
  for (const { messages } of chunks) {
    if (first.length >= count) break
    first.push(...messages)
  }
  return first.slice(0, count)
}

/** Those with ids above one and up to another. */
export function messagesWithin(
  { chunks }: MessageList,
  above: number,
  upTo: number,
): readonly Message[] {
  const some = chunks.filter(({ lowest, highest }) => highest > above && lowest <= upTo)
  return allMessages({ chunks: some }).filter(({ id }) => id > above && id <= upTo)
}

/** With these, those that are there already at the places where they are. */
export function withPut(list: MessageList, messages: readonly Message[]): MessageList {
  const added = new Map<number, Message>()
  let next = list
  for (const message of messages)
    if (hasMessage(list, message.id)) next = withChanged(next, message.id, () => message)
    else added.set(message.id, message)
  return added.size === 0 ? next : appended(next, [...added.values()])
}

/** With one as `change` makes it, if it is there. */
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

/** What is different in `after`, by identity of the messages. Chunks that both share are not looked into. */
export function messagesBetween(before: MessageList, after: MessageList): MapDifference<number> {
  return differenceBy(compared, before, after)
}

function compared(before: MessageList, after: MessageList): MapDifference<number> {
  const fresh = notIn(before, after).filter((message) => message !== messageOf(before, message.id))
  const gone = notIn(after, before).filter(({ id }) => !hasMessage(after, id))
  return { changed: fresh.map(({ id }) => id), gone: gone.map(({ id }) => id) }
}

/** Messages of a list that may not be in the other: a chunk that both have has none, nor has what stands where it stood. */
function notIn(other: MessageList, { chunks }: MessageList): readonly Message[] {
  return chunks.flatMap((chunk, place) => {
    if (chunk === other.chunks[place] || other.chunks.includes(chunk)) return []
    const there = other.chunks.find(({ lowest }) => lowest === chunk.lowest)
    return chunk.messages.filter((message, at) => message !== there?.messages[at])
  })
}

/** Where a message is; of one that is nowhere, `at` is -1. The newest are looked for most. */
function placeOf({ chunks }: MessageList, id: number): { chunk: number; at: number } {
  for (let place = chunks.length - 1; place >= 0; place -= 1) {
    const chunk = chunks[place]
    if (chunk === undefined || id < chunk.lowest || id > chunk.highest) continue
    const at = chunk.messages.findIndex((message) => message.id === id)
    if (at !== -1) return { chunk: place, at }
  }
  return { chunk: -1, at: -1 }
}

/** The last chunk is filled up first. */
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

/** Of a realm, on disk. */
const kept = { conversations: 30, messages: 20, characters: 1_000_000 } as const

/** The newest messages of the newest conversations, ascending, without holes: what is kept on disk. */
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
      // Nothing older follows one that was left out.
      counts.set(key, fits ? count + 1 : kept.messages)
      return fits
    })
  return recent.reverse()
}
