import { monitoringOperations } from '../../shared/api/monitoring/monitoring-operations.ts'
import { readCheckDetails, readOneCheck } from '../../shared/api/monitoring/read-check.ts'
import { readFlips, readPings } from '../../shared/api/monitoring/read-history.ts'
import type { Operation } from '../../shared/api/operation.ts'
import { type AccountId, accountById } from '../../shared/core/account.ts'
import { type Board, notifiedStatus, withBoard } from '../../shared/core/checks/board.ts'
import {
  boardAfter,
  type ChecksRead,
  withCheck,
  withChecksFailed,
  withNextPoll,
} from '../../shared/core/checks/board-update.ts'
import type { Check, CheckDetails, CheckId } from '../../shared/core/checks/check.ts'
import type { Flip } from '../../shared/core/checks/history.ts'
import type { Ping } from '../../shared/core/checks/ping.ts'
import { type Failure, malformed, RequestFailed } from '../../shared/core/failure.ts'
import type { AppState } from '../../shared/core/state.ts'
import type { HttpReply } from '../../shared/http.ts'
import type { Clock } from '../base/ports.ts'
import { uniqueKeyOf } from '../base/unique-key.ts'
import { type Client, reportingRefusals } from '../http/client.ts'
import { networkCapMs, retryDelayMs } from '../http/retry-delay.ts'
import { createWaker, isAborted, runYielding, type Waker, waitAfter } from '../http/wait.ts'
import { createCheckListReader, createDoubtfulAlarm, createListDoubt } from './check-list.ts'
import { createSinceFinder, LogReader, type SinceFinder } from './down-details.ts'
import { FlipLookups, type LookupOptions, type LookupQueue } from './flip-lookups.ts'

interface ProjectParts {
  accountId: AccountId
  client: Client
  get: () => AppState
  update: (change: (state: AppState) => AppState) => void
  /** Ms between polls, read each time: shorter while something is down or being viewed. */
  interval: () => number
  /** Called after each good reply. */
  onRead: () => void
  /** Called with each list of checks; it is taken in once this resolves. */
  onListed: (checks: readonly Check[]) => Promise<void>
  onFailure: (failure: Failure) => void
  /** Server clock minus ours, in ms. */
  serverOffsetMs: () => number
  clock: Clock
  waker: Waker
  /** Shared by all projects of a host. */
  lookups: LookupQueue
  onBug: (error: unknown) => void
  signal: AbortSignal
}

/** The running connection of one project until its signal aborts: keeps its board in sync with its server. */
export class ProjectLink {
  readonly #parts: ProjectParts
  /** For everything but the poller, which handles refusals itself. */
  readonly client: Client
  readonly #finder: SinceFinder
  readonly #list: ReturnType<typeof createCheckListReader>
  readonly #doubt = createListDoubt()
  readonly #alarm: ReturnType<typeof createDoubtfulAlarm>
  readonly #lookups: FlipLookups
  readonly #poller: CheckPoller
  /** Says why a check that goes down in a list does so. */
  readonly logs: LogReader
  /** Details from replies about single checks since the last list was taken in. */
  readonly #newer = new Map<CheckId, CheckDetails>()
  #lastReply: HttpReply | undefined
  /** Somebody has asked for the next read and waits for it. */
  #isAsked = false
  /** The read in flight has not been sent yet. */
  #isHeldBack = false

  constructor(parts: ProjectParts) {
    this.#parts = parts
    const { accountId, update, clock, signal } = parts
    const board = (): Board | undefined => this.#board()
    this.client = reportingRefusals(parts.client, (failure) => {
      if (accountById(parts.get(), accountId)?.key === 'rejected') return
      this.#failed(failure)
      this.#poller.pollNow()
    })
    this.#finder = createSinceFinder((id, flipsSignal) =>
      this.#flips({ id }, { signal: flipsSignal }),
    )
    this.#list = createCheckListReader(
      (reply) => parts.client.read(monitoringOperations.listChecks, reply).checks,
    )
    this.#alarm = createDoubtfulAlarm((check) => this.#raise(check), signal)
    this.#lookups = new FlipLookups({
      ...{ board, update, clock, signal, onBug: parts.onBug, queue: parts.lookups },
      flips: (id, start, options) => this.#flips({ id, start }, options),
      pings: (id, options) => this.#pings(id, options),
    })
    this.logs = new LogReader({
      ...{ accountId, board, update, client: this.client, signal },
      isInView: () => {
        const { to } = parts.get().target
        return 'accountId' in to && to.accountId === accountId
      },
      uuid: (id) => this.details(id)?.uuid ?? null,
      lookups: parts.lookups,
      onBug: parts.onBug,
    })
    this.#poller = new CheckPoller({
      list: (listSignal) => this.#readList(listSignal),
      finder: this.#finder,
      onChecks: (listed, answeredAt, isOutdated) => this.#takeIn(listed, answeredAt, isOutdated),
      onFailure: (failure) => this.#failed(failure),
      onNext: (nextAt) => {
        const plan = nextAt === null ? null : { nextAt, intervalMs: parts.interval() }
        update((state) => withNextPoll(state, accountId, plan))
      },
      interval: parts.interval,
      hasOthers: () => parts.get().accounts.filter(({ kind }) => kind === 'monitoring').length > 1,
      ...{ clock, waker: parts.waker, signal },
    })
  }

  get done(): Promise<void> {
    return this.#poller.done
  }

  pollNow(): void {
    this.#poller.pollNow()
  }

  /** Everything that the last reply with this check said about it; null if none had it. */
  details(id: CheckId): CheckDetails | null {
    return this.#newer.get(id) ?? this.#list.details(id)
  }

  /** Somebody waits for it: it goes before what is read unasked. */
  refresh(): void {
    this.#isAsked = true
    if (this.#isHeldBack) this.#poller.restart()
    else this.#poller.pollNow()
  }

  /** Shows the check that a reply contains, and polls the whole list again. Returns the check. */
  applyReply(reply: unknown, operation?: Operation): CheckDetails | null {
    const check = readOneCheck(reply, uniqueKeyOf, this.#serverNow())
    if (check !== null) this.#show(check)
    const said = readCheckDetails(reply, uniqueKeyOf, this.#serverNow())
    if (said !== null) this.#newer.set(said.id, said)
    if (said !== null && operation === monitoringOperations.deleteCheck)
      this.#doubt.deleted(said.id)
    this.#poller.restart()
    return said
  }

  #board(): Board | undefined {
    return this.#parts.get().boards.get(this.#parts.accountId)
  }

  #serverNow(): number {
    return this.#parts.clock.now() + this.#parts.serverOffsetMs()
  }

  #show(check: Check): void {
    const { accountId, update } = this.#parts
    update((state) => withCheck(state, accountId, check, this.#serverNow()))
  }

  #failed(failure: Failure): void {
    const { accountId, lookups, update, clock } = this.#parts
    if (failure.kind === 'rateLimited') lookups.limited(failure.retryAfterMs)
    update((state) => withChecksFailed(state, accountId, failure, clock.now()))
    this.#parts.onFailure(failure)
  }

  async #flips(
    params: { id: CheckId; start?: number },
    options: LookupOptions,
  ): Promise<readonly Flip[]> {
    const given = { ...options, priority: 'background' } as const
    const reply = await this.client.call(monitoringOperations.listFlips, params, given)
    const { items, unreadable } = readFlips(reply)
    // A lookup that can't read every flip has to be repeated.
    if (unreadable > 0) throw malformed('shape', 'flips')
    this.#finder.remember(params.id, items)
    return items
  }

  /** Null if they can't be read: that takes the check's uuid. */
  async #pings(id: CheckId, options: LookupOptions): Promise<readonly Ping[] | null> {
    const uuid = this.details(id)?.uuid ?? null
    if (uuid === null) return null
    const given = { ...options, priority: 'background' } as const
    return readPings(await this.client.call(monitoringOperations.listPings, { uuid }, given)).items
  }

  /** Asks for the list, unless what came back can't be what the server says now. */
  async #readList(signal: AbortSignal): Promise<ListedChecks> {
    const { client, serverOffsetMs } = this.#parts
    const priority = this.#isAsked ? 'interactive' : 'background'
    this.#isAsked = false
    this.#isHeldBack = true
    const onGranted = (): void => {
      this.#isHeldBack = false
    }
    const uncached = this.#doubt.isDoubting()
    const options = { signal, priority, onGranted, before: this.#lastReply, uncached } as const
    this.#lastReply = await client.answer(monitoringOperations.listChecks, {}, options)
    const { headers } = this.#lastReply
    const read = await this.#list.read(this.#lastReply, this.#serverNow(), signal)
    const known = this.#board()
    // Before the first read, those of the previous run.
    const believed = known?.freshness.readAt == null ? known?.missed.snapshots : known.checks
    const { checks } = read
    const what = this.#doubt.judge({ headers, serverOffsetMs: serverOffsetMs(), checks, believed })
    if (what === null) this.#alarm.cancel()
    else {
      this.#alarm.raise(checks)
      throw malformed(what, 'checks')
    }
    return read
  }

  /** An outage that only a doubtful list reports. */
  #raise(check: Check): void {
    const now = this.#board()
    // Before the first read, the check as the previous run last saw it.
    const known = now?.checks.get(check.id) ?? now?.missed.snapshots.get(check.id)
    // A cache may report an outage that is long over, or was ended by a pause.
    if (now === undefined || known === undefined || check.pingCount < (known.pingCount ?? 0)) return
    if (notifiedStatus(now, check.id) === 'down') return
    if (known.status === 'paused' && check.pingCount === known.pingCount) return
    this.#show(check)
  }

  async #takeIn(
    { checks, unreadable }: ListedChecks,
    at: number,
    isOutdated: () => boolean,
  ): Promise<void> {
    const { interval, serverOffsetMs, onListed, onRead, update, clock } = this.#parts
    const intervalMs = interval()
    const read = { checks, unreadable, at, intervalMs, serverOffsetMs: serverOffsetMs() }
    await onListed(checks)
    await this.logs.beforeNews(checks, clock.now() - at)
    const after = await this.#boardAfter(read, isOutdated)
    if (after === null) return
    onRead()
    this.#newer.clear()
    this.#list.commit(after.checks)
    update((state) => withBoard(state, after))
    this.#lookups.polled()
  }

  /** Computes the next board in turns; starts over if the board changes. Null: no longer wanted. */
  async #boardAfter(read: ChecksRead, isOutdated: () => boolean): Promise<Board | null> {
    const { signal } = this.#parts
    for (;;) {
      const before = this.#board()
      if (before === undefined || isAborted(signal) || isOutdated()) return null
      const after = await runYielding(boardAfter(before, read))
      if (this.#board() === before && !isAborted(signal) && !isOutdated()) return after
    }
  }
}

/** One complete answer to "list checks". */
export interface ListedChecks {
  readonly checks: readonly Check[]
  readonly unreadable: number
}

export interface CheckPollerOptions {
  readonly list: (signal: AbortSignal) => Promise<ListedChecks>
  readonly finder: SinceFinder
  /**
   * Called after each reply, which came at `answeredAt` (epoch ms). Checks that are down have
   * `since` if a flip or the reply shows it. The very first reply is passed twice if flips add
   * something: there is no news in it that should wait for them. `isOutdated`: something has been
   * changed on the server since, so the reply is not to be believed.
   */
  readonly onChecks: (
    listed: ListedChecks,
    answeredAt: number,
    isOutdated: () => boolean,
  ) => void | Promise<void>
  readonly onFailure: (failure: Failure) => void
  /** Epoch ms of the next poll; null while one is in flight. */
  readonly onNext: (nextAt: number | null) => void
  /** Ms between polls while all goes well; read after each. */
  readonly interval: () => number
  /** Whether other projects are polled, too. */
  readonly hasOthers?: () => boolean
  readonly clock: Clock
  /** After sleep or a network change: a poll in flight is aborted for a new one. */
  readonly waker: Waker
  readonly signal: AbortSignal
}

/** Polls a project's checks: at once, then each interval less up to a tenth. Never two at once. */
export class CheckPoller {
  readonly #options: CheckPollerOptions
  readonly #waits = createWaker()
  /** What code outside the loop changes while a poll is in flight. */
  readonly #flight = {
    abort: null as AbortController | null,
    isAskedAgain: false,
    isOutdated: false,
    /** A wake resets the back-off: failures before it say nothing about the network after it. */
    wasWoken: false,
  }
  #isFirst = true
  /** The last wait was not cut short, as by a wake, which all projects share. */
  #isOnTime = false
  #failures = 0
  #failingSince = 0
  /** Monotonic ms of the last good answer. */
  #answeredAt = 0
  /** Resolves when the signal has ended the loop. Rejects on a bug. */
  readonly done: Promise<void>

  constructor(options: CheckPollerOptions) {
    this.#options = options
    const stopListening = options.waker.onWake(() => {
      this.#flight.abort?.abort()
      this.#flight.isAskedAgain = true
      this.#flight.wasWoken = true
      this.#waits.wake()
    })
    this.done = this.#loop().finally(stopListening)
  }

  /** Polls at once, or again after the poll in flight. Still waits out a 429. */
  pollNow() {
    this.#flight.isAskedAgain = true
    this.#waits.wake()
  }

  /** After a change on the server: aborts the poll in flight, which may be older, and polls. */
  restart() {
    this.#flight.isOutdated = true
    this.#flight.abort?.abort()
    this.#waits.wake()
  }

  async #listed(flightSignal: AbortSignal): Promise<ListedChecks | Failure | 'aborted'> {
    try {
      return await this.#options.list(flightSignal)
    } catch (error) {
      if (flightSignal.aborted) return 'aborted'
      if (error instanceof RequestFailed) return error.failure
      throw error
    }
  }

  async #poll(flightSignal: AbortSignal): Promise<'read' | 'aborted' | Failure> {
    const { clock, finder } = this.#options
    const list = await this.#listed(flightSignal)
    if (flightSignal.aborted || list === 'aborted') return 'aborted'
    if ('kind' in list) {
      this.#options.onFailure(list)
      return list
    }
    const at = clock.now()
    this.#answeredAt = clock.monotonic()
    const isOutdated = (): boolean => this.#flight.isOutdated
    const take = (): void | Promise<void> =>
      this.#options.onChecks({ ...list, checks: finder.known(list.checks) }, at, isOutdated)
    if (this.#isFirst) await take()
    const found = await finder.find(list.checks, flightSignal)
    if (isOutdated()) return 'aborted'
    // A wake aborts the search for flips but keeps the checks that were read; the end drops both.
    if ((!this.#isFirst || found > 0) && !this.#options.signal.aborted) {
      await take()
      if (isOutdated()) return 'aborted'
    }
    this.#isFirst = false
    return 'read'
  }

  /** How long to wait after a poll, by the number and duration of failures in a row. */
  #pauseAfter(outcome: 'read' | Failure): number {
    const { interval, hasOthers, clock } = this.#options
    const { wasWoken } = this.#flight
    this.#flight.wasWoken = false
    if (outcome === 'read') {
      this.#failures = 0
      // Counted from the reply, as flips may have been read since. The jitter only shortens it; after
      // a read of all projects at once, as at the start, it spreads them over the interval.
      const least = this.#isOnTime || hasOthers?.() !== true ? 0.9 : 0.5
      const shareMs = interval() * (least + (1 - least) * clock.random())
      const passedMs = clock.monotonic() - this.#answeredAt
      return Math.round(Math.max(interval() / 2, shareMs - passedMs))
    }
    if (this.#failures === 0 || wasWoken) {
      this.#failures = 0
      this.#failingSince = clock.monotonic()
    }
    this.#failures += 1
    const capMs = networkCapMs(clock.monotonic() - this.#failingSince)
    return retryDelayMs(outcome, this.#failures, clock.random(), capMs)
  }

  async #loop(): Promise<void> {
    const { signal, clock } = this.#options
    while (!signal.aborted) {
      const abort = new AbortController()
      Object.assign(this.#flight, { abort, isAskedAgain: false, isOutdated: false })
      this.#options.onNext(null)
      const outcome = await this.#poll(AbortSignal.any([signal, abort.signal]))
      this.#flight.abort = null
      if (isAborted(signal)) return
      if (outcome === 'aborted') continue
      const delay = this.#pauseAfter(outcome)
      if (outcome === 'read' && this.#flight.isAskedAgain) continue
      this.#options.onNext(clock.now() + delay)
      const failure = outcome === 'read' ? null : outcome
      const how = await waitAfter(failure, delay, { signal, waker: this.#waits, clock })
      this.#isOnTime = how === 'over'
    }
  }
}
