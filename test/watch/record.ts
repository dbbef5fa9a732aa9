import type { AttentionSettings } from '../../src/shared/core/attention/rules.ts'
import type { Claim } from './claims.ts'
import {
  aheadAt,
  ancestorsOf,
  attentionsIn,
  type HeldSilence,
  type Holds,
  holdsOf,
  isAbout,
} from './holds.ts'
import type { Plans } from './plan.ts'
import type { Read } from './proxy.ts'
import type { Run } from './runs.ts'
import type { Seen } from './seen.ts'
import { type ServiceCheck, uniqueKey } from './service.ts'
import type { Whole } from './whole.ts'

const second = 1_000
const minute = 60 * second
/** Between a list's arrival and its effects. */
export const instantMs = 300
/** How long before a kill a pop-up may have been shown without being on disk. */
const atKillMs = 12 * second
/** What is read just before the end of a run is dropped with what is read about it; its flips tell it later. */
const takingInMs = 10 * second

/** A time in which a check was down, and what the user heard about it. */
export interface Outage {
  /** Epoch ms by the real clock. */
  readonly from: number
  readonly to: number
  /** When a pause began that it followed without having been up: the flips of both are alike. */
  readonly pausedAt: number | null
  /** It was down before it was paused, and no list showed anything else: it is still down. */
  readonly isStill: boolean
  /** When a list first showed it; null: none did. */
  readonly seenAt: number | null
  readonly told: { readonly at: number; readonly how: string }[]
  /** A count of changes may have told of it. */
  isCounted: boolean
  /** A message in the chat told of it. */
  isSaid: boolean
  /** When the user heard that it was over. */
  readonly ups: number[]
}

/** A check of the service, and what the user heard about it. */
export interface Watched {
  readonly project: number
  readonly uuid: string
  readonly label: string
  readonly outages: readonly Outage[]
  readonly runs: readonly Run[]
  readonly graceMs: number
  /** When it was paused, resumed, deleted or created. */
  readonly breaks: readonly number[]
  last: Word | null
}

/** What the user was told that a check is. */
export interface Word {
  readonly at: number
  readonly now: 'up' | 'down'
  readonly before: Word | null
}

/** What really happened in a life, apart from what the user was shown. */
export class Record {
  readonly plans: Plans
  readonly seen: readonly Seen[]
  readonly holds: Holds
  /** Of each project, in order. */
  readonly reads: readonly (readonly Read[])[]
  readonly #checks = new Map<string, Watched>()
  readonly #sleeps: readonly { readonly from: number; readonly to: number }[]
  readonly #accounts = new Map<string, number>()

  constructor(plans: Plans, whole: Whole) {
    this.plans = plans
    this.seen = whole.seen
    this.holds = holdsOf(plans, whole.seen)
    this.#sleeps = whole.seen.flatMap((one) =>
      one.what === 'slept' ? [{ from: one.since, to: one.at }] : [],
    )
    this.reads = plans.projects.map((_, project) =>
      whole.seen.flatMap((one) =>
        one.what === 'read' && one.read.project === project ? [one.read] : [],
      ),
    )
    for (const one of whole.seen)
      if (one.what === 'act' && (one.act.did === 'added' || one.act.did === 'twin'))
        this.#accounts.set(one.act.accountId, one.act.project)
    for (const [project, { checks }] of whole.services.entries())
      for (const check of checks) this.#watch(project, check)
  }

  projectOf(accountId: string): number | undefined {
    return this.#accounts.get(accountId)
  }

  get checks(): readonly Watched[] {
    return [...this.#checks.values()]
  }

  #isStillDown(
    project: number,
    { uuid, flips }: Whole['services'][number]['checks'][number],
    place: number,
    skew: number,
  ): boolean {
    const ended = flips.findLastIndex((_, at) => at < place && flips[at - 1]?.to === 'down')
    if (ended < 0 || flips.slice(ended, place).some(({ to }) => to === 'up')) return false
    const [from, to] = [flips[ended], flips[place]].map((one) => (one?.at ?? 0) - skew)
    return !this.reads[project]?.some(
      (read) =>
        read.asOf >= (from ?? 0) && read.asOf < (to ?? 0) && statusIn(read, uuid) !== 'down',
    )
  }

  #watch(project: number, check: Whole['services'][number]['checks'][number]): void {
    const { skew = 0, deeds = [], checks = [] } = this.plans.projects[project] ?? {}
    const place = checks.findIndex(({ uuid }) => uuid === check.uuid)
    const breaks = deeds.flatMap((deed) =>
      deed.check === place && ['pause', 'resume', 'create', 'delete'].includes(deed.what)
        ? [deed.at]
        : [],
    )
    const outages = check.flips.flatMap(({ at, to }, at2): Outage[] => {
      if (to !== 'down') return []
      const from = at - skew
      const until = (check.flips[at2 + 1]?.at ?? Number.MAX_SAFE_INTEGER) - skew
      const seenAt =
        this.reads[project]?.find(
          (read) => read.asOf >= from && read.asOf < until && statusIn(read, check.uuid) === 'down',
        )?.at ?? null
      const lastUp = check.flips.findLastIndex((one, place) => place < at2 && one.to === 'up')
      const pause = check.flips.slice(lastUp + 1, at2).find((one) => one.to === 'paused')
      const pausedAt = pause === undefined ? null : pause.at - skew
      const isStill = this.#isStillDown(project, check, at2, skew)
      const heard = { told: [], isCounted: false, isSaid: false, ups: [] }
      return [{ from, to: until, pausedAt, isStill, seenAt, ...heard }]
    })
    this.#checks.set(`${project} ${uniqueKey(check.uuid)}`, {
      ...{ project, uuid: check.uuid, label: check.name, outages, breaks, last: null },
      ...{ runs: runsOf(check, skew), graceMs: check.grace },
    })
  }

  checkOf({ accountId, checkId }: Claim): Watched | undefined {
    return this.#checks.get(`${this.#accounts.get(accountId) ?? -1} ${checkId}`)
  }

  /** When the app that runs then began. */
  #runFrom(at: number): number {
    return this.holds.runs.findLast(({ from }) => from <= at)?.from ?? 0
  }

  /** What the newest list in this run says; two answers if it has only just come. */
  newest({ project, uuid }: Watched, at: number): readonly { status: string }[] | null {
    const told = (this.reads[project] ?? []).filter(
      (read) =>
        read.at <= at &&
        read.at >= this.#runFrom(at) &&
        (read.outcome === 'good' ||
          (read.outcome === 'doubtful' && statusIn(read, uuid) === 'down')),
    )
    const last = told.at(-1)
    if (last === undefined) return null
    const before = at - last.at <= instantMs ? told.at(-2) : undefined
    return [last, before].flatMap((read) =>
      read === undefined ? [] : [{ status: statusIn(read, uuid) ?? 'nothing' }],
    )
  }

  silences({ project, uuid }: Watched): readonly HeldSilence[] {
    const tags = new Set(
      (this.reads[project] ?? []).flatMap(
        (read) => read.listed.find((one) => one.uuid === uuid)?.tags ?? [],
      ),
    )
    const always = (tag: string): boolean =>
      (this.reads[project] ?? []).every((read) =>
        (read.listed.find((one) => one.uuid === uuid)?.tags ?? [tag]).includes(tag),
      )
    return this.holds.silences
      .filter((one) => isAbout(one, project, uuid, [...tags]))
      .filter(({ on }) => on?.project !== project || on.uuid !== uuid)
      .map((one) => {
        const isUnsure = one.covers.of === 'tag' && !always(one.covers.tag)
        const sure = isUnsure ? { ...one, sureTo: one.from } : one
        if (one.on === undefined) return sure
        // They are told in a read after that.
        const next = (this.reads[project] ?? []).find(
          (read) => read.at > one.to && read.outcome === 'good',
        )
        return { ...sure, to: Math.max(one.to, next?.at ?? this.plans.to) + 70 * second }
      })
  }

  /** How long an outage may wait for a read of what its check depends on. */
  mayAwaitMs({ project, uuid }: Watched): number {
    const isCovered = this.holds.dependencies.some(
      ({ covers }) =>
        covers.of === 'tag' ||
        ('project' in covers &&
          covers.project === project &&
          (covers.of === 'project' || covers.uuid === uuid)),
    )
    return isCovered ? Math.max(...this.#polls(this.plans.from, this.plans.to)) * second : 0
  }

  /** The intervals in force at some time of this, in seconds. */
  #polls(from: number, to: number): readonly number[] {
    const all = [
      { at: this.plans.from, seconds: this.plans.pollSeconds },
      ...this.seen.flatMap((one) =>
        one.what === 'act' && one.act.did === 'poll' ? [{ at: one.at, ...one.act }] : [],
      ),
    ]
    const first = all.findLastIndex(({ at }) => at <= from)
    return all.filter(({ at }, place) => place >= first && at <= to).map(({ seconds }) => seconds)
  }

  /**
   * Whether a check that is told as down at once surely had to wait for the next read of one that it
   * depends on, which was up.
   */
  isTooSoon(check: Watched, at: number): boolean {
    const own = (this.reads[check.project] ?? []).filter((read) => read.at <= at)
    const wasUp = own.findLastIndex((read) => statusIn(read, check.uuid) !== 'down')
    const seenAt = own[wasUp + 1]?.at ?? at
    const isPlain = ({ from, to }: { from: number; to: number }): boolean =>
      !this.seen.some(
        (one) =>
          one.at >= from &&
          one.at <= to &&
          (['ended', 'began', 'clock', 'slept', 'act'].includes(one.what) ||
            (one.what === 'read' && one.read.outcome !== 'good')),
      )
    return this.holds.dependencies.some(({ covers, on, from, to }) => {
      const isCovered =
        'project' in covers &&
        covers.project === check.project &&
        (covers.of === 'project' || covers.uuid === check.uuid)
      if (!isCovered || from > seenAt - second || to < at) return false
      if (on.project === check.project && on.uuid === check.uuid) return false
      const mayBeLoop = [...ancestorsOf(on, this.holds.dependencies)].some((one) =>
        one.includes(check.uuid),
      )
      if (mayBeLoop) return false
      const reads = (this.reads[on.project] ?? []).filter(({ outcome }) => outcome === 'good')
      const last = reads.findLast((read) => read.at <= seenAt)
      if (last === undefined || !['up', 'grace'].includes(statusIn(last, on.uuid) ?? ''))
        return false
      const next = reads.find((read) => read.at > seenAt)?.at ?? Number.MAX_SAFE_INTEGER
      const soon = seenAt + Math.min(...this.#polls(last.at, at)) * second
      return at + instantMs < Math.min(next, soon) && isPlain({ from: last.at - minute, to: at })
    })
  }

  /** Whether this was within minutes of a time of day, as shown in a zone of this life; clocks differ. */
  isNear(real: number, minuteOfDay: number, at: number, within = 3): boolean {
    return (
      real <= at &&
      this.seen.some(
        (one) =>
          one.what === 'clock' &&
          one.at <= at &&
          isNear(real + one.ahead, one.zone, minuteOfDay, within),
      )
    )
  }

  /** The outage that the newest list shows. */
  current({ project, uuid, outages }: Watched, at: number): Outage | undefined {
    const read = (this.reads[project] ?? []).findLast(
      (one) => one.at <= at && statusIn(one, uuid) === 'down',
    )
    return outages.findLast(({ from }) => from <= (read?.asOf ?? 0) + second)
  }

  /** Those that were over by the newest list. */
  past({ project, outages }: Watched, at: number): Outage[] {
    const read = (this.reads[project] ?? []).findLast((one) => one.at <= at)
    return outages.filter(({ to }) => to <= (read?.asOf ?? at) + 2 * second)
  }

  /** Whether a list had shown the check by then. */
  isKnown({ project, uuid }: Watched, at: number): boolean {
    return (this.reads[project] ?? []).some(
      (read) => read.at <= at && statusIn(read, uuid) !== undefined,
    )
  }

  /** Whether a list that a run had time for showed it. */
  isTakenIn({ project, uuid }: Watched, { from, to }: Outage): boolean {
    const isLast = (at: number): boolean =>
      this.holds.runs.some((run) => run.to >= at && run.to - at <= takingInMs)
    return (this.reads[project] ?? []).some(
      (read) =>
        read.asOf >= from && read.asOf < to && statusIn(read, uuid) === 'down' && !isLast(read.at),
    )
  }

  /** Whether a list showed that it was up in this time. */
  wasUpIn({ project, uuid }: Watched, from: number, to: number): boolean {
    return (this.reads[project] ?? []).some((read) => {
      const isIn = read.at > from && read.at <= to && read.outcome === 'good'
      return isIn && ['up', 'grace'].includes(statusIn(read, uuid) ?? '')
    })
  }

  /** When the project's list was read next. Null: not any more. */
  readAfter({ project }: Watched, at: number): number | null {
    const reads = this.reads[project] ?? []
    return reads.find((read) => read.at >= at && read.outcome === 'good')?.at ?? null
  }

  /** When a list was read and the app then ran for `ms`, in which it can look further. */
  readAndRan({ project }: Watched, at: number, ms: number): number | null {
    const isLong = (read: Read): boolean =>
      this.holds.runs.some(({ from, to }) => read.at >= from && read.at + ms <= to)
    const reads = this.reads[project] ?? []
    return (
      reads.find((read) => read.at >= at && read.outcome === 'good' && isLong(read))?.at ?? null
    )
  }

  /** The rules in force at some time of this. */
  attentions(from: number, to = from): readonly AttentionSettings[] {
    return attentionsIn(this.plans, this.seen, from, to)
  }

  aheadAt(at: number): number {
    return aheadAt(this.seen, at)
  }

  /** The time by a clock that stands still while the computer sleeps. */
  awake(at: number): number {
    return this.#sleeps.reduce(
      (left, { from, to }) => left - Math.max(0, Math.min(at, to) - from),
      at,
    )
  }

  /** Whether a kill may have come before it was on disk. */
  #isLost(at: number): boolean {
    return this.holds.runs.some(
      (run) => run.isKilled && run.to >= at && this.awake(run.to) - this.awake(at) <= atKillMs,
    )
  }

  isAfterCrash(earlier: number, at: number): boolean {
    return this.holds.runs.some(
      (run) =>
        run.isKilled &&
        run.to >= earlier &&
        run.to <= at &&
        this.awake(run.to) - this.awake(earlier) <= atKillMs,
    )
  }

  /** Whether a kill came before what was told then was on the disk. */
  isForgotten(at: number): boolean {
    const run = this.holds.runs.find(({ from, to }) => from <= at && at <= to)
    if (run?.isKilled !== true) return false
    return !this.seen.some((one) => one.what === 'marked' && one.asOf >= at && one.at <= run.to)
  }

  /** What the app told last as far as it knows: not what a kill kept from the disk. */
  known({ last }: Watched, at: number): Word | null {
    const isLost = (word: Word): boolean =>
      this.isAfterCrash(word.at, at) && this.isForgotten(word.at)
    let word = last
    while (word !== null && isLost(word)) word = word.before
    return word
  }

  baseline({ project }: Watched, at: number): number {
    const added = this.seen.findLast(
      (one) =>
        one.at <= at &&
        one.what === 'act' &&
        one.act.did === 'added' &&
        one.act.project === project,
    )
    const first = (this.reads[project] ?? []).find(
      (read) =>
        read.at >= (added?.at ?? 0) - 6 * second &&
        read.outcome === 'good' &&
        !this.#isLost(read.at),
    )
    return first?.at ?? Number.MAX_SAFE_INTEGER
  }

  /** Whether it was so before the first list, or every list until then showed it as down, maybe in several outages. */
  isDownSinceBaseline(check: Watched, { from, to }: Outage, at: number): boolean {
    const baseline = this.baseline(check, at)
    const reads = (this.reads[check.project] ?? []).filter(
      (read) => read.outcome === 'good' && read.at >= baseline && read.asOf < to,
    )
    return from < baseline || reads.every((read) => statusIn(read, check.uuid) === 'down')
  }

  isHere({ project }: Watched, at: number): boolean {
    const last = this.seen.findLast(
      (one) =>
        one.at <= at &&
        one.what === 'act' &&
        (one.act.did === 'added' || one.act.did === 'removed') &&
        one.act.project === project,
    )
    return last?.what === 'act' && last.act.did === 'added'
  }

  isAccountLost({ project }: Watched, from: number, to: number): boolean {
    return this.seen.some(
      (one) =>
        one.what === 'act' &&
        (one.act.did === 'removed' || one.act.did === 'added') &&
        one.act.project === project &&
        one.at > this.plans.from &&
        one.at >= from - minute &&
        one.at <= to,
    )
  }

  say(at: number, what: string): string {
    return `seed ${this.plans.seed} at ${this.clock(at)}: ${what}`
  }

  clock(at: number): string {
    return at > this.plans.to + 30 * 24 * 60 * minute
      ? 'ever'
      : new Date(at).toISOString().slice(11, 23)
  }

  ago(from: number, to: number): string {
    const seconds = Math.round((to - from) / second)
    return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`
  }
}

/** In order of their beginning; what has no start began when it ended. */
function runsOf(
  { starts, ends }: Pick<ServiceCheck, 'starts' | 'ends'>,
  skew: number,
): readonly Run[] {
  const open = starts.filter((at) => !ends.some(({ from }) => from === at))
  const all = [
    ...ends.map(({ from, at, isGood }) => ({ from, to: at, isGood })),
    ...open.map((from) => ({ from, to: null, isGood: false })),
  ].map(({ from, to, isGood }) => ({
    from: from === null ? null : from - skew,
    to: to === null ? null : to - skew,
    ...{ isGood, toldAt: null },
  }))
  return all.sort((one, other) => (one.from ?? one.to ?? 0) - (other.from ?? other.to ?? 0))
}

export function statusIn({ listed }: Read, uuid: string): string | undefined {
  return listed.find((one) => one.uuid === uuid)?.status
}

function isNear(wall: number, timeZone: string, minuteOfDay: number, within: number): boolean {
  const format = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone })
  const [hours, minutes] = format.format(wall).split(':').map(Number)
  const apart = Math.abs((hours ?? 0) * 60 + (minutes ?? 0) - minuteOfDay)
  return Math.min(apart, 24 * 60 - apart) <= within
}
