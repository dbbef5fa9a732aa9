import type { ConformanceService } from './case.ts'
import { type Outcome, type RealTarget, runCase, waitOf } from './run-cases.ts'

export interface Totals {
  readonly held: number
  readonly differs: number
  readonly skipped: number
  /** Cases that could never run on a real server. */
  readonly pretend: number
  /** What the run failed to remove, in words. */
  readonly left: readonly string[]
  /** What no request can remove, in words. */
  readonly stays: readonly string[]
}

/** Runs all cases on someone's real server, one by one. Those that only wait run together. */
export async function runAll<Controls, World>(
  service: ConformanceService<Controls, World>,
  target: RealTarget,
  tell: (name: string, outcome: Outcome) => void,
): Promise<Totals> {
  const totals = { held: 0, differs: 0, skipped: 0, pretend: 0 }
  const left: string[] = []
  const stays = new Set<string>()
  const runFrom = async (cases: Iterator<(typeof service.cases)[number]>) => {
    for (let next = cases.next(); !next.done; next = cases.next()) {
      const run = await runCase(service, next.value, target)
      totals[run.outcome.kind] += 1
      left.push(...run.left)
      for (const what of run.stays) stays.add(what)
      tell(next.value.name, run.outcome)
    }
  }
  const waits = (one: (typeof service.cases)[number]) => !one.clock && waitOf(one) > 0
  await runFrom(service.cases.filter((one) => !waits(one)).values())
  const waiting = service.cases.filter(waits).values()
  await Promise.all(Array.from({ length: target.together ?? 8 }, () => runFrom(waiting)))
  return { ...totals, left, stays: [...stays] }
}
