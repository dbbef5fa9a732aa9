/**
 * What an idle app watches, in its own process: a project of 200 checks, or of the given number,
 * and a realm.
 */
import { createHash } from 'node:crypto'
import type { NewAccount } from '../../src/shared/contract.ts'
import { serveWorld } from '../../test/support/world-server.ts'

export interface WorldReady {
  readonly accounts: readonly NewAccount[]
}

/** Requests since the last query; `most`: by the key that made most of them. */
export interface WorldCounts {
  readonly most: number
  readonly all: number
}

const checks = Number(process.argv[2] ?? 200)
/** As in the app's own demo. */
const tickMs = 1_000

const server = await serveWorld({ now: Date.now, seed: 1, lively: true })
const { ops, newAccounts } = server.world
ops.controls.addChecks(checks - ops.controls.names().length)
const timer = setInterval(() => server.world.tick(), tickMs)

process.on('message', () => {
  const counts: WorldCounts = counted()
  process.send?.(counts)
})
process.on('disconnect', () => {
  clearInterval(timer)
  void server.close().then(() => process.exit(0))
})
process.send?.({ accounts: [newAccounts.ops, newAccounts.chat] } satisfies WorldReady)

function counted(): WorldCounts {
  const byKey = new Map<string, number>()
  for (const { headers } of server.log) {
    const key = headers['x-api-key'] ?? headers['authorization'] ?? ''
    const name = createHash('sha256').update(key).digest('hex')
    byKey.set(name, (byKey.get(name) ?? 0) + 1)
  }
  const all = server.log.length
  // Emptied here: the server's own log would grow for ever.
  const log = server.log as unknown[]
  log.length = 0
  return { most: Math.max(0, ...byKey.values()), all }
}
