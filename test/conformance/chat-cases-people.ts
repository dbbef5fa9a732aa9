import {
  agreement,
  aQueue,
  bad,
  badNaming,
  type ChatCase,
  get,
  holding,
  isAbsent,
  isNumber,
  isText,
  ok,
  poll,
  post,
  refused,
  rows,
  send,
  someEvent,
  whoAmI,
  whoElse,
} from './chat-parts.ts'

type Fields = Readonly<Record<string, unknown>>

const boolean = (value: unknown) => typeof value === 'boolean'

const userFields = {
  user_id: isNumber,
  email: isText,
  full_name: isText,
  date_joined: isText,
  is_active: true,
  is_owner: boolean,
  is_admin: boolean,
  is_guest: boolean,
  is_bot: false,
  bot_type: isAbsent,
  bot_owner_id: isAbsent,
  role: (value: unknown) => [100, 200, 300, 400, 600].includes(Number(value)),
  timezone: isText,
  avatar_version: isNumber,
}

const users: readonly ChatCase[] = [
  agreement('getOwnUser', 'one’s own user is flat, not inside `user`', [
    get('/users/me', {}, ok({ ...userFields, user: isAbsent })),
  ]),
  agreement('getUser', 'a user has its fields', [
    whoAmI,
    get('/users/{me}', {}, ok({ user: { ...userFields, full_name: '{name}' } })),
  ]),
  agreement('getUser', 'a user that is not there is refused', [get('/users/999999999', {}, bad)]),
  agreement('getUser', 'custom profile fields can be requested', [
    whoAmI,
    get(
      '/users/{me}',
      { include_custom_profile_fields: true },
      ok({ user: { profile_data: (value: unknown) => typeof value === 'object' } }),
    ),
  ]),
  agreement('getUser', 'custom profile fields come only on request', [
    whoAmI,
    get('/users/{me}', {}, ok({ user: { profile_data: isAbsent } })),
  ]),
  agreement('getUser', 'client_gravatar is strict', [
    whoAmI,
    get('/users/{me}', { client_gravatar: 'no' }, badNaming('client_gravatar')),
  ]),
  agreement('getUserByEmail', 'a user can be found by the real address', [
    whoAmI,
    get('/users/{mail}', {}, ok({ user: { full_name: '{name}' } })),
  ]),
  agreement('getUserByEmail', 'a user can be found by the address that the API shows', [
    whoAmI,
    get('/users/{dummy}', {}, ok({ user: { full_name: '{name}' } })),
  ]),
  agreement('getUserByEmail', 'the address in the path is percent-encoded', [
    whoElse,
    get('/users/{otherPath}', {}, ok({ user: { full_name: '{otherName}' } })),
  ]),
  agreement('getUserByEmail', 'an unknown address is refused', [
    get('/users/{prefix}%40example.invalid', {}, bad),
  ]),
  agreement('listUsers', 'everyone is listed, including oneself', [
    whoAmI,
    get(
      '/users',
      {},
      holding('I am a member', (body, saved) =>
        rows(body, 'members').some(({ user_id }) => user_id === Number(saved['me'])),
      ),
    ),
  ]),
  agreement(
    'listUsers',
    'some can be requested by id',
    [
      whoAmI,
      get(
        '/users',
        { user_ids: '[{me}]' },
        holding('I am the only one', (body, saved) => {
          const members = rows(body, 'members')
          return members.length === 1 && members[0]?.['user_id'] === Number(saved['me'])
        }),
      ),
    ],
    { since: '384' },
  ),
]

const theirs = (fields: Fields, expect = ok()) =>
  send('PATCH', '/users/{otherPath}', fields, expect)
const notOwner = { needs: 'notOwner' }

const administration: readonly ChatCase[] = [
  agreement('updateUserByEmail', 'a name can be set by address', [
    whoElse,
    theirs({ full_name: '{otherName} K.' }),
    get('/users/{other}', {}, ok({ user: { full_name: '{otherName} K.' } })),
  ]),
  agreement('updateUserByEmail', 'a role can be set', [
    whoElse,
    theirs({ role: 600 }),
    get('/users/{other}', {}, ok({ user: { role: 600, is_guest: true } })),
  ]),
  agreement('updateUserByEmail', 'an invalid role is refused', [
    whoElse,
    theirs({ role: 250 }, bad),
  ]),
  agreement(
    'updateUserByEmail',
    'only an owner makes owners',
    [whoElse, theirs({ role: 100 }, refused('UNAUTHORIZED_PRINCIPAL'))],
    notOwner,
  ),
  agreement(
    'updateUserByEmail',
    'only an owner changes an address',
    [whoElse, theirs({ new_email: '{prefix}@example.invalid' }, bad)],
    notOwner,
  ),
  agreement('updateUserByEmail', 'nobody has that address', [
    send('PATCH', '/users/{prefix}%40example.invalid', { full_name: 'X' }, bad),
  ]),
  agreement('updateUserByEmail', 'a new name is sent to the queues', [
    whoElse,
    aQueue({ event_types: ['realm_user'] }),
    theirs({ full_name: '{otherName} K.' }),
    poll(
      someEvent(
        'realm_user',
        ({ op, person }, { other, otherName }) =>
          op === 'update' &&
          JSON.stringify(person) === `{"user_id":${other},"full_name":"${otherName} K."}`,
      ),
    ),
  ]),
]

const status = (fields: Fields, expect = ok()) => post('/users/{me}/status', fields, expect)

const statuses: readonly ChatCase[] = [
  agreement('setUserStatus', 'a status can be set and cleared', [
    whoAmI,
    status({ status_text: '{prefix}', emoji_name: 'tada' }),
    status({ status_text: '', emoji_name: '' }),
  ]),
  agreement('setUserStatus', 'a status of 60 characters fits, of 61 doesn’t', [
    whoAmI,
    status({ status_text: '🔔'.repeat(60) }),
    status({ status_text: 'x'.repeat(61) }, bad),
    status({ status_text: '' }),
  ]),
  agreement('setUserStatus', 'an empty change is refused', [whoAmI, status({}, bad)]),
  ...[{ emoji_code: '1f389' }, { reaction_type: 'unicode_emoji' }].map((fields) =>
    agreement('setUserStatus', `${Object.keys(fields).join()} needs an emoji's name`, [
      whoAmI,
      status(fields, bad),
    ]),
  ),
  agreement('setUserStatus', 'an unknown emoji is refused', [
    whoAmI,
    status({ emoji_name: '{prefix}dragon' }, bad),
  ]),
  agreement('setUserStatus', 'another emoji’s code is refused', [
    whoAmI,
    status({ emoji_name: 'tada', emoji_code: '1f44d' }, bad),
  ]),
  agreement('setUserStatus', 'a missing user has no status', [
    post('/users/999999999/status', { status_text: 'x' }, bad),
  ]),
  agreement('setUserStatus', 'only what changed is sent', [
    whoAmI,
    aQueue({ event_types: ['user_status'] }),
    status({ status_text: '{prefix}' }),
    poll(
      someEvent(
        'user_status',
        (event, saved) =>
          event['user_id'] === Number(saved['me']) &&
          event['status_text'] === saved['prefix'] &&
          !('emoji_name' in event),
      ),
    ),
    status({ status_text: '' }),
  ]),
]

export const peopleCases: readonly ChatCase[] = [...users, ...administration, ...statuses]
