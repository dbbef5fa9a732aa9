import { ask, cases, none, nothing405, readOnly, wrong } from './monitoring-ask.ts'
import type { MonitoringCase } from './monitoring-service.ts'
import {
  empty,
  error,
  html,
  invalid,
  missingKey,
  unknownUuid,
  wrongKey,
} from './monitoring-steps.ts'

const notJson = error(400, 'could not parse request body')
const notAnObject = invalid('value is not an object')

const methods = cases([
  ['listChecks', 'HEAD of a list is not offered', ask('HEAD', 'checks/', nothing405)],
  ['listChecks', 'the method comes before the key', ask('PUT', 'checks/', nothing405, none)],
  ['updateCheck', 'PATCH of a check is not offered', ask('PATCH', 'checks/{up}', nothing405)],
  ['pauseCheck', 'a GET does not pause', ask('GET', 'checks/{up}/pause', nothing405)],
  ['resumeCheck', 'a GET does not resume', ask('GET', 'checks/{up}/resume', nothing405)],
  [
    'updateCheck',
    'the unique key is no address to update by',
    ask('POST', 'checks/{upKey}', nothing405, { json: {} }),
  ],
  [
    'deleteCheck',
    'the unique key is no address to delete by',
    ask('DELETE', 'checks/{upKey}', nothing405),
  ],
  [
    'listPings',
    'a list of pings can only be read',
    ask('DELETE', 'checks/{up}/pings/', nothing405),
  ],
  ['listFlips', 'a list of flips can only be read', ask('POST', 'checks/{up}/flips/', nothing405)],
  ['listIntegrations', 'integrations can only be read', ask('POST', 'channels/', nothing405)],
  ['listBadges', 'badges can only be read', ask('POST', 'badges/', nothing405)],
  ['getPingBody', 'a body can only be read', ask('DELETE', 'checks/{up}/pings/1/body', nothing405)],
  [
    null,
    'OPTIONS allows the key header and nothing else',
    ask(
      'OPTIONS',
      'checks/',
      {
        status: 204,
        headers: {
          'access-control-allow-origin': '*',
          'access-control-allow-headers': 'X-Api-Key',
          'access-control-max-age': '600',
        },
        body: empty,
      },
      none,
    ),
  ],
])

const bodies = cases([
  [
    'createCheck',
    'a body that is no JSON is told before a missing key',
    ask('POST', 'checks/', notJson, { raw: '{', ...none }),
  ],
  [
    'createCheck',
    'a list is told before a missing key',
    ask('POST', 'checks/', notAnObject, { raw: '[]', ...none }),
  ],
  ['createCheck', 'a number is not an object', ask('POST', 'checks/', notAnObject, { raw: '7' })],
  ['createCheck', 'a text is not an object', ask('POST', 'checks/', notAnObject, { raw: '"x"' })],
  [
    'updateCheck',
    'a body that is no JSON is told before a check that is not there',
    ask('POST', `checks/${unknownUuid}`, notJson, { raw: 'name=x' }),
  ],
  [
    'pauseCheck',
    'a pause with null in it is refused',
    ask('POST', 'checks/{up}/pause', notAnObject, { raw: 'null' }),
  ],
  [
    'resumeCheck',
    'a resume with a list in it is refused',
    ask('POST', 'checks/{up}/resume', notAnObject, { raw: '[1]' }),
  ],
  [
    'updateCheck',
    'the content type is not looked at',
    ask(
      'POST',
      'checks/{up}',
      { status: 200, body: { like: { tags: 'typed' } } },
      { raw: '{"tags":"typed"}', headers: { 'content-type': 'text/plain' } },
    ),
  ],
  [
    'createCheck',
    'a body of 2.7 MB meets the framework',
    ask('POST', 'checks/', { status: 400, body: html }, { raw: `"${'x'.repeat(2_700_000)}"` }),
    'a proxy before the server may answer 413 itself',
  ],
])

const keys = cases([
  ['listChecks', 'no key is missing', ask('GET', 'checks/', missingKey, none)],
  [
    'listChecks',
    'a key of another length is missing, not wrong',
    ask('GET', 'checks/', missingKey, { ...none, headers: { 'x-api-key': 'short' } }),
  ],
  ['listChecks', 'an unknown key is wrong', ask('GET', 'checks/', wrongKey, wrong)],
  [
    'listChecks',
    'a read-only key lists checks',
    ask('GET', 'checks/', { status: 200, body: { like: { checks: Array.isArray } } }, readOnly),
  ],
  [
    'getCheck',
    'a read-only key reads a check',
    ask('GET', 'checks/{up}', { status: 200 }, readOnly),
  ],
  [
    'getCheck',
    'a read-only key reads a check by its unique key',
    ask('GET', 'checks/{upKey}', { status: 200 }, readOnly),
  ],
  [
    'listFlips',
    'a read-only key reads flips',
    ask('GET', 'checks/{upKey}/flips/', { status: 200 }, readOnly),
  ],
  ['listBadges', 'a read-only key reads badges', ask('GET', 'badges/', { status: 200 }, readOnly)],
  [
    'listIntegrations',
    'a read-only key does not read integrations',
    ask('GET', 'channels/', wrongKey, readOnly),
  ],
  [
    'listPings',
    'a read-only key does not read pings',
    ask('GET', 'checks/{up}/pings/', wrongKey, readOnly),
  ],
  [
    'getPingBody',
    'a read-only key does not read a body',
    ask('GET', 'checks/{up}/pings/1/body', wrongKey, readOnly),
  ],
  [
    'createCheck',
    'a read-only key does not create',
    ask('POST', 'checks/', wrongKey, { json: {}, ...readOnly }),
  ],
  [
    'updateCheck',
    'a read-only key does not update',
    ask('POST', 'checks/{up}', wrongKey, { json: {}, ...readOnly }),
  ],
  [
    'pauseCheck',
    'a read-only key does not pause',
    ask('POST', 'checks/{up}/pause', wrongKey, readOnly),
  ],
  [
    'resumeCheck',
    'a read-only key does not resume',
    ask('POST', 'checks/{up}/resume', wrongKey, readOnly),
  ],
  [
    'deleteCheck',
    'a read-only key does not delete',
    ask('DELETE', 'checks/{up}', wrongKey, readOnly),
  ],
  [
    'updateCheck',
    'a wrong key is told before a check that is not there',
    ask('POST', `checks/${unknownUuid}`, wrongKey, { json: {}, ...wrong }),
  ],
  [
    'updateCheck',
    'a wrong key is told before a bad field',
    ask('POST', 'checks/{up}', wrongKey, { json: { timeout: 1 }, ...wrong }),
  ],
  [
    'createCheck',
    'an empty header hides the key in the body',
    ask('POST', 'checks/', missingKey, {
      ...none,
      headers: { 'x-api-key': '' },
      json: { api_key: 'x'.repeat(32) },
    }),
  ],
  [
    'createCheck',
    'a key in the body counts where there is no header',
    ask('POST', 'checks/', wrongKey, { ...none, json: { api_key: 'x'.repeat(32) } }),
  ],
  [
    'createCheck',
    'a key in the body opens the project',
    ask(
      'POST',
      'checks/',
      { status: 201 },
      { ...none, json: { api_key: `hcw_${'a'.repeat(28)}` } },
    ),
    'the runner keeps a real key out of bodies',
  ],
  [
    'probeStatus',
    'the probe needs no key, and no web page may read it',
    ask(
      'GET',
      'status/',
      { status: 200, headers: { 'access-control-allow-origin': null }, body: { text: 'OK' } },
      none,
    ),
  ],
  [
    'probeStatus',
    'a wrong key does not matter to the probe',
    ask('GET', 'status/', { status: 200 }, wrong),
  ],
  [
    'probeStatus',
    'the probe can only be read',
    ask('POST', 'status/', { status: 403, body: html }, none),
  ],
])

/** What is checked first, in this order: method, body, key. */
export const requestCases: readonly MonitoringCase[] = [...methods, ...bodies, ...keys]
