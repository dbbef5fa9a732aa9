import { describe, expect, test } from 'vitest'
import { parseSearch, searchHints } from '../../../../src/shared/core/chat/search-query.ts'
import * as eg from '../../../support/eg.ts'

const user = (id: number, name: string) => ({ id, name, isBot: false })
const people = [eg.me, user(2, 'Ana Kovač'), user(3, 'Anna Berg'), user(4, 'Boris Novak')]
const realm = eg.realm([eg.message()], { users: new Map(people.map((one) => [one.id, one])) })

test('two people with the same name are told apart as in a mention', () => {
  const twins = [eg.me, user(2, 'Ana Kovač'), user(5, 'Ana Kovač')]
  const both = { ...realm, users: new Map(twins.map((one) => [one.id, one])) }
  const hints = searchHints('sender:ana', both)
  expect(hints).toEqual(['sender:"Ana Kovač|2"', 'sender:"Ana Kovač|5"'])
  expect(hints.map((hint) => parseSearch(hint, both).terms[0]?.operand)).toEqual([2, 5])
  expect(parseSearch('sender:"Ana Kovač"', both).problems).toHaveLength(1)
  expect(parseSearch('dm:ana|5', both).terms).toMatchObject([{ operand: [5] }])
})

test('someone muted is offered after the others', () => {
  const hints = (mutedUsers: readonly number[]) =>
    searchHints('sender:an', { ...realm, mutedUsers }).map((hint) => hint.slice(7))
  expect(hints([])).toEqual(['"Ana Kovač"', '"Anna Berg"'])
  expect(hints([2])).toEqual(['"Anna Berg"', '"Ana Kovač"'])
})

describe('names with the special characters of a query', () => {
  const names = [eg.me, user(2, 'Kovač, Ana'), user(3, 'Boris "Bo" Novak'), user(4, 'Cora')]
  const topics = ['say "hi"', ''].map((topic) =>
    eg.message({ conversation: { kind: 'topic', channelId: 10, topic } }),
  )
  const odd = eg.realm(topics, { users: new Map(names.map((one) => [one.id, one])) })
  const first = (query: string) => {
    const { terms, problems } = parseSearch(query, odd)
    return problems[0] ?? terms[0]?.operand
  }

  test.each([
    ['dm:kov', [2]],
    ['sender:bor', 3],
    ['topic:say', 'say "hi"'],
    ['topic:gen', ''],
  ])('are found by the completion of %s', (query, operand) => {
    const [hint = ''] = searchHints(query, odd)
    expect(first(hint)).toEqual(operand)
  })

  test('are told from several people, the last of whom is completed', () => {
    expect(first('dm:"Kovač, Ana,Cora"')).toEqual([2, 4])
    expect(first('dm:cora,nobody')).toMatch(/names of people/)
    expect(searchHints('dm:cora,bo', odd)).toEqual(['dm:"cora,Boris Bo Novak"'])
    expect(first('dm:"cora,Boris Bo Novak"')).toEqual([3, 4])
  })
})

describe('a search', () => {
  test.each([
    ['disk full', [['search', 'disk full']]],
    ['"disk full" db1', [['search', '"disk full" db1']]],
    [
      'channel:ops lock',
      [
        ['channel', 10],
        ['search', 'lock'],
      ],
    ],
    [
      'stream:ops -topic:lunch',
      [
        ['channel', 10],
        ['-topic', 'lunch'],
      ],
    ],
    ['sender:"Ana Kovač"', [['sender', 2]]],
    ['from:kovac', [['sender', 2]]],
    [
      'sender:me is:starred',
      [
        ['sender', 1],
        ['is', 'starred'],
      ],
    ],
    ['dm:boris,"Ana Kovač"', [['dm', [2, 4]]]],
    ['dm-including:boris', [['dm-including', 4]]],
    [
      'in:Home -id:4711',
      [
        ['in', 'home'],
        ['-id', 4711],
      ],
    ],
    ['has:links', [['has', 'link']]],
    ['http://db1.example:80/x', [['search', 'http://db1.example:80/x']]],
  ])('for %s asks for %o', (query, terms) => {
    const parsed = parseSearch(query, realm)
    expect(parsed.problems).toEqual([])
    expect(parsed.terms).toEqual(
      terms.map(([operator, operand]) => ({
        operator: String(operator).replace(/^-/, ''),
        operand,
        negated: String(operator).startsWith('-'),
      })),
    )
  })

  test('near a message begins there', () => {
    expect(parseSearch('near:4711 lock', realm)).toMatchObject({ near: 4711, problems: [] })
  })

  test.each([
    ['is:funny', /“is:” takes alerted,.* not “funny”/],
    ['channel:nowhere', /one of your channels, not “nowhere”/],
    ['sender:an', /the name of one person, not “an”/],
    ['near:yesterday', /the number of a message/],
    ['id:last', /“id:” takes the number of a message, not “last”/],
    ['in:house', /all or home, not “house”/],
    ['dm-including:ana,boris', /“dm-including:” takes the name of one person/],
    ['topic:', /takes a topic\.$/],
  ])('for %s says what is wrong', (query, words) => {
    expect(parseSearch(query, realm).problems.join()).toMatch(words)
  })

  test('is completed: operators, people, channels, topics and values', () => {
    expect(searchHints('lock se', realm)).toEqual(['lock sender:'])
    expect(searchHints('dm-', realm)).toEqual(['dm-including:'])
    expect(searchHints('dm-including:bo', realm)).toEqual(['dm-including:"Boris Novak"'])
    expect(searchHints('in', realm)).toEqual(['in:'])
    expect(searchHints('in:', realm)).toEqual(['in:all', 'in:home'])
    expect(searchHints('id', realm)).toEqual(['id:'])
    expect(searchHints('sender:kov', realm)).toEqual(['sender:"Ana Kovač"'])
    expect(searchHints('-channel:o', realm)).toEqual(['-channel:ops'])
    expect(searchHints('topic:db', realm)).toEqual(['topic:"db-backup is DOWN"'])
    expect(searchHints('is:st', realm)).toEqual(['is:starred'])
    expect(searchHints('is:starred', realm)).toEqual([])
    expect(searchHints('lock', realm)).toEqual([])
  })

  test('finds an archived channel, and one that the user left, by its whole name', () => {
    const old = {
      ...realm,
      otherChannels: new Map([[7, { id: 7, name: 'ops-old', archived: true }]]),
    }
    expect(searchHints('channel:ops', old)).toEqual(['channel:ops-old'])
    expect(parseSearch('channel:ops-old', old).terms).toMatchObject([{ operand: 7 }])
    expect(parseSearch('channel:ops', old).terms).toMatchObject([{ operand: 10 }])
    expect(parseSearch('channel:op', old).terms).toMatchObject([{ operand: 10 }])
  })

  test('accepts its own completions', () => {
    for (const start of [
      'sender:',
      'channel:',
      'topic:',
      'is:',
      'in:',
      'has:',
      'dm:',
      'dm-including:',
    ])
      for (const hint of searchHints(start, realm))
        expect(parseSearch(hint, realm), hint).toMatchObject({ problems: [] })
  })
})

test.each([
  ['sender:"Ana Kovač"', 20],
  ['sender:"Ana Kovac"', 31],
  ['sender:"ana kovač"', 32],
  ['sender:"Ana Kovač|20"', 20],
])('a name spelled exactly so is found beside others like it: %s', (query, id) => {
  const names = [
    [20, 'Ana Kovač'],
    [31, 'Ana Kovac'],
    [32, 'ana kovač'],
  ] as const
  const users = new Map(names.map(([one, name]) => [one, { id: one, name, isBot: false }]))
  const { terms, problems } = parseSearch(query, eg.realm([], { users }))
  expect(problems).toEqual([])
  expect(terms).toEqual([{ operator: 'sender', operand: id, negated: false }])
})
