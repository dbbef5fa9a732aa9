import type { Saved } from './case.ts'
import {
  agreement,
  aNote,
  aQueue,
  aRoom,
  bad,
  type ChatCase,
  get,
  holding,
  inner,
  isList,
  isNumber,
  missing,
  noMessage,
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
} from './chat-parts.ts'
import { partOf } from './part-of.ts'

type Fields = Readonly<Record<string, unknown>>

/** Far from now by any clock, in epoch seconds. */
const year2100 = 4_102_444_800

const remind = (fields: Fields = {}, expect = ok({ reminder_id: isNumber })) =>
  post(
    '/reminders',
    { message_id: '{note}', scheduled_delivery_timestamp: year2100, ...fields },
    expect,
  )
const reminded = [...aNote, saving(remind(), { reminder: 'reminder_id' })]
const gone = refused('BAD_REQUEST', {}, 404)
/** What a server of level 381 to 398 can't do: it has reminders, but doesn't list them. */
const since = { since: '399' }

const isOurs = (one: Fields, { reminder, note, me }: Saved) =>
  sameList(
    [one['reminder_id'], one['reminder_target_message_id'], one['type'], one['to']],
    [Number(reminder), Number(note), 'private', [Number(me)]],
  ) &&
  one['scheduled_delivery_timestamp'] === year2100 &&
  one['failed'] === false

export const reminderCases: readonly ChatCase[] = [
  agreement('createReminder', 'a reminder of a message has an id', [...aNote, remind()]),
  agreement('createReminder', 'the past is refused, even for a missing message', [
    remind({ message_id: noMessage, scheduled_delivery_timestamp: 5 }, bad),
  ]),
  agreement('createReminder', 'a missing message is refused', [
    remind({ message_id: noMessage }, bad),
  ]),
  agreement('createReminder', 'a time is needed', [
    ...aNote,
    post('/reminders', { message_id: '{note}' }, missing('scheduled_delivery_timestamp')),
  ]),
  agreement('createReminder', 'a message can have several', [...reminded, remind()]),
  agreement(
    'createReminder',
    'a reminder comes as an event',
    [
      ...aNote,
      aQueue({ event_types: ['reminders'] }),
      saving(remind(), { reminder: 'reminder_id' }),
      poll(
        someEvent('reminders', ({ op, reminders }, saved) => {
          const [one = {}] = rows({ reminders }, 'reminders')
          return op === 'add' && isOurs(one, saved)
        }),
      ),
    ],
    since,
  ),
  agreement(
    'createReminder',
    'a note comes before the quoted message',
    [
      ...aNote,
      saving(remind({ note: '\n{prefix} why \n' }), { reminder: 'reminder_id' }),
      get(
        '/reminders',
        {},
        holding('it has the note', (body, { reminder, prefix }) =>
          rows(body, 'reminders').some(
            ({ reminder_id: id, content }) =>
              id === Number(reminder) && String(content).includes(` Note:\n > ${prefix} why\n\n`),
          ),
        ),
      ),
    ],
    { since: '415' },
  ),
  agreement(
    'createReminder',
    'a note is unknown',
    [...aNote, remind({ note: 'x' }, ok({ ignored_parameters_unsupported: ['note'] }))],
    { before: '415' },
  ),
  agreement('listReminders', 'a reminder is listed, with its message in a quote', [
    ...reminded,
    get(
      '/reminders',
      {},
      holding('it is there', (body, saved) =>
        rows(body, 'reminders').some(
          (one) =>
            isOurs(one, saved) &&
            String(one['content']).endsWith(`quote\n${saved['prefix']} note\n\`\`\``) &&
            String(one['rendered_content']).includes('<blockquote>'),
        ),
      ),
    ),
  ]),
  agreement('listReminders', 'the message is linked to', [
    ...aRoom,
    saving(say('x'), { note: 'id' }),
    saving(remind(), { reminder: 'reminder_id' }),
    get(
      '/reminders',
      {},
      holding('its link is there', (body, { reminder, note, room }) =>
        rows(body, 'reminders').some(
          ({ reminder_id: id, rendered_content: html }) =>
            id === Number(reminder) &&
            new RegExp(`#narrow/channel/${room}-[^"]*/near/${note}"`).test(String(html)),
        ),
      ),
    ),
  ]),
  agreement(
    'registerQueue',
    'reminders are returned if asked for',
    [post('/register', { fetch_event_types: ['reminders'] }, ok({ reminders: isList }))],
    since,
  ),
  agreement(
    'registerQueue',
    'the length of a note is limited',
    [
      post(
        '/register',
        { fetch_event_types: ['realm'] },
        ok({ max_reminder_note_length: isNumber }),
      ),
    ],
    { since: '415' },
  ),
  agreement(
    null,
    'reminders are unknown',
    [
      get('/reminders', {}, { status: 404, body: { is: 'html' } }),
      ...aNote,
      remind({}, { status: 404, body: { is: 'html' } }),
    ],
    { before: '381' },
  ),
  agreement('deleteReminder', 'a reminder can be deleted once', [
    ...reminded,
    aQueue({ event_types: ['reminders'] }),
    send('DELETE', '/reminders/{reminder}', {}, ok()),
    poll(
      someEvent(
        'reminders',
        ({ op, reminder_id: id }, { reminder }) => op === 'remove' && id === Number(reminder),
      ),
    ),
    send('DELETE', '/reminders/{reminder}', {}, gone),
  ]),
  agreement(
    'createReminder',
    'when it is due, the Notification Bot quotes the message, and the reminder is removed',
    [
      ...aNote,
      saving(get('/messages/{note}'), {
        soon: ({ json }) => String(Number(partOf(json, 'message', 'timestamp')) + 60),
      }),
      remind({ scheduled_delivery_timestamp: '{soon}' }),
      aQueue({ event_types: ['message', 'reminders'] }),
      // A real server looks for due messages once a minute.
      { passMs: 120_000 },
      poll(
        someEvent('message', ({ message }, { note, prefix, me }) => {
          const { sender_id: sender, content, type } = inner(message)
          return (
            sender !== Number(me) &&
            type === 'private' &&
            String(content).includes(`/near/${note}`) &&
            String(content).includes(`${prefix} note`)
          )
        }),
      ),
      poll(someEvent('reminders', ({ op }) => op === 'remove')),
    ],
    { ...since, worldOnly: 'the message would stay with the account' },
  ),
  agreement(
    'createReminder',
    'of a message that is gone by then, it quotes what was there',
    [
      ...aNote,
      saving(get('/messages/{note}'), {
        soon: ({ json }) => String(Number(partOf(json, 'message', 'timestamp')) + 60),
      }),
      remind({ scheduled_delivery_timestamp: '{soon}' }),
      send('DELETE', '/messages/{note}'),
      aQueue({ event_types: ['message'] }),
      { passMs: 120_000 },
      poll(
        someEvent('message', ({ message }, { prefix }) =>
          String(inner(message)['content']).includes(`${prefix} note`),
        ),
      ),
    ],
    { worldOnly: 'the message would stay with the account' },
  ),
  agreement('listReminders', 'they are listed in the order of their times', [
    whoAmI,
    ...aNote,
    saving(remind({ scheduled_delivery_timestamp: year2100 + 60 }), { late: 'reminder_id' }),
    saving(remind(), { early: 'reminder_id' }),
    get(
      '/reminders',
      {},
      holding('the earlier one is first', (body, { late, early }) => {
        const ids = rows(body, 'reminders').map(({ reminder_id: id }) => id)
        return ids.indexOf(Number(early)) < ids.indexOf(Number(late))
      }),
    ),
  ]),
]
