import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { uniqueKeyOf } from '../../src/main/base/unique-key.ts'
import { createClient } from '../../src/main/http/client.ts'
import { createHttpTransport } from '../../src/main/http/http-transport.ts'
import { monitoringOperations } from '../../src/shared/api/monitoring/monitoring-operations.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'
import { hostileParts, wrongParts } from '../support/hostile-json.ts'
import { readChecks } from '../support/read-checks.ts'
import { serve, serveBytes, type TestServer } from '../support/test-server.ts'

const seed = 7
const answers = 2_000
const parts = hostileParts(seed, 500)
const clock = { now: () => 0, monotonic: () => performance.now(), random: () => 0.5 }

function clientOf({ url }: TestServer) {
  const account = { kind: 'monitoring', baseUrl: url, keyKind: 'readWrite' } as const
  const transport = createHttpTransport()
  return createClient({ account, key: 'k'.repeat(32), transport, clock, userAgent: 'Belfry/1' })
}

/** The number of checks in the response; null for a failure that a bad response may cause. */
async function listed(client: ReturnType<typeof clientOf>): Promise<number | null> {
  try {
    const { checks } = await client.call(monitoringOperations.listChecks, {})
    const read = readChecks(checks, uniqueKeyOf)
    if (wrongParts(read.checks).length > 0) throw new Error('a reader let through')
    return read.checks.length
  } catch (error) {
    if (!(error instanceof RequestFailed)) throw error
    expect(['malformed', 'network']).toContain(error.failure.kind)
    return null
  }
}

async function listedOften(client: ReturnType<typeof clientOf>, times: number) {
  const counts: (number | null)[] = []
  let asked = 0
  const worker = async (): Promise<void> => {
    while (asked < times) {
      asked += 1
      counts.push(await listed(client))
    }
  }
  await Promise.all(Array.from({ length: 10 }, worker))
  return counts
}

describe(`${answers} responses over HTTP, seed ${seed}`, () => {
  let server: TestServer
  let count = 0
  beforeAll(async () => {
    server = await serve((_request, response) => {
      const at = count
      count += 1
      const bodies = [
        () => `{"checks":${parts.lists.get('checks')?.[at % 500] ?? ''}}`,
        () => `{"checks":[${parts.values[at % 500]}]}`,
        () => parts.broken[at % parts.broken.length] ?? '',
        () => parts.values[at % 500] ?? '',
      ]
      response.setHeader('content-type', 'application/json')
      response.end(bodies[at % 4]?.())
    })
  })
  afterAll(() => server.close())

  test('are lists of checks or failures', async () => {
    const client = clientOf(server)
    const counts = await listedOften(client, answers)
    expect(counts).toHaveLength(answers)
    expect(counts.filter((checks) => checks === null).length).toBeGreaterThan(500)
    expect(counts.some((checks) => checks !== null && checks > 0)).toBe(true)
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  }, 60_000)
})

describe('a list of checks without its length', () => {
  test('cut at any byte is never part of a board', async () => {
    const wire = { name: 'ünït', status: 'up', grace: 60, timeout: 60, unique_key: 'a'.repeat(40) }
    const items = [1, 2, 3].map((at) => ({ ...wire, unique_key: String(at).repeat(40) }))
    const whole = Buffer.from(JSON.stringify({ checks: items }))
    let next = 0
    const server = await serveBytes((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n')
      socket.end(whole.subarray(0, next))
      next += 1
    })
    const client = clientOf(server)
    const counts = await listedOften(client, whole.length)
    expect(next).toBe(whole.length)
    expect(counts.filter((checks) => checks !== null)).toEqual([])
    expect(await listed(client)).toBe(3)
    await server.close()
  }, 60_000)
})
