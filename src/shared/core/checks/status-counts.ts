import { counted, numberWords } from '../wording.ts'
import { type Check, type CheckStatus, isLate, late, noChecks, type StatusCounts } from './check.ts'
import { statusWord } from './check-words.ts'

export function countStatuses(checks: Iterable<Check>): StatusCounts {
  const counts = { ...noChecks }
  for (const { status } of checks) counts[status] += 1
  return counts
}

/** Whether a check needs attention. An unknown status may be anything, so it does. */
export function isTrouble({ status }: Pick<Check, 'status'>): boolean {
  return status === 'down' || isLate(status) || status === 'unknown'
}

/** Whether any of the counted checks needs attention. */
export function hasTrouble(counts: StatusCounts): boolean {
  return counts.down + counts.grace + counts.unknown > 0
}

/** 0 for the worst (something is down) to 3 (no trouble): the order of groups on the board. */
export function troubleRank(counts: StatusCounts): number {
  if (counts.down > 0) return 0
  if (counts.grace > 0) return 1
  return counts.unknown > 0 ? 2 : 3
}

/** "2 down · 1 late", or "all 38 up", or "37 up · 1 paused": only bad news if there is any. */
export function countWords(counts: StatusCounts, unreadable = 0): string {
  const statuses: readonly CheckStatus[] = hasTrouble(counts)
    ? ['down', late, 'unknown']
    : ['up', 'new', 'paused']
  // A check that can't be parsed may be down, so it is always shown.
  const words = joined([
    ...statuses.map((status) => [counts[status], statusWord(status)] as const),
    [unreadable, 'unreadable'],
  ])
  if (words === '') return 'no checks'
  return counts.up > 1 && words === `${numberWords(counts.up)} up` ? `all ${words}` : words
}

/** For items of an answer that this version can't parse. `one`: their kind, such as "draft". */
export function unreadableWords(count: number, one = 'check'): string {
  return `${counted(count, one)} could not be read`
}

function joined(parts: readonly (readonly [count: number, word: string])[]): string {
  return parts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${numberWords(count)} ${word}`)
    .join(' · ')
}
