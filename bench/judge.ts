import type { Numbers, Reading, Target } from './measurement.ts'

/** What each contender measured in one round, by name. */
export type Round = Readonly<Record<string, Numbers>>

export interface Verdict {
  readonly target: Target
  /** Medians over the rounds. */
  readonly value: number
  readonly against: number | null
  /** The median of the rounds' ratios, or the value itself where nothing is compared. */
  readonly result: number
  readonly isMet: boolean
}

/** Compares a target with the measurements; throws when a number is missing. */
export function judge(target: Target, rounds: readonly Round[]): Verdict {
  const values = rounds.map((round) => readingOf(target.of, round))
  const others = target.against && rounds.map((round) => readingOf(other(target), round))
  const results = others === undefined ? values : values.map((value, n) => value / (others[n] ?? 0))
  const result = median(results)
  const { atMost = Number.POSITIVE_INFINITY, atLeast = Number.NEGATIVE_INFINITY } = target
  return {
    target,
    value: median(values),
    against: others === undefined ? null : median(others),
    result,
    isMet: result <= atMost && result >= atLeast,
  }
}

function other({ against, what }: Target): Reading {
  if (against === undefined) throw new Error(`nothing to compare: ${what}`)
  return against
}

function readingOf({ contender, number }: Reading, round: Round): number {
  const value = round[contender]?.[number]
  if (value === undefined || !Number.isFinite(value))
    throw new Error(`${contender} did not measure ${number}`)
  return value
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = sorted.length >> 1
  const upper = sorted[middle]
  if (upper === undefined) throw new Error('no values')
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}

/** The value below which a share (0 to 1) of the values lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  if (value === undefined) throw new Error('no values')
  return value
}

/**
 * A goal is met when all of its targets are; guards are counted separately, each on its own. What
 * could not be measured is not met.
 */
export function summary(verdicts: readonly Verdict[], unmeasured: readonly Target[]): string {
  const targets = [...verdicts.map(({ target }) => target), ...unmeasured].filter(isLimited)
  const missed = [
    ...verdicts.filter(({ isMet }) => !isMet).map(({ target }) => target),
    ...unmeasured.filter(isLimited),
  ]
  const goals = (of: readonly Target[]) => new Set(of.filter(isGoal).map(({ goal }) => goal)).size
  const guards = (of: readonly Target[]) => of.filter((target) => !isGoal(target)).length
  const met = goals(targets) - goals(missed)
  const held = guards(targets) - guards(missed)
  return `${met} of ${goals(targets)} goals met, ${held} of ${guards(targets)} guards hold`
}

function isGoal({ isGuard }: Target): boolean {
  return isGuard !== true
}

function isLimited({ atMost, atLeast }: Target): boolean {
  return atMost !== undefined || atLeast !== undefined
}
