import { type Happened, type Step, step } from './engine.ts'
import type { AttentionContext, Decision } from './judge.ts'
import { type AttentionMemory, emptyMemory } from './memory.ts'
import type { Notice } from './notice.ts'
import type { AttentionSettings } from './rules.ts'

/** One step as it was taken: enough to take it again. Steps of time alone are kept as well. */
export interface TakenStep {
  /** Epoch ms. */
  readonly now: number
  readonly happened: Happened
  readonly context: AttentionContext
}

export interface Replayed {
  readonly decisions: readonly Decision[]
  readonly popUps: readonly Notice[]
  readonly memory: AttentionMemory
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
): Replayed {
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
