/**
 * The heap after two polls, `heap.ts <port> app|parsed`: of the whole app, or of a Map of the
 * checks as parsed. The last body that the app keeps is not on the heap.
 */
import { report } from '../child.ts'
import { listService } from './list-service.ts'
import { startPolledApp } from './polled-app.ts'
import type { ListedCheck } from './pretend-checks.ts'

const [port, what] = process.argv.slice(2)
const service = listService(Number(port))
await service.give(0)
const held = what === 'app' ? await polledTwice() : await parsedTwice()
for (let turn = 0; turn < 2; turn += 1) {
  globalThis.gc?.()
  await new Promise((resolve) => setImmediate(resolve))
}
globalThis.gc?.()
const { heapUsed } = process.memoryUsage()
report({ heapBytes: heapUsed, checks: held().size })

async function polledTwice(): Promise<() => ReadonlyMap<string, unknown>> {
  const { poll, board } = await startPolledApp(service.origin)
  await service.give(1)
  await poll()
  return () => board().checks
}

async function parsedTwice(): Promise<() => ReadonlyMap<string, unknown>> {
  let board: ReadonlyMap<string, ListedCheck> = new Map()
  for (const list of [0, 1]) {
    await service.give(list)
    const response = await fetch(`${service.origin}/api/v3/checks/`)
    const { checks } = (await response.json()) as { checks: ListedCheck[] }
    board = new Map(checks.map((check) => [String(check['uuid']), check]))
  }
  return () => board
}
