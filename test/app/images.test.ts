import { afterEach, describe, expect, test } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import type { Transport } from '../../src/main/base/ports.ts'
import type { HttpReply, HttpRequest } from '../../src/shared/http.ts'
import { type RunningApp, startApp } from '../support/app.ts'
import { failureOf } from '../support/failures.ts'
import { headed } from '../support/picture-headers.ts'

const thumbnail = '/user_uploads/thumbnail/2/a1/latency.png/840x560.webp'

let running: RunningApp | null = null

afterEach(async () => {
  await running?.app.stop()
  running = null
})

/** A connected chat account, and each of its requests outside the API. */
async function connected(
  answer: (request: HttpRequest) => Partial<HttpReply> | null = () => null,
  emojiList: string | null = null,
) {
  const world = createWorld({ now: Date.now, seed: 1, lively: false })
  const asked: HttpRequest[] = []
  const transport: Transport = async (request, signal) => {
    if (new URL(request.url).pathname.startsWith('/api/')) {
      const reply = await world.transport(request, signal)
      if (emojiList === null) return reply
      const body = Buffer.from(reply.body).toString()
      return {
        ...reply,
        body: Buffer.from(body.replaceAll('/static/generated/emoji/emoji_api.json', emojiList)),
      }
    }
    asked.push(request)
    const given = answer(request)
    if (given !== null) return { status: 200, headers: {}, body: new Uint8Array(), ...given }
    return world.transport(request, signal)
  }
  running = await startApp({ world, transport })
  const { app } = running
  const { accountId } = await app.commands.addAccount(world.newAccounts.chat)
  await expect.poll(() => app.state.realms.get(accountId)?.phase).toBe('live')
  asked.length = 0
  const load = (path: string) => app.commands.loadImage({ accountId, path })
  const turn = (images: boolean) => app.commands.setImages({ accountId, images })
  return { app, world, accountId, asked, load, turn, baseUrl: world.newAccounts.chat.baseUrl }
}

describe('the names of emoji', () => {
  test('come from the list that the server names, once, without the key', async () => {
    const { app, accountId, asked, baseUrl } = await connected()
    const names = await app.commands.emojiNames({ accountId })
    expect(names).toContainEqual({ name: 'tada', code: '1f389', type: 'unicode_emoji' })
    expect(await app.commands.emojiNames({ accountId })).toEqual(names)
    expect(asked.map(({ url }) => url)).toEqual([
      `${baseUrl}/static/generated/emoji/emoji_api.json`,
    ])
    expect(asked.some(({ headers }) => 'authorization' in headers)).toBe(false)
  })

  test('come from another host only over https and only if it is public', async () => {
    const list = 'https://static.example/emoji.json'
    const body = Buffer.from('{"code_to_names":{"1f389":["tada"]}}')
    const { app, accountId, asked } = await connected(() => ({ body }), list)
    expect(await app.commands.emojiNames({ accountId })).toHaveLength(1)
    expect(asked).toMatchObject([{ url: list, publicOnly: true }])
    expect(Object.keys(asked[0]?.headers ?? {})).toEqual(['accept', 'user-agent'])
  })

  test.each(['http://static.example/emoji.json', 'file:///etc/passwd', 'ftp://static.example/e'])(
    'are never fetched from %s',
    async (address) => {
      const { app, accountId, asked } = await connected(() => ({}), address)
      expect(await failureOf(app.commands.emojiNames({ accountId }))).toMatchObject({
        kind: 'malformed',
      })
      expect(asked).toEqual([])
    },
  )

  test.each([
    ['a page', { body: Buffer.from('<!doctype html>') }],
    ['something else', { body: Buffer.from('{"code_to_names":{"1f389":"tada"}}') }],
    ['missing', { status: 404, body: Buffer.from('{"code_to_names":{}}') }],
  ])('are asked for again if the list was %s', async (_what, reply) => {
    let broken = true
    const { app, accountId } = await connected(() => (broken ? reply : null))
    expect(await failureOf(app.commands.emojiNames({ accountId }))).toMatchObject({
      kind: 'malformed',
    })
    broken = false
    expect(await app.commands.emojiNames({ accountId })).not.toEqual([])
  })
})

describe('the pictures of a chat account', () => {
  test('aren’t fetched until the user turns them on', async () => {
    const { app, asked, load } = await connected()
    expect(app.state.accounts[0]).toMatchObject({ kind: 'chat', images: false })
    expect(await failureOf(load(thumbnail))).toMatchObject({ kind: 'invalid', field: 'account' })
    expect(asked).toEqual([])
  })

  test('come from the realm as data, with its key if it wants one', async () => {
    const { asked, load, turn, baseUrl } = await connected()
    await turn(true)
    expect(await load(thumbnail)).toMatch(/^data:image\/png;base64,iVBOR/)
    expect(await load('/user_avatars/1/emoji/images/1.png')).toMatch(/^data:image\/png;/)
    expect(asked.map(({ url }) => url)).toEqual([
      `${baseUrl}${thumbnail}`,
      `${baseUrl}/user_avatars/1/emoji/images/1.png`,
    ])
    expect(asked.map(({ headers }) => 'authorization' in headers)).toEqual([true, false])
    expect(asked.every(({ maxBytes }) => maxBytes === 8 * 1024 * 1024)).toBe(true)
  })

  test('are never fetched from anywhere else', async () => {
    const { asked, load, turn } = await connected()
    await turn(true)
    for (const path of [
      'https://hostile.example/user_uploads/1/a.png',
      '//hostile.example/user_uploads/1/a.png',
      '/api/v1/users/me',
      '/user_uploads/../api/v1/users/me',
    ])
      expect(await failureOf(load(path)), path).toMatchObject({ kind: 'invalid', field: 'path' })
    expect(asked).toEqual([])
  })

  test.each([
    ['an SVG', { body: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>') }],
    ['a page', { body: Buffer.from('<!doctype html>'), headers: { 'content-type': 'image/png' } }],
    ['nothing', {}],
    ['a redirect', { status: 302, headers: { location: 'https://hostile.example/a.png' } }],
    ['a refusal', { status: 403, body: Buffer.from('\x89PNG\r\n\x1a\n', 'latin1') }],
  ])('that turn out to be %s are refused', async (_what, reply) => {
    const { asked, load, turn } = await connected(() => reply)
    await turn(true)
    expect(await load(thumbnail)).toBeNull()
    expect(asked).toHaveLength(1)
  })

  test.each(headed(100, 80))(
    'of type $type are recognised by their bytes',
    async ({ type, body }) => {
      const headers = { 'content-type': 'text/html' }
      const { load, turn } = await connected(() => ({ body, headers }))
      await turn(true)
      expect(await load(thumbnail)).toBe(`data:image/${type};base64,${body.toString('base64')}`)
    },
  )

  test.each(headed(20_000, 20_000))(
    'of type $type that would be 1.6 GB once decoded are refused',
    async ({ body }) => {
      const { asked, load, turn } = await connected(() => ({ body }))
      await turn(true)
      expect(await load(thumbnail)).toBeNull()
      expect(asked).toHaveLength(1)
    },
  )

  test('stay on after a restart, and off for an account of an older version', async () => {
    const { turn } = await connected()
    await turn(true)
    running = (await running?.restart()) ?? null
    expect(running?.app.state.accounts[0]).toMatchObject({ images: true })
    await running?.app.stop()
    const saved = running?.disk.read('accounts')
    if (!Array.isArray(saved)) throw new Error('no accounts were saved')
    await running?.disk.write(
      'accounts',
      saved.map((account: object) => ({ ...account, images: undefined })),
    )
    running = (await running?.restart()) ?? null
    expect(running?.app.state.accounts[0]).toMatchObject({ kind: 'chat', images: false })
  })
})
