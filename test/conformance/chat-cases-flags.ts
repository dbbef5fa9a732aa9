import {
  agreement,
  aNote,
  aQueue,
  bad,
  type ChatCase,
  get,
  herRoom,
  holding,
  inner,
  inTopic,
  missing,
  narrow,
  noMessage,
  ok,
  poll,
  post,
  refused,
  rows,
  sameList,
  saving,
  say,
  someEvent,
  threeSaid,
} from './chat-parts.ts'

type Fields = Readonly<Record<string, unknown>>

const flag = (name: string, op: string, messages: string, expect = ok()) =>
  post('/messages/flags', { messages, op, flag: name }, expect)

const hasFlag = (name: string, has: boolean, id = 'note') =>
  get(
    `/messages/{${id}}`,
    {},
    ok({
      message: { flags: (list: unknown) => Array.isArray(list) && list.includes(name) === has },
    }),
  )

const byIds: readonly ChatCase[] = [
  ...['read', 'starred', 'collapsed'].map((name) =>
    agreement('updateMessageFlags', `${name} can be set and removed`, [
      ...aNote,
      flag(name, 'add', '[{note}]'),
      hasFlag(name, true),
      flag(name, 'remove', '[{note}]'),
      hasFlag(name, false),
      flag('read', 'add', '[{note}]'),
    ]),
  ),
  agreement('updateMessageFlags', 'setting a flag twice is fine', [
    ...aNote,
    flag('starred', 'add', '[{note}]'),
    flag('starred', 'add', '[{note}]'),
    hasFlag('starred', true),
  ]),
  agreement('updateMessageFlags', 'the response echoes the request', [
    ...aNote,
    flag(
      'read',
      'add',
      '[{note}]',
      holding(
        'the ids are those asked for',
        (body, saved) => JSON.stringify(body['messages']) === `[${saved['note']}]`,
      ),
    ),
  ]),
  agreement('updateMessageFlags', 'reading a missing message is ignored', [
    flag('read', 'add', `[${noMessage}]`),
  ]),
  agreement('updateMessageFlags', 'starring a missing message is refused', [
    flag('starred', 'add', `[${noMessage}]`, bad),
  ]),
  ...['mentioned', 'has_alert_word', 'historical', 'shiny'].map((name) =>
    agreement('updateMessageFlags', `a client can’t set ${name}`, [
      ...aNote,
      flag(name, 'add', '[{note}]', bad),
    ]),
  ),
  agreement('updateMessageFlags', 'a flag is added or removed, nothing else', [
    ...aNote,
    flag('read', 'toggle', '[{note}]', bad),
  ]),
  agreement('updateMessageFlags', 'messages are needed', [
    post('/messages/flags', { op: 'add', flag: 'read' }, missing('messages')),
  ]),
  agreement('updateMessageFlags', 'a change is sent to the queues', [
    ...aNote,
    aQueue({ event_types: ['update_message_flags'] }),
    flag('starred', 'add', '[{note}]'),
    poll(
      someEvent(
        'update_message_flags',
        (event, saved) =>
          event['op'] === 'add' &&
          event['operation'] === 'add' &&
          event['flag'] === 'starred' &&
          event['all'] === false &&
          JSON.stringify(event['messages']) === `[${saved['note']}]`,
      ),
    ),
  ]),
  agreement('updateMessageFlags', 'a message made unread is sent with its place', [
    ...aNote,
    aQueue({ event_types: ['update_message_flags'] }),
    flag('read', 'remove', '[{note}]'),
    poll(
      someEvent('update_message_flags', (event, saved) => {
        const details = inner(event['message_details'])[String(saved['note'])]
        return event['op'] === 'remove' && inner(details)['type'] === 'private'
      }),
    ),
    flag('read', 'add', '[{note}]'),
  ]),
  agreement('updateMessageFlags', 'messages in unsubscribed channels are unchanged and listed', [
    ...herRoom,
    saving(say('x'), { there: 'id' }),
    flag(
      'read',
      'remove',
      '[{there}]',
      holding('the channel is named', (body, { room }) =>
        sameList([body['ignored_because_not_subscribed_channels']], [[Number(room)]]),
      ),
    ),
  ]),
]

const within = (more: Fields, expect = ok()) =>
  post(
    '/messages/flags/narrow',
    { narrow: inTopic, op: 'add', flag: 'starred', num_before: 0, num_after: 0, ...more },
    expect,
  )

const processed = (count: number, updated: number, first: string | null, last: string | null) =>
  holding(
    `processed ${count}, updated ${updated}, from ${first} to ${last}`,
    (body, saved) =>
      body['processed_count'] === count &&
      body['updated_count'] === updated &&
      body['first_processed_id'] === (first === null ? null : Number(saved[first])) &&
      body['last_processed_id'] === (last === null ? null : Number(saved[last])),
  )

const byNarrow: readonly ChatCase[] = [
  agreement('updateMessageFlagsForNarrow', 'a narrow: reports how far it got', [
    ...threeSaid,
    within({ anchor: 'oldest', num_after: 2 }, processed(2, 2, 'first', 'second')),
    hasFlag('starred', false, 'third'),
  ]),
  agreement('updateMessageFlagsForNarrow', 'a narrow: continues after where it got to', [
    ...threeSaid,
    within({ anchor: 'oldest', num_after: 2 }),
    within(
      { anchor: '{second}', num_after: 2, include_anchor: false },
      processed(1, 1, 'third', 'third'),
    ),
  ]),
  agreement(
    'updateMessageFlagsForNarrow',
    'a narrow: can be marked unread from one of its messages on',
    [
      ...threeSaid,
      aQueue({ event_types: ['update_message_flags'] }),
      within(
        { anchor: '{second}', num_after: 5_000, include_anchor: true, op: 'remove', flag: 'read' },
        processed(2, 2, 'second', 'third'),
      ),
      hasFlag('read', true, 'first'),
      hasFlag('read', false, 'second'),
      poll(
        someEvent(
          'update_message_flags',
          ({ op, flag: name, messages, message_details: details }, { second, third }) =>
            op === 'remove' &&
            name === 'read' &&
            sameList([messages], [[Number(second), Number(third)]]) &&
            inner(inner(details)[String(third)])['type'] === 'stream',
        ),
      ),
      flag('read', 'add', '[{second},{third}]'),
    ],
  ),
  agreement('updateMessageFlagsForNarrow', 'a narrow: counts only changed messages as updated', [
    ...threeSaid,
    flag('starred', 'add', '[{first}]'),
    within({ anchor: 'oldest', num_after: 3 }, processed(3, 2, 'first', 'third')),
  ]),
  agreement('updateMessageFlagsForNarrow', 'a narrow: without messages has no ids', [
    ...threeSaid,
    within(
      { anchor: 'oldest', num_after: 3, narrow: narrow('channel {room}', 'topic "{prefix} x"') },
      processed(0, 0, null, null),
    ),
  ]),
  agreement('updateMessageFlagsForNarrow', 'a narrow: says whether the end was reached', [
    ...threeSaid,
    within({ anchor: 'oldest', num_after: 2 }, ok({ found_oldest: true, found_newest: false })),
    within({ anchor: 'oldest', num_after: 9 }, ok({ found_newest: true })),
  ]),
  agreement('updateMessageFlagsForNarrow', 'a narrow: too large a number is capped, not refused', [
    ...threeSaid,
    within({ anchor: 'oldest', num_after: 9_000 }, processed(3, 3, 'first', 'third')),
  ]),
  agreement('updateMessageFlagsForNarrow', 'a narrow: a server flag is refused', [
    ...threeSaid,
    within({ anchor: 'oldest', num_after: 1, flag: 'mentioned' }, bad),
  ]),
  agreement('updateMessageFlagsForNarrow', 'a narrow: an invalid operator is bad', [
    ...threeSaid,
    within({ anchor: 'oldest', num_after: 1, narrow: narrow('mood "x"') }, refused('BAD_NARROW')),
  ]),
  agreement('markAllAsRead', 'all can be marked as read, sent without ids', [
    // Restores what was unread before.
    saving(
      get('/messages', {
        anchor: 'newest',
        num_before: 5_000,
        num_after: 0,
        narrow: narrow('is "unread"'),
      }),
      { unread: ({ json }) => JSON.stringify(rows(inner(json), 'messages').map(({ id }) => id)) },
    ),
    aQueue({ event_types: ['update_message_flags'] }),
    post('/mark_all_as_read', {}, ok({ complete: true })),
    flag('read', 'remove', '{unread}'),
    poll(
      someEvent(
        'update_message_flags',
        (event) => event['all'] === true && JSON.stringify(event['messages']) === '[]',
      ),
    ),
  ]),
]

export const flagCases: readonly ChatCase[] = [...byIds, ...byNarrow]
