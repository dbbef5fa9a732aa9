import { expectedAt, graceMs, receivePing, type StoredCheck } from './monitoring/project-check.ts'
import { signalAt } from './monitoring/project-seed.ts'
import type { ProjectTable } from './monitoring/project-table.ts'

const minuteMs = 60_000

/** Jobs are a little early, so that a poll between two ticks does not see them late. */
const earlyMs = 10_000

/** After a long sleep only so many missed pings are made up one by one. */
const mostAtOnce = 30

/** The jobs behind the checks: each attended one sends the pings that are due by now, and ends its runs. */
export function liveOn(table: ProjectTable): void {
  const now = table.now()
  for (const check of table.checks.values()) {
    if (!check.attended || check.status !== 'up') continue
    endRun(check, now)
    pingUntil(check, now)
  }
}

function endRun(check: StoredCheck, now: number): void {
  if (check.startedAt === null) return
  const end = check.startedAt + Math.min(graceMs(check) / 2, 20 * minuteMs)
  if (end <= now) receivePing(check, signalAt('success', end))
}

function pingUntil(check: StoredCheck, now: number): void {
  for (let n = 0; n < mostAtOnce; n += 1) {
    const due = dueAt(check)
    if (due === null || due > now) return
    receivePing(check, signalAt('success', due))
  }
  const due = dueAt(check)
  if (due !== null && due <= now) receivePing(check, signalAt('success', now))
}

/** A schedule is kept to the second; before it, the server would count the ping to the run before. */
function dueAt(check: StoredCheck): number | null {
  const expected = expectedAt(check)
  return expected === null || check.nextRun !== null ? expected : expected - earlyMs
}
