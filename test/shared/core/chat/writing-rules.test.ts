import { describe, expect, test } from 'vitest'
import type { Conversation } from '../../../../src/shared/core/chat/conversation.ts'
import { conversationKey } from '../../../../src/shared/core/chat/conversation.ts'
import { type Realm, usualRules } from '../../../../src/shared/core/chat/realm.ts'
import { emptyConversation } from '../../../../src/shared/core/chat/realm-update.ts'
import {
  isAllowed,
  isWide,
  manyRefusal,
  reachWords,
  wideMentions,
  writingRefusal,
} from '../../../../src/shared/core/chat/writing-rules.ts'
import * as eg from '../../../support/eg.ts'

const groups: Realm['groups'] = new Map([
  [2, { name: 'role:nobody', hasMe: false, subgroups: [] }],
  [4, { name: 'role:administrators', hasMe: false, subgroups: [] }],
  [7, { name: 'role:members', hasMe: true, subgroups: [4] }],
  [8, { name: 'role:everyone', hasMe: false, subgroups: [7] }],
  [21, { name: 'on-call', hasMe: true, size: 3, subgroups: [22] }],
  [22, { name: 'night', hasMe: false, size: 20, subgroups: [21] }],
  [23, { name: 'gone', hasMe: false, subgroups: [], isOff: true }],
  [24, { name: 'bosses', hasMe: false, size: 2, subgroups: [], canMention: 4 }],
])
const people = [
  eg.me,
  { id: 2, name: 'Ana', isBot: false },
  { id: 3, name: 'Bot', isBot: true },
  { id: 4, name: 'Zoe', isBot: false, isFormer: true },
]
const channel = {
  id: 10,
  name: 'ops',
  muted: false,
  desktopNotifications: null,
  audibleNotifications: null,
  wildcardMentionsNotify: null,
}
const topic = { kind: 'topic', channelId: 10, topic: 'db' } as const
const to = (...userIds: number[]): Conversation => ({ kind: 'direct', userIds })

function realm(change: Partial<Realm> = {}): Realm {
  return eg.realm([], {
    groups,
    users: new Map(people.map((one) => [one.id, one])),
    channels: new Map([[10, channel]]),
    ...change,
  })
}

describe('a permission', () => {
  test.each([
    [null, true],
    [8, true],
    [7, true],
    [4, false],
    [2, false],
    // A group that we know nothing of is for the server to decide.
    [99, true],
    [{ users: [eg.me.id], groups: [] }, true],
    [{ users: [2], groups: [4] }, false],
    [{ users: [], groups: [4, 21] }, true],
    ['role:members', true],
    ['role:administrators', false],
    ['role:nobody', false],
    ['role:unheard', true],
  ] as const)('given to %j includes the user: %s', (allowed, may) => {
    expect(isAllowed(realm(), allowed)).toBe(may)
  })
})

describe('the refusal to write', () => {
  const inChannel = (
    change: Partial<Realm['rules']> & object,
    own: object = {},
    at: string = topic.topic,
  ) =>
    writingRefusal(
      realm({
        rules: { ...usualRules, ...change },
        channels: new Map([[10, { ...channel, ...own }]]),
      }),
      { ...topic, topic: at },
    )

  test('names who may post in a channel that only others, or nobody, may post in', () => {
    expect(inChannel({}, { maySend: 4 })).toBe('Only administrators can post in # ops.')
    expect(inChannel({}, { maySend: 2 })).toBe('Nobody can post in # ops.')
    expect(inChannel({}, { maySend: { users: [2], groups: [] } })).toBe('You can’t post in # ops.')
    expect(inChannel({}, { maySend: 8 })).toBeNull()
  })

  test('follows the role on an older server, which the group of a newer one overrides', () => {
    const postPolicy = 'role:administrators'
    expect(inChannel({}, { maySend: null, postPolicy })).toBe(
      'Only administrators can post in # ops.',
    )
    expect(inChannel({}, { maySend: 8, postPolicy })).toBeNull()
    expect(inChannel({}, { postPolicy: 'role:members' })).toBeNull()
    // Servers without groups decide for themselves.
    expect(inChannel({}, { postPolicy: 'role:moderators' })).toBeNull()
  })

  test('applies to a channel that requires a topic, or none', () => {
    expect(inChannel({ emptyTopic: 'refused' }, {}, '')).toMatch(/requires a topic/)
    expect(inChannel({ emptyTopic: 'refused' })).toBeNull()
    expect(inChannel({ emptyTopic: 'refused' }, { emptyTopic: 'allowed' }, '')).toBeNull()
    expect(inChannel({}, { emptyTopic: 'only' })).toMatch(/only takes messages without a topic/)
    expect(inChannel({}, { emptyTopic: 'only' }, '')).toBeNull()
  })

  test('applies to an archived channel, but not to an unknown one', () => {
    const otherChannels = new Map([[10, { id: 10, name: 'ops', archived: true }]])
    expect(writingRefusal(realm({ channels: new Map(), otherChannels }), topic)).toMatch(/archived/)
    expect(writingRefusal(realm({ channels: new Map() }), topic)).toBeNull()
  })

  test('applies to direct messages that are off, go to a deactivated user, or may not be started', () => {
    const off = realm({ rules: { ...usualRules, direct: 2 } })
    expect(writingRefusal(off, to(2))).toBe('Direct messages are switched off on this server.')
    expect(writingRefusal(off, to(3))).toBeNull()
    expect(writingRefusal(off, to(eg.me.id))).toBeNull()
    expect(writingRefusal(realm(), to(2, 4))).toBe('The account of Zoe is deactivated.')
    const shy = { rules: { ...usualRules, startDirect: 4 } }
    expect(writingRefusal(realm(shy), to(2))).toBe(
      'Only administrators can start direct messages here.',
    )
    const begun = { ...emptyConversation(to(2)), lastMessageId: 5 }
    const conversations = new Map([[conversationKey(to(2)), begun]])
    expect(writingRefusal(realm({ ...shy, conversations }), to(2))).toBeNull()
  })
})

describe('a wide mention', () => {
  const of = (text: string, at: Conversation = topic) =>
    wideMentions(realm(), at, text).map(({ name, people: count }) => [name, count])

  test.each([
    ['@**all** look', [['all', null]]],
    [
      '(@**everyone**) and @**all**, @**all**',
      [
        ['everyone', null],
        ['all', null],
      ],
    ],
    ['@*on-call* please', [['on-call', 23]]],
    ['**@**topic** hm', []],
    ['@**Ana** @_**all** @_*on-call* mail@**all**', []],
    ['`@**all**`', []],
    ['``see `x` and @**all**`` ok', []],
    ['\\`@**all**`', [['all', null]]],
    ['` @**all**', [['all', null]]],
    ['> @**all**\n   > @*on-call*', []],
    ['so:\n> @**all** wrote\n\n@**topic** yes', [['topic', null]]],
    ['1 > 0 @**all**', [['all', null]]],
    ['```quote\n```js\n@**all**\n```\n@**all**\n```\n@**topic**', [['topic', null]]],
    ['```\n```js\n@**all**\n```\n@**topic**', [['topic', null]]],
    ['```spoiler Who\nAna\n```\n@**all**', [['all', null]]],
    ['```spoiler Who\n~~~\n@**all**\n~~~\n@*on-call*\n```', [['on-call', 23]]],
    ['```x```\n@**all**', [['all', null]]],
    ['```\n@**all**\n```\nfine', []],
    ['```\n@**all**', []],
    ['```\nx\n```\n@**channel**', [['channel', null]]],
    ['```quote\n@**all**\n```', []],
    ['```spoiler Who\n@**all**\n```', [['all', null]]],
    ['~~~ spoiler\n@*on-call*\n~~~', [['on-call', 23]]],
    ['@*gone* @*nobody here* @*', []],
  ])('in “%s” is %j', (text, found) => {
    expect(of(text)).toEqual(found)
  })

  test('reaches nobody else in a direct conversation', () => {
    expect(of('@**all** @*on-call*', to(2))).toEqual([])
  })

  test('says how many it reaches, and asks first from sixteen on or if the number is unknown', () => {
    const [all, group] = wideMentions(realm(), topic, '@**all** @*on-call*')
    if (all === undefined || group === undefined) throw new Error('not found')
    expect(reachWords(realm(), topic, all)).toBe('@all notifies everyone in # ops.')
    expect(reachWords(realm(), topic, { ...all, people: 1 })).toBe(
      '@all notifies 1 person in # ops.',
    )
    expect(reachWords(realm(), topic, group)).toBe('@on-call notifies up to 23 people.')
    expect([null, 0, 15, 16, 5_000].map((count) => isWide({ ...all, people: count }))).toEqual([
      true,
      false,
      false,
      true,
      true,
    ])
  })

  test('reaches an unknown number in a topic that is not fully loaded', () => {
    const conversation = { kind: 'topic', channelId: 10, topic: 'old' } as const
    const message = eg.message({ conversation, senderId: 2 })
    const known = eg.realm([message])
    const inTopic = (at: typeof known) => wideMentions(at, conversation, '@**topic**')[0]?.people
    expect(inTopic(known)).toBe(1)
    const partly = { ...known.conversations.get(message.key)!, complete: false }
    const conversations = new Map([[message.key, partly]])
    expect(inTopic({ ...known, conversations })).toBeNull()
    expect(inTopic({ ...known, conversations: new Map() })).toBeNull()
  })

  test("is refused by the server's rule", () => {
    const strict = realm({ rules: { ...usualRules, mentionMany: 4 } })
    const [all, boss] = wideMentions(strict, topic, '@**all** @*bosses*')
    if (all === undefined || boss === undefined) throw new Error('not found')
    expect(manyRefusal(strict, { ...all, people: 16 })).toBe(
      'Only administrators can notify more than 15 people at once.',
    )
    expect(manyRefusal(strict, { ...all, people: 15 })).toBeNull()
    expect(manyRefusal(strict, all)).toBeNull()
    expect(manyRefusal(strict, boss)).toBe('Only administrators can mention @bosses.')
  })
})
