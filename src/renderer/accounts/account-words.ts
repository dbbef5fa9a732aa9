import type { AccountReport } from '#shared/contract.ts'
import { type Account, freshnessOf, isFresh, type KeyLoss } from '#shared/core/account.ts'
import {
  failureSentence,
  inOneLine,
  missingKeyWords,
  readingWords,
  refusalWords,
} from '#shared/core/failure-words.ts'
import type { AppState } from '#shared/core/state.ts'
import { clockWords } from '#shared/core/time.ts'
import { counted } from '#shared/core/wording.ts'

export function addressOf(account: Account): string {
  return account.kind === 'chat' ? `${account.email} at ${account.baseUrl}` : account.baseUrl
}

/** What trying a key showed, in a sentence or two. */
export function reportWords(report: AccountReport): string {
  if (report.kind === 'chat')
    return `The key works: ${report.userName} (${report.email}) at ${report.realmName}.`
  return [`The key works. ${keyKindWords(report.keyKind)}`, checkCountWords(report)].join(' ')
}

function keyKindWords(keyKind: 'readWrite' | 'readOnly' | 'unknown'): string {
  switch (keyKind) {
    case 'readWrite':
      return 'It can read and write.'
    case 'readOnly':
      return 'It is read-only: it shows everything, but can’t pause or resume.'
    case 'unknown':
      return 'Belfry will know whether it can also write once the project has checks.'
  }
}

function checkCountWords({ checks, unreadable }: Extract<AccountReport, { kind: 'monitoring' }>) {
  if (checks + unreadable === 0) return 'The project has no checks yet.'
  const opened = `It gives access to ${counted(checks, 'check')}`
  return unreadable === 0 ? `${opened}.` : `${opened}; ${unreadable} more could not be read.`
}

export function accountBadges(account: Account): readonly string[] {
  const badges: string[] = []
  if (account.demo) badges.push('demo')
  if (account.kind === 'monitoring' && account.keyKind === 'readOnly') badges.push('read-only key')
  if (account.kind === 'monitoring' && account.keyKind === 'readWrite')
    badges.push('read-write key')
  if (account.protection === 'session' && !account.demo)
    badges.push('key kept for this session only')
  if (account.protection === 'weak') badges.push('key on disk without protection')
  return badges
}

/** "0.4 MB", "9.3 MB", "134 MB", "13 GB". */
export function sizeWords(bytes: number): string {
  const [size, unit] = bytes < 1e9 ? [bytes / 1e6, 'MB'] : [bytes / 1e9, 'GB']
  return `${size < 9.95 ? size.toFixed(1) : String(Math.round(size))} ${unit}`
}

/** Bytes a day of something that is read at this interval. */
export function aDay(bytes: number, intervalMs: number): number {
  return (bytes * 24 * 60 * 60_000) / intervalMs
}

/** What is wrong with an account now; null when nothing is. */
export function accountProblem(state: AppState, account: Account, now: number): string | null {
  switch (account.key) {
    case 'rejected':
      return refusalWords(freshnessOf(state, account.id)?.failure)
    case 'missing':
      return account.keyLoss === undefined
        ? `${missingKeyWords(account)}.`
        : lossReason(account.keyLoss)
    case 'locked':
      return 'The keyring is locked; the key is safe in it. Unlock it, then choose “Try now”.'
    case 'present': {
      const freshness = freshnessOf(state, account.id)
      if (freshness === null || freshness.readAt === null) return null
      if (freshness.failure !== null)
        return inOneLine(readingWords(freshness.failure, freshness.nextAt, now))
      return isFresh(freshness, now)
        ? lookupsProblem(state, account, now)
        : 'Not updated for a while.'
    }
  }
}

/** Says if the history of checks can't be read, or has been waiting to be read for an hour. */
function lookupsProblem(state: AppState, { id }: Account, now: number): string | null {
  const board = state.boards.get(id)
  if (board === undefined) return null
  const { pending, failing } = board.missed
  const lack = 'An outage between two reads may not be listed yet.'
  if (failing !== null)
    return `The history of ${counted(failing.count, 'check')} can’t be read: ${failureSentence(failing.failure)} ${lack}`
  const [oldest] = pending.values()
  const since = oldest === undefined ? now : oldest.owedAt - board.serverOffsetMs
  return now - since < longWaitMs
    ? null
    : `The history of ${counted(pending.size, 'check')} has been waiting to be read since ${clockWords(since, now)}. ${lack}`
}

const longWaitMs = 60 * 60_000

/** Why Belfry asks again for a key that was saved. */
function lossReason({ why, savedWith }: KeyLoss): string {
  const keyring = savedWith === null ? '' : ` (${savedWith.replaceAll('_', '-')})`
  return why === 'otherKeyring'
    ? `The key was saved with another keyring${keyring}, which is not available now. Restart Belfry when it is, or enter the key: the saved one is kept.`
    : `The saved key can’t be opened${keyring === '' ? '' : ` with this keyring${keyring}`}: it may be damaged. Enter the key again; the saved one is kept.`
}

/** Why a chat may not be up to date, as half a sentence; null if it is, or was never read. */
export function chatNote({ realms }: AppState, { id, key }: Account, now: number): string | null {
  const freshness = realms.get(id)?.freshness
  if (key === 'rejected') return refusalWords(freshness?.failure, 'key rejected')
  if (key !== 'present') return key === 'locked' ? 'the keyring is locked' : 'the key is missing'
  if (freshness === undefined || freshness.readAt === null) return null
  if (freshness.failure === null && isFresh(freshness, now)) return null
  return `not connected, as of ${clockWords(freshness.readAt, now)}`
}
