import { type Account, type AccountKind, freshnessOf, heardAtOf, neverRead } from '../account.ts'
import type { Failure } from '../failure.ts'
import { failureWords } from '../failure-words.ts'
import { clockWords } from '../time.ts'
import type { WatchedState } from './attention-slice.ts'
import { type TroubleEvent, troubleEvent } from './event.ts'

interface Unread {
  readonly account: Account
  /** Epoch ms of the first failed read; without a key, of the last successful one. */
  readonly since: number
  /** Null: there is no key to read it with. */
  readonly failure: Failure | null
}

/** Time in which nothing could be read, epoch ms: the computer slept, or had no network at all. */
export interface Gap {
  readonly from: number
  readonly to: number
}

/** What else determines for how long an account counts as unread. Epoch ms. */
export interface Watched {
  readonly gaps: readonly Gap[]
  /** Used for accounts without a key that were never read. */
  readonly startedAt: number
  /** When this computer came back online, which restarts the time for each server. */
  readonly onlineAt: number
}

/** Epoch ms from which an account that is unread since `since` counts as blind. */
function blindFrom(state: WatchedState, since: number, { gaps }: Watched): number {
  const away = gaps.map(({ from, to }) => Math.max(0, to - Math.max(from, since)))
  return since + away.reduce((sum, ms) => sum + ms, 0) + state.settings.blindMinutes * 60_000
}

function accountBlindFrom(state: WatchedState, one: Unread, watched: Watched): number {
  const since = hasFailed(one) ? Math.max(one.since, watched.onlineAt) : one.since
  return blindFrom(state, since, watched)
}

function offlineFrom(state: WatchedState, watched: Watched): number {
  return blindFrom(state, Math.max(lastHeardAt(state), watched.onlineAt), watched)
}

function unreadAccounts(state: WatchedState, { startedAt }: Watched): Unread[] {
  return state.accounts.flatMap((account): Unread[] => {
    const freshness = freshnessOf(state, account.id) ?? neverRead
    const { failure, failedAt } = freshness
    if (account.key === 'rejected') return []
    if (account.key !== 'present')
      return [{ account, since: heardAtOf(freshness) ?? startedAt, failure: null }]
    return failure === null || failedAt === null ? [] : [{ account, since: failedAt, failure }]
  })
}

/**
 * One event for each account that could not be read for as long as the user allows, but a single
 * one for all that fail because this computer is offline. Rejected keys are reported elsewhere.
 */
export function blindness(state: WatchedState, now: number, watched: Watched): TroubleEvent[] {
  const unread = unreadAccounts(state, watched)
  const blind = unread.filter((one) => accountBlindFrom(state, one, watched) <= now)
  const [first] = blind.filter(hasFailed)
  if (first === undefined || !isNetwork(unread) || offlineFrom(state, watched) > now)
    return blind.map((one) => accountEvent(state, one, now))
  const since = lastHeardAt(state) || first.since
  return [
    offlineEvent(state.accounts[0] ?? first.account, since, now),
    ...blind.filter((one) => !hasFailed(one)).map((one) => accountEvent(state, one, now)),
  ]
}

/** Epoch ms at which the result of `blindness` may next change; null: never. */
export function nextBlindAt(state: WatchedState, now: number, watched: Watched): number | null {
  const unread = unreadAccounts(state, watched)
  const times = unread.map((one) => accountBlindFrom(state, one, watched))
  if (unread.some(hasFailed)) times.push(offlineFrom(state, watched))
  const later = times.filter((at) => at > now)
  return later.length === 0 ? null : Math.min(...later)
}

function hasFailed({ failure }: Unread): boolean {
  return failure !== null
}

/** Epoch ms of the newest answer about any account. */
function lastHeardAt(state: WatchedState): number {
  const heardAt = ({ id }: Account): number => heardAtOf(freshnessOf(state, id) ?? neverRead) ?? 0
  return Math.max(0, ...state.accounts.map(heardAt))
}

/** Whether the network is the cause: it is offline, DNS fails, or several hosts are unreachable. */
function isNetwork(unread: readonly Unread[]): boolean {
  const failures = unread.flatMap(({ failure }) => failure ?? [])
  const network = failures.filter((failure) => failure.kind === 'network')
  const hosts = new Set(network.map(({ host }) => host))
  const isSaid = network.some(({ reason }) => reason === 'offline' || reason === 'dns')
  return network.length === failures.length && (hosts.size > 1 || isSaid)
}

function offlineEvent({ id }: Account, since: number, now: number): TroubleEvent {
  return troubleEvent(id, 'offline', now, {
    title: 'This computer is offline',
    body: `Belfry has not reached any server since ${clockWords(since, now)}. You won’t hear about anything new until it does.`,
    target: { view: 'accounts' },
  })
}

/** What goes unnoticed while an account can't be read. */
const unseen: Readonly<Record<AccountKind, string>> = {
  monitoring: 'checks that go down',
  chat: 'new messages',
}

function accountEvent(
  state: WatchedState,
  { account, since, failure }: Unread,
  now: number,
): TroubleEvent {
  const checks = state.boards.get(account.id)?.checks.values() ?? []
  const why =
    failure === null
      ? `${account.key === 'locked' ? 'the keyring is locked' : 'its key is missing'}.`
      : failureWords(failure).what
  return troubleEvent(account.id, 'blind', now, {
    title: `${account.label} is unreachable`,
    body: `Since ${clockWords(since, now)}: ${why} You won’t hear about ${unseen[account.kind]} meanwhile.`,
    target: { view: 'accounts' },
    tags: [...new Set([...checks].flatMap(({ tags }) => tags))],
  })
}
