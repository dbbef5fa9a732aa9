import { safeParse } from 'valibot'
import { monitoringOperations } from '../../shared/api/monitoring/monitoring-operations.ts'
import { readPings } from '../../shared/api/monitoring/read-history.ts'
import type { Operation } from '../../shared/api/operation.ts'
import type { AccountId } from '../../shared/core/account.ts'
import { type Board, notifiedStatus } from '../../shared/core/checks/board.ts'
import { withLog } from '../../shared/core/checks/board-update.ts'
import {
  evidenceIn,
  hasCause,
  isOfRecord,
  type LogEvidence,
  lastFailure,
} from '../../shared/core/checks/cause.ts'
import type { Check, CheckId } from '../../shared/core/checks/check.ts'
import type { Flip } from '../../shared/core/checks/history.ts'
import { lineThatMatters } from '../../shared/core/checks/line-that-matters.ts'
import { type Failure, RequestFailed } from '../../shared/core/failure.ts'
import type { AppState } from '../../shared/core/state.ts'
import { uniqueKeyOf } from '../base/unique-key.ts'
import type { Client } from '../http/client.ts'
import { isAborted, wait, withinTime } from '../http/wait.ts'
import { type LookupQueue, prepaid } from './flip-lookups.ts'
import { readableBody } from './ping-mail.ts'
import { compareRanks, type Rank } from './turns.ts'

/** How many logs are read with a poll: in a storm the worst checks', the others' when opened. */
const mostAPoll = 5
/** The log itself, and an output. */
const requestsALog = 2
/** How long news waits for its reasons. */
const patienceMs = 2_000

interface LogReaderParts {
  accountId: AccountId
  board: () => Board | undefined
  /** Whether the window is on a page of this project. */
  isInView: () => boolean
  update: (change: (state: AppState) => AppState) => void
  uuid: (id: CheckId) => string | null
  client: Client
  lookups: LookupQueue
  onBug: (error: unknown) => void
  signal: AbortSignal
}

/** Reads the ping logs of a project's checks in trouble, which show the reasons. */
export class LogReader {
  readonly #parts: LogReaderParts
  /** Records (`recordOf`) of checks in trouble at the last poll: their logs aren't read again. */
  #asked = new Map<CheckId, string>()
  /** Reads for which news waits. */
  readonly #awaited = new Set<Promise<void>>()

  constructor(parts: LogReaderParts) {
    this.#parts = parts
  }

  /** Begins to read the logs that this list asks for. */
  begin(checks: readonly Check[]): void {
    const board = this.#parts.board()
    if (board === undefined) return
    // For one that is late and not running, the record says everything.
    const trouble = checks.filter(
      (check) => check.writable && (check.status === 'down' || (hasCause(check) && check.started)),
    )
    const before = this.#asked
    this.#asked = new Map(trouble.map((check) => [check.id, recordOf(check)]))
    const wanted = trouble
      .filter((check) => before.get(check.id) !== recordOf(check) && !isRead(board, check))
      .sort((one, other) => compareRanks(this.#rankOf(one), this.#rankOf(other)))
      .slice(0, mostAPoll)
    // With the budget spent, the reasons come later, and the news does not wait for them.
    const isSpent = this.#parts.lookups.budget.waitMs('interactive', requestsALog) > patienceMs
    for (const check of wanted) {
      const read = this.#readInTurn(check)
      if (isSpent || !this.#isNews(check)) continue
      this.#awaited.add(read)
      void read.finally(() => this.#awaited.delete(read))
    }
  }

  /** Waits for the reasons of what is news, for 2 s at most, of which `waitedMs` are over. */
  async beforeNews(waitedMs: number): Promise<void> {
    if (this.#awaited.size === 0) return
    const over = new AbortController()
    await Promise.race([
      Promise.all(this.#awaited),
      wait(patienceMs - Math.max(0, waitedMs), AbortSignal.any([this.#parts.signal, over.signal])),
    ])
    over.abort()
    this.#awaited.clear()
  }

  /** Also keeps what a window read about a check in trouble. */
  onReply(operation: Operation, params: Readonly<Record<string, unknown>>, reply: unknown): void {
    const check = this.#parts.board()?.checks.get(uniqueKeyOf(String(params['uuid'])))
    if (check === undefined || !hasCause(check)) return
    const known = this.#parts.board()?.logs.get(check.id)?.failure
    if (operation === monitoringOperations.listPings) {
      const read = safeParse(monitoringOperations.listPings.reply, reply)
      if (!read.success) return
      const pings = readPings(read.output).items
      const line = lastFailure(pings)?.n === known?.n ? (known?.line ?? null) : null
      this.#keep(check.id, evidenceIn(check, pings, line))
    } else if (operation === monitoringOperations.getPingBody && typeof reply === 'string') {
      const log = this.#parts.board()?.logs.get(check.id)
      if (log?.failure == null || log.failure.n !== params['n']) return
      this.#keep(check.id, { ...log, failure: { ...log.failure, line: lineThatMatters(reply) } })
    }
  }

  /** If it was refused or is no longer kept, what is known has to suffice. */
  readonly #unlessPassing = (error: unknown): null => {
    if (
      isAborted(this.#parts.signal) ||
      !(error instanceof RequestFailed) ||
      isPassing(error.failure)
    )
      throw error
    return null
  }

  readonly #isNews = ({ id, status }: Check): boolean => {
    const board = this.#parts.board()
    return board != null && board.notified !== null && notifiedStatus(board, id) !== status
  }

  /** What fails in a way that may pass is read again with the next poll. */
  readonly #readInTurn = (check: Check): Promise<void> =>
    this.#read(check).catch((error: unknown) => {
      const failure = error instanceof RequestFailed ? error.failure : null
      if (failure !== null && isPassing(failure) && this.#isAsked(check))
        this.#asked.delete(check.id)
      if (failure === null && !isAborted(this.#parts.signal)) this.#parts.onBug(error)
    })

  #isAsked(check: Check): boolean {
    return this.#asked.get(check.id) === recordOf(check)
  }

  #keep(checkId: CheckId, log: LogEvidence): void {
    this.#parts.update((state) => withLog(state, this.#parts.accountId, checkId, log))
  }

  async #read(check: Check): Promise<void> {
    const { signal, client, lookups, uuid: uuidOf } = this.#parts
    const options = { signal, budget: prepaid } as const
    /** Null if it has come back, or failed again, while this waited. */
    const inTurn = async <T>(
      isBegun: boolean,
      ask: (uuid: string) => Promise<T>,
    ): Promise<T | null> => {
      let answer: T | null = null
      const work = async (): Promise<void> => {
        const uuid = uuidOf(check.id)
        if (uuid !== null && this.#isAsked(check)) answer = await ask(uuid).catch(this.#limited)
      }
      await lookups.logTurn(() => this.#rankOf(check, isBegun), signal, work)
      return answer
    }
    const reply = await inTurn(false, (uuid) =>
      client.call(monitoringOperations.listPings, { uuid }, options),
    )
    if (reply === null) return
    const pings = readPings(reply).items
    const { n = null, hasBody = false } = lastFailure(pings) ?? {}
    const output =
      n === null || !hasBody
        ? null
        : await inTurn(true, (uuid) =>
            client.call(monitoringOperations.getPingBody, { uuid, n }, options).then(readableBody),
          ).catch(this.#unlessPassing)
    if (this.#isAsked(check))
      this.#keep(
        check.id,
        evidenceIn(check, pings, output === null ? null : lineThatMatters(output)),
      )
  }

  readonly #limited = (error: unknown): never => {
    if (error instanceof RequestFailed && error.failure.kind === 'rateLimited')
      this.#parts.lookups.limited(error.failure.retryAfterMs)
    throw error
  }

  /** News first, then what has begun, what is on the screen, what is down, and what failed last. */
  #rankOf(check: Check, isBegun = false): Rank {
    const { status, since, lastPingAt } = check
    const isDown = status === 'down'
    const failedAt = since ?? lastPingAt ?? 0
    return [this.#isNews(check), isBegun, this.#parts.isInView(), isDown, failedAt].map(Number)
  }
}

/** Whether it may succeed a while later. */
function isPassing({ kind }: Failure): boolean {
  return kind === 'network' || kind === 'rateLimited'
}

function recordOf({ lastPingAt, started }: Check): string {
  return `${lastPingAt} ${started}`
}

function isRead({ logs }: Board, check: Check): boolean {
  const log = logs.get(check.id)
  return log !== undefined && isOfRecord(log, check)
}

/** The flips of a check, newest first. */
export type FlipsOf = (id: CheckId, signal: AbortSignal) => Promise<readonly Flip[]>

/** When half a network goes down, the news must not wait until every history is read. */
const mostAtOnce = 20
const inParallel = 4
const flipsPatienceMs = 3_000

export type SinceFinder = ReturnType<typeof createSinceFinder>

/**
 * Finds out since when checks are down. Their record shows it only for a simple schedule, and never
 * after a failure signal; their flips do. The result is kept for as long as the check stays down.
 */
export function createSinceFinder(flips: FlipsOf) {
  /** Null: the flips were read and don't show it. */
  const found = new Map<CheckId, number | null>()
  /**
   * With `next_ping` still there, the deadline is exact. Without it the record only allows a guess,
   * which after a failure signal is late by up to a period; the flips are exact.
   */
  const isUnknown = (check: Check) =>
    check.status === 'down' &&
    (check.since === null || check.nextPingAt === null) &&
    !found.has(check.id)

  /** The last result, so that the same list gives the same object while nothing new was found. */
  let last: { readonly given: readonly Check[]; readonly known: readonly Check[] } | null = null

  function known(checks: readonly Check[]): readonly Check[] {
    const isDated = ({ id, status, since }: Check): boolean =>
      status === 'down' && (found.get(id) ?? since) !== since
    if (found.size === 0 || !checks.some(isDated)) return checks
    return checks.map((check) =>
      isDated(check) ? { ...check, since: found.get(check.id) ?? check.since } : check,
    )
  }

  return {
    /** Uses flips of a check that were read for another purpose. */
    remember(id: CheckId, flips: readonly Flip[]) {
      // It may have been up in between.
      if (!found.has(id) || flips.length === 0) return
      found.set(id, downSince(flips))
      last = null
    },
    /** The checks, with `since` filled in where an earlier search found it. */
    known(checks: readonly Check[]): readonly Check[] {
      if (last?.given !== checks) last = { given: checks, known: known(checks) }
      return last.known
    },
    /** Reads the flips of checks that are down since an unknown time. Returns how many it dated. */
    async find(checks: readonly Check[], signal: AbortSignal): Promise<number> {
      forgetRecovered(found, checks)
      const asked = checks.filter(isUnknown).slice(0, mostAtOnce)
      if (asked.length === 0) return 0
      const before = countFound(found)
      const search = async (stop: AbortSignal) => {
        for (let check = asked.shift(); check !== undefined; check = asked.shift()) {
          if (stop.aborted) return
          const history = await flips(check.id, stop)
          const since = downSince(history)
          // Asks again for a flip that is not written yet, but not for a history that is gone.
          if (since !== null || history.length === 0) {
            found.set(check.id, since)
            last = null
          }
        }
      }
      await withinTime(flipsPatienceMs, signal, (stop) =>
        Promise.all(
          Array.from({ length: inParallel }, () => search(stop).catch(ignoreUnlessBug(stop))),
        ),
      )
      return countFound(found) - before
    },
  }
}

/** A failed search is retried with the next poll, which also reports failures. */
function ignoreUnlessBug(stop: AbortSignal): (error: unknown) => void {
  return (error) => {
    if (!stop.aborted && !(error instanceof RequestFailed)) throw error
  }
}

function forgetRecovered(found: Map<CheckId, number | null>, checks: readonly Check[]): void {
  if (found.size === 0) return
  const down = new Set(checks.filter(({ status }) => status === 'down').map(({ id }) => id))
  for (const id of found.keys()) if (!down.has(id)) found.delete(id)
}

function countFound(found: ReadonlyMap<CheckId, number | null>): number {
  return [...found.values()].filter((since) => since !== null).length
}

/**
 * The newest flip is the one that took the check down, unless the server has not written that one
 * yet: then it is one to up. It may be older than the last ping: a failure ping makes no flip if
 * the check is already down.
 */
function downSince(flips: readonly Flip[]): number | null {
  const newest = flips[0]
  return newest === undefined || newest.up ? null : newest.at
}
