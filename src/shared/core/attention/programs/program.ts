import type { AttentionEvent } from '../event.ts'

export const programLimit = 20

/** A program that the user chose in main's own dialog. Only main knows where it is. */
interface Program {
  /** Without its folder; with a number if there is another of this name. */
  readonly name: string
  /** Null: it has not run yet. */
  readonly last: ProgramRun | null
}

/** How a run of a program ended. */
interface ProgramRun {
  /** Epoch ms. */
  readonly at: number
  /** What was wrong, such as "exit 3"; null: nothing. */
  readonly failure: string | null
}

/** How a run that only tried a program ended. */
export interface ProgramTrial extends Pick<ProgramRun, 'failure'> {
  readonly ms: number
  /** The end of what it printed. */
  readonly output: string
}

/** The programs by the ids that main gave them, as a part of the app's state. */
export interface ProgramsSlice {
  readonly programs: ReadonlyMap<string, Program>
}

/** A program is to run, as a notification told of what its rule is about. */
export interface ProgramStart {
  readonly programId: string
  readonly notice: { readonly id: string; readonly title: string }
  /** What was told, as it was told. */
  readonly events: readonly AttentionEvent[]
}

export const offInDemo = 'Programs are off in the demo: nothing that happens there runs one.'
