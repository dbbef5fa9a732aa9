import * as v from 'valibot'
import { type OperationExtras, operation } from '../operation.ts'
import { type About, field, flag, optionalField, textUpTo } from '../schema-field.ts'
import { uuidShape, wireCheck } from './read-check.ts'

/** Monitoring API, "Limits": both `timeout` and `grace`, in seconds. */
const periodLimits = { min: 60, max: 31_536_000 }

const idShape = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{40})$/

/** The server accepts only lower case: it would answer 404 to a pasted upper-case UUID. */
const uuid = field(
  v.pipe(v.string(), v.trim(), v.toLowerCase(), v.regex(uuidShape, 'a UUID, such as 0c8b1f2e-…')),
  'Check',
  'The UUID of the check.',
  { picker: 'check' },
)

/** With a read-only key, checks are known by their unique keys. */
const id = field(
  v.pipe(
    v.string(),
    v.trim(),
    v.toLowerCase(),
    v.regex(idShape, 'a UUID or a unique key of 40 hex digits'),
  ),
  'Check',
  'The UUID or the unique key of the check.',
  { picker: 'check' },
)

function text(label: string, limit: number | null, help: string, about: About = {}) {
  return limit === null
    ? field(textUpTo(Number.MAX_SAFE_INTEGER), label, help, about)
    : field(textUpTo(limit), label, help, { maxCodePoints: limit, ...about })
}

/** Optional text of at most `limit` code points; null: of any length. */
function optionalText(...about: Parameters<typeof text>) {
  return v.optional(text(...about))
}

function seconds(label: string, help: string) {
  return optionalField(
    v.pipe(
      v.number(),
      v.integer('whole seconds'),
      v.minValue(periodLimits.min, `at least ${periodLimits.min} seconds`),
      v.maxValue(periodLimits.max, `at most ${periodLimits.max} seconds (365 days)`),
    ),
    label,
    help,
    { unit: 'seconds' },
  )
}

function keywords(label: string) {
  return optionalText(label, 200, 'Case-sensitive, separated by commas.')
}

/**
 * The writable fields of a check. Deliberately left out: `api_key` (the header carries the key) and
 * the legacy `subject` and `subject_fail`, which overwrite the keywords and filters below.
 */
const writable = {
  name: optionalText('Name', 100, 'What the check is called.'),
  slug: v.optional(
    v.pipe(
      text('Slug', 100, 'A short name for ping addresses: a-z, 0-9, hyphens and underscores.'),
      v.regex(/^[a-z0-9_-]*$/, 'only a-z, 0-9, hyphens and underscores'),
    ),
  ),
  // The server doesn't validate them, and fails with an unhandled error beyond 500 characters.
  tags: optionalText('Tags', 500, 'Separated by spaces.'),
  desc: optionalText('Description', null, 'Anything worth knowing when it is down.', {
    multiline: true,
  }),
  timeout: seconds('Period', 'How often a ping is expected. 1 day unless given.'),
  grace: seconds('Grace', 'How late a ping may be before the check is down. 1 h unless given.'),
  schedule: optionalText(
    'Schedule',
    100,
    'A cron or OnCalendar expression, instead of the period.',
  ),
  tz: optionalText('Time zone', null, 'For the schedule, e.g. Europe/Berlin. UTC unless given.'),
  manual_resume: flag('Manual resume', 'A ping does not end a pause: only resuming does.'),
  methods: optionalField(
    v.picklist(['', 'POST'], 'empty or POST'),
    'Methods',
    'POST: pings by other HTTP methods are logged and ignored.',
  ),
  channels: optionalText(
    'Integrations',
    null,
    '* for all, empty for none, or UUIDs or names, comma-separated.',
    {
      picker: 'integration',
    },
  ),
  start_kw: keywords('Start keywords'),
  success_kw: keywords('Success keywords'),
  failure_kw: keywords('Failure keywords'),
  filter_subject: flag('Search subjects', 'Look for the keywords in e-mail subjects.'),
  filter_body: flag('Search e-mails', 'Look for the keywords in e-mail bodies.'),
  filter_http_body: flag(
    'Search HTTP bodies',
    'Look for the keywords in the bodies of HTTP pings.',
  ),
  filter_default_fail: flag(
    'Otherwise a failure',
    'A ping without any of the keywords counts as a failure.',
  ),
  unique: optionalField(
    v.array(v.picklist(['name', 'slug', 'tags', 'timeout', 'grace'])),
    'Unique by',
    'Update a check that has the same values in these fields, if there is one.',
  ),
}

/** Monitoring API, "List a check's status changes": the largest time the server accepts. */
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

/** Changes a check; the response is its record. */
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
/** Must match exactly: a captive portal answers 200 to everything, a rate limit with other text. */
const ok = v.pipe(v.string(), v.trim(), v.literal('OK'))

/**
 * The thirteen operations of the monitoring API, version 3. Paths end with a slash exactly where
 * the server's do: for a missing one it answers 301, which turns a POST into a GET, and for an
 * extra one 404. Lists declare their items as unknown: each is read separately in `read-check.ts`
 * and `read-history.ts`, so that one that can't be read doesn't hide the others.
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
    // About 1.2 kB per check: room for 50,000.
    { maxBytes: 64 * 1024 * 1024 },
  ),
  getCheck: get('Get a single check', 'checks/{id}', { id }, wireCheck),
  createCheck: post('Create a new check', 'checks/', writable, {
    // The service would create a nameless check, hardly ever intended; with `unique`, maybe none.
    refuses: ({ name, unique }) =>
      name === undefined && unique === undefined
        ? { field: 'name', message: 'give it a name, or write "" for none' }
        : null,
  }),
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

/** For anything but a UUID the server answers 400, and the signal is lost. */
const rid = field(
  v.pipe(v.string(), v.trim(), v.toLowerCase(), v.regex(uuidShape, 'a UUID')),
  'Run',
  'A UUID that ties the start of a run to its end.',
)

/** Servers keep the first 10,000 bytes unless configured otherwise; allows ten times that. */
const pingBodyLimit = 100_000

const body = optionalText(
  'Body',
  pingBodyLimit,
  'Kept with the ping, usually its first 10,000 bytes.',
  {
    multiline: true,
  },
)

/** A request to the check's own ping address, which only a read-write key reveals. */
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
 * The signals of a job, sent by a person: Monitoring API, "Ping". They go to the check's own ping
 * address, wherever it is; the paths below are those of a default server. POST, since a check may
 * ignore all other methods.
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
