import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { LookupFunction } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Transport } from '../../src/main/base/ports.ts'
import { createHttpTransport } from '../../src/main/http/http-transport.ts'
import { startApp } from '../support/app.ts'
import { failureOf } from '../support/failures.ts'
import { type RecordingServer, serveRecording } from '../support/recording-server.ts'
import { found, needlesOf } from '../support/secret-search.ts'
import { serveWorld } from '../support/world-server.ts'

/** Every foreign name resolves to this computer, where the trap listens. */
const lookup: LookupFunction = (_host, options, callback) => {
  if (options.all === true) callback(null, [{ address: '127.0.0.1', family: 4 }])
  else callback(null, '127.0.0.1', 4)
}

/** The hosts and ports that undici connected to, as it reports them. */
const connections: string[] = []
const hear = (message: unknown): void => {
  // undici's own channel: `connectParams` has the host with its port.
  connections.push((message as { connectParams: { host: string } }).connectParams.host)
}
let trap: RecordingServer

beforeEach(async () => {
  connections.length = 0
  subscribe('undici:client:beforeConnect', hear)
  trap = await serveRecording()
})
afterEach(async () => {
  unsubscribe('undici:client:beforeConnect', hear)
  await trap.close()
})

const hostile = (port: number): readonly string[] => [
  `http://elsewhere.example:${port}/collect`,
  `//elsewhere.example:${port}/collect`,
  `http://127.0.0.1:${port}/latest/meta-data/`,
  'http://169.254.169.254/latest/meta-data/',
  'http://192.168.0.1/setup',
  'file:///etc/passwd',
  `http://good.example@elsewhere.example:${port}/`,
  `\\\\elsewhere.example:${port}\\share`,
  'javascript:alert(1)',
  `http://[::ffff:127.0.0.1]:${port}/`,
  `gopher://elsewhere.example:${port}/`,
  'http+unix://%2Fvar%2Frun%2Fdocker.sock/info',
]

/** Puts foreign addresses into every field of every response whose name suggests an address. */
function lying(transport: Transport, addresses: readonly string[]) {
  const told = { fields: 0 }
  const changed = (value: unknown, name: string): unknown => {
    if (Array.isArray(value)) return value.map((one) => changed(one, name))
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [key, changed(inner, key)]),
      )
    const isAddress = /url|uri|icon|avatar|href|link|logo|thumbnail|next|badge/i.test(name)
    if (!isAddress || (typeof value !== 'string' && value !== null)) return value
    told.fields += 1
    return addresses[told.fields % addresses.length]
  }
  const lies: Transport = async (request, signal) => {
    const reply = await transport(request, signal)
    try {
      const answer = changed(JSON.parse(Buffer.from(reply.body).toString()), '')
      return { ...reply, body: Buffer.from(JSON.stringify(answer)) }
    } catch {
      // Not JSON: a picture or a page stays as it is.
      return reply
    }
  }
  return { transport: lies, told }
}

describe('an address given by a server', () => {
  test('is never connected to, in any field and whatever the user opens', async () => {
    const server = await serveWorld({ now: Date.now, seed: 1, lively: false })
    const { world, urls, log } = server
    const addresses = hostile(trap.port)
    const { transport, told } = lying(createHttpTransport({ lookup }), addresses)
    const { app, desktop } = await startApp({ world, transport })
    const { commands } = app
    try {
      const { accountId: ops } = await commands.addAccount(world.newAccounts.ops)
      const { accountId: chat } = await commands.addAccount(world.newAccounts.chat)
      await expect.poll(() => app.state.boards.get(ops)?.checks.size).toBeGreaterThan(5)
      await expect.poll(() => app.state.realms.get(chat)?.freshness.readAt ?? null).not.toBeNull()
      for (const checkId of app.state.boards.get(ops)?.checks.keys() ?? []) {
        const { pingUrl } = await commands.checkDetails({ accountId: ops, checkId })
        expect(addresses).not.toContain(pingUrl)
      }
      for (const operation of ['listIntegrations', 'listBadges'])
        await commands.run({ accountId: ops, operation, params: {} }).catch(() => undefined)
      for (const operation of ['getOwnUser', 'serverSettings', 'getUsers', 'listCustomEmoji'])
        await commands.run({ accountId: chat, operation, params: {} }).catch(() => undefined)
      await commands.setImages({ accountId: chat, images: true })
      for (const path of [
        ...addresses,
        '/user_uploads/../../api/v1/users/me',
        '//x/user_uploads/1',
      ])
        expect((await failureOf(commands.loadImage({ accountId: chat, path }))).kind).toBe(
          'invalid',
        )
      await commands.refresh({ accountId: null })
    } finally {
      await app.stop()
      await server.close()
    }
    const own = [urls.ops, urls.chat].map((url) => new URL(url).host)
    expect(new Set(connections)).toEqual(new Set(own))
    expect(trap.connections).toBe(0)
    expect(told.fields).toBeGreaterThan(100)
    expect(log.length).toBeGreaterThan(10)
    // Nor did the app hand one to the browser.
    expect(desktop.opened).toEqual([])
  }, 30_000)

  test('would be in both logs if it were', async () => {
    const [address = ''] = hostile(trap.port)
    const key = 'hcw_canaryServerUrlCanaryServerU'
    await createHttpTransport({ lookup })(
      {
        method: 'GET',
        url: address,
        headers: { 'x-api-key': key },
        body: null,
        deadlineMs: 5_000,
        maxBytes: 1e6,
      },
      new AbortController().signal,
    )
    expect(connections).toEqual([`elsewhere.example:${trap.port}`])
    expect(found(needlesOf(key), trap.bytes())).toContain('raw')
  })
})
