import {
  agreement,
  aQueue,
  bad,
  badNaming,
  type ChatCase,
  get,
  isAbsent,
  isNumber,
  missing,
  ok,
  poll,
  post,
  rows,
  send,
  someEvent,
  whoAmI,
  whoElse,
} from './chat-parts.ts'

type Fields = Readonly<Record<string, unknown>>

const status = (fields: Fields, expect = ok()) => post('/users/me/status', fields, expect)
const cleared = status({ status_text: '', emoji_name: '' })
const shown = (like: Fields) => get('/users/{me}/status', {}, ok({ status: like }))

const others: readonly ChatCase[] = [
  ...(
    [
      ['its word', { before: '487' }, { aggregated: { status: 'active', timestamp: isNumber } }],
      ['its times', { since: '487' }, { active_timestamp: isNumber, idle_timestamp: isNumber }],
    ] as const
  ).map(([how, levels, presence]) =>
    agreement(
      'getUserPresence',
      `a person’s presence is known by ${how}`,
      [
        whoAmI,
        post('/users/me/presence', { status: 'active', new_user_input: true, ping_only: true }),
        get('/users/{me}/presence', {}, ok({ presence })),
      ],
      levels,
    ),
  ),
  agreement('getUserPresence', 'a missing person’s presence is unknown', [
    get('/users/999999999/presence', {}, bad),
  ]),
]

const statuses: readonly ChatCase[] = [
  agreement('setOwnStatus', 'one’s own status can be set, read and cleared', [
    whoAmI,
    status({ status_text: '{prefix}', emoji_name: 'tada' }),
    shown({ status_text: '{prefix}', emoji_name: 'tada', emoji_code: '1f389' }),
    cleared,
    shown({ status_text: isAbsent, emoji_name: isAbsent }),
  ]),
  agreement('setOwnStatus', 'what isn’t named stays', [
    whoAmI,
    status({ status_text: '{prefix}', emoji_name: 'tada' }),
    status({ emoji_name: '' }),
    shown({ status_text: '{prefix}', emoji_name: isAbsent }),
    cleared,
  ]),
  agreement('setOwnStatus', 'an empty change is refused', [status({}, bad)]),
  agreement('setOwnStatus', 'a text of 61 characters is refused', [
    status({ status_text: 'x'.repeat(61) }, bad),
  ]),
  agreement('getUserStatus', 'a missing user has no status', [
    get('/users/999999999/status', {}, bad),
  ]),
]

const presence = (fields: Fields, expect = ok()) =>
  post('/users/me/presence', { status: 'idle', ...fields }, expect)

const presences: readonly ChatCase[] = [
  agreement('updatePresence', 'presence is answered with that of others', [
    presence(
      { last_update_id: -1 },
      ok({ presence_last_update_id: isNumber, server_timestamp: isNumber }),
    ),
  ]),
  agreement('updatePresence', 'a ping alone is answered without presence', [
    presence({ ping_only: true }, ok({ presences: isAbsent, server_timestamp: isAbsent })),
  ]),
  agreement('updatePresence', 'presence is active or idle, nothing else', [
    presence({ status: 'asleep' }, bad),
  ]),
  agreement('updatePresence', 'a status is needed', [
    post('/users/me/presence', {}, missing('status')),
  ]),
  agreement('updatePresence', 'new_user_input is strict', [
    presence({ new_user_input: 'yes' }, badNaming('new_user_input')),
  ]),
]

const muting: readonly ChatCase[] = [
  agreement('muteUser', 'someone can be muted, sent as a whole list', [
    whoElse,
    aQueue({ event_types: ['muted_users'] }),
    post('/users/me/muted_users/{other}', {}, ok()),
    poll(
      someEvent('muted_users', ({ muted_users: list }, { other }) =>
        rows({ list }, 'list').some(({ id }) => id === Number(other)),
      ),
    ),
    post('/users/me/muted_users/{other}', {}, bad),
  ]),
  agreement('muteUser', 'one can’t mute oneself', [
    whoAmI,
    post('/users/me/muted_users/{me}', {}, bad),
  ]),
  agreement('muteUser', 'a missing user can’t be muted', [
    post('/users/me/muted_users/999999999', {}, bad),
  ]),
  agreement('unmuteUser', 'someone can be unmuted once', [
    whoElse,
    post('/users/me/muted_users/{other}', {}, ok()),
    send('DELETE', '/users/me/muted_users/{other}', {}, ok()),
    send('DELETE', '/users/me/muted_users/{other}', {}, bad),
  ]),
]

export const presenceCases: readonly ChatCase[] = [...others, ...statuses, ...presences, ...muting]
