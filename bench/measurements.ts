import type { Measurement } from './measurement.ts'

/** All of them, in the order of the goals. */
export const measurements: readonly Measurement[] = []
