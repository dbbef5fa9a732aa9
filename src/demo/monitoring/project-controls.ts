import { dayMs, hourMs, minuteMs } from '../answers.ts'
import {
  type Fields,
  forgetStart,
  graceMs,
  markOverdue,
  type PingInput,
  pauseCheck,
  receivePing,
  resumeCheck,
  type Signal,
  type StoredCheck,
  type StoredFlip,
  shownStatus,
  uniqueKey,
} from './project-check.ts'
import { findIntegrations, newCheck, type ProjectTable } from './project-rules.ts'

/** How the pretend server currently misbehaves. */
export interface Weather {
  /** Nothing answers: the connection is refused. */
  away: boolean
  /** Every API request gets this status. */
  refuse: number | null
  /** 429 for every API request. Null as the real server sends no Retry-After. */
  rateLimit: { readonly retryAfterSeconds: number | null } | null
  /** Everything is answered 200 with a login page. */
  captive: boolean
  /** Replaces each record of a list with anything. */
  rewrite: ((record: Record<string, unknown>) => unknown) | null
}

/** What the story and tests can do to a project. Throws for an unknown check name. */
export function createControls(table: ProjectTable, weather: Weather) {
  const find = (name: string) => checkNamed(table, name)
  const set = (change: Partial<Weather>) => {
    Object.assign(weather, change)
  }
  return {
    /**
     * Makes its deadline pass now (its job fail, if not up or on a schedule), and stops its pings.
     */
    goDown: (name: string) => takeDown(find(name), table.now()),
    /** Stops its pings, so that it becomes late and then down when due. */
    hold(name: string) {
      find(name).attended = false
    },
    /** Sends a success and resumes its regular pings. */
    recover(name: string) {
      const check = find(name)
      check.attended = true
      receivePing(check, signalAt('success', table.now()))
    },
    ping: (name: string, signal: Signal, change?: Partial<PingInput>) =>
      receivePing(find(name), { ...signalAt(signal, table.now()), ...change }),
    /** Adds `count` simple checks that are up. */
    addChecks: (count: number) => addChecks(table, count),
    remove: (name: string) => table.checks.delete(find(name).uuid),
    check(name: string) {
      const check = find(name)
      const { uuid, pingCount, startedAt } = check
      const status = shownStatus(check, table.now(), 3)
      return { uuid, uniqueKey: uniqueKey(uuid), status, started: startedAt !== null, pingCount }
    },
    names: () => [...table.checks.values()].map(({ fields }) => fields.name),
    away: (away: boolean) => set({ away }),
    refuse: (refuse: number | null) => set({ refuse }),
    rateLimit: (on: boolean, retryAfterSeconds: number | null = null) =>
      set({ rateLimit: on ? { retryAfterSeconds } : null }),
    captive: (captive: boolean) => set({ captive }),
    rewrite: (rewrite: Weather['rewrite']) => set({ rewrite }),
  }
}

function checkNamed(table: ProjectTable, name: string): StoredCheck {
  for (const check of table.checks.values()) if (check.fields.name === name) return check
  throw new Error(`the demo project "${table.name}" has no check named "${name}"`)
}

/** Shifts its past, including the log, until its deadline has just passed. */
function takeDown(check: StoredCheck, now: number): void {
  check.attended = false
  if (check.status !== 'up' || check.nextRun !== null || check.lastPingAt === null) {
    receivePing(check, signalAt('fail', now, 'exit status 1'))
    return
  }
  const deadline = check.lastPingAt + check.fields.timeout * 1000 + graceMs(check)
  const back = Math.max(0, deadline - now)
  check.lastPingAt -= back
  check.pings = check.pings.map((ping) => ({ ...ping, at: ping.at - back }))
  forgetStart(check)
  markOverdue(check, now)
}

function addChecks(table: ProjectTable, count: number): void {
  const now = table.now()
  const first = table.checks.size + 1
  for (let n = first; n < first + count; n += 1) {
    const check = newCheck(table, {
      name: `job-${String(n).padStart(5, '0')}`,
      tags: n % 2 === 0 ? 'prod batch' : 'staging',
      timeout: 3_600,
      grace: 600,
    })
    receivePing(check, signalAt('success', now - Math.floor(table.random() * 3_000_000)))
  }
}

export function sendAlerts(table: ProjectTable): void {
  for (const check of table.checks.values()) markOverdue(check, table.now())
}

/**
 * State of a check when the demo begins.
 * - `late`, `down`: its ping didn't come (simple checks only). `failed`: its job failed.
 * - `running`: up, and a run began. `stuck`: paused, and a run began.
 * - `resumed`: new again, with a past.
 */
type SeedState =
  | 'up'
  | 'late'
  | 'down'
  | 'failed'
  | 'running'
  | 'paused'
  | 'stuck'
  | 'new'
  | 'resumed'

export interface CheckSeed extends Partial<Fields> {
  readonly name: string
  readonly state?: SeedState
  /** How long it has been in that state. */
  readonly forMs?: number
  /** Duration of its runs; without it, it sends no start signals. */
  readonly runMs?: number
  /** Body of its success pings. */
  readonly output?: string
  /** Body of its failure ping. */
  readonly failure?: string
  /** Earlier times down: [hours ago, hours long]. */
  readonly outages?: readonly (readonly [number, number])[]
  /** As the API's `channels`. */
  readonly integrations?: string
}

/** Number of runs in the log when the demo begins. */
const pastRuns = 24

/** How long the server keeps flips, approximately. */
const flipsKeptMs = 93 * dayMs

/** Adds a check with a history that explains its state. */
export function seedCheck(table: ProjectTable, seed: CheckSeed): void {
  const { state = 'up', forMs, runMs, output, failure, outages, integrations, ...fields } = seed
  const check = newCheck(table, fields)
  check.integrationIds = findIntegrations(integrations ?? '*', table.integrations)
  if (state === 'new') return
  const now = table.now()
  check.pingCount = Math.floor(table.random() * 4_000) + 200
  const ends = runEnds(table, check, state, forMs ?? 0)
  for (const [n, end] of ends.entries())
    run(check, end, 'success', runMs && variedMs(runMs, n), output)
  check.flips = pastFlips(now, ends.at(0) ?? now, outages ?? [])
  check.status = 'up'
  const began = now - (forMs ?? 10 * minuteMs)
  if (state === 'down') markOverdue(check, now)
  if (state === 'failed') run(check, began, 'fail', runMs, failure ?? 'exit status 1')
  if (state === 'running') receivePing(check, signalAt('start', began))
  if (state === 'paused' || state === 'stuck' || state === 'resumed') pauseCheck(check, began)
  if (state === 'stuck') receivePing(check, signalAt('start', now - graceMs(check) / 2))
  if (state === 'resumed') resumeCheck(check, now - minuteMs)
}

/** Makes all runs differ, and one in eleven slow. The newest takes `ms`. */
function variedMs(ms: number, n: number): number {
  if (n === pastRuns - 1) return ms
  return Math.round(ms * (n % 11 === 6 ? 2.2 : 0.9 + ((n * 7) % 10) / 50))
}

/** End times of the logged runs, oldest first; the newest decides how late the check is. */
function runEnds(
  table: ProjectTable,
  check: StoredCheck,
  state: SeedState,
  forMs: number,
): number[] {
  const now = table.now()
  const { nextRun } = check
  const isOver = ['failed', 'paused', 'stuck', 'resumed'].includes(state)
  const until = isOver ? now - forMs : now
  if (nextRun !== null) {
    let runs: number[] = []
    // No further back than the log needs: two months have 6,000 runs of a job of every quarter hour.
    for (let days = 1; days <= 64 && runs.length < pastRuns; days *= 4) {
      runs = []
      for (let at = nextRun(until - days * dayMs); at !== null && at <= until; at = nextRun(at))
        runs.push(at)
    }
    return runs.slice(-pastRuns).map((at) => Math.min(at + 20_000, until))
  }
  const period = check.fields.timeout * 1000
  const newest = until - lastRunAge(table, check, state, forMs)
  return Array.from({ length: pastRuns }, (_, n) => newest - (pastRuns - 1 - n) * period)
}

function lastRunAge(table: ProjectTable, check: StoredCheck, state: SeedState, forMs: number) {
  const period = check.fields.timeout * 1000
  if (state === 'late') return period + forMs
  if (state === 'down') return period + graceMs(check) + forMs
  return Math.floor(period * (0.1 + 0.7 * table.random()))
}

function run(
  check: StoredCheck,
  end: number,
  signal: 'success' | 'fail',
  runMs: number | undefined,
  output: string | undefined,
): void {
  if (runMs !== undefined) receivePing(check, signalAt('start', end - runMs))
  receivePing(check, signalAt(signal, end, output))
}

/** A ping as sent by a job's curl. */
export function signalAt(signal: Signal, at: number, body?: string): PingInput {
  return {
    signal,
    at,
    runId: null,
    body: body === undefined ? null : new TextEncoder().encode(body),
    method: body === undefined ? 'GET' : 'POST',
    scheme: 'https',
    userAgent: 'curl/8.11.1',
    remoteAddress: '203.0.113.7',
  }
}

function pastFlips(
  now: number,
  firstRun: number,
  outages: readonly (readonly [number, number])[],
): StoredFlip[] {
  const born: StoredFlip = { at: Math.min(firstRun, now - flipsKeptMs), to: 'up' }
  const changes = [...outages]
    .sort(([one], [other]) => other - one)
    .flatMap(([hoursAgo, hours]): StoredFlip[] => [
      { at: now - hoursAgo * hourMs, to: 'down' },
      { at: now - (hoursAgo - hours) * hourMs, to: 'up' },
    ])
  return [born, ...changes]
}
