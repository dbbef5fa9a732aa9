import type { AttentionSettings } from '../../src/shared/core/attention/rules.ts'
import { type Dependency, dependenciesOf, outings } from './depends.ts'
import type { Plans } from './plan.ts'
import { type Work, worksOf } from './planned.ts'
import type { Read } from './proxy.ts'
import type { Act, Covers, Seen } from './seen.ts'

/** A time in which something held; it surely ended by `to`, and surely lasted until `sureTo`. */
interface Span {
  readonly from: number
  readonly sureTo: number
  readonly to: number
}

export interface HeldSilence extends Span {
  /** Ends when its check changes, which is told then. */
  readonly isUntilChange: boolean
  readonly how: 'snooze' | 'acknowledge' | 'mute' | 'maintenance' | 'dependency'
  readonly covers: Covers
  /** The check whose outage keeps those of a dependency quiet, until they are read after it. */
  readonly on?: Dependency['on']
}

const second = 1_000
const minute = 60 * second
/** The app may learn of an end only with its next read, and looks at the clock now and then. */
const slackMs = 70 * second

interface At {
  readonly at: number
  readonly act: Act
}

/** What kept the app quiet, and when: from what the user did and from the settings. */
export interface Holds {
  readonly silences: readonly HeldSilence[]
  readonly dependencies: readonly Dependency[]
  /** Do not disturb, the desktop's own, quiet hours, and sleep. */
  readonly quiet: readonly Span[]
  /** When the app was running. */
  readonly runs: readonly {
    readonly from: number
    readonly to: number
    readonly isKilled: boolean
  }[]
}

export function holdsOf(plans: Plans, seen: readonly Seen[]): Holds {
  const silences = silencesOf(plans, seen)
  const dependencies = dependenciesOf(plans, seen)
  const everything = silences.filter(({ covers }) => covers.of === 'everything')
  return {
    silences: [
      ...silences.filter(({ covers }) => covers.of !== 'everything'),
      ...dependencies.flatMap((one) => quietBy(one, plans, seen, dependencies)),
    ],
    dependencies,
    quiet: [
      ...everything,
      ...systemQuiet(plans, seen),
      ...quietHours(plans, seen),
      ...sleeps(seen),
    ],
    runs: runsOf(plans, seen),
  }
}

/**
 * When checks were quiet because of one that they depend on. What that one depends on in turn may keep
 * them quiet as well.
 */
function quietBy(
  { covers, on, from, to }: Dependency,
  plans: Plans,
  seen: readonly Seen[],
  all: readonly Dependency[],
): HeldSilence[] {
  const own = outings({ covers, on, from, to }, seen, plans.to)
  const others = [...ancestorsOf(on, all)].flatMap((one) =>
    outings({ covers, on: JSON.parse(one) as typeof on, from, to }, seen, plans.to).map((each) => ({
      ...each,
      sureTo: each.from,
    })),
  )
  const isInLoop = ancestorsOf(on, all).has(JSON.stringify(on))
  return [...own, ...others].map((one) => ({
    ...{ how: 'dependency', isUntilChange: false, covers, on, ...one },
    ...(isInLoop && { sureTo: one.from }),
  }))
}

/** What it may depend on, as JSON, whatever tags it has. */
export function ancestorsOf(
  { project, uuid }: Omit<Dependency['on'], 'of'>,
  all: readonly Dependency[],
): Set<string> {
  const found = new Set<string>()
  const next: Dependency['on'][] = [{ of: 'check', project, uuid }]
  for (let one = next.pop(); one !== undefined; one = next.pop())
    for (const { covers, on: parent } of all) {
      const mayCover =
        covers.of === 'tag' ||
        ('project' in covers &&
          covers.project === one.project &&
          (covers.of === 'project' || covers.uuid === one.uuid))
      const isItself = parent.project === one.project && parent.uuid === one.uuid
      if (!mayCover || isItself || found.has(JSON.stringify(parent))) continue
      found.add(JSON.stringify(parent))
      next.push(parent)
    }
  return found
}

/** Whether a silence is about this check; its tags are those that it has, or may have, then. */
export function isAbout(
  { covers }: HeldSilence,
  project: number,
  uuid: string,
  tags: readonly string[],
): boolean {
  if (covers.of === 'everything') return true
  if (covers.of === 'tag') return tags.includes(covers.tag)
  return covers.project === project && (covers.of === 'project' || covers.uuid === uuid)
}

export function overlaps(span: { from: number; to: number }, from: number, to: number): boolean {
  return span.from <= to && span.to >= from
}

function silencesOf(plans: Plans, seen: readonly Seen[]): HeldSilence[] {
  const made: HeldSilence[] = []
  const works = worksOf(plans, seen)
  made.push(...works.flatMap((one) => (one.vagueMs > 0 ? [vague(one)] : [])))
  const acts = withBegun(plans, seen, works)
  for (const { at, act } of acts) {
    if (act.did !== 'silence') continue
    const { how, covers } = act
    for (const from of [at, ...restores(acts, act.id, at)]) {
      const own = naturalEnd(act, at, plans, seen)
      const ended = acts.find((one) => one.at >= from && endsIt(one.act, act))
      const cut = Math.min(ended?.at ?? plans.to, plans.to)
      const surely = Math.min(own.sureTo, cut, ...replacedFrom(works, act, from))
      const span = { from, sureTo: surely, to: Math.min(own.to, cut) + slackMs }
      const isUntilChange = act.lasts === 'change'
      if (span.to >= from) made.push({ how, covers, isUntilChange, ...span })
    }
  }
  return made
}

/** What is planned begins as if the user had begun it then, unless a longer one of the same goes on. */
function withBegun(plans: Plans, seen: readonly Seen[], works: readonly Work[]): readonly At[] {
  let acts: readonly At[] = seen.flatMap((one) =>
    one.what === 'act' ? [{ at: one.at, act: one.act }] : [],
  )
  for (const { id, covers, from, minutes, vagueMs } of works) {
    if (vagueMs > 0) continue
    const begun = { did: 'silence', id, how: 'maintenance', covers, lasts: minutes } as const
    const goesOn = ({ at, act }: At): boolean =>
      act.did === 'silence' &&
      at <= from &&
      endsIt(begun, act) &&
      act.how === 'maintenance' &&
      naturalEnd(act, at, plans, seen).to >= from + minutes * minute &&
      !acts.some((one) => one.at > at && one.at <= from && endsIt(one.act, act))
    if (acts.some(goesOn)) continue
    acts = [...acts, { at: from, act: begun }].sort((one, other) => one.at - other.at)
  }
  return acts
}

/** When what is planned may end a maintenance by taking its place, if that isn't sure. */
function replacedFrom(
  works: readonly Work[],
  { how, covers }: Extract<Act, { did: 'silence' }>,
  from: number,
): number[] {
  return works
    .filter((one) => one.vagueMs > 0 && vague(one).to > from)
    .filter((one) => how === 'maintenance' && JSON.stringify(one.covers) === JSON.stringify(covers))
    .map((one) => Math.max(from, vague(one).from))
}

/** It may hold at any time of these, and surely at none. */
function vague({ covers, from, minutes, vagueMs }: Work): HeldSilence {
  const begin = from - vagueMs
  const to = from + minutes * minute + vagueMs + slackMs
  return { how: 'maintenance', isUntilChange: false, covers, from: begin, sureTo: begin, to }
}

function restores(
  acts: readonly { readonly at: number; readonly act: Act }[],
  id: string,
  from: number,
): number[] {
  return acts.flatMap(({ at, act }) =>
    at > from && act.did === 'restore' && act.id === id ? [at] : [],
  )
}

/** Ended by hand, or replaced by another on the same; maintenance stands beside the others. */
function endsIt(act: Act, one: Extract<Act, { did: 'silence' }>): boolean {
  if (act.did === 'end') return act.id === one.id
  if (act.did === 'removed') return 'project' in one.covers && one.covers.project === act.project
  return (
    act.did === 'silence' &&
    act.id !== one.id &&
    act.by === one.by &&
    (act.how === 'maintenance') === (one.how === 'maintenance') &&
    JSON.stringify(act.covers) === JSON.stringify(one.covers)
  )
}

/** When a silence ends by itself. */
function naturalEnd(
  { lasts, covers }: Extract<Act, { did: 'silence' }>,
  at: number,
  plans: Plans,
  seen: readonly Seen[],
): { sureTo: number; to: number } {
  const gone = covers.of === 'check' ? goneAt(covers, at, seen) : plans.to
  if (lasts === 'ever') return { sureTo: gone, to: plans.to }
  if (lasts === 'change') {
    const change =
      covers.of === 'check' ? changeAfter(covers, at, seen) : { sureTo: at, to: plans.to }
    return { sureTo: Math.min(gone, change.sureTo), to: change.to }
  }
  const length = lasts * minute
  let [sureTo, to] = [at + length, at + length]
  for (const step of stepsOf(seen)) {
    if (step.at <= at || step.at >= to) continue
    // As if the computer had slept.
    const forward = Math.max(0, step.by)
    sureTo = Math.max(step.at, sureTo - forward)
    to = Math.max(step.at, to - forward)
    // It keeps its length, unless that is seen only by a later start.
    if (step.by < 0) to += Math.min(-step.by, offSoonAfter(step.at, seen))
  }
  return { sureTo: Math.min(gone, sureTo), to }
}

/** How far the computer's clock was set forward, ms. */
function stepsOf(seen: readonly Seen[]): { readonly at: number; readonly by: number }[] {
  const clocks = seen.filter((one) => one.what === 'clock')
  return clocks.flatMap(({ at, ahead }, place) => {
    const by = ahead - (clocks[place - 1]?.ahead ?? ahead)
    return by === 0 ? [] : [{ at, by }]
  })
}

/** How long the app was off if it ended before it looked at the clock again, ms. */
function offSoonAfter(at: number, seen: readonly Seen[]): number {
  const ended = seen.find((one) => one.what === 'ended' && one.at >= at && one.at < at + slackMs)
  const began = ended && seen.find((one) => one.what === 'began' && one.at >= ended.at)
  return ended === undefined || began === undefined ? 0 : began.at - at
}

/** How far the computer's clock is ahead then, ms. */
export function aheadAt(seen: readonly Seen[], at: number): number {
  const last = seen.findLast((one) => one.what === 'clock' && one.at <= at)
  return last?.what === 'clock' ? last.ahead : 0
}

/** The rules that were in force at some time between these, the first ones first. */
export function attentionsIn(
  { attention, from: began }: Plans,
  seen: readonly Seen[],
  from: number,
  to: number,
): readonly AttentionSettings[] {
  const all = [
    { at: began, attention },
    ...seen.flatMap((one) =>
      one.what === 'act' && one.act.did === 'rules'
        ? [{ at: one.at, attention: one.act.attention }]
        : [],
    ),
  ]
  const first = all.findLastIndex(({ at }) => at <= from)
  return all.filter(({ at }, place) => place >= first && at <= to).map((one) => one.attention)
}

function readsOf(project: number, seen: readonly Seen[]): Read[] {
  return seen.flatMap((one) =>
    one.what === 'read' && one.read.project === project ? [one.read] : [],
  )
}

/** Until the first list in which its status differs; surely until its status may have differed. */
function changeAfter(
  covers: Extract<Covers, { of: 'check' }>,
  at: number,
  seen: readonly Seen[],
): { sureTo: number; to: number } {
  const reads = readsOf(covers.project, seen).filter(({ outcome }) => outcome === 'good')
  const statusIn = (read: Read | undefined): string | undefined =>
    read?.listed.find(({ uuid }) => uuid === covers.uuid)?.status
  const before = statusIn(reads.findLast((read) => read.at <= at))
  const last = reads.findLastIndex((read) => read.at <= at)
  const after = reads.findIndex((read, place) => place > last && statusIn(read) !== before)
  const same = reads[after - 1]?.at ?? at
  return after < 0
    ? { sureTo: at, to: Number.MAX_SAFE_INTEGER }
    : { sureTo: Math.max(at, same), to: reads[after]?.at ?? at }
}

/** When a list first lacks the check, or has it as paused. */
function goneAt(
  covers: Extract<Covers, { of: 'check' }>,
  at: number,
  seen: readonly Seen[],
): number {
  const gone = readsOf(covers.project, seen).find((read) => {
    const one = read.listed.find(({ uuid }) => uuid === covers.uuid)
    return read.at > at && read.outcome === 'good' && (one === undefined || one.status === 'paused')
  })
  return gone?.at ?? Number.MAX_SAFE_INTEGER
}

function systemQuiet(plans: Plans, seen: readonly Seen[]): Span[] {
  const spans: Span[] = []
  let from: number | null = null
  const close = (at: number): void => {
    if (from !== null) spans.push({ from, sureTo: at, to: at + slackMs })
    from = null
  }
  for (const one of seen) {
    if (one.what === 'act' && one.act.did === 'systemQuiet') {
      if (one.act.on) from = one.at
      else close(one.at)
    }
    // Another desktop session begins without it.
    if (one.what === 'ended') close(one.at)
  }
  close(plans.to)
  return spans
}

/** Minute by minute, as a person would look at a clock on the wall. */
function quietHours(plans: Plans, seen: readonly Seen[]): Span[] {
  const { from, to } = plans
  const clocks = seen.flatMap((one) => (one.what === 'clock' ? [one] : []))
  const formats = new Map<string, Intl.DateTimeFormat>()
  const spans: { from: number; sureTo: number; to: number }[] = []
  const isQuiet = ({ quietHours: its }: AttentionSettings, at: number): boolean => {
    const [window] = its.windows
    if (!its.enabled || window === undefined) return false
    const { ahead, zone } = clocks.findLast((one) => one.at <= at) ?? { ahead: 0, zone: 'UTC' }
    const timeZone = its.zone ?? zone
    const format =
      formats.get(timeZone) ??
      new Intl.DateTimeFormat('en-GB', {
        hour: '2-digit',
        minute: '2-digit',
        hourCycle: 'h23',
        timeZone,
      })
    formats.set(timeZone, format)
    const now = format.format(at + ahead)
    return window.from < window.to
      ? now >= window.from && now < window.to
      : now >= window.from || now < window.to
  }
  for (let at = from; at < to; at += minute) {
    // Those in force at its beginning, and those set within it.
    const its = attentionsIn(plans, seen, at, at + minute - 1)
    if (!its.some((one) => isQuiet(one, at))) continue
    const last = spans.at(-1)
    // The clock may be ahead by less than a minute, so that it ends within this one.
    if (last !== undefined && last.sureTo === at - minute) {
      last.sureTo = at
      last.to = at + minute + slackMs
    } else spans.push({ from: at, sureTo: at, to: at + minute + slackMs })
  }
  return spans
}

/** Nothing pops up until everything was read again: 20 s at most. */
function sleeps(seen: readonly Seen[]): Span[] {
  return seen.flatMap((one) =>
    one.what === 'slept' ? [{ from: one.since, sureTo: one.since, to: one.at + 60 * second }] : [],
  )
}

function runsOf(plans: Plans, seen: readonly Seen[]) {
  const runs: { from: number; to: number; isKilled: boolean }[] = []
  for (const one of seen) {
    if (one.what === 'began') runs.push({ from: one.at, to: plans.to, isKilled: false })
    const last = runs.at(-1)
    if (one.what !== 'ended' || last === undefined) continue
    last.to = one.at
    last.isKilled = one.by !== 'quit'
  }
  return runs
}
