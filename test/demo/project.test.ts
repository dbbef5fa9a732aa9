import { describe, expect, test } from 'vitest'
import { createProject, type Project } from '../../src/main/demo/project.ts'
import type { CheckSeed } from '../../src/main/demo/project-seed.ts'
import type { HttpReply } from '../../src/main/sync/transport.ts'
import { uniqueKeyOf } from '../../src/main/sync/unique-key.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'

const start = Date.UTC(2026, 2, 17, 14, 25)
const minute = 60_000
const hour = 60 * minute
const readWrite = `hcw_${'a'.repeat(28)}`
const readOnly = `hcr_${'b'.repeat(28)}`
const foreign = 'abcdef11-2222-4333-8444-555555555555'
const unknown = '99999999-2222-4333-8444-555555555555'
const pagerId = '2f5c6b1e-0d64-4b5f-9a0e-6a5b1f1c9d01'
const mailId = '5b1d3c8a-77aa-4d52-8f5e-0c2e5f6a7b02'

const integrations = [
  { id: pagerId, name: 'On call', kind: 'pd' },
  { id: mailId, name: 'Mail', kind: 'email' },
  { id: '9c7e2a4d-13f0-4c8e-a1b2-3d4e5f6a7b03', name: 'Mail', kind: 'slack' },
]

const seeds: readonly CheckSeed[] = [
  { name: 'up', slug: 'up', tags: 'prod db', timeout: 3600, grace: 600, integrations: '' },
  { name: 'cron', tags: 'prod', schedule: '0 3 * * *', tz: 'Europe/Berlin', integrations: '' },
  { name: 'paused', slug: 'twin', state: 'paused', forMs: hour },
  { name: 'new', slug: 'twin', state: 'new' },
]

interface World {
  readonly project: Project
  readonly clock: { now: number }
  ask(method: string, path: string, extra?: Extra): HttpReply
}

interface Extra {
  readonly body?: string | null
  readonly key?: string | null
}

/** `{up}` in a path is the uuid of the check "up", `{key of up}` its unique key. */
function world(checks = seeds, baseUrl = 'https://hc.example.org', checkLimit = 100): World {
  const clock = { now: start }
  const project = createProject({
    baseUrl,
    name: 'ops',
    readWriteKey: readWrite,
    readOnlyKey: readOnly,
    now: () => clock.now,
    seed: 7,
    checks,
    integrations,
    foreignUuids: [foreign],
    checkLimit,
  })
  const fill = (path: string) =>
    path
      .replace(/\{key of (\w+)\}/, (_all, name: string) => project.controls.check(name).uniqueKey)
      .replace(/\{(\w+)\}/, (_all, name: string) => project.controls.check(name).uuid)
  return {
    project,
    clock,
    ask: (method, path, { body = null, key = readWrite } = {}) =>
      project.handle({
        method,
        url: `${baseUrl}${fill(path)}`,
        headers: key === null ? {} : { 'X-Api-Key': key },
        body,
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

function record(from: World, name: string): Record<string, unknown> {
  return json(from.ask('GET', `/api/v3/checks/{${name}}`))
}

const api = '/api/v3'
const html = 'html page'
const empty = ''
const wrongKey = { error: 'wrong api key' }
const missingKey = { error: 'missing api key' }
const invalid = (reason: string) => ({ error: `json validation error: ${reason}` })

type Answer = typeof html | typeof empty | string | Record<string, unknown>
/** What is asked, what with, and the status and body that the real server answers. */
type Case = readonly [request: string, extra: Extra, status: number, body?: Answer]

const post = (body: unknown, key: string | null = readWrite): Extra => ({
  body: typeof body === 'string' ? body : JSON.stringify(body),
  key,
})

const cases: Readonly<Record<string, readonly Case[]>> = {
  'a method': [
    [`HEAD ${api}/checks/`, {}, 405, empty],
    [`PUT ${api}/checks/`, { key: null }, 405, empty],
    [`PATCH ${api}/checks/{up}`, {}, 405, empty],
    [`GET ${api}/checks/{up}/pause`, {}, 405, empty],
    [`POST ${api}/checks/{key of up}`, post({}), 405, empty],
    [`DELETE ${api}/checks/{key of up}`, {}, 405, empty],
    [`OPTIONS ${api}/checks/`, { key: null }, 204, empty],
  ],
  'a body': [
    [`POST ${api}/checks/`, post('{', null), 400, { error: 'could not parse request body' }],
    [`POST ${api}/checks/`, post('[]', null), 400, invalid('value is not an object')],
    [`POST ${api}/checks/{up}/pause`, post('null'), 400, invalid('value is not an object')],
    [`POST ${api}/checks/`, post(`"${'x'.repeat(2_700_000)}"`), 400, html],
  ],
  'a key': [
    [`GET ${api}/checks/`, { key: null }, 401, missingKey],
    [`GET ${api}/checks/`, { key: 'short' }, 401, missingKey],
    [`GET ${api}/checks/`, { key: 'x'.repeat(32) }, 401, wrongKey],
    [`GET ${api}/checks/`, { key: readOnly }, 200],
    [`GET ${api}/checks/{up}`, { key: readOnly }, 200],
    [`GET ${api}/checks/{key of up}/flips/`, { key: readOnly }, 200],
    [`GET ${api}/badges/`, { key: readOnly }, 200],
    [`GET ${api}/channels/`, { key: readOnly }, 401, wrongKey],
    [`GET ${api}/checks/{up}/pings/`, { key: readOnly }, 401, wrongKey],
    [`POST ${api}/checks/`, post({}, readOnly), 401, wrongKey],
    [`POST ${api}/checks/{up}/pause`, { key: readOnly }, 401, wrongKey],
    [`DELETE ${api}/checks/{up}`, { key: readOnly }, 401, wrongKey],
    [`POST ${api}/checks/`, post({ api_key: readWrite }, null), 201],
    [`POST ${api}/checks/`, post({ api_key: readWrite }, ''), 401, missingKey],
    [`POST ${api}/checks/${unknown}`, post({}, 'x'.repeat(32)), 401, wrongKey],
    [`GET ${api}/status/`, { key: null }, 200, 'OK'],
    [`POST ${api}/status/`, { key: null }, 403, html],
  ],
  'a path': [
    [`GET ${api}/checks`, {}, 301, empty],
    [`POST ${api}/checks`, post({}), 301, empty],
    [`GET ${api}/status`, {}, 301, empty],
    [`GET ${api}/checks/{up}/flips`, {}, 301, empty],
    [`GET ${api}/checks/{up}/`, {}, 404, html],
    [`POST ${api}/checks/{up}/pause/`, post({}), 404, html],
    [`GET ${api}/checks/${unknown}`, {}, 404, html],
    [`GET ${api}/checks/${foreign.toUpperCase()}`, {}, 404, html],
    [`GET ${api}/checks/${foreign}`, {}, 403, empty],
    [`GET ${api}/checks/${'0'.repeat(40)}`, {}, 404, empty],
    [`GET ${api}/checks/{key of up}/pings/`, {}, 404, html],
    [`GET ${api}/nothing/`, {}, 404, html],
    ['GET /checks/{up}/details/', { key: null }, 302, empty],
  ],
  'a field': [
    [`POST ${api}/checks/`, post({ name: 'x'.repeat(101) }), 400, invalid('name is too long')],
    [`POST ${api}/checks/`, post({ name: '😀'.repeat(100) }), 201],
    [`POST ${api}/checks/`, post({ name: null }), 400, invalid('name is not a string')],
    [`POST ${api}/checks/`, post({ nonsense: null }), 201],
    [`POST ${api}/checks/`, post({ slug: 'Up' }), 400, invalid('slug does not match pattern')],
    [`POST ${api}/checks/`, post({ timeout: 59 }), 400, invalid('timeout is too small')],
    [`POST ${api}/checks/`, post({ timeout: true }), 400, invalid('timeout is too small')],
    [`POST ${api}/checks/`, post({ grace: 31_536_001 }), 400, invalid('grace is too large')],
    [`POST ${api}/checks/`, post({ timeout: 60.5 }), 400, invalid('timeout is not a number')],
    [`POST ${api}/checks/`, post({ timeout: '60' }), 400, invalid('timeout is not a number')],
    [`POST ${api}/checks/`, post({ timeout: 1e17 }), 500, html],
    [`POST ${api}/checks/`, post({ methods: 'GET' }), 400, invalid('methods has unexpected value')],
    [`POST ${api}/checks/`, post({ tz: 'Mars/Base' }), 400, invalid('tz is not a valid timezone')],
    [
      `POST ${api}/checks/`,
      post({ schedule: '@daily' }),
      400,
      invalid('schedule is not a valid cron or OnCalendar expression'),
    ],
    [`POST ${api}/checks/`, post({ unique: 'name' }), 400, invalid('unique is not an array')],
    [
      `POST ${api}/checks/{up}`,
      post({ unique: ['desc'] }),
      400,
      invalid("an item in 'unique' has unexpected value"),
    ],
    [
      `POST ${api}/checks/`,
      post({ manual_resume: 1 }),
      400,
      invalid('manual_resume is not a boolean'),
    ],
    [
      `POST ${api}/checks/`,
      post({ channels: 'Nobody' }),
      400,
      { error: 'invalid channel identifier: Nobody' },
    ],
    [
      `POST ${api}/checks/`,
      post({ channels: 'Mail' }),
      400,
      { error: 'non-unique channel identifier: Mail' },
    ],
    [
      `POST ${api}/checks/`,
      post({ channels: `${mailId},` }),
      400,
      { error: 'empty channel identifier' },
    ],
  ],
  'a check that exists': [
    [`POST ${api}/checks/{up}/resume`, {}, 409, 'check is not paused'],
    [`POST ${api}/checks/{paused}/pause`, {}, 200],
    [`POST ${api}/checks/{paused}/resume`, {}, 200],
    [`POST ${api}/checks/`, post({ name: 'up', grace: 900, unique: ['name'] }), 200],
    [`POST ${api}/checks/`, post({ unique: ['name'] }), 201],
    [`GET ${api}/checks/{up}/pings/999999/body`, {}, 404, html],
  ],
  'a flip filter': [
    [`GET ${api}/checks/{up}/flips/?seconds=`, {}, 200],
    [`GET ${api}/checks/{up}/flips/?seconds=1.0`, {}, 200, { flips: [] }],
    [`GET ${api}/checks/{up}/flips/?seconds=31536001`, {}, 400, empty],
    [`GET ${api}/checks/{up}/flips/?start=`, {}, 400, empty],
    [`GET ${api}/checks/{up}/flips/?end=soon`, {}, 400, empty],
  ],
  'a ping address': [
    ['GET /ping/{up}', { key: null }, 200, 'OK'],
    ['HEAD /ping/{up}/', { key: null }, 200, 'OK'],
    ['POST /ping/{up}/3', { key: null }, 200, 'OK'],
    ['POST /ping/{up}/256', { key: null }, 400, 'invalid url format'],
    ['GET /ping/{up}/start/', { key: null }, 404, html],
    ['GET /ping/{up}?rid=7', { key: null }, 400, 'invalid uuid format'],
    [`GET /ping/${unknown}`, { key: null }, 404, 'not found'],
  ],
}

describe('the answer to', () => {
  for (const [subject, table] of Object.entries(cases)) {
    const named = table.map(([request, extra, status, body]) => ({ request, extra, status, body }))
    test.each(named)(`${subject}: $request $extra is $status`, (one) => {
      const [method, path] = splitOnce(one.request)
      const reply = world().ask(method, path, one.extra)
      const { status, body } = one
      expect({ status: reply.status, text: text(reply).slice(0, 200) }).toMatchObject({ status })
      if (body === html) expect(text(reply)).toMatch(/^<!doctype html>/)
      else if (typeof body === 'string') expect(text(reply)).toBe(body)
      else if (body !== undefined) expect(json(reply)).toEqual(body)
    })
  }
})

/** Paths with "{key of up}" have spaces of their own. */
function splitOnce(request: string): [string, string] {
  const at = request.indexOf(' ')
  return [request.slice(0, at), request.slice(at + 1)]
}

describe('a check record', () => {
  const fieldCount = (name: string, key: string) =>
    Object.keys(json(world().ask('GET', `${api}/checks/{${name}}`, { key }))).length

  test('has 29 fields with a read-write key, 30 with a schedule, 24 and 25 with a read-only one', () => {
    expect([
      fieldCount('up', readWrite),
      fieldCount('cron', readWrite),
      fieldCount('up', readOnly),
      fieldCount('cron', readOnly),
    ]).toEqual([29, 30, 24, 25])
  })

  test('takes its shape from the key, not from the identifier', () => {
    const here = world()
    expect(json(here.ask('GET', `${api}/checks/{key of up}`))).toHaveProperty('uuid')
    const reduced = json(here.ask('GET', `${api}/checks/{up}`, { key: readOnly }))
    expect(reduced).not.toHaveProperty('uuid')
    expect(reduced['unique_key']).toBe(uniqueKeyOf(here.project.controls.check('up').uuid))
  })

  test('is ASCII with escapes, without a charset', () => {
    const reply = world([{ name: '🚀 גיבוי' }]).ask('GET', `${api}/checks/`)
    expect(reply.body.every((byte) => byte < 0x80)).toBe(true)
    expect(text(reply)).toContain('\\ud83d\\ude80')
  })

  test('leaves last_duration out until a run is measured, and then gives whole seconds', () => {
    const here = world()
    expect(record(here, 'up')).not.toHaveProperty('last_duration')
    here.project.controls.ping('up', 'start')
    here.clock.now += 400
    here.project.controls.ping('up', 'success')
    expect(record(here, 'up')['last_duration']).toBe(0)
  })
})

describe('a list of checks', () => {
  const names = (query: string) => {
    const checks = json(world().ask('GET', `${api}/checks/?${query}`))['checks']
    return (checks as { name: string }[]).map(({ name }) => name)
  }

  test('carries all of the tags asked for', () => {
    expect(names('tag=prod')).toEqual(['up', 'cron'])
    expect(names('tag=prod&tag=db')).toEqual(['up'])
    expect(names('tag=Prod')).toEqual([])
    expect(names('tag=')).toEqual([])
  })

  test('has every check with the slug; an empty slug is no filter', () => {
    expect(names('slug=twin')).toEqual(['paused', 'new'])
    expect(names('slug=')).toHaveLength(4)
  })
})

describe('a create', () => {
  test('with an empty body makes an unnamed check that waits for its first ping', () => {
    expect(json(world().ask('POST', `${api}/checks/`))).toMatchObject({
      name: '',
      status: 'new',
      timeout: 86_400,
      grace: 3_600,
      last_ping: null,
      next_ping: null,
      channels: '',
    })
  })

  test('saves the schedule when a period comes with it, and the zone by its present name', () => {
    const body = post({ schedule: '*/5 * * * *', timeout: 60, tz: 'Europe/Kiev', channels: '*' })
    const made = json(world().ask('POST', `${api}/checks/`, body))
    expect(made).toMatchObject({ schedule: '*/5 * * * *', tz: 'Europe/Kyiv' })
    expect(made).not.toHaveProperty('timeout')
    expect(made['channels']).toBe(integrations.map(({ id }) => id).join(','))
  })

  test('beyond the limit of checks is 403, but an upsert that matches is not', () => {
    const here = world(seeds, 'https://hc.example.org', 4)
    expect(here.ask('POST', `${api}/checks/`, post({})).status).toBe(403)
    const upsert = post({ name: 'up', unique: ['name'] })
    expect(here.ask('POST', `${api}/checks/`, upsert).status).toBe(200)
  })

  test('with a bad integration leaves nothing behind', () => {
    const here = world()
    here.ask('POST', `${api}/checks/`, post({ channels: 'Nobody' }))
    expect(here.project.controls.names()).toHaveLength(4)
  })
})

describe('an update', () => {
  test('changes only what was sent', () => {
    const here = world()
    const before = record(here, 'up')
    const after = json(here.ask('POST', `${api}/checks/{up}`, post({ tags: 'x' })))
    expect(after).toEqual({ ...before, tags: 'x' })
  })

  test('of the name leaves the slug, except below a path, where it is version 1', () => {
    const renamed = (here: World) =>
      json(here.ask('POST', `${api}/checks/{up}`, post({ name: 'New Name!' })))
    expect(renamed(world())['slug']).toBe('up')
    const below = renamed(world(seeds, 'https://example.org/hc'))
    expect(below['slug']).toBe('new-name')
    expect(below['update_url']).toContain('https://example.org/hc/api/v1/checks/')
  })

  test('turns a schedule into a period and back', () => {
    const here = world()
    const simple = json(here.ask('POST', `${api}/checks/{cron}`, post({ timeout: 600 })))
    expect(simple).not.toHaveProperty('schedule')
    const cron = json(here.ask('POST', `${api}/checks/{cron}`, post({ schedule: 'Mon 9:00' })))
    expect(cron).toMatchObject({ schedule: 'Mon 9:00', tz: 'Europe/Berlin' })
  })
})

describe('a check without its ping', () => {
  /** Pinged at the start of the clock, expected an hour later, with 10 minutes of grace. */
  function pinged(): World {
    const here = world()
    here.project.controls.ping('up', 'success')
    return here
  }

  test('is late when it is expected and down after its grace, next_ping still there until the loop ran', () => {
    const here = pinged()
    here.clock.now = start + hour
    expect(record(here, 'up')['status']).toBe('grace')
    here.clock.now = start + 70 * minute
    expect(record(here, 'up')).toMatchObject({
      status: 'down',
      next_ping: '2026-03-17T15:25:00+00:00',
    })
    here.project.tick()
    expect(record(here, 'up')).toMatchObject({ status: 'down', next_ping: null })
  })

  test('has a flip dated back to its deadline, listed where it was inserted', () => {
    const here = pinged()
    here.clock.now = start + 3 * hour
    here.project.tick()
    const flips = json(here.ask('GET', `${api}/checks/{up}/flips/`))['flips']
    expect((flips as unknown[])[0]).toEqual({ timestamp: '2026-03-17T15:35:00+00:00', up: 0 })
  })

  test('that was down and pinged before the loop ran leaves no flip', () => {
    const here = pinged()
    const count = () =>
      (json(here.ask('GET', `${api}/checks/{up}/flips/`))['flips'] as unknown[]).length
    const before = count()
    here.clock.now = start + 3 * hour
    here.project.controls.ping('up', 'success')
    here.project.tick()
    expect(count()).toBe(before)
  })
})

describe('a start', () => {
  test('stands beside "up", moves next_ping to itself, and takes the check down when its grace is over', () => {
    const here = world()
    here.project.controls.ping('up', 'success')
    here.clock.now = start + minute
    here.project.controls.ping('up', 'start')
    expect(record(here, 'up')).toMatchObject({
      status: 'up',
      started: true,
      last_ping: '2026-03-17T14:25:00+00:00',
      next_ping: '2026-03-17T14:26:00+00:00',
    })
    here.clock.now = start + 11 * minute
    expect(record(here, 'up')['status']).toBe('down')
  })

  test('leaves a check that is stored as down without a next_ping', () => {
    const here = world()
    here.project.controls.ping('up', 'fail')
    here.project.controls.ping('up', 'start')
    expect(record(here, 'up')).toMatchObject({ status: 'down', started: true, next_ping: null })
  })

  test('hides the status on a server below a path', () => {
    const here = world(seeds, 'https://example.org/hc')
    here.project.controls.ping('up', 'start')
    expect(record(here, 'up')).toMatchObject({ status: 'started', started: true })
  })

  test('of another run stays pending after a success, which is then not measured', () => {
    const here = world()
    here.ask('GET', `/ping/{up}/start?rid=${foreign}`)
    here.ask('GET', `/ping/{up}?rid=${unknown}`)
    expect(record(here, 'up')).toMatchObject({ status: 'up', started: true })
    here.ask('GET', '/ping/{up}/fail')
    expect(record(here, 'up')).toMatchObject({ status: 'down', started: false })
  })

  test('leaves a pause, and turns it down when its grace is over', () => {
    const here = world()
    here.project.controls.ping('paused', 'start')
    expect(record(here, 'paused')).toMatchObject({ status: 'paused', started: true })
    here.clock.now += hour
    expect(record(here, 'paused')['status']).toBe('down')
    expect(here.ask('POST', `${api}/checks/{paused}/resume`).status).toBe(200)
  })
})

describe('a pause', () => {
  test('writes one flip, ends with a success, and keeps the last ping', () => {
    const here = world()
    const flips = () => json(here.ask('GET', `${api}/checks/{up}/flips/`))['flips'] as unknown[]
    const before = flips().length
    expect(json(here.ask('POST', `${api}/checks/{up}/pause`))).toMatchObject({
      status: 'paused',
      next_ping: null,
      last_ping: expect.any(String) as string,
    })
    here.ask('POST', `${api}/checks/{up}/pause`)
    expect(flips().length).toBe(before + 1)
    here.ask('GET', '/ping/{up}/log')
    expect(record(here, 'up')['status']).toBe('paused')
    here.ask('GET', '/ping/{up}')
    expect(record(here, 'up')['status']).toBe('up')
  })

  test('with manual resume ignores pings; resuming makes it new, without a last ping, its count kept', () => {
    const here = world()
    here.ask('POST', `${api}/checks/{paused}`, post({ manual_resume: true }))
    const count = Number(record(here, 'paused')['n_pings'])
    here.ask('GET', '/ping/{paused}')
    expect(record(here, 'paused')).toMatchObject({ status: 'paused', n_pings: count + 1 })
    expect(json(here.ask('POST', `${api}/checks/{paused}/resume`))).toMatchObject({
      status: 'new',
      last_ping: null,
      n_pings: count + 1,
    })
  })
})

describe('a delete', () => {
  test('answers with the record, its integrations gone, and then with 404', () => {
    const here = world([{ name: 'up', integrations: '*' }])
    const { uuid } = here.project.controls.check('up')
    const gone = here.ask('DELETE', `${api}/checks/${uuid}`)
    expect(json(gone)).toMatchObject({ uuid, channels: '' })
    expect(here.ask('DELETE', `${api}/checks/${uuid}`).status).toBe(404)
    expect(here.ask('GET', `/ping/${uuid}`).status).toBe(404)
  })
})

describe('a list of pings', () => {
  const pings = (here: World) =>
    json(here.ask('GET', `${api}/checks/{new}/pings/`))['pings'] as Record<string, unknown>[]

  test('is newest first, with duration, run and the address of a body', () => {
    const here = world()
    here.ask('GET', `/ping/{new}/start?rid=${foreign.toUpperCase()}`)
    here.clock.now += 1_234
    here.ask('POST', `/ping/{new}?rid=${foreign}`, { body: 'done ✓' })
    const [end, begin] = pings(here)
    expect(end).toMatchObject({
      type: 'success',
      n: 2,
      rid: foreign,
      duration: 1.23,
      date: '2026-03-17T14:25:01.234000+00:00',
    })
    expect(begin).toMatchObject({
      type: 'start',
      body_url: null,
      date: '2026-03-17T14:25:00+00:00',
    })
    expect(String(end?.['body_url'])).toMatch(/\/api\/v3\/checks\/[-0-9a-f]+\/pings\/2\/body$/)
    const body = here.ask('GET', `${api}/checks/{new}/pings/2/body`)
    expect(body.headers['content-type']).toBe('text/plain')
    expect(text(body)).toBe('done ✓')
  })

  test('keeps the newest 100 and the first 10,000 bytes of a body', () => {
    const here = world()
    for (let n = 0; n < 104; n += 1) here.ask('POST', '/ping/{new}', { body: 'x'.repeat(12_000) })
    expect(pings(here).map(({ n }) => n)).toEqual(Array.from({ length: 100 }, (_, n) => 104 - n))
    expect(here.ask('GET', `${api}/checks/{new}/pings/104/body`).body).toHaveLength(10_000)
    expect(here.ask('GET', `${api}/checks/{new}/pings/4/body`).status).toBe(404)
  })

  test('has no durations at all when too many ends have no start', () => {
    const here = world()
    const end = (n: number) =>
      here.ask('GET', `/ping/{new}?rid=${foreign.slice(0, -2)}${String(n).padStart(2, '0')}`)
    here.ask('GET', '/ping/{new}/start')
    here.ask('GET', '/ping/{new}')
    for (let n = 0; n < 10; n += 1) end(n)
    expect(pings(here).filter((ping) => 'duration' in ping)).toHaveLength(1)
    end(10)
    expect(pings(here).filter((ping) => 'duration' in ping)).toHaveLength(0)
  })

  test('says "ign" for a GET to a check that takes only POST', () => {
    const here = world([{ name: 'new', state: 'new', methods: 'POST' }])
    expect(text(here.ask('GET', '/ping/{new}'))).toBe('OK')
    expect(pings(here)[0]).toMatchObject({ type: 'ign' })
    expect(record(here, 'new')['status']).toBe('new')
  })

  test('tells a signal found by keyword, whatever the path said', () => {
    const here = world([
      {
        name: 'new',
        state: 'new',
        filter_http_body: true,
        success_kw: 'fine',
        failure_kw: 'error',
      },
    ])
    here.ask('POST', '/ping/{new}/fail', { body: 'all fine' })
    here.ask('POST', '/ping/{new}', { body: 'fine, one error' })
    here.ask('POST', '/ping/{new}', { body: 'nothing known' })
    expect(pings(here).map(({ type }) => type)).toEqual(['ign', 'fail', 'success'])
  })
})

describe('a slug address', () => {
  const slugAddress = (here: World, rest: string) => `/ping/${here.project.table.pingKey}/${rest}`

  test('pings the one check, is refused for several, and makes one on demand', () => {
    const here = world()
    const asked = (rest: string) => here.ask('GET', slugAddress(here, rest))
    expect(text(asked('up/log'))).toBe('OK')
    expect(text(asked('twin'))).toBe('ambiguous slug')
    expect(asked('UP').status).toBe(400)
    expect(asked('made').status).toBe(404)
    expect(text(asked('made?create=1'))).toBe('Created')
    expect(record(here, 'made')).toMatchObject({ slug: 'made', status: 'up' })
  })
})

describe('badges', () => {
  test('stand behind their addresses, tags encoded twice; new and paused checks count as up', () => {
    const here = world([
      { name: 'a', tags: 'x@y' },
      { name: 'b', state: 'paused', forMs: hour },
    ])
    const badges = json(here.ask('GET', `${api}/badges/`))['badges'] as Record<
      string,
      Record<string, string>
    >
    expect(Object.keys(badges)).toEqual(['*', 'x@y'])
    const tagUrl = badges['x@y']!['json']!
    expect(tagUrl).toContain('x%2540y')
    const open = (url: string) => here.ask('GET', new URL(url).pathname, { key: null })
    expect(json(open(tagUrl))).toEqual({ status: 'up', total: 1, grace: 0, down: 0 })
    expect(json(open(badges['*']!['shields3']!))).toMatchObject({ message: 'up', color: 'success' })
    expect(open(badges['*']!['svg']!.replace(/-2/, '')).status).toBe(200)
    expect(open(badges['*']!['svg']!.replace(/\w{8}-2\.svg/, '00000000-2.svg')).status).toBe(404)
  })
})

describe('headers', () => {
  test('tell the clock on every answer, and CORS on the API but not on its 404 pages', () => {
    const here = world()
    const list = here.ask('GET', `${api}/checks/`)
    expect(list.headers).toMatchObject({
      date: 'Tue, 17 Mar 2026 14:25:00 GMT',
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'X-Api-Key',
    })
    const page = here.ask('GET', `${api}/checks/${unknown}`)
    expect(page.headers).toHaveProperty('date')
    expect(page.headers).not.toHaveProperty('access-control-allow-origin')
    expect(here.ask('GET', `${api}/checks?tag=a`).headers['location']).toBe('/api/v3/checks/?tag=a')
  })
})

describe('controls', () => {
  test('take a check down by its missing ping, with one flip, and bring it back', () => {
    const here = world()
    here.project.controls.goDown('up')
    expect(record(here, 'up')).toMatchObject({ status: 'down', next_ping: null })
    here.project.controls.recover('up')
    expect(record(here, 'up')['status']).toBe('up')
  })

  test('make weather: refused, limited, a login page, away', () => {
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
