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

/** Ways to write whom a channel message is for. */
const channelForms: readonly (readonly [string, unknown])[] = [
  ['its id', '{room}'],
  ['its name as text', '{prefix} room'],
  ['its name as JSON', '"{prefix} room"'],
  ['a list of its id', '[{room}]'],
  ['a list of its name', '["{prefix} room"]'],
  ['its name in another case', '{prefix} ROOM'],
]

/** Ways to write whom a direct message is for. */
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
  agreement('sendMessage', 'a letter is no type of message', [
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
  agreement('sendMessage', 'ids and addresses do not mix', [
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
  agreement('sendMessage', 'nobody is no recipient', [whoAmI, note('x', { to: [] }, bad)]),
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
  agreement('sendMessage', 'white space alone is empty', [whoAmI, note(' \n\t ', {}, bad)]),
  agreement('sendMessage', 'a NUL is refused', [whoAmI, note('a\0b', {}, bad)]),
  agreement('sendMessage', 'leading newlines and white space at the end go', [
    whoAmI,
    saving(note('\n\n  {prefix} x \n\n'), { said: 'id' }),
    reads({ content: '  {prefix} x' }, source),
  ]),
  agreement('sendMessage', 'too much is cut in silence, by code points', [
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
  agreement('sendMessage', 'what just fits is not cut', [
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
  agreement('sendMessage', 'a message is read by its sender where that was said', [
    whoAmI,
    saving(note('{prefix}', { read_by_sender: true }), { said: 'id' }),
    reads({ flags: flags((list) => list.includes('read')) }),
  ]),
  agreement('sendMessage', 'a message of an unknown app comes back unread where nothing was said', [
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

export const sendCases: readonly ChatCase[] = [...recipients, ...contents]
