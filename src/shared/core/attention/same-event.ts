import type { AccountId } from '../account.ts'
import type { CheckId } from '../checks/check.ts'
import {
  type AttentionEvent,
  type CheckEvent,
  type CheckNews,
  type MessageEvent,
  stateAfter,
} from './event.ts'

/** A monitoring bot writes within seconds of the flip that our next poll sees, or the other way round. */
export const sameEventMs = 120_000

/** Whether a flip and a chat message report the same thing: the message surely means the check, and says the same. */
export function isSameEvent(one: AttentionEvent, other: AttentionEvent): boolean {
  if (Math.abs(one.at - other.at) > sameEventMs) return false
  if (one.of === 'check' && other.of === 'message') return isReportOf(other, one)
  if (one.of === 'message' && other.of === 'check') return isReportOf(one, other)
  return false
}

function isReportOf({ news }: MessageEvent, check: CheckEvent): boolean {
  return isNewsOf(news, check) && news.state === stateAfter[check.kind]
}

/** Whether it is this very check that a message reports on. */
export function isNewsOf(
  news: CheckNews | undefined,
  { accountId, checkId }: { readonly accountId: AccountId; readonly checkId: CheckId },
): news is CheckNews {
  return news?.checkId === checkId && news.accountIds.includes(accountId)
}

/**
 * The name as a separate word, and this state as the first one that follows it in the same line:
 * `API gateway is DOWN` says nothing about `API`, and `db is UP (was DOWN)` does not say DOWN. Where
 * that is uncertain, the two count as different: one notification too many is better than a lost alarm. The
 * monitoring service's own Zulip integration writes the topic `NAME is DOWN` and the line
 * `NAME is DOWN (reason).`; other bots word it much alike.
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

/** Characters before and after a name that are looked at: a server could send very many. */
const lookedAt = 400

/** What may stand before a name without being a part of it. */
const beforeName = new Set(
  'the a check alert alarm monitor monitoring service host job status warning error critical'.split(
    ' ',
  ),
)
/** What may stand between a name and its state: what no name goes on with. */
const beforeState = new Set(
  'is are has have was went gone goes just now currently still again changed turned state status to as marked reported back'.split(
    ' ',
  ),
)

function stateSaid(rest: string): 'down' | 'up' | null {
  const words = wordsOf(rest)
  for (const [i, word] of words.entries()) {
    // "from UP to DOWN": the second one is what it is now.
    if (word === 'from' && words[i + 2] === 'to') return stateOf(words[i + 3])
    if (!beforeState.has(word)) return stateOf(word)
  }
  return null
}

function stateOf(word: string | undefined): 'down' | 'up' | null {
  return word === 'down' || word === 'up' ? word : null
}

/** In quotes or the like, which say where a name begins and ends. */
function isSetOff(before: string, rest: string): boolean {
  return /["'“”‘’„«»`*[(]$/u.test(before) && /^["'“”‘’«»`*\])]/u.test(rest)
}

/** A hyphen counts. */
export function wordsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{N}_-]+/u).filter((word) => /[\p{L}\p{N}]/u.test(word))
}

/** A hyphen counts: `db` is not `db-backup`. */
function isWordPart(character: string): boolean {
  return /[\p{L}\p{N}_-]/u.test(character)
}
