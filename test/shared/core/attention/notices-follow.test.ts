import { describe, expect, test } from 'vitest'
import { emptyMemory, type Waiting } from '../../../../src/shared/core/attention/memory.ts'
import { digestNotice, noticeOf } from '../../../../src/shared/core/attention/notices.ts'
import {
  checksRead,
  missedChanges,
  noticedMessages,
  withNoticesFollowing,
} from '../../../../src/shared/core/attention/notices-follow.ts'
import { dueReminders } from '../../../../src/shared/core/attention/remind-me/due-reminders.ts'
import type { ChatEvent } from '../../../../src/shared/core/chat/chat-event.ts'
import { checkEvent } from '../../../support/attention-eg.ts'
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

test.each([
  { what: 'says nothing of a check that is up as before', is: { pingCount: 9 }, read: [] },
  { what: 'has the new name of a check', is: { name: 'mysql' }, read: ['mysql'] },
  { what: 'has what is down', is: { status: 'down' as const }, read: ['db'] },
])('what was read of checks about which something waits $what', ({ is, read }) => {
  const before = eg.check({ id: 'x', name: 'db', status: 'up' })
  const event = checkEvent({ kind: 'recovered', accountId: eg.opsId, checkId: 'x', name: 'db' })
  const tags = { tags: before.tags }
  const one: Waiting = {
    ...{ event: { ...event, ...tags }, why: 'flapping', until: null, sound: false },
    ...{ wasDown: false, changes: 1 },
  }
  const memory = { ...emptyMemory, waits: new Map([[event.subject, one]]) }
  const stateOf = (check: typeof before) =>
    eg.state({ boards: new Map([[eg.opsId, eg.board([check])]]) })
  const known = stateOf(before)
  expect(checksRead(known, known, memory, [], eg.now)).toEqual([])
  const found = checksRead(known, stateOf({ ...before, ...is }), memory, [], eg.now)
  expect(found.map(({ name }) => name)).toEqual(read)
})
