import {
  type Account,
  type AccountId,
  accountById,
  type KeyLoss,
  type KeyState,
  withAccount,
} from '../../shared/core/account.ts'
import type { Board } from '../../shared/core/checks/board.ts'
import type { Check, CheckId } from '../../shared/core/checks/check.ts'
import type { Exchange } from '../../shared/core/diagnosis.ts'
import { invalid } from '../../shared/core/failure.ts'
import { longestPollMs } from '../../shared/core/settings.ts'
import type { AppState } from '../../shared/core/state.ts'
import { type Clock, type Transport, type Vault, VaultLocked } from '../base/ports.ts'
import type { RealmLink } from '../chat/realm-session.ts'
import { createClient } from '../http/client.ts'
import { type Budget, createBudget } from '../http/rate-limit.ts'
import { createWaker, type Waker, wait, wakeStaggered } from '../http/wait.ts'
import { createLookupQueue, type LookupQueue } from '../monitoring/flip-lookups.ts'
import type { ProjectLink } from '../monitoring/project.ts'
import { withPlaceFor } from '../state/documents.ts'
import type { LiveState } from '../state/store.ts'
import { serviceOf } from './services.ts'

/** Time between two polls while something is down or the board is open. */
const busyPollMs = 30_000
/** Opening the board reads only what is older, so that reopening a window does not poll faster. */
const lookAgainMs = 10_000
/** Delays before asking a locked keyring again; waking and a click ask at once. */
const keyringRetryMs = { first: 1_000, longest: 60_000 }
/** Reading all accounts at once after a wake would be a burst: they are spread over this time. */
const wakeSpreadMs = 1_000
/** Delay before restarting a loop after a bug, so that one bad reply does not end the watch. */
const afterBugMs = 10_000
/** A smaller clock difference is the resolution of the Date header and the network's delay. */
const offsetGrainMs = 1_500

interface Running {
  readonly abort: AbortController
  /** Ends the waits of this account's loops. */
  readonly waker: Waker
  project: ProjectLink | null
  realm: RealmLink | null
}

interface ConnectionsParts {
  live: LiveState
  vault: (account: Account) => Vault
  transport: (account: Account) => Transport
  /** Whether the computer runs on battery. */
  onBattery: () => boolean
  clock: Clock
  version: string
  /** The first requests wait for this. */
  begin: Promise<void>
  /** Called with each list of checks; it is taken in once this resolves. */
  onListed: (id: AccountId, checks: readonly Check[]) => Promise<void>
  /** Called when a request of an account has ended. */
  onExchange: (id: AccountId, exchange: Exchange) => void
  /** A loop threw something that is not a failure; it is restarted. */
  onBug: (where: string, error: unknown) => void
}

/** The running loops of all accounts, one session each. */
export class Connections {
  readonly #parts: ConnectionsParts
  readonly #running = new Map<AccountId, Running>()
  readonly #budgets = new Map<string, Budget>()
  readonly #lookupQueues = new Map<string, LookupQueue>()
  readonly #waker = createWaker()
  #boardWatched = false
  #lookTimer: ReturnType<typeof setTimeout> | undefined
  /** Set while accounts are being woken; aborts that. */
  #waking: AbortController | null = null

  constructor(parts: ConnectionsParts) {
    this.#parts = parts
  }

  /** Starts or restarts following an account. Its board or realm exists at once, empty. */
  connect(id: AccountId): void {
    this.disconnect(id)
    const session: Running = {
      abort: new AbortController(),
      waker: createWaker(),
      project: null,
      realm: null,
    }
    this.#running.set(id, session)
    this.#parts.live.update((state) => withPlaceFor(state, id, null))
    this.#run(id, session)
      .then(() => (session.project ?? session.realm)?.done)
      .catch(async (error: unknown) => {
        this.#parts.onBug('connection', error)
        await wait(afterBugMs, session.abort.signal, this.#waker)
        if (this.#running.get(id) === session) this.connect(id)
      })
  }

  disconnect(id: AccountId): void {
    this.#running.get(id)?.abort.abort()
    this.#running.delete(id)
  }

  project(id: AccountId) {
    return this.#running.get(id)?.project ?? notConnected(this.#parts.live.get(), id)
  }

  realm(id: AccountId) {
    return this.#running.get(id)?.realm ?? notConnected(this.#parts.live.get(), id)
  }

  /** Everything that the last reply said about a check; null if none did. */
  details(id: AccountId, checkId: CheckId) {
    return this.#running.get(id)?.project?.details(checkId) ?? null
  }

  /** After sleep, unlock or a network change: every wait ends and everything is read now. */
  wake() {
    // Wakes come in twos and threes (resume, unlock, network); read the accounts once.
    if (this.#waking !== null) return
    this.#waker.wake()
    this.#waking = new AbortController()
    const wakers = [...this.#running.values()].map((session) => session.waker)
    const random = () => this.#parts.clock.random()
    void wakeStaggered(wakers, wakeSpreadMs, random, this.#waking.signal).then(() => {
      this.#waking = null
    })
  }

  refresh(id: AccountId | null) {
    for (const [accountId, { project, realm, waker: own }] of this.#running) {
      if (id !== null && id !== accountId) continue
      // Without a link yet, the key is still being waited for.
      if (project === null && realm === null) own.wake()
      project?.refresh()
      realm?.refresh()
    }
  }

  /** To be called when an unsent text has changed: servers that keep drafts get it. */
  draftsChanged() {
    for (const { realm } of this.#running.values()) realm?.drafts.changed()
  }

  /** Whether someone is looking at the board: polls become more frequent. */
  watched(visible: boolean) {
    const began = visible && !this.#boardWatched
    this.#boardWatched = visible
    if (began) this.#look()
    else if (!visible) clearTimeout(this.#lookTimer)
  }

  /** Ends all loops. Resolves once their queues are deleted, after at most a second. */
  async stop() {
    this.#waking?.abort()
    clearTimeout(this.#lookTimer)
    const links = [...this.#running.values()]
    this.#running.clear()
    for (const { abort } of links) abort.abort()
    const ends = links.flatMap(({ project, realm }) => [project, realm].map((link) => link?.done))
    await Promise.allSettled(ends.filter((end) => end !== undefined))
  }

  /** All calls with a key share one rate limit, even where two accounts hold the same key. */
  #budgetOf({ baseUrl, kind }: Account, key: string): Budget {
    const id = `${baseUrl} ${key}`
    const budget = this.#budgets.get(id) ?? createBudget({ limit: serviceOf(kind).requestsAMinute })
    this.#budgets.set(id, budget)
    return budget
  }

  #lookupsOf({ baseUrl }: Account): LookupQueue {
    const { host } = new URL(baseUrl)
    const queue = this.#lookupQueues.get(host) ?? createLookupQueue(this.#parts.clock)
    this.#lookupQueues.set(host, queue)
    return queue
  }

  #setKey(id: AccountId, key: KeyState, keyLoss?: KeyLoss): void {
    this.#parts.live.update((state) => {
      const account = accountById(state, id)
      const isKnown = account?.key === key && account.keyLoss === keyLoss
      return isKnown ? state : withAccount(state, id, (one) => ({ ...one, key, keyLoss }))
    })
  }

  #interval(id: AccountId): number {
    const { boards, settings } = this.#parts.live.get()
    const usualMs = 1_000 * settings.pollSeconds
    const isDown = (one: Board | undefined): boolean => (one?.counts.down ?? 0) > 0
    if (this.#boardWatched || isDown(boards.get(id))) return Math.min(busyPollMs, usualMs)
    const maySpare = settings.sparesBattery && ![...boards.values()].some(isDown)
    return maySpare && this.#parts.onBattery() ? longestPollMs(settings) : usualMs
  }

  async #run(id: AccountId, session: Running): Promise<void> {
    const { live, clock } = this.#parts
    await this.#parts.begin
    const account = accountById(live.get(), id)
    const key = account === null ? null : await this.#keyOf(account, session)
    if (account === null || key === null) return
    const follow = await serviceOf(account.kind).load()
    if (session.abort.signal.aborted) return
    let offset = 0
    const client = createClient({
      account,
      key,
      transport: this.#parts.transport(account),
      budget: this.#budgetOf(account, key),
      clock,
      userAgent: `Belfry/${this.#parts.version}`,
      onExchange: (exchange) => this.#parts.onExchange(id, exchange),
      onServerOffset: (ms) => {
        if (Math.abs(ms - offset) > offsetGrainMs) offset = ms
      },
    })
    const links = follow({
      accountId: id,
      client,
      get: live.get,
      // A reply in flight when its account is removed would bring back what was removed.
      update: (change) =>
        live.update((state) => (accountById(state, id) === null ? state : change(state))),
      interval: () => this.#interval(id),
      nextOf: live.nextOf,
      persist: live.persist,
      onRead: () => this.#setKey(id, 'present'),
      onListed: (checks) => this.#parts.onListed(id, checks),
      lookups: this.#lookupsOf(account),
      onFailure: ({ kind }) => {
        if (kind === 'badKey') this.#setKey(id, 'rejected')
      },
      trouble: live.trouble,
      onBug: (error) => this.#parts.onBug(account.kind, error),
      serverOffsetMs: () => offset,
      clock,
      waker: session.waker,
      signal: session.abort.signal,
    })
    Object.assign(session, links)
    // A rejected key counts as rejected until the server accepts it again.
    if (account.key !== 'rejected') this.#setKey(id, 'present')
  }

  /** Waits for a locked keyring: locked is not lost. */
  async #keyOf(account: Account, { abort, waker }: Running): Promise<string | null> {
    const vault = this.#parts.vault(account)
    const said = (key: KeyState, keyLoss?: KeyLoss): void => {
      // Otherwise the key was replaced meanwhile, and the new one is in use.
      if (!abort.signal.aborted) this.#setKey(account.id, key, keyLoss)
    }
    for (
      let waitMs = keyringRetryMs.first;
      ;
      waitMs = Math.min(2 * waitMs, keyringRetryMs.longest)
    ) {
      try {
        const key = await vault.get(keyName(account))
        if (key === null) said('missing', vault.lossOf(keyName(account)) ?? undefined)
        return key
      } catch (error) {
        if (!(error instanceof VaultLocked)) throw error
        said('locked')
        if ((await wait(waitMs, abort.signal, waker)) === 'aborted') return null
      }
    }
  }

  /** Polls the boards for someone who opens them; one that was just read, a little later. */
  #look(): void {
    clearTimeout(this.#lookTimer)
    const fresh: AccountId[] = []
    for (const [id, { project }] of this.#running) {
      // A rejected key is retried by the clock or on request, not whenever a window opens.
      if (accountById(this.#parts.live.get(), id)?.key === 'rejected') continue
      const readAt = this.#parts.live.get().boards.get(id)?.freshness.readAt ?? 0
      if (Math.abs(this.#parts.clock.now() - readAt) >= lookAgainMs) project?.pollNow()
      else fresh.push(id)
    }
    this.#lookTimer = setTimeout(() => {
      for (const id of fresh) this.#running.get(id)?.project?.pollNow()
    }, lookAgainMs)
  }
}

/**
 * The name of a key in the vault. It includes the origin, and the vault encrypts the name with the
 * key: if its address is edited on disk, an account has no key, rather than sending it elsewhere.
 */
export function keyName(account: Pick<Account, 'id' | 'baseUrl'>): string {
  return `${account.id} ${new URL(account.baseUrl).origin}`
}

/** The account that a name in the vault stands for; null for other names. */
export function accountOfKey(name: string): AccountId | null {
  return /^(\S+) https?:/.exec(name)?.[1] ?? null
}

function notConnected(state: AppState, id: AccountId): never {
  const account = accountById(state, id)
  const message =
    account === null
      ? 'This account is gone.'
      : account.key === 'present'
        ? `${account.label} is still connecting: try again in a moment.`
        : `${account.label} has no working key: enter one under Accounts.`
  throw invalid('account', message)
}
