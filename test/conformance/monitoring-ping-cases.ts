import type { MonitoringCase } from './monitoring-service.ts'
import {
  checksPath,
  flips,
  get,
  isoSeconds,
  make,
  ok,
  ping,
  pings,
  post,
  shows,
  unknownUuid,
} from './monitoring-steps.ts'
import { partOf } from './part-of.ts'

const runA = 'abcdef11-2222-4333-8444-55555555555a'
const runB = 'abcdef11-2222-4333-8444-55555555555b'

const pause = (name: string) => post(`${checksPath}{${name}}/pause`, ok({ status: 'paused' }))

const signals: readonly MonitoringCase[] = [
  {
    operation: 'pingSuccess',
    name: 'a success makes a new check up, with its last and next ping',
    steps: [
      make('up'),
      ping('up'),
      shows('up', { status: 'up', n_pings: 1, last_ping: isoSeconds, next_ping: isoSeconds }),
    ],
  },
  {
    operation: 'pingSuccess',
    name: 'a slash after the UUID doesn’t matter, and any HTTP method counts',
    steps: [
      make('up'),
      ping('up', '/'),
      { method: 'HEAD', path: '{upUrl}', key: 'none', expect: { status: 200 } },
      { method: 'PUT', path: '{upUrl}', key: 'none', expect: { status: 200 } },
      { method: 'DELETE', path: '{upUrl}', key: 'none', expect: { status: 200 } },
      shows('up', { n_pings: 4 }),
    ],
  },
  {
    operation: 'pingSuccess',
    name: 'the response to a ping says how much of a body is kept, and is never cached',
    steps: [
      make('up'),
      get('{upUrl}', {
        status: 200,
        headers: {
          'ping-body-limit': /^\d+$/,
          'access-control-allow-origin': '*',
          'cache-control': /no-cache/,
        },
        body: { text: 'OK' },
      }),
    ],
  },
  {
    operation: 'pingFail',
    name: 'a failure takes a check down and counts as its last ping',
    steps: [
      make('up'),
      ping('up', '/fail'),
      shows('up', { status: 'down', next_ping: null, last_ping: /./ }),
      flips('up', [0]),
    ],
  },
  {
    operation: 'pingStart',
    name: 'a start can accompany "new", and isn’t a last ping',
    steps: [
      make('up'),
      ping('up', '/start'),
      shows('up', { status: 'new', started: true, last_ping: null, n_pings: 1 }),
    ],
  },
  {
    operation: 'pingStart',
    name: 'a start leaves a check that is down without a next ping',
    steps: [
      make('up'),
      ping('up', '/fail'),
      ping('up', '/start'),
      shows('up', { status: 'down', started: true, next_ping: null }),
    ],
  },
  {
    operation: 'pingLog',
    name: 'a log entry changes nothing but the count',
    steps: [
      make('up'),
      ping('up', '/log', 'a note'),
      shows('up', { status: 'new', started: false, last_ping: null, n_pings: 1 }),
      pings('up', [{ type: 'log', n: 1 }]),
    ],
  },
  {
    operation: 'pingExitStatus',
    name: 'exit status 0 is a success',
    steps: [make('up'), ping('up', '/0'), shows('up', { status: 'up' })],
  },
  ...[1, 3, 255].map(
    (status): MonitoringCase => ({
      operation: 'pingExitStatus',
      name: `exit status ${status} is a failure`,
      steps: [make('up'), ping('up', `/${status}`), shows('up', { status: 'down' })],
    }),
  ),
  {
    operation: 'pingExitStatus',
    name: 'exit status 256 isn’t a valid address, and nothing is recorded',
    steps: [
      make('up'),
      get('{upUrl}/256', { status: 400, body: { text: 'invalid url format' } }),
      shows('up', { n_pings: 0 }),
    ],
  },
  ...['/-1', '/begin', '/start/', '/fail/'].map(
    (suffix): MonitoringCase => ({
      operation: null,
      name: `the suffix ${suffix} isn’t a ping address`,
      steps: [make('up'), get(`{upUrl}${suffix}`, { status: 404 }), shows('up', { n_pings: 0 })],
    }),
  ),
  ...['7', '', '{up}x'].map(
    (rid): MonitoringCase => ({
      operation: 'pingSuccess',
      name: `the run id "${rid}" is invalid, and the signal is lost`,
      steps: [
        make('up'),
        get(`{upUrl}?rid=${rid}`, { status: 400, body: { text: 'invalid uuid format' } }),
        shows('up', { n_pings: 0, status: 'new' }),
      ],
    }),
  ),
  {
    operation: 'pingSuccess',
    name: 'a missing check has no ping address',
    steps: [
      {
        ...make('up'),
        save: {
          prefixUrl: ({ json }) => String(partOf(json, 'ping_url')).replace(/[^/]+$/, ''),
        },
      },
      get(`{prefixUrl}${unknownUuid}`, { status: 404, body: { text: 'not found' } }),
    ],
  },
]

/** Eleven, each with its own run id. */
const endsWithoutStart = Array.from({ length: 11 }, (_, n) =>
  ping('up', `?rid=${runA.slice(0, -2)}${String(n + 10)}`),
)

/** Seconds; a request to a real server takes some time itself. */
const isAbout = (seconds: number) => (value: unknown) =>
  typeof value === 'number' && value >= seconds && value < seconds + 5

const runs: readonly MonitoringCase[] = [
  {
    operation: 'pingStart',
    name: 'a success without a run id ends a run without one',
    steps: [make('up'), ping('up', '/start'), ping('up'), shows('up', { started: false })],
  },
  {
    operation: 'pingStart',
    name: 'another run’s success leaves the start pending, and measures nothing',
    steps: [
      make('up'),
      ping('up', `/start?rid=${runA}`),
      ping('up', `?rid=${runB}`),
      shows('up', { status: 'up', started: true, last_duration: undefined }),
    ],
  },
  {
    operation: 'pingFail',
    name: 'any failure ends a pending run',
    steps: [
      make('up'),
      ping('up', `/start?rid=${runA}`),
      ping('up', '/fail'),
      shows('up', { status: 'down', started: false }),
    ],
  },
  {
    operation: 'pingStart',
    name: 'a run id is kept in lower case',
    steps: [
      make('up'),
      ping('up', `/start?rid=${runA.toUpperCase()}`),
      pings('up', [{ type: 'start', rid: runA }]),
    ],
  },
  {
    operation: 'pingSuccess',
    name: 'a run of 90 seconds is measured in the pings and in the check',
    steps: [
      make('up'),
      ping('up', `/start?rid=${runA}`),
      { passMs: 90_250 },
      ping('up', `?rid=${runA}`),
      shows('up', { last_duration: isAbout(90) }),
      pings('up', [
        { type: 'success', duration: isAbout(90.25) },
        { type: 'start', duration: undefined },
      ]),
    ],
  },
  {
    operation: 'getCheck',
    name: 'a run of 0.2 seconds has a duration of 0, which differs from none',
    steps: [
      make('up'),
      ping('up', '/start'),
      { passMs: 200 },
      ping('up'),
      shows('up', { last_duration: 0 }),
      ping('up'),
      shows('up', { last_duration: undefined }),
    ],
  },
  {
    operation: 'listPings',
    name: 'if eleven ends have no start, no run has a duration',
    steps: [
      make('up'),
      ping('up', '/start'),
      ping('up'),
      ...endsWithoutStart.slice(1),
      get(`${checksPath}{up}/pings/`, ok({ pings: hasDurations(1) })),
      ...endsWithoutStart.slice(0, 1),
      get(`${checksPath}{up}/pings/`, ok({ pings: hasDurations(0) })),
    ],
  },
]

function hasDurations(count: number) {
  return (list: unknown) =>
    Array.isArray(list) &&
    list.filter((one) => partOf(one, 'duration') !== undefined).length === count
}

const ignored: readonly MonitoringCase[] = [
  {
    operation: 'pingSuccess',
    name: 'a GET to a check that accepts only POST is answered OK and ignored',
    steps: [
      make('up', { methods: 'POST' }),
      ping('up'),
      shows('up', { status: 'new', n_pings: 1, last_ping: null }),
      pings('up', [{ type: 'ign', method: 'GET' }]),
      ping('up', '', 'done'),
      shows('up', { status: 'up', n_pings: 2 }),
    ],
  },
  {
    operation: 'pingFail',
    name: 'a check that accepts only POST ignores failures by GET, too',
    steps: [make('up', { methods: 'POST' }), ping('up', '/fail'), shows('up', { status: 'new' })],
  },
  {
    operation: 'pingSuccess',
    name: 'a paused check with manual resume answers OK and ignores every signal',
    steps: [
      make('up', { manual_resume: true }),
      ping('up'),
      pause('up'),
      ping('up'),
      ping('up', '/fail'),
      ping('up', '/start'),
      shows('up', { status: 'paused', started: false, n_pings: 4 }),
      pings('up', [{ type: 'ign' }, { type: 'ign' }, { type: 'ign' }, { type: 'success' }]),
    ],
  },
  ...(
    [
      ['failure over success', 'bad ok', 'down'],
      ['success over the path', 'ok', 'up'],
      ['none of them: ignored', 'hm', 'new'],
      ['case counts', 'OK', 'new'],
    ] as const
  ).map(
    ([name, body, status]): MonitoringCase => ({
      operation: 'pingFail',
      name: `keywords in a body decide: ${name}`,
      steps: [
        make('up', { filter_http_body: true, success_kw: 'ok,fine', failure_kw: 'bad' }),
        ping('up', '/log', body),
        shows('up', { status }),
      ],
    }),
  ),
  {
    operation: 'pingSuccess',
    name: 'a body without a keyword can count as a failure',
    steps: [
      make('up', { filter_http_body: true, success_kw: 'ok', filter_default_fail: true }),
      ping('up', '', 'hm'),
      shows('up', { status: 'down' }),
    ],
  },
  {
    operation: 'pingStart',
    name: 'a start keyword in a body starts a run',
    steps: [
      make('up', { filter_http_body: true, start_kw: 'begin' }),
      ping('up', '', 'begin now'),
      shows('up', { status: 'new', started: true }),
    ],
  },
]

/** The effect of each signal on a check, and which are ignored. */
export const pingCases: readonly MonitoringCase[] = [...signals, ...runs, ...ignored]
