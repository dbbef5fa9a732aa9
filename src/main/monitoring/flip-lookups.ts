import { type Board, nothingMissed } from '../../shared/core/checks/board.ts'
import { withCheck, withMissed } from '../../shared/core/checks/board-update.ts'
import type { CheckId } from '../../shared/core/checks/check.ts'
import { type Finding, flipsStart, outagesIn } from '../../shared/core/checks/flip-evidence.ts'
import type { Flip } from '../../shared/core/checks/history.ts'
import {
  firstReadOf,
  type LookedUp,
  readAtOf,
  withLookedUp,
} from '../../shared/core/checks/missed-flips.ts'
import type { Ping } from '../../shared/core/checks/ping.ts'
import { type Failure, RequestFailed } from '../../shared/core/failure.ts'
import type { AppState } from '../../shared/core/state.ts'
import type { Clock } from '../base/ports.ts'
import { type Budget, createBudget } from '../http/rate-limit.ts'
import { longestAskedMs } from '../http/retry-delay.ts'
import { isAborted } from '../http/wait.ts'
import { createTurns } from './turns.ts'

const lookupsAMinute = 20
/** For an hour after the host answered 429. */
const requestsAfterLimit = 5
const reducedRateMs = 60 * 60_000
/** After a 429 that does not say how long to wait. */
const limitedMs = 60_000

/** A check that is down now may be news, so its lookup goes before those that are not older than this. */
const downAheadMs = 60 * 60_000
/** How long findings may be held back in order to notify them together. */
const longestDeferMs = 5 * 60_000
/** A lookup that has failed this often is reported; it is still retried. */
const reportedTries = 3
const logsAtOnce = 2
/** Logs of news are `interactive`, lookups and all other logs `background`: each leaves a fifth to the other. */
const shares = { interactive: { own: 0.8 }, background: { own: 0.8 } } as const
const retryMs = { first: 5_000, longest: 5 * 60_000 }

/** A lookup that waits. */
interface Waiting {
  /** Since when, epoch ms; for a check that is down now, earlier than that. */
  readonly since: number
  /** Monotonic ms. */
  readonly dueAt: number
}

/** One project's pending lookups of flips. */
interface LookupSource {
  /** The first lookup that is due, else the next to become due; null if none is pending. */
  next(): Waiting | null
  /** Makes that lookup. Rejects only on a bug. */
  lookUp(): Promise<void>
}

export type LookupQueue = ReturnType<typeof createLookupQueue>

/** Makes the lookups of all projects of a host: one at a time, oldest first, on its own budget. */
export function createLookupQueue({ monotonic }: Pick<Clock, 'monotonic'>) {
  const sources = new Map<LookupSource, (error: unknown) => void>()
  let reducedUntil = Number.NEGATIVE_INFINITY
  let pausedUntil = Number.NEGATIVE_INFINITY
  let timer: ReturnType<typeof setTimeout> | undefined
  let isRunning = false

  function next(): { readonly source: LookupSource; readonly dueAt: number } | null {
    const now = monotonic()
    let best: (Waiting & { readonly source: LookupSource }) | null = null
    for (const source of sources.keys()) {
      const one = source.next()
      if (one === null) continue
      const dueAt = Math.max(one.dueAt, pausedUntil, now)
      const isSooner =
        best === null || dueAt < best.dueAt || (dueAt === best.dueAt && one.since < best.since)
      if (isSooner) best = { source, since: one.since, dueAt }
    }
    return best
  }

  async function run(): Promise<void> {
    if (isRunning) return
    isRunning = true
    clearTimeout(timer)
    for (let one = next(); one !== null; one = next()) {
      const waitMs = one.dueAt - monotonic()
      if (waitMs > 0) {
        timer = setTimeout(() => void run(), Math.ceil(waitMs))
        break
      }
      const onBug = sources.get(one.source)
      await one.source.lookUp().catch((error: unknown) => onBug?.(error))
    }
    isRunning = false
  }

  const limit = () => (monotonic() < reducedUntil ? requestsAfterLimit : lookupsAMinute)
  const budget = createBudget({ limit, monotonic, shares, notBefore: () => pausedUntil })

  return {
    budget,
    /** How many a project can have made, if all that have some pending take turns. */
    aMinute() {
      const busy = [...sources.keys()].filter((source) => source.next() !== null).length
      return (shares.background.own * limit()) / Math.max(1, busy)
    },
    /** Requests for logs take turns, those of all projects together; their ranks begin with whether it is for news. */
    logTurn: createTurns({
      atOnce: logsAtOnce,
      ready: (isNews, signal) => budget.take(isNews === 1 ? 'interactive' : 'background', signal),
    }),
    /** The source's lookups are made until the signal aborts. */
    join(source: LookupSource, signal: AbortSignal, onBug: (error: unknown) => void) {
      sources.set(source, onBug)
      signal.addEventListener('abort', () => sources.delete(source))
    },
    /** To be called when a lookup is pending, or may be retried. */
    wake: () => void run(),
    /** Whether the host has said that it gets too many requests, and how long to wait. */
    isPaused: () => monotonic() < pausedUntil,
    /** The host answered 429. */
    limited(retryAfterMs: number | null) {
      reducedUntil = monotonic() + reducedRateMs
      const until = monotonic() + Math.min(retryAfterMs ?? limitedMs, longestAskedMs)
      pausedUntil = Math.max(pausedUntil, until)
    },
  }
}

/** How a request is sent: on the account's ordinary budget unless another is given. */
export interface LookupOptions {
  readonly signal: AbortSignal
  readonly budget?: Budget
}

/** Of a request that waited in a budget before it was chosen. */
export const prepaid: Budget = { take: () => Promise.resolve(), waitMs: () => 0, left: () => 0 }

interface FlipLookupsParts {
  board: () => Board | undefined
  update: (change: (state: AppState) => AppState) => void
  /** In the order sent, from this second on. */
  flips: (id: CheckId, startSeconds: number, options: LookupOptions) => Promise<readonly Flip[]>
  /** Null if they can't be read: that takes the check's uuid. */
  pings: (id: CheckId, options: LookupOptions) => Promise<readonly Ping[] | null>
  queue: Omit<LookupQueue, 'logTurn' | 'aMinute' | 'isPaused'>
  clock: Pick<Clock, 'monotonic'>
  onBug: (error: unknown) => void
  signal: AbortSignal
}

/** Makes the lookups that one project's board asks for, and puts what they find into the state. */
export class FlipLookups {
  readonly #parts: FlipLookupsParts
  readonly #busy = new Set<CheckId>()
  readonly #failures = new Map<CheckId, { tries: number; dueAt: number; failure: Failure }>()
  /** Lookups that were made, but are not in the state yet. */
  readonly #done = new Map<CheckId, LookedUp>()
  #doneSince = 0

  constructor(parts: FlipLookupsParts) {
    this.#parts = parts
    const { queue, signal, clock } = parts
    queue.join(
      {
        next: this.#nextWaiting,
        lookUp: async () => {
          await queue.budget.take('background', signal).catch(() => undefined)
          const next = isAborted(signal) ? null : this.#nextWaiting()
          if (next === null || next.dueAt > clock.monotonic()) return
          await this.#lookUp(next.id)
          if (!isAborted(signal)) this.#commitFound()
        },
      },
      signal,
      parts.onBug,
    )
  }

  /** To be called after each good reply. */
  polled(): void {
    this.#commitFound()
    this.#parts.queue.wake()
  }

  /** Nothing while the list itself can't be read: its own loop retries that. */
  readonly #nextWaiting = (): (Waiting & { readonly id: CheckId }) | null => {
    const board = this.#parts.board()
    if (board === undefined || board.freshness.readAt === null) return null
    if (board.freshness.failure !== null) return null
    const now = this.#parts.clock.monotonic()
    let first: (Waiting & { readonly id: CheckId }) | null = null
    for (const [id, { owedAt }] of board.missed.pending) {
      const check = board.checks.get(id)
      if (check === undefined || this.#busy.has(id) || this.#done.has(id)) continue
      const dueAt = Math.max(now, this.#failures.get(id)?.dueAt ?? now)
      const since = check.status === 'down' ? owedAt - downAheadMs : owedAt
      const isSooner =
        first === null || dueAt < first.dueAt || (dueAt === first.dueAt && since < first.since)
      if (isSooner) first = { id, since, dueAt }
    }
    return first
  }

  async #lookUp(id: CheckId): Promise<void> {
    const { signal } = this.#parts
    const board = this.#parts.board()
    const entry = board?.missed.pending.get(id)
    const check = board?.checks.get(id)
    const at = board === undefined ? null : readAtOf(board)
    if (entry === undefined || check === undefined || at === null) return
    this.#busy.add(id)
    try {
      const flips = await this.#parts.flips(id, flipsStart(entry), { signal, budget: prepaid })
      const evidence = { entry, check, at, flips }
      let finding = outagesIn({ ...evidence, pings: null })
      // If no failure or deadline explains a flip, the log of pings may. It is read on the ordinary
      // budget: it takes no turn away from the next lookup.
      if (check.writable && finding.outages.some(({ kind }) => kind !== 'down')) {
        const pings = await this.#parts.pings(id, { signal })
        finding = outagesIn({ ...evidence, pings })
      }
      if (this.#done.size === 0) this.#doneSince = this.#parts.clock.monotonic()
      this.#done.set(id, { entry, check, at, ...finding })
      this.#failures.delete(id)
    } catch (error) {
      if (!isAborted(signal)) this.#failed(id, error)
    } finally {
      this.#busy.delete(id)
    }
  }

  #failed(id: CheckId, error: unknown): void {
    if (!(error instanceof RequestFailed)) throw error
    const { failure } = error
    const tries = (this.#failures.get(id)?.tries ?? 0) + 1
    const delay = Math.min(retryMs.longest, retryMs.first * 2 ** (tries - 1))
    this.#failures.set(id, { tries, failure, dueAt: this.#parts.clock.monotonic() + delay })
    if (failure.kind === 'rateLimited') this.#parts.queue.limited(failure.retryAfterMs)
  }

  #report(): void {
    const pending = this.#parts.board()?.missed.pending
    for (const id of this.#failures.keys()) if (pending?.has(id) !== true) this.#failures.delete(id)
    const often = [...this.#failures.values()].filter(({ tries }) => tries >= reportedTries)
    const last = often.at(-1)
    const failing = last === undefined ? null : { count: often.length, failure: last.failure }
    this.#parts.update((state) =>
      withMissed(state, this.#parts.board()?.accountId ?? '', ({ missed }) =>
        missed.failing?.count === failing?.count && missed.failing?.failure === failing?.failure
          ? missed
          : { ...missed, failing },
      ),
    )
  }

  /** Batches findings into few notices: due at once if a check is down again, else with the last lookup. */
  #isDue(all: readonly LookedUp[]): boolean {
    if (all.some(({ again }) => again !== null)) return true
    const now = this.#parts.clock.monotonic()
    if (now - this.#doneSince >= longestDeferMs) return true
    const next = this.#nextWaiting()
    return this.#busy.size === 0 && (next === null || next.dueAt > now)
  }

  #commitFound(): void {
    this.#report()
    const all = [...this.#done.values()]
    if (all.length === 0 || !this.#isDue(all)) return
    this.#done.clear()
    const board = this.#parts.board()
    const id = board?.accountId ?? ''
    // A check that has recovered since stays pending: its next lookup finds that this outage has ended.
    const lookedUp = all.filter(
      ({ check, again }) => again === null || board?.checks.get(check.id)?.status === 'down',
    )
    this.#parts.update((state) => withMissed(state, id, (one) => withLookedUp(one, lookedUp)))
    for (const one of lookedUp) if (one.again !== null) this.#replayOutage(id, one, one.again)
  }

  /**
   * Replays a recovery and an outage that no reply showed, as if one had: they end silences and
   * outage messages. The user is notified of both as one.
   */
  #replayOutage(
    accountId: string,
    lookedUp: LookedUp,
    { upAt, downAt }: NonNullable<Finding['again']>,
  ): void {
    const checkId = lookedUp.check.id
    const readAt = firstReadOf(lookedUp, downAt)
    const present = this.#parts.board()?.checks.get(checkId)
    if (present === undefined) return
    const up = { ...present, status: 'up', rawStatus: 'up', since: upAt } as const
    const down = { ...present, since: downAt }
    this.#parts.update((state) =>
      withMissed(withCheck(state, accountId, up, downAt), accountId, ({ missed }) => ({
        ...missed,
        again: new Map([[checkId, { upForMs: downAt - upAt, readAt }]]),
      })),
    )
    this.#parts.update((state) =>
      withMissed(withCheck(state, accountId, down, downAt), accountId, ({ missed }) => ({
        ...missed,
        again: nothingMissed.again,
      })),
    )
  }
}
