import type { Measurement } from '../measurement.ts'
import { boardHeap } from './board-heap.ts'
import { handover } from './handover.ts'
import { largePoll, poll } from './poll.ts'
import { stormOfChecks } from './storm-of-checks.ts'

/** All measurements of polls. */
export const polls: readonly Measurement[] = [poll, largePoll, handover, boardHeap, stormOfChecks]
