import type { Decision } from './judge.ts'
import type { AttentionMemory } from './memory.ts'
import type { Outcome } from './notice.ts'
import { replay, type TakenStep } from './replay.ts'
import type { AttentionSettings } from './rules.ts'

/** How many events of the past had which outcome. */
export type OutcomeCounts = Readonly<Record<Outcome, number>> & { readonly popUps: number }

/** One event that would have had another outcome. */
interface ChangedOutcome {
  readonly title: string
  readonly at: number
  readonly before: Outcome
  readonly after: Outcome
}

/** What other rules would have made of the last days. */
export interface AttentionTrial {
  /** Epoch ms of the first event that is known; null: none is. */
  readonly from: number | null
  readonly events: number
  readonly before: OutcomeCounts
  readonly after: OutcomeCounts
  /** The newest first, at most `changedLimit`; `changes` counts them all. */
  readonly changed: readonly ChangedOutcome[]
  readonly changes: number
}

const changedLimit = 100

/** The same days under the rules as they were, and under others. */
export function trialOf(
  steps: readonly TakenStep[],
  settings: AttentionSettings,
  start: AttentionMemory,
): AttentionTrial {
  const was = replay(steps, null, start)
  const would = replay(steps, settings, start)
  const before = new Map(was.decisions.map((decision) => [decision.event.id, decision]))
  const changed = would.decisions.flatMap((decision) => {
    const old = before.get(decision.event.id)
    if (old === undefined || old.outcome === decision.outcome) return []
    const { title, at } = decision.event
    return [{ title, at, before: old.outcome, after: decision.outcome }]
  })
  return {
    from: steps[0]?.now ?? null,
    events: was.decisions.length,
    before: countsOf(was.decisions, was.popUps.length),
    after: countsOf(would.decisions, would.popUps.length),
    changed: changed.slice(-changedLimit).toReversed(),
    changes: changed.length,
  }
}

function countsOf(decisions: readonly Decision[], popUps: number): OutcomeCounts {
  const counts = { shown: 0, tray: 0, folded: 0, silent: 0, popUps }
  for (const { outcome } of decisions) counts[outcome] += 1
  return counts
}
