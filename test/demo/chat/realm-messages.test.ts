import { describe, expect, test } from 'vitest'
import { readMessage } from '../../../src/shared/api/chat/read-message.ts'
import { createClient, type Fields, type TestClient } from '../../support/realm-client.ts'

async function ids({ ask }: TestClient, fields: Fields): Promise<number[]> {
  const { body } = await ask('GET /messages', { num_before: 0, num_after: 5_000, ...fields })
  return body.messages.map(({ id }) => id)
}

describe('fetching messages', () => {
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
    ['messages that mention me', [{ operator: 'is', operand: 'mentioned' }], 2],
    [
      'unread messages that are not direct',
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

  test('returns history with every construct that our reader understands', async () => {
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
