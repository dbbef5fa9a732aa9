import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { leanUndici } from '../../scripts/lean-undici.mjs'
import type * as Http from '../../src/main/sync/http.ts'
import type { HttpRequest } from '../../src/main/sync/transport.ts'
import { type Certificates, hasOpenssl, makeCertificates } from '../support/certificates.ts'

const closing: (() => unknown)[] = []
let folder: string
let bundled: typeof Http.createHttpTransport

/** The transport as the app's bundle has it. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'belfry-lean-'))
  await build({
    configFile: false,
    logLevel: 'silent',
    plugins: [leanUndici()],
    ssr: { noExternal: true },
    build: {
      ssr: fileURLToPath(new URL('../../src/main/sync/http.ts', import.meta.url)),
      outDir: folder,
      rolldownOptions: { output: { entryFileNames: 'transport.mjs' } },
    },
  })
  // What was just built from there.
  const built = (await import(pathToFileURL(join(folder, 'transport.mjs')).href)) as typeof Http
  bundled = built.createHttpTransport
})

afterEach(() => {
  for (const close of closing.splice(0)) close()
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Listens {
  listen(port: number, host: string, done: () => void): unknown
  address(): unknown
  close(): unknown
  closeAllConnections(): void
}

async function listening(server: Listens): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  // A server that listens on a port has one.
  return (server.address() as AddressInfo).port
}

/** Answers with what came, packed. */
const echo: RequestListener = (request, response) => {
  const { httpVersion, method, url } = request
  void request.toArray().then((parts) => {
    const text = `${httpVersion} ${method} ${url} ${parts.map(String).join('')}`
    response.setHeader('content-encoding', 'gzip').end(gzipSync(text))
  })
}

const never = new AbortController().signal

function request(url: string, change: Partial<HttpRequest> = {}): HttpRequest {
  return {
    method: 'GET',
    url,
    headers: {},
    body: null,
    deadlineMs: 20_000,
    maxBytes: 1e6,
    ...change,
  }
}

async function answer(transport: ReturnType<typeof bundled>, asked: HttpRequest): Promise<string> {
  const { status, body } = await transport(asked, never)
  return `${status} ${Buffer.from(body).toString()}`
}

/** Lets through what asks for a tunnel, and asks the server itself for what does not. */
async function proxy(tunnels: string[]): Promise<string> {
  const server = createServer(echo)
  server.on('connect', (asked, socket) => {
    tunnels.push(asked.url ?? '')
    const [host = '', port = ''] = (asked.url ?? '').split(':')
    const upstream = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.pipe(upstream).pipe(socket)
    })
    socket.on('error', () => upstream.destroy())
    upstream.on('error', () => socket.destroy())
    closing.push(() => socket.destroy())
  })
  return `http://127.0.0.1:${await listening(server)}`
}

describe('the transport in the bundle', () => {
  test('asks, sends text, bytes and a stream of them, and unpacks what comes', async () => {
    const url = `http://127.0.0.1:${await listening(createServer(echo))}/x?y=1`
    const transport = bundled()
    expect(await answer(transport, request(url))).toBe('200 1.1 GET /x?y=1 ')
    const bodies: Partial<HttpRequest>[] = [
      { body: 'text' },
      { body: Buffer.from('bytes') },
      { body: Buffer.from('a stream'), onSent: () => undefined },
    ]
    const got = bodies.map((body) => answer(transport, request(url, { method: 'POST', ...body })))
    expect(await Promise.all(got)).toEqual([
      '200 1.1 POST /x?y=1 text',
      '200 1.1 POST /x?y=1 bytes',
      '200 1.1 POST /x?y=1 a stream',
    ])
  })

  test('tells why nothing came', async () => {
    const server = createServer((_request, response) => response.destroy())
    const url = `http://127.0.0.1:${await listening(server)}/`
    await expect(bundled()(request(url), never)).rejects.toMatchObject({
      failure: { kind: 'network', reason: 'reset', reached: 'maybe' },
    })
    const huge = request(`http://127.0.0.1:${await listening(createServer(echo))}/`, {
      maxBytes: 5,
    })
    await expect(bundled()(huge, never)).rejects.toMatchObject({ failure: { reason: 'tooLarge' } })
  })

  test('goes through a proxy without TLS too', async () => {
    const tunnels: string[] = []
    const url = await proxy(tunnels)
    const transport = bundled({ proxyFor: async () => url })
    const port = await listening(createServer(echo))
    expect(await answer(transport, request(`http://127.0.0.1:${port}/x`))).toMatch(/^200 1\.1 GET /)
  })
})

describe.skipIf(!hasOpenssl())('the transport in the bundle over TLS', () => {
  let certificates: Certificates
  beforeAll(() => {
    certificates = makeCertificates()
  })

  test.each([
    ['itself', false],
    ['through a tunnel', true],
  ])('asks %s, by HTTP/1.1 also where the server has 2', async (_how, tunnelled) => {
    const options = { ...certificates.good, ALPNProtocols: ['h2', 'http/1.1'] }
    const port = await listening(createTlsServer(options, echo))
    const tunnels: string[] = []
    const url = tunnelled ? await proxy(tunnels) : null
    const transport = bundled({
      proxyFor: async () => url,
      extraCa: () => [certificates.authority],
    })
    const asked = request(`https://127.0.0.1:${port}/x`, { method: 'POST', body: 'text' })
    expect(await answer(transport, asked)).toBe('200 1.1 POST /x text')
    expect(tunnels).toEqual(tunnelled ? [`127.0.0.1:${port}`] : [])
  })

  test('trusts nobody else', async () => {
    const port = await listening(createTlsServer(certificates.selfSigned, echo))
    const asked = request(`https://127.0.0.1:${port}/x`)
    await expect(bundled()(asked, never)).rejects.toMatchObject({
      failure: { kind: 'network', reason: 'tlsSelfSigned', reached: 'no' },
    })
  })
})
