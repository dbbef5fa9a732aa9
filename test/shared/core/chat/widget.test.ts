import { describe, expect, test } from 'vitest'
import { readEvent } from '../../../../src/shared/api/chat/read-events.ts'
import { readMessage } from '../../../../src/shared/api/chat/read-message.ts'
import { withEvents } from '../../../../src/shared/core/chat/chat-apply.ts'
import { messageOf } from '../../../../src/shared/core/chat/message-list.ts'
import { widgetOf } from '../../../../src/shared/core/chat/widget.ts'
import * as eg from '../../../support/eg.ts'

const context = { me: eg.me.id, toText: (html: string) => html }
const at = (id: number, senderId: number, content: unknown) => ({
  id,
  senderId,
  content: typeof content === 'string' ? content : JSON.stringify(content),
})

// As a real server of 10.0 passes them on.
const poll = {
  widget_type: 'poll',
  extra_data: { question: 'Lunch?', options: ['noodles', 'soup'] },
}
const list = {
  widget_type: 'todo',
  extra_data: { task_list_title: 'Shift', tasks: [{ task: 'lock', desc: 'the door' }] },
}

describe('a poll', () => {
  test('counts each person once per option, and knows options added by others', () => {
    const widget = widgetOf([
      at(1, 11, poll),
      at(2, 11, { type: 'vote', key: 'canned,0', vote: 1 }),
      at(3, 12, { type: 'vote', key: 'canned,0', vote: 1 }),
      at(4, 12, { type: 'vote', key: 'canned,0', vote: 1 }),
      at(5, 11, { type: 'vote', key: 'canned,0', vote: -1 }),
      at(6, 12, { type: 'new_option', idx: 1, option: 'rice' }),
      at(7, 11, { type: 'vote', key: '12,1', vote: 1 }),
      at(8, 11, { type: 'vote', key: 'nowhere,1', vote: 1 }),
      at(9, 11, 'no JSON'),
      at(10, 11, { type: 'from_the_future' }),
      at(11, 11, { type: 'question', question: 'Dinner?' }),
      at(12, 12, { type: 'question', question: 'Votes of another question?' }),
    ])
    expect(widget).toMatchObject({ kind: 'poll', title: 'Dinner?' })
    expect(widget?.lines.map(({ text, votes }) => [text, votes])).toEqual([
      ['noodles', 1],
      ['soup', 0],
      ['rice', 1],
    ])
  })
})

describe('a to-do list', () => {
  test('has tasks of several people with their descriptions, done and undone', () => {
    const widget = widgetOf([
      at(1, 11, list),
      at(2, 12, {
        type: 'new_task',
        key: 2,
        task: 'lights',
        desc: 'all of them',
        completed: false,
      }),
      at(3, 11, { type: 'strike', key: '0,canned' }),
      at(4, 11, { type: 'strike', key: '2,12' }),
      at(5, 11, { type: 'strike', key: '2,12' }),
      at(6, 12, { type: 'new_task', key: 3, task: 'bins', desc: '', completed: false }),
    ])
    expect(widget).toMatchObject({ kind: 'todo', title: 'Shift' })
    expect(widget?.lines.map(({ text, isDone }) => [text, isDone])).toEqual([
      ['lock: the door', true],
      ['lights: all of them', false],
      ['bins', false],
    ])
  })
})

test.each([
  ['nothing', undefined],
  ['no submessage', []],
  ['another widget', [at(1, 11, { widget_type: 'zform', extra_data: {} })]],
  ['no JSON', [at(1, 11, '/poll')]],
])('%s is no widget', (_what, submessages) => {
  expect(widgetOf(submessages)).toBeNull()
})

test('a message with a widget says so in its text, and follows its events, each once', () => {
  const message = readMessage(
    {
      id: 591,
      type: 'private',
      content: '<p>/poll Lunch?<br>noodles</p>',
      sender_id: 2,
      timestamp: 1_773_757_500,
      display_recipient: [{ id: 1 }, { id: 2 }],
      submessages: [
        { id: 1, message_id: 591, sender_id: 2, msg_type: 'widget', content: JSON.stringify(poll) },
      ],
    },
    context,
  )
  expect(message?.text).toBe('Poll: Lunch?')
  const vote = {
    type: 'submessage',
    msg_type: 'widget',
    message_id: 591,
    submessage_id: 3,
    sender_id: 1,
    content: '{"type": "vote", "key": "canned,0", "vote": 1}',
    id: 2,
  }
  const events = readEvent(vote, context)
  const realm = withEvents(eg.realm(message === null ? [] : [message]), [...events, ...events])
  const after = messageOf(realm.messages, 591)
  expect(after?.submessages).toHaveLength(2)
  expect(widgetOf(after?.submessages)?.lines[0]).toMatchObject({ text: 'noodles', votes: 1 })
  const renamed = { type: 'question', question: 'Dinner?' }
  const [rename] = readEvent(
    { ...vote, submessage_id: 4, sender_id: 2, content: JSON.stringify(renamed) },
    context,
  )
  expect(messageOf(withEvents(realm, [rename!]).messages, 591)?.text).toBe('Poll: Dinner?')
})

test('an edit or a preview of a poll leaves its words alone', () => {
  const submessages = [{ id: 1, senderId: 2, content: JSON.stringify(poll) }]
  const message = eg.message({ id: 591, text: 'Poll: Lunch?', submessages })
  for (const editedAt of [null, eg.now]) {
    const edited = {
      type: 'edited',
      messageId: 591,
      html: '<p>/poll Lunch?</p>',
      text: '/poll Lunch? noodles',
      editedAt,
      flags: null,
      isAction: null,
    } as const
    const realm = withEvents(eg.realm([message]), [edited])
    expect(messageOf(realm.messages, 591)?.text).toBe('Poll: Lunch?')
  }
})

test('equal options of a poll are one, which votes for either count for', () => {
  const step = (id: number, senderId: number, content: object) => ({
    id,
    senderId,
    content: JSON.stringify(content),
  })
  const data = { question: 'Lunch?', options: ['noodles', 'noodles', 'rice'] }
  const made = widgetOf([
    step(1, 2, { widget_type: 'poll', extra_data: data }),
    step(2, 3, { type: 'new_option', idx: 1, option: 'rice' }),
    step(3, 3, { type: 'vote', key: '3,1', vote: 1 }),
    step(4, 2, { type: 'vote', key: 'canned,2', vote: 1 }),
    step(5, 2, { type: 'vote', key: 'canned,1', vote: 1 }),
  ])
  expect(made?.lines.map(({ text, votes }) => [text, votes])).toEqual([
    ['noodles', 1],
    ['rice', 2],
  ])
})
