import type { Outcome } from './scenario.ts'

/** The final report of a matrix process. */
export interface MatrixReport {
  readonly outcomes: readonly Outcome[]
  /** Apps broken on purpose, and whether the matrix caught them. */
  readonly controls: readonly {
    readonly name: string
    readonly caught: boolean
    readonly by: string
  }[]
  /** Real ms. */
  readonly longestStallMs: number
  readonly unhandled: readonly string[]
}
