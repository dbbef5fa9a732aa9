import { describe, expect, test } from 'vitest'
import { readMessage } from '../../src/shared/api/read-message.ts'
import { createClient, type Fields, type TestClient } from '../support/realm-client.ts'

const send = { type: 'stream', to: 1, topic: 'db-primary', read_by_sender: true }

async function sent({ ask }: TestClient, fields: Fields) {
  const { body } = await ask('POST /messages', { ...send, ...fields })
  const reply = await ask(`GET /messages/${body.id}`)
  return reply.body.message
}

describe('a message that was sent', () => {
  test('is rendered, trimmed and read by its sender only if that was said', async () => {
    const client = createClient()
    const message = await sent(client, { content: '\n**hello** <b> \n' })
    expect(message).toMatchObject({
      content: '<p><strong>hello</strong> &lt;b&gt;</p>',
      client: 'Belfry',
      flags: ['read'],
      sender_id: 11,
    })
    const loud = await client.ask('POST /messages', { type: 'direct', to: [12], content: 'x' })
    const fetched = await client.ask(`GET /messages/${loud.body.id}`, { apply_markdown: false })
    expect(fetched.body.message).toMatchObject({ content: 'x', flags: [] })
  })

  test('is cut silently when it is too long, by code points', async () => {
    const client = createClient()
    const message = await sent(client, { content: '🔔'.repeat(10_001), topic: 'ž'.repeat(61) })
    const { body } = await client.ask(`GET /messages/${message.id}`, { apply_markdown: false })
    expect([...body.message.content]).toHaveLength(10_000)
    expect(body.message.content).toMatch(/\n\[message truncated\]$/)
    expect(body.message.subject).toBe(`${'ž'.repeat(57)}...`)
  })

  test.each(['', '(no topic)', 'general chat'])(
    'into topic %j is in the empty one',
    async (topic) => {
      const client = createClient()
      const message = await sent(client, { content: 'x', topic })
      expect(message.subject).toBe('general chat')
      const { body } = await client.ask(`GET /messages/${message.id}`, {
        allow_empty_topic_name: true,
      })
      expect(body.message.subject).toBe('')
    },
  )

  test('is delivered at its time when it was scheduled', async () => {
    const { ask, realm, clock, controls } = createClient()
    const count = () => controls.messages().length
    const before = count()
    const at = clock.now() / 1000 + 60
    await ask('POST /scheduled_messages', {
      ...send,
      content: 'later',
      scheduled_delivery_timestamp: at,
    })
    realm.tick()
    expect(count()).toBe(before)
    clock.advance(60_000)
    realm.tick()
    expect(controls.messages().at(-1)).toMatchObject({ content: 'later', senderId: 11 })
  })
})

async function ids({ ask }: TestClient, fields: Fields): Promise<number[]> {
  const { body } = await ask('GET /messages', { num_before: 0, num_after: 5_000, ...fields })
  return body.messages.map(({ id }) => id)
}

describe('fetching', () => {
  test('goes from an anchor in either direction', async () => {
    const client = createClient()
    const all = await ids(client, { anchor: 'oldest' })
    const middle = all[9]
    expect(all).toEqual([...all].sort((a, b) => a - b))
    expect(await ids(client, { anchor: middle, num_after: 2 })).toEqual(all.slice(9, 12))
    expect(await ids(client, { anchor: middle, num_after: 2, include_anchor: false })).toEqual(
      all.slice(10, 12),
    )
    expect(await ids(client, { anchor: middle, num_before: 2, num_after: 0 })).toEqual(
      all.slice(7, 10),
    )
    expect(await ids(client, { message_ids: [all[3], all[1], 1] })).toEqual([all[1], all[3]])
  })

  test('says where the end is', async () => {
    const { ask } = createClient()
    const page = (fields: Fields) =>
      ask('GET /messages', { num_before: 0, num_after: 0, ...fields })
    expect((await page({ anchor: 'oldest', num_after: 2 })).body).toMatchObject({
      found_oldest: true,
      found_newest: false,
    })
    expect((await page({ anchor: 'newest', num_before: 2 })).body).toMatchObject({
      found_oldest: false,
      found_newest: true,
      found_anchor: false,
    })
  })

  const narrows: [string, unknown[], number][] = [
    ['a channel by id', [{ operator: 'channel', operand: 3 }], 3],
    ['a channel by name, as a pair', [['stream', 'deploys']], 3],
    [
      'a topic, without case',
      [
        { operator: 'channel', operand: 1 },
        { operator: 'topic', operand: 'DB-Primary' },
      ],
      9,
    ],
    [
      'the empty topic by its name',
      [
        { operator: 'channel', operand: 2 },
        { operator: 'topic', operand: 'general chat' },
      ],
      2,
    ],
    ['a direct conversation', [{ operator: 'dm', operand: [12] }], 1],
    ['a group', [{ operator: 'dm', operand: [12, 13] }], 3],
    ['people, by address', [{ operator: 'dm-including', operand: 'boris@belfry.example' }], 5],
    ['what mentions me', [{ operator: 'is', operand: 'mentioned' }], 2],
    [
      'what is unread and not direct',
      [
        { operator: 'is', operand: 'unread' },
        { operator: 'is', operand: 'dm', negated: true },
      ],
      5,
    ],
    ['stars', [{ operator: 'is', operand: 'starred' }], 1],
    [
      'followed topics by sender',
      [
        { operator: 'is', operand: 'followed' },
        { operator: 'sender', operand: 11 },
      ],
      1,
    ],
    ['a word', [{ operator: 'search', operand: 'replica' }], 1],
    ['pictures', [{ operator: 'has', operand: 'image' }], 3],
  ]
  test.each(narrows)('is narrowed to %s', async (_case, narrow, count) => {
    expect(await ids(createClient(), { anchor: 'oldest', narrow })).toHaveLength(count)
  })

  test('gives history of every construct that our reader understands', async () => {
    const { ask } = createClient()
    const { body } = await ask('GET /messages', { anchor: 'oldest', num_before: 0, num_after: 100 })
    const context = { me: 11, toText: (html: string) => html }
    const unread = body.messages.filter((wire) => readMessage(wire, context) === null)
    expect(unread).toEqual([])
    const html = body.messages.map(({ content }) => content).join()
    for (const mark of [
      'user-mention',
      'user-group-mention',
      'topic-mention',
      'class="emoji emoji-',
      '<img alt=":belfry:" class="emoji"',
      'codehilite',
      'katex-mathml',
      'spoiler-block',
      '<table>',
      '<time datetime=',
      'timestamp-error',
      'message_inline_image"',
      'message_inline_video',
      'message_embed',
      '<blockquote>',
      '<ol>',
      '<h3>',
      'class="stream-topic"',
      '<p>/me ',
    ]) {
      expect(html).toContain(mark)
    }
  })
})

describe('marking as read', () => {
  const everything = { anchor: 'oldest', num_before: 0, op: 'add', flag: 'read' }

  test('by narrow tells how far it came', async () => {
    const client = createClient()
    const narrow = [{ operator: 'is', operand: 'unread' }]
    const unread = await ids(client, { anchor: 'oldest', narrow })
    const { body } = await client.ask('POST /messages/flags/narrow', {
      ...everything,
      num_after: 2,
      narrow,
    })
    expect(body).toMatchObject({
      processed_count: 2,
      updated_count: 2,
      first_processed_id: unread[0],
      last_processed_id: unread[1],
      found_newest: false,
    })
    const rest = await client.ask('POST /messages/flags/narrow', {
      ...everything,
      num_after: 9_000,
      narrow,
    })
    expect(rest.body).toMatchObject({ processed_count: unread.length - 2, found_newest: true })
    expect(await ids(client, { anchor: 'oldest', narrow })).toEqual([])
  })

  test('of nothing has no ids', async () => {
    const { ask } = createClient()
    const narrow = [{ operator: 'search', operand: 'xyzzy' }]
    const { body } = await ask('POST /messages/flags/narrow', {
      ...everything,
      num_after: 9,
      narrow,
    })
    expect(body).toMatchObject({ first_processed_id: null, last_processed_id: null })
  })
})

describe('a reaction', () => {
  const thumbs = { emoji_name: 'thumbs_up' }

  test('can be added once and removed once', async () => {
    const { ask, controls } = createClient()
    const path = `/messages/${controls.messages()[0]!.id}/reactions`
    expect((await ask(`POST ${path}`, thumbs)).status).toBe(200)
    expect((await ask(`POST ${path}`, thumbs)).body.code).toBe('REACTION_ALREADY_EXISTS')
    expect((await ask(`DELETE ${path}`, thumbs)).status).toBe(200)
    expect((await ask(`DELETE ${path}`, thumbs)).body.code).toBe('REACTION_DOES_NOT_EXIST')
  })

  test('of another kind than Unicode is found only by naming it', async () => {
    const { ask, controls } = createClient()
    const path = `/messages/${controls.messages()[0]!.id}/reactions`
    await ask(`POST ${path}`, { emoji_name: 'belfry' })
    const custom = { emoji_name: 'belfry', emoji_code: '1' }
    expect((await ask(`DELETE ${path}`, custom)).body.code).toBe('REACTION_DOES_NOT_EXIST')
    const named = { ...custom, reaction_type: 'realm_emoji' }
    expect((await ask(`DELETE ${path}`, named)).status).toBe(200)
  })

  test('takes the name that somebody else used before', async () => {
    const { ask, controls } = createClient()
    const { id } = controls.messages()[0]!
    controls.react({ from: 'Boris', messageId: id, name: '+1' })
    await ask(`POST /messages/${id}/reactions`, { ...thumbs, emoji_code: '1f44d' })
    expect(controls.messages()[0]!.reactions.at(-1)).toMatchObject({
      emoji_name: '+1',
      user_id: 11,
    })
  })

  test.each([
    ['an unknown emoji', { emoji_name: 'dragon' }],
    ['a code of another', { emoji_name: 'tada', emoji_code: '1f44d' }],
  ])('with %s is refused', async (_case, fields) => {
    const { ask, controls } = createClient()
    const { id } = controls.messages()[1]!
    expect((await ask(`POST /messages/${id}/reactions`, fields)).body.code).toBe('BAD_REQUEST')
  })
})
