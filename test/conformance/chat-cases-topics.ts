import {
  agreement,
  aQueue,
  aRoom,
  bad,
  type ChatCase,
  get,
  isNumber,
  note,
  ok,
  poll,
  post,
  saving,
  say,
  someEvent,
  whoAmI,
} from './chat-parts.ts'

/** After a step that saved `said`: the message has these fields. */
const reads = (
  like: Readonly<Record<string, unknown>>,
  query: Readonly<Record<string, unknown>> = {},
) => get('/messages/{said}', query, ok({ message: like }))

const topics: readonly ChatCase[] = [
  agreement('sendMessage', 'a channel message needs a topic', [
    ...aRoom,
    post('/messages', { type: 'channel', to: '{room}', content: 'x' }, bad),
  ]),
  agreement('sendMessage', 'subject is another word for topic', [
    ...aRoom,
    saving(
      post('/messages', { type: 'channel', to: '{room}', content: 'x', subject: '{prefix}' }),
      { said: 'id' },
    ),
    reads({ subject: '{prefix}' }),
  ]),
  agreement('sendMessage', 'a topic of a direct message is ignored', [
    whoAmI,
    saving(note('{prefix}', { topic: 'x' }), { said: 'id' }),
    reads({ subject: '' }),
  ]),
  agreement('sendMessage', 'a topic that is too long is cut silently', [
    ...aRoom,
    saving(say('x', { topic: 'ž'.repeat(61) }), { said: 'id' }),
    reads({ subject: `${'ž'.repeat(57)}...` }),
  ]),
  agreement('sendMessage', 'a topic of 60 characters isn’t cut', [
    ...aRoom,
    saving(say('x', { topic: '🔔'.repeat(60) }), { said: 'id' }),
    reads({ subject: '🔔'.repeat(60) }),
  ]),
  agreement('sendMessage', 'a control character in a topic is refused', [
    ...aRoom,
    say('x', { topic: 'a\u0007b' }, bad),
  ]),
  ...['', '(no topic)', 'general chat'].map((topic) =>
    agreement('sendMessage', `topic ${JSON.stringify(topic)} is the empty one`, [
      ...aRoom,
      saving(say('x', { topic }), { said: 'id' }),
      reads({ subject: 'general chat' }),
      reads({ subject: '' }, { allow_empty_topic_name: true }),
    ]),
  ),
  agreement(
    'sendMessage',
    'whoever starts a topic follows it, and gets an event',
    [...aRoom, say('x', {}, ok({ automatic_new_visibility_policy: 3 }))],
    { needs: 'ownTopics' },
  ),
]

const echoes: readonly ChatCase[] = [
  agreement('sendMessage', 'the sending queue gets the local id', [
    whoAmI,
    aQueue({ event_types: ['message'] }),
    note('{prefix}', { queue_id: '{queue}', local_id: '7.01' }),
    poll(someEvent('message', (event) => event['local_message_id'] === '7.01')),
  ]),
  agreement('sendMessage', 'another queue doesn’t get the local id', [
    whoAmI,
    saving(post('/register', { event_types: ['message'] }), { other: 'queue_id' }),
    aQueue({ event_types: ['message'] }),
    note('{prefix}', { queue_id: '{other}', local_id: '7.01' }),
    poll(someEvent('message', (event) => !('local_message_id' in event))),
  ]),
  agreement('sendMessage', 'an unknown queue is no error', [
    whoAmI,
    note('{prefix}', { queue_id: 'gone', local_id: '1' }, ok({ id: isNumber })),
  ]),
  agreement('sendMessage', 'a local id without a queue is no error', [
    whoAmI,
    note('{prefix}', { local_id: '1' }, ok({ id: isNumber })),
  ]),
]

export const topicCases: readonly ChatCase[] = [...topics, ...echoes]
