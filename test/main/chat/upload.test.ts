import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sendFile } from '../../../src/main/chat/upload-file.ts'
import { createClient } from '../../../src/main/http/client.ts'
import { createHttpTransport } from '../../../src/main/http/http-transport.ts'
import { failureOf } from '../../support/failures.ts'
import { serve, type TestServer } from '../../support/test-server.ts'
import { serveWorld, type WorldServer } from '../../support/world-server.ts'

const mebibyte = 1024 * 1024

let folder: string
let server: WorldServer
let other: TestServer | null

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'belfry-upload-'))
  server = await serveWorld({ now: Date.now, seed: 1, lively: false })
  other = null
})

afterEach(async () => {
  await Promise.all([server.close(), other?.close(), rm(folder, { recursive: true })])
})

async function file(name: string, size: number) {
  const path = join(folder, 'local')
  // No two parts are alike, so that a lost or repeated one shows.
  const content = Buffer.alloc(size, Buffer.from(Array.from({ length: 251 }, (_none, at) => at)))
  await writeFile(path, content)
  return { path, name, size, content }
}

function client(baseUrl = server.urls.chat) {
  const { email, key } = server.world.realm.user
  return createClient({
    account: { kind: 'chat', baseUrl, email },
    key,
    transport: createHttpTransport(),
    clock: { now: Date.now, monotonic: () => performance.now(), random: () => 0.5 },
    userAgent: 'Belfry/0.0.0',
  })
}

function send(
  given: Awaited<ReturnType<typeof file>>,
  change: Partial<Parameters<typeof sendFile>[0]> = {},
) {
  const sent: number[] = []
  const done = sendFile({
    client: client(),
    file: given,
    onProgress: (bytes) => sent.push(bytes),
    signal: new AbortController().signal,
    retryDelays: [0, 0, 0],
    ...change,
  })
  return { done, sent }
}

/** What the server has at an address, as its own client would get it. */
async function stored(url: string): Promise<Buffer> {
  const reply = await client().send(
    { method: 'GET', url, headers: {}, body: null, deadlineMs: 5_000 },
    new AbortController().signal,
  )
  expect(reply.status).toBe(200)
  return Buffer.from(reply.body)
}

const requests = () => server.log.map(({ method, path, status }) => `${method} ${path} ${status}`)

describe('a file sent in one piece', () => {
  test('arrives byte for byte under its name, and reports its progress', async () => {
    const given = await file('ölçüm "a".log', 200_000)
    const { done, sent } = send(given)
    const { url, filename } = await done
    expect(filename).toBe('ölçüm "a".log')
    expect(url).toMatch(/^\/user_uploads\/2\/\w+\/ölçüm-a\.log$/)
    expect(given.content.equals(await stored(encodeURI(url)))).toBe(true)
    expect(sent.length).toBeGreaterThan(2)
    expect(sent).toEqual(sent.toSorted((a, b) => a - b))
    expect(sent.at(-1)).toBe(200_000)
  })

  test('larger than the server accepts is not even started', async () => {
    const { done } = send(await file('big.bin', 2 * mebibyte), { maxMib: 1 })
    expect(await failureOf(done)).toEqual({
      kind: 'invalid',
      field: 'file',
      message: 'This file is larger than the 1 MiB that this server accepts.',
    })
    expect(server.log).toEqual([])
  })

  test('that has disappeared meanwhile is reported', async () => {
    const given = { ...(await file('a', 1)), path: join(folder, 'gone') }
    expect(await failureOf(send(given).done)).toMatchObject({ kind: 'invalid', field: 'file' })
    expect(await failureOf(send(given, { how: 'tus' }).done)).toMatchObject({ kind: 'invalid' })
  })

  test('never follows a redirect', async () => {
    other = await serve((_request, response) => response.end('{}'))
    const away = other.url
    const door = await serve((_request, response) => {
      response.writeHead(307, { location: `${away}/steal` }).end()
    })
    const { done } = send(await file('a.txt', 10), { client: client(door.url) })
    expect(await failureOf(done)).toEqual({ kind: 'malformed', what: 'redirect', where: away })
    expect(door.requests).toEqual(['POST /api/v1/user_uploads'])
    expect(other.requests).toEqual([])
    await door.close()
  })

  test.each([
    ['is sent again when the server asks for that, if it is soon', '1', 2],
    ['is reported if the server wants it much later', '60', 1],
  ])('that came too soon after others %s', async (_what, seconds, times) => {
    let sends = 0
    const ready = client()
    const given = await file('a.txt', 10)
    const { done } = send(given, {
      client: {
        ...ready,
        async send(request, signal) {
          sends += 1
          if (sends > 1) return ready.send(request, signal)
          return { status: 429, headers: { 'retry-after': seconds }, body: Buffer.from('{}') }
        },
      },
    })
    const end = await done.catch((error: unknown) => failureOf(Promise.reject(error)))
    expect(sends).toBe(times)
    expect(end).toMatchObject(times === 1 ? { kind: 'rateLimited' } : { filename: 'a.txt' })
  })

  test('too large for a proxy is reported as such, even if the reply is a page', async () => {
    other = await serve((request, response) => {
      request.resume()
      request.on('end', () => response.writeHead(413, { 'content-type': 'text/html' }).end('<p>'))
    })
    const { done } = send(await file('a.txt', 10), { client: client(other.url) })
    expect(await failureOf(done)).toMatchObject({ kind: 'invalid', field: 'file' })
  })
})

describe('a file sent in parts', () => {
  const size = 7 * mebibyte + 7

  test('arrives byte for byte, in as many parts as it needs', async () => {
    const given = await file('dump.zip', size)
    const { done, sent } = send(given, { how: 'tus' })
    const { url, filename } = await done
    expect(filename).toBe('dump.zip')
    expect(given.content.equals(await stored(url))).toBe(true)
    expect(requests().slice(0, 3)).toEqual([
      'POST /api/v1/tus/ 201',
      'PATCH /api/v1/tus/t1 204',
      'PATCH /api/v1/tus/t1 200',
    ])
    expect(sent.at(-1)).toBe(size)
  })

  test('resumes where it broke off', async () => {
    const given = await file('dump.zip', size)
    let breaks = 1
    const unbroken = client()
    const { done } = send(given, {
      how: 'tus',
      client: {
        ...unbroken,
        send: async (request, signal) => {
          const second = request.method === 'PATCH' && request.headers['upload-offset'] !== '0'
          if (!second || breaks === 0) return unbroken.send(request, signal)
          breaks -= 1
          await server.away('chat', true)
          const outcome = unbroken.send(request, signal)
          await outcome.catch(() => undefined)
          await server.away('chat', false)
          return outcome
        },
      },
    })
    const { url } = await done
    expect(given.content.equals(await stored(url))).toBe(true)
    expect(requests().filter((line) => line.startsWith('HEAD'))).toEqual([
      'HEAD /api/v1/tus/t1 200',
    ])
    expect(requests().filter((line) => line.startsWith('POST'))).toHaveLength(1)
    expect(breaks).toBe(0)
  })

  test('can be cancelled, and is then removed from the server', async () => {
    const stop = new AbortController()
    const { done } = send(await file('dump.zip', size), {
      how: 'tus',
      signal: stop.signal,
      onProgress: () => stop.abort(),
    })
    await expect(done).rejects.toMatchObject({ name: 'AbortError' })
    await expect.poll(requests).toContain('DELETE /api/v1/tus/t1 204')
    expect(requests().filter((line) => line.endsWith('200'))).toEqual([])
  })

  test.each([404, 502])(
    'is reported as unsupported if nothing answers at the address (%i)',
    async (status) => {
      const door = await serve((_request, response) => {
        response.writeHead(status, { 'content-type': 'text/html' }).end('<html>nginx</html>')
      })
      const { done } = send(await file('a.zip', 10), { how: 'tus', client: client(door.url) })
      expect(JSON.stringify(await failureOf(done))).toContain(
        'This server can’t take files of 25 MB or more',
      )
      await door.close()
    },
  )

  test.each([
    ['a redirect of the first request', { 'POST /api/v1/tus/': 'redirect' }],
    ['an upload address at another server', { 'POST /api/v1/tus/': 'created elsewhere' }],
  ])('does not follow %s', async (_what, plan: Readonly<Record<string, string>>) => {
    other = await serve((_request, response) => response.end('{}'))
    const away = other.url
    const door = await serve((request, response) => {
      const what = plan[`${request.method} ${request.url}`]
      response.writeHead(what === 'redirect' ? 307 : 201, { location: `${away}/x` }).end()
    })
    const { done } = send(await file('a.zip', 10), { how: 'tus', client: client(door.url) })
    expect(await failureOf(done)).toEqual({ kind: 'malformed', what: 'redirect', where: away })
    expect(door.requests).toEqual(['POST /api/v1/tus/'])
    expect(other.requests).toEqual([])
    await door.close()
  })

  test.each([
    [
      413,
      '{"message":"File is too big"}',
      { kind: 'refused', code: 'TOO_LARGE', message: 'File is too big' },
    ],
    [
      401,
      '{"message":"Unauthenticated upload"}',
      { kind: 'refused', code: 'UNAUTHORIZED', message: 'Unauthenticated upload' },
    ],
    [401, '<html>Log in</html>', { kind: 'malformed', what: 'unauthorized' }],
    [400, 'ERR_X: no\n', { kind: 'refused', code: 'BAD_REQUEST', message: 'ERR_X: no' }],
  ])('fails with the meaning of a %i', async (status, body, expected) => {
    other = await serve((_request, response) => response.writeHead(status).end(body))
    const { done } = send(await file('a.zip', 10), { how: 'tus', client: client(other.url) })
    expect(await failureOf(done)).toMatchObject(expected)
    expect(other.requests).toHaveLength(1)
  })

  test('is the default for large files', async () => {
    const { done } = send(await file('large.bin', 25_000_000))
    await done
    expect(requests()[0]).toBe('POST /api/v1/tus/ 201')
  })
})
