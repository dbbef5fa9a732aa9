import { type AccountId, accountById, type MonitoringAccount } from '../../shared/core/account.ts'
import { troubleEvent } from '../../shared/core/attention/event.ts'
import type { Check, CheckId } from '../../shared/core/checks/check.ts'
import { readAtOf } from '../../shared/core/checks/missed-flips.ts'
import { RequestFailed } from '../../shared/core/failure.ts'
import { dayMs } from '../../shared/core/wall-clock.ts'
import { type Clock, type Transport, type Vault, VaultLocked } from '../base/ports.ts'
import type { LiveState } from '../state/store.ts'
import { type Connections, keyName } from './connections.ts'
import { bestFirst, withCaughtUp, withHandedOver, withJoined } from './joined-account.ts'
import {
  connectedProject,
  isOneProject,
  knownChecks,
  type ListedProject,
  listedProject,
  mostCompared,
} from './listed-project.ts'
import { serviceOf } from './services.ts'

/** How long the accounts of a project wait for each other at a start. */
const deadlineMs = 10_000
/** Two accounts that were compared are not compared again for this long. */
const againMs = 10 * 60_000

/**
 * Joins accounts that turn out to be one project, as older versions let a second key be added. Both
 * are read before any of them is followed, or before the read that shows it is taken in; if one can't
 * be read, the other gets everything that names it, until it can.
 */
export function createJoining(parts: {
  readonly live: LiveState
  readonly vault: Pick<Vault, 'get' | 'delete'>
  readonly transport: (account: MonitoringAccount) => Transport
  readonly connections: Pick<Connections, 'connect' | 'disconnect' | 'details'>
  /** Everything about an account is about another one from now on. */
  readonly onRenamed: (from: AccountId, to: AccountId) => void
  readonly clock: Clock
  readonly version: string
  /** The first requests wait for this. */
  readonly begin?: Promise<void>
  readonly onBug: (where: string, error: unknown) => void
}) {
  const { live, clock, connections } = parts
  /** Two accounts that were compared, monotonic ms, and those of them that could not be read. */
  const compared = new Map<string, { readonly at: number; readonly unread: readonly AccountId[] }>()
  /** Accounts that the user was asked about. */
  const asked = new Set<AccountId>()
  let stopped = false

  const details = (id: AccountId, checkId: CheckId) => connections.details(id, checkId)
  const project = (id: AccountId) => accountById(live.get(), id) as MonitoringAccount | null

  /** Other accounts that seem to be this one's project, by what was last read. */
  function others(
    { id, baseUrl }: MonitoringAccount,
    ids: readonly CheckId[],
  ): readonly MonitoringAccount[] {
    // With each read of 50,000 checks: no other project has any of these.
    const first = ids.slice(0, mostCompared)
    return live.get().accounts.filter((one): one is MonitoringAccount => {
      if (one.id === id || one.kind !== 'monitoring') return false
      const known = knownChecks(live.get().boards.get(one.id))
      if (2 * first.filter((checkId) => known.has(checkId)).length <= first.length) return false
      const own = listedProject(baseUrl, ids, (checkId) => details(id, checkId))
      const theirs = connectedProject(live.get(), one.id, details)
      return theirs !== null && isOneProject(own, theirs)
    })
  }

  /** Reads a project's list now; null if that is not possible. */
  async function listed(account: MonitoringAccount): Promise<ListedProject | null> {
    try {
      const key = await parts.vault.get(keyName(account))
      if (key === null) return null
      const { baseUrl } = account
      const tried = await serviceOf('monitoring').probe(
        { ...account, key, allowHttp: account.insecure },
        {
          ...{ baseUrl, key, clock, transport: parts.transport(account) },
          userAgent: `Belfry/${parts.version}`,
          signal: AbortSignal.timeout(deadlineMs),
        },
      )
      return tried.project
    } catch (error) {
      if (error instanceof RequestFailed || error instanceof VaultLocked) return null
      throw error
    }
  }

  /** Compares two accounts by new reads. */
  async function compare(one: MonitoringAccount, other: MonitoringAccount): Promise<void> {
    const [first, second] = await Promise.all([listed(one), listed(other)])
    if (stopped || project(one.id) === null || project(other.id) === null) return
    const unread = [...(first === null ? [one.id] : []), ...(second === null ? [other.id] : [])]
    compared.set(pairOf(one.id, other.id), { at: clock.monotonic(), unread })
    if (first !== null && second !== null) {
      if (isOneProject(first, second)) join(one, other)
    } else if (first !== null) handOver(other.id, one.id)
    else if (second !== null) handOver(one.id, other.id)
  }

  function join(one: MonitoringAccount, other: MonitoringAccount): void {
    const inOrder = live.get().accounts.filter(({ id }) => id === one.id || id === other.id)
    const [stays, gone] = bestFirst(inOrder.filter((account) => account.kind === 'monitoring'))
    if (stays === undefined || gone === undefined) return
    connections.disconnect(gone.id)
    live.rebase((kept) => withJoined(kept, gone.id, stays.id))
    parts.onRenamed(gone.id, stays.id)
    for (const { id } of inOrder) live.trouble(askedId(id), null)
    live.update((state) => withCaughtUp(state, stays.id))
    live.announce(
      troubleEvent(stays.id, `joined/${gone.id}`, clock.now(), {
        title: `“${gone.label}” is now part of “${stays.label}”`,
        body: `Both keys lead to the same project. Belfry keeps the ${keyWords(stays)} of “${stays.label}”, with the rules, silences and history of both.`,
        target: { view: 'accounts' },
      }),
    )
    parts.vault.delete(keyName(gone)).catch(() => {
      // The next start deletes it.
    })
  }

  function handOver(from: AccountId, to: AccountId): void {
    live.rebase((kept) => withHandedOver(kept, from, to))
    parts.onRenamed(from, to)
  }

  /** Asks the user about an account that could not be read for a day. */
  function ask(unread: MonitoringAccount, other: MonitoringAccount): void {
    const board = live.get().boards.get(unread.id)
    const readAt = (board && readAtOf(board)) ?? 0
    if (asked.has(unread.id) || clock.now() - readAt < dayMs) return
    asked.add(unread.id)
    live.trouble(
      askedId(unread.id),
      `“${unread.label}” could not be read for a day. It seems to be the same project as “${other.label}”, which has its rules, silences and history now. Remove “${unread.label}”; if you have a new key, give it to “${other.label}”.`,
      { view: 'accounts' },
    )
  }

  function isFailing({ id, key }: MonitoringAccount): boolean {
    return key !== 'present' || (live.get().boards.get(id)?.freshness.failure ?? null) !== null
  }

  async function connectTogether(group: readonly AccountId[]): Promise<void> {
    try {
      await parts.begin
      for (const [at, id] of group.entries())
        for (const otherId of group.slice(at + 1)) {
          const [one, other] = [project(id), project(otherId)]
          if (one !== null && other !== null) await compare(one, other)
        }
    } catch (error) {
      parts.onBug('accounts', error)
    }
    for (const id of group) if (!stopped && project(id) !== null) connections.connect(id)
  }

  return {
    /** Connects all accounts; those that seem to be one project once they were compared. */
    connectAll(): void {
      const grouped = new Set<AccountId>()
      for (const account of live.get().accounts) {
        const { id } = account
        if (grouped.has(id)) continue
        const ids = [...knownChecks(live.get().boards.get(id)).keys()]
        const same = account.kind === 'monitoring' && !account.demo ? others(account, ids) : []
        const group = [id, ...same.map((other) => other.id)]
        for (const one of group) grouped.add(one)
        if (group.length === 1) connections.connect(id)
        else void connectTogether(group)
      }
    },
    /** To be called with each list of checks before it is taken in. */
    async onListed(id: AccountId, checks: readonly Check[]): Promise<void> {
      const own = project(id)
      const isAlone = live.get().accounts.every((one) => one.id === id || one.kind === 'chat')
      if (own === null || own.demo || isAlone) return
      const ids = checks.map((check) => check.id)
      for (const other of others(own, ids)) {
        const { at, unread } = compared.get(pairOf(id, other.id)) ?? { at: -againMs, unread: [] }
        const isKnown = clock.monotonic() - at < againMs && !unread.includes(id)
        if (!isKnown) await compare(own, other)
        if (project(id) === null) return
        if (project(other.id) !== null && isFailing(other)) ask(other, own)
      }
    },
    stop(): void {
      stopped = true
    },
  }
}

function pairOf(one: AccountId, other: AccountId): string {
  return [one, other].sort().join(' ')
}

function askedId(id: AccountId): string {
  return `same/${id}`
}

function keyWords({ keyKind }: MonitoringAccount): string {
  return keyKind === 'readWrite' ? 'read-write key' : 'key'
}
