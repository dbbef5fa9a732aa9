import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { readAuthority, trusting } from '../../src/main/http/authority.ts'
import { createHttpTransport } from '../../src/main/http/http-transport.ts'
import { failureSentence } from '../../src/shared/core/failure-words.ts'
import type { HttpRequest } from '../../src/shared/http.ts'
import { type Certificates, hasOpenssl, makeCertificates } from '../support/certificates.ts'
import { failureOf } from '../support/failures.ts'
import { type RecordingServer, serveRecording } from '../support/recording-server.ts'
import { found, needlesOf } from '../support/secret-search.ts'

const key = 'hcw_canaryOfTlsCanaryOfTlsCanary'
const needles = needlesOf(key)
const never = new AbortController().signal
const opened: RecordingServer[] = []

afterEach(async () => {
  await Promise.all(opened.splice(0).map((server) => server.close()))
})

async function open(options: Parameters<typeof serveRecording>[0]): Promise<RecordingServer> {
  const server = await serveRecording(options)
  opened.push(server)
  return server
}

function request({ port }: RecordingServer, change: Partial<HttpRequest> = {}): HttpRequest {
  const url = `https://127.0.0.1:${port}/api/v3/checks/`
  const headers = { 'x-api-key': key }
  return { method: 'GET', url, headers, body: null, deadlineMs: 15_000, maxBytes: 1e6, ...change }
}

describe.skipIf(!hasOpenssl())('a server whose TLS is wrong', () => {
  let certificates: Certificates
  beforeAll(() => {
    certificates = makeCertificates()
  })
  const trustingTransport = () => createHttpTransport({ extraCa: () => [certificates.authority] })
  const weakServer = { ciphers: 'DEFAULT@SECLEVEL=0' } as const

  const cases = [
    ['is self-signed', 'tlsSelfSigned', () => ({ tls: certificates.selfSigned })],
    ['has expired', 'tlsExpired', () => ({ tls: certificates.expired })],
    ['is not valid yet', 'tlsExpired', () => ({ tls: certificates.notYetValid })],
    ['is for another host', 'tlsWrongHost', () => ({ tls: certificates.wrongHost })],
    ['has a weak key', 'tlsOther', () => ({ tls: { ...certificates.weakKey, ...weakServer } })],
    [
      'speaks only TLS 1.1',
      'tlsOther',
      () => ({
        tls: {
          ...certificates.good,
          ...weakServer,
          minVersion: 'TLSv1' as const,
          maxVersion: 'TLSv1.1' as const,
        },
      }),
    ],
    ['has none', 'tlsNotTls', () => ({ answer: 'HTTP/1.1 400 Bad Request\r\n\r\n' })],
  ] as const

  test.each(cases)(
    'because it %s is reported as %s, and gets no byte',
    async (_how, reason, serve) => {
      const server = await open(serve())
      const failure = await failureOf(trustingTransport()(request(server), never))
      expect(failure).toMatchObject({ kind: 'network', reason })
      expect(failureSentence(failure)).toMatch(/Nothing was sent.*(Check|Ask|give Belfry)/)
      expect(server.connections).toBe(1)
      expect(server.requests).toBe(0)
      expect(found(needles, server.bytes())).toEqual([])
    },
  )

  test('because an unknown authority signed it is reported as such, and gets no byte', async () => {
    const server = await open({ tls: certificates.good })
    const failure = await failureOf(createHttpTransport()(request(server), never))
    expect(failure).toMatchObject({ reason: 'tlsUnknownAuthority', reached: 'no' })
    expect(failureSentence(failure)).toMatch(/give Belfry its certificate file under Accounts/)
    expect(server.bytes()).toHaveLength(0)
  })

  test('because its handshake hangs is aborted in time, and gets no byte of the key', async () => {
    const server = await open({ answer: null })
    const failure = await failureOf(
      trustingTransport()(request(server, { deadlineMs: 2_000 }), never),
    )
    expect(failure).toMatchObject({ kind: 'network', reason: 'timeout' })
    expect(server.connections).toBe(1)
    expect(found(needles, server.bytes())).toEqual([])
  })

  test('gets the key as soon as nothing is wrong: the control of the above', async () => {
    const server = await open({ tls: certificates.good })
    await trustingTransport()(request(server), never)
    expect(found(needles, server.bytes())).toContain('raw')
  })
})

describe.skipIf(!hasOpenssl())("an account's own authority", () => {
  let certificates: Certificates
  beforeAll(() => {
    certificates = makeCertificates()
  })
  const now = () => Date.now()

  test('is trusted for its account’s origin, and for no other', async () => {
    const ours = await open({ tls: certificates.good })
    const other = await open({ tls: certificates.good })
    const http = createHttpTransport()
    const account = {
      baseUrl: `https://127.0.0.1:${ours.port}/path`,
      authority: readAuthority(certificates.authority, now()),
    }
    const transport = trusting(http, account)
    expect((await transport(request(ours), never)).status).toBe(200)
    const elsewhere = { kind: 'network', reason: 'tlsUnknownAuthority' }
    expect(await failureOf(transport(request(other), never))).toMatchObject(elsewhere)
    // Nor for another account with the same origin.
    expect(await failureOf(http(request(ours), never))).toMatchObject(elsewhere)
    expect(found(needles, other.bytes())).toEqual([])
    expect(ours.requests).toBe(1)
  })

  test('can be a server’s own self-signed certificate, if that names its host', async () => {
    const { authority } = certificates
    expect(readAuthority(authority, now())).toMatchObject({ name: 'ca' })
    const self = await open({ tls: certificates.selfSigned })
    const trusted = readAuthority(certificates.selfSigned.cert, now())
    expect(trusted.name).toBe('belfry-test')
    // It names no host, so trusting it opens nothing else.
    const failure = await failureOf(
      createHttpTransport()(request(self, { authority: trusted.pem }), never),
    )
    expect(failure).toMatchObject({ reason: 'tlsWrongHost' })
  })

  test('is kept as certificates only, whatever surrounds them', () => {
    const { authority } = certificates
    const { pem, until } = readAuthority(`notes: ${key}\n${authority}more\n`, now())
    expect(pem.trim()).toBe(authority.trim())
    expect(found(needles, pem)).toEqual([])
    expect(until).toBeGreaterThan(now())
    expect(() => readAuthority(authority, until + 1)).toThrow('invalid')
  })

  test.each([
    ['empty', () => ''],
    ['text', () => 'no certificate'],
    ['a key beside it', () => `${certificates.good.key}${certificates.authority}`],
    ["a server's certificate", () => certificates.good.cert],
    ['damaged', () => certificates.authority.replace(/\n.{20}/, '\nAAAAAAAAAAAAAAAAAAAA')],
    ['too large', () => `${' '.repeat(70_000)}${certificates.authority}`],
    ['not ended', () => certificates.authority.replace(/-----END.*/, '')],
  ])('that is %s is refused at its field', async (_what, text) => {
    const reading = Promise.resolve().then(() => readAuthority(text(), now()))
    expect(await failureOf(reading)).toMatchObject({ kind: 'invalid', field: 'authority' })
  })
})

/** All switches that could make an invalid certificate count. */
const switches =
  /rejectUnauthorized\s*:\s*(?:false|!1)|NODE_TLS_REJECT_UNAUTHORIZED|checkServerIdentity\s*:|setCertificateVerifyProc|['"]certificate-error['"]|appendSwitch\(\s*['"](?:ignore-cert|allow-insecure)/

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
}

describe('a switch that ignores certificates', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const folders = ['src', 'out'].map((name) => join(root, name)).filter((name) => existsSync(name))

  test.each(folders)('doesn’t exist in %s', (folder) => {
    const files = filesBelow(folder)
    expect(files.length).toBeGreaterThan(3)
    const bad = files.filter((file) => switches.test(readFileSync(file, 'utf8')))
    expect(bad).toEqual([])
  })

  test('would be found', () => {
    for (const line of [
      'connect: { rejectUnauthorized: false }',
      '{rejectUnauthorized:!1}',
      "process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'",
      "app.on('certificate-error', accept)",
      "app.commandLine.appendSwitch('ignore-certificate-errors')",
    ])
      expect(line).toMatch(switches)
  })
})
