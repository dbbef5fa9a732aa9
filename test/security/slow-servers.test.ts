import { createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createHttpTransport } from '../../src/main/http/http-transport.ts'
import { failureOf } from '../support/failures.ts'
import { listen } from '../support/listen.ts'
import { found, needlesOf } from '../support/secret-search.ts'

const key = 'hcw_canarySlowCanarySlowCanarySl'
const needles = needlesOf(key)
const deadlineMs = 500
const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** Sends `first` to each client, then drips; `gone` resolves once the client has left. */
async function dripping(first: string | Buffer, drip: string | null) {
  const heard: Buffer[] = []
  const gone = Promise.withResolvers<void>()
  const talk = (socket: Socket): void => {
    socket.on('error', () => undefined)
    socket.on('data', (data) => heard.push(data))
    socket.once('data', () => socket.write(first))
    const timer = setInterval(() => drip !== null && socket.write(drip), 10)
    socket.on('close', () => {
      clearInterval(timer)
      gone.resolve()
    })
  }
  const server = createServer(talk)
  const port = await listen(server, 0)
  closing.push(() => server.close())
  return { port, heard: () => Buffer.concat(heard), gone: gone.promise }
}

const head = 'HTTP/1.1 200 OK\r\n'
const half = gzipSync(Buffer.alloc(1_000_000, 'x')).subarray(0, 200)
/** What the server sends first, and then endlessly, by the phase that never ends. */
const phases: Readonly<Record<string, readonly [string | Buffer, string | null]>> = {
  silence: ['', null],
  'the status line': ['HTTP/1.1 2', '0'],
  'a header’s name': [`${head}x-`, 'a'],
  'a header’s value': [`${head}x: `, 'a'],
  headers: [head, 'x: y\r\n'],
  'answers that are no answer yet': ['', 'HTTP/1.1 100 Continue\r\n\r\n'],
  'a body of a length': [`${head}content-length: 9999\r\n\r\n`, 'x'],
  'a body without one': [`${head}\r\n`, 'x'],
  'a chunk’s length': [`${head}transfer-encoding: chunked\r\n\r\n`, '0'],
  'a chunk': [`${head}transfer-encoding: chunked\r\n\r\nffff\r\n`, 'x'],
  chunks: [`${head}transfer-encoding: chunked\r\n\r\n`, '1\r\nx\r\n'],
  trailers: [`${head}transfer-encoding: chunked\r\n\r\n0\r\n`, 'x: y\r\n'],
  'a packed body': [
    Buffer.concat([Buffer.from(`${head}content-encoding: gzip\r\n\r\n`), half]),
    '\0',
  ],
}

const request = (url: string) =>
  ({
    ...{ method: 'GET' as const, url, headers: { 'x-api-key': key }, body: null },
    ...{ deadlineMs, maxBytes: 10_000_000 },
  }) as const

// Loaded by the first request otherwise, on a busy computer for longer than the deadline.
beforeAll(() => import('undici'))

describe('a server that drips', () => {
  test.each(Object.keys(phases))('is aborted, with its connection, in %s', async (phase) => {
    const [first, drip] = phases[phase] ?? ['', null]
    const server = await dripping(first, drip)
    const { signal } = new AbortController()
    const failure = await failureOf(
      createHttpTransport()(request(`http://127.0.0.1:${server.port}/x`), signal),
    )
    // What isn’t HTTP, or too much of it, may be aborted even sooner.
    expect(failure).toMatchObject({ kind: 'network', reached: 'maybe' })
    await server.gone
    expect(found(needles, server.heard())).toContain('raw')
  })

  test('is aborted during TLS, and gets no key', async () => {
    const server = await dripping('\x16', '\x03')
    const { signal } = new AbortController()
    const transport = createHttpTransport()
    const failure = await failureOf(
      transport(request(`https://127.0.0.1:${server.port}/x`), signal),
    )
    expect(failure.kind).toBe('network')
    expect(found(needles, server.heard())).toEqual([])
  })
})

describe('a proxy', () => {
  const tunnel = (answer: string, drip: string | null) =>
    dripping(`HTTP/1.1 ${answer}`, drip).then((proxy) => ({
      proxy,
      get: () =>
        failureOf(
          createHttpTransport({ proxyFor: async () => `http://127.0.0.1:${proxy.port}` })(
            request('https://hc.example/x'),
            new AbortController().signal,
          ),
        ),
    }))

  test.each([
    ['says nothing', '', null],
    ['drips its answer', '200 OK\r\n', 'x: y\r\n'],
    [
      'answers in place of the host',
      '200 OK\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}',
      null,
    ],
    ['answers with endless words', '200 OK\r\n\r\n', 'HTTP/1.1 200 OK\r\n\r\n{}'],
    ['leads elsewhere', '302 Found\r\nlocation: https://evil.example/\r\n\r\n', null],
  ])('that %s gets no key, and its own response is not believed', async (_what, answer, drip) => {
    const { proxy, get } = await tunnel(answer, drip)
    expect((await get()).kind).toBe('network')
    expect(proxy.heard().toString('latin1')).toContain('CONNECT hc.example:443')
    expect(found(needles, proxy.heard())).toEqual([])
  })
})
