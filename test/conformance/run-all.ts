import type { ConformanceService } from './case.ts'
import { type Outcome, runCase, type Target } from './run-cases.ts'

export interface Totals {
  readonly held: number
  readonly differs: number
  readonly skipped: number
}

/** Asks all cases of a target, one after the other: a real server is somebody's. */
export async function runAll<Controls, World>(
  service: ConformanceService<Controls, World>,
  target: Target,
  tell: (name: string, outcome: Outcome) => void,
): Promise<Totals> {
  const totals = { held: 0, differs: 0, skipped: 0 }
  for (const one of service.cases) {
    const outcome = await runCase(service, one, target).catch(brokenOff)
    totals[outcome.kind] += 1
    tell(one.name, outcome)
  }
  return totals
}

/** No connection, or an answer without what the next step needs. */
function brokenOff(error: unknown): Outcome {
  const cause = error instanceof Error ? error.cause : undefined
  const reason = cause instanceof Error ? `: ${cause.message}` : ''
  const text = error instanceof Error ? error.message : String(error)
  return { kind: 'differs', difference: `${text}${reason}` }
}
