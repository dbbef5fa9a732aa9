import {
  agreement,
  aQueue,
  bad,
  type ChatCase,
  get,
  holding,
  inner,
  isAbsent,
  isList,
  isNumber,
  missing,
  ok,
  poll,
  post,
  refused,
  rows,
  saving,
  send,
  someEvent,
} from './chat-parts.ts'

type Fields = Readonly<Record<string, unknown>>

const draft = { type: 'private', to: [], topic: '', content: '{prefix}' }
const aDraft = saving(post('/drafts', { drafts: [draft] }), { draft: 'ids.0' })
const edit = (fields: Fields, expect = ok()) =>
  send('PATCH', '/drafts/{draft}', { draft: { ...draft, ...fields } }, expect)
const gone = refused('BAD_REQUEST', {}, 404)
const noSync = { worldOnly: 'would delete the drafts of the account' }

/** What a draft must not be. */
const badDrafts: readonly (readonly [string, Fields])[] = [
  ['for a channel, without one', { type: 'stream', to: [] }],
  ['for two channels', { type: 'stream', to: [1, 2] }],
  ['for a channel that is not there', { type: 'stream', to: [999_999_999] }],
  ['of a type that is none', { type: 'letter' }],
  ['with its id', { id: 1 }],
  ['with blank content', { content: ' ' }],
  ['with a NUL', { content: 'a\0b' }],
  ['with a text for its people', { to: 'x' }],
]

const drafts: readonly ChatCase[] = [
  agreement('listDrafts', 'drafts are listed with their number', [
    aDraft,
    get('/drafts', {}, ok({ count: isNumber, drafts: isList })),
    get(
      '/drafts',
      {},
      holding('the new one is there', (body, saved) =>
        rows(body, 'drafts').some(
          ({ id, content, timestamp }) =>
            id === Number(saved['draft']) && content === saved['prefix'] && isNumber(timestamp),
        ),
      ),
    ),
  ]),
  agreement('createDrafts', 'several drafts have ids in their order', [
    saving(post('/drafts', { drafts: [draft, { ...draft, content: '{prefix} second' }] }), {
      first: 'ids.0',
      second: 'ids.1',
    }),
    get(
      '/drafts',
      {},
      holding('the second is the second', (body, saved) =>
        rows(body, 'drafts').some(
          ({ id, content }) =>
            id === Number(saved['second']) && content === `${saved['prefix']} second`,
        ),
      ),
    ),
  ]),
  agreement('createDrafts', 'a draft may be for nobody yet', [
    post('/drafts', { drafts: [{ ...draft, type: '' }] }, ok({ ids: [isNumber] })),
  ]),
  agreement('createDrafts', 'drafts are needed', [post('/drafts', {}, missing('drafts'))]),
  agreement('createDrafts', 'new drafts are told to the queues', [
    aQueue({ event_types: ['drafts'] }),
    aDraft,
    poll(someEvent('drafts', (event) => event['op'] === 'add' && isList(event['drafts']))),
  ]),
  ...badDrafts.map(([what, fields]) =>
    agreement('editDraft', `a draft ${what} is refused`, [aDraft, edit(fields, bad)]),
  ),
  agreement('editDraft', 'an edited draft is told to the queues', [
    aDraft,
    aQueue({ event_types: ['drafts'] }),
    edit({ content: '{prefix} new' }),
    poll(
      someEvent(
        'drafts',
        (event, saved) =>
          event['op'] === 'update' &&
          inner(event['draft'])['id'] === Number(saved['draft']) &&
          inner(event['draft'])['content'] === `${saved['prefix']} new`,
      ),
    ),
  ]),
  agreement('editDraft', 'a draft that is not there is a 404 with the usual code', [
    send('PATCH', '/drafts/999999999', { draft }, gone),
  ]),
  agreement('editDraft', 'a draft is needed', [
    aDraft,
    send('PATCH', '/drafts/{draft}', {}, missing('draft')),
  ]),
  agreement('deleteDraft', 'a draft can be deleted once', [
    aDraft,
    send('DELETE', '/drafts/{draft}', {}, ok()),
    send('DELETE', '/drafts/{draft}', {}, gone),
  ]),
  agreement('deleteDraft', 'a deleted draft is told to the queues', [
    aDraft,
    aQueue({ event_types: ['drafts'] }),
    send('DELETE', '/drafts/{draft}'),
    poll(
      someEvent(
        'drafts',
        (event, saved) => event['op'] === 'remove' && event['draft_id'] === Number(saved['draft']),
      ),
    ),
  ]),
  agreement(
    'editDraft',
    'who keeps no drafts on the server has none of the four calls',
    [
      aDraft,
      { control: ({ realm }) => realm.set('enable_drafts_synchronization', false) },
      get('/drafts', {}, bad),
      post('/drafts', { drafts: [draft] }, bad),
      edit({}, bad),
      send('DELETE', '/drafts/{draft}', {}, bad),
    ],
    noSync,
  ),
]

const snippet = (fields: Fields, expect = ok({ saved_snippet_id: isNumber })) =>
  post('/saved_snippets', { title: '{prefix}', content: 'y', ...fields }, expect)
const aSnippet = saving(snippet({}), { snippet: 'saved_snippet_id' })
const change = (fields: Fields, expect = ok()) =>
  send('PATCH', '/saved_snippets/{snippet}', fields, expect)

const snippets: readonly ChatCase[] = [
  agreement('createSavedSnippet', 'a snippet has an id', [snippet({})]),
  agreement('createSavedSnippet', 'a blank title is refused', [snippet({ title: ' ' }, bad)]),
  agreement('createSavedSnippet', 'blank content is refused', [snippet({ content: ' ' }, bad)]),
  agreement('createSavedSnippet', 'a title of 60 signs fits, of 61 does not', [
    snippet({ title: 'x'.repeat(60) }),
    snippet({ title: 'x'.repeat(61) }, bad),
  ]),
  agreement('createSavedSnippet', 'content that is too long is refused, not cut', [
    snippet({ content: 'x'.repeat(10_001) }, bad),
  ]),
  agreement('createSavedSnippet', 'a title is needed', [
    post('/saved_snippets', { content: 'y' }, missing('title')),
  ]),
  agreement('listSavedSnippets', 'snippets are listed with their time', [
    aSnippet,
    get(
      '/saved_snippets',
      {},
      holding('the new one is there', (body, saved) =>
        rows(body, 'saved_snippets').some(
          ({ id, title, content, date_created }) =>
            id === Number(saved['snippet']) &&
            title === saved['prefix'] &&
            content === 'y' &&
            isNumber(date_created),
        ),
      ),
    ),
  ]),
  agreement('editSavedSnippet', 'a title can be changed alone', [
    aSnippet,
    aQueue({ event_types: ['saved_snippets'] }),
    change({ title: '{prefix} new' }),
    poll(
      someEvent('saved_snippets', ({ op, saved_snippet }, saved) => {
        const { title, content } = inner(saved_snippet)
        return op === 'update' && title === `${saved['prefix']} new` && content === 'y'
      }),
    ),
  ]),
  agreement('editSavedSnippet', 'a blank title is refused', [
    aSnippet,
    change({ title: ' ' }, bad),
  ]),
  agreement('editSavedSnippet', 'a snippet that is not there is a 404', [
    send('PATCH', '/saved_snippets/999999999', { title: 'x' }, gone),
  ]),
  agreement('deleteSavedSnippet', 'a snippet can be deleted once', [
    aSnippet,
    send('DELETE', '/saved_snippets/{snippet}', {}, ok({ code: isAbsent })),
    send('DELETE', '/saved_snippets/{snippet}', {}, gone),
  ]),
]

export const draftCases: readonly ChatCase[] = [...drafts, ...snippets]
