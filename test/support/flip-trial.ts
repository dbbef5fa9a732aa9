import { uniqueKeyOf } from '../../src/main/base/unique-key.ts'
import { FlipLookups, type LookupQueue } from '../../src/main/monitoring/flip-lookups.ts'
import { documents } from '../../src/main/state/documents.ts'
import { readOneCheck } from '../../src/shared/api/monitoring/read-check.ts'
import { readFlips, readPings } from '../../src/shared/api/monitoring/read-history.ts'
import { eventsBetween } from '../../src/shared/core/attention/events-between.ts'
import { emptyMemory } from '../../src/shared/core/attention/memory.ts'
import {
  type Board,
  emptyBoard,
  type MissedOutage,
  withBoard,
} from '../../src/shared/core/checks/board.ts'
import { withChecks } from '../../src/shared/core/checks/board-update.ts'
import { type Failure, RequestFailed } from '../../src/shared/core/failure.ts'
import type { AppState } from '../../src/shared/core/state.ts'
import * as eg from './eg.ts'
import { FlipService, type Plan, randomLife } from './flip-service.ts'
import type { Seeded } from './seeded.ts'

interface TrialOptions {
  readonly pollSeconds: number
  readonly plan: Plan
  /** The share of looks that fail. */
  readonly failing: number
  /** `clean`: everything was saved at the end; `crash`: only what is saved at once. */
  readonly restarts: 'none' | 'clean' | 'crash'
  /** The control: drops looks but where a deadline has passed. */
  readonly dropsFailures?: boolean
}

export interface TrialResult {
  readonly outages: number
  readonly missed: readonly string[]
  readonly doubled: readonly string[]
  readonly invented: readonly string[]
  readonly looks: number
  readonly polls: number
}

interface Told {
  readonly how: 'live' | 'again' | 'found'
  /** `live`: the second of the reply. */
  readonly from: number
  readonly to: number
  readonly kind: MissedOutage['kind']
}

/** Waits for promise callbacks: more turns than any chain here needs. */
async function settled(): Promise<void> {
  for (let n = 0; n < 12; n += 1) await Promise.resolve()
}

/**
 * One check's life, at the service and as seen by the app. Times in seconds by the service's clock.
 */
export async function flipTrial(seed: Seeded, options: TrialOptions): Promise<TrialResult> {
  const begin = Date.UTC(2026, 10, 20, 12) / 1000
  const polls = seed.whole(12, 40)
  const end = begin + polls * options.pollSeconds
  const service = new FlipService(
    '00000000-0000-4000-8000-00000000000a',
    options.plan,
    seed.pick([60, 60, 120, 600, 3600]),
    seed.chance(0.2),
  )
  const isWritable = seed.chance(0.7)
  const life = randomLife(service, seed, begin, end)
  const trueOffsetMs = seed.whole(-100_000, 100_000)
  const queue = createQueue()
  const told: Told[] = []
  let looks = 0
  let now = begin
  let firstSnapshot = end
  let isPolling = false
  let state = withBoard(
    eg.state({ accounts: [eg.account()], boards: new Map(), realms: new Map() }),
    emptyBoard(eg.opsId, null),
  )
  let abort = new AbortController()
  let onLook: () => Promise<void> = () => Promise.resolve()
  const board = (): Board => state.boards.get(eg.opsId)!

  function update(change: (before: AppState) => AppState): void {
    const before = state
    state = change(before)
    if (before.boards.get(eg.opsId)?.missed.found !== board().missed.found) {
      saveNow(true)
      for (const { from, to, kind } of board().missed.found)
        told.push({ how: 'found', from: from / 1000, to: to / 1000, kind })
    }
    for (const event of eventsBetween(before, state, now * 1000, uniqueKeyOf))
      if (event.of === 'check' && event.kind === 'down') sawDown(event.checkId)
    if (options.dropsFailures === true) dropFailures()
  }

  function sawDown(id: string): void {
    const since = (board().checks.get(id)?.since ?? 0) / 1000
    const from = isPolling ? now : since
    told.push({ how: isPolling ? 'live' : 'again', from, to: from, kind: 'down' })
  }

  function dropFailures(): void {
    const { missed, checks } = board()
    const isOverdue = (id: string, deadline: number | null): boolean =>
      deadline !== null && deadline <= (checks.get(id)?.lastPingAt ?? 0)
    const pending = new Map([...missed.pending].filter(([id, one]) => isOverdue(id, one.deadline)))
    if (pending.size < missed.pending.size)
      state = withBoard(state, { ...board(), missed: { ...missed, pending } })
  }

  /** A request that is answered later, or fails. */
  function answered<T>(answer: () => T): Promise<T> {
    looks += 1
    return new Promise((resolve, reject) => {
      const fails = seed.chance(options.failing)
      const failure = seed.pick<Failure>([
        { kind: 'serverFault', httpStatus: 502 },
        { kind: 'rateLimited', retryAfterMs: null },
        { kind: 'refused', httpStatus: 404, code: '', message: '' },
      ])
      queue.add(now + seed.random() * (seed.chance(0.1) ? 19 : 1), () =>
        fails ? reject(new RequestFailed(failure)) : resolve(answer()),
      )
    })
  }

  function follow(): void {
    abort = new AbortController()
    const lookQueue: Omit<LookupQueue, 'logTurn' | 'aMinute' | 'isPaused'> = {
      budget: { take: () => Promise.resolve(), waitMs: () => 0, left: () => 0 },
      join: (source) => {
        onLook = () => source.lookUp()
      },
      wake: () => undefined,
      limited: () => undefined,
    }
    const flipLookups = new FlipLookups({
      board,
      update,
      flips: (_id, start) => answered(() => readFlips(service.flipsSince(start)).items),
      pings: () => answered(() => (isWritable ? readPings(service.log()).items : null)),
      queue: lookQueue,
      clock: { monotonic: () => now * 1000 },
      onBug: (error) => {
        throw error
      },
      signal: abort.signal,
    })
    polled = () => flipLookups.polled()
  }
  let polled = (): void => undefined

  function poll(moment: number): void {
    const record = service.record(Math.floor(moment), isWritable)
    const latency = seed.chance(0.05) ? 15 : seed.random() * 2
    queue.add(moment + latency, () => {
      const offsetMs = trueOffsetMs + (seed.random() - 0.5) * 2_800
      const check = readOneCheck(record, uniqueKeyOf, now * 1000)!
      isPolling = true
      const answeredAt = now
      now = moment
      const at = answeredAt * 1000 - trueOffsetMs
      const intervalMs = options.pollSeconds * 1000
      update((before) =>
        withChecks(before, eg.opsId, {
          checks: [check],
          unreadable: 0,
          at,
          intervalMs,
          serverOffsetMs: offsetMs,
        }),
      )
      now = answeredAt
      isPolling = false
      firstSnapshot = Math.min(firstSnapshot, moment)
      saveNow(false)
      polled()
    })
  }

  const saved = {
    marks: '',
    looks: '',
    looksAt: Number.NEGATIVE_INFINITY,
    notified: board().notified,
  }
  function saveNow(isEnd: boolean): void {
    const kept = { state, memory: emptyMemory, runs: new Map() }
    saved.marks = JSON.stringify(documents.notifiedState.write(kept, () => true))
    const { notified } = board()
    if (notified !== saved.notified) queue.add(now + 10, saveLooks)
    saved.notified = notified
    if (isEnd || now - saved.looksAt >= 600) saveLooks()
  }

  function saveLooks(): void {
    const kept = { state, memory: emptyMemory, runs: new Map() }
    saved.looks = JSON.stringify(documents.looks.write(kept, () => true))
    saved.looksAt = now
  }

  function restart(): void {
    if (options.restarts === 'clean') saveNow(true)
    abort.abort()
    if (saved.marks === '') return
    const fresh = {
      state: eg.state({ accounts: [eg.account()], boards: new Map(), realms: new Map() }),
      memory: emptyMemory,
      runs: new Map(),
    }
    const marks = documents.notifiedState.read(fresh, JSON.parse(saved.marks), false)
    state = documents.looks.read({ ...fresh, ...marks }, JSON.parse(saved.looks)).state
    follow()
  }

  follow()
  for (const [index, { at, act }] of life.entries())
    queue.add(at + (index % 97) / 100, () => act(service))
  for (let at = begin; at < end + 20; at += 2)
    queue.add(at + seed.random(), () => service.sendAlerts(Math.floor(now)))
  for (let n = 0; n <= polls; n += 1)
    queue.add(begin + n * options.pollSeconds + seed.random() * 3, () => poll(now))
  const lookEvery = seed.pick([3, 12, 300, 1800])
  for (let at = begin; at < end; at += lookEvery)
    queue.add(at + seed.random() * lookEvery, () => void onLook())
  if (options.restarts !== 'none')
    for (let n = 0; n < 3; n += 1) queue.add(begin + seed.random() * (end - begin), restart)
  for (let item = queue.next(); item !== null; item = queue.next()) {
    now = item.at
    item.act()
    await settled()
  }
  // Everything is over: one more reply, and the remaining looks.
  now += 3_600
  service.sendAlerts(Math.floor(now))
  poll(now)
  for (let n = 0; n < 400; n += 1) {
    for (let item = queue.next(); item !== null; item = queue.next()) {
      now = item.at
      item.act()
      await settled()
    }
    if (board().missed.pending.size === 0) break
    now += 400
    void onLook()
    await settled()
  }
  if (board().missed.pending.size > 0) throw new Error('a lookup is pending for ever')
  return judged(service, told, firstSnapshot, { looks, polls })
}

/** Pending actions, ordered by time. */
function createQueue() {
  let items: { at: number; act: () => void }[] = []
  let isSorted = true
  return {
    add(at: number, act: () => void): void {
      if (isSorted && items.length > 0) {
        let low = 0
        let high = items.length
        while (low < high) {
          const middle = (low + high) >> 1
          if ((items[middle]?.at ?? 0) > at) low = middle + 1
          else high = middle
        }
        items.splice(low, 0, { at, act })
      } else items.push({ at, act })
    },
    /** The last one is the next. */
    next(): { at: number; act: () => void } | null {
      if (!isSorted) items = items.sort((one, other) => other.at - one.at)
      isSorted = true
      return items.pop() ?? null
    },
  }
}

interface Outage {
  readonly from: number
  /** The start of a pause, or of being new, before it. */
  readonly awayFrom: number
  to: number
  /** Outages within one second can't be told apart. */
  times: number
  /** It was also paused, which looks the same if nothing tells them apart. */
  wasPaused: boolean
}

/**
 * By the service's own flips: a check that is not up until some time counts once, however often it
 * is down.
 */
function outagesOf({ flips }: FlipService): readonly Outage[] {
  const outages: Outage[] = []
  let open: Outage | null = null
  let sinceUp: number | null = null
  for (const { at, to } of flips) {
    if (to === 'up') {
      if (open !== null) open.to = at
      open = null
      sinceUp = null
      continue
    }
    sinceUp ??= at
    // A leftover start takes it down again, dated before it was up.
    const last: Outage | null = open ?? outages.findLast((one) => one.to >= at) ?? null
    if (to !== 'down') {
      if (open !== null) open.wasPaused = true
    } else if (last === null) {
      const to = Number.POSITIVE_INFINITY
      open = { from: at, awayFrom: sinceUp, to, times: 1, wasPaused: sinceUp < at }
      outages.push(open)
    } else {
      last.times += 1
      last.to = Number.POSITIVE_INFINITY
      open = last
    }
  }
  return outages
}

/** Compares what was notified with the service's own flips. */
function judged(
  service: FlipService,
  told: readonly Told[],
  firstSnapshot: number,
  counts: Pick<TrialResult, 'looks' | 'polls'>,
): TrialResult {
  const missed: string[] = []
  const doubled: string[] = []
  const matched = new Set<Told>()
  let outages = 0
  for (const outage of outagesOf(service)) {
    const ours = told.filter((one) => isOf(outage, one))
    for (const one of ours) matched.add(one)
    if (outage.from <= firstSnapshot + 1) continue
    outages += 1
    const words = `${outage.from}–${outage.to} (${outage.times}): ${ours.map(({ how, from, to }) => `${how} ${from}–${to}`).join()}`
    if (ours.length === 0) missed.push(words)
    else if (isDoubled(outage, ours)) doubled.push(words)
  }
  const invented = told
    .filter((one) => one.how === 'found' && one.kind === 'down' && !matched.has(one))
    // For a run of an OnCalendar schedule only the full minute is known.
    .filter(({ from }) => service.plan.kind !== 'onCalendar' || (from - service.grace) % 60 !== 0)
    .map(({ from, to }) => `${from}–${to}`)
  return { outages, missed, doubled, invented, ...counts }
}

function isOf({ from, awayFrom, to }: Outage, one: Told): boolean {
  return one.how === 'found'
    ? one.from >= awayFrom && one.to <= to
    : Math.floor(one.from) >= from && one.from <= to + 1
}

function isDoubled({ times, wasPaused }: Outage, ours: readonly Told[]): boolean {
  const isUnsure = ({ kind }: Told): boolean => kind === 'unsure' && wasPaused
  const found = ours.filter((one) => one.how === 'found' && !isUnsure(one)).length
  const again = ours.filter(({ how }) => how === 'again').length
  const seen = ours.some(({ how }) => how !== 'found')
  return found > times || again > times || (times === 1 && found > 0 && seen)
}
