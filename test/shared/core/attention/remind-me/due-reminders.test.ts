import { expect, test } from 'vitest'
import { neverRead } from '../../../../../src/shared/core/account.ts'
import { dueReminders } from '../../../../../src/shared/core/attention/remind-me/due-reminders.ts'
import { conversationKey } from '../../../../../src/shared/core/chat/conversation.ts'
import type { Realm } from '../../../../../src/shared/core/chat/realm.ts'
import * as eg from '../../../../support/eg.ts'

const unread = eg.realm([], { freshness: neverRead })

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

test.each([
  ['that is due, of a chat that is not there, is told with the place as it was', [], -1, 1],
  ['that is just due, of a chat that was not read, likewise', [unread], 0, 1],
  ['that is not due yet is not told', [unread], 1, 0],
])('a reminder %s', (_what, realms, ms, times) => {
  const state = eg.state({
    realms: new Map(realms.map((one) => [eg.chatId, one])),
    reminders: [{ ...reminder, label: 'as it was', at: eg.now + ms }],
  })
  const told = dueReminders(state, eg.now).map(({ title }) => title)
  expect(told).toEqual(times === 1 ? ['Reminder: as it was'] : [])
})

const elsewhere = { kind: 'topic', channelId: 10, topic: 'elsewhere' } as const

test.each([
  ['alone', eg.realm([eg.message({ id: 7, conversation: elsewhere })])],
  ['with its topic', eg.realm([], { movedTo: new Map([[conversationKey(eg.topic), elsewhere]]) })],
])('a reminder says where its message is and leads there, if that was moved %s', (_how, realm) => {
  expect(toldIn(realm)).toMatchObject([
    { title: 'Reminder: # ops › elsewhere', target: { conversation: elsewhere, messageId: 7 } },
  ])
})
