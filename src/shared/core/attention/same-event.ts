import type { AccountId } from '../account.ts'
import type { CheckId } from '../checks/check.ts'
import {
  type AttentionEvent,
  type CheckEvent,
  type CheckNews,
  type MessageEvent,
  stateAfter,
} from './event.ts'

/** A bot's message may come before or after the poll that sees the same flip. */
export const sameEventMs = 120_000

/** Whether one is a flip and the other a message that certainly reports this flip. */
export function isSameEvent(one: AttentionEvent, other: AttentionEvent): boolean {
  if (Math.abs(one.at - other.at) > sameEventMs) return false
  if (one.of === 'check' && other.of === 'message') return isReportOf(other, one)
  if (one.of === 'message' && other.of === 'check') return isReportOf(one, other)
  return false
}

function isReportOf({ news }: MessageEvent, check: CheckEvent): boolean {
  return isNewsOf(news, check) && news.state === stateAfter[check.kind]
}

/** Whether the news is about this check. */
export function isNewsOf(
  news: CheckNews | undefined,
  { accountId, checkId }: { readonly accountId: AccountId; readonly checkId: CheckId },
): news is CheckNews {
  return news?.checkId === checkId && news.accountIds.includes(accountId)
}

/**
 * Whether a line has the name as a separate word, and this state as the first one that follows it:
 * `API gateway is DOWN` says nothing about `API`, and `db is UP (was DOWN)` does not say DOWN. If
 * in doubt, false: one notification too many is better than a lost alarm. The monitoring service's
 * own Zulip integration writes the topic `NAME is DOWN` and the line `NAME is DOWN (reason).`;
 * other bots word it similarly.
 */
export function saysState(text: string, name: string, state: 'down' | 'up'): boolean {
  const wanted = name.toLowerCase()
  if (wanted === '') return false
  const all = text.toLowerCase()
  if (!all.includes(wanted)) return false
  for (const line of all.split('\n')) {
    for (let at = line.indexOf(wanted); at >= 0; at = line.indexOf(wanted, at + 1)) {
      const before = line.slice(Math.max(0, at - lookedAt), at)
      const rest = line.slice(at + wanted.length).slice(0, lookedAt)
      if (isWordPart(before.at(-1) ?? ' ') || isWordPart(rest[0] ?? ' ')) continue
      if (!isSetOff(before, rest) && !wordsOf(before).every((word) => beforeName.has(word)))
        continue
      if (stateSaid(rest) === state) return true
    }
  }
  return false
}

/** Characters looked at before and after a name: a server could send very long lines. */
const lookedAt = 400

/** Words that may precede a name without being part of it. */
const beforeName = new Set(
  'the a check alert alarm monitor monitoring service host job status warning error critical'.split(
    ' ',
  ),
)
/** Words that may stand between a name and its state, and that don't continue a name. */
const beforeState = new Set(
  'is are has have was went gone goes just now currently still again changed turned state status to as marked reported back'.split(
    ' ',
  ),
)

/** The first word after the name that may be a state. */
function stateSaid(rest: string): string | undefined {
  const words = wordsOf(rest)
  const first = words.findIndex((word) => !beforeState.has(word))
  // "from UP to DOWN": the second one is the current state.
  return words[first] === 'from' && words[first + 2] === 'to' ? words[first + 3] : words[first]
}

/** Whether quotes or the like mark where the name begins and ends. */
function isSetOff(before: string, rest: string): boolean {
  return /["'“”‘’„«»`*[(]$/u.test(before) && /^["'“”‘’«»`*\])]/u.test(rest)
}

/** A hyphen is part of a word. */
export function wordsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}_-]+/u).filter((word) => /[\p{L}\p{N}]/u.test(word))
}

/** A hyphen is: `db` is not `db-backup`. */
function isWordPart(character: string): boolean {
  return /[\p{L}\p{N}_-]/u.test(character)
}
