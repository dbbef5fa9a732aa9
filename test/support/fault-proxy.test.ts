import { afterEach, describe, expect, test } from 'vitest'
import { createHttpTransport } from '../../src/main/http/http-transport.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts'
import type { Fault } from './faults.ts'
import { seeded } from './seeded.ts'
import { serve, type TestServer } from './test-server.ts'

const body = '{"checks":[{"name":"one"},{"name":"two"}],"events":[{"id":1},{"id":2}]}'
const open: { close(): Promise<void> }[] = []

afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

async function through(fault: Fault | null): Promise<{ server: TestServer; proxy: FaultProxy }> {
  const server = await serve((request, response) => {
    request.resume()
    request.once('end', () => response.end(body))
  })
  open.push(server)
  const proxy = await startFaultProxy({ upstream: server.url, choose: () => fault })
  open.push(proxy)
  return { server, proxy }
}

/** Requests as the app does; returns what it got, or why it got nothing. */
async function ask(url: string, deadlineMs = 5_000): Promise<string> {
  const transport = createHttpTransport()
  const request = { method: 'POST', url: `${url}/x`, headers: {}, body: 'a=b' } as const
  try {
    const limits = { deadlineMs, maxBytes: 1_000_000 }
    const reply = await transport({ ...request, ...limits }, new AbortController().signal)
    return `${reply.status} ${new TextDecoder().decode(reply.body)}`
  } catch (error) {
    if (error instanceof RequestFailed && error.failure.kind === 'network')
      return error.failure.reason
    throw error
  }
}

describe('the fault proxy', () => {
  test('passes on what has no fault', async () => {
    const { server, proxy } = await through(null)
    expect(await ask(proxy.url)).toBe(`200 ${body}`)
    expect(server.requests).toEqual(['POST /x'])
    expect(proxy.log).toMatchObject([{ method: 'POST', path: '/x', fault: null }])
  })

  const cases: readonly (readonly [Fault, answer: string | RegExp, worked: boolean])[] = [
    [{ kind: 'status', status: 503 }, /^503 /, false],
    [{ kind: 'status', status: 502, forwarded: true }, /^502 /, true],
    [{ kind: 'resetBefore' }, 'reset', false],
    [{ kind: 'resetAfter' }, 'reset', true],
    [{ kind: 'resetInHeaders' }, 'reset', true],
    [{ kind: 'resetInBody' }, 'reset', true],
    [{ kind: 'cutLength', at: 5 }, 'reset', true],
    [{ kind: 'cutChunk', at: 5 }, 'reset', true],
    [{ kind: 'cutPlain', at: 12 }, `200 ${body.slice(0, 12)}`, true],
    [{ kind: 'hang', forwarded: false }, 'timeout', false],
    [{ kind: 'hang', forwarded: true }, 'timeout', true],
    [{ kind: 'halfOpen' }, 'timeout', true],
    [{ kind: 'slowHeaders', everyMs: 50 }, 'timeout', true],
    [{ kind: 'slowBody', everyMs: 50 }, 'timeout', true],
    [{ kind: 'latency', ms: 1 }, `200 ${body}`, true],
    [{ kind: 'truncatedJson' }, /^200 .{49}$/, true],
    [{ kind: 'invalidJson' }, /,,\}$/, true],
    [{ kind: 'nan' }, /NaN/, true],
    [{ kind: 'duplicateKeys' }, /"result":"success","result"/, true],
    [{ kind: 'proto' }, /^200 \{"__proto__"/, true],
    [{ kind: 'loneSurrogates' }, /\\ud800/, true],
    [{ kind: 'duplicatedEvents' }, /"events":\[\{"id":1\},\{"id":1\},/, true],
    [{ kind: 'reorderedEvents' }, /"events":\[\{"id":2\},\{"id":1\}\]/, true],
    [{ kind: 'unknownEvents' }, /"id":2,"type":"from_the_future"/, true],
    [{ kind: 'emptyList' }, /"checks":\[\]/, true],
    [{ kind: 'partialList' }, /"checks":\[\{"name":"one"\}\]/, true],
    [{ kind: 'status', status: 401, basic: true }, /^401 /, false],
    [{ kind: 'wrongJson', json: 'null' }, '200 null', true],
    [{ kind: 'hugeBody', bytes: 2_000_000 }, 'tooLarge', false],
    [{ kind: 'gzipBomb', bytes: 3_000_000 }, 'tooLarge', false],
    [{ kind: 'stackedEncodings', times: 3 }, 'unknown', false],
    [{ kind: 'deepNesting', depth: 3 }, '200 [[[]]]', false],
    [{ kind: 'captivePortal', by: 302 }, /^302 .*Hotel/, false],
    [{ kind: 'queueGone' }, /^400 .*BAD_EVENT_QUEUE_ID/, false],
  ]

  test.each(cases)('produces %j', async (fault, answer, worked) => {
    const { server, proxy } = await through(fault)
    const isSilent = answer === 'timeout'
    const got = await ask(proxy.url, isSilent ? 300 : 5_000)
    if (typeof answer === 'string') expect(got).toBe(answer)
    else expect(got).toMatch(answer)
    expect(server.requests).toEqual(worked ? ['POST /x'] : [])
    expect(proxy.log).toMatchObject([{ fault: fault.kind, reachedUpstream: worked }])
  })

  test('answers from a cache once there is something in it', async () => {
    const { server, proxy } = await through({ kind: 'cached' })
    for (let n = 0; n < 2; n += 1) expect(await ask(proxy.url)).toBe(`200 ${body}`)
    expect(server.requests).toEqual(['POST /x'])
    expect(proxy.log).toMatchObject([{ fault: null }, { fault: 'cached' }])
  })

  test.each(['slowHeaders', 'slowBody'] as const)(
    'records whether the client waited for all of %s',
    async (kind) => {
      const patient = await through({ kind, everyMs: 1 })
      expect(await ask(patient.proxy.url)).toBe(`200 ${body}`)
      await expect.poll(() => patient.proxy.log).toMatchObject([{ isAnswered: true }])
      const hasty = await through({ kind, everyMs: 50 })
      expect(await ask(hasty.proxy.url, 300)).toBe('timeout')
      await expect.poll(() => hasty.proxy.log[0]?.endedAt).not.toBeNull()
      expect(hasty.proxy.log).toMatchObject([{ isAnswered: false }])
    },
  )

  test('goes away and comes back on the same port', async () => {
    const { proxy } = await through(null)
    await proxy.away(true)
    expect(await ask(proxy.url)).toBe('refused')
    await proxy.away(false)
    expect(await ask(proxy.url)).toBe(`200 ${body}`)
  })
})

describe('a seeded generator', () => {
  test('repeats its choices with the same seed, each part independently', () => {
    const draw = (seed: number) => {
      const chance = seeded(seed)
      return [chance.whole(1, 1_000), chance.part('a').whole(1, 1_000), chance.whole(1, 1_000)]
    }
    expect(draw(7)).toEqual(draw(7))
    expect(draw(7)).not.toEqual(draw(8))
    expect(seeded(7).part('a').random()).not.toBe(seeded(7).part('b').random())
  })
})
