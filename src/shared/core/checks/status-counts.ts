import { counted, numberWords } from '../wording.ts'
import { type Check, type CheckStatus, isLate, late, noChecks, type StatusCounts } from './check.ts'
import { statusWord } from './check-words.ts'

export function countStatuses(checks: Iterable<Check>): StatusCounts {
  const counts = { ...noChecks }
  for (const { status } of checks) counts[status] += 1
  return counts
}

/** Needs a look. A status that we do not know may be anything, so it does. */
export function isTrouble({ status }: Pick<Check, 'status'>): boolean {
  return status === 'down' || isLate(status) || status === 'unknown'
}

/** The same of several. */
export function hasTrouble(counts: StatusCounts): boolean {
  return counts.down + counts.grace + counts.unknown > 0
}

/** 0 for the worst (something is down) to 3 (no trouble): the order of groups on the board. */
export function troubleRank(counts: StatusCounts): number {
  if (counts.down > 0) return 0
  if (counts.grace > 0) return 1
  return counts.unknown > 0 ? 2 : 3
}

/** "2 down · 1 late", or "all 38 up", or "37 up · 1 paused": bad news alone when there is some. */
export function countWords(counts: StatusCounts, unreadable = 0): string {
  const statuses: readonly CheckStatus[] = hasTrouble(counts)
    ? ['down', late, 'unknown']
    : ['up', 'new', 'paused']
  // What can't be read may be down: it is shown beside either.
  const words = joined([
    ...statuses.map((status) => [counts[status], statusWord(status)] as const),
    [unreadable, 'unreadable'],
  ])
  if (words === '') return 'no checks'
  return counts.up > 1 && words === `${numberWords(counts.up)} up` ? `all ${words}` : words
}

/** Of an answer with items that this version does not understand: checks, say, or drafts (`one`). */
export function unreadableWords(count: number, one = 'check'): string {
  return `${counted(count, one)} could not be read`
}

function joined(parts: readonly (readonly [count: number, word: string])[]): string {
  return parts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${numberWords(count)} ${word}`)
    .join(' · ')
}
