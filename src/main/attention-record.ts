import type { AttentionContext } from '../shared/core/attention/judge.ts'
import { type AttentionMemory, emptyMemory } from '../shared/core/attention/memory.ts'
import type { TakenStep } from '../shared/core/attention/replay.ts'
import type { HistoryEntry } from '../shared/core/history.ts'
import type { Taken } from './attention.ts'
import { memoryDocument, readMemory } from './storage/attention-documents.ts'

/**
 * A step of the attention engine as it is kept. The context is kept where it changed, since it is
 * mostly the same; the memory with the first step of each run, where a replay can begin.
 */
interface KeptStep {
  readonly now: number
  readonly happened: Taken['happened']
  readonly context?: AttentionContext
  readonly memory?: unknown
}

/** Turns steps into entries of the history. One for each run of the program. */
export function createStepWriter(): (taken: Taken) => HistoryEntry {
  let context: AttentionContext | null = null
  return (taken) => {
    const { now, happened, before } = taken
    const kept: KeptStep = {
      now,
      happened,
      ...(context === taken.context ? {} : { context: taken.context }),
      ...(context === null ? { memory: memoryDocument(before) } : {}),
    }
    context = taken.context
    return { at: now, accountId: null, subject: 'attention', kind: 'step', data: kept }
  }
}

/** Entries back as steps, from the first one on that tells what was remembered then. */
export function replaySteps(entries: readonly HistoryEntry[]): {
  readonly steps: readonly TakenStep[]
  readonly memory: AttentionMemory
} {
  let memory: AttentionMemory | null = null
  let context: AttentionContext | null = null
  const steps: TakenStep[] = []
  for (const { data } of entries) {
    // Written by `createStepWriter`, in a database of our own.
    const kept = data as KeptStep
    if (kept.memory !== undefined) memory ??= readMemory(kept.memory)
    context = kept.context ?? context
    if (memory === null || context === null) continue
    steps.push({ now: kept.now, happened: kept.happened, context })
  }
  return { steps, memory: memory ?? emptyMemory }
}
