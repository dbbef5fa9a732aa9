import type { RequestStep } from './case.ts'
import {
  agreement,
  aNote,
  aQueue,
  bad,
  bySomebody,
  type ChatCase,
  eventsAre,
  get,
  herRoom,
  holding,
  inner,
  isAbsent,
  noEvents,
  note,
  poll,
  post,
  refused,
  rows,
  saving,
  say,
  someEvent,
  whoAmI,
} from './chat-parts.ts'

const star = post('/messages/flags', { messages: '[{note}]', op: 'add', flag: 'starred' })
const collapse = post('/messages/flags', { messages: '[{note}]', op: 'add', flag: 'collapsed' })
const waiting = (expect?: RequestStep['expect']) => poll(expect, { dont_block: false })

const polling: readonly ChatCase[] = [
  agreement('getEvents', 'a poll that doesn’t wait gets no events', [
    aQueue({ event_types: ['message'] }),
    poll(noEvents),
  ]),
  agreement('getEvents', 'a poll is answered at once if something happened', [
    whoAmI,
    aQueue({ event_types: ['message'] }),
    note('{prefix}'),
    waiting(someEvent('message')),
  ]),
  agreement('getEvents', 'ids go up from 0', [
    ...aNote,
    aQueue({ event_types: ['update_message_flags'] }),
    star,
    collapse,
    poll(eventsAre('they ascend', (ids) => JSON.stringify(ids) === '[0,1]')),
  ]),
  agreement('getEvents', 'ids have gaps where changes of one flag were merged', [
    ...aNote,
    saving(note('{prefix} second'), { other: 'id' }),
    aQueue({ event_types: ['update_message_flags'] }),
    star,
    post('/messages/flags', { messages: '[{other}]', op: 'add', flag: 'starred' }),
    poll(eventsAre('only the second number is there', (ids) => JSON.stringify(ids) === '[1]')),
  ]),
  agreement('getEvents', 'a merged change of a flag comes after what was between its parts', [
    ...aNote,
    saving(note('{prefix} second'), { other: 'id' }),
    aQueue({ event_types: ['update_message_flags'] }),
    star,
    collapse,
    post('/messages/flags', { messages: '[{other}]', op: 'add', flag: 'starred' }),
    poll(
      holding('the stars come last', (body, saved) => {
        const [first, last, ...more] = rows(body, 'events')
        const stars = [saved['note'], saved['other']].map(Number)
        return (
          more.length === 0 &&
          first?.['flag'] === 'collapsed' &&
          JSON.stringify(last?.['messages']) === JSON.stringify(stars)
        )
      }),
    ),
  ]),
  agreement('getEvents', 'unacknowledged events come again', [
    ...aNote,
    aQueue({ event_types: ['update_message_flags'] }),
    star,
    poll(someEvent('update_message_flags')),
    poll(someEvent('update_message_flags')),
  ]),
  agreement('getEvents', 'acknowledged events are gone', [
    ...aNote,
    aQueue({ event_types: ['update_message_flags'] }),
    star,
    saving(poll(someEvent('update_message_flags')), { last: 'events.0.id' }),
    poll(noEvents),
  ]),
  agreement('getEvents', 'an id before the pruned events is a plain 400', [
    ...aNote,
    aQueue({ event_types: ['update_message_flags'] }),
    star,
    poll(),
    poll(noEvents, { last_event_id: 0 }),
    poll(refused('BAD_REQUEST', { queue_id: isAbsent })),
  ]),
  agreement('getEvents', 'an id that never existed is a plain 400', [
    aQueue({ event_types: ['message'] }),
    poll(bad, { last_event_id: 40 }),
  ]),
  agreement('getEvents', 'the type of a message is stream or private', [
    whoAmI,
    aQueue({ event_types: ['message'] }),
    note('{prefix}'),
    poll(someEvent('message', ({ message }) => inner(message)['type'] === 'private')),
  ]),
  agreement('getEvents', 'the flags of a new message are next to it', [
    whoAmI,
    aQueue({ event_types: ['message'] }),
    note('{prefix}'),
    poll(
      someEvent(
        'message',
        (event) =>
          JSON.stringify(event['flags']) === '["read"]' && !('flags' in inner(event['message'])),
      ),
    ),
  ]),
  agreement('getEvents', 'content comes as its source by default', [
    whoAmI,
    aQueue({ event_types: ['message'] }),
    note('**{prefix}**'),
    poll(
      someEvent(
        'message',
        ({ message }, saved) => inner(message)['content'] === `**${saved['prefix']}**`,
      ),
    ),
  ]),
  agreement('getEvents', 'content comes rendered on request', [
    whoAmI,
    aQueue({ event_types: ['message'], apply_markdown: true }),
    note('**{prefix}**'),
    poll(
      someEvent('message', ({ message }) => String(inner(message)['content']).startsWith('<p>')),
    ),
  ]),
  agreement('getEvents', 'only requested types come', [
    ...aNote,
    aQueue({ event_types: ['reaction'] }),
    star,
    poll(noEvents),
  ]),
  agreement('getEvents', 'a narrow lets through what it names', [
    whoAmI,
    aQueue({ event_types: ['message'], narrow: [['is', 'dm']] }),
    note('{prefix}'),
    poll(someEvent('message')),
  ]),
  agreement('getEvents', 'a narrow excludes the rest', [
    whoAmI,
    aQueue({ event_types: ['message'], narrow: [['is', 'starred']] }),
    note('{prefix}'),
    poll(noEvents),
  ]),
  agreement('getEvents', 'events of all public channels can be requested, without flags', [
    ...herRoom,
    aQueue({ event_types: ['message'], all_public_streams: true }),
    bySomebody(say('{prefix} hers')),
    poll(
      someEvent(
        'message',
        ({ message, flags }, { room }) =>
          inner(message)['stream_id'] === Number(room) && JSON.stringify(flags) === '[]',
      ),
    ),
  ]),
  agreement('getEvents', 'a last event id is needed', [
    aQueue({ event_types: ['message'] }),
    get('/events', { queue_id: '{queue}' }, { status: 400 }),
  ]),
  agreement('getEvents', 'a last event id is a whole number', [
    aQueue({ event_types: ['message'] }),
    poll(bad, { last_event_id: 'x' }),
  ]),
]

export const queueCases: readonly ChatCase[] = polling
