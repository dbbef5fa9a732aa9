import * as v from 'valibot'
import { fieldsOf } from '../schemas.ts'
import { dayMs } from '../wall-clock.ts'
import { counted, numberWords } from '../wording.ts'
import { type Cause, causeSchema } from './cause.ts'
import { isWell, late } from './check.ts'
import { whyDown } from './flip-evidence.ts'
import {
  acknowledgerIn,
  type Flip,
  type HistoryEntry,
  type SeenStatus,
  statusIn,
} from './history.ts'
import {
  flipStrip,
  outagesOf,
  type PastCheck,
  type PastPart,
  type PastRange,
  type PastState,
  type Turn,
} from './past-parts.ts'
import type { Ping } from './ping.ts'

/**
 * Everything known about a check's past. Whatever is said about it, wherever, is computed from this
 * by `pastOf` and `outagesIn`, so that there is one number for one thing.
 */
export interface PastFacts {
  /** `since` by the server's clock, like `flips` and `pings`. */
  readonly check: PastCheck
  /** The last to happen first, as the service sends them; null: not read. */
  readonly flips: readonly Flip[] | null
  /** The check's log; empty if it was not read. */
  readonly pings: readonly Ping[]
  /** What Belfry recorded about the check, ascending by time. */
  readonly entries: readonly HistoryEntry[]
  /** The monitoring server's clock minus ours, ms. */
  readonly offsetMs: number
  /** Epoch ms, our clock, as all that follows. */
  readonly now: number
  /** What was before is left out. */
  readonly from: number
  /** When the check was last read; nothing later is known. */
  readonly knownUntil: number
  /** Since when Belfry has recorded the changes of the check's project. */
  readonly watchedFrom: number
}

/**
 * The past of a check by our clock, oldest part first and without gaps: by its flips or, if they
 * were not read, by what Belfry recorded.
 */
export function pastOf(facts: PastFacts): readonly PastPart[] {
  const { check, flips, pings, entries, offsetMs, now, from, knownUntil } = facts
  const ours = { ...check, since: check.since === null ? null : check.since - offsetMs }
  const range = { now, spanMs: now - from, knownUntil }
  if (flips === null) return flipStrip(ours, ...recordedTurns(facts, range))
  const shifted = <T extends { readonly at: number }>(list: readonly T[]): readonly T[] =>
    offsetMs === 0 ? list : list.map((one) => ({ ...one, at: one.at - offsetMs }))
  const seen = entries.flatMap((entry) => statusIn(entry) ?? awaysIn(entry).flatMap(seenIn))
  return flipStrip(ours, shifted(flips), { ...range, seen, pings: shifted(pings) })
}

/** A time during which a check was down, or may have been. Epoch ms, our clock. */
export interface Outage {
  readonly from: number
  /** While it lasts, up to when this is known. */
  readonly to: number
  readonly isOver: boolean
  /** `possible`: it was down or paused, and nothing shows which. */
  readonly kind: 'down' | 'possible'
  /** Null if nothing shows why. Its times are by the server's clock. */
  readonly cause: Cause | null
  /** Who acknowledged it, "you" being the user. */
  readonly by: readonly string[]
}

/** Two clocks, and whole seconds: times of one event may be so far apart. */
const slackMs = 3_000

/** The outages in the facts, newest first. `parts`: as `pastOf` returned them. */
export function outagesIn(facts: PastFacts, parts = pastOf(facts)): readonly Outage[] {
  const { check, pings, entries, offsetMs } = facts
  const knownTo = parts.findLast(({ state }) => state !== 'unknown')?.to
  return outagesOf(parts).map(({ from, to, state }) => {
    const own = entries.filter(({ at }) => at >= from - slackMs && at <= to + slackMs)
    const cause = own.flatMap((entry) => causeIn(entry) ?? []).at(-1)
    return {
      from,
      to,
      isOver: to !== knownTo,
      kind: state === 'down' ? 'down' : 'possible',
      cause: cause ?? whyDown(check, pings, from + offsetMs),
      by: [...new Set(own.flatMap((entry) => acknowledgerIn(entry) ?? []))],
    }
  })
}

/** Time away from up, as recorded; `to` null: it lasted. Epoch ms, our clock. */
const awaySchema = v.object({
  from: v.number(),
  to: v.nullable(v.number()),
  state: v.picklist(['down', 'paused', 'new', 'unsure']),
})
type Away = v.InferOutput<typeof awaySchema>

/** What the flips (and the log, where it was read) showed of a check's past. */
const pastSchema = v.object({
  from: v.number(),
  until: v.number(),
  away: v.array(awaySchema),
})
export type RecordedPast = v.InferOutput<typeof pastSchema>

/** The kinds of history entries that say something about outages. */
export const pastKinds = ['status', 'past', 'outage', 'cause', 'act'] as const

function recordedPast({ kind, data }: HistoryEntry): RecordedPast | null {
  const read = kind === 'past' ? v.safeParse(pastSchema, data) : null
  return read?.success === true ? read.output : null
}

/** Since when flips that were read tell a check's past; null: none were. */
export function recordedFrom(entries: readonly HistoryEntry[]): number | null {
  return entries.flatMap((entry) => recordedPast(entry)?.from ?? []).at(-1) ?? null
}

/** The times away in a past that was read, or the outage that was found between two lists. */
function awaysIn(entry: HistoryEntry): readonly Away[] {
  if (entry.kind !== 'outage') return recordedPast(entry)?.away ?? []
  const read = v.safeParse(awaySchema, entry.data)
  return read.success ? [read.output] : []
}

/** A moment within it, however the difference of the clocks was measured then. */
function seenIn({ from, to, state }: Away): SeenStatus[] {
  const at = from + Math.min(slackMs, ((to ?? Number.POSITIVE_INFINITY) - from) / 2)
  return state === 'down' || state === 'paused' ? [{ at, to: state }] : []
}

function turnsOf({ from, to, state }: Away): Turn[] {
  const down = { at: from, up: false, as: state }
  return to === null ? [down] : [down, { at: to, up: true }]
}

function causeIn({ kind, data }: HistoryEntry): Cause | null {
  if (kind !== 'status' && kind !== 'cause') return null
  const read = v.safeParse(causeSchema, fieldsOf(data)['cause'])
  return read.success ? read.output : null
}

const states = new Map<unknown, PastState>([
  ['down', 'down'],
  ['paused', 'paused'],
  ['new', 'new'],
  ['up', 'up'],
  [late, 'up'],
])

/** The recorded turns, the last to happen first, and what was before them. */
function recordedTurns(
  { check, entries, offsetMs, watchedFrom }: PastFacts,
  range: PastRange,
): [turns: readonly Turn[], range: PastRange] {
  const past = entries.flatMap((entry) => recordedPast(entry) ?? []).at(-1)
  const until = past?.until ?? Number.NEGATIVE_INFINITY
  const found = entries.filter(({ kind }) => kind === 'outage').flatMap(awaysIn)
  const seen = entries.flatMap((entry) => seenTurn(entry, watchedFrom) ?? [])
  const later = seen.filter(({ seenAt }) => seenAt > until)
  const turns: Turn[] = [
    ...(past?.away ?? []).flatMap(turnsOf),
    ...found.flatMap(turnsOf).filter(({ at }) => at > until),
    ...later,
  ]
  let begin = past === undefined ? later[0]?.before : { at: past.from, state: 'up' as const }
  const present = states.get(check.status) ?? 'unknown'
  if (turns.length === 0 && present !== 'up' && check.since !== null) {
    const since = check.since - offsetMs
    begin ??= { at: Math.min(since, watchedFrom), state: 'up' }
    turns.push({ at: since, up: false, as: present })
  }
  begin ??= { at: watchedFrom, state: turns.length === 0 ? present : 'up' }
  turns.sort((one, other) => one.at - other.at)
  return [turns.reverse(), { ...range, begin }]
}

interface SeenTurn extends Turn {
  readonly seenAt: number
  /** What was before it, and since when that is known. */
  readonly before: NonNullable<PastRange['begin']>
}

function seenTurn(entry: HistoryEntry, watchedFrom: number): SeenTurn | null {
  const seen = statusIn(entry)
  if (seen === null || seen.to === 'unknown') return null
  const { from, since, was } = fieldsOf(entry.data)
  const at = typeof since === 'number' ? Math.min(since, seen.at) : seen.at
  const state = states.get(from) ?? 'unknown'
  // How long it had been anything but up is known only if that was recorded.
  const known = state === 'up' ? watchedFrom : typeof was === 'number' ? was : at
  const before = { at: Math.min(at, known), state }
  return { at, up: isWell(seen.to), as: states.get(seen.to), seenAt: seen.at, before }
}

/** How long the service keeps flips, ms. */
export const keptMs = 93 * dayMs

/** The most that is recorded of one check: the newest. */
const mostAway = 500

/** What to record of a past that was read; null if the entries tell as much. */
export function pastToRecord(facts: PastFacts): RecordedPast | null {
  const parts = pastOf(facts)
  const known = pastOf({ ...facts, flips: null, pings: [] })
  const begin = parts.find(({ state }) => state !== 'unknown')?.from
  if (facts.flips === null || begin === undefined) return null
  const knownBegin = known.find(({ state }) => state !== 'unknown')?.from ?? facts.now
  const away = parts.filter(isAway)
  const knownAway = known.filter((part) => isAway(part) && part.to > begin)
  const isSame =
    away.length === knownAway.length && away.every((one, at) => isSamePart(one, knownAway[at]))
  if (isSame && knownBegin <= begin + slackMs) return null
  const kept = away.slice(-mostAway)
  const until = Math.min(facts.now, facts.knownUntil)
  return {
    from: kept.length < away.length ? (kept[0]?.from ?? begin) : begin,
    until,
    away: kept.map(({ from, to, state }) => ({ from, to: to >= until ? null : to, state })),
  }
}

function isAway(part: PastPart): part is PastPart & { readonly state: Away['state'] } {
  return part.state !== 'up' && part.state !== 'unknown'
}

function isSamePart(one: PastPart, other: PastPart | undefined): boolean {
  return (
    other?.state === one.state &&
    Math.abs(one.from - other.from) <= slackMs &&
    Math.abs(one.to - other.to) <= slackMs
  )
}

/** "3 outages", "2 possible outages", "3 outages, 2 possible": the same number wherever it stands. */
export function outageCountWords(outages: readonly Pick<Outage, 'kind'>[]): string {
  const down = outages.filter(({ kind }) => kind === 'down').length
  const possible = outages.length - down
  if (down === 0 && possible > 0) return counted(possible, 'possible outage')
  return `${counted(down, 'outage')}${possible === 0 ? '' : `, ${numberWords(possible)} possible`}`
}
