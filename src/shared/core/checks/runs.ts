import { durationWords, periodWords } from '../time.ts'
import type { Ping } from './ping.ts'

/** One run of a job, or a signal outside of any: a lone log entry, an ignored one. */
export interface Run {
  /** Unique in the list, and the same when the log is read again. */
  readonly key: string
  /** `open`: its start has no end in the log, and it is not the current run. */
  readonly outcome: 'success' | 'fail' | 'running' | 'open' | 'log' | 'ignored' | 'unknown'
  /** Null if the job sent none, or the log does not reach back to it. */
  readonly start: Ping | null
  /** The success or failure; outside of a run, the signal itself. */
  readonly end: Ping | null
  /** Log entries that were sent during it, or with its run id, newest first. */
  readonly logs: readonly Ping[]
  /** As the service measured it, or from start to end; null if neither is known. */
  readonly durationSeconds: number | null
}

/** As on the service, a later end does not belong to the start. */
const longestRunMs = 72 * 60 * 60_000

/**
 * The runs in a log of pings, both newest first, by each run's last signal. A start is ended by the
 * next success or failure with the same run id (or also without one); starting the same id again
 * leaves the first start open. `started`: the newest open run is still going on.
 */
export function runsOf(pings: readonly Ping[], started: boolean): readonly Run[] {
  const all = new Set<Signals>()
  /** By run id. */
  const latest = new Map<string | null, Signals>()
  for (const ping of pings.toReversed()) {
    const last = latest.get(ping.runId)
    if (ping.kind === 'log' && last !== undefined && (ping.runId !== null || last.end === null)) {
      last.logs.unshift(ping)
      continue
    }
    const isEnd = ping.kind === 'success' || ping.kind === 'fail'
    const its = isEnd && last !== undefined && isOpenFor(last, ping)
    const run: Signals = its ? last : { start: null, end: null, logs: [] }
    if (ping.kind === 'start') run.start = ping
    else run.end = ping
    if (isEnd || ping.kind === 'start') latest.set(ping.runId, run)
    all.delete(run)
    all.add(run)
  }
  const listed = [...all].reverse()
  const current = started ? listed.find(({ end }) => end === null) : undefined
  return listed.map((run) => runOf(run, run === current))
}

type Signals = { -readonly [Name in 'start' | 'end']: Run[Name] } & { readonly logs: Ping[] }

function isOpenFor({ start, end }: Signals, { at }: Ping): boolean {
  return end === null && start !== null && at - start.at < longestRunMs
}

function runOf({ start, end, logs }: Signals, isCurrent: boolean): Run {
  const measured = start === null || end === null ? null : Math.max(0, end.at - start.at) / 1000
  const durationSeconds = end?.durationSeconds ?? measured
  const outcome = isCurrent ? 'running' : end === null || end.kind === 'start' ? 'open' : end.kind
  return { key: keyOf(start ?? end), outcome, start, end, logs, durationSeconds }
}

function keyOf(first: Ping | null): string {
  return `${first?.n ?? `${first?.at} ${first?.kind} ${first?.runId}`}`
}

/** When it ended, or began. Epoch ms by the server's clock. */
export function runAt({ start, end }: Run): number {
  return end?.at ?? start?.at ?? 0
}

/** The ping with the run's output: its end, else its last log entry, else its start. */
export function outputOf({ start, end, logs }: Run): (Ping & { readonly n: number }) | null {
  const having = [end, ...logs, start].find((ping) => ping?.hasBody === true && ping.n !== null)
  // `find` has checked `n`.
  return (having as (Ping & { readonly n: number }) | undefined) ?? null
}

export interface UsualDuration {
  /** Eight of ten runs took between `from` and `to`, in seconds. */
  readonly from: number
  readonly to: number
  readonly median: number
}

/** How long successful runs usually take; null if fewer than three were measured. */
export function usualDuration(runs: readonly Run[]): UsualDuration | null {
  const times = runs.flatMap(({ outcome, durationSeconds: time }) =>
    outcome === 'success' && time !== null ? [time] : [],
  )
  return times.length < 3 ? null : usualOf(times)
}

/** Of these durations, at least one, in seconds. */
export function usualOf(durations: readonly number[]): UsualDuration {
  const times = durations.toSorted((a, b) => a - b)
  const at = (share: number): number => times[Math.round((times.length - 1) * share)] ?? 0
  return { from: at(0.1), to: at(0.9), median: at(0.5) }
}

/** How long a run took, with a fraction for short ones, where it matters: "0.4 s", "1 min 35 s". */
export function runWords(seconds: number): string {
  if (seconds >= 600) return durationWords(seconds * 1000)
  if (seconds >= 60) return periodWords(seconds)
  return `${seconds < 10 ? Number(seconds.toFixed(2)) : Math.round(seconds)} s`
}

/** "usually 3 min to 4 min". */
export function usualWords({ from, to }: UsualDuration): string {
  const [low, high] = [runWords(from), runWords(to)]
  return low === high ? `usually ${low}` : `usually ${low} to ${high}`
}

/** Whether it is not just a lone log entry or an ignored signal. */
export function isRun({ start, outcome }: Run): boolean {
  return start !== null || outcome === 'success' || outcome === 'fail'
}

const outcomes: Readonly<Record<Exclude<Run['outcome'], 'unknown'>, string>> = {
  success: 'success',
  fail: 'failed',
  running: 'running',
  open: 'started, no end',
  log: 'log entry',
  ignored: 'ignored',
}

export function outcomeWords({ outcome, end }: Run): string {
  return outcome === 'unknown' ? (end?.rawKind ?? '') : outcomes[outcome]
}

/** "failed, 4 min". */
export function runSummary(run: Run): string {
  const { durationSeconds: time } = run
  return `${outcomeWords(run)}${time === null ? '' : `, ${runWords(time)}`}`
}
