import {
  array,
  check,
  description,
  integer,
  literal,
  looseObject,
  maxValue,
  metadata,
  minValue,
  number,
  object,
  optional,
  pipe,
  record,
  regex,
  string,
  title,
  toLowerCase,
  trim,
  union,
  unknown,
} from 'valibot'
import { operation } from '../operation.ts'
import { id, periodLimits, text, uuid, writable } from './monitoring-fields.ts'
import { wireCheck } from './read-check.ts'

/** Monitoring API, "List a check's status changes": the largest time the server takes. */
const unixSeconds = pipe(number(), integer(), minValue(0), maxValue(10_000_000_000))

/**
 * The thirteen operations of the monitoring API, version 3. Paths end with a slash exactly where
 * the server's do: without one it answers 301, which turns a POST into a GET, and with one too many
 * 404. Lists declare their items as unknown: each is read on its own in `read-check.ts` and
 * `read-history.ts`, so that one that can't be read does not hide the others.
 */
export const monitoringOperations = {
  listChecks: operation({
    service: 'monitoring',
    title: 'List existing checks',
    method: 'GET',
    path: '/api/v3/checks/',
    params: object({
      slug: optional(text('Slug', 100, 'Only checks with exactly this slug.')),
      tag: optional(
        pipe(
          array(string()),
          title('Tags'),
          description('Only checks that carry all of these tags.'),
        ),
      ),
    }),
    reply: looseObject({ checks: array(unknown()) }),
    effect: 'read',
    // About 1.2 kB a check: room for 50,000.
    maxBytes: 64 * 1024 * 1024,
  }),
  getCheck: operation({
    service: 'monitoring',
    title: 'Get a single check',
    method: 'GET',
    path: '/api/v3/checks/{id}',
    params: object({ id }),
    reply: wireCheck,
    effect: 'read',
  }),
  createCheck: operation({
    service: 'monitoring',
    title: 'Create a new check',
    method: 'POST',
    path: '/api/v3/checks/',
    params: object(writable),
    reply: wireCheck,
    effect: 'write',
    needsReadWriteKey: true,
  }),
  updateCheck: operation({
    service: 'monitoring',
    title: 'Update an existing check',
    method: 'POST',
    path: '/api/v3/checks/{uuid}',
    params: object({ uuid, ...writable }),
    reply: wireCheck,
    effect: 'write',
    needsReadWriteKey: true,
  }),
  pauseCheck: operation({
    service: 'monitoring',
    title: 'Pause monitoring of a check',
    method: 'POST',
    path: '/api/v3/checks/{uuid}/pause',
    params: object({ uuid }),
    reply: wireCheck,
    effect: 'write',
    needsReadWriteKey: true,
  }),
  resumeCheck: operation({
    service: 'monitoring',
    title: 'Resume monitoring of a check',
    method: 'POST',
    path: '/api/v3/checks/{uuid}/resume',
    params: object({ uuid }),
    reply: wireCheck,
    effect: 'write',
    needsReadWriteKey: true,
  }),
  deleteCheck: operation({
    service: 'monitoring',
    title: 'Delete a check',
    method: 'DELETE',
    path: '/api/v3/checks/{uuid}',
    params: object({ uuid }),
    reply: wireCheck,
    effect: 'destroy',
    destroys: 'the check {uuid}, its pings and flips; its ping address stops working',
    needsReadWriteKey: true,
  }),
  listPings: operation({
    service: 'monitoring',
    title: "List a check's logged pings",
    method: 'GET',
    path: '/api/v3/checks/{uuid}/pings/',
    params: object({ uuid }),
    reply: looseObject({ pings: array(unknown()) }),
    effect: 'read',
    needsReadWriteKey: true,
  }),
  getPingBody: operation({
    service: 'monitoring',
    title: "Get a ping's logged body",
    method: 'GET',
    path: '/api/v3/checks/{uuid}/pings/{n}/body',
    params: object({
      uuid,
      n: pipe(
        number(),
        integer(),
        minValue(1),
        title('Ping'),
        description('The number of the ping.'),
      ),
    }),
    reply: string(),
    replyAs: 'text',
    effect: 'read',
    needsReadWriteKey: true,
  }),
  listFlips: operation({
    service: 'monitoring',
    title: "List a check's status changes",
    method: 'GET',
    path: '/api/v3/checks/{id}/flips/',
    params: object({
      id,
      seconds: optional(
        pipe(
          number(),
          integer(),
          minValue(0),
          maxValue(periodLimits.max),
          title('Within'),
          description('Only the last so many seconds.'),
          metadata({ unit: 'seconds' }),
        ),
      ),
      start: optional(
        pipe(
          unixSeconds,
          title('From'),
          description('Unix time, included.'),
          metadata({ unit: 'unixSeconds' }),
        ),
      ),
      end: optional(
        pipe(
          unixSeconds,
          title('Until'),
          description('Unix time, not included.'),
          metadata({ unit: 'unixSeconds' }),
        ),
      ),
    }),
    reply: union([array(unknown()), looseObject({ flips: array(unknown()) })]),
    effect: 'read',
  }),
  listIntegrations: operation({
    service: 'monitoring',
    title: 'List existing integrations',
    method: 'GET',
    path: '/api/v3/channels/',
    params: object({}),
    reply: looseObject({ channels: array(unknown()) }),
    effect: 'read',
    needsReadWriteKey: true,
  }),
  listBadges: operation({
    service: 'monitoring',
    title: "List the project's badges",
    method: 'GET',
    path: '/api/v3/badges/',
    params: object({}),
    reply: looseObject({ badges: record(string(), unknown()) }),
    effect: 'read',
  }),
  probeStatus: operation({
    service: 'monitoring',
    title: 'Check database connectivity',
    method: 'GET',
    path: '/api/v3/status/',
    params: object({}),
    // Held to the word, since a captive portal answers 200 to everything.
    reply: pipe(string(), trim(), literal('OK')),
    replyAs: 'text',
    effect: 'read',
    anonymous: true,
  }),
}

/** Anything else is answered with 400, and the signal is lost. */
const rid = pipe(
  string(),
  trim(),
  toLowerCase(),
  regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'a UUID'),
  title('Run'),
  description('A UUID that ties the start of a run to its end.'),
)

/** Servers keep the first 10,000 bytes unless set up otherwise; a tenfold of that is no mistake yet. */
const pingBodyLimit = 100_000

const body = pipe(
  string(),
  check((text) => [...text].length <= pingBodyLimit, `at most ${pingBodyLimit} characters`),
  title('Body'),
  description('Kept with the ping, usually its first 10,000 bytes.'),
  metadata({ maxCodePoints: pingBodyLimit, multiline: true }),
)

const signal = { uuid, rid: optional(rid), body: optional(body) }

/** Held to the word: a signal that was dropped by a rate limit is answered with other text. */
const reply = pipe(string(), trim(), literal('OK'))

const shared = {
  service: 'monitoring',
  method: 'POST',
  reply,
  replyAs: 'text',
  effect: 'write',
  anonymous: true,
  to: 'pingAddress',
  // The ping address is told to such a key only.
  needsReadWriteKey: true,
} as const

/**
 * The signals of a job, for a person to send: Monitoring API, "Ping". They go to the check's own
 * ping address, wherever it is; the paths below are those of a server as it comes. POST, since a
 * check may ignore every other method.
 */
export const monitoringPingOperations = {
  pingSuccess: operation({
    ...shared,
    title: 'Send a success signal',
    path: '/ping/{uuid}',
    params: object(signal),
  }),
  pingStart: operation({
    ...shared,
    title: 'Send a start signal',
    path: '/ping/{uuid}/start',
    params: object(signal),
  }),
  pingFail: operation({
    ...shared,
    title: 'Send a failure signal',
    path: '/ping/{uuid}/fail',
    params: object(signal),
  }),
  pingLog: operation({
    ...shared,
    title: 'Send a log entry',
    path: '/ping/{uuid}/log',
    params: object(signal),
  }),
  pingExitStatus: operation({
    ...shared,
    title: 'Report an exit status',
    path: '/ping/{uuid}/{exit_status}',
    params: object({
      ...signal,
      exit_status: pipe(
        number(),
        integer('a whole number'),
        minValue(0, 'at least 0'),
        maxValue(255, 'at most 255'),
        title('Exit status'),
        description('0 is a success, 1 to 255 a failure.'),
      ),
    }),
  }),
}
