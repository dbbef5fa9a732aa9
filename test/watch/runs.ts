import type { Seeded } from '../support/seeded.ts'
import type { Claim } from './claims.ts'
import type { Record, Watched } from './record.ts'
import { nextAfter, type Plan } from './schedules.ts'
import type { Deed } from './service.ts'

const second = 1_000
const minute = 60 * second
/** As for an outage: for a storm, and some for reads. */
const promptMs = 12 * minute

export type OddKind = 'tooShort' | 'tooLong' | 'noStart'

/** A run of a job, as the service got it. Epoch ms by the real clock. */
export interface Run {
  /** Null: it sent no start signal. */
  readonly from: number | null
  /** Null: it has not ended. */
  readonly to: number | null
  readonly isGood: boolean
  /** When the user heard that it was odd. */
  toldAt: number | null
}

/** The start signals of a job, if it sends any: mostly a usual time before it ends. */
export function startsOf(
  chance: Seeded,
  check: number,
  its: { readonly deeds: readonly Deed[]; readonly plan: Plan; readonly grace: number },
): readonly Deed[] {
  if (!chance.chance(0.4)) return []
  const { deeds, plan, grace } = its
  const usual = Math.min(chance.pick([30, 60, 100]), grace / second / 6)
  const inOrder = deeds.filter((one) => one.check === check).toSorted((a, b) => a.at - b.at)
  return inOrder.flatMap(({ at, what }, place): Deed[] => {
    const before = inOrder[place - 1]
    const factor = chance.pick([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0.02, 5, null])
    const ms = Math.floor(usual * (0.8 + 0.4 * chance.random()) * (factor ?? 1)) * second
    if (what !== 'success' || before?.what !== 'success' || factor === null) return []
    const dueAt = nextAfter(plan, before.at)
    const from = at - ms
    const isApart = from > before.at + second && from < dueAt + grace - 5 * second
    return isApart ? [{ at: from, check, what: 'start' }] : []
  })
}

function lasted({ from, to }: Run, at: number): number {
  return from === null ? 0 : Math.min(to ?? at, at) - from
}

/** Whether the run may be called so: by the widest reading of what is usual. */
function mayBe(kind: OddKind, run: Run, check: Watched, at: number): boolean {
  const end = Math.min(run.to ?? at, at)
  const measured = check.runs.filter(
    (one) => one !== run && one.isGood && one.from !== null && (one.to ?? at) < end,
  )
  if (measured.length < 10) return false
  const took = measured.map((one) => lasted(one, at))
  if (kind === 'noStart') return run.from === null && run.isGood && run.to !== null && run.to <= at
  if (run.from === null || run.from > at) return false
  if (kind === 'tooShort')
    return run.isGood && run.to !== null && run.to <= at && lasted(run, at) < Math.max(...took) / 10
  return lasted(run, at) > 3 * Math.min(...took) - second
}

/** Rule 12, for one claim: what is wrong with it, or null. */
export function judgeRun(
  record: Record,
  at: number,
  check: Watched,
  { odd, text, foundAt, took }: Claim,
): { readonly is: 'doubled' | 'untrue'; readonly how: string } | null {
  if (odd === undefined) return null
  const read = (record.reads[check.project] ?? []).findLast(
    (one) => one.at <= at && one.outcome === 'good',
  )
  const asOf = (read?.asOf ?? at) + second
  const begun = check.runs.filter((run) => (run.from ?? run.to ?? asOf) <= asOf)
  const isSo = (run: Run): boolean =>
    mayBe(odd, run, check, asOf) &&
    (took === null ||
      (run.to !== null && lasted(run, asOf) >= took.from && lasted(run, asOf) <= took.to))
  // The last one, unless something has held the notice back.
  const last = begun.findLast(isSo)
  // What was held back says when it was found out: later runs may be told by themselves.
  const by = foundAt - record.aheadAt(at) + second
  const all = begun.filter((run) => run.toldAt === null && isSo(run))
  const known = ({ from, to }: Run): number => (odd === 'tooLong' ? (from ?? 0) : (to ?? 0))
  const untold = all.findLast((run) => known(run) <= by) ?? all.at(-1)
  const isAtOnce = at < by
  const meant = isAtOnce ? last : (untold ?? last)
  if (meant === undefined) return { is: 'untrue', how: `${check.label}: “${text}”, but no run was` }
  const { toldAt } = meant
  meant.toldAt = at
  if (toldAt === null || record.isAfterCrash(toldAt, at)) return null
  return {
    is: 'doubled',
    how: `${check.label}: “${text}”, told ${record.ago(toldAt, at)} before of the same run`,
  }
}

/** Rule 12: clearly odd runs of which nobody heard, though nothing asked for quiet. */
export function untoldRuns(record: Record): readonly string[] {
  const { plans } = record
  return record.checks.flatMap((check) => {
    const runs = seenRuns(record, check)
    return runs.flatMap((run, place) => {
      const kind = clearly(run, runs.slice(0, place), check)
      if (kind === null || run.to === null || run.to > plans.calmFrom) return []
      if (!isPlain(record, check, run.to)) return []
      const isTold = run.toldAt !== null && run.toldAt <= run.to + promptMs
      return isTold ? [] : [record.say(run.to, `${check.label}: a run was ${kind}, never told`)]
    })
  })
}

/** Whether nothing may have kept it from the user, or the app from knowing what is usual. */
function isPlain(record: Record, check: Watched, at: number): boolean {
  const around = { from: at - 30 * minute, to: at + promptMs }
  const { from, to } = around
  const isIn = (one: { readonly from: number; readonly to: number }): boolean =>
    one.from <= to && one.to >= from
  const hasHold = [...record.holds.quiet, ...record.silences(check)].some(isIn)
  const isDisturbed = record.seen.some(
    (one) =>
      one.at <= to &&
      (['ended', 'began', 'slept', 'daemon', 'act', 'clock'].includes(one.what)
        ? one.at >= from
        : one.what === 'read' && one.at >= from && one.read.outcome !== 'good'),
  )
  const isOther = record.seen.some(
    (one) =>
      one.at <= to &&
      one.what === 'act' &&
      (['removed', 'twin', 'other'].includes(one.act.did) ||
        (one.act.did === 'added' && one.at > record.plans.from + minute)),
  )
  return (
    !hasHold &&
    !isDisturbed &&
    !isOther &&
    !check.breaks.some((one) => one <= to) &&
    record.seen.filter((one) => one.what === 'clock' && one.at <= to).length <= 1
  )
}

/** The runs that were the last ones by some list. */
function seenRuns(record: Record, check: Watched): readonly Run[] {
  const reads = (record.reads[check.project] ?? []).filter(({ outcome }) => outcome === 'good')
  const last = reads.map(({ asOf }) =>
    check.runs.findLast(({ to }) => to !== null && to <= asOf - second),
  )
  return [...new Set(last)].filter((run) => run !== undefined)
}

/** How many of the last runs the app may have learned from: it may have seen two of them otherwise. */
const learnedFrom = [18, 19, 20, 21, 22]

/** Too short or too long by any reading, after one that was as usual. */
function clearly(run: Run, before: readonly Run[], check: Watched): OddKind | null {
  const previous = before.at(-1)
  if (run.from === null || !run.isGood || previous?.from == null) return null
  const ms = lasted(run, run.to ?? 0)
  const msBefore = lasted(previous, previous.to ?? 0)
  if (ms > check.graceMs - 2 * second) return null
  const good = before.filter(({ isGood }) => isGood)
  const kinds = learnedFrom.map((many) => {
    const usual = usualOf(good.slice(-many))
    if (usual === null || msBefore <= usual.median / 2 || msBefore >= 2 * usual.median) return null
    return kindOf(ms, usual)
  })
  const [kind = null] = kinds
  return kinds.every((one) => one === kind) ? kind : null
}

interface Usual {
  readonly median: number
  readonly least: number
  readonly most: number
}

function usualOf(runs: readonly Run[]): Usual | null {
  const measured = runs.filter(({ from }) => from !== null)
  const took = measured.map((one) => lasted(one, one.to ?? 0)).sort((a, b) => a - b)
  const at = (part: number) => took[Math.round(part * (took.length - 1))]
  const [median, least, most] = [at(0.5), at(0.05), at(0.95)]
  if (took.length < 14 || median === undefined || least === undefined || most === undefined)
    return null
  return { median, least, most }
}

function kindOf(ms: number, { median, least, most }: Usual): OddKind | null {
  if (ms + 3 * second < Math.min(median / 10, least / 2)) return 'tooShort'
  return ms > Math.max(3 * median, 2 * most, median + minute) + 3 * second ? 'tooLong' : null
}
