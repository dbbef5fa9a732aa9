import type { Saved } from './case.ts'
import {
  agreement,
  aQueue,
  aRoom,
  bad,
  badNaming,
  type ChatCase,
  get,
  herRoom,
  holding,
  isNumber,
  missing,
  ok,
  poll,
  post,
  refused,
  rows,
  saving,
  someEvent,
  threeSaid,
  whoAmI,
} from './chat-parts.ts'

type Fields = Readonly<Record<string, unknown>>

const create = (fields: Fields, expect = ok()) =>
  post('/channels/create', { name: '{prefix} new', subscribers: '[{me}]', ...fields }, expect)

const channels: readonly ChatCase[] = [
  agreement('createChannel', 'a new channel has an id', [
    whoAmI,
    saving(create({}, ok({ id: isNumber })), { room: 'id' }),
  ]),
  agreement('createChannel', 'a name in use is a conflict, whatever its case', [
    ...aRoom,
    create({ name: '{prefix} ROOM' }, refused('CHANNEL_ALREADY_EXISTS', {}, 409)),
  ]),
  agreement('createChannel', 'a channel needs a name', [
    whoAmI,
    post('/channels/create', { subscribers: '[{me}]' }, missing('name')),
  ]),
  agreement('createChannel', 'a channel needs subscribers, even an empty list', [
    post('/channels/create', { name: '{prefix}' }, missing('subscribers')),
  ]),
  agreement('createChannel', 'a blank name is refused', [whoAmI, create({ name: '  ' }, bad)]),
  agreement('createChannel', 'a name that is too long is refused', [
    whoAmI,
    create({ name: 'ž'.repeat(61) }, bad),
  ]),
  agreement('createChannel', 'an invalid policy for topics is refused', [
    whoAmI,
    create({ topics_policy: 'whatever' }, bad),
  ]),
  agreement('createChannel', 'invite_only is strict', [
    whoAmI,
    create({ invite_only: 'yes' }, badNaming('invite_only')),
  ]),
  agreement('createChannel', 'a new channel is among the subscriptions', [
    ...aRoom,
    get(
      '/users/me/subscriptions',
      {},
      holding('it is listed', (body, saved) =>
        rows(body, 'subscriptions').some(
          ({ stream_id, name, is_muted }) =>
            stream_id === Number(saved['room']) &&
            name === `${saved['prefix']} room` &&
            is_muted === false,
        ),
      ),
    ),
  ]),
  agreement('createChannel', 'a new subscription is sent to the queues', [
    whoAmI,
    aQueue({ event_types: ['subscription'] }),
    create({}),
    poll(
      someEvent('subscription', (event, saved) =>
        rows(event, 'subscriptions').some(({ name }) => name === `${saved['prefix']} new`),
      ),
    ),
  ]),
  agreement('listChannels', 'all public channels are listed, including one’s own', [
    ...aRoom,
    get(
      '/streams',
      {},
      holding('it is listed, without what is personal', (body, saved) =>
        rows(body, 'streams').some(
          (one) => one['stream_id'] === Number(saved['room']) && !('color' in one),
        ),
      ),
    ),
  ]),
  agreement('listChannels', 'only subscribed channels can be asked for', [
    ...herRoom,
    get(
      '/streams',
      { include_public: false },
      holding('hers is not there', (body, { room }) =>
        rows(body, 'streams').every(({ stream_id }) => stream_id !== Number(room)),
      ),
    ),
  ]),
  agreement('listChannels', 'include_public is strict', [
    get('/streams', { include_public: 'no' }, badNaming('include_public')),
  ]),
  agreement('listSubscriptions', 'unset settings are null', [
    get(
      '/users/me/subscriptions',
      {},
      holding('each is a boolean or null', (body) =>
        rows(body, 'subscriptions').every(
          ({ desktop_notifications: one }) => one === null || typeof one === 'boolean',
        ),
      ),
    ),
  ]),
]

const subscribe = (fields: Fields, expect = ok()) =>
  post('/users/me/subscriptions', { subscriptions: '[{"name":"{prefix} new"}]', ...fields }, expect)

const listedOnce = holding('it is listed once', (body, saved) => {
  const mine = rows(body, 'subscriptions').filter(({ name }) => name === `${saved['prefix']} new`)
  return mine.length === 1
})

const subscriptions: readonly ChatCase[] = [
  agreement('subscribe', 'a missing channel is created', [
    whoAmI,
    subscribe({}, holding('it was subscribed to', subscribedAs('subscribed'))),
    get('/users/me/subscriptions', {}, listedOnce),
  ]),
  agreement('subscribe', 'a subscribed channel stays as it is', [
    whoAmI,
    subscribe({}),
    subscribe({}, holding('it was already', subscribedAs('already_subscribed'))),
    get('/users/me/subscriptions', {}, listedOnce),
  ]),
  agreement('subscribe', 'channels are needed', [
    post('/users/me/subscriptions', {}, missing('subscriptions')),
  ]),
  agreement('subscribe', 'invite_only is strict here too', [
    subscribe({ invite_only: 'yes' }, badNaming('invite_only')),
  ]),
  agreement('subscribe', 'a new subscription is sent to the queues', [
    aQueue({ event_types: ['subscription'] }),
    subscribe({}),
    poll(
      someEvent('subscription', (event, saved) =>
        rows(event, 'subscriptions').some(({ name }) => name === `${saved['prefix']} new`),
      ),
    ),
  ]),
  agreement(
    null,
    'fields from a later level are missing',
    [
      post('/channels/create', {}, { status: 404, body: { is: 'html' } }),
      whoAmI,
      post('/users/{me}/status', {}, { status: 405, body: { like: { result: 'error' } } }),
      get('/navigation_views', {}, { status: 404, body: { is: 'html' } }),
      get('/users', { user_ids: '[{me}]' }, ok({ ignored_parameters_unsupported: ['user_ids'] })),
    ],
    { before: '377' },
  ),
]

function subscribedAs(field: string) {
  return (body: Fields, saved: Saved) =>
    JSON.stringify(body[field]) ===
    JSON.stringify({ [String(saved['me'])]: [`${saved['prefix']} new`] })
}

const policy = (fields: Fields, expect = ok()) =>
  post('/user_topics', { stream_id: '{room}', topic: '{prefix}', ...fields }, expect)

const topics: readonly ChatCase[] = [
  ...[1, 2, 3, 0].map((visibility_policy) =>
    agreement('updateTopicPolicy', `${visibility_policy} is a policy`, [
      ...threeSaid,
      policy({ visibility_policy: visibility_policy === 1 ? 3 : 1 }),
      aQueue({ event_types: ['user_topic'] }),
      policy({ visibility_policy }),
      poll(
        someEvent(
          'user_topic',
          (event, saved) =>
            event['topic_name'] === saved['prefix'] &&
            event['visibility_policy'] === visibility_policy,
        ),
      ),
    ]),
  ),
  agreement('updateTopicPolicy', '4 is not a policy', [
    ...threeSaid,
    policy({ visibility_policy: 4 }, bad),
  ]),
  agreement('updateTopicPolicy', 'a policy is needed', [
    ...threeSaid,
    policy({}, missing('visibility_policy')),
  ]),
  agreement('updateTopicPolicy', 'a missing channel is refused', [
    ...threeSaid,
    policy({ stream_id: 999_999_999, visibility_policy: 1 }, bad),
  ]),
  agreement('updateTopicPolicy', 'a removed policy is missing from the next registration', [
    ...threeSaid,
    policy({ visibility_policy: 1 }),
    policy({ visibility_policy: 0 }),
    post(
      '/register',
      { event_types: ['user_topic'] },
      holding('the topic has none', (body, saved) =>
        rows(body, 'user_topics').every(({ topic_name }) => topic_name !== saved['prefix']),
      ),
    ),
  ]),
]

export const channelCases: readonly ChatCase[] = [...channels, ...subscriptions, ...topics]
