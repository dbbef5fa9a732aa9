import type { LookupFunction } from 'node:net'
import { Agent, fetch } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient } from '../../src/main/http/client.ts'
import { createHttpTransport } from '../../src/main/http/http-transport.ts'
import type { ClientAccount } from '../../src/main/http/request-encoding.ts'
import { chatOperations } from '../../src/shared/api/chat/chat-operations.ts'
import { monitoringOperations } from '../../src/shared/api/monitoring/monitoring-operations.ts'
import { failureOf } from '../support/failures.ts'
import { type RecordingServer, serveRecording } from '../support/recording-server.ts'
import { encodings, found, needlesOf } from '../support/secret-search.ts'
import { reportSecurity } from './report.ts'

const key = 'hcw_canaryRedirectCanaryRedirect'
const email = 'maria@good.example'
const needles = needlesOf(key, [email])
const clock = { now: Date.now, monotonic: () => performance.now(), random: () => 0.5 }

/** Every name resolves to this computer, so that following a redirect would reach the thief. */
const lookup: LookupFunction = (_host, options, callback) => {
  if (options.all === true) callback(null, [{ address: '127.0.0.1', family: 4 }])
  else callback(null, '127.0.0.1', 4)
}

const codes = [301, 302, 303, 307, 308] as const

/** Where a redirect leads, given the ports of the thief and of the account's own server. */
const targets: Readonly<Record<string, (thief: number, own: number) => string>> = {
  'another host': (thief) => `http://elsewhere.example:${thief}/api/v3/checks/`,
  'another port': (thief) => `http://good.example:${thief}/api/v3/checks/`,
  'the same address over https': (thief) => `https://good.example:${thief}/`,
  'a user and password': (thief) => `http://maria:word@elsewhere.example:${thief}/`,
  'a host that looks like a user': (thief, own) =>
    `http://good.example:${own}@elsewhere.example:${thief}/`,
  'no scheme': (thief) => `//elsewhere.example:${thief}/`,
  backslashes: (thief) => `\\\\elsewhere.example:${thief}\\`,
  'a name beyond ASCII': (thief) => `http://xn--bcher-kva.example:${thief}/`,
  'this computer': (thief) => `http://127.0.0.1:${thief}/`,
  'the same host, elsewhere on it': (_thief, own) => `http://good.example:${own}/collect`,
  'a path': () => '/collect',
  'a file': () => 'file:///etc/passwd',
}

interface Caller {
  readonly name: string
  call(own: number): Promise<unknown>
}

function client(account: ClientAccount) {
  const transport = createHttpTransport({ lookup })
  return createClient({ account, key, transport, clock, userAgent: 'Belfry/0' })
}

const project = (own: number) =>
  client({ kind: 'monitoring', baseUrl: `http://good.example:${own}`, keyKind: 'unknown' })
const realm = (own: number) =>
  client({ kind: 'chat', baseUrl: `http://good.example:${own}`, email })

const callers: readonly Caller[] = [
  { name: 'monitoring GET', call: (own) => project(own).call(monitoringOperations.listChecks, {}) },
  {
    name: 'monitoring POST',
    call: (own) => project(own).call(monitoringOperations.createCheck, { name: 'x' }),
  },
  { name: 'chat GET', call: (own) => realm(own).call(chatOperations.getOwnUser, {}) },
  {
    name: 'chat POST',
    call: (own) =>
      realm(own).call(chatOperations.sendMessage, { type: 'direct', to: [1], content: 'x' }),
  },
]

function redirect(code: number, location: string): string {
  return `HTTP/1.1 ${code} Moved\r\nlocation: ${location}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`
}

describe('a redirect', () => {
  let thief: RecordingServer
  const tally = { combinations: 0, through: 0, control: 0 }

  beforeAll(async () => {
    thief = await serveRecording()
  })
  afterAll(async () => {
    await thief.close()
    reportSecurity('redirects', tally)
  })

  describe.each(Object.keys(targets))('to %s', (target) => {
    test.each(callers)(
      'for $name is an error of its own, and gives the key to nobody',
      async (caller) => {
        for (const code of codes) {
          const location = { text: '' }
          const own = await serveRecording({ answer: () => redirect(code, location.text) })
          location.text = targets[target]?.(thief.port, own.port) ?? ''
          const failure = await failureOf(caller.call(own.port))
          await own.close()
          const gone = thief.connections + own.requests - 1
          tally.combinations += 1
          if (gone > 0 || found(needles, thief.bytes()).length > 0) tally.through += 1
          expect(failure, `${code}`).toMatchObject({ kind: 'malformed', what: 'redirect' })
          expect(found(needles, JSON.stringify(failure))).toEqual([])
          expect({ thief: thief.connections, own: own.requests }).toEqual({ thief: 0, own: 1 })
          // The key did reach its own server, so there was something to lose.
          expect(found(needles, own.bytes())).not.toEqual([])
        }
      },
    )
  })

  test('is tried in all combinations', () => {
    expect(tally).toMatchObject({ combinations: 12 * 4 * 5, through: 0 })
  })

  test.each(codes)(
    'of %i takes the key along in a plain fetch, so the search would find it',
    async (code) => {
      const trap = await serveRecording()
      const location = targets['another host']?.(trap.port, 0) ?? ''
      const own = await serveRecording({ answer: () => redirect(code, location) })
      const dispatcher = new Agent({ connect: { lookup } })
      await fetch(`http://good.example:${own.port}/`, { dispatcher, headers: { 'x-api-key': key } })
      expect(trap.requests).toBe(1)
      expect(found(needles, trap.bytes())).toEqual(['raw', 'url'])
      tally.control += 1
      await dispatcher.close()
      await Promise.all([trap.close(), own.close()])
    },
  )
})

describe('the search', () => {
  test.each(encodings)('finds a key in %s, and none if there is none', (encoding) => {
    const odd = needlesOf('a+b/c=d"e', [email])
    const plant = {
      raw: 'a+b/c=d"e',
      base64: Buffer.from('x-api-key: a+b/c=d"e\r\n').toString('base64'),
      'base64 pair': Buffer.from(`${email}:a+b/c=d"e`).toString('base64'),
      url: encodeURIComponent('a+b/c=d"e'),
      hex: Buffer.from('a+b/c=d"e').toString('hex'),
      utf16le: Buffer.from('a+b/c=d"e', 'utf16le'),
      base64url: Buffer.from('x-api-key: a+b/c=d"e\r\n').toString('base64url'),
      numbers: JSON.stringify(Buffer.from('a+b/c=d"e')),
    }[encoding]
    expect(found(odd, Buffer.concat([Buffer.from('before'), Buffer.from(plant)]))).toContain(
      encoding,
    )
    expect(found(odd, 'a+b/c=d')).toEqual([])
  })
})
