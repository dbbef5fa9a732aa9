import type { RequestStep } from './case.ts'
import {
  agreement,
  aQueue,
  type ChatCase,
  get,
  holding,
  missing,
  ok,
  poll,
  refused,
  rows,
  send,
  someEvent,
} from './chat-parts.ts'

const elsewhere = { worldOnly: 'needs somebody else to do something' }
const eventsAre = (what: string, test: (ids: readonly unknown[]) => boolean) =>
  holding(what, (body) => test(rows(body, 'events').map(({ id }) => id)))
const none = eventsAre('there are no events', (ids) => ids.length === 0)
const gone = refused('BAD_EVENT_QUEUE_ID', { queue_id: '{queue}' })
const waiting = (expect?: RequestStep['expect']) => poll(expect, { dont_block: false })

const living: readonly ChatCase[] = [
  agreement('getEvents', 'an unknown queue is named', [
    get(
      '/events',
      { queue_id: 'fb67bf8a', last_event_id: -1 },
      refused('BAD_EVENT_QUEUE_ID', { queue_id: 'fb67bf8a' }),
    ),
  ]),
  agreement('deleteQueue', 'a queue can be deleted once', [
    aQueue({ event_types: ['message'] }),
    send('DELETE', '/events', { queue_id: '{queue}' }, ok()),
    poll(gone),
    send('DELETE', '/events', { queue_id: '{queue}' }, gone),
  ]),
  agreement('deleteQueue', 'a queue must be named', [
    send('DELETE', '/events', {}, missing('queue_id')),
  ]),
  agreement(
    'getEvents',
    'a heartbeat ends a wait of 45 to 55 seconds, with an id of its own',
    [
      aQueue(),
      { control: (controls) => controls.passWhileWaiting(55_000) },
      waiting(ok({ events: [{ type: 'heartbeat', id: 0 }] })),
      poll(none, { last_event_id: 0 }),
    ],
    { clock: true },
  ),
  agreement(
    'getEvents',
    'a heartbeat comes whatever was asked for',
    [
      aQueue({ event_types: ['message'] }),
      { control: (controls) => controls.passWhileWaiting(55_000) },
      waiting(ok({ events: [{ type: 'heartbeat' }] })),
    ],
    { clock: true },
  ),
  agreement(
    'getEvents',
    'a second poll ends the first at once',
    [
      aQueue(),
      {
        control: (controls, { queue = '' }) =>
          controls.whileWaiting((ask) =>
            ask('GET', `/api/v1/events?queue_id=${queue}&last_event_id=-1`, ''),
          ),
      },
      waiting(ok({ events: [] })),
    ],
    { worldOnly: 'asks twice at once' },
  ),
  agreement(
    'getEvents',
    'a waiting poll hears what somebody does',
    [
      aQueue(),
      {
        control: (controls) =>
          controls.whileWaiting(() => {
            controls.realm.say({ from: 'Ana', to: 'Ana', text: 'hi' })
          }),
      },
      waiting(ok({ events: [{ id: 0, type: 'message', flags: [] }] })),
    ],
    elsewhere,
  ),
  agreement(
    'deleteQueue',
    'deleting ends the poll that waits, as a success',
    [
      aQueue(),
      {
        control: (controls, { queue = '' }) =>
          controls.whileWaiting((ask) => ask('DELETE', '/api/v1/events', `queue_id=${queue}`)),
      },
      waiting(ok({ events: [] })),
      poll(gone),
    ],
    { worldOnly: 'asks twice at once' },
  ),
  agreement(
    'getEvents',
    'a queue lives ten minutes without a poll',
    [aQueue(), { passMs: 600_000 }, poll(ok())],
    { clock: true },
  ),
  agreement(
    'getEvents',
    'a queue is gone after more than ten minutes without a poll',
    [aQueue(), { passMs: 600_001 }, poll(gone)],
    { clock: true },
  ),
  agreement(
    'getEvents',
    'the ten minutes count from the last poll',
    [aQueue(), { passMs: 400_000 }, poll(ok()), { passMs: 400_000 }, poll(ok())],
    { clock: true },
  ),
  agreement(
    'getEvents',
    'a crash loses the queues',
    [aQueue(), { control: ({ realm }) => realm.dropQueues() }, poll(gone)],
    { worldOnly: 'a real one does not crash when asked to' },
  ),
  agreement(
    'getEvents',
    'a restart keeps the queues and tells the level',
    [
      aQueue(),
      { control: ({ realm }) => realm.restart(430) },
      poll(someEvent('restart', (event) => event['zulip_feature_level'] === 430)),
    ],
    { worldOnly: 'a real one does not restart when asked to' },
  ),
  agreement(
    'getEvents',
    'what muted people say is read already',
    [
      {
        control: ({ realm }) => {
          realm.muteUsers('Boris')
        },
      },
      aQueue({ event_types: ['message'] }),
      {
        control: ({ realm }) => {
          realm.say({ from: 'Boris', to: 'Boris', text: 'hello?' })
        },
      },
      poll(ok({ events: [{ flags: ['read'] }] })),
    ],
    elsewhere,
  ),
  agreement(
    'getEvents',
    'a channel that one is not subscribed to is silent',
    [
      aQueue({ event_types: ['message'] }),
      {
        control: ({ realm }) => {
          realm.say({ from: 'Ana', to: 'design > logo', text: 'a bell?' })
        },
      },
      poll(none),
    ],
    elsewhere,
  ),
]

export const queueLifeCases: readonly ChatCase[] = living
