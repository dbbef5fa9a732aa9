import type { AttentionContext, Decision } from './decision.ts'
import { type Happened, type Step, step } from './engine.ts'
import { type AttentionMemory, emptyMemory } from './memory.ts'
import type { Outcome } from './notice.ts'
import type { AttentionSettings } from './rules.ts'

/** The number of past events with each outcome. */
export type OutcomeCounts = Readonly<Record<Outcome, number>> & { readonly popUps: number }

/** One event that would have had another outcome. */
interface ChangedOutcome {
  readonly title: string
  readonly at: number
  readonly before: Outcome
  readonly after: Outcome
}

/** What other rules would have done in the last days. */
export interface AttentionTrial {
  /** Epoch ms of the first recorded step; null: there is none. */
  readonly from: number | null
  readonly events: number
  readonly before: OutcomeCounts
  readonly after: OutcomeCounts
  /** The newest first, at most `changedLimit`; `changes` counts them all. */
  readonly changed: readonly ChangedOutcome[]
  readonly changes: number
}

const changedLimit = 100

/** Replays recorded steps under the rules of the time and under others. */
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

/** A recorded step, complete enough to replay it. Steps without events are recorded as well. */
export interface TakenStep {
  /** Epoch ms. */
  readonly now: number
  readonly happened: Happened
  readonly context: AttentionContext
}

/** Wake-ups between two recorded steps: a guard against an endless loop. */
const mostWakes = 1_000

/**
 * Replays steps, with other rules if given. With the rules of the time it gives exactly the
 * original results, since a step depends on nothing else.
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
    // Other rules may need a step at times when none was recorded.
    if (settings !== null && before !== undefined)
      // None while the computer slept.
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

/** The steps without events between one step and the next recorded one. */
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
