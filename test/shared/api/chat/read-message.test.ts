import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readMessage } from '../../../../src/shared/api/chat/read-message.ts'

const context = { me: 11, toText: (html: string) => html.replace(/<[^>]*>/g, '') }

function wireMessage(change: Record<string, unknown> = {}) {
  return {
    id: 4200,
    type: 'stream',
    stream_id: 1,
    display_recipient: 'ops',
    subject: 'db-primary',
    content: '<p>Hello</p>',
    sender_id: 12,
    sender_full_name: 'Ana Kovač',
    timestamp: 1_773_757_500,
    is_me_message: false,
    flags: ['read'],
    reactions: [],
    ...change,
  }
}

const people = (...ids: number[]) => ids.map((id) => ({ id, email: `user${id}@x`, full_name: 'x' }))
const direct = (...ids: number[]) =>
  wireMessage({
    type: 'private',
    stream_id: undefined,
    subject: '',
    display_recipient: people(...ids),
  })

describe('a channel message', () => {
  test('is read with its conversation, its time in ms, its HTML and its text', () => {
    expect(readMessage(wireMessage(), context)).toEqual({
      id: 4200,
      conversation: { kind: 'topic', channelId: 1, topic: 'db-primary' },
      key: 'topic/1/db-primary',
      senderId: 12,
      senderName: 'Ana Kovač',
      html: '<p>Hello</p>',
      text: 'Hello',
      sentAt: 1_773_757_500_000,
      editedAt: null,
      isMe: false,
      isAction: false,
      flags: ['read'],
      reactions: [],
    })
  })

  test('in the empty topic keeps it empty', () => {
    const message = readMessage(wireMessage({ subject: '' }), context)
    expect(message?.conversation).toEqual({ kind: 'topic', channelId: 1, topic: '' })
  })

  test('without a channel id is unreadable', () => {
    expect(readMessage(wireMessage({ stream_id: undefined }), context)).toBeNull()
  })
})

describe('a direct message', () => {
  test.each([
    ['with one other', direct(11, 12), [12]],
    ['with several', direct(14, 11, 12), [12, 14]],
    ['to oneself', direct(11), [11]],
  ])('%s is identified by the other participants', (_case, wire, userIds) => {
    expect(readMessage(wire, context)?.conversation).toEqual({ kind: 'direct', userIds })
  })
})

describe('the flags of a message', () => {
  test("have the app's own names, each once, without irrelevant ones", () => {
    const flags = ['mentioned', 'wildcard_mentioned', 'stream_wildcard_mentioned', 'historical', 3]
    expect(readMessage(wireMessage({ flags }), context)?.flags).toEqual([
      'mentioned',
      'wildcardMentioned',
    ])
  })

  test('beside the message win over those inside it', () => {
    const read = (flags: readonly string[]) =>
      readMessage(wireMessage({ flags: ['read'] }), { ...context, flags })?.flags
    expect(read(['has_alert_word'])).toEqual(['alerted'])
    expect(read([])).toEqual([])
  })
})

describe('a /me message', () => {
  test('leaves the command out of the text', () => {
    const wire = wireMessage({ is_me_message: true, content: '<p>/me waves</p>' })
    expect(readMessage(wire, context)).toMatchObject({ isAction: true, text: 'waves' })
  })
})

describe('reactions', () => {
  test('are read one by one, and keep their type as received', () => {
    const good = { emoji_name: 'x', emoji_code: '1', reaction_type: 'some_extra', user_id: 12 }
    const old = { ...good, user_id: undefined, user: { user_id: 13 } }
    const message = readMessage(
      wireMessage({ reactions: [good, { emoji_name: 'y' }, old] }),
      context,
    )
    expect(message?.reactions).toEqual([
      { name: 'x', code: '1', type: 'some_extra', userId: 12 },
      { name: 'x', code: '1', type: 'some_extra', userId: 13 },
    ])
  })
})

describe('any JSON at all', () => {
  test('gives a message or null, never a crash', () => {
    const fields = fc.record(
      Object.fromEntries(Object.keys(wireMessage()).map((key) => [key, fc.jsonValue()])),
      { requiredKeys: [] },
    )
    const near = fields.map((odd) => wireMessage(odd))
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fields, near), (wire) => {
        const message = readMessage(wire, context)
        if (message) expect(message.key).toMatch(/^(topic|direct)\//)
      }),
    )
  })
})
