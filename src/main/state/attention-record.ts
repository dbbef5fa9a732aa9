import type { AttentionContext } from '../../shared/core/attention/decision.ts'
import type { Happened } from '../../shared/core/attention/engine.ts'
import type { AttentionEvent, MessageEvent } from '../../shared/core/attention/event.ts'
import { type AttentionMemory, emptyMemory } from '../../shared/core/attention/memory.ts'
import {
  eachOf,
  eachSilence,
  isOfMany,
  type KeptSilence,
  keptSilenceSchema,
  savedSilence,
  silenceLimit,
} from '../../shared/core/attention/silence.ts'
import {
  silencesGone,
  silencesWith,
  silencesWithout,
} from '../../shared/core/attention/silences-update.ts'
import type { TakenStep } from '../../shared/core/attention/trial.ts'
import { type HistoryEntry, stepsAccount } from '../../shared/core/checks/history.ts'
import { readableItems } from '../../shared/core/schemas.ts'
import { dayMs } from '../../shared/core/wall-clock.ts'
import { dataLimit } from '../storage/history-tables.ts'
import { memoryDocument, readMemory } from '../storage/notified-state.ts'
import type { Taken } from './attention-runner.ts'

/**
 * A stored step of the attention engine. The context is stored only where it changed, since it is
 * mostly the same; the memory, together with the context, with the first step of each run and of
 * each hour: a replay can begin there, however much of the earlier history is gone.
 */
interface StoredStep<Event = AttentionEvent> {
  readonly now: number
  readonly happened: Omit<Happened, 'events'> & { readonly events: readonly Event[] }
  /** With `silences` only where all of them are stored. */
  readonly context?: Omit<AttentionContext, 'silences'> & { readonly silences?: unknown }
  /** Where only some have changed, since there may be tens of thousands: first `ended`, then `begun`. */
  readonly silences?: { readonly ended: readonly string[]; readonly begun: unknown }
  readonly memory?: unknown
}

/** Without the text of messages: no rule depends on it, and its message may be deleted. */
type StoredEvent = AttentionEvent | Omit<MessageEvent, 'text' | 'body'>

/** A piece of the text of a step that is too long for one history entry, as in a storm. */
interface Piece {
  readonly piece: number
  readonly of: number
  readonly text: string
}

/** Characters; as JSON within JSON the text grows, and must still fit into an entry. */
const pieceLength = 30_000

/** Time between two steps at which a replay can begin. */
const beginningsMs = 60 * 60_000

/** One for each run of the program. */
export function createStepWriter() {
  let context: AttentionContext | null = null
  let begunAt = Number.NEGATIVE_INFINITY
  return {
    /** The history entries that make up a step. */
    entriesOf(taken: Taken): HistoryEntry[] {
      const { now, happened, before } = taken
      // Also true if the clock was set back.
      const { silences, ...rest } = taken.context
      const often = eachSilence(silences).length > silenceLimit ? dayMs : beginningsMs
      const isBeginning = Math.abs(now - begunAt) >= often
      if (isBeginning) begunAt = now
      const all = isBeginning ? { silences: silences.map(savedSilence) } : {}
      const change = context === null || isBeginning ? null : changeOf(context.silences, silences)
      const kept: StoredStep<StoredEvent> = {
        now,
        happened: { ...happened, events: happened.events.map(storedEvent) },
        ...(isBeginning || context !== taken.context ? { context: { ...rest, ...all } } : {}),
        ...(change && { silences: change }),
        ...(isBeginning ? { memory: storedMemory(before) } : {}),
      }
      context = taken.context
      return inPieces(kept).map((piece) => ({
        at: now,
        accountId: null,
        subject: stepsAccount,
        kind: 'step',
        ...piece,
      }))
    },
    /** The entries were deleted: the next step is one where a replay can begin. */
    startOver() {
      begunAt = Number.NEGATIVE_INFINITY
    },
  }
}

/** Null if none changed. */
function changeOf(
  before: readonly KeptSilence[],
  after: readonly KeptSilence[],
): StoredStep['silences'] | null {
  if (before === after) return null
  const known = new Map(before.map((one) => [one.id, one]))
  const other = after.filter((one) => !isOfMany(one) && (known.get(one.id) ?? one) !== one)
  const begun = [...silencesGone(after, before), ...other]
  const left = new Set(after.map(({ id }) => id))
  const ended = [...silencesGone(before, after), ...other].flatMap((one) =>
    left.has(one.id) ? eachOf(one).map(({ id }) => id) : one.id,
  )
  return begun.length + ended.length === 0 ? null : { ended, begun: begun.map(savedSilence) }
}

function storedEvent(event: AttentionEvent): StoredEvent {
  if (event.of !== 'message') return event
  const { text: _text, body: _body, ...rest } = event
  return rest
}

/** Older versions stored the text, too. */
function wholeEvent(event: StoredEvent): AttentionEvent {
  return event.of === 'message' ? { body: '', text: '', ...event } : event
}

function storedMemory(memory: AttentionMemory): unknown {
  const { waits, recentMessages, ...rest } = memoryDocument(memory)
  return {
    ...rest,
    waits: waits.map((one) => ({ ...one, event: wholeEvent(storedEvent(one.event)) })),
    recentMessages: recentMessages.map((one) => wholeEvent(storedEvent(one))),
  }
}

function inPieces(kept: StoredStep<StoredEvent>): readonly Pick<HistoryEntry, 'data' | 'json'>[] {
  const text = JSON.stringify(kept)
  if (text.length <= dataLimit) return [{ data: kept, json: text }]
  const of = Math.ceil(text.length / pieceLength)
  return Array.from({ length: of }, (_, piece) => {
    const data: Piece = {
      piece,
      of,
      text: text.slice(piece * pieceLength, (piece + 1) * pieceLength),
    }
    return { data, json: JSON.stringify(data) }
  })
}

/** Puts steps together. Skips those that lack their first pieces or could not be stored. */
export function wholeSteps(entries: readonly HistoryEntry[]): readonly StoredStep[] {
  const steps: StoredStep<StoredEvent>[] = []
  let pieces: string[] = []
  for (const { data } of entries) {
    // Written by `createStepWriter`, in a database of our own; null: it was too long for an entry.
    const kept = data as StoredStep<StoredEvent> | Piece | null
    if (kept === null) continue
    if (!('piece' in kept)) {
      steps.push(kept)
      continue
    }
    if (kept.piece === 0) pieces = []
    if (kept.piece !== pieces.length) continue
    pieces.push(kept.text)
    // The text of a `StoredStep`, as above.
    if (pieces.length === kept.of)
      steps.push(JSON.parse(pieces.join('')) as StoredStep<StoredEvent>)
  }
  return steps.map(({ happened, ...rest }) => ({
    ...rest,
    happened: { ...happened, events: happened.events.map(wholeEvent) },
  }))
}

/** Turns entries back into steps, beginning with the first one that includes the memory. */
export function replaySteps(entries: readonly HistoryEntry[]): {
  readonly steps: readonly TakenStep[]
  readonly memory: AttentionMemory
} {
  let memory: AttentionMemory | null = null
  let context: AttentionContext | null = null
  const steps: TakenStep[] = []
  for (const kept of wholeSteps(entries)) {
    if (kept.memory !== undefined) memory ??= readMemory(kept.memory)
    context = contextAfter(kept, context)
    if (memory === null || context === null) continue
    steps.push({ now: kept.now, happened: kept.happened, context })
  }
  return { steps, memory: memory ?? emptyMemory }
}

function contextAfter(
  { context, silences }: StoredStep,
  before: AttentionContext | null,
): AttentionContext | null {
  if (context === undefined && silences === undefined) return before
  const rest = context ?? before
  if (rest === null) return null
  const all =
    context?.silences === undefined ? (before?.silences ?? []) : readSilences(context.silences)
  if (silences === undefined) return { ...rest, silences: all }
  const left = silencesWithout(all, silences.ended)
  return { ...rest, silences: readSilences(silences.begun).reduce(silencesWith, left) }
}

function readSilences(saved: unknown): readonly KeptSilence[] {
  return readableItems(keptSilenceSchema, saved)
}
