import type { Fault, Life } from './life.ts'
import type { Read } from './proxy.ts'
import type { ServiceCheck } from './service.ts'
import type { Look, Watched } from './watch.ts'

/** The result of a life, from what the service knows and what the user was shown. */
export interface Verdict {
  readonly flips: number
  readonly missed: readonly string[]
  readonly doubled: readonly string[]
  /** Notified outages that never happened. */
  readonly invented: readonly string[]
  readonly greenSeconds: number
  readonly green: readonly string[]
  /** Seconds. */
  readonly worstRecovery: number
  readonly slow: readonly string[]
}

const second = 1_000
/** Time for a read and its effects, and for the clocks' difference. */
const slackMs = 3 * second
/** A failed read is retried within this time before anything is said about it. */
const graceMs = 10 * second
const shortFaultMs = 45 * second
const recoveryMs = { short: 12 * second, long: 30 * second }
/** Extra time if the fault itself says when to retry, or holds a poll until its deadline. */
const patienceMs: Partial<Record<Fault['kind'], number>> = {
  silent: 20 * second,
  rateLimited: 20 * second,
}

export function judge(life: Life, watched: Watched): Verdict {
  const verdict = { flips: 0, missed: [], doubled: [], invented: [] } as {
    flips: number
    missed: string[]
    doubled: string[]
    invented: string[]
  }
  for (const [project, { checks }] of watched.services.entries())
    for (const check of checks) judgeCheck(life, watched, { project, check }, verdict)
  const green = falselyGreen(life, watched)
  return { ...verdict, ...green, ...recoveries(life, watched.reads) }
}

interface Outage {
  readonly at: number
  /** Since when the check was not up. */
  readonly from: number
  news: number
}

function judgeCheck(
  life: Life,
  watched: Watched,
  { project, check }: { readonly project: number; readonly check: ServiceCheck },
  verdict: { flips: number; missed: string[]; doubled: string[]; invented: string[] },
): void {
  const { skew } = life.projects[project] ?? { skew: 0 }
  const reads = watched.reads.filter((read) => read.project === project)
  const good = reads.filter(({ outcome }) => outcome === 'good')
  // A list that lacks checks is still true about those it has, which may be news.
  const shown = reads.filter(
    (read) => read.outcome === 'good' || read.fault?.kind === 'partialOnce',
  )
  const where = `seed ${life.seed}, poll ${life.pollSeconds} s, p${project} ${check.name}`
  const outages: Outage[] = check.flips.flatMap(({ at, to }, place) => {
    if (to !== 'down') return []
    // The outage may have begun as a pause: flips only say whether they are to up.
    const lastUp = check.flips.findLastIndex((one, index) => index < place && one.to === 'up')
    const from = check.flips[lastUp + 1]?.at ?? at
    return [{ at: at - skew, from: from - skew, news: 0 }]
  })
  const own = watched.told.filter((one) => one.project === project && one.name === check.name)
  const each = own.flatMap(({ at, outages: known }) =>
    (known ?? [null]).map((from) => ({ at, from })),
  )
  for (const { at, from } of each) {
    const outage = from === null ? lasting(outages, shown, at) : began(outages, from - skew)
    if (outage !== undefined) outage.news += 1
    // A pause may have been an outage if nothing tells which.
    else if (!check.flips.some((flip) => from !== null && Math.abs(flip.at - from) <= slackMs))
      verdict.invented.push(
        `${where}: notified at ${when(at)} about one at ${from && when(from - skew)}`,
      )
  }
  // The first read is the baseline; what came after the last could not be known by the end.
  const first = (good[0]?.at ?? Number.POSITIVE_INFINITY) + slackMs
  const last = (good.at(-1)?.at ?? 0) - life.pollSeconds * second - 60 * second
  const judged = outages.filter(({ at }) => at > first && at < last)
  verdict.flips += judged.length
  for (const { at, news } of judged) {
    if (news === 0) verdict.missed.push(`${where}: down at ${when(at)}`)
    if (news > 1) verdict.doubled.push(`${where}: down at ${when(at)}, notified ${news} times`)
  }
}

function when(at: number): string {
  return new Date(at).toISOString().slice(5, 23)
}

/** The newest outage that the read before the notification could show. */
function lasting(outages: readonly Outage[], shown: readonly Read[], at: number) {
  const read = shown.findLast((one) => one.at <= at)
  return outages.findLast((outage) => outage.at <= (read?.at ?? 0))
}

/** The outage that began then; of several within seconds, one that wasn't notified yet. */
function began(outages: readonly Outage[], from: number): Outage | undefined {
  const distance = (one: Outage): number =>
    Math.min(Math.abs(one.at - from), Math.abs(one.from - from))
  const near = outages
    .filter((one) => distance(one) <= slackMs)
    .sort((one, other) => distance(one) - distance(other))
  return near.find(({ news }) => news === 0) ?? near[0]
}

interface Span {
  readonly from: number
  readonly to: number
  readonly why: string
}

/** Seconds in which the icon was green although it was unknown or untrue that all was well. */
function falselyGreen(life: Life, { reads, looks }: Watched) {
  const green = spansOfGreen(looks, life.to)
  const wrong = life.projects.flatMap((_, project) => spansOfDoubt(life, project, reads, looks))
  // Nobody sees the icon of a sleeping computer, and everything is read again first afterwards.
  const asleep = life.interruptions
    .filter(({ kind }) => kind === 'sleep')
    .map(({ from, to }) => ({ from, to: to + graceMs }))
  const found: string[] = []
  let all = 0
  for (const { from, to } of green)
    for (const doubt of wrong) {
      let at = Math.max(from, doubt.from)
      const until = Math.min(to, doubt.to)
      for (const sleep of asleep) if (at >= sleep.from && at < sleep.to) at = sleep.to
      // Whole seconds, since a timer may be late by some ms.
      const seconds = Math.floor((until - at) / second)
      if (seconds <= 0) continue
      all += seconds
      found.push(
        `seed ${life.seed}, poll ${life.pollSeconds} s: green for ${seconds} s from ${new Date(at).toISOString()}, ${doubt.why}`,
      )
    }
  return { green: found, greenSeconds: all }
}

function spansOfGreen(looks: readonly Look[], end: number): Omit<Span, 'why'>[] {
  return looks.flatMap(({ at, shape }, place) =>
    shape === 'good' ? [{ from: at, to: looks[place + 1]?.at ?? end }] : [],
  )
}

/** When one project's data doesn't justify green, while the app runs. */
function spansOfDoubt(
  life: Life,
  project: number,
  reads: readonly Read[],
  looks: readonly Look[],
): Span[] {
  const own = reads.filter((read) => read.project === project)
  const spans: Span[] = []
  let failedAt: number | null = null
  for (const [place, read] of own.entries()) {
    const next = own[place + 1]?.at ?? life.to
    if (read.outcome === 'good') {
      failedAt = null
      const stale = read.at + life.pollSeconds * second + graceMs
      for (const uuid of read.down) {
        const quiet = life.silences.find((one) => one.uuid === uuid)?.to ?? 0
        const from = Math.max(read.at, quiet) + slackMs
        spans.push({ from, to: next, why: `p${project} has checks down` })
      }
      spans.push({ from: stale, to: next, why: `p${project} was not read for long` })
      continue
    }
    failedAt ??= read.at
    const why = `p${project}: ${read.outcome} (${read.fault?.kind})`
    spans.push({ from: Math.max(read.at, failedAt + graceMs), to: next, why })
  }
  // Each run of the app starts with nothing read.
  const ends = looks.filter(({ shape }) => shape === null).map(({ at }) => at)
  for (const from of [life.from, ...ends]) {
    const to = own.find((read) => read.at > from && read.outcome === 'good')?.at ?? life.to
    spans.push({ from, to, why: `p${project} was not read since the start` })
  }
  return spans.filter(({ from, to }) => to > from)
}

/** How long it took after each fault until a list was read again, in seconds. */
export function recoveries(
  life: Pick<Life, 'seed' | 'faults'> & {
    readonly interruptions: readonly { readonly from: number; readonly to: number }[]
  },
  reads: readonly Read[],
): Pick<Verdict, 'worstRecovery' | 'slow'> {
  const slow: string[] = []
  let worst = 0
  for (const fault of life.faults) {
    const own = reads.filter(({ project }) => project === fault.project)
    const isMet = own.some((read) => read.fault === fault && read.outcome !== 'good')
    const recovered = own.find(({ at, outcome }) => at >= fault.to && outcome === 'good')
    if (
      !isMet ||
      recovered === undefined ||
      fault.kind === 'emptyOnce' ||
      fault.kind === 'partialOnce'
    )
      continue
    const overlaps = ({ from, to }: { readonly from: number; readonly to: number }): boolean =>
      from < recovered.at && to > fault.from
    const others = life.faults.filter((one) => one !== fault && one.project === fault.project)
    if ([...others, ...life.interruptions].some(overlaps)) continue
    const tookMs = recovered.at - fault.to
    // A fault that began when another had just ended lasts longer for that.
    const lastGood = own.findLast(({ at, outcome }) => at < fault.to && outcome === 'good')
    const firstBad = own.find(({ at }) => at > (lastGood?.at ?? 0))
    const isShort = fault.to - Math.min(fault.from, firstBad?.at ?? fault.from) <= shortFaultMs
    const limit = (isShort ? recoveryMs.short : recoveryMs.long) + (patienceMs[fault.kind] ?? 0)
    worst = Math.max(worst, (tookMs - (patienceMs[fault.kind] ?? 0)) / second)
    if (tookMs > limit)
      slow.push(
        `seed ${life.seed}: ${Math.round(tookMs / second)} s after ${fault.kind} of ${Math.round((fault.to - fault.from) / second)} s`,
      )
  }
  return { worstRecovery: Math.round(worst), slow }
}
