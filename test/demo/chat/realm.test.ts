import { safeParse } from 'valibot'
import { describe, expect, test } from 'vitest'
import { chatOperations } from '../../../src/shared/api/chat/chat-operations.ts'
import { createClient } from '../../support/realm-client.ts'

const send = { type: 'stream', to: 1, topic: 'db-primary', content: 'hello' }
const window = { anchor: 'newest', num_before: 3, num_after: 0 }

describe('the pretend realm', () => {
  test('gives replies that fit the catalogue', async () => {
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

describe('the API of the pretend realm', () => {
  test('may be below a path', async () => {
    const { ask } = createClient({ baseUrl: 'http://127.0.0.1:8080/chat/' })
    expect((await ask('GET /nothing')).status).toBe(404)
    const reply = await createClient({ baseUrl: 'http://127.0.0.1:8080/chat' }).ask('GET /users/me')
    expect(reply.status).toBe(200)
  })

  test('fails on command, for all operations or for one', async () => {
    const { ask, controls } = createClient()
    controls.refuse(502)
    expect(await ask('GET /users/me')).toMatchObject({ status: 502, body: {} })
    controls.refuse(500, 'sendMessage')
    expect((await ask('GET /users/me')).status).toBe(200)
    expect((await ask('POST /messages', send)).body).not.toHaveProperty('code')
    controls.refuse(null)
    expect((await ask('POST /messages', send)).status).toBe(200)
  })
})
