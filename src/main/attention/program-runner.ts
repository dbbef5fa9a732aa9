import { accountById } from '../../shared/core/account.ts'
import type { Notice, Reason } from '../../shared/core/attention/notice.ts'
import { offInDemo, type ProgramStart } from '../../shared/core/attention/programs/program.ts'
import { programInput, trialInput } from '../../shared/core/attention/programs/program-input.ts'
import { invalid, RequestFailed } from '../../shared/core/failure.ts'
import { mapped, withEntry } from '../../shared/core/identity.ts'
import type { Clock } from '../base/ports.ts'
import type { LiveState } from '../state/store.ts'
import type { FileLook } from './file-look.ts'
import { demandProgram } from './program-file.ts'
import { type RunResult, type StartedProgram, startProgram } from './program-run.ts'
import { failureOf, reasonOf } from './program-words.ts'

/** Programs that run at the same time, each once. */
const mostAtOnce = 3

const unknownWords = 'Belfry doesn’t know where it is any more: choose it again in the rule.'
const quitWords = 'Belfry was quit before it ran.'

interface RunnerParts {
  readonly live: LiveState
  readonly clock: Pick<Clock, 'now'>
  readonly look: FileLook
  readonly onBug: (where: string, error: unknown) => void
}

/** Runs programs of the user's own, and says of each how it ended. */
export class ProgramRunner {
  readonly #parts: RunnerParts
  /** What was told while a program ran goes into its next run. */
  readonly #waiting = new Map<string, readonly ProgramStart[]>()
  /** Null: its file is only being looked at. */
  readonly #running = new Map<string, StartedProgram | null>()
  readonly #work = new Set<Promise<unknown>>()
  #isStopped = false

  constructor(parts: RunnerParts) {
    this.#parts = parts
  }

  /** Runs programs with what was told. Not before that is on disk: none is to run twice. */
  run(starts: readonly ProgramStart[], written: Promise<unknown>): void {
    const ready = this.#isStopped ? Promise.resolve() : written
    void this.#awaited(
      ready.then(() => {
        for (const start of starts) this.#begin(start)
      }),
    )
  }

  /** Runs one with an example. */
  tryIt(id: string): Promise<RunResult> {
    if (this.#running.has(id))
      throw invalid('program', 'It is running just now. Try it again when it has ended.')
    if (this.#running.size >= mostAtOnce)
      throw invalid(
        'program',
        'Three others are running just now. Try it again when one has ended.',
      )
    return this.#awaited(this.#ran(id, trialInput(this.#parts.clock.now())))
  }

  /** Ends what runs, and resolves once it has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true
    for (const [id, starts] of this.#waiting) this.#explain(starts, this.#notRun(id, quitWords))
    this.#waiting.clear()
    for (const program of this.#running.values()) program?.stop()
    await Promise.allSettled(this.#work)
  }

  #begin(start: ProgramStart): void {
    const { programId: id } = start
    if (this.#isStopped) {
      this.#explain([start], this.#notRun(id, quitWords))
      return
    }
    const state = this.#parts.live.get()
    const events = start.events.filter((one) => accountById(state, one.accountId)?.demo !== true)
    if (events.length < start.events.length) this.#explain([start], this.#notRun(id, offInDemo))
    if (events.length === 0) return
    this.#waiting.set(id, [...(this.#waiting.get(id) ?? []), { ...start, events }])
    this.#next()
  }

  #next(): void {
    for (const [id, starts] of this.#waiting) {
      if (this.#running.size >= mostAtOnce) return
      if (this.#running.has(id)) continue
      this.#waiting.delete(id)
      void this.#awaited(this.#runWith(id, starts))
    }
  }

  async #runWith(id: string, starts: readonly ProgramStart[]): Promise<void> {
    const { live, clock, onBug } = this.#parts
    const name = this.#nameOf(id)
    try {
      const result = await this.#ran(id, programInput(live.get(), starts, clock.now()))
      this.#explain(starts, reasonOf(name, result, starts.length - 1))
    } catch (error) {
      if (!(error instanceof RequestFailed)) onBug('program', error)
      this.#explain(starts, this.#notRun(id, wordsOf(error)))
    }
  }

  /** Looks at the file each time: it may have changed since it was chosen. */
  async #ran(id: string, input: string): Promise<RunResult> {
    const path = this.#parts.live.programPath(id)
    if (path === undefined) throw invalid('program', unknownWords)
    this.#running.set(id, null)
    try {
      await demandProgram(path, this.#nameOf(id), this.#parts.look)
      if (this.#isStopped) throw invalid('program', quitWords)
      const started = startProgram(path, input)
      this.#running.set(id, started)
      const result = await started.ended
      this.#note(id, failureOf(result.end))
      return result
    } catch (error) {
      this.#note(id, wordsOf(error))
      throw error
    } finally {
      this.#running.delete(id)
      this.#next()
    }
  }

  #awaited<T>(one: Promise<T>): Promise<T> {
    const awaited = one.finally(() => this.#work.delete(awaited))
    this.#work.add(awaited)
    return awaited
  }

  #nameOf(id: string): string {
    return this.#parts.live.get().programs.get(id)?.name ?? 'of this rule'
  }

  #note(id: string, failure: string | null): void {
    const { live, clock } = this.#parts
    live.update((state) => {
      const program = state.programs.get(id)
      if (program === undefined) return state
      const last = { at: clock.now(), failure }
      return { ...state, programs: withEntry(state.programs, id, { ...program, last }) }
    })
  }

  #notRun(id: string, why: string): Reason {
    return { by: 'program', text: `Your program ${this.#nameOf(id)} was not run. ${why}` }
  }

  /** Adds it to the “Why?” of the notifications. */
  #explain(starts: readonly ProgramStart[], reason: Reason): void {
    const ids = new Set(starts.map(({ notice }) => notice.id))
    const explained = (notice: Notice): Notice =>
      ids.has(notice.id) ? { ...notice, reasons: [...notice.reasons, reason] } : notice
    this.#parts.live.update((state) => {
      const notices = mapped(state.notices, explained)
      return notices === state.notices ? state : { ...state, notices }
    })
  }
}

function wordsOf(error: unknown): string {
  return error instanceof RequestFailed && error.failure.kind === 'invalid'
    ? error.failure.message
    : 'Something went wrong in Belfry.'
}
