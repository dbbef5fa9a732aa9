import type { Account, AccountKind } from '../account.ts'
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

/** Time in which nothing could be read, epoch ms: the computer slept, or had no network at all. */
export interface Gap {
  readonly from: number
  readonly to: number
}

/** Epoch ms at which what was read last at `since` counts as blind. */
function blindFrom(state: AppState, since: number, gaps: readonly Gap[]): number {
  const away = gaps.map(({ from, to }) => Math.max(0, to - Math.max(from, since)))
  return since + away.reduce((sum, ms) => sum + ms, 0) + state.settings.blindMinutes * 60_000
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
 * one where this computer is offline. A rejected key is reported by itself. `gaps` do not count.
 */
export function blindness(state: AppState, now: number, gaps: readonly Gap[]): TroubleEvent[] {
  const unread = unreadAccounts(state)
  const blind = unread.filter(({ failedAt }) => blindFrom(state, failedAt, gaps) <= now)
  const [first] = blind
  if (first === undefined) return []
  const lastRead = lastReadAt(state)
  if (isNetwork(unread) && blindFrom(state, lastRead, gaps) <= now)
    return [offlineEvent(state.accounts[0] ?? first.account, lastRead || first.failedAt, now)]
  return blind.map((one) => accountEvent(state, one, now))
}

/** Epoch ms of the next moment at which `blindness` may find something else; null: there is none. */
export function nextBlindAt(state: AppState, now: number, gaps: readonly Gap[]): number | null {
  const since = unreadAccounts(state).map(({ failedAt }) => failedAt)
  if (since.length > 0) since.push(lastReadAt(state))
  const times = since.map((at) => blindFrom(state, at, gaps)).filter((at) => at > now)
  return times.length === 0 ? null : Math.min(...times)
}

/** Epoch ms of the newest read of any account. */
function lastReadAt(state: AppState): number {
  return Math.max(0, ...state.accounts.map(({ id }) => freshnessOf(state, id)?.readAt ?? 0))
}

/** The network itself is why: it says so, no name can be looked up, or several hosts are gone. */
function isNetwork(unread: readonly Unread[]): boolean {
  const failures = unread.map(({ failure }) => failure)
  const network = failures.filter((failure) => failure.kind === 'network')
  const hosts = new Set(network.map(({ host }) => host))
  const isSaid = network.some(({ reason }) => reason === 'offline' || reason === 'dns')
  return network.length === failures.length && (hosts.size > 1 || isSaid)
}

function offlineEvent(account: Account, since: number, now: number): TroubleEvent {
  return trouble(account, 'offline', now, {
    title: 'This computer is offline',
    body: `Belfry has not reached any server since ${clockWords(since, now)}. You won’t hear about anything new until it does.`,
  })
}

/** What nobody is told of while an account can't be read. */
const unseen: Readonly<Record<AccountKind, string>> = {
  monitoring: 'checks that go down',
  chat: 'new messages',
}

function accountEvent(
  state: AppState,
  { account, failedAt, failure }: Unread,
  now: number,
): TroubleEvent {
  const checks = state.boards.get(account.id)?.checks.values() ?? []
  return trouble(account, 'blind', now, {
    title: `${account.label} can’t be read`,
    body: `Since ${clockWords(failedAt, now)}: ${failureWords(failure).what} You won’t hear about ${unseen[account.kind]} meanwhile.`,
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
