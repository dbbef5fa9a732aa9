import {
  agreement,
  aNote,
  aQueue,
  bad,
  type ChatCase,
  get,
  holding,
  inner,
  isAbsent,
  isNumber,
  noMessage,
  note,
  ok,
  poll,
  post,
  refused,
  saving,
  say,
  send,
  sheWrites,
  someEvent,
  threeSaid,
} from './chat-parts.ts'

type Fields = Readonly<Record<string, unknown>>

const edit = (id: string, fields: Fields, expect = ok()) =>
  send('PATCH', `/messages/{${id}}`, fields, expect)
const subject = (id: string, text: string) =>
  get(`/messages/{${id}}`, {}, ok({ message: { subject: text } }))

const edits: readonly ChatCase[] = [
  agreement('editMessage', 'new content is stored with the time of the edit', [
    ...aNote,
    edit('note', { content: '{prefix} new' }),
    get(
      '/messages/{note}',
      {},
      ok({ message: { content: '<p>{prefix} new</p>', last_edit_timestamp: isNumber } }),
    ),
  ]),
  agreement('editMessage', 'new content is sent to the queues', [
    ...aNote,
    aQueue({ event_types: ['update_message'] }),
    edit('note', { content: '{prefix} new' }),
    poll(
      someEvent(
        'update_message',
        (event, saved) =>
          event['message_id'] === Number(saved['note']) &&
          event['rendering_only'] === false &&
          event['content'] === `${saved['prefix']} new` &&
          event['orig_content'] === `${saved['prefix']} note`,
      ),
    ),
  ]),
  agreement('editMessage', 'an empty change is refused', [...aNote, edit('note', {}, bad)]),
  agreement('editMessage', 'a missing message is refused', [
    send('PATCH', `/messages/${noMessage}`, { content: 'x' }, bad),
  ]),
  agreement('editMessage', 'a direct message has no topic to move to', [
    ...aNote,
    edit('note', { topic: 'x' }, bad),
  ]),
  agreement('editMessage', 'a single message can be moved', [
    ...threeSaid,
    edit('second', { topic: '{prefix} b', propagate_mode: 'change_one' }),
    subject('first', '{prefix}'),
    subject('second', '{prefix} b'),
    subject('third', '{prefix}'),
  ]),
  agreement('editMessage', 'a message can be moved with those after it', [
    ...threeSaid,
    edit('second', { topic: '{prefix} b', propagate_mode: 'change_later' }),
    subject('first', '{prefix}'),
    subject('third', '{prefix} b'),
  ]),
  agreement('editMessage', 'a whole topic can be moved', [
    ...threeSaid,
    edit('second', { topic: '{prefix} b', propagate_mode: 'change_all' }),
    subject('first', '{prefix} b'),
    subject('third', '{prefix} b'),
  ]),
  agreement('editMessage', 'a move is sent with the old and new topic, without content', [
    ...threeSaid,
    aQueue({ event_types: ['update_message'] }),
    edit('second', { topic: '{prefix} b', propagate_mode: 'change_all' }),
    poll(
      someEvent(
        'update_message',
        (event, saved) =>
          event['orig_subject'] === saved['prefix'] &&
          event['subject'] === `${saved['prefix']} b` &&
          event['stream_id'] === Number(saved['room']) &&
          !('content' in event),
      ),
    ),
  ]),
  agreement('editMessage', 'an invalid way to move is refused', [
    ...threeSaid,
    edit('second', { topic: 'x', propagate_mode: 'change_some' }, bad),
  ]),
  agreement(
    'editMessage',
    'old content that differs from what was expected is a mismatch',
    [
      ...aNote,
      edit(
        'note',
        { content: 'x', prev_content_sha256: 'a'.repeat(64) },
        refused('EXPECTATION_MISMATCH'),
      ),
    ],
    { since: '379' },
  ),
  agreement(
    'editMessage',
    'on older servers, the hash of the old content is ignored',
    [
      ...aNote,
      edit(
        'note',
        { content: 'x', prev_content_sha256: 'a'.repeat(64) },
        ok({ ignored_parameters_unsupported: ['prev_content_sha256'] }),
      ),
    ],
    { before: '379' },
  ),
  agreement('editMessage', 'someone else’s message can’t be changed', [
    ...sheWrites,
    edit('hers', { content: 'x' }, bad),
  ]),
]

const removals: readonly ChatCase[] = [
  agreement('deleteMessage', 'a message can be deleted once', [
    ...aNote,
    send('DELETE', '/messages/{note}', {}, ok()),
    send('DELETE', '/messages/{note}', {}, bad),
  ]),
  agreement('deleteMessage', 'without the capability, deletions are sent one by one', [
    ...aNote,
    aQueue({ event_types: ['delete_message'] }),
    send('DELETE', '/messages/{note}'),
    poll(
      someEvent(
        'delete_message',
        (event, saved) =>
          event['message_id'] === Number(saved['note']) && event['message_type'] === 'private',
      ),
    ),
  ]),
  agreement('deleteMessage', 'with the capability, deletions are sent as a list', [
    ...aNote,
    aQueue({
      event_types: ['delete_message'],
      client_capabilities: { notification_settings_null: true, bulk_message_deletion: true },
    }),
    send('DELETE', '/messages/{note}'),
    poll(
      someEvent(
        'delete_message',
        (event, saved) => JSON.stringify(event['message_ids']) === `[${saved['note']}]`,
      ),
    ),
  ]),
]

const isRead = (id: string, read: boolean) =>
  get(
    `/messages/{${id}}`,
    {},
    holding(`${id} is ${read ? '' : 'not '}read`, (body) => {
      const flags: unknown = inner(body['message'])['flags']
      return Array.isArray(flags) && flags.includes('read') === read
    }),
  )

const reading: readonly ChatCase[] = [
  agreement('markChannelAsRead', 'a channel can be marked as read', [
    ...threeSaid,
    saving(say('x', { read_by_sender: false }), { loud: 'id' }),
    isRead('loud', false),
    post('/mark_stream_as_read', { stream_id: '{room}' }, ok()),
    isRead('loud', true),
  ]),
  agreement('markChannelAsRead', 'a missing channel is refused', [
    post('/mark_stream_as_read', { stream_id: 999_999_999 }, bad),
  ]),
  agreement('markTopicAsRead', 'only the given topic is marked as read', [
    ...threeSaid,
    saving(say('x', { read_by_sender: false }), { loud: 'id' }),
    saving(say('x', { read_by_sender: false, topic: '{prefix} b' }), { other: 'id' }),
    post('/mark_topic_as_read', { stream_id: '{room}', topic_name: '{prefix}' }, ok()),
    isRead('loud', true),
    isRead('other', false),
    post('/mark_stream_as_read', { stream_id: '{room}' }),
  ]),
  agreement('markTopicAsRead', 'a missing topic is refused', [
    ...threeSaid,
    post('/mark_topic_as_read', { stream_id: '{room}', topic_name: '{prefix} none' }, bad),
  ]),
  agreement('getMessage', 'a message that was never edited has no edit time', [
    ...aNote,
    note('{prefix} again'),
    get('/messages/{note}', {}, ok({ message: { last_edit_timestamp: isAbsent } })),
  ]),
]

export const editCases: readonly ChatCase[] = [...edits, ...removals, ...reading]
