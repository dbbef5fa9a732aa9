import { expect, test } from 'vitest'
import { dueReminders } from '../../../../../src/shared/core/attention/remind-me/due-reminders.ts'
import { conversationKey } from '../../../../../src/shared/core/chat/conversation.ts'
import type { Realm } from '../../../../../src/shared/core/chat/realm.ts'
import * as eg from '../../../../support/eg.ts'

const reminder = { id: 'r', accountId: eg.chatId, conversation: eg.topic, messageId: 7, at: eg.now }

const toldIn = (realm: Realm) =>
  dueReminders(
    eg.state({
      accounts: [eg.chatAccount()],
      realms: new Map([[eg.chatId, realm]]),
      reminders: [{ ...reminder, label: '# ops › as it was' }],
    }),
    eg.now,
  )

const elsewhere = { kind: 'topic', channelId: 10, topic: 'elsewhere' } as const

test.each([
  ['alone', eg.realm([eg.message({ id: 7, conversation: elsewhere })])],
  ['with its topic', eg.realm([], { movedTo: new Map([[conversationKey(eg.topic), elsewhere]]) })],
])('a reminder says where its message is and leads there, if that was moved %s', (_how, realm) => {
  expect(toldIn(realm)).toMatchObject([
    { title: 'Reminder: # ops › elsewhere', target: { conversation: elsewhere, messageId: 7 } },
  ])
})
