import fc from 'fast-check'
import { type GenericSchema, safeParse } from 'valibot'
import { describe, expect, test } from 'vitest'
import { isPlainMessage, isPlainReaction } from '../../src/shared/api/plain-message.ts'
import { wireMessage, wireReaction } from '../../src/shared/api/read-message.ts'

const message = {
  id: 4_200,
  type: 'stream',
  stream_id: 1,
  subject: 'db-primary',
  content: '<p>Hello</p>',
  sender_id: 12,
  sender_full_name: 'Ana Kovač',
  timestamp: 1_773_757_500,
  last_edit_timestamp: 1_773_757_600,
  is_me_message: false,
  flags: ['read'],
  reactions: [],
  display_recipient: 'ops',
}
const reaction = {
  emoji_name: 'eyes',
  emoji_code: '1f440',
  reaction_type: 'unicode_emoji',
  user_id: 12,
}

const oddValue = fc.oneof(
  fc.constantFrom(null, undefined, true, -1, 0.5, -0, 2 ** 53, -8.64e12, 8.64e12, 8.64e12 + 1),
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, {}, [], '7', '', 'private', 'channel'),
  fc.constantFrom([{ id: 3 }], [{ id: 3 }, { id: -1 }], [null], Array(1_001).fill({ id: 3 })),
  fc.constantFrom(200, 201, 500, 501, 1_000, 1_001, 400_001).map((length) => 'x'.repeat(length)),
  fc.jsonValue(),
)

/** Fields of which the schema keeps less than comes, and of which no more than that is read. */
const recipients = 'display_recipient'
const fieldOf = (value: unknown, name: string): unknown => Reflect.get(Object(value), name)
const idsOf = (value: unknown): unknown =>
  Array.isArray(value) ? value.map((person) => fieldOf(person, 'id')) : value

describe.each([
  ['message', wireMessage, message, isPlainMessage],
  ['reaction', wireReaction, reaction, isPlainReaction],
] as const)('a %s that is plain', (_what, { entries }, plain, isPlain) => {
  const names = Object.keys(entries)
  const schema: GenericSchema = _what === 'message' ? wireMessage : wireReaction

  test('is one that the schema takes and changes nothing in', () => {
    let taken = 0
    const odd = fc.dictionary(fc.constantFrom(...names, 'more', '__proto__'), oddValue, {
      maxKeys: 3,
    })
    fc.assert(
      fc.property(odd, fc.subarray(names, { maxLength: 1 }), (change, missing) => {
        const wire: Record<string, unknown> = { ...plain, ...change }
        for (const name of missing) Reflect.deleteProperty(wire, name)
        if (!isPlain(wire)) return
        taken += 1
        const read = safeParse(schema, wire)
        expect(read.success).toBe(true)
        for (const name of names) {
          const given = fieldOf(wire, name)
          const kept = fieldOf(read.output, name)
          if (name === recipients) expect(idsOf(kept)).toEqual(idsOf(given))
          else expect(kept).toBe(given)
        }
      }),
      { seed: 20_261_122, numRuns: 5_000 },
    )
    expect(taken).toBeGreaterThan(500)
  })

  test('is what servers send', () => {
    expect(isPlain(plain)).toBe(true)
  })

  test.each([null, undefined, 5, 'text', [], {}])('is not %o', (wire) => {
    expect(isPlain(wire)).toBe(false)
  })
})

test('a direct message with its people is plain', () => {
  const people = [{ id: 11, email: 'ana@x', full_name: 'Ana' }]
  expect(isPlainMessage({ ...message, type: 'private', display_recipient: people })).toBe(true)
})
