import type { RequestStep } from './case.ts'
import {
  agreement,
  bad,
  type ChatCase,
  get,
  holding,
  isAbsent,
  isNumber,
  isText,
  ok,
  refused,
  send,
} from './chat-parts.ts'

const unauthorized = refused('UNAUTHORIZED', {}, 401)
const basic = (pair: string) => ({
  authorization: `Basic ${Buffer.from(pair).toString('base64')}`,
})

/** A GET with its own headers and none of ours. */
function knock(headers: Readonly<Record<string, string>>, more: Partial<RequestStep>): RequestStep {
  return { ...get('/users/me'), key: 'none', headers, ...more }
}

const inThePretence = 'needs the account that the pretend realm has'

const access: readonly ChatCase[] = [
  agreement('getOwnUser', 'without a key there is a 401 that says how to sign in', [
    {
      ...get('/users/me'),
      key: 'none',
      expect: { ...unauthorized, headers: { 'www-authenticate': 'Basic realm="zulip"' } },
    },
  ]),
  agreement('getOwnUser', 'a wrong key has the code UNAUTHORIZED, not INVALID_API_KEY', [
    { ...get('/users/me'), key: 'wrong', expect: unauthorized },
  ]),
  agreement('deleteAttachment', 'deleting without a key is UNAUTHORIZED', [
    { ...send('DELETE', '/attachments/1'), key: 'none', expect: unauthorized },
  ]),
  agreement('getOwnUser', 'a header that is not two parts is UNAUTHORIZED', [
    knock(basic('nonsense'), { expect: unauthorized }),
  ]),
  agreement('getOwnUser', 'a header of three parts is UNAUTHORIZED', [
    knock(basic('a:b:c'), { expect: unauthorized }),
  ]),
  agreement('getOwnUser', 'a scheme other than Basic is a 400', [
    knock({ authorization: 'Bearer x' }, { expect: bad }),
  ]),
  agreement('getOwnUser', 'the real address is accepted in any case', [
    { ...get('/users/me', {}, ok()), key: 'capitals' },
  ]),
  agreement('getOwnUser', 'white space around the key does not matter', [
    { ...get('/users/me', {}, ok()), key: 'spaced' },
  ]),
  agreement(
    'getOwnUser',
    'the address that the API shows is not accepted',
    [knock(basic('user11@127.0.0.1:BelfryDemoKeyBelfryDemoKey012345'), { expect: unauthorized })],
    { pretendOnly: inThePretence },
  ),
  agreement('getOwnUser', 'a client that looks like a browser is redirected to the login page', [
    {
      ...get('/users/me'),
      key: 'none',
      headers: { accept: 'text/html,application/xhtml+xml' },
      expect: { status: 302, headers: { location: /login/ } },
    },
  ]),
  agreement(
    'getOwnUser',
    'a revoked key is UNAUTHORIZED at once',
    [
      get('/users/me', {}, ok()),
      { control: ({ realm }) => realm.revokeKey() },
      get('/users/me', {}, unauthorized),
    ],
    { worldOnly: 'would cost the account its key' },
  ),
  agreement('serverSettings', 'anyone may ask for the server settings', [
    {
      ...get('/server_settings'),
      key: 'none',
      expect: holding(
        'the realm, its level and its version are named',
        (body) =>
          isText(body['realm_url']) &&
          isNumber(body['zulip_feature_level'] ?? body['service_feature_level']) &&
          typeof body['authentication_methods'] === 'object' &&
          typeof body['email_auth_enabled'] === 'boolean',
      ),
    },
  ]),
  agreement('serverSettings', 'server settings count against no key’s limit', [
    {
      ...get('/server_settings'),
      key: 'none',
      expect: { status: 200, headers: { 'x-ratelimit-remaining': null } },
    },
  ]),
]

const whole = /^\d+$/

const limits: readonly ChatCase[] = [
  agreement('getOwnUser', 'every response has limit, remaining and reset', [
    {
      ...get('/users/me'),
      expect: {
        status: 200,
        headers: {
          'x-ratelimit-limit': whole,
          'x-ratelimit-remaining': whole,
          'x-ratelimit-reset': whole,
        },
      },
    },
  ]),
  agreement('getUser', 'an error has limit and remaining, too', [
    {
      ...get('/users/999999999'),
      expect: { ...bad, headers: { 'x-ratelimit-limit': whole, 'x-ratelimit-remaining': whole } },
    },
  ]),
  agreement('getOwnUser', 'remaining counts down', [
    {
      ...get('/users/me'),
      save: { left: ({ headers }) => headers['x-ratelimit-remaining'] ?? '' },
    },
    {
      ...get('/users/me'),
      expect: {
        status: 200,
        body: {
          holds: ({ headers }, { left }) =>
            Number(headers['x-ratelimit-remaining']) < Number(left) ? null : `not below ${left}`,
        },
      },
    },
  ]),
  agreement(
    'getOwnUser',
    'too many requests are refused with a fraction of a second to wait',
    [
      get('/users/me'),
      { passMs: 10_000 },
      {
        ...get('/users/me'),
        expect: {
          ...refused(
            'RATE_LIMIT_HIT',
            { 'retry-after': (value: unknown) => isNumber(value) && !Number.isInteger(value) },
            429,
          ),
          headers: { 'retry-after': /^50\.\d+$/ },
        },
      },
    ],
    { worldOnly: 'would use up the key', world: { rateLimit: 1 } },
  ),
  agreement(
    'getOwnUser',
    'the refusal ends after a minute',
    [
      get('/users/me'),
      { ...get('/users/me'), expect: refused('RATE_LIMIT_HIT', {}, 429) },
      { passMs: 60_000 },
      get('/users/me', {}, ok()),
    ],
    { worldOnly: 'would use up the key', world: { rateLimit: 1 } },
  ),
  agreement(
    'deleteQueue',
    'events are counted separately',
    [
      get('/users/me'),
      { ...get('/users/me'), expect: refused('RATE_LIMIT_HIT', {}, 429) },
      send('DELETE', '/events', { queue_id: 'gone' }, refused('BAD_EVENT_QUEUE_ID')),
    ],
    { worldOnly: 'would use up the key', world: { rateLimit: 1 } },
  ),
  agreement(
    'getOwnUser',
    'a broken server leaves the code out',
    [
      { control: ({ realm }) => realm.refuse(500) },
      {
        ...get('/users/me'),
        expect: { status: 500, body: { like: { result: 'error', msg: isText, code: isAbsent } } },
      },
    ],
    { pretendOnly: 'a real one does not break when asked to' },
  ),
  agreement(
    'getOwnUser',
    'a proxy without its server answers with a page',
    [
      { control: ({ realm }) => realm.refuse(502) },
      { ...get('/users/me'), expect: { status: 502, body: { is: 'html' } } },
    ],
    { pretendOnly: 'a real one does not break when asked to' },
  ),
]

export const accessCases: readonly ChatCase[] = [...access, ...limits]
