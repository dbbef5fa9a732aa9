import { describe, expect, test } from 'vitest'
import { conversationTitle } from '../../../../src/shared/core/chat/chat-names.ts'
import {
  type Conversation,
  conversationKey,
} from '../../../../src/shared/core/chat/conversation.ts'
import { draftConversation, draftKey } from '../../../../src/shared/core/chat/drafts.ts'
import type { Message } from '../../../../src/shared/core/chat/message.ts'
import type { Realm } from '../../../../src/shared/core/chat/realm.ts'
import {
  type ChatRow,
  channelRows,
  chatRows,
  followedRows,
  topicRows,
  unreadTotals,
} from '../../../../src/shared/core/views/conversation-rows.ts'
import * as eg from '../../../support/eg.ts'

function topic(name: string, channelId = 10): Conversation {
  return { kind: 'topic', channelId, topic: name }
}

function rowsOf(messages: readonly Message[], change: Partial<Realm> = {}): readonly ChatRow[] {
  return chatRows(eg.state({ realms: new Map([[eg.chatId, eg.realm(messages, change)]]) }))
}

const muted = topic('lunch', 11)

describe('the chat list', () => {
  test('puts direct messages and mentions first, then followed and other unread topics, then the rest', () => {
    const at = (minutes: number) => ({ sentAt: eg.now - minutes * eg.minute })
    const messages = [
      eg.message({ conversation: topic('mentioned'), flags: ['mentioned'], ...at(60) }),
      eg.message({ conversation: eg.direct, ...at(50) }),
      eg.message({ conversation: topic('followed'), ...at(40) }),
      eg.message({ conversation: topic('older'), ...at(30) }),
      eg.message({ conversation: topic('newer'), ...at(20) }),
      eg.message({ conversation: topic('read'), flags: ['read'], ...at(10) }),
      eg.message({ conversation: muted, ...at(5) }),
    ]
    const followed = conversationKey(topic('followed'))
    const rows = rowsOf(messages, { topicPolicies: new Map([[followed, 'followed']]) })
    expect(rows.map(({ group, title }) => [group, title])).toEqual([
      ['you', 'Ana'],
      ['you', '# ops › mentioned'],
      ['unread', '# ops › followed'],
      ['unread', '# ops › newer'],
      ['unread', '# ops › older'],
      ['recent', '# general › lunch'],
      ['recent', '# ops › read'],
    ])
  })

  test('spells a topic without loaded messages as its policy or its draft does', () => {
    const [policy, draft] = [topic('DB Backup'), topic('New Plan')]
    const state = eg.state({
      realms: new Map([
        [
          eg.chatId,
          eg.realm([], {
            topicPolicies: new Map([[conversationKey(policy), 'followed']]),
            topicNames: new Map([[conversationKey(policy), 'DB Backup']]),
          }),
        ],
      ]),
      drafts: new Map([[draftKey(eg.chatId, draft), 'half a thought']]),
      draftLinks: new Map([
        [draftKey(eg.chatId, draft), { conversation: draft, id: null, base: '', sent: null }],
      ]),
    })
    expect(followedRows(state).map(({ conversation }) => conversation)).toEqual([policy])
    expect(chatRows(state).map(({ conversation }) => conversation)).toEqual([draft])
  })

  test('says nothing of what someone muted wrote, and counts none of it', () => {
    const direct = { kind: 'direct', userIds: [eg.ana.id] } as const
    const said = eg.message({ conversation: direct, senderId: eg.ana.id, flags: ['mentioned'] })
    const realm = eg.realm([said], { mutedUsers: [eg.ana.id] })
    const [row] = chatRows(eg.state({ realms: new Map([[eg.chatId, realm]]) }))
    expect(row).toMatchObject({ unread: 0, mention: false, group: 'recent', muted: true })
    expect(row?.preview).toEqual({ sender: '', text: 'From someone you muted.' })
  })

  test('puts someone muted below everything else, however recent', () => {
    const direct = { kind: 'direct', userIds: [eg.ana.id] } as const
    const read = eg.message({ flags: ['read'] })
    const said = eg.message({ conversation: direct, senderId: eg.ana.id, flags: ['read'] })
    const kinds = (mutedUsers: readonly number[]) =>
      chatRows(
        eg.state({ realms: new Map([[eg.chatId, eg.realm([read, said], { mutedUsers })]]) }),
      ).map(({ conversation: { kind } }) => kind)
    expect(kinds([])).toEqual(['direct', 'topic'])
    expect(kinds([eg.ana.id])).toEqual(['topic', 'direct'])
  })

  test('marks a muted topic and counts only its mentions', () => {
    const quiet = eg.message({ conversation: muted })
    const loud = eg.message({ conversation: muted, flags: ['mentioned'] })
    expect(rowsOf([quiet])[0]).toMatchObject({ muted: true, unread: 0, group: 'recent' })
    expect(rowsOf([quiet, loud])[0]).toMatchObject({
      muted: true,
      unread: 1,
      mention: true,
      group: 'you',
    })
  })

  test('marks what waits for the network, but not a first attempt in flight', () => {
    const waitingWith = (change: Parameters<typeof eg.outboxMessage>[0]) =>
      chatRows(eg.state({ outbox: [eg.outboxMessage(change)] }))[0]?.waiting
    expect(waitingWith({ state: 'queued' })).toBe(true)
    expect(waitingWith({ state: 'sending', attempts: 2 })).toBe(true)
    expect(waitingWith({ state: 'sending', attempts: 1 })).toBe(false)
    expect(waitingWith({ state: 'rejected' })).toBe(false)
  })

  test('previews the last message with its sender', () => {
    const first = eg.message({ text: 'restarting it now' })
    const mine = eg.message({ text: 'thanks', isMe: true, senderId: eg.me.id, flags: ['read'] })
    expect(rowsOf([first])[0]?.preview).toEqual({ sender: 'Ana', text: 'restarting it now' })
    expect(rowsOf([first, mine])[0]?.preview).toEqual({ sender: 'You', text: 'thanks' })
  })

  test('shows a conversation with a draft or a failed message, even if nothing else is known of it', () => {
    const drafted = topic('drafted')
    const failed = topic('failed')
    const rows = chatRows(
      eg.state({
        drafts: new Map([[draftKey(eg.chatId, drafted), 'half a sentence']]),
        outbox: [
          eg.outboxMessage({ conversation: failed, state: 'unconfirmed' }),
          eg.outboxMessage({ conversation: failed, state: 'rejected' }),
        ],
      }),
    )
    expect(rows).toMatchObject([
      { title: '# ops › failed', problem: 'rejected', draft: null },
      { title: '# ops › drafted', problem: null, draft: 'half a sentence' },
    ])
  })

  test('sorts the conversations of several realms together by time', () => {
    const other = 'other'
    const here = eg.realm([eg.message({ conversation: topic('here'), sentAt: eg.now - 2 })])
    const there = eg.realm(
      [
        eg.message({ conversation: topic('there, newer'), sentAt: eg.now - 1 }),
        eg.message({ conversation: topic('there, older'), sentAt: eg.now - 3 }),
      ],
      { accountId: other },
    )
    const state = eg.state({
      realms: new Map([
        [eg.chatId, here],
        [other, there],
      ]),
    })
    expect(chatRows(state).map(({ title }) => title)).toEqual([
      '# ops › there, newer',
      '# ops › here',
      '# ops › there, older',
    ])
  })
})

describe('the unread counts of a realm', () => {
  test('are the sums over its rows', () => {
    const messages = [
      eg.message({ conversation: eg.direct }),
      eg.message({ conversation: topic('a') }),
      eg.message({ conversation: topic('a'), flags: ['mentioned'] }),
      eg.message({ conversation: muted }),
      eg.message({ conversation: muted, flags: ['mentioned'] }),
      eg.message({ conversation: topic('read'), flags: ['read'] }),
    ]
    expect(unreadTotals(eg.realm(messages))).toEqual({ unread: 4, mentions: 2 })
    expect(rowsOf(messages).reduce((sum, { unread }) => sum + unread, 0)).toBe(4)
  })

  test('are not changed by 50 messages in a muted topic, but are if that topic is unmuted', () => {
    const noise = Array.from({ length: 50 }, () => eg.message({ conversation: muted }))
    expect(unreadTotals(eg.realm(noise))).toEqual({ unread: 0, mentions: 0 })
    const unmuted = new Map([[conversationKey(muted), 'unmuted' as const]])
    expect(unreadTotals(eg.realm(noise, { topicPolicies: unmuted })).unread).toBe(50)
  })
})

describe('a conversation title', () => {
  const realm = eg.realm([eg.message({ senderId: 77, senderName: 'Cross-realm bot' })])

  test.each<[string, Conversation]>([
    ['# ops › db-backup is DOWN', eg.topic],
    ['# ops › general chat', topic('')],
    ['# channel 99 › x', topic('x', 99)],
    ['Ana, Boris', { kind: 'direct', userIds: [2, 3] }],
    ['Notes to yourself', { kind: 'direct', userIds: [1] }],
    ['Cross-realm bot, user 78', { kind: 'direct', userIds: [77, 78] }],
  ])('is "%s"', (title, conversation) => {
    expect(conversationTitle(realm, conversation)).toBe(title)
  })
})

describe('the key of a draft', () => {
  test.each<Conversation>([topic('a/b\nc'), topic(''), { kind: 'direct', userIds: [2, 3] }])(
    'leads back to its conversation',
    (conversation) => {
      expect(draftConversation('a', draftKey('a', conversation))).toEqual(conversation)
    },
  )

  test('belongs to one account only', () => {
    expect(draftConversation('a', draftKey('ab', eg.topic))).toBeNull()
  })
})

describe('the list of channels', () => {
  const messages = [
    eg.message({ conversation: topic('old'), sentAt: eg.now - eg.hour, flags: ['read'] }),
    eg.message({ conversation: topic('new'), flags: ['mentioned'] }),
    eg.message({ conversation: muted }),
  ]
  const state = eg.state({ realms: new Map([[eg.chatId, eg.realm(messages)]]) })

  test('has the unread count of each channel, with muted channels last', () => {
    expect(
      channelRows(state).map(({ title, unread, mention, muted }) => [
        title,
        unread,
        mention,
        muted,
      ]),
    ).toEqual([
      ['# ops', 1, true, false],
      ['# general', 0, false, true],
    ])
  })

  test('has the unread topics of a channel first, then the server’s order', () => {
    const [ops] = channelRows(state)
    const rows = ops === undefined ? [] : topicRows(state, ops, ['Quiet', 'OLD', 'New'])
    expect(rows.map(({ title, unread }) => [title, unread])).toEqual([
      ['# ops › new', 1],
      ['# ops › Quiet', 0],
      ['# ops › old', 0],
    ])
  })
})
