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

interface JoiningParts {
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
}

/**
 * Joins accounts that turn out to be one project, as older versions let a second key be added. Both
 * are read before any of them is followed, or before the read that shows it is taken in; if one can't
 * be read, the other gets everything that names it, until it can.
 */
export class Joining {
  readonly #parts: JoiningParts
  /** Two accounts that were compared, monotonic ms, and those of them that could not be read. */
  readonly #compared = new Map<
    string,
    { readonly at: number; readonly unread: readonly AccountId[] }
  >()
  /** Accounts that the user was asked about. */
  readonly #asked = new Set<AccountId>()
  #stopped = false

  constructor(parts: JoiningParts) {
    this.#parts = parts
  }

  /** Connects all accounts; those that seem to be one project once they were compared. */
  connectAll(): void {
    const grouped = new Set<AccountId>()
    for (const account of this.#parts.live.get().accounts) {
      const { id } = account
      if (grouped.has(id)) continue
      const ids = [...knownChecks(this.#parts.live.get().boards.get(id)).keys()]
      const same = account.kind === 'monitoring' && !account.demo ? this.#others(account, ids) : []
      const group = [id, ...same.map((other) => other.id)]
      for (const one of group) grouped.add(one)
      if (group.length === 1) this.#parts.connections.connect(id)
      else void this.#connectTogether(group)
    }
  }

  /** To be called with each list of checks before it is taken in. */
  async onListed(id: AccountId, checks: readonly Check[]): Promise<void> {
    const own = this.#project(id)
    const isAlone = this.#parts.live
      .get()
      .accounts.every((one) => one.id === id || one.kind === 'chat')
    if (own === null || own.demo || isAlone) return
    const ids = checks.map((check) => check.id)
    for (const other of this.#others(own, ids)) {
      const { at, unread } = this.#compared.get(pairOf(id, other.id)) ?? {
        at: -againMs,
        unread: [],
      }
      const isKnown = this.#parts.clock.monotonic() - at < againMs && !unread.includes(id)
      if (!isKnown) await this.#compare(own, other)
      if (this.#project(id) === null) return
      if (this.#project(other.id) !== null && this.#isFailing(other)) this.#ask(other, own)
    }
  }

  stop(): void {
    this.#stopped = true
  }

  readonly #details = (id: AccountId, checkId: CheckId) =>
    this.#parts.connections.details(id, checkId)

  #project(id: AccountId) {
    return accountById(this.#parts.live.get(), id) as MonitoringAccount | null
  }

  /** Other accounts that seem to be this one's project, by what was last read. */
  #others(
    { id, baseUrl }: MonitoringAccount,
    ids: readonly CheckId[],
  ): readonly MonitoringAccount[] {
    const { live } = this.#parts
    // With each read of 50,000 checks: no other project has any of these.
    const first = ids.slice(0, mostCompared)
    return live.get().accounts.filter((one): one is MonitoringAccount => {
      if (one.id === id || one.kind !== 'monitoring') return false
      const known = knownChecks(live.get().boards.get(one.id))
      if (2 * first.filter((checkId) => known.has(checkId)).length <= first.length) return false
      const own = listedProject(baseUrl, ids, (checkId) => this.#details(id, checkId))
      const theirs = connectedProject(live.get(), one.id, this.#details)
      return theirs !== null && isOneProject(own, theirs)
    })
  }

  /** Reads a project's list now; null if that is not possible. */
  async #listed(account: MonitoringAccount): Promise<ListedProject | null> {
    const { clock } = this.#parts
    try {
      const key = await this.#parts.vault.get(keyName(account))
      if (key === null) return null
      const { baseUrl } = account
      const tried = await serviceOf('monitoring').probe(
        { ...account, key, allowHttp: account.insecure },
        {
          ...{ baseUrl, key, clock, transport: this.#parts.transport(account) },
          userAgent: `Belfry/${this.#parts.version}`,
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
  async #compare(one: MonitoringAccount, other: MonitoringAccount): Promise<void> {
    const [first, second] = await Promise.all([this.#listed(one), this.#listed(other)])
    if (this.#stopped || this.#project(one.id) === null || this.#project(other.id) === null) return
    const unread = [...(first === null ? [one.id] : []), ...(second === null ? [other.id] : [])]
    this.#compared.set(pairOf(one.id, other.id), { at: this.#parts.clock.monotonic(), unread })
    if (first !== null && second !== null) {
      if (isOneProject(first, second)) this.#join(one, other)
    } else if (first !== null) this.#handOver(other.id, one.id)
    else if (second !== null) this.#handOver(one.id, other.id)
  }

  #join(one: MonitoringAccount, other: MonitoringAccount): void {
    const { live } = this.#parts
    const inOrder = live.get().accounts.filter(({ id }) => id === one.id || id === other.id)
    const [stays, gone] = bestFirst(inOrder.filter((account) => account.kind === 'monitoring'))
    if (stays === undefined || gone === undefined) return
    this.#parts.connections.disconnect(gone.id)
    live.rebase((kept) => withJoined(kept, gone.id, stays.id))
    this.#parts.onRenamed(gone.id, stays.id)
    for (const { id } of inOrder) live.trouble(askedId(id), null)
    live.update((state) => withCaughtUp(state, stays.id))
    live.announce(
      troubleEvent(stays.id, `joined/${gone.id}`, this.#parts.clock.now(), {
        title: `“${gone.label}” is now part of “${stays.label}”`,
        body: `Both keys lead to the same project. Belfry keeps the ${keyWords(stays)} of “${stays.label}”, with the rules, silences and history of both.`,
        target: { view: 'accounts' },
      }),
    )
    this.#parts.vault.delete(keyName(gone)).catch(() => {
      // The next start deletes it.
    })
  }

  #handOver(from: AccountId, to: AccountId): void {
    this.#parts.live.rebase((kept) => withHandedOver(kept, from, to))
    this.#parts.onRenamed(from, to)
  }

  /** Asks the user about an account that could not be read for a day. */
  #ask(unread: MonitoringAccount, other: MonitoringAccount): void {
    const board = this.#parts.live.get().boards.get(unread.id)
    const readAt = (board && readAtOf(board)) ?? 0
    if (this.#asked.has(unread.id) || this.#parts.clock.now() - readAt < dayMs) return
    this.#asked.add(unread.id)
    this.#parts.live.trouble(
      askedId(unread.id),
      `“${unread.label}” could not be read for a day. It seems to be the same project as “${other.label}”, which has its rules, silences and history now. Remove “${unread.label}”; if you have a new key, give it to “${other.label}”.`,
      { view: 'accounts' },
    )
  }

  #isFailing({ id, key }: MonitoringAccount): boolean {
    return (
      key !== 'present' ||
      (this.#parts.live.get().boards.get(id)?.freshness.failure ?? null) !== null
    )
  }

  async #connectTogether(group: readonly AccountId[]): Promise<void> {
    try {
      await this.#parts.begin
      for (const [at, id] of group.entries())
        for (const otherId of group.slice(at + 1)) {
          const [one, other] = [this.#project(id), this.#project(otherId)]
          if (one !== null && other !== null) await this.#compare(one, other)
        }
    } catch (error) {
      this.#parts.onBug('accounts', error)
    }
    for (const id of group)
      if (!this.#stopped && this.#project(id) !== null) this.#parts.connections.connect(id)
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
