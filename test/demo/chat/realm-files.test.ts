import { describe, expect, test } from 'vitest'
import { PretendRealm, type RealmOptions } from '../../../src/demo/chat/pretend-realm.ts'
import { createClient, credentials, type Fields, start } from '../../support/realm-client.ts'

const bad = { result: 'error', code: 'BAD_REQUEST' }
const sooner = start / 1_000 - 1
const later = start / 1_000 + 60
const draft = { type: 'stream', to: [1], topic: 'x', content: 'later' }

type Row = [call: string, fields: Fields, expected: number, body?: Fields]

describe('the pretend realm', () => {
  const rows: Row[] = [
    ['GET /drafts', {}, 200, { count: 1, drafts: [expect.objectContaining({ id: 1 })] }],
    ['POST /drafts', { drafts: [draft, draft] }, 200, { ids: [101, 102] }],
    ['POST /drafts', { drafts: [{ ...draft, id: 4 }] }, 400, bad],
    ['POST /drafts', { drafts: [{ ...draft, to: [] }] }, 400, bad],
    ['POST /drafts', { drafts: [{ ...draft, to: [99] }] }, 400, bad],
    ['POST /drafts', { drafts: [{ ...draft, content: ' ' }] }, 400, bad],
    ['POST /drafts', {}, 400, { code: 'REQUEST_VARIABLE_MISSING', var_name: 'drafts' }],
    ['PATCH /drafts/1', { draft: { ...draft, type: 'letter' } }, 400, bad],
    ['PATCH /drafts/77', { draft }, 404, bad],
    ['DELETE /drafts/1', {}, 200],
    ['DELETE /drafts/77', {}, 404, bad],
    ['GET /saved_snippets', {}, 200, { saved_snippets: [] }],
    ['PATCH /saved_snippets/5', { title: 'x' }, 404, bad],
    ['DELETE /saved_snippets/5', {}, 404, bad],
    ['GET /scheduled_messages', {}, 200, { scheduled_messages: [] }],
    ['PATCH /scheduled_messages/5', { content: 'x' }, 404, bad],
    ['PATCH /scheduled_messages/5', {}, 400, bad],
    ['PATCH /scheduled_messages/5', { type: 'direct' }, 400, bad],
    ['DELETE /scheduled_messages/5', {}, 404, bad],
    ['GET /streams', {}, 200, { streams: expect.any(Array) }],
    ['GET /user_groups', {}, 200],
    ['GET /navigation_views', {}, 200],
    ['POST /navigation_views', { fragment: 'narrow/is/dm', is_pinned: true, name: 'DMs' }, 200],
    ['POST /navigation_views', { fragment: 'inbox', is_pinned: true, name: 'x' }, 400, bad],
    ['POST /navigation_views', { fragment: 'narrow/is/dm', is_pinned: true }, 400, bad],
    ['PATCH /navigation_views/narrow%2Fchannel%2F1-ops', { name: 'Ops' }, 200],
    ['PATCH /navigation_views/narrow/channel/1-ops', { name: 'Ops' }, 200],
    ['PATCH /navigation_views/no/such', { name: 'x' }, 404, { code: 'NOT_FOUND' }],
    ['DELETE /navigation_views/no/such', {}, 404, bad],
    ['GET /users/12/status', {}, 200, { status: {} }],
    ['GET /users/99/status', {}, 400, bad],
    ['POST /users/me/status', { status_text: 'away' }, 200],
    ['POST /users/me/status', {}, 400, bad],
    ['POST /users/me/status', { status_text: 'x'.repeat(61) }, 400, bad],
    ['POST /users/me/presence', { status: 'idle', ping_only: true }, 200],
    ['POST /users/me/presence', { status: 'idle' }, 200, { server_timestamp: start / 1_000 }],
    ['POST /users/me/presence', { status: 'asleep' }, 400, bad],
    ['POST /users/me/muted_users/12', {}, 200],
    ['POST /users/me/muted_users/11', {}, 400, bad],
    ['DELETE /users/me/muted_users/12', {}, 400, bad],
    ['POST /mark_stream_as_read', { stream_id: 1 }, 200],
    ['POST /mark_stream_as_read', { stream_id: 99 }, 400, bad],
    ['POST /mark_topic_as_read', { stream_id: 1, topic_name: 'db-primary' }, 200],
    ['POST /mark_topic_as_read', { stream_id: 1, topic_name: 'nowhere' }, 400, bad],
    ['PATCH /messages/1', { content: 'x' }, 400, bad],
    ['DELETE /messages/1', {}, 400, bad],
    ['GET /attachments', {}, 200, { attachments: [expect.objectContaining({ id: 31 })] }],
    ['GET /user_uploads/2/a1/latency.png', {}, 200],
    ['GET /user_uploads/2/a1/gone.png', {}, 404, bad],
    ['POST /user_uploads', {}, 400, bad],
  ]

  test.each(rows)('answers %s %j with %i', async (call, fields, status, body = {}) => {
    const { ask } = createClient()
    const reply = await ask(call, fields)
    expect([reply.status, reply.body]).toMatchObject([status, body])
  })

  test('refuses all requests about drafts while they are not synchronized', async () => {
    const { ask } = createClient()
    await ask('PATCH /settings', { enable_drafts_synchronization: false })
    const calls: [string, Fields][] = [
      ['GET /drafts', {}],
      ['POST /drafts', { drafts: [] }],
      ['PATCH /drafts/1', { draft }],
      ['DELETE /drafts/1', {}],
    ]
    for (const [call, fields] of calls) expect((await ask(call, fields)).status).toBe(400)
  })

  test('changes and deletes own messages, and moves those of others', async () => {
    const { ask, controls } = createClient()
    const own = await ask('POST /messages', {
      type: 'stream',
      to: 1,
      topic: 'mine',
      content: 'one',
    })
    const path = `/messages/${own.body.id}`
    const theirs = controls.say({ from: 'Ana', to: 'ops > mine', text: 'two' })
    expect((await ask(`PATCH ${path}`, { content: 'uno' })).status).toBe(200)
    const stale = { content: 'x', prev_content_sha256: 'stale' }
    expect((await ask(`PATCH ${path}`, stale)).body.code).toBe('EXPECTATION_MISMATCH')
    expect((await ask(`PATCH /messages/${theirs}`, { content: 'x' })).status).toBe(400)
    const move = { topic: 'ours', propagate_mode: 'change_all' }
    expect((await ask(`PATCH /messages/${theirs}`, move)).status).toBe(200)
    const { body } = await ask(`GET ${path}`, { apply_markdown: false })
    expect(body.message).toMatchObject({ content: 'uno', subject: 'ours' })
    expect((await ask(`DELETE ${path}`)).status).toBe(200)
    expect((await ask(`GET ${path}`)).status).toBe(400)
  })

  test('sends a scheduled message as last changed, and not if it was deleted', async () => {
    const { ask, clock, realm, controls } = createClient()
    const schedule = async (content: string) => {
      const fields = { type: 'stream', to: 1, topic: 'later', content }
      const reply = await ask('POST /scheduled_messages', {
        ...fields,
        scheduled_delivery_timestamp: later,
      })
      return `/scheduled_messages/${String(reply.body['scheduled_message_id'])}`
    }
    const [kept, gone] = [await schedule('first'), await schedule('never')]
    const past = { scheduled_delivery_timestamp: sooner }
    expect((await ask(`PATCH ${kept}`, past)).status).toBe(400)
    await ask(`PATCH ${kept}`, { content: 'second' })
    await ask(`DELETE ${gone}`)
    clock.advance(61_000)
    realm.tick()
    const sent = controls.messages().filter(({ place }) => {
      return place.kind === 'topic' && place.topic === 'later'
    })
    expect(sent.map(({ content }) => content)).toEqual(['second'])
    expect((await ask('GET /scheduled_messages')).body['scheduled_messages']).toEqual([])
  })

  test('opens a file without a key for a minute', async () => {
    const { ask, askPath, clock } = createClient()
    const { body } = await ask('GET /user_uploads/2/a1/latency.png')
    const address = `GET ${String(body['url'])}`
    const keyless = { authorization: null }
    expect((await askPath(address, {}, keyless)).status).toBe(200)
    expect((await askPath('GET /user_uploads/2/a1/latency.png', {}, keyless)).status).toBe(302)
    clock.advance(60_001)
    expect((await askPath(address, {}, keyless)).status).toBe(400)
  })
})

const base = 'https://chat.demo.example'

function door(options: Partial<RealmOptions> = {}) {
  const realm = new PretendRealm({ baseUrl: base, seed: 1, now: () => start, ...options })
  const { email, key } = realm.user
  const known = { authorization: credentials(email, key) }
  return async (
    call: string,
    headers: Readonly<Record<string, string>>,
    body: string | Uint8Array | null = null,
  ) => {
    const [method = '', path = ''] = call.split(' ')
    const request = {
      method,
      url: `${base}/api/v1${path}`,
      headers: { ...known, ...headers },
      body,
    }
    const reply = await realm.handle(request, new AbortController().signal)
    const text = new TextDecoder().decode(reply.body)
    const isJson = reply.headers['content-type'] === 'application/json'
    const json = isJson ? (JSON.parse(text) as Fields) : {}
    return { status: reply.status, headers: reply.headers, text, json }
  }
}

const form = { 'content-type': 'multipart/form-data; boundary=XX' }
const part = (name: string, content: string) =>
  `--XX\r\nContent-Disposition: form-data; name="f"; filename="${name}"\r\n\r\n${content}\r\n`

describe('an upload in one piece', () => {
  const limits = { uploadLimits: { mib: 0, quotaBytes: 1 } }
  const quota = { uploadLimits: { mib: 1, quotaBytes: 10 } }
  test.each<[string, string, number, Fields, Partial<RealmOptions>]>([
    ['of one file', `${part('a b.txt', 'hi')}--XX--`, 200, { filename: 'a b.txt' }, {}],
    ['of none', '--XX--', 400, bad, {}],
    ['of two', `${part('a', '1')}${part('b', '2')}--XX--`, 400, bad, {}],
    ['that is cut off', part('a', '1'), 400, bad, {}],
    ['that is too large', `${part('a', '12')}--XX--`, 400, bad, limits],
    ['beyond the quota', `${part('a', '12')}--XX--`, 400, { code: 'REALM_UPLOAD_QUOTA' }, quota],
  ])('%s is answered as by a real server', async (_what, body, status, expected, options) => {
    const reply = await door(options)('POST /user_uploads', form, body)
    expect([reply.status, reply.json]).toMatchObject([status, expected])
  })
})

describe('tus', () => {
  const tus = { 'tus-resumable': '1.0.0' }
  const bytes = { ...tus, 'content-type': 'application/offset+octet-stream' }
  const begin = { ...tus, 'upload-length': '4', 'upload-metadata': `filename ${btoa('a.txt')}` }

  test.each<[string, Readonly<Record<string, string>>, number, Fields]>([
    ['POST /tus', begin, 201, {}],
    ['POST /tus/', begin, 201, {}],
    ['POST /tus/', { 'upload-length': '4' }, 412, {}],
    ['POST /tus/', { ...tus, 'upload-defer-length': '1' }, 411, { message: expect.any(String) }],
    ['POST /tus/', { ...tus, 'upload-length': 'x' }, 400, {}],
    ['POST /tus/', { ...begin, 'upload-length': '2000000' }, 413, { message: expect.any(String) }],
    ['POST /tus/', { ...begin, authorization: 'Basic x' }, 401, { message: expect.any(String) }],
    ['GET /tus/', tus, 405, {}],
    ['HEAD /tus/none', tus, 404, {}],
    ['PATCH /tus/none', bytes, 404, {}],
    ['DELETE /tus/none', tus, 404, {}],
    ['OPTIONS /tus/', {}, 204, {}],
  ])('answers %s %j with %i', async (call, headers, status, expected) => {
    const reply = await door({ uploadLimits: { mib: 1, quotaBytes: 2 ** 30 } })(call, headers)
    expect([reply.status, reply.json]).toMatchObject([status, expected])
    expect(reply.headers['tus-resumable']).toBe('1.0.0')
  })

  test('accepts parts in order, and returns the address of the file after the last', async () => {
    const ask = door()
    const created = await ask('POST /tus/', begin)
    const path = created.headers['location']?.replace(`${base}/api/v1`, '') ?? ''
    const send = (offset: string, text: string) =>
      ask(`PATCH ${path}`, { ...bytes, 'upload-offset': offset }, text)
    expect((await send('0', 'ab')).status).toBe(204)
    expect((await send('0', 'ab')).status).toBe(409)
    expect((await send('2', 'cde')).status).toBe(413)
    expect((await ask(`PATCH ${path}`, { ...tus, 'upload-offset': '2' }, 'cd')).status).toBe(400)
    expect((await ask(`HEAD ${path}`, tus)).headers['upload-offset']).toBe('2')
    const last = await send('2', 'cd')
    expect(last.status).toBe(200)
    expect(last.json['url']).toMatch(/\/a\.txt$/)
    expect(last.json['filename']).toBe('a.txt')
    expect((await ask(`DELETE ${path}`, tus)).status).toBe(400)
  })

  test('forgets an aborted upload', async () => {
    const ask = door()
    await ask('POST /tus/', begin)
    expect((await ask('DELETE /tus/t1', tus)).status).toBe(204)
    expect((await ask('HEAD /tus/t1', tus)).status).toBe(404)
  })
})
