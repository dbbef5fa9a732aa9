import { describe, expect, test } from 'vitest'
import { createProject } from '../../../src/demo/monitoring/pretend-project.ts'
import type { CheckSeed } from '../../../src/demo/monitoring/project-controls.ts'
import { RequestFailed } from '../../../src/shared/core/failure.ts'
import type { HttpReply } from '../../../src/shared/http.ts'

// The cases in test/conformance check its replies; this file tests what only a demo has.

const start = Date.UTC(2026, 2, 17, 14, 25)
const hour = 3_600_000
const readWrite = `hcw_${'a'.repeat(28)}`
const baseUrl = 'https://hc.example.org'
const api = '/api/v3'

const seeds: readonly CheckSeed[] = [
  { name: 'up', slug: 'up', tags: 'prod db', timeout: 3600, grace: 600, integrations: '' },
  { name: 'cron', tags: 'prod', schedule: '0 3 * * *', tz: 'Europe/Berlin', integrations: '' },
  { name: 'paused', slug: 'twin', state: 'paused', forMs: hour },
  { name: 'new', slug: 'twin', state: 'new' },
]

function world() {
  const project = createProject({
    baseUrl,
    name: 'ops',
    readWriteKey: readWrite,
    readOnlyKey: null,
    now: () => start,
    seed: 7,
    checks: seeds,
  })
  return {
    project,
    ask: (method: string, path: string): HttpReply =>
      project.handle({
        method,
        url: `${baseUrl}${path}`,
        headers: { 'X-Api-Key': readWrite },
        body: null,
      }),
  }
}

function text({ body }: HttpReply): string {
  return new TextDecoder().decode(body)
}

function json(reply: HttpReply): Record<string, unknown> {
  expect(reply.headers['content-type']).toBe('application/json')
  return JSON.parse(text(reply)) as Record<string, unknown>
}

function record({ ask, project }: ReturnType<typeof world>, name: string) {
  return json(ask('GET', `${api}/checks/${project.controls.check(name).uuid}`))
}

describe('a seeded check', () => {
  test('has the status of its seed, with a history that leads to it', () => {
    const here = world()
    const states = ['up', 'cron', 'paused', 'new'].map((name) => record(here, name)['status'])
    expect(states).toEqual(['up', 'up', 'paused', 'new'])
    expect(record(here, 'up')['n_pings']).toBeGreaterThan(0)
    expect(record(here, 'new')).toMatchObject({ n_pings: 0, last_ping: null })
  })

  test('with a schedule is expected by the clock of its zone', () => {
    expect(record(world(), 'cron')['next_ping']).toBe('2026-03-18T02:00:00+00:00')
  })
})

describe('controls', () => {
  test('take a check down by a missing ping, with one flip, and bring it back', () => {
    const here = world()
    here.project.controls.goDown('up')
    expect(record(here, 'up')).toMatchObject({ status: 'down', next_ping: null })
    here.project.controls.recover('up')
    expect(record(here, 'up')['status']).toBe('up')
  })

  test('simulate trouble: errors, rate limits, a login page, an absent server', () => {
    const here = world()
    const status = () => here.ask('GET', `${api}/checks/`).status
    here.project.controls.refuse(503)
    expect(status()).toBe(503)
    here.project.controls.refuse(null)
    here.project.controls.rateLimit(true)
    const limited = here.ask('GET', `${api}/checks/`)
    expect([limited.status, limited.headers['retry-after']]).toEqual([429, undefined])
    here.project.controls.rateLimit(false)
    here.project.controls.captive(true)
    expect([status(), text(here.ask('GET', `${api}/status/`)).slice(0, 9)]).toEqual([
      200,
      '<!doctype',
    ])
    here.project.controls.captive(false)
    here.project.controls.away(true)
    expect(status).toThrow(RequestFailed)
    here.project.controls.away(false)
    expect(status()).toBe(200)
  })

  test('add checks by the thousand and spoil one record', () => {
    const here = world()
    here.project.controls.addChecks(1_000)
    here.project.controls.rewrite((item) => (item['name'] === 'up' ? { name: 7 } : item))
    const checks = json(here.ask('GET', `${api}/checks/`))['checks'] as Record<string, unknown>[]
    expect(checks).toHaveLength(1_004)
    expect(checks[0]).toEqual({ name: 7 })
    expect(checks[1]?.['name']).toBe('cron')
  })
})
