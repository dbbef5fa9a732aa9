/**
 * The bound of a poll, `bound.ts <port> <lists>`: the least work that reads the whole answer. A raw
 * socket, `gunzipSync` and `JSON.parse`; nothing is compared, validated or shown.
 */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { report } from '../child.ts'
import { listService } from './list-service.ts'
import type { ListedCheck } from './pretend-checks.ts'
import { runPolls } from './run-polls.ts'

const [port = 0, lists = 0] = process.argv.slice(2).map(Number)
const service = listService(port)
const socket = connect({ port, host: '127.0.0.1', noDelay: true })
const request = `GET /api/v3/checks/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`

report(
  await runPolls({
    service,
    lists,
    poll: async () => {
      // Known to be ASCII here, which avoids decoding UTF-8.
      const text = gunzipSync(await answer()).toString('latin1')
      return (JSON.parse(text) as { checks: ListedCheck[] }).checks
    },
    check: async (checks, list) => {
      const changed = await service.changes(list)
      // Changed checks are moved to the end.
      assert.deepEqual(checks.slice(-changed.length), changed)
    },
    checkSame: (checks) => assert.ok(checks.length > 0),
  }),
)

function answer(): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let missing = Number.NaN
    const take = (chunk: Buffer): void => {
      const body = Number.isNaN(missing) ? bodyIn(chunk) : chunk
      chunks.push(body)
      missing -= body.length
      if (missing > 0) return
      socket.off('data', take)
      resolve(Buffer.concat(chunks))
    }
    const bodyIn = (chunk: Buffer): Buffer => {
      const end = chunk.indexOf('\r\n\r\n')
      missing = Number(/content-length: (\d+)/i.exec(chunk.toString('latin1', 0, end))?.[1])
      return chunk.subarray(end + 4)
    }
    socket.on('data', take)
    socket.write(request)
  })
}
