import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createHttpTransport } from '../../src/main/sync/http.ts'
import type { HttpRequest } from '../../src/main/sync/transport.ts'
import { type Certificates, hasOpenssl, makeCertificates } from '../support/certificates.ts'
import { failureOf } from '../support/failures.ts'
import { type RecordingServer, serveRecording } from '../support/recording-server.ts'
import { found, needlesOf } from '../support/secret-search.ts'

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

/** A CONNECT proxy that keeps every byte that it sees, of the tunnels too. */
async function tunnelProxy(refuses: number | null = null) {
  const seen: Buffer[] = []
  const tunnels: string[] = []
  const proxy = createServer()
  proxy.on('connect', (request, socket, head) => {
    seen.push(Buffer.from(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`))
    if (refuses !== null) {
      socket.end(`HTTP/1.1 ${refuses} Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n`)
      return
    }
    tunnels.push(request.url ?? '')
    const [host = '', port = ''] = (request.url ?? '').split(':')
    const upstream = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      upstream.write(head)
      socket.on('data', (data) => seen.push(data))
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
  return { url: `http://127.0.0.1:${port}`, tunnels, seen: () => Buffer.concat(seen) }
}

function request(url: string): HttpRequest {
  const headers = { 'x-api-key': key }
  return { method: 'GET', url, headers, body: null, deadlineMs: 10_000, maxBytes: 1e6 }
}

describe.skipIf(!hasOpenssl())('a proxy of the system', () => {
  let certificates: Certificates
  beforeAll(() => {
    certificates = makeCertificates()
  })
  const through = (proxy: string) =>
    createHttpTransport({
      proxyFor: async () => proxy,
      extraCa: () => [certificates.authority],
    })

  test('carries TLS through from end to end, and never sees the key', async () => {
    const origin = await server({ tls: certificates.good })
    const proxy = await tunnelProxy()
    const reply = await through(proxy.url)(request(`https://127.0.0.1:${origin.port}/x`), never)
    expect(reply.status).toBe(200)
    expect(proxy.tunnels).toEqual([`127.0.0.1:${origin.port}`])
    expect(proxy.seen().length).toBeGreaterThan(500)
    expect(found(needles, proxy.seen())).toEqual([])
    expect(found(needles, origin.bytes())).toContain('raw')
  })

  test('does not make a wrong certificate behind it right', async () => {
    const origin = await server({ tls: certificates.wrongHost })
    const proxy = await tunnelProxy()
    const failure = await failureOf(
      through(proxy.url)(request(`https://127.0.0.1:${origin.port}/x`), never),
    )
    expect(failure).toMatchObject({ kind: 'network', reason: 'tlsWrongHost' })
    expect(found(needles, Buffer.concat([proxy.seen(), origin.bytes()]))).toEqual([])
  })

  test.each([407, 502])('that answers %i is a failure, and gets no key', async (status) => {
    const origin = await server({ tls: certificates.good })
    const proxy = await tunnelProxy(status)
    const failure = await failureOf(
      through(proxy.url)(request(`https://127.0.0.1:${origin.port}/x`), never),
    )
    expect(failure).toMatchObject({ kind: 'network' })
    expect(found(needles, proxy.seen())).toEqual([])
    expect(origin.connections).toBe(0)
  })

  test('that is not there is a failure, and nothing goes around it', async () => {
    const origin = await server({ tls: certificates.good })
    const gone = await server()
    await gone.close()
    closing.pop()
    const proxy = `http://127.0.0.1:${gone.port}`
    const failure = await failureOf(
      through(proxy)(request(`https://127.0.0.1:${origin.port}/x`), never),
    )
    expect(failure).toMatchObject({ kind: 'network', reason: 'refused' })
    expect(origin.connections).toBe(0)
  })

  test('sees the key of an account over plain http, as everybody on the way does', async () => {
    const proxy = await server()
    await through(`http://127.0.0.1:${proxy.port}`)(request('http://hc.example/x'), never)
    expect(found(needles, proxy.bytes())).toContain('raw')
  })
})
