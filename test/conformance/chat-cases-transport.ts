import {
  agreement,
  aRoom,
  badNaming,
  type ChatCase,
  get,
  isAbsent,
  isNumber,
  isText,
  missing,
  note,
  ok,
  post,
  refused,
  saving,
  say,
  send,
  whoAmI,
} from './chat-parts.ts'

const page = { status: 404, body: { is: 'html' } } as const

const conventions: readonly ChatCase[] = [
  agreement('getOwnUser', 'a success says so, with an empty message', [
    get('/users/me', {}, ok({ user_id: isNumber, code: isAbsent })),
  ]),
  agreement('getOwnUser', 'a success without unknown parameters has no list of ignored ones', [
    get('/users/me', {}, ok({ ignored_parameters_unsupported: isAbsent })),
  ]),
  agreement('getOwnUser', 'unknown parameters are not listed here', [
    get('/users/me', { zebra: '1' }, ok({ ignored_parameters_unsupported: isAbsent })),
  ]),
  agreement('listUserGroups', 'unknown parameters are listed, sorted', [
    get(
      '/user_groups',
      { zebra: '1', apple: '2' },
      ok({ ignored_parameters_unsupported: ['apple', 'zebra'] }),
    ),
  ]),
  agreement('sendMessage', 'ignored parameters of a form are listed, too', [
    whoAmI,
    note('{prefix}', { colour: 'red' }, ok({ ignored_parameters_unsupported: ['colour'] })),
  ]),
  agreement('sendMessage', 'an error doesn’t list ignored parameters', [
    whoAmI,
    note(
      '',
      { colour: 'red' },
      refused('BAD_REQUEST', { ignored_parameters_unsupported: isAbsent }),
    ),
  ]),
  agreement('getOwnUser', 'no response may be cached', [
    { ...get('/users/me'), expect: { status: 200, headers: { 'cache-control': /no-store/ } } },
  ]),
  agreement('getOwnUser', 'a response is JSON', [
    {
      ...get('/users/me'),
      expect: { status: 200, headers: { 'content-type': /^application\/json/ } },
    },
  ]),
  agreement('sendMessage', 'a JSON body is ignored', [
    {
      method: 'POST',
      path: '/api/v1/messages',
      json: { type: 'direct', to: [1], content: 'x' },
      expect: missing('type'),
    },
  ]),
  agreement('deleteQueue', 'a DELETE has its form in the body', [
    post('/register', { event_types: ['message'] }),
    saving(post('/register', { event_types: ['message'] }), { queue: 'queue_id' }),
    send('DELETE', '/events', { queue_id: '{queue}' }, ok()),
  ]),
  agreement('deleteQueue', 'a DELETE may have its parameters in the query string', [
    saving(post('/register', { event_types: ['message'] }), { queue: 'queue_id' }),
    {
      method: 'DELETE',
      path: '/api/v1/events',
      query: { queue_id: '{queue}' },
      expect: ok(),
    },
  ]),
  agreement('deleteQueue', 'a JSON body of a DELETE is not read', [
    {
      method: 'DELETE',
      path: '/api/v1/events',
      json: { queue_id: 'x' },
      expect: missing('queue_id'),
    },
  ]),
  agreement('sendMessage', 'raw text keeps its quotes', [
    ...aRoom,
    saving(say('{prefix}', { topic: '"{prefix}"' }), { said: 'id' }),
    get('/messages/{said}', {}, ok({ message: { subject: '"{prefix}"' } })),
  ]),
  agreement('sendMessage', 'a parameter and its alias together are refused', [
    ...aRoom,
    say(
      'x',
      { subject: 'y' },
      refused('REQUEST_CONFUSING_VAR', { var_name1: 'topic', var_name2: 'subject' }),
    ),
  ]),
  ...['1', '"true"', 'True', 'yes'].map((value) =>
    agreement('getMessage', `${value} is not a boolean`, [
      whoAmI,
      saving(note('{prefix}'), { note: 'id' }),
      get('/messages/{note}', { apply_markdown: value }, badNaming('apply_markdown')),
    ]),
  ),
  ...['2.5', '"2"', 'two', '[2]'].map((value) =>
    agreement('getMessages', `${value} is not an integer`, [
      get(
        '/messages',
        { anchor: 'newest', num_before: value, num_after: 0 },
        badNaming('num_before'),
      ),
    ]),
  ),
  agreement('updateMessageFlags', 'a list must be a JSON list', [
    post('/messages/flags', { messages: '1,2', op: 'add', flag: 'read' }, badNaming('messages')),
  ]),
  agreement('registerQueue', 'an object must be a JSON object', [
    post('/register', { client_capabilities: '[]' }, badNaming('client_capabilities')),
  ]),
]

const methodsAndPaths: readonly ChatCase[] = [
  agreement(null, 'a wrong method is answered with the allowed ones, without a code', [
    {
      method: 'PATCH',
      path: '/api/v1/users',
      expect: { status: 405, body: { like: { result: 'error', msg: isText, code: isAbsent } } },
    },
  ]),
  agreement(null, 'a wrong method is answered with a list of the allowed ones', [
    {
      method: 'DELETE',
      path: '/api/v1/messages',
      expect: {
        status: 405,
        body: {
          like: { result: 'error', code: isAbsent, allowed_methods: ['GET', 'POST', 'HEAD'] },
        },
      },
    },
  ]),
  agreement(null, 'an unknown path is a page, not JSON', [
    { method: 'GET', path: '/api/v1/weather', expect: page },
  ]),
  agreement(null, 'an id that isn’t a number is an unknown path', [
    { method: 'GET', path: '/api/v1/messages/x', expect: page },
  ]),
  agreement(null, 'a realm may stand behind a path', [get('/users/me', {}, ok())], {
    worldOnly: 'the address itself says so',
    world: { path: '/chat' },
  }),
]

export const transportCases: readonly ChatCase[] = [...conventions, ...methodsAndPaths]
