import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Realm, User } from '../../../../src/shared/core/chat/realm.ts'
import { emptyState } from '../../../../src/shared/core/state.ts'
import {
  paletteResults,
  type Recipients,
} from '../../../../src/shared/core/views/palette-search.ts'
import { peopleOf, recipientList } from '../../../../src/shared/core/views/recipients.ts'
import * as eg from '../../../support/eg.ts'

const user = (id: number, name: string, change: Partial<User> = {}): User => ({
  id,
  name,
  isBot: false,
  ...change,
})

function found(realm: Realm, query: string, chosen: Recipients = { to: 'anyone' }) {
  const state = { ...emptyState, realms: new Map([[realm.accountId, realm]]) }
  const { index, usual } = recipientList(state, chosen)
  return paletteResults(index, query, usual).map(({ title }) => title)
}

const people = [
  eg.me,
  user(20, 'Ana Kovač'),
  user(21, 'Anna-Lena Meyer'),
  user(22, 'Boris Novak'),
  user(23, 'Gone Girl', { isFormer: true }),
  user(24, 'Jonathan Archer'),
]
const realm = (change: Partial<Realm> = {}) =>
  eg.realm([], { users: new Map(people.map((one) => [one.id, one])), ...change })

test('two people with the same name are told apart, and come before merely scattered letters', () => {
  const twins = [...people, user(30, 'Arne Nadal'), user(31, 'Ana Kovač')]
  const both = realm({ users: new Map(twins.map((one) => [one.id, one])) })
  const { index } = recipientList(
    { ...emptyState, realms: new Map([[both.accountId, both]]) },
    { to: 'anyone' },
  )
  const rows = (query: string) =>
    paletteResults(index, query, []).map(({ title, hint }) => `${title} ${hint}`.trim())
  expect(rows('ak').slice(0, 2)).toEqual(['Ana Kovač user 20', 'Ana Kovač user 31'])
  // A typing error is a better match than scattered letters.
  expect(rows('anaa')).toEqual([
    'Ana Kovač user 20',
    'Ana Kovač user 31',
    'Anna-Lena Meyer',
    'Arne Nadal',
  ])
  expect(rows('myself')).toHaveLength(1)
})

describe('the recipient of a new message', () => {
  test('is found by name, part of a name, initials, or with one typing error', () => {
    expect(found(realm(), 'boris')[0]).toBe('Boris Novak')
    expect(found(realm(), 'kovac')[0]).toBe('Ana Kovač')
    expect(found(realm(), 'meyer')[0]).toBe('Anna-Lena Meyer')
    expect(found(realm(), 'alm')[0]).toBe('Anna-Lena Meyer')
    expect(found(realm(), 'ja')[0]).toBe('Jonathan Archer')
    expect(found(realm(), 'jonatahn')).toEqual(['Jonathan Archer'])
    expect(found(realm(), 'ops')[0]).toBe('# ops')
  })

  test('is never a former user, and is marked if muted', () => {
    expect(found(realm(), 'gone girl')).toEqual([])
    const before = realm()
    const hint = (one: Realm) =>
      peopleOf(one).items.find(({ title }) => title === 'Boris Novak')?.hint
    expect(hint(before)).toBe('')
    expect(hint({ ...before, mutedUsers: [22] })).toBe('muted')
    expect(hint(before)).toBe('')
  })

  test('comes last if muted, unless named in full', () => {
    const direct = { kind: 'direct', userIds: [20] } as const
    const wrote = eg.message({ senderId: eg.me.id, conversation: direct })
    const users = new Map(people.map((one) => [one.id, one]))
    const first = (query: string, mutedUsers: readonly number[]) =>
      found(eg.realm([wrote], { users, mutedUsers }), query)[0]
    expect(first('', [])).toBe('Ana Kovač')
    expect(first('', [20])).not.toBe('Ana Kovač')
    expect(first('an', [20])).toBe('Anna-Lena Meyer')
    expect(first('ana kovac', [20])).toBe('Ana Kovač')
  })

  test('is by default the person I write to most', () => {
    const wrote = (userId: number, times: number) =>
      Array.from({ length: times }, () =>
        eg.message({ senderId: eg.me.id, conversation: { kind: 'direct', userIds: [userId] } }),
      )
    const busy = eg.realm([...wrote(22, 3), ...wrote(24, 5), ...wrote(20, 1)])
    expect(found({ ...busy, users: realm().users }, '').slice(0, 3)).toEqual([
      'Jonathan Archer',
      'Boris Novak',
      'Ana Kovač',
    ])
  })

  test('can be further people, but nobody already chosen', () => {
    const chosen = { to: 'people', accountId: eg.chatId, userIds: [20, 22] } as const
    const titles = found(realm(), '', chosen)
    expect(titles).toContain('Jonathan Archer')
    expect(titles).not.toContain('Ana Kovač')
    expect(titles).not.toContain('# ops')
  })

  test('can be a topic of the chosen channel, and of no other', () => {
    const busy = eg.realm([
      eg.message({ conversation: { kind: 'topic', channelId: 10, topic: 'deploys' } }),
      eg.message({ conversation: { kind: 'topic', channelId: 11, topic: 'lunch' } }),
    ])
    expect(found(busy, '', { to: 'channel', accountId: eg.chatId, channelId: 10 })).toEqual([
      'deploys',
    ])
  })
})

test.each([
  // Typed; what Enter chooses, in a realm where all was written into one topic of ops.
  ['ops', '# ops'],
  ['OPS ', '# ops'],
  ['#ops', '# ops'],
  ['# ops', '# ops'],
  ['#op', '# ops'],
  ['#o', '# ops'],
  ['boris novak', 'Boris Novak'],
  ['@boris novak', 'Boris Novak'],
  ['@bo', 'Boris Novak'],
  ['@kov', 'Ana Kovač'],
  ['ana', 'Ana'],
  ['@ana', 'Ana'],
  ['maria', 'Maria (you)'],
  // Habit comes first where no name is complete.
  ['op', '# ops › disk of boris novak'],
  ['boris', '# ops › disk of boris novak'],
])('for “%s”, a place named in full comes before the usual one: %s', (query, first) => {
  const conversation = { kind: 'topic', channelId: 10, topic: 'disk of boris novak' } as const
  const wrote = Array.from({ length: 9 }, () => eg.message({ senderId: eg.me.id, conversation }))
  const users = new Map([...people, user(32, 'Ana')].map((one) => [one.id, one]))
  expect(found({ ...eg.realm(wrote), users }, query)[0]).toBe(first)
})

test('a topic typed in full comes before a usual one that begins with it', () => {
  const topic = (name: string, senderId: number) =>
    eg.message({ senderId, conversation: { kind: 'topic', channelId: 10, topic: name } })
  const busy = eg.realm([topic('db', 20), topic('db is down', eg.me.id)])
  const channel = { to: 'channel', accountId: eg.chatId, channelId: 10 } as const
  expect(found(busy, 'd', channel)[0]).toBe('db is down')
  expect(found(busy, 'DB', channel)[0]).toBe('db')
})

/** The number of letters to change, add, drop or swap, by the plain recursive definition. */
function edits(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length
  const same = edits(a.slice(1), b.slice(1)) + (a[0] === b[0] ? 0 : 1)
  const swapped =
    a[0] === b[1] && a[1] === b[0] && a.length > 1 && b.length > 1
      ? edits(a.slice(2), b.slice(2)) + 1
      : Number.POSITIVE_INFINITY
  return Math.min(same, swapped, edits(a.slice(1), b) + 1, edits(a, b.slice(1)) + 1)
}

test('a mistyped name is found exactly if the query is at most one edit away from a beginning of it', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 3, maxLength: 5 })
  const seen = { found: 0, missed: 0 }
  fc.assert(
    fc.property(word, word, (name, query) => {
      const one = eg.realm([], { users: new Map([[9, user(9, name)]]), channels: new Map() })
      const starts = Array.from({ length: name.length + 1 }, (_, end) => name.slice(0, end))
      const isNear = starts.some((start) => edits(start, query) <= 1)
      const isFound = found(one, query).length > 0
      // Letters in their order also match, whatever lies between them.
      const isScattered = new RegExp(`^${[...query].join('.*')}`).test(name)
      seen[isFound ? 'found' : 'missed'] += 1
      expect(isFound).toBe(isNear || name.includes(query) || isScattered)
    }),
    { numRuns: 2_000 },
  )
  expect(seen.found).toBeGreaterThan(200)
  expect(seen.missed).toBeGreaterThan(200)
})
