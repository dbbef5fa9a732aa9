import type { Expectation } from './case.ts'
import {
  agreement,
  aNote,
  aRoom,
  bad,
  badNaming,
  type ChatCase,
  get,
  holding,
  inner,
  isNumber,
  missing,
  note,
  ok,
  post,
  refused,
  rows,
  sameList,
  saving,
  say,
  whoAmI,
  whoElse,
} from './chat-parts.ts'

const source = { apply_markdown: false }

/** After a step that saved `said`: the message has these fields. */
const reads = (
  like: Readonly<Record<string, unknown>>,
  query: Readonly<Record<string, unknown>> = {},
) => get('/messages/{said}', query, ok({ message: like }))

const flags = (test: (flags: readonly unknown[]) => boolean) => (value: unknown) =>
  Array.isArray(value) && test(value)

/** Ways to name the channel of a message. */
const channelForms: readonly (readonly [string, unknown])[] = [
  ['its id', '{room}'],
  ['its name as text', '{prefix} room'],
  ['its name as JSON', '"{prefix} room"'],
  ['a list of its id', '[{room}]'],
  ['a list of its name', '["{prefix} room"]'],
  ['its name in another case', '{prefix} ROOM'],
]

/** Ways to name the recipients of a direct message. */
const directForms: readonly (readonly [string, string])[] = [
  ['a list of ids', '[{me}]'],
  ['a list of addresses', '["{mail}"]'],
  ['an address as text', '{mail}'],
  ['the address that the API shows', '["{dummy}"]'],
  ['a list with one id twice', '[{me},{me}]'],
]

const recipients: readonly ChatCase[] = [
  ...channelForms.map(([what, to]) =>
    agreement('sendMessage', `a channel can be named by ${what}`, [
      ...aRoom,
      saving(say('{prefix}', { to }), { said: 'id' }),
      reads({ type: 'stream', display_recipient: '{prefix} room' }),
    ]),
  ),
  ...directForms.map(([what, to]) =>
    agreement('sendMessage', `a person can be named by ${what}`, [
      whoAmI,
      saving(note('{prefix}', { to }), { said: 'id' }),
      reads({ type: 'private' }),
    ]),
  ),
  ...['direct', 'private'].map((type) =>
    agreement('sendMessage', `${type} is a type of direct message`, [
      whoAmI,
      saving(note('{prefix}', { type }), { said: 'id' }),
      reads({ type: 'private' }),
    ]),
  ),
  ...['channel', 'stream'].map((type) =>
    agreement('sendMessage', `${type} is a type of channel message`, [
      ...aRoom,
      saving(say('{prefix}', { type }), { said: 'id' }),
      reads({ type: 'stream' }),
    ]),
  ),
  agreement('sendMessage', '“letter” is not a type of message', [
    whoAmI,
    note('x', { type: 'letter' }, bad),
  ]),
  agreement('sendMessage', 'an unknown channel id is named', [
    post(
      '/messages',
      { type: 'channel', to: 999_999_999, topic: 'x', content: 'x' },
      refused('STREAM_DOES_NOT_EXIST', { stream_id: 999_999_999 }),
    ),
  ]),
  agreement('sendMessage', 'an unknown channel is named by its name', [
    post(
      '/messages',
      { type: 'channel', to: '{prefix} nowhere', topic: 'x', content: 'x' },
      refused('STREAM_DOES_NOT_EXIST', { stream: '{prefix} nowhere' }),
    ),
  ]),
  agreement('sendMessage', 'a bare number is an id, never a name', [
    post(
      '/messages',
      { type: 'channel', to: '123456', topic: 'x', content: 'x' },
      refused('STREAM_DOES_NOT_EXIST', { stream_id: 123_456 }),
    ),
  ]),
  agreement('sendMessage', 'a number in JSON quotes is a name', [
    post(
      '/messages',
      { type: 'channel', to: '"123456"', topic: 'x', content: 'x' },
      refused('STREAM_DOES_NOT_EXIST', { stream: '123456' }),
    ),
  ]),
  agreement('sendMessage', 'ids and addresses can’t be mixed', [
    whoAmI,
    note('x', { to: '[{me},"{mail}"]' }, bad),
  ]),
  agreement('sendMessage', 'an unknown person is refused', [
    whoAmI,
    note('x', { to: [999_999_999] }, bad),
  ]),
  agreement('sendMessage', 'an unknown address is refused', [
    whoAmI,
    note('x', { to: ['{prefix}@example.invalid'] }, bad),
  ]),
  agreement('sendMessage', 'a recipient is needed', [whoAmI, note('x', { to: [] }, bad)]),
  agreement('sendMessage', 'recipients are needed', [
    post('/messages', { type: 'direct', content: 'x' }, bad),
  ]),
  agreement('sendMessage', 'a type is needed', [
    post('/messages', { to: [1], content: 'x' }, missing('type')),
  ]),
  ...(
    [
      ['a direct message shows everybody in it, oneself included', '[{other}]'],
      ['people may be named in one text with commas', '{mail}, {otherMail}'],
    ] as const
  ).map(([what, to]) =>
    agreement('sendMessage', what, [
      whoAmI,
      whoElse,
      saving(note('{prefix}', { to }), { said: 'id' }),
      get(
        '/messages/{said}',
        {},
        holding('the people are both', (body, { me, other }) =>
          sameList(
            rows(inner(body['message']), 'display_recipient')
              .map(({ id }) => Number(id))
              .toSorted((a, b) => a - b),
            [Number(me), Number(other)].toSorted((a, b) => a - b),
          ),
        ),
      ),
    ]),
  ),
]

const contents: readonly ChatCase[] = [
  agreement('sendMessage', 'content is needed', [
    whoAmI,
    post('/messages', { type: 'direct', to: '[{me}]' }, missing('content')),
  ]),
  agreement('sendMessage', 'empty content is refused', [whoAmI, note('', {}, bad)]),
  agreement('sendMessage', 'white space alone counts as empty', [whoAmI, note(' \n\t ', {}, bad)]),
  agreement('sendMessage', 'a NUL is refused', [whoAmI, note('a\0b', {}, bad)]),
  agreement('sendMessage', 'leading newlines and trailing white space are removed', [
    whoAmI,
    saving(note('\n\n  {prefix} x \n\n'), { said: 'id' }),
    reads({ content: '  {prefix} x' }, source),
  ]),
  agreement('sendMessage', 'text that is too long is cut silently, by code points', [
    whoAmI,
    saving(note('𝄞'.repeat(10_001)), { said: 'id' }),
    reads(
      {
        content: (text: unknown) =>
          typeof text === 'string' &&
          [...text].length === 10_000 &&
          text.endsWith('\n[message truncated]'),
      },
      source,
    ),
  ]),
  agreement('sendMessage', 'text that just fits isn’t cut', [
    whoAmI,
    saving(note('𝄞'.repeat(10_000)), { said: 'id' }),
    reads({ content: '𝄞'.repeat(10_000) }, source),
  ]),
  agreement('sendMessage', 'more emoji than can be rendered are refused', [
    whoAmI,
    note('🔔'.repeat(10_000), {}, bad),
  ]),
  agreement('sendMessage', 'Markdown is rendered, and HTML escaped', [
    whoAmI,
    saving(note('**{prefix}** <b>'), { said: 'id' }),
    reads({ content: '<p><strong>{prefix}</strong> &lt;b&gt;</p>', content_type: 'text/html' }),
  ]),
  agreement('sendMessage', 'a message is read by its sender if requested', [
    whoAmI,
    saving(note('{prefix}', { read_by_sender: true }), { said: 'id' }),
    reads({ flags: flags((list) => list.includes('read')) }),
  ]),
  agreement('sendMessage', 'by default, an unknown app’s message comes back unread', [
    whoAmI,
    saving(post('/messages', { type: 'direct', to: '[{me}]', content: '{prefix}' }), {
      said: 'id',
    }),
    reads({ flags: flags((list) => !list.includes('read')) }),
  ]),
  agreement('sendMessage', 'a message names the app that sent it, without its version', [
    whoAmI,
    { ...note('{prefix}'), headers: { 'user-agent': 'BelfryTest/1.0' }, save: { said: 'id' } },
    reads({ client: 'BelfryTest' }),
  ]),
  agreement('sendMessage', 'read_by_sender is strict', [
    whoAmI,
    note('x', { read_by_sender: 1 }, badNaming('read_by_sender')),
  ]),
  agreement('sendMessage', 'the same message twice is two messages', [
    ...aNote,
    saving(note('{prefix} note'), { again: 'id' }),
    get(
      '/messages/{again}',
      {},
      holding('the ids differ', (_body, saved) => saved['again'] !== saved['note']),
    ),
  ]),
]

const isGroup = (value: unknown) => isNumber(value) || Array.isArray(inner(value)['direct_members'])
const decided = { worldOnly: 'an administrator’s decision for the whole realm' }
const direct = (content: string, expect: Expectation) =>
  post('/messages', { type: 'direct', to: '[12,13,14]', content, read_by_sender: true }, expect)
const inOps = (content: string, expect: Expectation, topic = 'db-primary') =>
  post('/messages', { type: 'channel', to: '1', topic, content }, expect)

const permissions: readonly ChatCase[] = [
  agreement('registerQueue', 'permissions are given as groups, which are listed', [
    ...aRoom,
    post(
      '/register',
      { event_types: ['realm', 'subscription', 'realm_user_groups'] },
      holding('each is a group', (body) => {
        const names = rows(body, 'realm_user_groups').map(({ name }) => name)
        return (
          isGroup(body['realm_can_mention_many_users_group']) &&
          isGroup(body['realm_direct_message_permission_group']) &&
          isGroup(body['realm_direct_message_initiator_group']) &&
          rows(body, 'subscriptions').every((row) => isGroup(row['can_send_message_group'])) &&
          ['role:nobody', 'role:moderators', 'role:everyone'].every((name) => names.includes(name))
        )
      }),
    ),
  ]),
  agreement('listSubscribers', 'a channel lists its subscribers', [
    ...aRoom,
    get(
      '/streams/{room}/members',
      {},
      holding('it is me alone', (body, saved) =>
        sameList([body['subscribers']], [[Number(saved['me'])]]),
      ),
    ),
  ]),
  agreement('listSubscribers', 'a missing channel has no subscribers', [
    get('/streams/999999999/members', {}, bad),
  ]),
  agreement('sendMessage', 'posting in a channel without permission is refused', [
    whoElse,
    whoAmI,
    post('/users/me/subscriptions', {
      subscriptions: '[{"name":"{prefix} room"}]',
      can_send_message_group: '{"direct_members":[{other}],"direct_subgroups":[]}',
    }),
    post(
      '/messages',
      { type: 'channel', to: '{prefix} room', topic: '{prefix}', content: 'x' },
      bad,
    ),
  ]),
  agreement(
    'sendMessage',
    'an archived channel accepts no messages',
    [{ control: ({ realm }) => realm.archiveChannel('ops') }, inOps('x', bad)],
    decided,
  ),
  agreement(
    'sendMessage',
    'a mention of many people needs a permission',
    [
      {
        control: ({ realm }) =>
          realm.changeChannel('ops', { others: Array.from({ length: 16 }, (_, at) => 900 + at) }),
      },
      { control: ({ realm }) => realm.allow({ mentionMany: 2 }) },
      inOps('@**all** x', refused('STREAM_WILDCARD_MENTION_NOT_ALLOWED')),
      inOps('@**everyone** x', refused('STREAM_WILDCARD_MENTION_NOT_ALLOWED')),
      inOps('`@**all**` and @_**Ana**', ok()),
      { control: ({ realm }) => realm.allow({ mentionMany: 8 }) },
      inOps('@**all** x', ok()),
    ],
    decided,
  ),
  agreement(
    'sendMessage',
    'direct messages may be switched off, except to oneself',
    [
      { control: ({ realm }) => realm.allow({ direct: 2 }) },
      direct('x', bad),
      whoAmI,
      note('{prefix}', {}, ok()),
    ],
    decided,
  ),
  agreement(
    'sendMessage',
    'starting a direct conversation may need a permission, answering doesn’t',
    [
      { control: ({ realm }) => realm.allow({ startDirect: 2 }) },
      direct('x', bad),
      { control: ({ realm }) => realm.allow({ startDirect: 8 }) },
      direct('x', ok()),
      { control: ({ realm }) => realm.allow({ startDirect: 2 }) },
      direct('x', ok()),
    ],
    decided,
  ),
  agreement(
    'sendMessage',
    'a topic may be required, or not allowed',
    [
      { control: ({ realm }) => realm.allow({ mandatoryTopics: true }) },
      inOps('x', bad, ''),
      inOps('x', ok()),
      {
        control: ({ realm }) => realm.changeChannel('ops', { topicsPolicy: 'empty_topic_only' }),
      },
      inOps('x', bad),
      inOps('x', ok(), ''),
    ],
    decided,
  ),
]

export const sendCases: readonly ChatCase[] = [...recipients, ...contents, ...permissions]
