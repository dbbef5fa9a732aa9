import * as v from 'valibot'
import { operation } from '../operation.ts'
import { field } from '../schema-field.ts'
import { id, periodLimits, text, uuid, uuidShape, writable } from './monitoring-fields.ts'
import { wireCheck } from './read-check.ts'

/** Monitoring API, "List a check's status changes": the largest time the server takes. */
const unixSeconds = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(10_000_000_000))

const reads = { service: 'monitoring', method: 'GET', effect: 'read' } as const

const writes = {
  service: 'monitoring',
  method: 'POST',
  reply: wireCheck,
  effect: 'write',
  needsReadWriteKey: true,
} as const

/** Held to the word: a captive portal answers 200 to everything, a rate limit with other text. */
const saysOk = { reply: v.pipe(v.string(), v.trim(), v.literal('OK')), replyAs: 'text' } as const

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
    params: v.object({
      slug: v.optional(text('Slug', 100, 'Only checks with exactly this slug.')),
      tag: v.optional(
        field(v.array(v.string()), 'Tags', 'Only checks that have all of these tags.'),
      ),
    }),
    reply: v.looseObject({ checks: v.array(v.unknown()) }),
    // About 1.2 kB a check: room for 50,000.
    maxBytes: 64 * 1024 * 1024,
  }),
  getCheck: operation({
    ...reads,
    title: 'Get a single check',
    path: '/api/v3/checks/{id}',
    params: v.object({ id }),
    reply: wireCheck,
  }),
  createCheck: operation({
    ...writes,
    title: 'Create a new check',
    path: '/api/v3/checks/',
    params: v.object(writable),
  }),
  updateCheck: operation({
    ...writes,
    title: 'Update an existing check',
    path: '/api/v3/checks/{uuid}',
    params: v.object({ uuid, ...writable }),
  }),
  pauseCheck: operation({
    ...writes,
    title: 'Pause monitoring of a check',
    path: '/api/v3/checks/{uuid}/pause',
    params: v.object({ uuid }),
  }),
  resumeCheck: operation({
    ...writes,
    title: 'Resume monitoring of a check',
    path: '/api/v3/checks/{uuid}/resume',
    params: v.object({ uuid }),
  }),
  deleteCheck: operation({
    ...writes,
    title: 'Delete a check',
    method: 'DELETE',
    path: '/api/v3/checks/{uuid}',
    params: v.object({ uuid }),
    effect: 'destroy',
    destroys: 'the check {uuid}, its pings and flips; its ping address stops working',
  }),
  listPings: operation({
    ...reads,
    title: "List a check's logged pings",
    path: '/api/v3/checks/{uuid}/pings/',
    params: v.object({ uuid }),
    reply: v.looseObject({ pings: v.array(v.unknown()) }),
    needsReadWriteKey: true,
  }),
  getPingBody: operation({
    ...reads,
    title: "Get a ping's logged body",
    path: '/api/v3/checks/{uuid}/pings/{n}/body',
    params: v.object({
      uuid,
      n: field(v.pipe(v.number(), v.integer(), v.minValue(1)), 'Ping', 'The number of the ping.'),
    }),
    reply: v.string(),
    replyAs: 'text',
    needsReadWriteKey: true,
  }),
  listFlips: operation({
    ...reads,
    title: "List a check's status changes",
    path: '/api/v3/checks/{id}/flips/',
    params: v.object({
      id,
      seconds: v.optional(
        field(
          v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(periodLimits.max)),
          'Within the last',
          'How far to look back.',
          { unit: 'seconds' },
        ),
      ),
      start: v.optional(
        field(unixSeconds, 'From', 'Includes this moment.', { unit: 'unixSeconds' }),
      ),
      end: v.optional(
        field(unixSeconds, 'Until', 'Excludes this moment.', { unit: 'unixSeconds' }),
      ),
    }),
    reply: v.union([v.array(v.unknown()), v.looseObject({ flips: v.array(v.unknown()) })]),
  }),
  listIntegrations: operation({
    ...reads,
    title: 'List existing integrations',
    path: '/api/v3/channels/',
    params: v.object({}),
    reply: v.looseObject({ channels: v.array(v.unknown()) }),
    needsReadWriteKey: true,
  }),
  listBadges: operation({
    ...reads,
    title: "List the project's badges",
    path: '/api/v3/badges/',
    params: v.object({}),
    reply: v.looseObject({ badges: v.record(v.string(), v.unknown()) }),
  }),
  probeStatus: operation({
    ...reads,
    title: 'Check database connectivity',
    path: '/api/v3/status/',
    params: v.object({}),
    ...saysOk,
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

const body = text('Body', pingBodyLimit, 'Kept with the ping, usually its first 10,000 bytes.', {
  multiline: true,
})

const signal = { uuid, rid: v.optional(rid), body: v.optional(body) }

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
    params: v.object(signal),
  }),
  pingStart: operation({
    ...signals,
    title: 'Send a start signal',
    path: '/ping/{uuid}/start',
    params: v.object(signal),
  }),
  pingFail: operation({
    ...signals,
    title: 'Send a failure signal',
    path: '/ping/{uuid}/fail',
    params: v.object(signal),
  }),
  pingLog: operation({
    ...signals,
    title: 'Send a log entry',
    path: '/ping/{uuid}/log',
    params: v.object(signal),
  }),
  pingExitStatus: operation({
    ...signals,
    title: 'Report an exit status',
    path: '/ping/{uuid}/{exit_status}',
    params: v.object({
      ...signal,
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
  }),
}
