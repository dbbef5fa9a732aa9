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
import { type Failure, malformed, RequestFailed } from '../../shared/core/failure.ts'
import type { AppState } from '../../shared/core/state.ts'
import type { HttpReply } from '../../shared/http.ts'
import type { Clock } from '../base/ports.ts'
import { uniqueKeyOf } from '../base/unique-key.ts'
import { type Client, reportingRefusals } from '../http/client.ts'
import { networkCapMs, retryDelayMs } from '../http/retry-delay.ts'
import { createWaker, isAborted, runYielding, type Waker, waitAfter } from '../http/wait.ts'
import { createCheckListReader, createDoubtfulAlarm, createListDoubt } from './check-list.ts'
import { createLogReader, createSinceFinder, type SinceFinder } from './down-details.ts'
import { followOwedLooks, type LookOptions, type LookQueue } from './owed-looks.ts'

/** The running connection of one project, until its signal aborts. */
export type ProjectLink = ReturnType<typeof followProject>

/** Keeps one project's board in sync with its server. */
export function followProject(parts: {
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
  looks: LookQueue
  onBug: (error: unknown) => void
  signal: AbortSignal
}) {
  const { accountId, update, clock, signal } = parts
  /** For everything but the poller, which handles refusals itself. */
  const client = reportingRefusals(parts.client, (failure) => {
    if (accountById(parts.get(), accountId)?.key === 'rejected') return
    failed(failure)
    poller.pollNow()
  })
  const failed = (failure: Failure): void => {
    if (failure.kind === 'rateLimited') parts.looks.limited(failure.retryAfterMs)
    update((state) => withChecksFailed(state, accountId, failure, clock.now()))
    parts.onFailure(failure)
  }

  const serverNow = (): number => clock.now() + parts.serverOffsetMs()

  async function flips(
    params: { id: CheckId; start?: number },
    options: LookOptions,
  ): Promise<readonly Flip[]> {
    const reply = await client.call(monitoringOperations.listFlips, params, {
      ...options,
      priority: 'background',
    })
    const { items, unreadable } = readFlips(reply)
    // A look that can't read every flip has to be repeated.
    if (unreadable > 0) throw malformed('shape', 'flips')
    finder.saw(params.id, items)
    return items
  }
  const finder = createSinceFinder((id, flipsSignal) => flips({ id }, { signal: flipsSignal }))

  const list = createCheckListReader(
    (reply) => parts.client.read(monitoringOperations.listChecks, reply).checks,
  )
  /** Details from replies about single checks since the last list was taken in. */
  const newer = new Map<CheckId, CheckDetails>()
  /** Everything that the last reply with this check said about it; null if none had it. */
  const details = (id: CheckId): CheckDetails | null => newer.get(id) ?? list.details(id)

  const board = (): Board | undefined => parts.get().boards.get(accountId)

  const looks = followOwedLooks({
    board,
    update,
    flips: (id, start, options) => flips({ id, start }, options),
    pings: async (id, options) => {
      const uuid = details(id)?.uuid ?? null
      if (uuid === null) return null
      const given = { ...options, priority: 'background' } as const
      return readPings(await client.call(monitoringOperations.listPings, { uuid }, given)).items
    },
    queue: parts.looks,
    clock,
    onBug: parts.onBug,
    signal,
  })

  const logs = createLogReader({
    ...{ accountId, board, update, client, signal },
    isInView: () => {
      const { to } = parts.get().target
      return 'accountId' in to && to.accountId === accountId
    },
    uuid: (id) => details(id)?.uuid ?? null,
    looks: parts.looks,
    onBug: parts.onBug,
  })

  /** Computes the next board in turns; starts over if the board changes. Null: no longer wanted. */
  async function takenIn(read: ChecksRead, isOutdated: () => boolean): Promise<Board | null> {
    for (;;) {
      const before = board()
      if (before === undefined || isAborted(signal) || isOutdated()) return null
      const after = await runYielding(boardAfter(before, read))
      if (board() === before && !isAborted(signal) && !isOutdated()) return after
    }
  }

  const doubt = createListDoubt()
  const alarm = createDoubtfulAlarm((check) => {
    const now = board()
    // Before the first read, the check as the previous run last saw it.
    const known = now?.checks.get(check.id) ?? now?.missed.looks.get(check.id)
    // A cache may report an outage that is long over, or was ended by a pause.
    if (now === undefined || known === undefined || check.pingCount < (known.pingCount ?? 0)) return
    if (notifiedStatus(now, check.id) === 'down') return
    if (known.status === 'paused' && check.pingCount === known.pingCount) return
    update((state) => withCheck(state, accountId, check, serverNow()))
  }, signal)

  let lastReply: HttpReply | undefined
  /** Somebody has asked for the next read and waits for it. */
  let isAsked = false
  /** The read in flight has not been sent yet. */
  let isHeldBack = false
  const poller = pollChecks({
    list: async (listSignal) => {
      const priority = isAsked ? 'interactive' : 'background'
      isAsked = false
      isHeldBack = true
      const onGranted = (): void => {
        isHeldBack = false
      }
      lastReply = await parts.client.answer(
        monitoringOperations.listChecks,
        {},
        {
          ...{ signal: listSignal, priority, onGranted, before: lastReply },
          uncached: doubt.isDoubting(),
        },
      )
      const { headers } = lastReply
      const read = await list.read(lastReply, serverNow(), listSignal)
      const known = board()
      // Before the first read, those of the previous run.
      const believed = known?.freshness.readAt == null ? known?.missed.looks : known.checks
      const serverOffsetMs = parts.serverOffsetMs()
      const what = doubt.judge({ headers, serverOffsetMs, checks: read.checks, believed })
      if (what === null) alarm.cancel()
      else {
        alarm.raise(read.checks)
        throw malformed(what, 'checks')
      }
      return read
    },
    finder,
    onChecks: async ({ checks, unreadable }, answeredAt, isOutdated) => {
      const read = {
        checks,
        unreadable,
        at: answeredAt,
        intervalMs: parts.interval(),
        serverOffsetMs: parts.serverOffsetMs(),
      }
      await parts.onListed(checks)
      await logs.beforeNews(checks)
      const after = await takenIn(read, isOutdated)
      if (after === null) return
      parts.onRead()
      newer.clear()
      list.commit(after.checks)
      update((state) => withBoard(state, after))
      looks.polled().catch(parts.onBug)
    },
    onFailure: failed,
    onNext: (nextAt) => {
      const plan = nextAt === null ? null : { nextAt, intervalMs: parts.interval() }
      update((state) => withNextPoll(state, accountId, plan))
    },
    interval: parts.interval,
    clock,
    waker: parts.waker,
    signal,
  })

  return {
    client,
    details,
    pollNow: poller.pollNow,
    /** Somebody waits for it: it goes before what is read unasked. */
    refresh() {
      isAsked = true
      if (isHeldBack) poller.restart()
      else poller.pollNow()
    },
    done: poller.done,
    saw: logs.saw,
    /** Shows the check that a reply contains, and polls the whole list again. Returns the check. */
    took(reply: unknown, operation?: Operation): CheckDetails | null {
      const check = readOneCheck(reply, uniqueKeyOf, serverNow())
      if (check !== null) update((state) => withCheck(state, accountId, check, serverNow()))
      const said = readCheckDetails(reply, uniqueKeyOf, serverNow())
      if (said !== null) newer.set(said.id, said)
      if (said !== null && operation === monitoringOperations.deleteCheck) doubt.deleted(said.id)
      poller.restart()
      return said
    },
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
  readonly clock: Clock
  /** After sleep or a network change: a poll in flight is aborted for a new one. */
  readonly waker: Waker
  readonly signal: AbortSignal
}

/** Polls a project's checks: at once, then each interval less up to a tenth. Never two at once. */
export function pollChecks(options: CheckPollerOptions) {
  const { signal, clock, finder, interval } = options
  const waits = createWaker()
  /** What code outside the loop changes while a poll is in flight. */
  const flight = {
    abort: null as AbortController | null,
    isAskedAgain: false,
    isOutdated: false,
    /** A wake resets the back-off: failures before it say nothing about the network after it. */
    wasWoken: false,
  }
  let isFirst = true
  let failures = 0
  let failingSince = 0
  /** Monotonic ms of the last good answer. */
  let answeredAt = 0

  async function listed(flightSignal: AbortSignal): Promise<ListedChecks | Failure | 'aborted'> {
    try {
      return await options.list(flightSignal)
    } catch (error) {
      if (flightSignal.aborted) return 'aborted'
      if (error instanceof RequestFailed) return error.failure
      throw error
    }
  }

  async function poll(flightSignal: AbortSignal): Promise<'read' | 'aborted' | Failure> {
    const list = await listed(flightSignal)
    if (flightSignal.aborted || list === 'aborted') return 'aborted'
    if ('kind' in list) {
      options.onFailure(list)
      return list
    }
    const at = clock.now()
    answeredAt = clock.monotonic()
    const isOutdated = (): boolean => flight.isOutdated
    const take = (): void | Promise<void> =>
      options.onChecks({ ...list, checks: finder.known(list.checks) }, at, isOutdated)
    if (isFirst) await take()
    const found = await finder.find(list.checks, flightSignal)
    if (isOutdated()) return 'aborted'
    // A wake aborts the search for flips but keeps the checks that were read; the end drops both.
    if ((!isFirst || found > 0) && !signal.aborted) {
      await take()
      if (isOutdated()) return 'aborted'
    }
    isFirst = false
    return 'read'
  }

  /** How long to wait after a poll, by the number and duration of failures in a row. */
  function pauseAfter(outcome: 'read' | Failure): number {
    const { wasWoken } = flight
    flight.wasWoken = false
    if (outcome === 'read') {
      failures = 0
      // Counted from the reply, as flips may have been read since. The jitter only shortens it.
      const shareMs = interval() * (0.9 + 0.1 * clock.random())
      const passedMs = clock.monotonic() - answeredAt
      return Math.round(Math.max(interval() / 2, shareMs - passedMs))
    }
    if (failures === 0 || wasWoken) {
      failures = 0
      failingSince = clock.monotonic()
    }
    failures += 1
    const capMs = networkCapMs(clock.monotonic() - failingSince)
    return retryDelayMs(outcome, failures, clock.random(), capMs)
  }

  async function loop(): Promise<void> {
    while (!signal.aborted) {
      const abort = new AbortController()
      Object.assign(flight, { abort, isAskedAgain: false, isOutdated: false })
      options.onNext(null)
      const outcome = await poll(AbortSignal.any([signal, abort.signal]))
      flight.abort = null
      if (isAborted(signal)) return
      if (outcome === 'aborted') continue
      const delay = pauseAfter(outcome)
      if (outcome === 'read' && flight.isAskedAgain) continue
      options.onNext(clock.now() + delay)
      const failure = outcome === 'read' ? null : outcome
      await waitAfter(failure, delay, { signal, waker: waits, clock })
    }
  }

  const stopListening = options.waker.onWake(() => {
    flight.abort?.abort()
    flight.isAskedAgain = true
    flight.wasWoken = true
    waits.wake()
  })
  return {
    /** Polls at once, or again after the poll in flight. Still waits out a 429. */
    pollNow() {
      flight.isAskedAgain = true
      waits.wake()
    },
    /** After a change on the server: aborts the poll in flight, which may be older, and polls. */
    restart() {
      flight.isOutdated = true
      flight.abort?.abort()
      waits.wake()
    },
    /** Resolves when the signal has ended the loop. Rejects on a bug. */
    done: loop().finally(stopListening),
  }
}
