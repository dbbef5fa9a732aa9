import type { Freshness } from '../account.ts'
import { atClockWords, relativeWords } from '../time.ts'

/** "Updated 12 s ago", or since when only the counts are known: "Counts the same 12 s ago, list read at 14:02". */
export function readAgeWords({ readAt, seenAt }: Freshness, now: number): string {
  if (readAt === null) return 'Not updated yet'
  return seenAt === undefined
    ? `Updated ${relativeWords(Math.min(readAt, now), now)}`
    : `Counts the same ${relativeWords(Math.min(seenAt, now), now)}, list read ${atClockWords(readAt, now)}`
}

/** Of these, the one whose list was read longest ago; null if none was. */
export function oldestRead(all: readonly (Freshness | null)[]): Freshness | null {
  return all.reduce((oldest, one) => {
    if (one === null || one.readAt === null) return oldest
    return oldest?.readAt == null || one.readAt < oldest.readAt ? one : oldest
  }, null)
}
