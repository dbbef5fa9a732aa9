import { describe, expect, test } from 'vitest'
import { readRuns, runRows } from '../../../../../src/main/storage/run-rows.ts'
import {
  noRuns,
  type OddKind,
  type OddRun,
  type ProjectRuns,
  runsAfter,
} from '../../../../../src/shared/core/attention/runs/usual-runs.ts'
import type { Check } from '../../../../../src/shared/core/checks/check.ts'
import * as eg from '../../../../support/eg.ts'
import { type Seeded, seeded } from '../../../../support/seeded.ts'

const second = 1_000
const minute = 60 * second
const periodMs = 60 * minute
const graceSeconds = 50 * 60

/** A job's run, as it truly was. Epoch ms. */
interface Truth {
  readonly from: number
  readonly seconds: number
  readonly hasStart: boolean
  readonly fails: boolean
  readonly hasLog: boolean
}

/** A job that runs every hour, mostly as usual. */
function jobOf(chance: Seeded, many: number): readonly Truth[] {
  const usual = chance.pick([12, 40, 300, 900])
  const spread = chance.pick([0, 0.1, 0.5, 0.9])
  const changed = chance.chance(0.2) ? chance.whole(20, many) : many
  return Array.from({ length: many }, (_, at) => {
    const factor = chance.pick([1, 1, 1, 1, 1, 1, 0.02, 0.09, 3.3, 6])
    const around = usual * (1 + spread * (2 * chance.random() - 1)) * (at > changed ? 0.05 : 1)
    return {
      from: eg.now + at * periodMs + chance.whole(0, 120) * second,
      seconds: Math.min(graceSeconds, Math.floor(around * factor)),
      hasStart: !chance.chance(0.05),
      // A long one would be told before it fails.
      fails: factor === 1 && chance.chance(0.04),
      hasLog: chance.chance(0.1),
    }
  })
}

/** The check as the service shows it at a time, after all runs that had begun. */
function listedAt(job: readonly Truth[], at: number): Check {
  let pings = 0
  let last: Truth | null = null
  let open: Truth | null = null
  for (const run of job) {
    const endedAt = run.from + run.seconds * second
    if (run.from > at) break
    pings += Number(run.hasStart)
    if (endedAt > at) {
      open = run.hasStart ? run : null
      break
    }
    pings += 1 + Number(run.hasLog)
    last = run
  }
  const lastPingAt = last === null ? null : last.from + last.seconds * second
  return eg.check({
    ...{ id: 'job', name: 'job', graceSeconds, started: open !== null, lastPingAt },
    ...statusOf(last, lastPingAt, open, at),
    pingCount: pings,
    lastDurationSeconds: last?.hasStart === true ? last.seconds : null,
  })
}

function statusOf(last: Truth | null, lastPingAt: number | null, open: Truth | null, at: number) {
  if (last?.fails === true) return { status: 'down', nextPingAt: null } as const
  const expected = lastPingAt === null ? null : lastPingAt + periodMs
  const times = [expected, open?.from ?? null].filter((one) => one !== null)
  const nextPingAt = times.length === 0 ? null : Math.min(...times)
  if (expected === null) return { status: 'new', nextPingAt } as const
  return { status: at >= expected ? 'grace' : 'up', nextPingAt } as const
}

/** The plain algorithm: what is odd about each run, from all that were before it. */
function plainly(job: readonly Truth[]): string[] {
  const told: string[] = []
  let took: (number | null)[] = []
  let before: OddKind | null = null
  let wasWell = false
  for (const [at, run] of job.entries()) {
    const kind = kindOf(took, run, job[at - 1], wasWell)
    if (kind !== null && kind !== before) told.push(`${kind} ${at}`)
    before = kind
    wasWell = !run.fails
    // A check is known from its first start on.
    if (!run.fails && (took.length > 0 || run.hasStart))
      took = [...took, run.hasStart ? run.seconds : null].slice(-20)
  }
  return told
}

function kindOf(
  took: readonly (number | null)[],
  run: Truth,
  previous: Truth | undefined,
  wasWell: boolean,
): OddKind | null {
  const measured = took.filter((one) => one !== null).sort((one, other) => one - other)
  if (measured.length < 10) return null
  const part = (share: number) => measured[Math.round((measured.length - 1) * share)] ?? 0
  if (!run.hasStart) {
    if (run.fails || run.hasLog || !wasWell || previous?.hasStart === false) return null
    return measured.length / took.length >= 0.9 ? 'noStart' : null
  }
  if (run.fails) return null
  const isLong =
    run.seconds > 3 * part(0.5) && run.seconds > 2 * part(0.9) && run.seconds > part(0.5) + 60
  const isShort = 10 * (run.seconds + 1) < part(0.5) && 2 * (run.seconds + 1) < part(0.1)
  return isLong ? 'tooLong' : isShort ? 'tooShort' : null
}

/** Polls the job every so often, and says which runs were found odd. */
function watched(job: readonly Truth[], chance: Seeded, restarts: 'none' | 'clean' | 'crash') {
  const told: string[] = []
  let known: ProjectRuns = noRuns
  let saved: ProjectRuns = noRuns
  const end = (job.at(-1)?.from ?? 0) + periodMs
  for (let at = eg.now - minute; at < end; at += minute) {
    const check = listedAt(job, at)
    const read = { checks: new Map([['job', check]]), changed: ['job'], gone: [], at }
    const { runs, odd } = runsAfter(known, read, () => null)
    told.push(...odd.map((one) => `${one.kind} ${indexOf(job, one, at)}`))
    known = runs
    if (restarts === 'none' || !chance.chance(0.01)) continue
    if (restarts === 'clean' || chance.chance(0.5)) saved = known
    const onDisk: unknown = JSON.parse(JSON.stringify([['ops', runRows(saved.learned)]]))
    const learned = readRuns(onDisk).get('ops') ?? new Map()
    known = { learned, notifiedUpTo: known.notifiedUpTo }
  }
  return told
}

/** Which run it is: the one that is going on, or the last that ended. */
function indexOf(job: readonly Truth[], { isRunning }: OddRun, at: number): number {
  return job.findLastIndex(({ from, seconds }) =>
    isRunning ? from <= at : from + seconds * second <= at,
  )
}

describe('odd runs', () => {
  test('are found once each, as by the plain algorithm, also across restarts', () => {
    const seen: Record<OddKind, number> = { tooShort: 0, tooLong: 0, noStart: 0 }
    for (let seed = 1; seed <= 150; seed += 1) {
      const job = jobOf(seeded(seed), 60)
      const expected = plainly(job)
      for (const restarts of ['none', 'clean'] as const)
        expect(watched(job, seeded(seed), restarts), `seed ${seed}, ${restarts}`).toEqual(expected)
      for (const one of expected) seen[one.split(' ')[0] as OddKind] += 1
    }
    for (const many of Object.values(seen)) expect(many).toBeGreaterThan(50)
  })

  test('are found at most once each, whatever a crash took of what was learned', () => {
    for (let seed = 1; seed <= 150; seed += 1) {
      const told = watched(jobOf(seeded(seed), 60), seeded(seed), 'crash')
      expect(told.length, `seed ${seed}: ${told.join()}`).toBe(new Set(told).size)
    }
  })
})
