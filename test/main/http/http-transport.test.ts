import { getEventListeners } from 'node:events'
import { createServer as createTcpServer } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { HttpOptions } from '../../../src/main/http/dispatchers.ts'
import { spareBytes } from '../../../src/main/http/gzip.ts'
import { createHttpTransport } from '../../../src/main/http/http-transport.ts'
import { RequestFailed } from '../../../src/shared/core/failure.ts'
import { failureSentence } from '../../../src/shared/core/failure-words.ts'
import type { HttpRequest } from '../../../src/shared/http.ts'
import { type Certificates, hasOpenssl, makeCertificates } from '../../support/certificates.ts'
import { failureOf } from '../../support/failures.ts'
import { serve, serveBytes, type TestServer } from '../../support/test-server.ts'

const canary = 'hcw_canaryKeyCanaryKeyCanaryKey0'
const opened: TestServer[] = []
const never = new AbortController().signal

afterEach(async () => {
  await Promise.all(opened.splice(0).map((server) => server.close()))
})

async function open(server: Promise<TestServer>): Promise<TestServer> {
  const running = await server
  opened.push(running)
  return running
}

function request(url: string, change: Partial<HttpRequest> = {}): HttpRequest {
  const headers = { 'x-api-key': canary, accept: 'application/json' }
  return { method: 'GET', url, headers, body: null, deadlineMs: 20_000, maxBytes: 1e6, ...change }
}

function get(url: string, change: Partial<HttpRequest> = {}, options: HttpOptions = {}) {
  return createHttpTransport(options)(request(url, change), never)
}

const text = (body: Uint8Array) => new TextDecoder().decode(body)

describe('a request over HTTP', () => {
  test('sends method, headers and body, and returns status, headers and body', async () => {
    const { url } = await open(
      serve((incoming, response) => {
        let body = ''
        incoming.on('data', (chunk: Buffer) => {
          body += chunk.toString()
        })
        incoming.on('end', () => {
          response.writeHead(201, { 'X-Two': ['a', 'b'] })
          response.end(JSON.stringify({ key: incoming.headers['x-api-key'], body }))
        })
      }),
    )
    const reply = await get(`${url}/x`, { method: 'POST', body: 'a=ü' })
    expect(reply.status).toBe(201)
    expect(reply.headers['x-two']).toBe('a, b')
    expect(JSON.parse(text(reply.body))).toEqual({ key: canary, body: 'a=ü' })
  })

  test('after sleep uses no connection from before it', async () => {
    // Each connection answers once, and is silently dead from then on.
    const { url, requests } = await open(
      serveBytes((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}')),
    )
    let sleptMs = 0
    const transport = createHttpTransport({ monotonic: () => performance.now() + sleptMs })
    await transport(request(url), never)
    // Until then it is not idle.
    await new Promise((resolve) => setImmediate(resolve))
    sleptMs = 3_600_000
    expect(await transport(request(url, { deadlineMs: 5_000 }), never)).toMatchObject({
      status: 200,
    })
    expect(requests).toHaveLength(2)
  })

  test('has at most two pending lookups at a silent name service, and uses their answer when it comes', async () => {
    const { port } = await open(serve((_incoming, response) => response.end('{}')))
    const asked: (() => void)[] = []
    let isSilent = true
    let sleptMs = 0
    const transport = createHttpTransport({
      lookup: (_name, _options, done) => {
        const answer = () => done(null, [{ address: '127.0.0.1', family: 4 }])
        if (isSilent) asked.push(answer)
        else answer()
      },
      connectTimeoutMs: 100,
      monotonic: () => performance.now() + sleptMs,
    })
    const get = () => transport(request(`http://hc.example:${port}/x`), never)
    for (let times = 0; times < 5; times += 1) {
      expect(await failureOf(get())).toMatchObject({ reason: 'timeout', reached: 'no' })
      sleptMs += 60_000
    }
    expect(asked).toHaveLength(2)
    isSilent = false
    for (const answer of asked) answer()
    await expect
      .poll(() => get().catch(() => null), { timeout: 20_000 })
      .toMatchObject({ status: 200 })
  })

  test('shares its lookup with others made meanwhile', async () => {
    const { port } = await open(serve((_incoming, response) => response.end('{}')))
    const asked: (() => void)[] = []
    const transport = createHttpTransport({
      lookup: (_name, _options, done) => {
        asked.push(() => done(null, [{ address: '127.0.0.1', family: 4 }]))
        if (asked.length === 1) setImmediate(() => asked[0]?.())
      },
    })
    const url = `http://hc.example:${port}/x`
    const replies = await Promise.all([1, 2, 3].map(() => transport(request(url), never)))
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(asked).toHaveLength(1)
  })

  test('in flight during sleep continues', async () => {
    const held = Promise.withResolvers<() => void>()
    const { url } = await open(
      serve((incoming, response) => {
        if (incoming.url === '/held') held.resolve(() => response.end('late'))
        else response.end('soon')
      }),
    )
    let sleptMs = 0
    const transport = createHttpTransport({ monotonic: () => performance.now() + sleptMs })
    const late = transport(request(`${url}/held`), never)
    const release = await held.promise
    sleptMs = 3_600_000
    expect(text((await transport(request(url), never)).body)).toBe('soon')
    release()
    expect(text((await late).body)).toBe('late')
  })

  test('unpacks its reply into memory of its own', async () => {
    const { url } = await open(
      serve((_incoming, response) => {
        response.setHeader('content-encoding', 'gzip')
        response.end(gzipSync('x'.repeat(100_000)))
      }),
    )
    const { body } = await get(url)
    expect(body.buffer.byteLength).toBe(100_000 + spareBytes)
  })

  test.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['GZIP', gzipSync],
    ['br', brotliCompressSync],
  ])(
    'unpacks a reply that is encoded as %s, and takes an empty one as it is',
    async (encoding, pack) => {
      const { url } = await open(
        serve((incoming, response) => {
          response.setHeader('content-encoding', encoding)
          response.end(incoming.url === '/empty' ? '' : pack('{"a": 1}'))
        }),
      )
      expect(text((await get(url)).body)).toBe('{"a": 1}')
      expect(text((await get(`${url}/empty`)).body)).toBe('')
    },
  )

  test('accepts gzip and unpacks it', async () => {
    const { url } = await open(
      serve((incoming, response) => {
        response.setHeader('content-encoding', 'gzip')
        response.end(gzipSync(`${incoming.headers['accept-encoding']} ${'x'.repeat(100_000)}`))
      }),
    )
    const { body } = await get(url)
    expect(text(body).slice(0, 6)).toBe('gzip x')
    expect(body.length).toBe(100_005)
  })

  test('does not unpack the same reply twice', async () => {
    const answers = ['{"a": 1}', '{"a": 1}', '{"a": 2}'].map((json) => gzipSync(json))
    const { url } = await open(
      serve((_incoming, response) => {
        response.setHeader('content-encoding', 'gzip')
        response.end(answers.shift())
      }),
    )
    const first = await get(url)
    const same = await get(url, { before: first })
    expect(same.body).toBe(first.body)
    const other = await get(url, { before: same })
    expect(text(other.body)).toBe('{"a": 2}')
  })

  test.each(['gzip, gzip', 'zstd'])(
    'rejects an encoding it did not ask for: %s',
    async (encoding) => {
      const { url } = await open(
        serve((_incoming, response) => {
          response.setHeader('content-encoding', encoding)
          response.end('x')
        }),
      )
      expect(await failureOf(get(url))).toMatchObject({ kind: 'network', reason: 'unknown' })
    },
  )

  test.each([301, 302, 303, 307, 308])(
    'does not follow a %i, and sends the key nowhere else',
    async (status) => {
      const thief = await open(serve((_incoming, response) => response.end('{}')))
      const { url } = await open(
        serve((_incoming, response) => {
          response.writeHead(status, { location: `${thief.url}/api` }).end()
        }),
      )
      const replies = await Promise.all([get(url), get(url, { method: 'POST', body: canary })])
      expect(replies.map((reply) => reply.status)).toEqual([status, status])
      expect(thief.requests).toEqual([])
      // Control: the thief answers anybody who asks.
      await get(`${thief.url}/control`)
      expect(thief.requests).toEqual(['GET /control'])
    },
  )

  test("aborted by its caller rejects with the caller's reason", async () => {
    const { url } = await open(serve(() => {}))
    const abort = new AbortController()
    const pending = createHttpTransport()(request(url), abort.signal)
    const reason = new Error('enough')
    abort.abort(reason)
    await expect(pending).rejects.toBe(reason)
  })

  test('aborted before it begins is not sent', async () => {
    const server = await open(serve((_incoming, response) => response.end('{}')))
    const transport = createHttpTransport()
    const reason = new Error('enough')
    await expect(transport(request(server.url), AbortSignal.abort(reason))).rejects.toBe(reason)
    await transport(request(`${server.url}/control`), never)
    expect(server.requests).toEqual(['GET /control'])
  })

  test('leaves nothing behind on the signal of its caller, however it ends', async () => {
    const { url } = await open(serve((_incoming, response) => response.end('{}')))
    const { signal } = new AbortController()
    const transport = createHttpTransport()
    await transport(request(url), signal)
    await failureOf(transport(request(url, { maxBytes: 1 }), signal))
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})

describe('a response body', () => {
  const cut = {
    'ends before its length': 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"checks":[]}',
    'ends inside a chunk': 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n20\r\n{"che',
    'lacks its last chunk':
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nd\r\n{"checks":[]}\r\n',
  }
  test.each(Object.entries(cut))('that %s is an error', async (_name, bytes) => {
    const { url } = await open(serveBytes((socket) => socket.end(bytes)))
    expect(await failureOf(get(url))).toMatchObject({
      kind: 'network',
      reason: 'reset',
      reached: 'maybe',
    })
  })

  test('that is a truncated gzip is an error', async () => {
    const packed = gzipSync('x'.repeat(10_000))
    const { url } = await open(
      serve((_incoming, response) => {
        response.setHeader('content-encoding', 'gzip')
        response.end(packed.subarray(0, packed.length - 12))
      }),
    )
    expect(await failureOf(get(url))).toMatchObject({ kind: 'network', reason: 'reset' })
  })

  test('larger than allowed is rejected, announced or not', async () => {
    const { url } = await open(
      serve((incoming, response) => {
        if (incoming.url === '/announced') response.end('x'.repeat(2_000))
        else {
          response.write('x'.repeat(900))
          response.end('x'.repeat(900))
        }
      }),
    )
    const limit = { maxBytes: 1_000 }
    expect(await failureOf(get(`${url}/announced`, limit))).toMatchObject({ reason: 'tooLarge' })
    expect(await failureOf(get(`${url}/chunked`, limit))).toMatchObject({ reason: 'tooLarge' })
    const reply = await get(`${url}/chunked`, { maxBytes: 1_800 })
    expect(reply.body.length).toBe(1_800)
  })

  test('that is rejected has its connection closed', async () => {
    let closed: () => void = () => undefined
    const gone = new Promise<void>((resolve) => {
      closed = resolve
    })
    const { url } = await open(
      serveBytes((socket) => {
        socket.on('close', closed)
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\nxxx')
      }),
    )
    expect(await failureOf(get(url, { maxBytes: 1_000 }))).toMatchObject({ reason: 'tooLarge' })
    await gone
  })

  test('comes after informational responses, and ends before the trailers', async () => {
    const early = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'
    const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nx-one: 1\r\nx-one: 2\r\n\r\n'
    const { url } = await open(
      serveBytes((socket) => socket.end(`${early}${head}2\r\n[]\r\n0\r\nx-sum: 9\r\n\r\n`)),
    )
    const { status, headers, body } = await get(url)
    expect([status, text(body)]).toEqual([200, '[]'])
    expect(headers).toEqual({ 'transfer-encoding': 'chunked', 'x-one': '1, 2' })
  })

  test('of 30 kB that unpacks to 30 MB is rejected', async () => {
    const bomb = gzipSync(Buffer.alloc(30_000_000))
    const { url } = await open(
      serve((_incoming, response) => {
        response.setHeader('content-encoding', 'gzip')
        response.end(bomb)
      }),
    )
    expect(bomb.length).toBeLessThan(100_000)
    expect(await failureOf(get(url))).toMatchObject({ kind: 'network', reason: 'tooLarge' })
    expect((await get(url, { maxBytes: 30_000_000 })).body.length).toBe(30_000_000)
  })
})

describe('a deadline', () => {
  test.each(['headers', 'body'])('ends %s that drip byte by byte', async (part) => {
    const { url } = await open(
      serveBytes((socket) => {
        if (part === 'body') socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n')
        else socket.write('HTTP/1.1 200 OK\r\n')
        const drip = setInterval(() => socket.write('x'), 20)
        socket.on('close', () => clearInterval(drip))
      }),
    )
    expect(await failureOf(get(url, { deadlineMs: 300 }))).toEqual({
      kind: 'network',
      reason: 'timeout',
      host: new URL(url).host,
      reached: 'maybe',
    })
  })
})

describe("a server that can't be reached", () => {
  test('because nobody listens has certainly not received the request', async () => {
    const closed = createTcpServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => closed.once('listening', resolve))
    const address = closed.address()
    await new Promise((resolve) => closed.close(resolve))
    const host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
    expect(await failureOf(get(`http://${host}/`))).toEqual({
      kind: 'network',
      reason: 'refused',
      host,
      reached: 'no',
    })
  })

  test.each([
    ['an SSH server', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['a mail server', '220 mail.example ESMTP\r\n'],
    ['a TLS port (with an alert)', Buffer.from([0x15, 3, 1, 0, 2, 2, 70])],
    ['nonsense', 'nonsense'],
  ])('because %s answers is reported as such', async (_what, bytes) => {
    const { url } = await open(serveBytes((socket) => socket.end(bytes)))
    const failure = await failureOf(get(url))
    expect(failure).toMatchObject({ kind: 'network', reason: 'notHttp', reached: 'maybe' })
    expect(failureSentence(failure)).toMatch(/not HTTP.*Check the address .* and the port\.$/)
  })

  test('because its name is unknown has certainly not received the request', async () => {
    const lookup: NonNullable<HttpOptions['lookup']> = (_host, _options, callback) => {
      callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), [])
    }
    const failure = await failureOf(get('http://nowhere.example/', {}, { lookup }))
    expect(failure).toMatchObject({ reason: 'dns', host: 'nowhere.example', reached: 'no' })
  })

  test('because it resets the connection may have received the request', async () => {
    const { url } = await open(serveBytes((socket) => socket.resetAndDestroy()))
    const failure = await failureOf(get(url, { method: 'POST', body: 'x' }))
    expect(failure).toMatchObject({ reason: 'reset', reached: 'maybe' })
  })

  test('leaves no key in the error', async () => {
    const { url } = await open(serveBytes((socket) => socket.destroy()))
    const target = `${url}/?q=${canary}`
    const error = await get(target).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(RequestFailed)
    const told = (given: unknown) =>
      JSON.stringify(given, Object.getOwnPropertyNames(given)) + String((given as Error).stack)
    expect(told(error)).not.toContain('canary')
    expect(error).not.toHaveProperty('cause')
    expect(told(new Error(target))).toContain('canary')
  })
})

describe.skipIf(!hasOpenssl())('TLS', () => {
  let certificates: Certificates
  beforeAll(() => {
    certificates = makeCertificates()
  })
  const options = () => ({ extraCa: () => [certificates.authority] })
  const answer = () => serve((_incoming, response) => response.end('fine'), certificates.good)

  test('accepts a certificate from an authority that the system trusts', async () => {
    const { url } = await open(answer())
    expect(text((await get(url, {}, options())).body)).toBe('fine')
  })

  test('uses HTTP/1.1 even if the server supports HTTP/2', async () => {
    const tls = { ...certificates.good, ALPNProtocols: ['h2', 'http/1.1'] }
    const { url } = await open(serve(({ httpVersion }, response) => response.end(httpVersion), tls))
    expect(text((await get(url, {}, options())).body)).toBe('1.1')
  })

  test('refuses a certificate from an unknown authority', async () => {
    const server = await open(answer())
    expect(await failureOf(get(server.url))).toMatchObject({
      reason: 'tlsUnknownAuthority',
      reached: 'no',
    })
    expect(server.requests).toEqual([])
  })

  test.each([
    ['selfSigned', 'tlsSelfSigned'],
    ['wrongHost', 'tlsWrongHost'],
    ['expired', 'tlsExpired'],
  ] as const)('refuses a certificate that is %s, and says so', async (name, reason) => {
    const server = await open(
      serve((_incoming, response) => response.end('fine'), certificates[name]),
    )
    const failure = await failureOf(get(server.url, {}, options()))
    expect(failure).toMatchObject({ kind: 'network', reason, reached: 'no' })
    expect(server.requests).toEqual([])
  })

  test('reports a server that does not use it', async () => {
    const server = await open(serve((_incoming, response) => response.end('plain')))
    const failure = await failureOf(get(server.url.replace('http:', 'https:')))
    expect(failure).toMatchObject({ reason: 'tlsNotTls', reached: 'no' })
    expect(server.requests).toEqual([])
  })
})

describe('a proxy', () => {
  test('gets the request instead of the server', async () => {
    const proxy = await open(serve((_incoming, response) => response.end('by proxy')))
    const proxyFor = () => Promise.resolve(proxy.url)
    const reply = await get('http://somewhere.example/x', {}, { proxyFor })
    expect(text(reply.body)).toBe('by proxy')
    expect(proxy.requests).toEqual(['GET http://somewhere.example/x'])
  })
})
