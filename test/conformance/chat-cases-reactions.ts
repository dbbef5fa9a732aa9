import type { RequestStep } from './case.ts'
import {
  agreement,
  aNote,
  aQueue,
  aRoom,
  bad,
  bySomebody,
  type ChatCase,
  get,
  holding,
  inner,
  missing,
  mySettings,
  noMessage,
  note,
  ok,
  poll,
  post,
  refused,
  rows,
  saving,
  send,
  someEvent,
  threeSaid,
  whoAmI,
  whoElse,
} from './chat-parts.ts'

type Fields = Readonly<Record<string, unknown>>

const react = (fields: Fields, expect = ok()) => post('/messages/{note}/reactions', fields, expect)
const unreact = (fields: Fields, expect = ok()): RequestStep =>
  send('DELETE', '/messages/{note}/reactions', fields, expect)
const tada = { emoji_name: 'tada' }
const has = (code: string, type: string) =>
  get(
    '/messages/{note}',
    {},
    holding(`there is a reaction ${code}`, (body) =>
      rows(inner(body['message']), 'reactions').some(
        (one) => one['emoji_code'] === code && one['reaction_type'] === type,
      ),
    ),
  )

/** Without the host: static files may have a host of their own, to which no key goes. */
function pathOf(address: unknown): string {
  return new URL(String(address), 'https://any.example').pathname
}

const reactions: readonly ChatCase[] = [
  agreement('registerQueue', 'the list of emoji names is at the address from registration', [
    saving(post('/register', { event_types: ['realm'] }), {
      list: ({ json }) => pathOf(inner(json)['server_emoji_data_url']),
    }),
    {
      method: 'GET',
      path: '{list}',
      key: 'none',
      expect: holding('it has every name of an emoji by its code', (body) => {
        const names = inner(body['code_to_names'])['1f44d']
        return Array.isArray(names) && names.includes('+1')
      }),
    },
  ]),
  agreement('addReaction', 'a reaction is added to the message', [
    ...aNote,
    react(tada),
    has('1f389', 'unicode_emoji'),
  ]),
  agreement('addReaction', 'a reaction may name code and type', [
    ...aNote,
    react({ ...tada, emoji_code: '1f389', reaction_type: 'unicode_emoji' }),
    has('1f389', 'unicode_emoji'),
  ]),
  agreement('addReaction', 'the extra emoji has its own type', [
    ...aNote,
    react({ emoji_name: 'zulip', emoji_code: 'zulip', reaction_type: 'zulip_extra_emoji' }),
    has('zulip', 'zulip_extra_emoji'),
  ]),
  agreement('addReaction', 'the same reaction twice is refused', [
    ...aNote,
    react(tada),
    react(tada, refused('REACTION_ALREADY_EXISTS')),
  ]),
  agreement('addReaction', 'an unknown emoji is refused', [
    ...aNote,
    react({ emoji_name: '{prefix}dragon' }, bad),
  ]),
  agreement('addReaction', 'another emoji’s code is refused', [
    ...aNote,
    react({ ...tada, emoji_code: '1f44d' }, bad),
  ]),
  agreement('addReaction', 'a wrong type is refused', [
    ...aNote,
    react({ ...tada, emoji_code: '1f389', reaction_type: 'realm_emoji' }, bad),
  ]),
  agreement('addReaction', 'a name is needed', [...aNote, react({}, missing('emoji_name'))]),
  agreement('addReaction', 'a missing message takes no reaction', [
    post(`/messages/${noMessage}/reactions`, tada, bad),
  ]),
  agreement('addReaction', 'a reaction is sent to the queues', [
    ...aNote,
    aQueue({ event_types: ['reaction'] }),
    react(tada),
    poll(
      someEvent(
        'reaction',
        (event, saved) =>
          event['op'] === 'add' &&
          event['message_id'] === Number(saved['note']) &&
          event['emoji_name'] === 'tada' &&
          event['user_id'] === Number(saved['me']),
      ),
    ),
  ]),
  agreement('removeReaction', 'a reaction can be removed once', [
    ...aNote,
    react(tada),
    unreact(tada),
    unreact(tada, refused('REACTION_DOES_NOT_EXIST')),
  ]),
  agreement('removeReaction', 'a reaction can be removed by its code', [
    ...aNote,
    react(tada),
    unreact({ emoji_code: '1f389' }),
  ]),
  agreement('removeReaction', 'without a type, the emoji is taken as Unicode', [
    ...aNote,
    react({ emoji_name: 'zulip' }),
    unreact({ emoji_code: 'zulip' }, refused('REACTION_DOES_NOT_EXIST')),
    unreact({ emoji_code: 'zulip', reaction_type: 'zulip_extra_emoji' }),
  ]),
  agreement('removeReaction', 'a name or a code is needed', [...aNote, unreact({}, bad)]),
  agreement('addReaction', 'the name that someone else used first is kept', [
    whoElse,
    saving(note('{prefix}', { to: '[{other}]' }), { note: 'id' }),
    bySomebody(react({ emoji_name: '+1' })),
    react({ emoji_name: 'thumbs_up', emoji_code: '1f44d' }),
    get(
      '/messages/{note}',
      {},
      holding('both are +1', (body) =>
        rows(inner(body['message']), 'reactions').every((one) => one['emoji_name'] === '+1'),
      ),
    ),
  ]),
]

const typing: readonly ChatCase[] = [
  agreement('setTyping', 'typing to somebody can start and stop', [
    whoAmI,
    post('/typing', { op: 'start', type: 'direct', to: '[{me}]' }, ok()),
    post('/typing', { op: 'stop', type: 'direct', to: '[{me}]' }, ok()),
  ]),
  agreement('setTyping', 'direct is the default', [
    whoAmI,
    post('/typing', { op: 'start', to: '[{me}]' }, ok()),
  ]),
  agreement('setTyping', 'typing in a topic names channel and topic', [
    ...threeSaid,
    post('/typing', { op: 'start', type: 'channel', stream_id: '{room}', topic: 'x' }, ok()),
    post('/typing', { op: 'start', type: 'stream', stream_id: '{room}', topic: 'x' }, ok()),
  ]),
  agreement('setTyping', 'typing in a topic needs its channel', [
    post('/typing', { op: 'start', type: 'channel', topic: 'x' }, { status: 400 }),
  ]),
  agreement('setTyping', 'typing in a topic needs its topic', [
    ...threeSaid,
    post('/typing', { op: 'start', type: 'channel', stream_id: '{room}' }, { status: 400 }),
  ]),
  agreement('setTyping', 'typing without a recipient is refused', [
    post('/typing', { op: 'start', type: 'direct', to: [] }, bad),
    post('/typing', { op: 'start', type: 'direct' }, { status: 400 }),
  ]),
  agreement('setTyping', 'typing starts or stops, nothing else', [
    whoAmI,
    post('/typing', { op: 'pause', to: '[{me}]' }, bad),
  ]),
  agreement('setTyping', 'direct typing is also sent to the one who types', [
    whoAmI,
    whoElse,
    aQueue({ event_types: ['typing'] }),
    post('/typing', { op: 'start', type: 'direct', to: '[{other}]' }),
    poll(
      someEvent(
        'typing',
        (event, { me }) =>
          event['message_type'] === 'direct' &&
          rows(event, 'recipients').some(({ user_id }) => user_id === Number(me)),
      ),
    ),
  ]),
  agreement('setTyping', 'an account that switched typing notices off can’t send them', [
    mySettings,
    ...aRoom,
    send('PATCH', '/settings', {
      send_private_typing_notifications: false,
      send_stream_typing_notifications: false,
    }),
    post('/typing', { op: 'start', type: 'direct', to: '[{me}]' }, bad),
    post('/typing', { op: 'start', type: 'channel', stream_id: '{room}', topic: 'x' }, bad),
  ]),
]

export const reactionCases: readonly ChatCase[] = [...reactions, ...typing]
