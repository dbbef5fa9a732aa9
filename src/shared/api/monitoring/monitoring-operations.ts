import * as v from 'valibot'
import { type OperationExtras, operation } from '../operation.ts'
import { field, optionalField } from '../schema-field.ts'
import { id, optionalText, periodLimits, uuid, uuidShape, writable } from './monitoring-fields.ts'
import { wireCheck } from './read-check.ts'

/** Monitoring API, "List a check's status changes": the largest time the server takes. */
const unixSeconds = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(10_000_000_000))

function get<const Params extends v.ObjectEntries, const Reply extends v.GenericSchema>(
  title: string,
  path: string,
  params: Params,
  reply: Reply,
  more: OperationExtras = {},
) {
  const what = { service: 'monitoring', method: 'GET', effect: 'read', title } as const
  return operation({ ...what, path: `/api/v3/${path}`, params: v.object(params), reply, ...more })
}

/** Changes a check, and is answered with it. */
function post<const Params extends v.ObjectEntries>(
  title: string,
  path: string,
  params: Params,
  more: OperationExtras = {},
) {
  const what = { method: 'POST', effect: 'write', needsReadWriteKey: true } as const
  return get(title, path, params, wireCheck, { ...what, ...more })
}

const items = v.array(v.unknown())
const needsReadWriteKey = true
/** Held to the word: a captive portal answers 200 to everything, a rate limit with other text. */
const ok = v.pipe(v.string(), v.trim(), v.literal('OK'))

/**
 * The thirteen operations of the monitoring API, version 3. Paths end with a slash exactly where
 * the server's do: without one it answers 301, which turns a POST into a GET, and with one too many
 * 404. Lists declare their items as unknown: each is read on its own in `read-check.ts` and
 * `read-history.ts`, so that one that can't be read does not hide the others.
 */
export const monitoringOperations = {
  listChecks: get(
    'List existing checks',
    'checks/',
    {
      slug: optionalText('Slug', 100, 'Only checks with exactly this slug.'),
      tag: optionalField(v.array(v.string()), 'Tags', 'Only checks that have all of these tags.'),
    },
    v.looseObject({ checks: items }),
    // About 1.2 kB a check: room for 50,000.
    { maxBytes: 64 * 1024 * 1024 },
  ),
  getCheck: get('Get a single check', 'checks/{id}', { id }, wireCheck),
  createCheck: post('Create a new check', 'checks/', writable),
  updateCheck: post('Update an existing check', 'checks/{uuid}', { uuid, ...writable }),
  pauseCheck: post('Pause monitoring of a check', 'checks/{uuid}/pause', { uuid }),
  resumeCheck: post('Resume monitoring of a check', 'checks/{uuid}/resume', { uuid }),
  deleteCheck: post(
    'Delete a check',
    'checks/{uuid}',
    { uuid },
    {
      method: 'DELETE',
      effect: 'destroy',
      destroys: 'the check {uuid}, its pings and flips; its ping address stops working',
    },
  ),
  listPings: get(
    "List a check's logged pings",
    'checks/{uuid}/pings/',
    { uuid },
    v.looseObject({ pings: items }),
    { needsReadWriteKey },
  ),
  getPingBody: get(
    "Get a ping's logged body",
    'checks/{uuid}/pings/{n}/body',
    {
      uuid,
      n: field(v.pipe(v.number(), v.integer(), v.minValue(1)), 'Ping', 'The number of the ping.'),
    },
    v.string(),
    { replyAs: 'text', needsReadWriteKey },
  ),
  listFlips: get(
    "List a check's status changes",
    'checks/{id}/flips/',
    {
      id,
      seconds: optionalField(
        v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(periodLimits.max)),
        'Within the last',
        'How far to look back.',
        { unit: 'seconds' },
      ),
      start: optionalField(unixSeconds, 'From', 'Includes this moment.', { unit: 'unixSeconds' }),
      end: optionalField(unixSeconds, 'Until', 'Excludes this moment.', { unit: 'unixSeconds' }),
    },
    v.union([items, v.looseObject({ flips: items })]),
  ),
  listIntegrations: get(
    'List existing integrations',
    'channels/',
    {},
    v.looseObject({ channels: items }),
    { needsReadWriteKey },
  ),
  listBadges: get(
    "List the project's badges",
    'badges/',
    {},
    v.looseObject({ badges: v.record(v.string(), v.unknown()) }),
  ),
  probeStatus: get('Check database connectivity', 'status/', {}, ok, {
    replyAs: 'text',
    anonymous: true,
  }),
}

/** Anything else is answered with 400, and the signal is lost. */
const rid = field(
  v.pipe(v.string(), v.trim(), v.toLowerCase(), v.regex(uuidShape, 'a UUID')),
  'Run',
  'A UUID that ties the start of a run to its end.',
)

/** Servers keep the first 10,000 bytes unless set up otherwise; a tenfold of that is no mistake yet. */
const pingBodyLimit = 100_000

const body = optionalText(
  'Body',
  pingBodyLimit,
  'Kept with the ping, usually its first 10,000 bytes.',
  {
    multiline: true,
  },
)

/** To the check's own ping address, which only a read-write key learns. */
function signal<const Params extends v.ObjectEntries>(title: string, suffix: string, more: Params) {
  return operation({
    service: 'monitoring',
    title,
    method: 'POST',
    path: `/ping/{uuid}${suffix}`,
    params: v.object({ uuid, rid: v.optional(rid), body: body, ...more }),
    reply: ok,
    replyAs: 'text',
    effect: 'write',
    to: 'pingAddress',
    needsReadWriteKey,
    anonymous: true,
  })
}

/**
 * The signals of a job, for a person to send: Monitoring API, "Ping". They go to the check's own
 * ping address, wherever it is; the paths below are those of a server as it comes. POST, since a
 * check may ignore every other method.
 */
export const monitoringPingOperations = {
  pingSuccess: signal('Send a success signal', '', {}),
  pingStart: signal('Send a start signal', '/start', {}),
  pingFail: signal('Send a failure signal', '/fail', {}),
  pingLog: signal('Send a log entry', '/log', {}),
  pingExitStatus: signal('Report an exit status', '/{exit_status}', {
    exit_status: field(
      v.pipe(
        v.number(),
        v.integer('a whole number'),
        v.minValue(0, 'at least 0'),
        v.maxValue(255, 'at most 255'),
      ),
      'Exit status',
      '0 is a success, 1 to 255 a failure.',
    ),
  }),
}
