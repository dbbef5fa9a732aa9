import type { RequestStep } from './case.ts'
import {
  agreement,
  aNote,
  aRoom,
  bad,
  badNaming,
  type ChatCase,
  get,
  holding,
  inTopic,
  isText,
  messagesAre,
  narrow,
  noMessage,
  ok,
  post,
  refused,
  rows,
  sameList,
  saving,
  say,
  threeSaid,
  whoAmI,
} from './chat-parts.ts'

type Query = Readonly<Record<string, unknown>>

const page = (query: Query, expect?: Parameters<typeof get>[2]) =>
  get('/messages', { num_before: 0, num_after: 0, narrow: inTopic, ...query }, expect)

/** Windows over three messages: name, query, then the response's ids in order. */
const windows: readonly (readonly [string, Query, readonly string[]])[] = [
  ['the oldest goes forward', { anchor: 'oldest', num_after: 2 }, ['first', 'second']],
  ['the newest goes back', { anchor: 'newest', num_before: 2 }, ['second', 'third']],
  ['an id includes its own message', { anchor: '{second}' }, ['second']],
  ['an id includes earlier messages', { anchor: '{second}', num_before: 5 }, ['first', 'second']],
  ['an id includes later messages', { anchor: '{second}', num_after: 5 }, ['second', 'third']],
  [
    'an id includes both',
    { anchor: '{second}', num_before: 1, num_after: 1 },
    ['first', 'second', 'third'],
  ],
  [
    'an id can be left out',
    { anchor: '{first}', num_after: 5, include_anchor: false },
    ['second', 'third'],
  ],
  ['an anchor of 0 is the oldest', { anchor: 0, num_after: 1 }, ['first']],
  [
    'an anchor above all is the newest',
    { anchor: 9_007_199_254_740_991, num_before: 1 },
    ['third'],
  ],
]

const anchors: readonly ChatCase[] = [
  ...windows.map(([what, query, names]) =>
    agreement('getMessages', `an anchor: ${what}`, [
      ...threeSaid,
      page(query, messagesAre(...names)),
    ]),
  ),
  agreement('getMessages', 'an anchor: the first unread', [
    ...threeSaid,
    post('/messages/flags', { messages: '[{second},{third}]', op: 'remove', flag: 'read' }),
    page({ anchor: 'first_unread' }, messagesAre('second')),
    post('/messages/flags', { messages: '[{second},{third}]', op: 'add', flag: 'read' }),
  ]),
  agreement('getMessages', 'an anchor: the first unread, if all is read, is the newest', [
    ...threeSaid,
    page({ anchor: 'first_unread', num_before: 1 }, messagesAre('third')),
  ]),
  agreement('getMessages', 'an anchor: the newest is a number beyond all ids', [
    ...threeSaid,
    page({ anchor: 'newest', num_before: 1 }, ok({ anchor: 10_000_000_000_000_000 })),
  ]),
  agreement('getMessages', 'an anchor: an unknown word is refused', [
    get('/messages', { anchor: 'middle', num_before: 1, num_after: 1 }, bad),
  ]),
  agreement('getMessages', 'the ends are reported if they were reached', [
    ...threeSaid,
    page(
      { anchor: '{second}', num_before: 2, num_after: 2 },
      ok({ found_oldest: true, found_newest: true, found_anchor: true, history_limited: false }),
    ),
  ]),
  agreement('getMessages', 'the ends are not reported if more may follow', [
    ...threeSaid,
    page(
      { anchor: '{second}', num_before: 1, num_after: 1 },
      ok({ found_oldest: false, found_newest: false }),
    ),
  ]),
  agreement('getMessages', 'the oldest and the newest are ends themselves', [
    ...threeSaid,
    page({ anchor: 'oldest', num_after: 1 }, ok({ found_oldest: true, found_newest: false })),
    page({ anchor: 'newest', num_before: 1 }, ok({ found_oldest: false, found_newest: true })),
  ]),
  agreement('getMessages', 'a missing anchor is reported as not found', [
    ...threeSaid,
    page({ anchor: 1, num_after: 1 }, ok({ found_anchor: false })),
  ]),
]

const counts: readonly ChatCase[] = [
  agreement('getMessages', '5,000 messages may be requested', [
    page({ anchor: 'newest', num_before: 5_000, narrow: [] }, ok()),
  ]),
  agreement('getMessages', 'more than 5,000 messages are refused', [
    page({ anchor: 'newest', num_before: 4_000, num_after: 1_001, narrow: [] }, bad),
  ]),
  agreement('getMessages', 'a number below 0 is refused', [
    page({ anchor: 'newest', num_before: -1, narrow: [] }, badNaming('num_before')),
  ]),
  agreement('getMessages', 'the anchor can be left out only at an end', [
    page({ anchor: 1, num_before: 1, num_after: 1, include_anchor: false, narrow: [] }, bad),
  ]),
  agreement('getMessages', 'messages can be requested by id, and come in any order', [
    ...threeSaid,
    get(
      '/messages',
      { message_ids: '[{third},{first}]' },
      holding('both are there', (body, saved) =>
        sameList(
          rows(body, 'messages')
            .map(({ id }) => Number(id))
            .sort((a, b) => a - b),
          [Number(saved['first']), Number(saved['third'])],
        ),
      ),
    ),
  ]),
  agreement('getMessages', 'missing ids are skipped', [
    ...threeSaid,
    get('/messages', { message_ids: `[{second},${noMessage}]` }, messagesAre('second')),
  ]),
  agreement('getMessages', 'ids and an anchor can’t be combined', [
    get(
      '/messages',
      { message_ids: [noMessage], anchor: 'newest', num_before: 1, num_after: 0 },
      refused('BAD_REQUEST', { parameters: /message_ids/ }),
    ),
  ]),
]

const unread = post('/messages/flags', { messages: '[{second}]', op: 'remove', flag: 'read' })
const policy = (topic: string, visibility_policy: number) =>
  post('/user_topics', { stream_id: '{room}', topic, visibility_policy })

/** After three messages in the topic `{prefix}`, the second of which is starred. */
const narrows: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  [
    'a channel by its id and a topic',
    ['channel {room}', 'topic "{prefix}"'],
    ['first', 'second', 'third'],
  ],
  [
    'a channel by its name',
    ['channel "{prefix} room"', 'topic "{prefix}"'],
    ['first', 'second', 'third'],
  ],
  ['the old operators', ['stream {room}', 'topic "{prefix}"'], ['first', 'second', 'third']],
  ['a missing topic', ['channel {room}', 'topic "{prefix} x"'], []],
  ['stars', ['channel {room}', 'is "starred"'], ['second']],
  ['no stars', ['channel {room}', 'topic "{prefix}"', '-is "starred"'], ['first', 'third']],
  ['one id', ['id {second}'], ['second']],
  ['the topic of a message', ['with {first}'], ['first', 'second', 'third']],
  [
    'me as sender, by id',
    ['channel {room}', 'topic "{prefix}"', 'sender {me}'],
    ['first', 'second', 'third'],
  ],
  [
    'me as sender, by address',
    ['channel {room}', 'topic "{prefix}"', 'sender "{mail}"'],
    ['first', 'second', 'third'],
  ],
  ['not me as sender', ['channel {room}', 'topic "{prefix}"', '-sender {me}'], []],
  ['unread', ['channel {room}', 'topic "{prefix}"', 'is "unread"'], []],
  ['all', ['channel {room}', 'topic "{prefix}"', 'in "all"'], ['first', 'second', 'third']],
  ['home', ['channel {room}', 'topic "{prefix}"', 'in "home"'], ['first', 'second', 'third']],
  ['reactions', ['channel {room}', 'topic "{prefix}"', 'has "reaction"'], []],
  ['links', ['channel {room}', 'topic "{prefix}"', 'has "link"'], []],
]

/** A real server indexes words with a short delay. */
const hits = (expect: Parameters<typeof get>[2], words = 'two'): RequestStep => ({
  ...page(
    { anchor: 'newest', num_before: 9, narrow: narrow('channel {room}', `search "${words}"`) },
    expect,
  ),
  eventually: true,
})

/** Searches in a topic with the messages `door`, `bells`, `hut`. */
const words: readonly (readonly [string, string, readonly string[]])[] = [
  ['two words, in any order', 'DOOR green', ['door']],
  ['a word in another form', 'bell', ['bells']],
  ['a word of the topic', 'zebra', ['door', 'bells', 'hut']],
  ['a word of the topic and one of the text', 'zebra hut', ['hut']],
  ['a part of a word', 'ell', []],
  ['words that never occur together', 'door hut', []],
]
const someWords = [
  ...aRoom,
  saving(say('The green door', { topic: 'zebra' }), { door: 'id' }),
  saving(say('Two bells rang', { topic: 'zebra' }), { bells: 'id' }),
  saving(say('A hut', { topic: 'zebra' }), { hut: 'id' }),
]

/** What a term finds among three messages, after the given steps. */
const states: readonly (readonly [string, string, readonly RequestStep[], readonly string[]])[] = [
  ['unread', 'is "unread"', [unread], ['second']],
  [
    'reactions',
    'has "reaction"',
    [post('/messages/{second}/reactions', { emoji_name: 'tada' })],
    ['second'],
  ],
  ['followed topics', 'is "followed"', [policy('{prefix}', 3)], ['first', 'second', 'third']],
  // A real server may itself have posted there that the channel was created.
  ['no muted topics', 'in "home"', [policy('{prefix}', 1), policy('channel events', 1)], []],
  ['muted topics', 'is "muted"', [policy('{prefix}', 1)], ['first', 'second', 'third']],
  [
    'resolved topics',
    'is "resolved"',
    [saving(say('x', { topic: '✔ {prefix}' }), { done: 'id' })],
    ['done'],
  ],
  ['mentions', 'is "mentioned"', [saving(say('@**{name}**'), { me2: 'id' })], ['me2']],
  ['links', 'has "link"', [saving(say('https://example.org'), { link: 'id' })], ['link']],
]

const narrowing: readonly ChatCase[] = [
  ...narrows.map(([what, terms, names]) =>
    agreement('getMessages', `a narrow to ${what}`, [
      ...threeSaid,
      post('/messages/flags', { messages: '[{second}]', op: 'add', flag: 'starred' }),
      page({ anchor: 'newest', num_before: 10, narrow: narrow(...terms) }, messagesAre(...names)),
    ]),
  ),
  ...['is "dm"', 'dm [{me}]', 'dm-including {me}'].map((term) =>
    agreement('getMessages', `no message is both in a channel and direct: ${term}`, [
      ...aRoom,
      page(
        { anchor: 'newest', num_before: 10, narrow: narrow('channel {room}', term) },
        refused('BAD_NARROW', { desc: isText }),
      ),
    ]),
  ),
  agreement('getMessages', 'a narrow to direct messages with someone takes one person', [
    whoAmI,
    page({ anchor: 'newest', num_before: 10, narrow: narrow('dm-including [{me}]') }, bad),
  ]),
  agreement('getMessages', 'a narrow of pairs', [
    ...threeSaid,
    get(
      '/messages',
      {
        anchor: 'newest',
        num_before: 5,
        num_after: 0,
        narrow: '[["channel","{prefix} room"],["topic","{prefix}"]]',
      },
      messagesAre('first', 'second', 'third'),
    ),
  ]),
  agreement('getMessages', 'a narrow to a topic, in any case', [
    ...threeSaid,
    saving(say('x', { topic: 'Bell {prefix}' }), { bell: 'id' }),
    page(
      { anchor: '{bell}', narrow: narrow('channel {room}', 'topic "bELL {prefix}"') },
      messagesAre('bell'),
    ),
  ]),
  agreement('getMessages', 'a narrow to the empty topic, by its displayed name', [
    ...threeSaid,
    saving(say('x', { topic: '' }), { empty: 'id' }),
    page(
      { anchor: '{empty}', narrow: narrow('channel {room}', 'topic "general chat"') },
      messagesAre('empty'),
    ),
  ]),
  agreement('getMessages', 'a narrow to notes to oneself', [
    ...aNote,
    page({ anchor: '{note}', narrow: narrow('dm [{me}]') }, messagesAre('note')),
  ]),
  agreement('getMessages', 'a narrow to a word', [...threeSaid, hits(messagesAre('second'))]),
  ...words.map(([what, text, names]) =>
    agreement('getMessages', `a search for ${what}`, [
      ...someWords,
      // Once the last message is indexed, all are.
      hits(messagesAre('hut'), 'hut'),
      hits(messagesAre(...names), text),
    ]),
  ),
  ...states.map(([what, term, steps, names]) =>
    agreement('getMessages', `a narrow by what was done: ${what}`, [
      ...threeSaid,
      ...steps,
      {
        ...page(
          { anchor: 'newest', num_before: 10, narrow: narrow('channel {room}', term) },
          messagesAre(...names),
        ),
        eventually: true,
      },
      post('/messages/flags', { messages: '[{second}]', op: 'add', flag: 'read' }),
    ]),
  ),
  agreement('getMessages', 'a hit shows the word highlighted', [
    ...threeSaid,
    hits(
      holding('match_content is there', (body) =>
        rows(body, 'messages').every(({ match_content }) =>
          String(match_content).includes('<span class="highlight">two</span>'),
        ),
      ),
    ),
  ]),
  ...[
    'mood "x"',
    'is "sad"',
    'has "wings"',
    'in "bed"',
    'channel "{prefix} nowhere"',
    'sender "{prefix}@example.invalid"',
  ].map((term) =>
    agreement('getMessages', `a narrow by ${term.replace('{prefix}', 'somebody')} is bad`, [
      page({ anchor: 'newest', narrow: narrow(term) }, refused('BAD_NARROW', { desc: isText })),
    ]),
  ),
]

export const fetchCases: readonly ChatCase[] = [...anchors, ...counts, ...narrowing]
