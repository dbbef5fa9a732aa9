import { createServer } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createHttpTransport } from '../../src/main/http/http-transport.ts'
import type { Failure } from '../../src/shared/core/failure.ts'
import { failureSentence } from '../../src/shared/core/failure-words.ts'
import type { HttpRequest } from '../../src/shared/http.ts'
import { type Certificates, hasOpenssl, makeCertificates } from '../support/certificates.ts'
import { failureOf } from '../support/failures.ts'
import { type RecordingServer, serveRecording } from '../support/recording-server.ts'
import { found, needlesOf } from '../support/secret-search.ts'
import { serveBytes } from '../support/test-server.ts'

const key = 'hcw_canaryProxyCanaryProxyCanary'
const needles = needlesOf(key)
const never = new AbortController().signal
const closing: (() => Promise<unknown>)[] = []

afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()))
})

async function server(
  options: Parameters<typeof serveRecording>[0] = {},
): Promise<RecordingServer> {
  const running = await serveRecording(options)
  closing.push(running.close)
  return running
}

/** A refusal in the words of RFC 9110, a hang-up during the request, or no answer at all. */
type Refusal = 407 | 502 | 'hangs up' | 'nothing'

/** A CONNECT proxy that records every byte it sees, including those in tunnels. */
async function tunnelProxy(refuses: Refusal | null = null) {
  const seen: Buffer[] = []
  const tunnels: string[] = []
  const left = Promise.withResolvers<void>()
  const proxy = createServer()
  proxy.on('connect', (request, socket, head) => {
    seen.push(Buffer.from(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`))
    if (refuses !== null) {
      if (refuses === 'hangs up') socket.destroy()
      else if (refuses === 'nothing') socket.resume().on('end', () => socket.end(left.resolve))
      else socket.end(`HTTP/1.1 ${refuses} No\r\ncontent-length: 0\r\n\r\n`)
      return
    }
    tunnels.push(request.url ?? '')
    const [host = '', port = ''] = (request.url ?? '').split(':')
    const upstream = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      upstream.write(head)
      socket.on('data', (data: Buffer) => seen.push(data))
      socket.pipe(upstream).pipe(socket)
    })
    socket.on('error', () => upstream.destroy())
    upstream.on('error', () => socket.destroy())
  })
  await new Promise<void>((resolve) => {
    proxy.listen(0, '127.0.0.1', resolve)
  })
  const close = () =>
    new Promise((resolve) => {
      proxy.closeAllConnections()
      proxy.close(resolve)
    })
  closing.push(async () => close())
  // A server that listens on a TCP port has an address of this kind.
  const { port } = proxy.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    tunnels,
    seen: () => Buffer.concat(seen),
    left: left.promise,
  }
}

/** What a SOCKS proxy does wrong: no method that we have, a failed connection, or as above. */
type SocksRefusal = 'method' | 'connection' | 'hangs up' | 'nothing'

/** A SOCKS5 proxy (RFC 1928) that records every byte it sees, including those in tunnels. */
async function socksProxy(refuses: SocksRefusal | null = null) {
  const seen: Buffer[] = []
  const tunnels: string[] = []
  const proxy = createTcpServer((socket) => {
    closing.push(async () => socket.destroy())
    socket.on('error', () => undefined)
    socket.on('data', (data: Buffer) => seen.push(data))
    socket.once('data', () => {
      if (refuses === 'nothing') return
      if (refuses === 'hangs up') return void socket.destroy()
      if (refuses === 'method') return void socket.end(Buffer.from([5, 0xff]))
      socket.write(Buffer.from([5, 0]))
      socket.once('data', (asked: Buffer) => {
        if (refuses === 'connection')
          return void socket.end(Buffer.from([5, 5, 0, 1, 0, 0, 0, 0, 0, 0]))
        const isName = asked[3] === 3
        const host = isName ? asked.subarray(5, -2).toString() : asked.subarray(4, -2).join('.')
        const port = asked.readUInt16BE(asked.length - 2)
        tunnels.push(`${host}:${port}`)
        const upstream = connect(port, '127.0.0.1', () => {
          socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]))
          socket.pipe(upstream).pipe(socket)
        })
        socket.on('error', () => upstream.destroy())
        upstream.on('error', () => socket.destroy())
      })
    })
  })
  await new Promise<void>((resolve) => {
    proxy.listen(0, '127.0.0.1', resolve)
  })
  closing.push(async () => proxy.close())
  // A server that listens on a TCP port has an address of this kind.
  const { port } = proxy.address() as AddressInfo
  return { url: `socks5://127.0.0.1:${port}`, tunnels, seen: () => Buffer.concat(seen) }
}

function request(url: string): HttpRequest {
  const headers = { 'x-api-key': key }
  return { method: 'GET', url, headers, body: null, deadlineMs: 10_000, maxBytes: 1e6 }
}

/** The failure must name the proxy, not the server, say what to do, and that nothing was sent. */
function expectProxyFailure(failure: Failure, proxy: string): void {
  const { host } = new URL(proxy)
  expect(failure).toEqual({ kind: 'network', reason: 'proxy', host, reached: 'no' })
  expect(failureSentence(failure)).toMatch(new RegExp(`^The proxy ${host} .*Check the proxy in`))
}

describe.skipIf(!hasOpenssl())('a system proxy', () => {
  let certificates: Certificates
  beforeAll(() => {
    certificates = makeCertificates()
  })
  const through = (proxy: string) =>
    createHttpTransport({
      proxyFor: async () => proxy,
      extraCa: () => [certificates.authority],
    })

  const kinds = { http: () => tunnelProxy(), SOCKS5: () => socksProxy() }

  test.each(Object.entries(kinds))(
    '(%s) carries TLS through from end to end, and never sees the key',
    async (_kind, open) => {
      // Through a proxy, too, only HTTP/1.1 is spoken.
      const tls = { ...certificates.good, ALPNProtocols: ['h2', 'http/1.1'] }
      const origin = await server({ tls })
      const proxy = await open()
      const reply = await through(proxy.url)(request(`https://127.0.0.1:${origin.port}/x`), never)
      expect(reply.status).toBe(200)
      expect(proxy.tunnels).toEqual([`127.0.0.1:${origin.port}`])
      expect(proxy.seen().length).toBeGreaterThan(500)
      expect(found(needles, proxy.seen())).toEqual([])
      expect(found(needles, origin.bytes())).toContain('raw')
    },
  )

  test.each(Object.entries(kinds))(
    '(%s) doesn’t make a wrong certificate behind it right',
    async (_kind, open) => {
      const origin = await server({ tls: certificates.wrongHost })
      const proxy = await open()
      const failure = await failureOf(
        through(proxy.url)(request(`https://127.0.0.1:${origin.port}/x`), never),
      )
      expect(failure).toMatchObject({ kind: 'network', reason: 'tlsWrongHost', reached: 'no' })
      expect(found(needles, Buffer.concat([proxy.seen(), origin.bytes()]))).toEqual([])
    },
  )

  const refusals: readonly Refusal[] = [407, 502, 'hangs up']
  test.each(refusals)(
    'that answers with %s is reported as the proxy, and gets no key',
    async (refusal) => {
      const origin = await server({ tls: certificates.good })
      const proxy = await tunnelProxy(refusal)
      const failure = await failureOf(
        through(proxy.url)(request(`https://127.0.0.1:${origin.port}/x`), never),
      )
      expectProxyFailure(failure, proxy.url)
      expect(proxy.seen().toString()).toContain(`CONNECT 127.0.0.1:${origin.port}`)
      expect(found(needles, proxy.seen())).toEqual([])
      expect(origin.connections).toBe(0)
    },
  )

  test('that never answers is reported as the proxy, and no connection to it remains', async () => {
    const proxy = await tunnelProxy('nothing')
    const transport = createHttpTransport({
      proxyFor: async () => proxy.url,
      connectTimeoutMs: 200,
    })
    const failure = await failureOf(transport(request('https://hc.example/x'), never))
    expectProxyFailure(failure, proxy.url)
    expect(proxy.seen().toString()).toContain('CONNECT hc.example:443')
    await proxy.left
    expect(found(needles, proxy.seen())).toEqual([])
  })

  test('behind which TLS fails gets no part of the request', async () => {
    const proxy = await tunnelProxy()
    const origin = await serveBytes((socket) => socket.destroy())
    closing.push(origin.close)
    const failure = await failureOf(
      through(proxy.url)(request(`https://127.0.0.1:${origin.port}/x`), never),
    )
    expect(failure).toMatchObject({ kind: 'network', reason: 'reset', reached: 'no' })
  })

  test.each(['https', 'http'])(
    'that doesn’t exist is reported as the proxy for %s, and not bypassed',
    async (scheme) => {
      const origin = await server(scheme === 'https' ? { tls: certificates.good } : {})
      const gone = await server()
      await gone.close()
      closing.pop()
      const proxy = `http://127.0.0.1:${gone.port}`
      const failure = await failureOf(
        through(proxy)(request(`${scheme}://127.0.0.1:${origin.port}/x`), never),
      )
      expectProxyFailure(failure, proxy)
      expect(origin.connections).toBe(0)
    },
  )

  test('that can’t be reached makes way for the next of the list; one that refuses does not', async () => {
    const origin = await server({ tls: certificates.good })
    const [refusing, working] = [await tunnelProxy(502), await tunnelProxy()]
    const gone = 'http://127.0.0.1:1'
    const list = [gone, refusing.url]
    const transport = createHttpTransport({
      proxyFor: async () => list[0] ?? working.url,
      onUnreachableProxy: (proxy) => list.splice(list.indexOf(proxy), 1),
      extraCa: () => [certificates.authority],
    })
    const ask = () => transport(request(`https://127.0.0.1:${origin.port}/x`), never)
    expectProxyFailure(await failureOf(ask()), gone)
    for (const _again of [1, 2]) expectProxyFailure(await failureOf(ask()), refusing.url)
    list.length = 0
    expect((await ask()).status).toBe(200)
  })

  test.each(['https', 'http'])(
    'whose own certificate is wrong is reported as the proxy for %s, and gets no byte',
    async (scheme) => {
      const origin = await server(scheme === 'https' ? { tls: certificates.good } : {})
      const proxy = await server({ tls: certificates.wrongHost })
      const url = `https://127.0.0.1:${proxy.port}`
      const failure = await failureOf(
        through(url)(request(`${scheme}://127.0.0.1:${origin.port}/x`), never),
      )
      expectProxyFailure(failure, url)
      expect(proxy.bytes()).toHaveLength(0)
      expect(origin.connections).toBe(0)
    },
  )

  test('that requires a password for plain http is reported as the proxy', async () => {
    const answer = 'HTTP/1.1 407 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'
    const proxy = await server({ answer })
    const url = `http://127.0.0.1:${proxy.port}`
    expectProxyFailure(await failureOf(through(url)(request('http://hc.example/x'), never)), url)
    expect(proxy.requests).toBe(1)
  })

  test('sees an account’s key over plain http, like everyone on the way', async () => {
    const proxy = await server()
    await through(`http://127.0.0.1:${proxy.port}`)(request('http://hc.example/x'), never)
    expect(found(needles, proxy.bytes())).toContain('raw')
  })

  test('that speaks SOCKS5 looks up the names that only it may know', async () => {
    const origin = await server()
    const proxy = await socksProxy()
    const reply = await through(proxy.url)(request(`http://hc.example:${origin.port}/x`), never)
    expect(reply.status).toBe(200)
    expect(proxy.tunnels).toEqual([`hc.example:${origin.port}`])
  })

  const socksRefusals: readonly SocksRefusal[] = ['method', 'connection', 'hangs up', 'nothing']
  test.each(socksRefusals)(
    'that speaks SOCKS5 and refuses (%s) is reported as the proxy, and gets no key',
    async (refusal) => {
      const origin = await server({ tls: certificates.good })
      const proxy = await socksProxy(refusal)
      const transport = createHttpTransport({
        proxyFor: async () => proxy.url,
        connectTimeoutMs: 200,
      })
      const failure = await failureOf(
        transport(request(`https://127.0.0.1:${origin.port}/x`), never),
      )
      expectProxyFailure(failure, proxy.url)
      expect(proxy.seen().length).toBeGreaterThan(0)
      expect(found(needles, proxy.seen())).toEqual([])
      expect(origin.connections).toBe(0)
    },
  )

  test('that speaks SOCKS5 and doesn’t exist is reported as the proxy, and not bypassed', async () => {
    const origin = await server({ tls: certificates.good })
    const proxy = 'socks5://127.0.0.1:1'
    const failure = await failureOf(
      through(proxy)(request(`https://127.0.0.1:${origin.port}/x`), never),
    )
    expectProxyFailure(failure, proxy)
    expect(origin.connections).toBe(0)
  })
})
