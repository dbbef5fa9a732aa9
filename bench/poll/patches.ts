/**
 * The cost of sending a poll to a window, `patches.ts <port> patch|board`: all patches that the app
 * sent for a poll, or its whole board at once, as without comparing.
 */
import assert from 'node:assert/strict'
import { serialize } from 'node:v8'
import { report } from '../child.ts'
import { median } from '../judge.ts'
import { listService } from './list-service.ts'
import { startPolledApp } from './polled-app.ts'

const repeats = 9

const [port, what] = process.argv.slice(2)
const service = listService(Number(port))
await service.give(0)
const { poll, board, bugs } = await startPolledApp(service.origin)
await service.give(1)
const parts = await poll()
assert.deepEqual(bugs, [])
const changed = await service.changes(1)
const checks = parts
  .flat()
  .flatMap((edit) => (edit.path[2] === 'checks' && 'change' in edit ? edit.change : []))
assert.equal(checks.length, changed.length)
const messages: readonly unknown[] = what === 'patch' ? parts : [board()]

report({
  cloneMs: median(Array.from({ length: repeats }, cloneMs)),
  bytes: messages.reduce((sum: number, message) => sum + serialize(message).length, 0),
})

function cloneMs(): number {
  globalThis.gc?.()
  const startedAt = performance.now()
  for (const message of messages) structuredClone(message)
  return performance.now() - startedAt
}
