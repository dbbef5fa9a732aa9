import type { Outcome } from './scenario.ts'

/** What a process of the matrix tells at its end. */
export interface MatrixReport {
  readonly outcomes: readonly Outcome[]
  /** Broken apps, and whether the matrix saw that they are. */
  readonly controls: readonly {
    readonly name: string
    readonly caught: boolean
    readonly by: string
  }[]
  /** Real ms. */
  readonly longestStallMs: number
  readonly unhandled: readonly string[]
}
