import type { Answer, Saved } from './case.ts'
import {
  agreement,
  aNote,
  aQueue,
  aRoom,
  bad,
  badNaming,
  type ChatCase,
  get,
  holding,
  inner,
  isNumber,
  missing,
  ok,
  poll,
  post,
  refused,
  rows,
  sameList,
  saving,
  say,
  send,
  someEvent,
  whoAmI,
  whoElse,
} from './chat-parts.ts'
import { partOf } from './part-of.ts'

type Fields = Readonly<Record<string, unknown>>

/** Far from now by any clock, in epoch seconds. */
const year2100 = 4_102_444_800

const schedule = (fields: Fields, expect = ok({ scheduled_message_id: isNumber })) =>
  post(
    '/scheduled_messages',
    {
      type: 'direct',
      to: '[{me}]',
      content: '{prefix} later',
      scheduled_delivery_timestamp: year2100,
      ...fields,
    },
    expect,
  )

const scheduled: readonly ChatCase[] = [
  agreement('createScheduledMessage', 'a direct message can be scheduled', [whoAmI, schedule({})]),
  agreement('createScheduledMessage', 'a channel message can be scheduled', [
    ...aRoom,
    schedule({ type: 'channel', to: '{room}', topic: '{prefix}' }),
  ]),
  agreement('createScheduledMessage', 'the past is refused', [
    whoAmI,
    schedule({ scheduled_delivery_timestamp: 5 }, bad),
  ]),
  agreement('createScheduledMessage', 'the past is refused before an unknown channel', [
    schedule(
      { type: 'channel', to: 999_999_999, topic: 'x', scheduled_delivery_timestamp: 5 },
      bad,
    ),
  ]),
  agreement('createScheduledMessage', 'the time is a whole number', [
    whoAmI,
    schedule(
      { scheduled_delivery_timestamp: 4_102_444_800.5 },
      badNaming('scheduled_delivery_timestamp'),
    ),
  ]),
  agreement('createScheduledMessage', 'a time is needed', [
    whoAmI,
    post(
      '/scheduled_messages',
      { type: 'direct', to: '[{me}]', content: 'x' },
      missing('scheduled_delivery_timestamp'),
    ),
  ]),
  agreement('createScheduledMessage', 'an unknown channel is named by its id', [
    whoAmI,
    schedule(
      { type: 'channel', to: 999_999_999, topic: 'x' },
      refused('STREAM_DOES_NOT_EXIST', { stream_id: 999_999_999 }),
    ),
  ]),
  agreement('createScheduledMessage', 'only an id names a channel', [
    ...aRoom,
    schedule({ type: 'channel', to: '{prefix} room', topic: 'x' }, bad),
  ]),
  agreement('createScheduledMessage', 'only ids name people', [
    whoAmI,
    schedule({ to: '["{mail}"]' }, bad),
  ]),
  agreement('createScheduledMessage', 'an unknown person is refused', [
    whoAmI,
    schedule({ to: [999_999_999] }, bad),
  ]),
  agreement('createScheduledMessage', 'empty content is refused', [
    whoAmI,
    schedule({ content: ' ' }, bad),
  ]),
  agreement('createScheduledMessage', 'a recipient is needed', [schedule({ to: '[]' }, bad)]),
  agreement(
    'createScheduledMessage',
    'recipients are listed without oneself, and the text is trimmed',
    [
      whoAmI,
      whoElse,
      aQueue({ event_types: ['scheduled_messages'] }),
      schedule({ to: '[{me},{other}]', content: `\n    ${'x'.repeat(10_000)} \n` }),
      poll(
        someEvent('scheduled_messages', ({ op, scheduled_messages: list }, { other }) => {
          const [{ to, content } = {}] = rows({ list }, 'list')
          const cut = `    ${'x'.repeat(9_976)}\n[message truncated]`
          return op === 'add' && sameList([to, content], [[Number(other)], cut])
        }),
      ),
    ],
  ),
  agreement(
    'createScheduledMessage',
    'when due, the message comes without a local id, and the plan is removed',
    [
      ...aNote,
      saving(get('/messages/{note}'), { soon: inOneMinute }),
      schedule({ scheduled_delivery_timestamp: '{soon}' }),
      aQueue({ event_types: ['message', 'scheduled_messages'] }),
      // A real server looks for due messages once a minute.
      { passMs: 120_000 },
      poll(someEvent('message', (event) => !('local_message_id' in event))),
      poll(someEvent('scheduled_messages', ({ op }) => op === 'remove')),
    ],
  ),
  agreement('deleteScheduledMessage', 'a sent message can’t be changed, but deleted once', [
    ...aNote,
    saving(get('/messages/{note}'), { soon: inOneMinute }),
    saving(schedule({ scheduled_delivery_timestamp: '{soon}' }), { plan: 'scheduled_message_id' }),
    { passMs: 120_000 },
    get('/scheduled_messages', {}, holding('it is not listed', isNotListed)),
    send('PATCH', '/scheduled_messages/{plan}', { content: 'x' }, bad),
    send('DELETE', '/scheduled_messages/{plan}', {}, ok()),
    send('DELETE', '/scheduled_messages/{plan}', {}, refused('BAD_REQUEST', {}, 404)),
  ]),
  agreement(
    'listScheduledMessages',
    'a message that can’t be sent when due stays, and needs a new time',
    [
      ...aRoom,
      saving(say('x'), { note: 'id' }),
      saving(get('/messages/{note}'), { soon: inOneMinute }),
      saving(
        schedule({
          type: 'channel',
          to: '{room}',
          topic: 'x',
          scheduled_delivery_timestamp: '{soon}',
        }),
        { plan: 'scheduled_message_id' },
      ),
      {
        control: ({ realm }, saved) => realm.archiveChannel(`${saved['prefix']} room`),
      },
      aQueue({ event_types: ['scheduled_messages'] }),
      { passMs: 120_000 },
      poll(
        someEvent(
          'scheduled_messages',
          ({ op, scheduled_message: one }) => op === 'update' && inner(one)['failed'] === true,
        ),
      ),
      send('PATCH', '/scheduled_messages/{plan}', { content: 'x' }, bad),
      get(
        '/scheduled_messages',
        {},
        holding('it is listed', (...answer) => !isNotListed(...answer)),
      ),
    ],
    { worldOnly: 'the archived channel would need other permissions' },
  ),
]

function inOneMinute({ json }: Answer): string {
  return String(Number(partOf(json, 'message', 'timestamp')) + 60)
}

function isNotListed(body: Fields, { plan }: Saved): boolean {
  return rows(body, 'scheduled_messages').every(
    ({ scheduled_message_id: id }) => id !== Number(plan),
  )
}

const planned = [whoAmI, saving(schedule({}), { plan: 'scheduled_message_id' })]
const change = (fields: Fields, expect = ok()) =>
  send('PATCH', '/scheduled_messages/{plan}', fields, expect)
const gone = refused('BAD_REQUEST', {}, 404)

const plans: readonly ChatCase[] = [
  agreement('listScheduledMessages', 'a plan is listed, with ids and rendered content', [
    ...planned,
    get(
      '/scheduled_messages',
      {},
      holding('it is there', (body, saved) =>
        rows(body, 'scheduled_messages').some(
          (one) =>
            one['scheduled_message_id'] === Number(saved['plan']) &&
            one['type'] === 'private' &&
            JSON.stringify(one['to']) === `[${saved['me']}]` &&
            one['content'] === `${saved['prefix']} later` &&
            one['rendered_content'] === `<p>${saved['prefix']} later</p>` &&
            one['scheduled_delivery_timestamp'] === year2100 &&
            one['failed'] === false,
        ),
      ),
    ),
  ]),
  agreement('editScheduledMessage', 'content and time can be changed', [
    ...planned,
    aQueue({ event_types: ['scheduled_messages'] }),
    change({ content: '{prefix} new', scheduled_delivery_timestamp: year2100 + 60 }),
    poll(
      someEvent('scheduled_messages', ({ op, scheduled_message }, saved) => {
        const { content, scheduled_delivery_timestamp: at } = inner(scheduled_message)
        return op === 'update' && content === `${saved['prefix']} new` && at === year2100 + 60
      }),
    ),
  ]),
  agreement('editScheduledMessage', 'the past is refused', [
    ...planned,
    change({ scheduled_delivery_timestamp: 5 }, bad),
  ]),
  agreement('editScheduledMessage', 'the past is refused, even for a missing plan', [
    send('PATCH', '/scheduled_messages/999999999', { scheduled_delivery_timestamp: 5 }, bad),
  ]),
  agreement('editScheduledMessage', 'an empty change is refused', [...planned, change({}, bad)]),
  agreement('editScheduledMessage', 'blank content is refused', [
    ...planned,
    change({ content: ' ' }, bad),
  ]),
  agreement('editScheduledMessage', 'a plan can be redirected, otherwise unchanged', [
    ...planned,
    whoElse,
    change({ to: '[{other}]' }),
    get(
      '/scheduled_messages',
      {},
      holding('it is for her', (body, { plan, other, prefix }) =>
        rows(body, 'scheduled_messages').some(
          ({ scheduled_message_id: id, to, content }) =>
            id === Number(plan) && sameList([to, content], [[Number(other)], `${prefix} later`]),
        ),
      ),
    ),
  ]),
  agreement('editScheduledMessage', 'a new type needs its recipient', [
    ...planned,
    change({ type: 'channel', topic: 'x' }, bad),
  ]),
  agreement('editScheduledMessage', 'a channel needs its topic', [
    ...planned,
    change({ type: 'channel', to: 1 }, bad),
  ]),
  agreement('editScheduledMessage', 'a missing plan is a 404', [
    send('PATCH', '/scheduled_messages/999999999', { content: 'x' }, gone),
  ]),
  agreement('deleteScheduledMessage', 'a plan can be deleted once', [
    ...planned,
    send('DELETE', '/scheduled_messages/{plan}', {}, ok()),
    send('DELETE', '/scheduled_messages/{plan}', {}, gone),
  ]),
]

export const scheduledCases: readonly ChatCase[] = [...scheduled, ...plans]
