import { afterEach, describe, expect, test, vi } from 'vitest'
import { createHttpTransport } from '../../../src/main/http/http-transport.ts'
import type { HttpRequest } from '../../../src/shared/http.ts'
import { failureOf } from '../../support/failures.ts'
import { serve, serveBytes, type TestServer } from '../../support/test-server.ts'

const opened: TestServer[] = []

afterEach(async () => {
  vi.useRealTimers()
  await Promise.all(opened.splice(0).map((server) => server.close()))
})

async function open(server: Promise<TestServer>): Promise<TestServer> {
  const running = await server
  opened.push(running)
  return running
}

/** Answers how much of how much it received. */
const receiving = () =>
  serve((incoming, response) => {
    let received = 0
    incoming.on('data', (chunk: Buffer) => {
      received += chunk.length
    })
    incoming.on('end', () => response.end(`${received} of ${incoming.headers['content-length']}`))
  })

function send(
  url: string,
  change: Pick<HttpRequest, 'body' | 'method' | 'deadlineMs'> & Partial<HttpRequest>,
) {
  const transport = createHttpTransport()
  return transport({ url, headers: {}, maxBytes: 1e6, ...change }, new AbortController().signal)
}

const text = (body: Uint8Array) => new TextDecoder().decode(body)

describe('a large request body', () => {
  const body = new Uint8Array(600_000)
  const upload = { method: 'POST', body, stallMs: 1_000, deadlineMs: 10_000 } as const

  test('announces its length, and may take far longer than any deadline while it makes progress', async () => {
    const { url } = await open(receiving())
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const sent: number[] = []
    const onSent = (bytes: number) => {
      sent.push(bytes)
      vi.advanceTimersByTime(900)
    }
    const reply = await send(url, { ...upload, stallMs: 1_000, deadlineMs: 1_000, onSent })
    expect(sent.length * 900).toBeGreaterThan(5_000)
    expect(text(reply.body)).toBe(`${body.length} of ${body.length}`)
  })

  test('that nobody reads is given up long before its deadline', async () => {
    const { url } = await open(serveBytes((socket) => socket.pause()))
    const large = new Uint8Array(32_000_000)
    const sent: number[] = []
    const failure = await failureOf(
      send(url, { ...upload, body: large, stallMs: 300, onSent: (bytes) => sent.push(bytes) }),
    )
    expect(failure).toMatchObject({ kind: 'network', reason: 'timeout', reached: 'maybe' })
    expect(sent.at(-1) ?? 0).toBeLessThan(large.length)
  })

  test('without a response is given up at the deadline', async () => {
    const { url } = await open(serve((incoming) => incoming.resume()))
    const failure = await failureOf(send(url, { ...upload, stallMs: 60_000, deadlineMs: 300 }))
    expect(failure).toMatchObject({ kind: 'network', reason: 'timeout' })
  })
})
