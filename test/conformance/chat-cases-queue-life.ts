import type { RequestStep } from './case.ts'
import {
  agreement,
  aQueue,
  bySomebody,
  type ChatCase,
  get,
  herRoom,
  missing,
  noEvents,
  note,
  ok,
  poll,
  post,
  refused,
  saving,
  say,
  send,
  sheWrites,
  someEvent,
  whoAmI,
  whoElse,
} from './chat-parts.ts'

const gone = refused('BAD_EVENT_QUEUE_ID', { queue_id: '{queue}' })
const waiting = (expect?: RequestStep['expect'], more: Partial<RequestStep> = {}) => ({
  ...poll(expect, { dont_block: false }),
  ...more,
})
/** The longest that a poll waits. */
const longest = { waitMs: 60_000 }

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
  agreement('getEvents', 'a heartbeat ends a wait after 45 to 55 seconds, with its own id', [
    aQueue({ event_types: [] }),
    waiting(ok({ events: [{ type: 'heartbeat', id: 0 }] }), longest),
    poll(noEvents, { last_event_id: 0 }),
  ]),
  agreement('getEvents', 'a heartbeat comes for any event types', [
    aQueue({ event_types: ['reaction'] }),
    waiting(ok({ events: [{ type: 'heartbeat' }] }), longest),
  ]),
  agreement('getEvents', 'a second poll ends the first at once', [
    aQueue({ event_types: ['reaction'] }),
    waiting(ok({ events: [] }), { meanwhile: waiting(ok(), longest) }),
  ]),
  agreement('getEvents', 'a waiting poll gets someone else’s event', [
    whoAmI,
    aQueue({ event_types: ['message'] }),
    waiting(ok({ events: [{ id: 0, type: 'message', flags: [] }] }), {
      meanwhile: bySomebody(note('{prefix} hers')),
    }),
  ]),
  agreement('deleteQueue', 'deleting ends the waiting poll, as a success', [
    aQueue({ event_types: ['reaction'] }),
    waiting(ok({ events: [] }), {
      meanwhile: send('DELETE', '/events', { queue_id: '{queue}' }),
    }),
    poll(gone),
  ]),
  agreement(
    'getEvents',
    'a queue lives ten minutes to the millisecond',
    [aQueue(), { passMs: 600_000 }, poll(ok()), { passMs: 600_001 }, poll(gone)],
    { clock: true },
  ),
  agreement('getEvents', 'a queue lives ten minutes without a poll', [
    aQueue(),
    { passMs: 590_000 },
    poll(ok()),
  ]),
  // A real server looks for such queues once a minute.
  agreement('getEvents', 'a queue is gone after more than ten minutes without a poll', [
    aQueue(),
    { passMs: 690_000 },
    poll(gone),
  ]),
  agreement('getEvents', 'the ten minutes count from the last poll that waited', [
    aQueue({ event_types: ['reaction'] }),
    { passMs: 360_000 },
    waiting(ok({ events: [{ type: 'heartbeat' }] }), longest),
    { passMs: 360_000 },
    poll(ok()),
  ]),
  agreement('getEvents', 'the ten minutes do not count from a poll that was answered at once', [
    aQueue(),
    { passMs: 345_000 },
    poll(ok()),
    { passMs: 345_000 },
    poll(gone),
  ]),
  agreement(
    'getEvents',
    'a crash loses the queues',
    [aQueue(), { control: ({ realm }) => realm.dropQueues() }, poll(gone)],
    { pretendOnly: 'a real one does not crash when asked to' },
  ),
  agreement(
    'getEvents',
    'a restart keeps the queues and tells the level',
    [
      aQueue(),
      { control: ({ realm }) => realm.restart(430) },
      poll(someEvent('restart', (event) => event['zulip_feature_level'] === 430)),
    ],
    { pretendOnly: 'a real one does not restart when asked to' },
  ),
  agreement('getEvents', 'messages from muted people are already read', [
    whoElse,
    post('/users/me/muted_users/{other}'),
    aQueue({ event_types: ['message'] }),
    ...sheWrites,
    poll(ok({ events: [{ flags: ['read'] }] })),
  ]),
  agreement('getEvents', 'an unsubscribed channel sends nothing', [
    ...herRoom,
    aQueue({ event_types: ['message'] }),
    bySomebody(saving(say('{prefix} hers'), { hers: 'id' })),
    poll(noEvents),
    bySomebody(send('DELETE', '/messages/{hers}')),
    poll(noEvents),
  ]),
]

export const queueLifeCases: readonly ChatCase[] = living
