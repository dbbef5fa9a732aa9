import { safeParse } from 'valibot'
import { describe, expect, test } from 'vitest'
import { chatOperations } from '../../src/shared/api/chat.ts'
import { type Ask, createClient, credentials, type Fields, start } from '../support/realm-client.ts'

const soon = start / 1000 + 60
const channel = { type: 'stream', to: 1, topic: 'db-primary' }
const send = { ...channel, content: 'hello', read_by_sender: true }
const status = (text: string) => ({ status_text: text })
const window = { anchor: 'newest', num_before: 3, num_after: 0 }
const draft = { type: 'stream', to: [1], topic: 'x', content: 'y' }

type Row = [call: string, fields: Fields, expected: number, body?: Fields]

const bad = { result: 'error', code: 'BAD_REQUEST' }
const missing = (name: string) => ({ code: 'REQUEST_VARIABLE_MISSING', var_name: name })

describe('the pretend realm', () => {
  const rows: Row[] = [
    // Sending
    ['POST /messages', send, 200, { result: 'success', msg: '' }],
    ['POST /messages', { ...send, to: 'ops' }, 200],
    ['POST /messages', { ...send, to: ['ops'] }, 200],
    ['POST /messages', { ...send, to: 99 }, 400, { code: 'STREAM_DOES_NOT_EXIST', stream_id: 99 }],
    [
      'POST /messages',
      { ...send, to: 'zoo' },
      400,
      { code: 'STREAM_DOES_NOT_EXIST', stream: 'zoo' },
    ],
    [
      'POST /messages',
      { ...send, topic: 'brand new' },
      200,
      { automatic_new_visibility_policy: 3 },
    ],
    ['POST /messages', { ...send, content: ' \n' }, 400, bad],
    ['POST /messages', { ...send, content: 'a\0b' }, 400, bad],
    ['POST /messages', { ...send, type: 'letter' }, 400, bad],
    ['POST /messages', { type: 'stream', content: 'x', topic: 'x' }, 400, missing('to')],
    ['POST /messages', { ...send, topic: 'a\u0007' }, 400, bad],
    ['POST /messages', { type: 'stream', to: 1, content: 'x' }, 400, { msg: 'Missing topic' }],
    ['POST /messages', { ...send, subject: 'x' }, 400, { code: 'REQUEST_CONFUSING_VAR' }],
    [
      'POST /messages',
      { ...send, read_by_sender: 1 },
      400,
      { ...bad, msg: expect.stringContaining('read_by_sender') },
    ],
    ['POST /messages', { type: 'direct', to: [12], content: 'x' }, 200],
    ['POST /messages', { type: 'private', to: ['ana@belfry.example'], content: 'x' }, 200],
    ['POST /messages', { type: 'direct', to: [12, 'ana@belfry.example'], content: 'x' }, 400, bad],
    ['POST /messages', { type: 'direct', to: [77], content: 'x' }, 400, bad],
    [
      'POST /messages',
      { ...send, to_whom: 'x', colour: 'red' },
      200,
      { ignored_parameters_unsupported: ['colour', 'to_whom'] },
    ],
    ['POST /scheduled_messages', { ...send, scheduled_delivery_timestamp: soon }, 200],
    ['POST /scheduled_messages', { ...send, scheduled_delivery_timestamp: 5 }, 400, bad],
    [
      'POST /scheduled_messages',
      { ...send, to: 99, scheduled_delivery_timestamp: soon },
      400,
      { stream_id: 99 },
    ],
    [
      'POST /scheduled_messages',
      { ...send, to: 'ops', scheduled_delivery_timestamp: soon },
      400,
      bad,
    ],
    ['POST /typing', { op: 'start', type: 'direct', to: [12] }, 200],
    ['POST /typing', { op: 'start', type: 'stream', topic: 'x' }, 400, bad],
    // Reading
    ['GET /messages', window, 200, { found_newest: true, anchor: 10_000_000_000_000_000 }],
    ['GET /messages', { ...window, num_before: 4000, num_after: 1001 }, 400, bad],
    [
      'GET /messages',
      { ...window, num_before: '2.5' },
      400,
      { ...bad, msg: expect.stringContaining('num_before') },
    ],
    ['GET /messages', { anchor: 'newest', num_after: 0 }, 400, missing('num_before')],
    [
      'GET /messages',
      { ...window, narrow: [{ operator: 'mood', operand: 'x' }] },
      400,
      { code: 'BAD_NARROW' },
    ],
    ['GET /messages', { ...window, num_after: 1, include_anchor: false }, 400, bad],
    ['GET /messages/1', {}, 400, bad],
    ['POST /messages/flags', { messages: [1], op: 'add', flag: 'read' }, 200, { messages: [1] }],
    ['POST /messages/flags', { messages: [1], op: 'add', flag: 'starred' }, 400, bad],
    ['POST /messages/flags', { messages: [], op: 'add', flag: 'mentioned' }, 400, bad],
    ['POST /mark_all_as_read', {}, 200, { complete: true }],
    // People and channels
    ['GET /users/me', {}, 200, { user_id: 11, email: 'user11@chat.demo.example' }],
    ['GET /users/12', {}, 200, { user: expect.objectContaining({ full_name: 'Ana Kovač' }) }],
    ['GET /users/99', {}, 400, bad],
    ['GET /users/ana%40belfry.example', {}, 200],
    ['GET /users/user12%40chat.demo.example', {}, 200],
    ['PATCH /users/ana%40belfry.example', { role: 600 }, 200],
    ['PATCH /users/ana%40belfry.example', { role: 100 }, 400, bad],
    ['POST /users/12/status', status('away'), 200],
    ['POST /users/12/status', status('x'.repeat(61)), 400, bad],
    ['POST /users/12/status', {}, 400, bad],
    ['POST /users/12/status', { emoji_code: '1f389' }, 400, bad],
    ['GET /users/me/99/topics', {}, 400, bad],
    ['POST /user_topics', { stream_id: 1, topic: 'x', visibility_policy: 4 }, 400, bad],
    ['POST /channels/create', { name: 'new', subscribers: [11] }, 200],
    [
      'POST /channels/create',
      { name: 'OPS', subscribers: [] },
      409,
      { code: 'CHANNEL_ALREADY_EXISTS' },
    ],
    // The rest of the document
    [
      'PATCH /settings',
      { color_scheme: 2, dense_mode: true },
      200,
      { ignored_parameters_unsupported: ['dense_mode'] },
    ],
    ['PATCH /settings', { enable_sounds: 'yes' }, 400, bad],
    ['PATCH /drafts/1', { draft }, 200],
    ['PATCH /drafts/1', { draft: { ...draft, id: 1 } }, 400, bad],
    ['PATCH /drafts/7', { draft }, 404, bad],
    ['POST /saved_snippets', { title: 'x', content: 'y' }, 200],
    ['POST /saved_snippets', { title: ' ', content: 'y' }, 400, bad],
    ['POST /user_groups/21/members', { add: [13] }, 200],
    ['POST /user_groups/5/members', { add: [13] }, 400, bad],
    ['PATCH /navigation_views/inbox', { name: 'x' }, 400, bad],
    ['PATCH /navigation_views/narrow%2Fis%2Fstarred', { is_pinned: true }, 200],
    ['PATCH /navigation_views/gone', { is_pinned: true }, 404, { code: 'NOT_FOUND' }],
    [
      'POST /realm/playgrounds',
      { name: 'x', syntax_language: 'C', url_template: 'https://x/{code}' },
      400,
      missing('pygments_language'),
    ],
    ['POST /realm/filters', { pattern: '#(?P<id>[0-9]+)', url_template: 'https://x/{id}' }, 200],
    ['POST /realm/filters', { pattern: '(', url_template: 'https://x/' }, 400, bad],
    ['POST /users/me/push_device_token', { token: 'abc', appid: 'x' }, 200],
    ['POST /users/me/push_device_token', { token: '', appid: 'x' }, 400, bad],
    ['DELETE /attachments/31', {}, 200],
    ['DELETE /attachments/32', {}, 400, { ...bad, msg: 'Invalid attachment' }],
    // Queues
    ['POST /register', { client_capabilities: {} }, 400, bad],
    [
      'GET /events',
      { queue_id: 'gone', last_event_id: -1 },
      400,
      { code: 'BAD_EVENT_QUEUE_ID', queue_id: 'gone' },
    ],
    ['GET /events', { queue_id: 'gone' }, 400, missing('last_event_id')],
    ['DELETE /events', { queue_id: 'gone' }, 400, { code: 'BAD_EVENT_QUEUE_ID' }],
  ]

  test.each(rows)('answers %s %j with %i', async (call, fields, expected, body = {}) => {
    const reply = await createClient().ask(call, fields)
    expect([reply.status, reply.body]).toEqual([expected, expect.objectContaining(body)])
  })

  test('gives answers that fit the catalogue', async () => {
    const { ask } = createClient()
    const readable = Object.values(chatOperations).filter(
      ({ method, path }) => method === 'GET' && !path.includes('{') && path !== '/api/v1/events',
    )
    const misfits = await Promise.all(
      readable.map(async ({ path, reply }) => {
        const { body } = await ask(`GET ${path.replace('/api/v1', '')}`, window)
        return safeParse(reply, body).issues?.map(({ message }) => `${path}: ${message}`) ?? []
      }),
    )
    expect(readable.length).toBeGreaterThan(5)
    expect(misfits.flat()).toEqual([])
  })
})

describe('the door', () => {
  const doors: [string, string, Ask, number, Fields | null][] = [
    ['no key', 'GET /users/me', { authorization: null }, 401, { code: 'UNAUTHORIZED' }],
    [
      'a wrong key',
      'GET /users/me',
      { authorization: credentials('dana@belfry.example', 'x') },
      401,
      { code: 'UNAUTHORIZED' },
    ],
    [
      'a broken header',
      'GET /users/me',
      { authorization: 'Basic eHg=' },
      401,
      { code: 'UNAUTHORIZED' },
    ],
    [
      'another scheme',
      'GET /users/me',
      { authorization: 'Bearer x' },
      400,
      { code: 'BAD_REQUEST' },
    ],
    [
      'a body of JSON',
      'POST /messages',
      { headers: { 'content-type': 'application/json' }, raw: JSON.stringify(send) },
      400,
      missing('type'),
    ],
    ['another method', 'DELETE /messages', {}, 405, { allowed_methods: ['GET', 'POST'] }],
    ['another path', 'GET /weather', {}, 404, null],
    ['an id that is no number', 'GET /messages/x', {}, 404, null],
  ]
  test.each(doors)('meets %s', async (_case, call, how, expected, body) => {
    const reply = await createClient().ask(call, {}, how)
    expect(reply.status).toBe(expected)
    if (body) expect(reply.body).toMatchObject(body)
    else expect(reply.text).toContain('<html')
  })

  test('says with each refused key how to sign in', async () => {
    const reply = await createClient().ask('GET /users/me', {}, { authorization: null })
    expect(reply.headers['www-authenticate']).toBe('Basic realm="zulip"')
  })

  test('leaves the code out for a wrong method', async () => {
    const { body } = await createClient().ask('DELETE /messages')
    expect(body).toHaveProperty('result', 'error')
    expect(body).not.toHaveProperty('code')
  })

  test('opens to the real address in any case, not to the one that the API shows', async () => {
    const { ask, realm } = createClient()
    const withEmail = async (email: string) =>
      (await ask('GET /users/me', {}, { authorization: credentials(email, realm.user.key) })).status
    expect(await withEmail('DANA@belfry.example')).toBe(200)
    expect(await withEmail('user11@chat.demo.example')).toBe(401)
  })

  test('shows a browser to the login page', async () => {
    const how = { authorization: null, headers: { accept: 'text/html' } }
    const reply = await createClient().ask('GET /users/me', {}, how)
    expect([reply.status, reply.headers['location']]).toEqual([302, '/login/?next=/api/v1'])
  })

  test('is open for the probe', async () => {
    const { body } = await createClient().ask('GET /server_settings', {}, { authorization: null })
    expect(body).toMatchObject({
      realm_name: 'Belfry Demo',
      realm_url: 'https://chat.demo.example',
    })
  })

  test('may stand behind a path', async () => {
    const { ask } = createClient({ baseUrl: 'http://127.0.0.1:8080/chat/' })
    expect((await ask('GET /nothing')).status).toBe(404)
    const reply = await createClient({ baseUrl: 'http://127.0.0.1:8080/chat' }).ask('GET /users/me')
    expect(reply.status).toBe(200)
  })

  test('counts requests and asks for a fraction of a second', async () => {
    const { ask, clock } = createClient({ rateLimit: 2 })
    const first = await ask('GET /users/me')
    expect(first.headers).toMatchObject({
      'x-ratelimit-limit': '2',
      'x-ratelimit-remaining': '1',
      'x-ratelimit-reset': String(start / 1000 + 60),
    })
    await ask('GET /users/me')
    clock.advance(10_000)
    const third = await ask('GET /users/me')
    expect(third.status).toBe(429)
    expect(third.headers['retry-after']).toBe('50.0068')
    expect(third.body).toMatchObject({ code: 'RATE_LIMIT_HIT', 'retry-after': 50.0068 })
    clock.advance(50_000)
    expect((await ask('GET /users/me')).status).toBe(200)
  })

  test('fails as it is told, for all or for one operation', async () => {
    const { ask, controls } = createClient()
    controls.refuse(502)
    expect(await ask('GET /users/me')).toMatchObject({ status: 502, body: {} })
    controls.refuse(500, 'sendMessage')
    expect((await ask('GET /users/me')).status).toBe(200)
    expect((await ask('POST /messages', send)).body).not.toHaveProperty('code')
    controls.refuse(null)
    expect((await ask('POST /messages', send)).status).toBe(200)
  })

  test('forgets a key', async () => {
    const { ask, controls } = createClient()
    controls.revokeKey()
    expect((await ask('GET /users/me')).body).toMatchObject({ code: 'UNAUTHORIZED' })
  })

  test('gives files to those with a key, and the icon to everybody', async () => {
    const { askPath } = createClient()
    const anonymous = { authorization: null }
    const graph = 'GET /user_uploads/2/a1/latency.png'
    expect((await askPath(graph)).text).toContain('PNG')
    expect((await askPath(graph, {}, anonymous)).status).toBe(401)
    const icon = await askPath('GET /user_avatars/2/realm/icon.png', {}, anonymous)
    expect(icon.text).toContain('PNG')
  })
})
