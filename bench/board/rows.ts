import type { Check, CheckStatus } from '#shared/core/checks/check.ts'
import * as eg from '../../test/support/eg.ts'

const jobs = ['nightly-etl', 'db-backup', 'invoice-mailer', 'search-reindex', 'cert-renew']
const minute = 60_000

/** Like a healthy board: one check in twenty is not up. */
const statuses: readonly CheckStatus[] = Array.from({ length: 100 }, (_, n) =>
  n === 7 ? 'down' : n === 31 ? 'grace' : n === 62 ? 'new' : n < 3 ? 'paused' : 'up',
)

/**
 * A list as a server with this many checks would return it, unordered. Times are relative to now.
 */
export function checksOf(count: number): readonly Check[] {
  const now = Date.now()
  return Array.from({ length: count }, (_, at) => {
    // Stepping by a prime visits each number once, in an order unrelated to the names.
    const n = (at * 7919) % count
    const name = `${jobs[n % jobs.length]}-host${n % 997}-${n}`
    const id = n.toString(16).padStart(40, '0')
    const tags = ['prod', `team-${n % 12}`]
    return timed(eg.check({ id, name, tags, status: statuses[n % 100] ?? 'up' }), now)
  })
}

/**
 * The next answer of the server: every check was pinged once more, and one in ten has changed
 * status.
 */
export function nextOf(checks: readonly Check[], turn: number): readonly Check[] {
  const now = Date.now()
  return checks.map((check, at) => {
    const flips = at % 10 === turn % 10
    const status = flips ? (check.status === 'down' ? 'up' : 'down') : check.status
    const pinged = { ...check, status, rawStatus: status, pingCount: check.pingCount + 1 }
    return timed(pinged, now + turn)
  })
}

function timed(check: Check, now: number): Check {
  const isUp = check.status === 'up'
  return {
    ...check,
    lastPingAt: check.status === 'new' ? null : now - (isUp ? 10 : 70) * minute,
    nextPingAt: isUp ? now + 50 * minute : null,
    // Some began at the same time, as when a machine goes down.
    since: isUp ? null : now - (130 + (Number.parseInt(check.id.slice(-2), 16) % 7)) * minute,
  }
}
