import type { Board, ChecksSlice } from '../checks/board.ts'
import { type Cause, causeOf } from '../checks/cause.ts'
import { type CheckId, checkName, isLate } from '../checks/check.ts'
import { isSameList } from '../identity.ts'
import { atClockWords, clockWords, durationWords } from '../time.ts'
import { dayMs, hourMs, minuteMs } from '../wall-clock.ts'
import {
  type AttentionEvent,
  beganAt,
  type CheckEvent,
  type CheckFacts,
  factsOf,
  isChange,
  stateAfter,
} from './event.ts'
import type { AttentionMemory, Waiting } from './memory.ts'
import { oddRunAsNow } from './runs/odd-runs.ts'

/**
 * The event as a notice words it now: by what the user was told last and what the check is at
 * present, whatever was so when it was held back.
 */
export function asNow(
  { event, wasDown, changes }: Pick<Waiting, 'event' | 'wasDown' | 'changes'>,
  now: number,
): AttentionEvent {
  if (!isChange(event)) return pastAsNow(event, now)
  const { name, kind } = event
  if (event.isReminder === true || event.again !== undefined) return lastingUntil(event, now)
  const state = stateAfter[kind]
  if (state === 'up' && !wasDown) return pastOutages(event, Math.max(1, Math.floor(changes / 2)))
  if (state === 'late') return lastingUntil(event, now)
  if (state !== 'down') return event
  if (wasDown) return { ...lastingUntil(event, now), title: againTitle(name, event.upForMs) }
  const lasting = lastingUntil(event, now)
  return event.upForMs === undefined ? lasting : { ...lasting, title: `${name} is down` }
}

/** What the newest read says of a check. */
export interface CheckRead extends Pick<CheckEvent, 'subject' | 'name' | 'tags'> {
  /** Null: it is neither down nor late. */
  readonly kind: 'down' | 'late' | null
  readonly body: CheckFacts
}

/** The cause is determined for at most so many checks of one read. */
const mostCauses = 300

/** What was read of the checks about which something waits, and that `events` say nothing of. */
export function checksRead(
  before: ChecksSlice | null,
  { boards }: ChecksSlice,
  { waits }: AttentionMemory,
  events: readonly AttentionEvent[],
  now: number,
): readonly CheckRead[] {
  if (before?.boards === boards || waits.size === 0) return []
  const news = new Set(events.filter(isChange).map(({ subject }) => subject))
  const waiting = [...waits.values()].flatMap(({ event }) =>
    isChange(event) && !news.has(event.subject) ? [[event.subject, event] as const] : [],
  )
  const read: CheckRead[] = []
  for (const event of new Map(waiting).values()) {
    const { accountId, checkId, subject } = event
    const board = boards.get(accountId)
    const check = board?.checks.get(checkId)
    if (board === undefined || check === undefined) continue
    if (!isNewlyRead(before?.boards.get(accountId), board, checkId)) continue
    const { status, since, tags } = check
    const { serverOffsetMs: offsetMs } = board
    const serverNow = now + offsetMs
    const log = board.logs.get(checkId) ?? null
    const cause = read.length < mostCauses ? causeOf(check, log, serverNow) : null
    const kind = status === 'down' ? status : isLate(status) ? 'late' : null
    const name = checkName(check)
    if (kind === null && event.name === name && isSameList(event.tags, tags)) continue
    const body = factsOf(check, { since, cause, serverNow, offsetMs })
    read.push({ subject, name, tags, kind, body })
  }
  return read
}

function isNewlyRead(before: Board | undefined, after: Board, id: CheckId): boolean {
  // What the flips show to have been before is no read.
  if (after.freshness.readAt === null || after.missed.again.has(id)) return false
  return (
    before === undefined ||
    before.freshness.readAt === null ||
    before.checks.get(id) !== after.checks.get(id) ||
    before.logs.get(id) !== after.logs.get(id)
  )
}

/** What waits about a check, with the facts of its newest read, maybe of another outage. */
export function asRead(one: Waiting, read: CheckRead, now: number): Waiting {
  const { event, why } = one
  if (!isChange(event)) return one
  const { name, tags, kind, body } = read
  const named = { ...event, name, tags, title: `${name}${event.title.slice(event.name.length)}` }
  if (event.kind !== kind) return { ...one, event: named }
  const old = typeof event.body === 'string' ? null : event.body
  const newest = { ...body, cause: causeNow(old?.cause ?? null, body.cause) }
  if (why !== 'brief') return { ...one, event: { ...named, body: asOf(newest, now, event.at) } }
  const isOther = old !== null && old.serverNow < (body.since ?? 0)
  const at = isOther ? now : event.at
  const asEvent = { ...named, at, body: asOf(newest, now, at) }
  return { ...one, event: asEvent, beganAt: firstBeganAt(one) }
}

/** What the log said is still so if no ping came since, though the log is yet to be read again. */
function causeNow(old: Cause | null, newest: Cause | null): Cause | null {
  if (old === null || newest === null) return newest
  const isSame = Math.floor(pingAt(old) / 1_000) === Math.floor(pingAt(newest) / 1_000)
  return isSame && evidence(old) > evidence(newest) ? old : newest
}

function evidence(cause: Cause): number {
  if (cause.kind === 'failed') return cause.line === null ? 3 : 4
  return { overran: 2, missed: 1, unknown: 0 }[cause.kind]
}

function pingAt(cause: Cause): number {
  if (cause.kind === 'failed') return cause.at
  return (cause.kind === 'overran' ? cause.startedAt : cause.lastAt) ?? 0
}

/** The facts of `now` as those of an event at another time. */
function asOf(body: CheckFacts, now: number, at: number): CheckFacts {
  return { ...body, serverNow: body.serverNow - now + at }
}

/**
 * Since when an outage waits that may be too short: epoch ms. Another one that was read since may be
 * shorter, but nobody knows yet how long the first one lasted.
 */
export function firstBeganAt(one: Pick<Waiting, 'event' | 'beganAt'>): number {
  return Math.min(one.beganAt ?? Number.POSITIVE_INFINITY, beganAt(one.event))
}

/** A recovery of a check that is paused or deleted by now, so that it can't be said to be up. */
export function inThePast(event: AttentionEvent): AttentionEvent {
  return isChange(event) ? { ...event, title: cameBack(event) } : event
}

export function isInThePast(event: CheckEvent): boolean {
  return event.title === cameBack(event)
}

function cameBack({ name }: CheckEvent): string {
  return `${name} came back`
}

/**
 * Times as this computer shows them now: it may have moved, and it may be another day. What the check
 * was when the outage was found may no longer be so.
 */
function pastAsNow(event: AttentionEvent, now: number): AttentionEvent {
  if (event.of !== 'check') return event
  if (event.last === undefined || event.endedAt === undefined) return oddRunAsNow(event, now)
  const { name, last, endedAt, at } = event
  const title = pastTitle(name, { last, endedAt }, now)
  return { ...event, title, body: at === now ? event.body : last.place }
}

interface Ended {
  readonly last: Pick<NonNullable<CheckEvent['last']>, 'what' | 'from'>
  readonly endedAt: number
}

/** "db was down from 11:02 to 11:04", or "for 20 s at 11:02" within a minute. */
export function pastTitle(
  name: string,
  { last: { what, from }, endedAt }: Ended,
  now: number,
): string {
  const [began, ended] = [clockWords(from, now), clockWords(endedAt, now)]
  const when =
    began === ended
      ? `for ${durationWords(endedAt - from)} ${atClockWords(from, now)}`
      : `from ${began} to ${ended}`
  return `${name} ${what} ${when}`
}

/** Updates how long the check has been down or late, as time has passed since the event. */
function lastingUntil(event: CheckEvent, now: number): CheckEvent {
  const { body, at } = event
  if (typeof body === 'string' || at === now) return event
  return { ...event, body: { ...body, serverNow: body.serverNow + now - at } }
}

/** `upForMs`: for how long it was up at most; undefined: unknown. */
export function againTitle(name: string, upForMs: number | undefined): string {
  if (upForMs === undefined) return `${name} is down again`
  // The service dates flips to whole seconds, and some only when it notices them.
  const unit = upForMs < dayMs ? minuteMs : hourMs
  const most = Math.max(1, Math.ceil(upForMs / unit)) * unit
  return `${name} is down again (was up for at most ${durationWords(most)})`
}

/** A check that went down and came back while nothing was said about it. */
function pastOutages(event: CheckEvent, times: number): CheckEvent {
  const { name, body } = event
  const often = times === 1 ? '' : ` ${times} times`
  return {
    ...event,
    kind: 'missed',
    title: `${name} went down and came back${often}`,
    // The last of several outages is not how long they took.
    body: typeof body === 'string' || times === 1 ? body : { ...body, since: null },
  }
}
