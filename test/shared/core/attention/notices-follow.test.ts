import { describe, expect, test } from 'vitest'
import { digestNotice, noticeOf } from '../../../../src/shared/core/attention/notices.ts'
import {
  missedChanges,
  noticedMessages,
  withNoticesFollowing,
} from '../../../../src/shared/core/attention/notices-follow.ts'
import { dueReminders } from '../../../../src/shared/core/attention/remind-me/due-reminders.ts'
import type { ChatEvent } from '../../../../src/shared/core/chat/chat-event.ts'
import * as eg from '../../../support/eg.ts'

const message = eg.message({ id: 7, text: 'disk is full', editedAt: 5 })
const realms = new Map([[eg.chatId, eg.realm([message])]])

const [reminder] = dueReminders(
  eg.state({
    accounts: [eg.chatAccount()],
    realms,
    reminders: [
      {
        ...{ id: 'r', accountId: eg.chatId, conversation: eg.direct, messageId: 7 },
        ...{ label: 'Ana', at: eg.now },
      },
    ],
  }),
  eg.now,
)
if (reminder === undefined) throw new Error('no reminder')

const pending = { event: reminder, sound: true, wasDown: false, changes: 1 }
const head = { id: 'd', subject: 'd', title: 'While it was quiet', sound: true }

const edited: ChatEvent = {
  type: 'edited',
  messageId: 7,
  html: '<p>new</p>',
  text: 'new',
  editedAt: 6,
  flags: null,
  isAction: null,
}

describe.each([
  ['of its own', noticeOf(reminder, true)],
  ['in a digest', digestNotice([pending, pending], head, eg.now, {})],
])('a reminder %s keeps its words', (_where, notice) => {
  const state = eg.state({ accounts: [eg.chatAccount()], realms, notices: [notice] })

  test.each<[string, ChatEvent]>([
    ['edited', edited],
    ['deleted', { type: 'deleted', messageIds: [7] }],
  ])('when its message is %s', (_how, event) => {
    expect(withNoticesFollowing(state, state, eg.chatId, [event])).toBe(state)
  })

  test('at a connection, whatever was done to its message before', () => {
    const noticed = noticedMessages(state, eg.chatId)
    expect(missedChanges(noticed, new Map([[7, message]]), new Map())).toEqual([])
    expect(missedChanges(noticed, new Map(), new Map())).toEqual([])
  })
})
