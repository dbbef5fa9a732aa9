import { instantMs, type Record } from './record.ts'
import type { Seen, Shown } from './seen.ts'

const second = 1_000
/** The disk has what a notice tells before it is shown. */
const onItsWayMs = 20
/** How long before a kill a message may have been written down and not shown. */
const atKillMs = 15 * second

interface Message {
  readonly at: number
  readonly token: string
  readonly isAsked: boolean
  readonly place: string
  readonly from: string
  /** It reports an outage, which is one notice with it: it may be counted as no message of its own. */
  readonly isReport: boolean
  readonly told: number[]
  /** A digest that a crash kept off the disk told of it last: it may be told again. */
  isForgotten: boolean
}

/** Rule 7: each direct message and each mention is told exactly once. */
export function judgeChat(record: Record): {
  readonly missed: readonly string[]
  readonly doubled: readonly string[]
} {
  const doubled: string[] = []
  const said: Message[] = []
  const namedAt = whenNamed(record)
  const shown = new Map<string, Shown>()
  let gone: Gone | null = null
  for (const one of record.seen) {
    if (one.what === 'said') said.push(messageOf(one))
    if (one.what === 'withdrawn') gone = { at: one.at, notice: shown.get(one.subject) }
    if (one.what !== 'popUp') continue
    const single = digestTakes(gone, one.at)
    const before = shown.get(one.notice.subject) ?? single
    const replaced = one.notice.kind === 'digest' ? before : undefined
    shown.set(one.notice.subject, one.notice)
    // A digest is shown before the disk has what it tells; a notice of messages alone is not.
    const isForgotten = one.notice.kind === 'digest' && record.isForgotten(one.at)
    if (replaced !== undefined) repeat(said, one.at, one.notice, { replaced, isForgotten })
    for (const token of tell(said, one.at, one.notice, { replaced, namedAt, isForgotten }))
      if (replaced === undefined)
        doubled.push(record.say(one.at, `message ${token} was told before, or never written`))
  }
  const { calmFrom } = record.plans
  const missed = said
    .filter(({ isAsked, told, at }) => isAsked && told.length === 0 && at < calmFrom)
    .filter((one) => !mayBeLost(record, one))
    .map(({ at, token, place }) => record.say(at, `message ${token} in ${place}: never told`))
  return { missed, doubled }
}

interface Gone {
  readonly at: number
  readonly notice: Shown | undefined
}

/**
 * A digest that takes the place of another says again what that said; one of a single thing has its
 * subject. A storm's notice has no digest in its place.
 */
function digestTakes(gone: Gone | null, at: number): Shown | undefined {
  const left = gone !== null && at - gone.at < instantMs ? gone.notice : undefined
  return left?.kind === 'digest' || left?.lines.length === 0 ? left : undefined
}

function messageOf(one: Extract<Seen, { what: 'said' }>): Message {
  const { at, token, place, from, said, about } = one
  const isReport = about !== undefined
  const untold = { told: [], isForgotten: false }
  return { at, token, place, from, isReport, isAsked: said !== 'plain', ...untold }
}

/** When a notice of a message by itself shows its text, for the last time. */
function whenNamed({ seen }: Record): ReadonlyMap<string, number> {
  return new Map(
    seen.flatMap((one) =>
      one.what === 'popUp' && one.notice.lines.length === 0
        ? [...tokensIn(one.notice)].map((token) => [token, one.at] as const)
        : [],
    ),
  )
}

function* tokensIn({ title, body }: Shown): Iterable<string> {
  for (const [token] of `${title} ${body}`.matchAll(/\bm\d+x\b/g)) yield token
}

interface Other {
  readonly replaced: Shown | undefined
  readonly namedAt: ReadonlyMap<string, number>
  readonly isForgotten: boolean
}

/** Notes what a notice tells of beyond the one that it replaces; returns what it tells that was told before. */
function tell(
  said: readonly Message[],
  at: number,
  notice: Shown,
  { replaced, namedAt, isForgotten }: Other,
): string[] {
  return notice.lines.length === 0
    ? tellTokens(said, at, notice)
    : tellLines(
        // What a forgotten digest tells may be named after it.
        said.filter(({ token }) => isForgotten || (namedAt.get(token) ?? at) <= at),
        at,
        notice,
        { earlier: new Map(replaced === undefined ? [] : placesIn(replaced)), isForgotten },
      )
}

/** Notes what a digest says again of what the one that it replaces told. */
function repeat(
  said: readonly Message[],
  at: number,
  notice: Shown,
  { replaced, isForgotten }: { replaced: Shown; isForgotten: boolean },
): void {
  const earlier = new Set(placesIn(replaced).map(([place]) => place))
  const places = new Set(placesIn(notice).flatMap(([place]) => (earlier.has(place) ? place : [])))
  for (const one of said) if (one.isForgotten && places.has(one.place)) note(one, at, isForgotten)
}

function tellTokens(said: readonly Message[], at: number, notice: Shown): string[] {
  const again: string[] = []
  for (const token of tokensIn(notice)) {
    const message = said.find((one) => one.token === token)
    if (message === undefined || isTold(message)) again.push(token)
    if (message !== undefined) note(message, at, false)
  }
  return again
}

/** `earlier`: how many messages of each place the notice says again. */
function tellLines(
  said: readonly Message[],
  at: number,
  { lines }: Shown,
  { earlier, isForgotten }: { earlier: ReadonlyMap<string, number>; isForgotten: boolean },
): string[] {
  const again: string[] = []
  for (const { text } of lines) {
    const place = placeOf(text)
    const many = place === null ? 0 : Math.max(0, countIn(text) - (earlier.get(place) ?? 0))
    if (many === 0) continue
    const there = said
      .filter((one) => one.place === place && !isTold(one))
      .toSorted((one, other) => Number(other.isReport) - Number(one.isReport))
    // A line is named after its newest message, even if that is a bot's report.
    const named = there.filter(({ from, isReport }) => !isReport && text.startsWith(from))
    const untold = named.length >= many ? named : there
    // What was written while the notice was on its way is not in it.
    const before = untold.filter((one) => one.at < at - onItsWayMs)
    for (const one of (before.length >= many ? before : untold).slice(-many))
      note(one, at, isForgotten)
    if (untold.length < many) again.push(`one of ${many} in ${place}`)
  }
  return again
}

function isTold({ told, isForgotten }: Message): boolean {
  return told.length > 0 && !isForgotten
}

function note(message: Message, at: number, isForgotten: boolean): void {
  message.told.push(at)
  message.isForgotten = isForgotten
}

/** How many messages of each place it tells of. */
function placesIn({ title, lines }: Shown): [place: string, many: number][] {
  const texts = lines.length === 0 ? [title] : lines.map(({ text }) => text)
  return texts.flatMap((text) => {
    const place = placeOf(text)
    return place === null ? [] : [[place, countIn(text)]]
  })
}

function countIn(text: string): number {
  return Number(/(\d+) messages/.exec(text)?.[1] ?? 1)
}

/** “Ana Kovač (to you)” or “Ana Kovač (# ops › deploys)”, as `Message.place`. */
function placeOf(text: string): string | null {
  const [, channel, topic] = /\(# (.+?) › (.+?)\)/.exec(text) ?? []
  if (channel !== undefined && topic !== undefined) return `${channel} > ${topic}`
  return /^(\p{L}+)\b.*\(to you\)/u.exec(text)?.[1] ?? null
}

/** A crash between the disk and the pop-up costs the pop-up. */
function mayBeLost(record: Record, { at }: Message): boolean {
  return record.holds.runs.some(
    (run) =>
      run.isKilled &&
      run.to >= at &&
      // It came just before the kill, or was fetched in a run that ended soon.
      record.awake(run.to) - record.awake(Math.max(at, run.from)) <= atKillMs,
  )
}
