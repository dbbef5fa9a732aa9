import {
  check,
  description,
  integer,
  literal,
  maxValue,
  metadata,
  minValue,
  number,
  object,
  optional,
  pipe,
  regex,
  string,
  title,
  toLowerCase,
  trim,
} from 'valibot'
import { operation } from '../operation.ts'
import { uuid } from './monitoring-fields.ts'

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
