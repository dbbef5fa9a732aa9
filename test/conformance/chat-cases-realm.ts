import {
  agreement,
  bad,
  badNaming,
  type ChatCase,
  get,
  holding,
  isList,
  isNumber,
  missing,
  ok,
  post,
  refused,
  rows,
  send,
} from './chat-parts.ts'

type Fields = Readonly<Record<string, unknown>>

const pretend = (what: string) => ({ worldOnly: `needs ${what} of the pretend realm` })

const views: readonly ChatCase[] = [
  agreement('updateNavigationView', 'a built-in view has no name of its own', [
    send('PATCH', '/navigation_views/inbox', { name: 'x' }, bad),
  ]),
  agreement(
    'updateNavigationView',
    'a built-in view can be pinned, slashes and all',
    [send('PATCH', '/navigation_views/narrow%2Fis%2Fstarred', { is_pinned: true }, ok())],
    pretend('the views'),
  ),
  agreement(
    'updateNavigationView',
    'a view of one’s own can be named',
    [send('PATCH', '/navigation_views/narrow%2Fchannel%2F1-ops', { name: 'Ops' }, ok())],
    pretend('the views'),
  ),
  agreement('updateNavigationView', 'a missing view is NOT_FOUND', [
    send('PATCH', '/navigation_views/{prefix}', { is_pinned: true }, refused('NOT_FOUND', {}, 404)),
  ]),
  agreement('updateNavigationView', 'is_pinned is strict', [
    send('PATCH', '/navigation_views/inbox', { is_pinned: 'yes' }, badNaming('is_pinned')),
  ]),
]

const playground = (fields: Fields, expect = ok({ id: isNumber })) =>
  post(
    '/realm/playgrounds',
    {
      name: '{prefix}',
      pygments_language: 'Python',
      url_template: 'https://example.org/{code}',
      ...fields,
    },
    expect,
  )
const linkifier = (pattern: string, url_template: string, expect = ok({ id: isNumber })) =>
  post('/realm/filters', { pattern, url_template }, expect)

const realm: readonly ChatCase[] = [
  agreement('addPlayground', 'a playground has an id', [playground({})]),
  agreement('addPlayground', 'the language has the server’s name for it', [
    post(
      '/realm/playgrounds',
      { name: 'x', syntax_language: 'C', url_template: 'https://example.org/{code}' },
      missing('pygments_language'),
    ),
  ]),
  ...['https://example.org/', 'https://example.org/{text}', 'https://example.org/{code}{more}'].map(
    (url_template) =>
      agreement('addPlayground', `code must be the only variable, unlike in ${url_template}`, [
        playground({ url_template }, bad),
      ]),
  ),
  agreement('addLinkifier', 'a linkifier has an id', [
    linkifier('{prefix}-(?P<id>[0-9]+)', 'https://example.org/{id}'),
  ]),
  agreement('addLinkifier', 'a pattern must be valid', [
    linkifier('(', 'https://example.org/', bad),
  ]),
  agreement('addLinkifier', 'a variable must be a group of the pattern', [
    linkifier('{prefix}-(?P<id>[0-9]+)', 'https://example.org/{number}', bad),
  ]),
  agreement('addLinkifier', 'a pattern is needed', [
    post('/realm/filters', { url_template: 'https://example.org/' }, missing('pattern')),
  ]),
  agreement(
    'addPushDeviceToken',
    'a token of hex digits is accepted',
    [post('/users/me/push_device_token', { token: 'abc123', appid: 'org.example' }, ok())],
    { pretendOnly: 'the document’s path, which no real server has' },
  ),
  ...['', 'not hex', 'a'.repeat(4_097)].map((token) =>
    agreement(
      'addPushDeviceToken',
      `an invalid token is refused: ${token.slice(0, 8)} (${token.length})`,
      [post('/users/me/push_device_token', { token, appid: 'org.example' }, bad)],
      { pretendOnly: 'the document’s path, which no real server has' },
    ),
  ),
]

const view = { fragment: 'narrow/is/alerted/{prefix}', is_pinned: true, name: '{prefix}' }
const myView = '/navigation_views/narrow%2Fis%2Falerted%2F{prefix}'

const ownViews: readonly ChatCase[] = [
  agreement('addNavigationView', 'a view of one’s own is listed', [
    post('/navigation_views', view, ok()),
    get(
      '/navigation_views',
      {},
      holding('it is there', (body, saved) =>
        rows(body, 'navigation_views').some(
          ({ name, is_pinned }) => name === saved['prefix'] && is_pinned === true,
        ),
      ),
    ),
    send('DELETE', myView),
  ]),
  agreement('addNavigationView', 'the same view twice is refused', [
    post('/navigation_views', view, ok()),
    post('/navigation_views', view, bad),
    send('DELETE', myView),
  ]),
  agreement('addNavigationView', 'a built-in view has no name of its own', [
    post('/navigation_views', { ...view, fragment: 'inbox' }, bad),
  ]),
  agreement('listNavigationViews', 'views are listed', [
    get('/navigation_views', {}, ok({ navigation_views: isList })),
  ]),
  agreement('removeNavigationView', 'a view can be removed once', [
    post('/navigation_views', view),
    send('DELETE', myView, {}, ok()),
    send('DELETE', myView, {}, { status: 404 }),
  ]),
]

export const realmCases: readonly ChatCase[] = [...views, ...ownViews, ...realm]
