import type { Expectation } from './case.ts'
import { ask, cases, none, page404 } from './monitoring-ask.ts'
import type { MonitoringCase } from './monitoring-service.ts'
import {
  checksPath,
  empty,
  fieldOf,
  get,
  html,
  make,
  post,
  shows,
  unknownUuid,
} from './monitoring-steps.ts'

function redirected(path: RegExp): Expectation {
  return { status: 301, headers: { location: path }, body: empty }
}

const paths = cases([
  [
    'listChecks',
    'a list without its slash',
    ask('GET', 'checks', redirected(/\/api\/v3\/checks\/$/)),
  ],
  [
    'listChecks',
    'a filter survives the missing slash',
    ask('GET', 'checks?tag=a', redirected(/\/checks\/\?tag=a$/)),
  ],
  [
    'createCheck',
    'a create without its slash makes nothing',
    ask('POST', 'checks', redirected(/\/checks\/$/), { json: {} }),
  ],
  ['probeStatus', 'the probe without its slash', ask('GET', 'status', redirected(/\/status\/$/))],
  [
    'listIntegrations',
    'channels without the slash',
    ask('GET', 'channels', redirected(/\/channels\/$/)),
  ],
  ['listBadges', 'badges without the slash', ask('GET', 'badges', redirected(/\/badges\/$/))],
  [
    'listPings',
    'pings without the slash',
    ask('GET', 'checks/{up}/pings', redirected(/\/pings\/$/)),
  ],
  [
    'listFlips',
    'flips without the slash',
    ask('GET', 'checks/{up}/flips', redirected(/\/flips\/$/)),
  ],
  ['getCheck', 'a check with a slash too many', ask('GET', 'checks/{up}/', page404)],
  [
    'pauseCheck',
    'a pause with a slash too many',
    ask('POST', 'checks/{up}/pause/', page404, { json: {} }),
  ],
  ['resumeCheck', 'a resume with a slash too many', ask('POST', 'checks/{up}/resume/', page404)],
  ['getPingBody', 'a body with a slash too many', ask('GET', 'checks/{up}/pings/1/body/', page404)],
  [
    'getCheck',
    'an unknown uuid is a page, which no web page may read',
    ask('GET', `checks/${unknownUuid}`, {
      status: 404,
      headers: { 'access-control-allow-origin': null },
      body: html,
    }),
  ],
  [
    'getCheck',
    'an unknown unique key is empty',
    ask('GET', `checks/${'0'.repeat(40)}`, {
      status: 404,
      headers: { 'access-control-allow-origin': '*' },
      body: empty,
    }),
  ],
  [
    'listFlips',
    'flips of an unknown unique key are empty',
    ask('GET', `checks/${'0'.repeat(40)}/flips/`, { status: 404, body: empty }),
  ],
  ['updateCheck', 'an update of an unknown check', ask('POST', `checks/${unknownUuid}`, page404)],
  [
    'updateCheck',
    'a check that is not there is told before a bad field',
    ask('POST', `checks/${unknownUuid}`, page404, { json: { timeout: 1 } }),
  ],
  [
    'pauseCheck',
    'a pause of an unknown check',
    ask('POST', `checks/${unknownUuid}/pause`, page404),
  ],
  [
    'resumeCheck',
    'a resume of an unknown check',
    ask('POST', `checks/${unknownUuid}/resume`, page404),
  ],
  ['deleteCheck', 'a delete of an unknown check', ask('DELETE', `checks/${unknownUuid}`, page404)],
  ['listPings', 'pings of an unknown check', ask('GET', `checks/${unknownUuid}/pings/`, page404)],
  ['listPings', 'pings go by uuid only', ask('GET', 'checks/{upKey}/pings/', page404)],
  [null, 'a path that there is not', ask('GET', 'nothing/', page404)],
  [
    null,
    'the page of a check asks for a login',
    ask('GET', '/checks/{up}/details/', { status: 302, body: empty }, none),
  ],
  [
    'getCheck',
    'the UUID of another project’s check is forbidden',
    ask('GET', 'checks/{foreign}', { status: 403, body: empty }),
  ],
  [
    'updateCheck',
    'another project’s check is reported before an invalid field',
    ask('POST', 'checks/{foreign}', { status: 403, body: empty }, { json: { timeout: 1 } }),
  ],
  [
    'pauseCheck',
    'a check of another project is not paused',
    ask('POST', 'checks/{foreign}/pause', { status: 403, body: empty }),
  ],
  [
    'deleteCheck',
    'a check of another project is not deleted',
    ask('DELETE', 'checks/{foreign}', { status: 403, body: empty }),
  ],
])

const answers: readonly MonitoringCase[] = [
  {
    operation: 'getCheck',
    name: 'an upper-case UUID is unknown',
    steps: [
      { ...make('up'), save: { upper: (answer) => fieldOf(answer, 'uuid').toUpperCase() } },
      get(`${checksPath}{upper}`, page404),
    ],
  },
  {
    operation: 'getCheck',
    name: 'responses may be read by any web page',
    steps: [
      make('up'),
      get(`${checksPath}{up}`, { status: 200, headers: { 'access-control-allow-origin': '*' } }),
    ],
  },
  {
    operation: 'listChecks',
    name: 'every response has the server’s time',
    steps: [
      get(checksPath, { status: 200, headers: { date: /GMT$/ } }),
      get('/api/v3/nothing/', { status: 404, headers: { date: /GMT$/ } }),
    ],
  },
  {
    operation: 'getCheck',
    name: 'JSON is ASCII with escapes and names no charset',
    steps: [
      make('up', { desc: '🚀 גיבוי' }),
      get(`${checksPath}{up}`, {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: { text: /\\ud83d\\ude80/ },
      }),
    ],
  },
  {
    operation: 'updateCheck',
    name: 'an update without a body changes nothing',
    steps: [
      make('up', { tags: 'kept' }),
      post(`${checksPath}{up}`, { status: 200 }),
      shows('up', { tags: 'kept' }),
    ],
  },
]

/** Paths, slashes, identifiers, and what every response has. */
export const pathCases: readonly MonitoringCase[] = [...paths, ...answers]
