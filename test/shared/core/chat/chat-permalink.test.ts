import { describe, expect, test } from 'vitest'
import {
  type Conversation,
  conversationKey,
  permalink,
} from '../../../../src/shared/core/chat/conversation.ts'

const base = 'https://chat.example/'
const names = new Map([[1, 'ops & more']])
const link = (conversation: Conversation, messageId: number | null = null) =>
  permalink(base, (id) => names.get(id) ?? null, conversation, messageId)

describe('a permalink', () => {
  test.each([
    [
      'of a topic',
      link({ kind: 'topic', channelId: 1, topic: 'db 4.2 (x)' }),
      'https://chat.example/#narrow/channel/1-ops-.26-more/topic/db.204.2E2.20.28x.29',
    ],
    [
      'of a message in the empty topic of a channel without name',
      link({ kind: 'topic', channelId: 9, topic: '' }, 77),
      'https://chat.example/#narrow/channel/9/topic//near/77',
    ],
    [
      'of a direct message',
      link({ kind: 'direct', userIds: [12] }, 5),
      'https://chat.example/#narrow/dm/12-dm/near/5',
    ],
    [
      'of a group',
      link({ kind: 'direct', userIds: [12, 14] }),
      'https://chat.example/#narrow/dm/12,14-group',
    ],
  ])('%s is one that the web app understands', (_case, given, expected) => {
    expect(given).toBe(expected)
  })

  test('survives an unpaired surrogate', () => {
    expect(link({ kind: 'topic', channelId: 9, topic: '\ud83d' })).toContain('/topic/.EF.BF.BD')
  })
})

describe('the key of a topic', () => {
  const keyOf = (topic: string) => conversationKey({ kind: 'topic', channelId: 1, topic })

  test.each([
    ['db-backup is DOWN', 'DB-Backup is down'],
    ['ΟΔΟΣ', 'οδος'],
    ['οδοσ', 'οδος'],
    ['ÉTÉ', 'été'],
  ])('is the same for %s and %s', (one, other) => {
    expect(keyOf(one)).toBe(keyOf(other))
  })

  test.each([
    ['straße', 'strasse'],
    ['ﬁle', 'file'],
    ['resume', 'résumé'],
    ['db 1', 'db 2'],
  ])('differs for %s and %s', (one, other) => {
    expect(keyOf(one)).not.toBe(keyOf(other))
  })
})
