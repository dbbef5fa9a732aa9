import type { Saved } from './case.ts'
import {
  agreement,
  aQueue,
  aRoom,
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
  sameList,
  saving,
  send,
  someEvent,
  whoElse,
} from './chat-parts.ts'

type Fields = Readonly<Record<string, unknown>>

const draft = { type: 'private', to: [], topic: '', content: '{prefix}' }
const aDraft = saving(post('/drafts', { drafts: [draft] }), { draft: 'ids.0' })
const edit = (fields: Fields, expect = ok()) =>
  send('PATCH', '/drafts/{draft}', { draft: { ...draft, ...fields } }, expect)
const gone = refused('BAD_REQUEST', {}, 404)
const noSync = { worldOnly: 'would delete the drafts of the account' }

/** How a draft is listed, whatever it was sent as. `to` names saved ids. */
const keptAs = (what: string, fields: Fields, kept: (saved: Saved) => Fields) =>
  agreement('createDrafts', `a draft ${what}`, [
    ...aRoom,
    whoElse,
    saving(
      post('/drafts', {
        drafts: JSON.stringify([{ ...draft, ...fields }]).replace(/"(\[\S*\])"/, '$1'),
      }),
      { draft: 'ids.0' },
    ),
    get(
      '/drafts',
      {},
      holding('it is kept so', (body, saved) => {
        const one = rows(body, 'drafts').find(({ id }) => id === Number(saved['draft']))
        return Object.entries(kept(saved)).every(([name, value]) =>
          sameList([one?.[name]], [value]),
        )
      }),
    ),
  ])

/** Invalid drafts. */
const badDrafts: readonly (readonly [string, Fields])[] = [
  ['for a channel, without one', { type: 'stream', to: [] }],
  ['for two channels', { type: 'stream', to: [1, 2] }],
  ['for a missing channel', { type: 'stream', to: [999_999_999] }],
  ['of an invalid type', { type: 'letter' }],
  ['with its id', { id: 1 }],
  ['with blank content', { content: ' ' }],
  ['with a NUL', { content: 'a\0b' }],
  ['with a text for its people', { to: 'x' }],
  ['for a missing person', { to: [999_999_999] }],
  ['from before 1970', { timestamp: -1 }],
]

const drafts: readonly ChatCase[] = [
  agreement('listDrafts', 'drafts are listed with their count', [
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
  agreement('createDrafts', 'a draft may have no recipient yet', [
    post('/drafts', { drafts: [{ ...draft, type: '' }] }, ok({ ids: [isNumber] })),
  ]),
  keptAs('without a recipient has no type', {}, () => ({ type: '', to: [] })),
  keptAs('for oneself names oneself', { to: '[{me}]' }, ({ me }) => ({ to: [Number(me)] })),
  keptAs('for oneself and somebody names that one', { to: '[{me},{other},{other}]' }, (saved) => ({
    type: 'private',
    to: [Number(saved['other'])],
  })),
  keptAs('has no white space around it', { content: '\n    code \n' }, () => ({
    content: 'code',
  })),
  keptAs('that is too long is cut', { content: 'x'.repeat(10_001) }, () => ({
    content: `${'x'.repeat(9_980)}\n[message truncated]`,
  })),
  keptAs(
    'has a topic that is cut, not trimmed',
    { type: 'stream', to: '[{room}]', topic: ` ${'x'.repeat(60)}` },
    () => ({ topic: ` ${'x'.repeat(56)}...` }),
  ),
  keptAs('has the time it was given, in whole seconds', { timestamp: 1_700_000_000.75 }, () => ({
    timestamp: 1_700_000_000,
  })),
  agreement('createDrafts', 'none of several drafts is created if one is refused', [
    post('/drafts', { drafts: [draft, { ...draft, to: [999_999_999] }] }, bad),
    get(
      '/drafts',
      {},
      holding('there is none', (body, { prefix }) =>
        rows(body, 'drafts').every(({ content }) => content !== prefix),
      ),
    ),
  ]),
  agreement('listDrafts', 'drafts are listed oldest first, but registered newest first', [
    post('/drafts', {
      drafts: [
        { ...draft, timestamp: 1_700_000_002 },
        { ...draft, timestamp: 1_700_000_001 },
      ],
    }),
    get('/drafts', {}, holding('oldest first', inOrder([1_700_000_001, 1_700_000_002]))),
    post(
      '/register',
      { event_types: ['drafts'] },
      holding('newest first', inOrder([1_700_000_002, 1_700_000_001])),
    ),
  ]),
  agreement('createDrafts', 'drafts are needed', [post('/drafts', {}, missing('drafts'))]),
  agreement('createDrafts', 'new drafts are sent to the queues', [
    aQueue({ event_types: ['drafts'] }),
    aDraft,
    poll(someEvent('drafts', (event) => event['op'] === 'add' && isList(event['drafts']))),
  ]),
  ...badDrafts.map(([what, fields]) =>
    agreement('editDraft', `a draft ${what} is refused`, [aDraft, edit(fields, bad)]),
  ),
  agreement('editDraft', 'an edited draft is sent to the queues', [
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
  agreement('editDraft', 'a missing draft is a 404 with the usual code', [
    send('PATCH', '/drafts/999999999', { draft }, gone),
  ]),
  agreement('editDraft', 'a missing draft is reported before an invalid one', [
    send('PATCH', '/drafts/999999999', { draft: { ...draft, to: [999_999_999] } }, gone),
  ]),
  agreement('editDraft', 'a draft edited without a time gets the current one', [
    saving(post('/drafts', { drafts: [{ ...draft, timestamp: 5 }] }), { draft: 'ids.0' }),
    aQueue({ event_types: ['drafts'] }),
    edit({ content: '{prefix} new' }),
    poll(
      someEvent('drafts', (event) => Number(inner(event['draft'])['timestamp']) > 1_700_000_000),
    ),
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
  agreement('deleteDraft', 'a deleted draft is sent to the queues', [
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
    'an account without synchronized drafts has none of the four calls',
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
  agreement('createSavedSnippet', 'a title of 60 characters fits, of 61 doesn’t', [
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
  agreement('editSavedSnippet', 'the title alone can be changed', [
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
  agreement('createSavedSnippet', 'white space around a snippet is removed', [
    aQueue({ event_types: ['saved_snippets'] }),
    snippet({ title: ' {prefix} ', content: '\n  y \n' }),
    poll(
      someEvent('saved_snippets', ({ op, saved_snippet }, { prefix }) => {
        const { title, content } = inner(saved_snippet)
        return op === 'add' && title === prefix && content === 'y'
      }),
    ),
  ]),
  agreement('createSavedSnippet', 'two snippets may have the same title', [aSnippet, snippet({})]),
  agreement('editSavedSnippet', 'an empty change is fine, even of a missing snippet', [
    aSnippet,
    change({}),
    send('PATCH', '/saved_snippets/999999999', {}, ok()),
  ]),
  agreement('deleteSavedSnippet', 'a deleted snippet is sent to the queues', [
    aSnippet,
    aQueue({ event_types: ['saved_snippets'] }),
    send('DELETE', '/saved_snippets/{snippet}'),
    poll(
      someEvent(
        'saved_snippets',
        (event, { snippet: id }) =>
          event['op'] === 'remove' && event['saved_snippet_id'] === Number(id),
      ),
    ),
  ]),
  agreement('editSavedSnippet', 'a blank title is refused', [
    aSnippet,
    change({ title: ' ' }, bad),
  ]),
  agreement('editSavedSnippet', 'a missing snippet is a 404', [
    send('PATCH', '/saved_snippets/999999999', { title: 'x' }, gone),
  ]),
  agreement('deleteSavedSnippet', 'a snippet can be deleted once', [
    aSnippet,
    send('DELETE', '/saved_snippets/{snippet}', {}, ok({ code: isAbsent })),
    send('DELETE', '/saved_snippets/{snippet}', {}, gone),
  ]),
]

function inOrder(times: readonly number[]) {
  return (body: Fields, { prefix }: Saved) =>
    sameList(
      rows(body, 'drafts')
        .filter(({ content }) => content === prefix)
        .map(({ timestamp }) => timestamp),
      times,
    )
}

export const draftCases: readonly ChatCase[] = [...drafts, ...snippets]
