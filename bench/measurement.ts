/** Everything that one run of a contender measured, by name. Ms, bytes and counts as the name says. */
export type Numbers = Readonly<Record<string, number>>

/** `smoke` is as small as it can be and still go all the way: it shows that a measurement works. */
export type Size = 'full' | 'smoke'

/** One number of one contender. */
export interface Reading {
  readonly contender: string
  readonly number: string
}

/**
 * What a goal asks of a number: of its ratio to another contender's number of the same round
 * (`against`), or of the number itself. The median over all rounds is held against the limit.
 */
export interface Target {
  /** What somebody notices, as docs/performance.md names it. */
  readonly goal: string
  /** With room, and no goal: it tells that something became much dearer than it was. */
  readonly isGuard?: boolean
  readonly what: string
  readonly of: Reading
  readonly against?: Reading
  readonly atMost?: number
  readonly atLeast?: number
  /** Of the number itself. */
  readonly unit?: string
}

/** A measurement that is ready: servers run, pages are built. */
export interface Opened {
  /**
   * By name: one run, in a process or a page of its own, so that none profits from another's warm
   * code or pays for its garbage. Throws when what it did was wrong: a fast wrong answer is no answer.
   */
  readonly contenders: Readonly<Record<string, () => Promise<Numbers>>>
  readonly close: () => Promise<void>
}

export interface Measurement {
  readonly name: string
  /** How often each contender runs; an odd number has a median. */
  readonly rounds: number
  readonly targets: readonly Target[]
  /** Not in the smoke run: it needs a real Electron and minutes. */
  readonly notInSmoke?: boolean
  readonly open: (size: Size) => Promise<Opened>
}
