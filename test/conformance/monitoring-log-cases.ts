import type { MonitoringCase } from './monitoring-service.ts'
import { checksPath, fieldOf, get, html, itemsOf, make, ping, pings } from './monitoring-steps.ts'

const runA = 'abcdef11-2222-4333-8444-55555555555a'

const pingLists: readonly MonitoringCase[] = [
  {
    operation: 'listPings',
    name: 'a check that was never pinged has an empty log',
    steps: [make('up'), pings('up', [])],
  },
  {
    operation: 'listPings',
    name: 'the log is newest first, with method, run and the address of a body',
    steps: [
      make('up'),
      ping('up', `/start?rid=${runA}`),
      ping('up', `?rid=${runA}`, 'done ✓'),
      pings('up', [
        {
          type: 'success',
          n: 2,
          method: 'POST',
          rid: runA,
          duration: (value: unknown) => typeof value === 'number',
          body_url: /\/api\/v3\/checks\/[-0-9a-f]+\/pings\/2\/body$/,
          scheme: /^https?$/,
        },
        { type: 'start', n: 1, method: 'GET', rid: runA, body_url: null, duration: undefined },
      ]),
    ],
  },
  {
    operation: 'listPings',
    name: 'a user agent is cut at 200 characters',
    steps: [
      make('up'),
      { ...ping('up'), headers: { 'user-agent': `cron/${'x'.repeat(300)}` } },
      pings('up', [{ ua: `cron/${'x'.repeat(195)}`, rid: null }]),
    ],
  },
  {
    operation: 'listPings',
    name: 'the log keeps the newest 100, and the count goes on',
    worldOnly: 'needs an account whose log keeps 100 pings',
    steps: [
      make('up'),
      { ...ping('up', '', 'x'), times: 104 },
      get(`${checksPath}{up}/pings/`, {
        status: 200,
        body: {
          holds(answer) {
            const log = itemsOf(answer, 'pings')
            const [newest] = log
            return log.length === 100 && newest?.['n'] === 104 ? null : `${log.length} pings`
          },
        },
      }),
      get(`${checksPath}{up}/pings/4/body`, { status: 404, body: html }),
      get(`${checksPath}{up}/pings/5/body`, { status: 200, body: { text: 'x' } }),
    ],
  },
  {
    operation: 'getPingBody',
    name: 'a body is plain text without a charset, as it was sent',
    steps: [
      make('up'),
      ping('up', '/fail', 'exit ✗\n<b>1</b>'),
      get(`${checksPath}{up}/pings/1/body`, {
        status: 200,
        headers: { 'content-type': 'text/plain' },
        body: { text: 'exit ✗\n<b>1</b>' },
      }),
    ],
  },
  {
    operation: 'getPingBody',
    name: 'a body is kept up to the limit given in the response to the ping',
    steps: [
      make('up'),
      {
        ...ping('up', '', 'x'.repeat(12_000)),
        save: { limit: ({ headers }) => String(headers['ping-body-limit']) },
      },
      get(`${checksPath}{up}/pings/1/body`, {
        status: 200,
        body: {
          holds: ({ bytes }, { limit }) =>
            bytes.length === Math.min(12_000, Number(limit)) ? null : `${bytes.length} of ${limit}`,
        },
      }),
    ],
  },
  {
    operation: 'getPingBody',
    name: 'a ping without a body has none',
    steps: [
      make('up'),
      ping('up'),
      get(`${checksPath}{up}/pings/1/body`, { status: 404, body: html }),
    ],
  },
  {
    operation: 'getPingBody',
    name: 'a missing ping has no body',
    steps: [make('up'), get(`${checksPath}{up}/pings/999999/body`, { status: 404, body: html })],
  },
]

type SlugPing = readonly [
  name: string,
  slug: string,
  status: number,
  text: string,
  versions?: Pick<MonitoringCase, 'since' | 'before'>,
]

const slugRows: readonly SlugPing[] = [
  ['pings the one check', '{prefix}up/log', 200, 'OK'],
  ['that several checks share is ambiguous', '{prefix}twin', 409, 'ambiguous slug'],
  ['is refused in upper case', '{prefix}UP', 400, 'invalid url format', { since: '4.1' }],
  ['is also looked up in upper case', '{prefix}UP', 404, 'not found', { before: '4.1' }],
  ['that is unknown is not found', '{prefix}made', 404, 'not found'],
  ['that is unknown makes a check on request', '{prefix}made?create=1', 201, 'Created'],
]

const slugPings = slugRows.map(
  ([name, slug, status, text, versions = {}]): MonitoringCase => ({
    ...versions,
    operation: null,
    name: `a slug ${name}`,
    needs: 'pingKey',
    steps: [
      {
        ...make('up', { slug: '{prefix}up' }),
        save: {
          pingBase: (answer) => fieldOf(answer, 'ping_url').replace(/[^/]+$/, ''),
        },
      },
      make('one', { slug: '{prefix}twin' }),
      make('two', { slug: '{prefix}twin' }),
      {
        ...get(`{pingBase}{pingKey}/${slug}`, {
          status,
          body: { text },
        }),
        method: 'POST',
      },
    ],
  }),
)

/** The log of pings, their bodies, and pings by slug. */
export const logCases: readonly MonitoringCase[] = [...pingLists, ...slugPings]
