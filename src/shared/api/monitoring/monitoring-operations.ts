import {
  array,
  integer,
  literal,
  looseObject,
  maxValue,
  minValue,
  number,
  object,
  optional,
  pipe,
  record,
  regex,
  string,
  toLowerCase,
  trim,
  union,
  unknown,
} from 'valibot'
import { operation } from '../operation.ts'
import { field } from '../schema-field.ts'
import { id, periodLimits, text, uuid, uuidShape, writable } from './monitoring-fields.ts'
import { wireCheck } from './read-check.ts'

/** Monitoring API, "List a check's status changes": the largest time the server takes. */
const unixSeconds = pipe(number(), integer(), minValue(0), maxValue(10_000_000_000))

const reads = { service: 'monitoring', method: 'GET', effect: 'read' } as const

const writes = {
  service: 'monitoring',
  method: 'POST',
  reply: wireCheck,
  effect: 'write',
  needsReadWriteKey: true,
} as const

/** Held to the word: a captive portal answers 200 to everything, a rate limit with other text. */
const saysOk = { reply: pipe(string(), trim(), literal('OK')), replyAs: 'text' } as const

/**
 * The thirteen operations of the monitoring API, version 3. Paths end with a slash exactly where
 * the server's do: without one it answers 301, which turns a POST into a GET, and with one too many
 * 404. Lists declare their items as unknown: each is read on its own in `read-check.ts` and
 * `read-history.ts`, so that one that can't be read does not hide the others.
 */
export const monitoringOperations = {
  listChecks: operation({
    ...reads,
    title: 'List existing checks',
    path: '/api/v3/checks/',
    params: object({
      slug: optional(text('Slug', 100, 'Only checks with exactly this slug.')),
      tag: optional(field(array(string()), 'Tags', 'Only checks that have all of these tags.')),
    }),
    reply: looseObject({ checks: array(unknown()) }),
    // About 1.2 kB a check: room for 50,000.
    maxBytes: 64 * 1024 * 1024,
  }),
  getCheck: operation({
    ...reads,
    title: 'Get a single check',
    path: '/api/v3/checks/{id}',
    params: object({ id }),
    reply: wireCheck,
  }),
  createCheck: operation({
    ...writes,
    title: 'Create a new check',
    path: '/api/v3/checks/',
    params: object(writable),
  }),
  updateCheck: operation({
    ...writes,
    title: 'Update an existing check',
    path: '/api/v3/checks/{uuid}',
    params: object({ uuid, ...writable }),
  }),
  pauseCheck: operation({
    ...writes,
    title: 'Pause monitoring of a check',
    path: '/api/v3/checks/{uuid}/pause',
    params: object({ uuid }),
  }),
  resumeCheck: operation({
    ...writes,
    title: 'Resume monitoring of a check',
    path: '/api/v3/checks/{uuid}/resume',
    params: object({ uuid }),
  }),
  deleteCheck: operation({
    ...writes,
    title: 'Delete a check',
    method: 'DELETE',
    path: '/api/v3/checks/{uuid}',
    params: object({ uuid }),
    effect: 'destroy',
    destroys: 'the check {uuid}, its pings and flips; its ping address stops working',
  }),
  listPings: operation({
    ...reads,
    title: "List a check's logged pings",
    path: '/api/v3/checks/{uuid}/pings/',
    params: object({ uuid }),
    reply: looseObject({ pings: array(unknown()) }),
    needsReadWriteKey: true,
  }),
  getPingBody: operation({
    ...reads,
    title: "Get a ping's logged body",
    path: '/api/v3/checks/{uuid}/pings/{n}/body',
    params: object({
      uuid,
      n: field(pipe(number(), integer(), minValue(1)), 'Ping', 'The number of the ping.'),
    }),
    reply: string(),
    replyAs: 'text',
    needsReadWriteKey: true,
  }),
  listFlips: operation({
    ...reads,
    title: "List a check's status changes",
    path: '/api/v3/checks/{id}/flips/',
    params: object({
      id,
      seconds: optional(
        field(
          pipe(number(), integer(), minValue(0), maxValue(periodLimits.max)),
          'Within the last',
          'How far to look back.',
          { unit: 'seconds' },
        ),
      ),
      start: optional(field(unixSeconds, 'From', 'Includes this moment.', { unit: 'unixSeconds' })),
      end: optional(field(unixSeconds, 'Until', 'Excludes this moment.', { unit: 'unixSeconds' })),
    }),
    reply: union([array(unknown()), looseObject({ flips: array(unknown()) })]),
  }),
  listIntegrations: operation({
    ...reads,
    title: 'List existing integrations',
    path: '/api/v3/channels/',
    params: object({}),
    reply: looseObject({ channels: array(unknown()) }),
    needsReadWriteKey: true,
  }),
  listBadges: operation({
    ...reads,
    title: "List the project's badges",
    path: '/api/v3/badges/',
    params: object({}),
    reply: looseObject({ badges: record(string(), unknown()) }),
  }),
  probeStatus: operation({
    ...reads,
    title: 'Check database connectivity',
    path: '/api/v3/status/',
    params: object({}),
    ...saysOk,
    anonymous: true,
  }),
}

/** Anything else is answered with 400, and the signal is lost. */
const rid = field(
  pipe(string(), trim(), toLowerCase(), regex(uuidShape, 'a UUID')),
  'Run',
  'A UUID that ties the start of a run to its end.',
)

/** Servers keep the first 10,000 bytes unless set up otherwise; a tenfold of that is no mistake yet. */
const pingBodyLimit = 100_000

const body = text('Body', pingBodyLimit, 'Kept with the ping, usually its first 10,000 bytes.', {
  multiline: true,
})

const signal = { uuid, rid: optional(rid), body: optional(body) }

/** Only a read-write key learns the ping address. */
const signals = { ...writes, ...saysOk, anonymous: true, to: 'pingAddress' } as const

/**
 * The signals of a job, for a person to send: Monitoring API, "Ping". They go to the check's own
 * ping address, wherever it is; the paths below are those of a server as it comes. POST, since a
 * check may ignore every other method.
 */
export const monitoringPingOperations = {
  pingSuccess: operation({
    ...signals,
    title: 'Send a success signal',
    path: '/ping/{uuid}',
    params: object(signal),
  }),
  pingStart: operation({
    ...signals,
    title: 'Send a start signal',
    path: '/ping/{uuid}/start',
    params: object(signal),
  }),
  pingFail: operation({
    ...signals,
    title: 'Send a failure signal',
    path: '/ping/{uuid}/fail',
    params: object(signal),
  }),
  pingLog: operation({
    ...signals,
    title: 'Send a log entry',
    path: '/ping/{uuid}/log',
    params: object(signal),
  }),
  pingExitStatus: operation({
    ...signals,
    title: 'Report an exit status',
    path: '/ping/{uuid}/{exit_status}',
    params: object({
      ...signal,
      exit_status: field(
        pipe(
          number(),
          integer('a whole number'),
          minValue(0, 'at least 0'),
          maxValue(255, 'at most 255'),
        ),
        'Exit status',
        '0 is a success, 1 to 255 a failure.',
      ),
    }),
  }),
}
