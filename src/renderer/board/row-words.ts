import type { AccountId } from '#shared/core/account.ts'
import { outageWords } from '#shared/core/attention/dependencies/dependency.ts'
import { countedSince } from '#shared/core/checks/board.ts'
import { causeOf, causeParts, hasCause } from '#shared/core/checks/cause.ts'
import type { Check } from '#shared/core/checks/check.ts'
import { statusSentence, statusWord } from '#shared/core/checks/check-words.ts'
import { scheduleWords } from '#shared/core/checks/schedule-words.ts'
import { isTrouble } from '#shared/core/checks/status-counts.ts'
import { clockWords } from '#shared/core/time.ts'
import { isolated } from '#shared/core/visible-text.ts'
import { outageBehind } from '../attention/outages-behind.ts'
import type { Shape } from '../parts/status-shape.tsx'
import { appState } from '../window-state.ts'

/** A stale check gets the zigzag, but one in trouble or paused keeps its shape, in grey. */
export function rowShape(check: Check, stale: boolean): Shape {
  return stale && !isTrouble(check) && check.status !== 'paused' ? 'stale' : check.status
}

interface Row {
  readonly accountId: AccountId
  readonly check: Check
  readonly stale: boolean
}

/** The status of a row, in words. `serverNow`: our clock plus the board's offset. */
export function rowWords({ accountId, check, stale }: Row, serverNow: number): string {
  const word = statusWord(check.status)
  if (stale) return `was ${word}`
  const sentence = sentenceOf(accountId, check, serverNow)
  return check.status === 'up' && !sentence.startsWith(word) ? `${word} · ${sentence}` : sentence
}

function sentenceOf(accountId: AccountId, check: Check, serverNow: number): string {
  const board = appState.value.boards.get(accountId)
  return statusSentence(check, serverNow, board === undefined ? null : countedSince(board))
}

/**
 * Why the check is down or late, in parts, since a narrow row has room for the first alone; null if it
 * is neither.
 */
export function rowCause(accountId: AccountId, check: Check, serverNow: number) {
  if (!hasCause(check)) return null
  const board = appState.value.boards.get(accountId)
  const cause = causeOf(check, board?.logs.get(check.id) ?? null, serverNow)
  const outage = outageBehind(accountId, check)
  if (outage !== null) return [`because ${outageWords(outage)}`]
  return cause === null ? null : causeParts(cause, serverNow, board?.serverOffsetMs ?? 0)
}

export function lastPingWords(check: Check, serverNow: number): string {
  if (check.lastPingAt !== null) return `last ping ${clockWords(check.lastPingAt, serverNow)}`
  return check.pingCount > 0 ? 'no ping since resumed' : 'no ping yet'
}

/**
 * All tags as one text: an element for each costs more than the rest of the row. Directional
 * isolates do what `bdi` does for elements.
 */
export function tagWords(tags: readonly string[]): string {
  return tags.map((tag) => isolated(`#${tag}`)).join(' ')
}

/** Everything about the row, for its tooltip. */
export function rowTitle(
  { accountId, check }: Pick<Row, 'accountId' | 'check'>,
  name: string,
  serverNow: number,
  cause: string | null = null,
): string {
  return [
    name,
    sentenceOf(accountId, check, serverNow),
    cause ?? '',
    lastPingWords(check, serverNow),
    scheduleWords(check.schedule),
    tagWords(check.tags),
  ]
    .filter((line) => line !== '')
    .join('\n')
}
