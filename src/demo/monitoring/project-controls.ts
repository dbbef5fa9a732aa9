import {
  graceMs,
  markOverdue,
  type PingInput,
  receivePing,
  type Signal,
  type StoredCheck,
  shownStatus,
  uniqueKey,
} from './project-check.ts'
import { signalAt } from './project-seed.ts'
import { newCheck, type ProjectTable } from './project-table.ts'

/** How the pretend server misbehaves at present. */
export interface Weather {
  /** Nothing answers: the connection is refused. */
  away: boolean
  /** Every API request gets this status. */
  refuse: number | null
  /** 429 for every API request; the real one comes without Retry-After, hence null. */
  rateLimit: { readonly retryAfterSeconds: number | null } | null
  /** A login page answers 200 to everything. */
  captive: boolean
  /** Changes each record of a list on its way out, to anything at all. */
  rewrite: ((record: Record<string, unknown>) => unknown) | null
}

export const fairWeather: Weather = {
  away: false,
  refuse: null,
  rateLimit: null,
  captive: false,
  rewrite: null,
}

/** A check as a test wants to see it. */
interface CheckView {
  readonly uuid: string
  readonly uniqueKey: string
  readonly status: string
  readonly started: boolean
  readonly pingCount: number
}

/** The hands of the story and of tests. Checks are named by name; an unknown one throws. */
export interface ProjectControls {
  /** Its ping did not come and its deadline just passed; nothing pings it until `recover`. A check that is not up, or has a schedule, fails instead. */
  goDown(name: string): void
  /** Nothing pings it from now on: it becomes late, then down, in its own time. */
  hold(name: string): void
  /** A success, and its regular pings again. */
  recover(name: string): void
  ping(name: string, signal: Signal, change?: Partial<PingInput>): void
  /** Adds so many simple checks that are up. */
  addChecks(count: number): void
  remove(name: string): void
  check(name: string): CheckView
  names(): string[]
  /** The background loop: stores "down" for every deadline that passed. `tick` does it too. */
  sendAlerts(): void
  away(isAway: boolean): void
  refuse(status: number | null): void
  rateLimit(on: boolean, retryAfterSeconds?: number): void
  captive(on: boolean): void
  rewrite(change: Weather['rewrite']): void
}

export function createControls(table: ProjectTable, weather: Weather): ProjectControls {
  const find = (name: string) => checkNamed(table, name)
  return {
    goDown: (name) => takeDown(find(name), table.now()),
    hold(name) {
      find(name).attended = false
    },
    recover(name) {
      const check = find(name)
      check.attended = true
      receivePing(check, signalAt('success', table.now()))
    },
    ping: (name, signal, change) =>
      receivePing(find(name), { ...signalAt(signal, table.now()), ...change }),
    addChecks: (count) => addChecks(table, count),
    remove: (name) => table.checks.delete(find(name).uuid),
    check: (name) => checkView(find(name), table.now()),
    names: () => [...table.checks.values()].map(({ fields }) => fields.name),
    sendAlerts: () => sendAlerts(table),
    away(isAway) {
      weather.away = isAway
    },
    refuse(status) {
      weather.refuse = status
    },
    rateLimit(on, retryAfterSeconds) {
      weather.rateLimit = on ? { retryAfterSeconds: retryAfterSeconds ?? null } : null
    },
    captive(on) {
      weather.captive = on
    },
    rewrite(change) {
      weather.rewrite = change
    },
  }
}

function checkNamed(table: ProjectTable, name: string): StoredCheck {
  for (const check of table.checks.values()) if (check.fields.name === name) return check
  throw new Error(`the demo project "${table.name}" has no check named "${name}"`)
}

/** Moves its past back, log and all, until its deadline has just passed. */
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
  check.startedAt = null
  check.startedRunId = null
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

function checkView(check: StoredCheck, now: number): CheckView {
  return {
    uuid: check.uuid,
    uniqueKey: uniqueKey(check.uuid),
    status: shownStatus(check, now, 3),
    started: check.startedAt !== null,
    pingCount: check.pingCount,
  }
}

export function sendAlerts(table: ProjectTable): void {
  for (const check of table.checks.values()) markOverdue(check, table.now())
}
