/**
 * Everything that one run of a contender measured, by name. The names give the unit: ms, bytes or
 * counts.
 */
export type Numbers = Readonly<Record<string, number>>

/** `smoke` is as small as possible while running everything: it shows that a measurement works. */
export type Size = 'full' | 'smoke'

/** One number of one contender. */
export interface Reading {
  readonly contender: string
  readonly number: string
}

/**
 * The limit that a goal sets for a number: for its ratio to another contender's number in the same
 * round (`against`), or for the number itself. The median over all rounds must be within it.
 */
export interface Target {
  /** What a user notices, as named in bench/README.md. */
  readonly goal: string
  /** Generous, and not a goal: shows that something became much more expensive. */
  readonly isGuard?: boolean
  readonly what: string
  readonly of: Reading
  readonly against?: Reading
  readonly atMost?: number
  readonly atLeast?: number
  /** The unit of the number itself. */
  readonly unit?: string
}

/** A prepared measurement: servers are running, pages are built. */
export interface Opened {
  /**
   * One run each, by name, in its own process or page, so that none profits from another's warm
   * code or pays for its garbage. Throws if its work was wrong: a fast wrong answer doesn't count.
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
