import { type Happened, type Step, step } from './engine.ts'
import type { AttentionContext, Decision } from './judge.ts'
import { type AttentionMemory, emptyMemory } from './memory.ts'
import type { Outcome } from './notice.ts'
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

/** One step as it was taken: enough to take it again. Steps of time alone are kept as well. */
export interface TakenStep {
  /** Epoch ms. */
  readonly now: number
  readonly happened: Happened
  readonly context: AttentionContext
}

/** Between two recorded steps; more would mean that time alone goes round in circles. */
const mostWakes = 1_000

/**
 * The same steps again, with other rules if asked. With the rules as they were it gives exactly what
 * was given then, since a step depends on nothing else.
 */
export function replay(
  steps: readonly TakenStep[],
  settings: AttentionSettings | null,
  start: AttentionMemory = emptyMemory,
) {
  const all = settings === null ? steps : steps.map((taken) => withSettings(taken, settings))
  const taken: Step[] = []
  let memory = start
  for (const [i, { now, happened, context }] of all.entries()) {
    const before = all[i - 1]
    // Other rules wait for other moments, at which nothing was written down then.
    if (settings !== null && before !== undefined)
      // Nothing of ours ran while the computer slept.
      taken.push(...wakes(taken.at(-1), before.context, Math.min(now, context.away?.from ?? now)))
    memory = taken.at(-1)?.memory ?? memory
    taken.push(step(memory, happened, context, now))
  }
  return {
    decisions: taken.flatMap(({ decisions }) => decisions),
    popUps: taken.flatMap(({ popUps }) => popUps),
    memory: taken.at(-1)?.memory ?? start,
  }
}

function withSettings(taken: TakenStep, settings: AttentionSettings): TakenStep {
  return { ...taken, context: { ...taken.context, settings } }
}

/** The steps of time alone from one step to the next recorded one. */
function wakes(from: Step | undefined, context: AttentionContext, until: number): Step[] {
  const taken: Step[] = []
  let last = from
  for (let i = 0; i < mostWakes; i += 1) {
    if (last === undefined || last.wakeAt === null || last.wakeAt >= until) break
    last = step(last.memory, { events: [], over: [] }, context, last.wakeAt)
    taken.push(last)
  }
  return taken
}
