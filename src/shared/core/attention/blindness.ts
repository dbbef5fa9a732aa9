import type { Account } from '../account.ts'
import type { Failure } from '../failure.ts'
import { failureWords } from '../failure-words.ts'
import { projectsOf } from '../projects.ts'
import { type AppState, freshnessOf } from '../state.ts'
import { clockWords } from '../time.ts'
import type { TroubleEvent } from './event.ts'

interface Unread {
  readonly account: Account
  /** Epoch ms of the first read that failed. */
  readonly failedAt: number
  readonly failure: Failure
}

/** Epoch ms at which each account that can't be read counts as blind; a rejected key is told by itself. */
function blindAt(state: AppState, { failedAt }: Unread, awakeSince: number): number {
  return Math.max(failedAt, awakeSince) + state.settings.blindMinutes * 60_000
}

function unreadAccounts(state: AppState): Unread[] {
  return projectsOf(state).accounts.flatMap((account) => {
    const { failure = null, failedAt = null } = freshnessOf(state, account.id) ?? {}
    if (account.key !== 'present' || failure === null || failedAt === null) return []
    return [{ account, failedAt, failure }]
  })
}

/**
 * The accounts that could not be read for as long as the user allows, one event for each; a single
 * one where this computer is offline. `awakeSince`: epoch ms; sleep before it does not count.
 */
export function blindness(state: AppState, now: number, awakeSince: number): TroubleEvent[] {
  const unread = unreadAccounts(state)
  const blind = unread.filter((one) => blindAt(state, one, awakeSince) <= now)
  const [first] = blind.toSorted((one, other) => one.failedAt - other.failedAt)
  if (first === undefined) return []
  if (isOffline(state, unread, first.failedAt)) return [offlineEvent(first, now)]
  return blind.map((one) => accountEvent(state, one, now))
}

/** Epoch ms of the next moment at which `blindness` may find more; null: there is none. */
export function nextBlindAt(state: AppState, now: number, awakeSince: number): number | null {
  const times = unreadAccounts(state)
    .map((one) => blindAt(state, one, awakeSince))
    .filter((at) => at > now)
  return times.length === 0 ? null : Math.min(...times)
}

/** No other account was read since, and the network itself is why: it says so, or several hosts are gone. */
function isOffline(state: AppState, unread: readonly Unread[], since: number): boolean {
  const wasRead = state.accounts.some((account) => {
    const readAt = freshnessOf(state, account.id)?.readAt ?? Number.NEGATIVE_INFINITY
    return readAt >= since && !unread.some((one) => one.account === account)
  })
  const failures = unread.map(({ failure }) => failure)
  const network = failures.filter((failure) => failure.kind === 'network')
  if (wasRead || network.length < failures.length) return false
  const hosts = new Set(network.map(({ host }) => host))
  return hosts.size > 1 || network.some(({ reason }) => reason === 'offline')
}

function offlineEvent({ account, failedAt }: Unread, now: number): TroubleEvent {
  const since = clockWords(failedAt, now)
  return trouble(account, 'offline', now, {
    title: 'This computer is offline',
    body: `Belfry has not reached any server since ${since}. Nothing new is noticed until it does.`,
  })
}

function accountEvent(
  state: AppState,
  { account, failedAt, failure }: Unread,
  now: number,
): TroubleEvent {
  const what = account.kind === 'monitoring' ? 'Checks that go down' : 'New messages'
  const checks = state.boards.get(account.id)?.checks.values() ?? []
  return trouble(account, 'blind', now, {
    title: `${account.label} can’t be read`,
    body: `Since ${clockWords(failedAt, now)}: ${failureWords(failure).what} ${what} are not noticed meanwhile.`,
    tags: [...new Set([...checks].flatMap(({ tags }) => tags))],
  })
}

function trouble(
  { id: accountId }: Account,
  what: string,
  at: number,
  words: Pick<TroubleEvent, 'title' | 'body' | 'tags'>,
): TroubleEvent {
  const subject = `${accountId}/${what}`
  const id = `${subject}@${at}`
  const target = { view: 'accounts' } as const
  return { of: 'trouble', kind: 'trouble', id, at, accountId, subject, target, ...words }
}
