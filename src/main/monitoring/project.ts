import { monitoringOperations } from '../../shared/api/monitoring/monitoring-operations.ts'
import { readCheckDetails, readOneCheck } from '../../shared/api/monitoring/read-check.ts'
import { readFlips, readPings } from '../../shared/api/monitoring/read-history.ts'
import type { Operation } from '../../shared/api/operation.ts'
import { type AccountId, accountById } from '../../shared/core/account.ts'
import {
  type Board,
  type ListWire,
  notifiedStatus,
  withBoard,
} from '../../shared/core/checks/board.ts'
import {
  boardAfter,
  type ChecksRead,
  withCheck,
  withChecksFailed,
  withCountsSeen,
  withNextPoll,
  withWire,
} from '../../shared/core/checks/board-update.ts'
import type { Check, CheckDetails, CheckId } from '../../shared/core/checks/check.ts'
import type { Flip } from '../../shared/core/checks/history.ts'
import { readAtOf } from '../../shared/core/checks/missed-flips.ts'
import type { Ping } from '../../shared/core/checks/ping.ts'
import { type Failure, malformed, RequestFailed } from '../../shared/core/failure.ts'
import type { AppState } from '../../shared/core/state.ts'
import type { HttpReply } from '../../shared/http.ts'
import type { Clock } from '../base/ports.ts'
import { uniqueKeyOf } from '../base/unique-key.ts'
import { type Client, reportingRefusals } from '../http/client.ts'
import type { Priority } from '../http/rate-limit.ts'
import { isAborted, runYielding, type Waker } from '../http/wait.ts'
import { createCheckListReader, createDoubtfulAlarm, createListDoubt } from './check-list.ts'
import { CheckPoller, type ListedChecks } from './check-poller.ts'
import { type CountsWatch, createCountsWatch } from './counts-watch.ts'
import { createSinceFinder, LogReader, type SinceFinder } from './down-details.ts'
import { FlipLookups, type LookupOptions, type LookupQueue } from './flip-lookups.ts'

/** How long the list may wait for what is clicked meanwhile. */
const heldBackMs = 5_000
/** From here on, and uncompressed, a list is worth asking for its counts instead. */
const longListBytes = 1_000_000

interface ProjectParts {
  accountId: AccountId
  client: Client
  get: () => AppState
  update: (change: (state: AppState) => AppState) => void
  /** Ms between polls, read each time: shorter while something is down or being viewed. */
  interval: () => number
  /** Epoch ms of what the user is told next of a project by time alone. */
  nextOf: (accountId: AccountId) => number
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
  readonly #counts: CountsWatch
  readonly #poller: CheckPoller
  /** Says why a check that goes down in a list does so. */
  readonly logs: LogReader
  /** Details from replies about single checks since the last list was taken in. */
  readonly #newer = new Map<CheckId, CheckDetails>()
  #lastReply: HttpReply | undefined
  /** That of the next read. */
  #priority: Priority = 'background'
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
    this.#finder = createSinceFinder((id, flipsSignal) => this.#flipsNow(id, flipsSignal))
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
    this.#counts = createCountsWatch({
      ...{ client: parts.client, clock, interval: parts.interval },
      minutes: () => this.#wholeReadMinutes(),
      news: () => this.#news(),
      dueAt: () => this.#listDueAt(),
      readAt: () => this.#listReadAt(),
      owedMinutes: (since) => this.#owedSince(since) / parts.lookups.aMinute(),
      serverOffsetMs: parts.serverOffsetMs,
    })
    this.#poller = new CheckPoller({
      list: (listSignal) => this.#readList(listSignal),
      finder: this.#finder,
      onChecks: (listed, answeredAt, isOutdated) => this.#takeIn(listed, answeredAt, isOutdated),
      onFailure: (failure) => this.#failed(failure),
      isUnchanged: (askSignal) => this.#counts.isUnchanged(askSignal),
      onUnchanged: (at) =>
        update((state) => withCountsSeen(state, accountId, at, parts.interval())),
      onTaken: (...taken) => this.#taken(...taken),
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
    this.#readWith('interactive')
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

  #readWith(priority: Priority): void {
    this.#priority = priority
    if (this.#isHeldBack) this.#poller.restart()
    else this.#poller.pollNow()
  }

  #board(): Board | undefined {
    return this.#parts.get().boards.get(this.#parts.accountId)
  }

  #serverNow(): number {
    return this.#parts.clock.now() + this.#parts.serverOffsetMs()
  }

  #wholeReadMinutes(): number | null {
    const account = accountById(this.#parts.get(), this.#parts.accountId)
    return account?.kind === 'monitoring' ? (account.wholeReadMinutes ?? null) : null
  }

  /** An alarm waits until what its check depends on, which may be in this project, is read once more. */
  #news(): readonly unknown[] {
    const { accountId, get } = this.#parts
    const { dependencies, boards } = get()
    const isAwaited = dependencies.some(({ on }) => on.accountId === accountId)
    return isAwaited ? [...boards.values()].map(({ notified }) => notified) : []
  }

  #listReadAt(): number {
    const board = this.#board()
    return board === undefined ? 0 : (readAtOf(board) ?? 0)
  }

  #owedSince(since: number): number {
    const pending = [...(this.#board()?.missed.pending.values() ?? [])]
    return pending.filter(({ owedAt }) => owedAt > since).length
  }

  /**
   * At the next poll, while a check that others depend on is neither up nor down, or until a second
   * list says that there is no check any more; else before what is due by time alone.
   */
  #listDueAt(): number {
    const { accountId, get, nextOf } = this.#parts
    const board = this.#board()
    if (board?.checks.size === 0 && (board.notified?.size ?? 0) > 0) return 0
    const isOpen = get().dependencies.some(({ on }) => {
      const status = on.accountId === accountId && board?.checks.get(on.checkId)?.status
      return status === 'paused' || status === 'new' || status === 'unknown'
    })
    return isOpen ? 0 : nextOf(accountId)
  }

  async #taken(...taken: Parameters<CountsWatch['listed']>): Promise<void> {
    const { accountId, update } = this.#parts
    await this.#counts.listed(...taken)
    update((state) => withWire(state, accountId, this.#wire()))
  }

  /** Null: the list is short or compressed, and the user wants each poll to read it. */
  #wire(): ListWire | null {
    const { body, packed } = this.#lastReply ?? {}
    if (body === undefined) return null
    const isLong = packed === undefined && body.length >= longListBytes
    if (!isLong && this.#wholeReadMinutes() === null) return null
    const bytes = Math.round((packed ?? body).length / 100_000) * 100_000
    const givenUp = this.#counts.givenUp()
    return { bytes, ...(givenUp === null ? {} : { givenUp }) }
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

  /** Not while the host gets too many requests. */
  async #flipsNow(id: CheckId, signal: AbortSignal): Promise<readonly Flip[]> {
    const { lookups } = this.#parts
    if (lookups.isPaused()) throw new RequestFailed({ kind: 'rateLimited', retryAfterMs: null })
    return this.#flips({ id }, { signal }).catch((error: unknown) => {
      if (error instanceof RequestFailed && error.failure.kind === 'rateLimited')
        lookups.limited(error.failure.retryAfterMs)
      throw error
    })
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
    this.#counts.reading()
    const priority = this.#priority
    this.#priority = 'background'
    this.#isHeldBack = true
    const late = setTimeout(() => this.#readWith('act'), heldBackMs)
    const onGranted = (): void => {
      clearTimeout(late)
      this.#isHeldBack = false
    }
    const uncached = this.#doubt.isDoubting()
    const options = { signal, priority, onGranted, before: this.#lastReply, uncached } as const
    this.#lastReply = await client
      .answer(monitoringOperations.listChecks, {}, options)
      .finally(() => clearTimeout(late))
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
    // Beside the flips that say since when.
    this.logs.begin(checks)
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
    await this.logs.beforeNews(clock.now() - at)
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
