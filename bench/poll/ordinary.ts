/**
 * The ordinary way to poll, `ordinary.ts <port> <lists>`: `fetch` and `json()`, a Map of the known
 * checks, the changed ones sent to a window. Nothing is validated, decided or notified.
 */
import assert from 'node:assert/strict'
import { Agent, fetch } from 'undici'
import { report } from '../child.ts'
import { listService } from './list-service.ts'
import type { ListedCheck } from './pretend-checks.ts'
import { runPolls } from './run-polls.ts'

interface Row {
  readonly id: string
  readonly name: string
  readonly tags: string
  readonly status: string
  readonly started: boolean
  readonly lastPing: string | null
  readonly nextPing: string | null
  readonly pings: number
}

const [port = 0, lists = 0] = process.argv.slice(2).map(Number)
const service = listService(port)
const dispatcher = new Agent({ connections: 1 })
const board = new Map<string, Row>()

report(
  await runPolls({
    service,
    lists,
    poll: async () => {
      const response = await fetch(`${service.origin}/api/v3/checks/`, { dispatcher })
      const { checks } = (await response.json()) as { checks: ListedCheck[] }
      return structuredClone(changedRows(checks))
    },
    check: async (rows, list) => {
      const changed = await service.changes(list)
      assert.deepEqual(
        rows.map(({ id }) => id),
        changed.map((check) => check['uuid']),
      )
    },
    checkSame: (rows) => assert.equal(rows.length, 0),
  }),
)

function changedRows(checks: readonly ListedCheck[]): readonly Row[] {
  const changed: Row[] = []
  for (const check of checks) {
    const row = board.get(String(check['uuid']))
    if (row !== undefined && isSame(row, check)) continue
    const now = rowOf(check)
    board.set(now.id, now)
    changed.push(now)
  }
  return changed
}

function isSame(row: Row, check: ListedCheck): boolean {
  return (
    row.status === check['status'] &&
    row.pings === check['n_pings'] &&
    row.lastPing === check['last_ping'] &&
    row.nextPing === check['next_ping'] &&
    row.started === check['started']
  )
}

/** The service's types are trusted. */
function rowOf(check: ListedCheck): Row {
  return {
    id: check['uuid'] as string,
    name: check['name'] as string,
    tags: check['tags'] as string,
    status: check['status'] as string,
    started: check['started'] as boolean,
    lastPing: check['last_ping'] as string | null,
    nextPing: check['next_ping'] as string | null,
    pings: check['n_pings'] as number,
  }
}
