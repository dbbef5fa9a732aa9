import { afterEach, describe, expect, test } from 'vitest'
import { createWorld, troubledCheck, type World } from '../../src/demo/world.ts'
import { uniqueKeyOf } from '../../src/main/base/unique-key.ts'
import { checkName } from '../../src/shared/core/checks/check.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'
import { readChecks } from '../support/read-checks.ts'
import { serveWorld, type WorldServer } from '../support/world-server.ts'

const start = Date.UTC(2026, 2, 17, 14, 25)
const minute = 60_000

function world(options: { lively?: boolean } = {}) {
  const clock = { now: start }
  return { clock, ...createWorld({ now: () => clock.now, seed: 1, lively: false, ...options }) }
}

/** Moves the clock in steps of ten seconds, with a tick at each, like the app's timer. */
function pass(here: ReturnType<typeof world>, ms: number): void {
  for (const end = here.clock.now + ms; here.clock.now < end; ) {
    here.clock.now += 10_000
    here.tick()
  }
}

const never = new AbortController().signal

async function checksOf({ transport, newAccounts }: World, service: 'ops' | 'web') {
  const { baseUrl, key } = newAccounts[service]
  const reply = await transport(
    {
      method: 'GET',
      url: `${baseUrl}/api/v3/checks/`,
      headers: { 'x-api-key': key },
      body: null,
      deadlineMs: 1_000,
      maxBytes: 1_000_000,
    },
    never,
  )
  const body = JSON.parse(new TextDecoder().decode(reply.body)) as { checks: unknown[] }
  return readChecks(body.checks, uniqueKeyOf)
}

describe('the demo world', () => {
  test('begins with a project in trouble, with checks in every state', async () => {
    const { checks, unreadable } = await checksOf(world(), 'ops')
    const named = Object.fromEntries(checks.map((check) => [checkName(check), check]))
    expect(unreadable).toBe(0)
    expect(named['db-backup']).toMatchObject({ status: 'down', tags: ['prod', 'db'] })
    expect(named['invoices-nightly']?.status).toBe('down')
    expect(named['report-mailer']?.status).toBe('grace')
    expect(named['cert-renew']?.status).toBe('up')
    expect(named['search-reindex']).toMatchObject({ status: 'up', started: true })
    expect(named['old-exporter']).toMatchObject({ status: 'paused', started: true })
    expect(named['geo-refresh']).toMatchObject({ status: 'new', lastPingAt: null })
    expect(new Set(checks.map(({ status }) => status))).toEqual(
      new Set(['down', 'grace', 'up', 'paused', 'new']),
    )
  })

  test('has a calm project of 38 checks, read with a read-only key', async () => {
    const { checks } = await checksOf(world(), 'web')
    expect(checks.map(({ status }) => status)).toEqual(Array.from({ length: 38 }, () => 'up'))
    expect(checks.some(({ writable }) => writable)).toBe(false)
  })

  test.each([0, 5, 11, 17, 23])('begins the same at any hour: %i', async (hour) => {
    const now = Date.UTC(2026, 4, 30, hour, 59)
    const here = createWorld({ now: () => now, seed: 3 })
    const count = async (service: 'ops' | 'web', status: string) =>
      (await checksOf(here, service)).checks.filter((check) => check.status === status).length
    expect([await count('ops', 'down'), await count('ops', 'grace')]).toEqual([2, 1])
    expect(await count('web', 'up')).toBe(38)
  })

  test('stays calm for hours, and makes up for missed pings after a sleep', async () => {
    const here = world()
    pass(here, 30 * minute)
    here.clock.now += 9 * 60 * minute
    here.tick()
    const { checks } = await checksOf(here, 'web')
    expect(checks.filter(({ status }) => status !== 'up')).toEqual([])
  })

  test('tells its story by the clock: a job hangs, is late, goes down and recovers, and people talk', () => {
    const here = world({ lively: true })
    const status = () => here.ops.controls.check(troubledCheck).status
    const seen = new Set<string>()
    const before = here.realm.controls.messages().length
    const step = () => {
      pass(here, 10_000)
      seen.add(status())
    }
    while (here.clock.now < start + 5 * minute) step()
    expect([...seen]).toEqual(['up', 'grace', 'down'])
    while (here.clock.now < start + 8 * minute) step()
    expect(status()).toBe('up')
    expect(here.realm.controls.messages().length).toBeGreaterThan(before + 2)
  })

  test('stays silent unless it is lively', () => {
    const here = world()
    const before = here.realm.controls.messages().length
    pass(here, 20 * minute)
    expect(here.realm.controls.messages()).toHaveLength(before)
    expect(here.ops.controls.check(troubledCheck).status).toBe('up')
    here.live('someoneWrites')
    expect(here.realm.controls.messages()).toHaveLength(before + 1)
  })

  test('can only be reached at its own hosts', async () => {
    const request = { method: 'GET', url: 'https://example.org/', headers: {}, body: null }
    await expect(world().handle(request, never)).rejects.toThrow(RequestFailed)
  })
})

describe('the world over HTTP', () => {
  let server: WorldServer | null = null

  afterEach(async () => {
    await server?.close()
    server = null
  })

  const serve = async () => {
    server = await serveWorld({ now: () => start, seed: 1, lively: false })
    return server
  }

  test('serves each service on its own port, and logs requests', async () => {
    const { urls, log, world: behind } = await serve()
    const list = await fetch(`${urls.ops}/api/v3/checks/?tag=prod`, {
      headers: { 'X-Api-Key': behind.newAccounts.ops.key },
    })
    expect(list.status).toBe(200)
    expect(list.headers.get('date')).toBe('Tue, 17 Mar 2026 14:25:00 GMT')
    const { checks } = (await list.json()) as { checks: { ping_url: string }[] }
    const ping = await fetch(checks[0]!.ping_url, { method: 'POST', body: 'done' })
    expect(await ping.text()).toBe('OK')
    const settings = await fetch(`${urls.chat}/api/v1/server_settings`)
    expect(settings.status).toBe(200)
    expect(log.map(({ service, method, status }) => [service, method, status])).toEqual([
      ['ops', 'GET', 200],
      ['ops', 'POST', 200],
      ['chat', 'GET', 200],
    ])
    expect(log[1]?.body).toBe('done')
  })

  test('cuts connections while a project is away, and refuses them while its server is', async () => {
    const here = await serve()
    const probe = async () => (await fetch(`${here.urls.web}/api/v3/status/`)).status
    expect(await probe()).toBe(200)
    here.world.web.controls.away(true)
    await expect(probe()).rejects.toThrow('fetch failed')
    here.world.web.controls.away(false)
    await here.away('web', true)
    await expect(probe()).rejects.toThrow('fetch failed')
    await here.away('web', false)
    expect(await probe()).toBe(200)
  })
})
