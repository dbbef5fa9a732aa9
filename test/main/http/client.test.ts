import fc from 'fast-check'
import {
  array,
  integer,
  literal,
  looseObject,
  maxLength,
  maxValue,
  number,
  object,
  optional,
  pipe,
  string,
  unknown,
} from 'valibot'
import { describe, expect, test } from 'vitest'
import { type ClientOptions, createClient } from '../../../src/main/http/client.ts'
import { demandWithin } from '../../../src/main/http/request-encoding.ts'
import { chatOperations } from '../../../src/shared/api/chat/chat-operations.ts'
import { operation } from '../../../src/shared/api/operation.ts'
import type { Exchange } from '../../../src/shared/core/diagnosis.ts'
import type { Failure } from '../../../src/shared/core/failure.ts'
import type { HttpReply } from '../../../src/shared/http.ts'
import { failureOf } from '../../support/failures.ts'
import { json, reply, scripted } from '../../support/scripted-transport.ts'

const now = Date.UTC(2026, 2, 17, 14, 25)
const dayMs = 24 * 60 * 60_000
const clock = { now: () => now, monotonic: () => 0, random: () => 0.5 }
const monitoring = {
  kind: 'monitoring',
  baseUrl: 'https://watch.example/hc',
  keyKind: 'readWrite',
} as const
const chat = { kind: 'chat', baseUrl: 'https://chat.example', email: 'zoë@example.org' } as const
const key = 'k'.repeat(32)

const list = operation({
  service: 'monitoring',
  title: 'List',
  method: 'GET',
  path: '/api/v3/checks/',
  params: object({ tag: optional(array(string())), slug: optional(string()) }),
  reply: looseObject({ checks: array(unknown()) }),
  effect: 'read',
})
const update = operation({
  service: 'monitoring',
  title: 'Update',
  method: 'POST',
  path: '/api/v3/checks/{id}',
  params: object({
    id: string(),
    name: optional(pipe(string(), maxLength(5))),
    grace: optional(pipe(number(), integer(), maxValue(60))),
  }),
  reply: looseObject({ name: string() }),
  effect: 'write',
  needsReadWriteKey: true,
})
const body = operation({
  service: 'monitoring',
  title: 'Body',
  method: 'GET',
  path: '/body',
  params: object({}),
  reply: string(),
  replyAs: 'text',
  effect: 'read',
})
const react = operation({
  service: 'chat',
  title: 'React',
  method: 'DELETE',
  path: '/api/v1/users/{email}/x',
  params: object({
    email: string(),
    name: string(),
    ids: array(number()),
    all: optional(literal(true)),
  }),
  reply: looseObject({}),
  effect: 'write',
})

function connect(answer: HttpReply, change: Partial<ClientOptions> = {}) {
  const server = scripted(() => answer)
  const { transport } = server
  const options = { account: monitoring, key, transport, clock, userAgent: 'Belfry/1', ...change }
  return { client: createClient(options), requests: server.requests }
}

describe('a request to a monitoring project', () => {
  test('repeats a list in the query and carries the key in a header', async () => {
    const { client, requests } = connect(json({ checks: [] }))
    await client.call(list, { tag: ['a b', 'ü'], slug: 'x' })
    expect(requests[0]).toMatchObject({
      method: 'GET',
      url: 'https://watch.example/hc/api/v3/checks/?tag=a+b&tag=%C3%BC&slug=x',
      headers: { 'x-api-key': key, accept: 'application/json', 'user-agent': 'Belfry/1' },
      body: null,
      deadlineMs: 20_000,
      maxBytes: 8 * 1024 * 1024,
    })
  })

  test('has a JSON body with only the given fields', async () => {
    const { client, requests } = connect(json({ name: 'x' }))
    await client.call(update, { id: 'abc', grace: 60 })
    expect(requests[0]?.url).toBe('https://watch.example/hc/api/v3/checks/abc')
    expect(requests[0]?.body).toBe('{"grace":60}')
    expect(requests[0]?.headers['content-type']).toBe('application/json')
  })

  test('waits for the rate limit of its key', async () => {
    const taken: string[] = []
    const budget = {
      take: (priority: string) => {
        taken.push(priority)
        return Promise.resolve()
      },
      waitMs: () => 0,
      left: () => 12,
    }
    const left: (number | null)[] = []
    const onExchange = (exchange: Exchange) => left.push(exchange.left)
    const { client } = connect(json({ checks: [] }), { budget, onExchange })
    await client.call(list, {}, { priority: 'background' })
    await client.call(list, {})
    await failureOf(client.call(update, { id: 'a' }))
    expect(taken).toEqual(['background', 'interactive', 'act'])
    expect(left).toEqual([12, 12, 12])
  })

  test('has the deadline of its call, else of its operation', async () => {
    const { client, requests } = connect(json({ checks: [] }))
    const slow = { ...list, deadlineMs: 60_000 }
    await client.call(slow, {})
    await client.call(slow, {}, { deadlineMs: 90_000 })
    expect(requests.map(({ deadlineMs }) => deadlineMs)).toEqual([60_000, 90_000])
  })
})

describe('a request to a chat server', () => {
  test('has form fields (strings raw, everything else as JSON) and Basic credentials in UTF-8', async () => {
    const { client, requests } = connect(json({}), { account: chat })
    await client.call(react, { email: 'a/b@x.org', name: '"123"', ids: [1, 2], all: true })
    const [request] = requests
    expect(request?.url).toBe('https://chat.example/api/v1/users/a%2Fb%40x.org/x')
    expect([...new URLSearchParams(String(request?.body ?? ''))]).toEqual([
      ['name', '"123"'],
      ['ids', '[1,2]'],
      ['all', 'true'],
    ])
    expect(request?.headers).toMatchObject({
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${Buffer.from(`zoë@example.org:${key}`).toString('base64')}`,
    })
  })

  test('that is anonymous carries no credentials', async () => {
    const { client, requests } = connect(json({}), { account: chat })
    await client.call(chatOperations.serverSettings, {})
    expect(requests[0]?.headers).not.toHaveProperty('authorization')
  })
})

describe('an invalid request', () => {
  const cases: [
    string,
    Parameters<(typeof update.params.entries.name.wrapped)['~run']>[0] | object,
    object,
  ][] = [
    [
      'a text that is too long',
      { id: 'a', name: 'abcdef' },
      { field: 'name', message: 'at most 5 characters' },
    ],
    [
      'a number that is too large',
      { id: 'a', grace: 61 },
      { field: 'grace', message: 'at most 60' },
    ],
    ['a fraction', { id: 'a', grace: 1.5 }, { field: 'grace', message: 'must be a whole number' }],
    ['a missing field', {}, { field: 'id', message: 'is required' }],
    ['an empty path part', { id: '' }, { field: 'id', message: 'is required' }],
    ['a path part that leads upwards', { id: '..' }, { field: 'id', message: 'is required' }],
  ]
  test.each(cases)(
    'is refused, unsent, with its field, because of %s',
    async (_name, params, told) => {
      const { client, requests } = connect(json({ name: 'x' }))
      // What a window sends is untyped as well.
      const failure = await failureOf(client.call(update, params as { id: string }))
      expect(failure).toMatchObject({ kind: 'invalid', ...told })
      expect(requests).toEqual([])
    },
  )

  test.each(['a b', 'a\nb', 'ключ', ''])(
    'is never created if its key is no valid header value: %j',
    (bad) => {
      expect(() => connect(json({}), { key: bad })).toThrow('invalid')
    },
  )

  test('is never created if its e-mail address contains a colon', () => {
    const account = { ...chat, email: 'a:b@x.org' }
    expect(() => connect(json({}), { account })).toThrow('invalid')
  })
})

describe('credentials', () => {
  test.each([
    'https://watch.example.evil.org/hc/x',
    'https://watch.example@evil.org/hc/x',
    'https://evil@watch.example/hc/x',
    'http://watch.example/hc/x',
    'https://watch.example:444/hc/x',
    'https://watch.example/hcx',
    'https://watch.example/hc/../other',
  ])('never leave their address for %s', (url) => {
    expect(() => demandWithin(monitoring.baseUrl, url)).toThrow('credentials')
    expect(() => demandWithin(monitoring.baseUrl, `${monitoring.baseUrl}/x`)).not.toThrow()
  })

  test('stay at their address whatever the parameters are', async () => {
    const { client, requests } = connect(json({ name: 'x' }))
    await fc.assert(
      fc.asyncProperty(fc.string(), async (id) => {
        await client.call(update, { id }).catch(() => null)
        for (const { url } of requests.splice(0)) {
          expect(url.startsWith('https://watch.example/hc/api/v3/checks/')).toBe(true)
          expect(new URL(url).pathname.split('/')).toHaveLength(6)
        }
      }),
    )
  })
})

describe('a reply', () => {
  const html = '<!doctype html><title>Log in</title>'
  const refused = (httpStatus: number, code: string, message = ''): Failure => ({
    kind: 'refused',
    httpStatus,
    code,
    message,
  })
  const malformed = (what: string, where = '') => ({ kind: 'malformed', what, where })
  const limited = (retryAfterMs: number | null) => ({ kind: 'rateLimited', retryAfterMs })
  const date = { date: 'Tue, 17 Mar 2026 14:25:00 GMT' }
  const retryAfter = (value: string) => reply(429, '', { ...date, 'retry-after': value })

  const error = (status: number, more: object) => json({ result: 'error', ...more }, status)
  const fromMonitoring: [string, HttpReply, object][] = [
    [
      '401',
      json({ error: 'wrong api key' }, 401),
      { kind: 'badKey', httpStatus: 401, message: '' },
    ],
    ['401 of a proxy', reply(401, html), malformed('unauthorized')],
    ['401 without a body', reply(401), malformed('unauthorized')],
    ['401 of a gateway', json({ message: 'Unauthorized' }, 401), malformed('unauthorized')],
    ['401 like the chat’s', error(401, { code: 'UNAUTHORIZED' }), malformed('unauthorized')],
    [
      '401 that did not get a key',
      json({ error: 'missing api key' }, 401),
      refused(401, 'UNAUTHORIZED', 'missing api key'),
    ],
    ['403 without a body', reply(403), refused(403, 'FORBIDDEN')],
    ['404 page', reply(404, html), refused(404, 'NOT_FOUND')],
    [
      '400',
      json({ error: 'name is too long' }, 400),
      refused(400, 'BAD_REQUEST', 'name is too long'),
    ],
    [
      '409 text',
      reply(409, 'check is not paused'),
      refused(409, 'CONFLICT', 'check is not paused'),
    ],
    ['503', reply(503, html), { kind: 'serverFault', httpStatus: 503 }],
    ['511', reply(511, html), malformed('login')],
    ['login page', reply(200, html), malformed('html')],
    ['empty 200', reply(200), malformed('json')],
    ['cut JSON', reply(200, '{"checks":[{'), malformed('json')],
    ['NaN', reply(200, '{"checks":NaN}'), malformed('json')],
    ['array', json([]), malformed('shape', 'checks')],
    ['65 levels', reply(200, `${'['.repeat(65)}${']'.repeat(65)}`), malformed('deep')],
    ['brackets in text', reply(200, `{"a":"${'['.repeat(99)}\\"["}`), malformed('shape', 'checks')],
    ['a million brackets', reply(200, '['.repeat(1_000_000)), malformed('deep')],
    ['a page of brackets', reply(200, `<p>${'['.repeat(99)}`), malformed('html')],
    [
      '100,001 checks',
      reply(200, `{"checks":[${'1,'.repeat(100_000)}1]}`),
      malformed('many', 'checks'),
    ],
    ['5 million values', reply(200, `[${'1,'.repeat(5_000_000)}1]`), malformed('many')],
    ['endless white space', reply(200, `${' '.repeat(70_000)}{}`), malformed('many')],
    ['wrong shape', json({ checks: {} }), malformed('shape', 'checks')],
    [
      'redirect',
      reply(302, '', { location: 'https://portal.example/login?token=1' }),
      malformed('redirect', 'https://portal.example'),
    ],
    ['redirect within the server', reply(301, '', { location: '/x' }), malformed('redirect')],
    ['429 with a page', reply(429, html), limited(null)],
    ['429 for 30 seconds', retryAfter('30'), limited(30_000)],
    ['429 for a fraction', retryAfter('28.7068'), limited(28_707)],
    ['429 until a date', retryAfter('Tue, 17 Mar 2026 14:26:00 GMT'), limited(60_000)],
    ['429 until a past date', retryAfter('Tue, 17 Mar 2020 14:26:00 GMT'), limited(null)],
    ['429 for no time', retryAfter('0'), limited(1_000)],
    ['429 for 2 hours', retryAfter('7200'), limited(7_200_000)],
    ['429 for 30 years', retryAfter('1000000000'), limited(86_400_000)],
    ['429 for less than no time', retryAfter('-5'), limited(null)],
    ['429 for words', retryAfter('abc'), limited(null)],
  ]
  test.each(fromMonitoring)('from a project: %s', async (_name, answer, failure) => {
    const { client } = connect(answer)
    expect(await failureOf(client.call(list, {}))).toEqual(expect.objectContaining(failure))
  })

  const fromChat: [string, HttpReply, object][] = [
    [
      '401',
      error(401, { code: 'UNAUTHORIZED', msg: 'Account is deactivated' }),
      { kind: 'badKey', httpStatus: 401, message: 'Account is deactivated' },
    ],
    [
      '401 of a proxy, with the chat’s own header',
      reply(401, html, { 'www-authenticate': 'Basic realm="zulip"' }),
      malformed('unauthorized'),
    ],
    ['401 of a gateway', json({ code: 'UNAUTHORIZED' }, 401), malformed('unauthorized')],
    ['401 like a project’s', json({ error: 'wrong api key' }, 401), malformed('unauthorized')],
    [
      'dead key with 403',
      error(403, { code: 'USER_DEACTIVATED' }),
      { kind: 'badKey', httpStatus: 403 },
    ],
    [
      'lost queue',
      error(400, { code: 'BAD_EVENT_QUEUE_ID', msg: 'gone' }),
      refused(400, 'BAD_EVENT_QUEUE_ID', 'gone'),
    ],
    [
      '405 without a code',
      error(405, { msg: 'Method Not Allowed' }),
      refused(405, 'BAD_REQUEST', ''),
    ],
    ['404 page', reply(404, html), malformed('noSuchPath')],
    ['404 of something else', json({ detail: 'x' }, 404), malformed('shape')],
    ['500 with JSON', error(500, { msg: 'x' }), { kind: 'serverFault', httpStatus: 500 }],
    ['429 with a body', error(429, { 'retry-after': 2.5 }), limited(2_500)],
    [
      '429 with two times',
      reply(429, '{"retry-after":2}', { 'retry-after': '30' }),
      limited(30_000),
    ],
    ['429 with null', error(429, { 'retry-after': null }), limited(null)],
  ]
  test.each(fromChat)('from a realm: %s', async (_name, answer, failure) => {
    const { client } = connect(answer, { account: chat })
    const call = client.call(chatOperations.getOwnUser, {})
    expect(await failureOf(call)).toEqual(expect.objectContaining(failure))
  })

  test.each([
    [
      '401',
      error(401, { code: 'UNAUTHORIZED', msg: 'Log in' }),
      refused(401, 'UNAUTHORIZED', 'Log in'),
    ],
    ['404 page', reply(404, html), malformed('html')],
  ])('from a server that may be no realm, without a key: %s', async (_name, answer, failure) => {
    const { client } = connect(answer, { account: chat })
    expect(await failureOf(client.call(chatOperations.serverSettings, {}))).toEqual(failure)
  })

  test.each([
    ['readWrite', refused(401, 'UNAUTHORIZED', 'wrong api key')],
    ['readOnly', { kind: 'readOnlyKey' }],
    ['unknown', { kind: 'readOnlyKey' }],
  ] as const)('of 401 to a write with a key that is %s', async (keyKind, failure) => {
    const account = { ...monitoring, keyKind }
    const { client } = connect(json({ error: 'wrong api key' }, 401), { account })
    expect(await failureOf(client.call(update, { id: 'a' }))).toEqual(failure)
    expect((await failureOf(client.call(list, {}))).kind).toBe('badKey')
  })

  test('keeps fields that the schema does not name', async () => {
    const answer = json({ checks: [], ignored_parameters_unsupported: ['x'] })
    const { client } = connect(answer)
    expect(await client.call(list, {})).toEqual({
      checks: [],
      ignored_parameters_unsupported: ['x'],
    })
  })

  test('that is text is decoded leniently', async () => {
    const { client } = connect(reply(200, new Uint8Array([0xff, 0x41, 0])))
    expect(await client.call(body, {})).toBe('\uFFFDA\0')
  })

  test('never changes a prototype', async () => {
    const { client } = connect(reply(200, '\uFEFF{"checks":[],"__proto__":{"polluted":true}}'))
    const read = await client.call(list, {})
    expect(Reflect.get(read, 'polluted')).toBeUndefined()
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  test('of any bytes gives a value or a failure', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 200, max: 599 }),
        fc.uint8Array(),
        async (status, bytes) => {
          const { client } = connect(reply(status, bytes))
          expect((await failureOf(client.call(list, {}))).kind).toBeTypeOf('string')
        },
      ),
    )
  })

  test('with any Retry-After gives a time between a second and a day, or none', async () => {
    const asked = fc.oneof(
      fc.string(),
      fc.double().map(String),
      fc.integer().map(String),
      fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
      fc.constantFrom('1e9', '-1', 'abc', '', ' 7 ', '0x10', 'Infinity', 'NaN'),
    )
    const inBody = fc.oneof(fc.double(), fc.jsonValue())
    await fc.assert(
      fc.asyncProperty(asked, inBody, async (header, body) => {
        const answer = reply(429, JSON.stringify({ 'retry-after': body }), {
          'retry-after': header,
        })
        const failure = await failureOf(connect(answer).client.call(list, {}))
        const ms = failure.kind === 'rateLimited' ? failure.retryAfterMs : Number.NaN
        if (ms !== null) expect(ms >= 1_000 && ms <= 86_400_000).toBe(true)
      }),
      { seed: 7, numRuns: 2_000 },
    )
  })

  test('gives the offset between the clocks', async () => {
    const offsets: number[] = []
    const { client } = connect(
      reply(200, '{"checks":[]}', { date: 'Tue, 17 Mar 2026 14:26:00 GMT' }),
      {
        onServerOffset: (ms) => offsets.push(ms),
      },
    )
    await client.call(list, {})
    expect(offsets).toEqual([60_500])
  })

  test.each([
    ['counted from halfway, of a reply that took a while', 4_000, [62_500]],
    ['not given, of one so slow that its date may be from its beginning', 5_001, []],
  ])('has its offset %s', async (_what, tookMs, wanted) => {
    const offsets: number[] = []
    let monotonic = 0
    const { client } = connect(json({}), {
      transport: async () => {
        monotonic = tookMs
        return reply(200, '{"checks":[]}', { date: 'Tue, 17 Mar 2026 14:26:00 GMT' })
      },
      clock: { ...clock, monotonic: () => monotonic },
      onServerOffset: (ms) => offsets.push(ms),
    })
    await client.call(list, {})
    expect(offsets).toEqual(wanted)
  })

  test('gives the correct offset even if the clock is set during the request', async () => {
    const offsets: number[] = []
    let setMs = 0
    const answer = reply(200, '{"checks":[]}', { date: 'Tue, 17 Mar 2026 14:26:00 GMT' })
    const { client } = connect(answer, {
      transport: async () => {
        setMs = dayMs
        return answer
      },
      clock: { ...clock, now: () => now + setMs },
      onServerOffset: (ms) => offsets.push(ms),
    })
    await client.call(list, {})
    expect(offsets).toEqual([60_500 - dayMs])
  })
})
