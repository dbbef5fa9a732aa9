import * as v from 'valibot'
import { type About, field, flag, optionalField, textUpTo } from '../schema-field.ts'

/** Monitoring API, "Limits": both `timeout` and `grace`, in seconds. */
export const periodLimits = { min: 60, max: 31_536_000 }

/** In lower case, as the service writes them. */
export const uuidShape = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const idShape = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{40})$/

/** The server knows lower case only: a pasted upper-case uuid would be a 404. */
export const uuid = field(
  v.pipe(v.string(), v.trim(), v.toLowerCase(), v.regex(uuidShape, 'a UUID, such as 0c8b1f2e-…')),
  'Check',
  'The UUID of the check.',
  { picker: 'check' },
)

/** A read-only key knows checks by their unique keys. */
export const id = field(
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

/** Text of at most `limit` code points, of any length where it is null; may be left out. */
export function optionalText(...about: Parameters<typeof text>) {
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
 * The fields of a check that can be written. Left out on purpose: `api_key` (the header carries the
 * key) and the old `subject` and `subject_fail`, which rewrite the keywords and filters below.
 */
export const writable = {
  name: optionalText('Name', 100, 'What the check is called.'),
  slug: v.optional(
    v.pipe(
      text('Slug', 100, 'A short name for ping addresses: a-z, 0-9, hyphens and underscores.'),
      v.regex(/^[a-z0-9_-]*$/, 'only a-z, 0-9, hyphens and underscores'),
    ),
  ),
  // Not validated by the server, where more than 500 characters are an unhandled error.
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
