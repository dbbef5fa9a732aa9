/**
 * A poll of the whole app, `app.ts <port> <lists>`: from the click on "Refresh" until the answer
 * has been read, validated, compared and judged, and the changes have been sent to the window.
 */
import assert from 'node:assert/strict'
import { uniqueKeyOf } from '../../src/main/base/unique-key.ts'
import type { Patch } from '../../src/shared/core/patch.ts'
import { report } from '../child.ts'
import { listService } from './list-service.ts'
import { startPolledApp } from './polled-app.ts'
import { runPolls } from './run-polls.ts'

const [port = 0, lists = 0] = process.argv.slice(2).map(Number)
const service = listService(port)
await service.give(0)
const polled = await startPolledApp(service.origin)
const { board, poll, bugs } = polled

const numbers = await runPolls({
  service,
  lists,
  poll,
  check: async (patches, list) => {
    const changed = await service.changes(list)
    const ids = checksIn(patches)
    assert.deepEqual(new Set(ids), new Set(changed.map(({ uuid }) => uniqueKeyOf(String(uuid)))))
    assert.equal(ids.length, changed.length)
    for (const { uuid, status, n_pings, last_ping } of changed) {
      const check = board().checks.get(uniqueKeyOf(String(uuid)))
      assert.equal(check?.status, status)
      assert.equal(check?.pingCount, n_pings)
      assert.equal(check?.lastPingAt, Date.parse(String(last_ping)))
    }
    const counts = Map.groupBy(board().checks.values(), ({ status }) => status)
    for (const [status, checks] of counts) assert.equal(board().counts[status], checks.length)
  },
  checkSame: (patches) => assert.deepEqual(checksIn(patches), []),
})
assert.deepEqual(bugs, [])
report(numbers)

/** Ids of the checks in the patches for a window. */
function checksIn(patches: readonly Patch[]): readonly string[] {
  return patches.flat().flatMap((edit) => {
    if (edit.path[0] !== 'boards' || edit.path[2] !== 'checks' || !('set' in edit)) return []
    return [...edit.set, ...edit.change].map(([id]) => String(id))
  })
}
