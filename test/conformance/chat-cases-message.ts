import {
  agreement,
  bad,
  type ChatCase,
  get,
  herRoom,
  holding,
  inner,
  inTopic,
  isAbsent,
  isList,
  isNumber,
  isText,
  messagesAre,
  missing,
  noMessage,
  ok,
  post,
  rows,
  sameList,
  saving,
  say,
  send,
  sheWrites,
  threeSaid,
} from './chat-parts.ts'

/** How the same Markdown is drawn, by level. */
const drawn: readonly [
  name: string,
  levels: Pick<ChatCase, 'since' | 'before'>,
  content: string,
  html: RegExp,
][] = [
  [
    'a time that is none is marked',
    { before: '451' },
    '<time:teatime>',
    /^<p><span class="timestamp-error">[^<]*teatime[^<]*<\/span><\/p>$/,
  ],
  [
    'a time that is none stays text',
    { since: '451' },
    '<time:teatime>',
    /^<p>&lt;time:teatime&gt;<\/p>$/,
  ],
]

const oneMessage: readonly ChatCase[] = [
  agreement('getMessage', 'a message has its fields', [
    ...threeSaid,
    get(
      '/messages/{second}',
      {},
      ok({
        raw_content: '{prefix} two',
        message: {
          type: 'stream',
          content: '<p>{prefix} two</p>',
          content_type: 'text/html',
          subject: '{prefix}',
          display_recipient: '{prefix} room',
          stream_id: isNumber,
          sender_id: isNumber,
          sender_full_name: '{name}',
          sender_realm_str: isText,
          timestamp: (value: unknown) => Number.isInteger(value),
          client: isText,
          recipient_id: isNumber,
          is_me_message: false,
          flags: isList,
          reactions: [],
          submessages: [],
          topic_links: [],
          last_edit_timestamp: isAbsent,
          edit_history: isAbsent,
        },
      }),
    ),
  ]),
  agreement('getMessage', 'the source can be requested instead', [
    ...threeSaid,
    get(
      '/messages/{second}',
      { apply_markdown: false },
      ok({ message: { content: '{prefix} two', content_type: 'text/x-markdown' } }),
    ),
  ]),
  agreement('getMessage', 'a missing message is refused', [get(`/messages/${noMessage}`, {}, bad)]),
  agreement('getMessage', 'a /me message says so', [
    ...threeSaid,
    saving(say('/me nods'), { nod: 'id' }),
    get('/messages/{nod}', {}, ok({ message: { is_me_message: true, content: /^<p>\/me nods/ } })),
  ]),
  agreement('getMessage', 'a message in an unsubscribed channel is read and historical', [
    ...herRoom,
    saving(say('x'), { there: 'id' }),
    get('/messages/{there}', {}, ok({ message: { flags: ['read', 'historical'] } })),
  ]),
  agreement('listTopics', 'a channel lists its topics, the newest first', [
    ...threeSaid,
    saving(say('x', { topic: '{prefix} later' }), { later: 'id' }),
    get(
      '/users/me/{room}/topics',
      {},
      holding('later comes before', (body, saved) => {
        const names = rows(body, 'topics').map(({ name }) => name)
        return sameList(names.slice(0, 2), [`${saved['prefix']} later`, saved['prefix']])
      }),
    ),
  ]),
  agreement('listTopics', 'a topic has its newest message', [
    ...threeSaid,
    get(
      '/users/me/{room}/topics',
      {},
      holding('the newest is the third', (body, saved) =>
        rows(body, 'topics').some(
          ({ name, max_id }) => name === saved['prefix'] && max_id === Number(saved['third']),
        ),
      ),
    ),
  ]),
  agreement('listTopics', 'the empty topic has its displayed name, or none on request', [
    ...threeSaid,
    say('x', { topic: '' }),
    get(
      '/users/me/{room}/topics',
      {},
      ok({ topics: (list: unknown) => hasTopic(list, 'general chat') }),
    ),
    get(
      '/users/me/{room}/topics',
      { allow_empty_topic_name: true },
      ok({ topics: (list: unknown) => hasTopic(list, '') }),
    ),
  ]),
  agreement('listTopics', 'a missing channel has no topics', [
    get('/users/me/999999999/topics', {}, bad),
  ]),
  agreement('setTypingForEdit', 'typing in an edit can be sent', [
    ...threeSaid,
    post('/messages/{second}/typing', { op: 'start' }, ok()),
    post('/messages/{second}/typing', { op: 'stop' }, ok()),
  ]),
  agreement('setTypingForEdit', 'typing in an edit starts or stops, nothing else', [
    ...threeSaid,
    post('/messages/{second}/typing', { op: 'pause' }, bad),
  ]),
  agreement('setTypingForEdit', 'typing in an edit needs the right to edit', [
    ...sheWrites,
    post('/messages/{hers}/typing', { op: 'start' }, bad),
  ]),
  agreement('renderMessage', 'a text is rendered like a message, and not sent', [
    ...threeSaid,
    post(
      '/messages/render',
      { content: '**{prefix}** @**{name}** [a](https://a.example/)' },
      holding('it has the markup of each', (body) =>
        /^<p><strong>[^<]*<\/strong> <span class="user-mention" data-user-id="\d+">@[^<]*<\/span> <a href="https:\/\/a\.example\/">a<\/a><\/p>$/.test(
          String(body['rendered']),
        ),
      ),
    ),
    get(
      '/messages',
      { anchor: 'newest', num_before: 1, num_after: 0, narrow: inTopic },
      messagesAre('third'),
    ),
  ]),
  ...drawn.map(([name, levels, content, html]) =>
    agreement(
      'renderMessage',
      name,
      [
        post(
          '/messages/render',
          { content },
          holding('it is drawn so', (body) => html.test(String(body['rendered']))),
        ),
      ],
      levels,
    ),
  ),
  agreement('renderMessage', 'a text to render is needed', [
    post('/messages/render', {}, missing('content')),
  ]),
  agreement('getMessages', 'messages have their flags inside', [
    ...threeSaid,
    get(
      '/messages',
      { anchor: '{second}', num_before: 0, num_after: 0 },
      holding('flags are in the message', (body) =>
        isList(inner(rows(body, 'messages')[0])['flags']),
      ),
    ),
  ]),
  agreement('getMessages', 'a missing number is 0', [
    get('/messages', { anchor: 'newest' }, ok({ messages: [] })),
  ]),
  agreement('getMessage', 'a message has no other methods', [
    { ...send('DELETE', `/messages/${noMessage}/typing`), expect: { status: 405 } },
  ]),
]

function hasTopic(list: unknown, name: string): boolean {
  return rows({ list }, 'list').some((topic) => topic['name'] === name)
}

export const messageCases: readonly ChatCase[] = [...oneMessage]
