import {
  array,
  boolean,
  check,
  description,
  integer,
  maxValue,
  metadata,
  minValue,
  number,
  optional,
  picklist,
  pipe,
  regex,
  string,
  title,
  toLowerCase,
  trim,
} from 'valibot'

/** Monitoring API, "Limits": both `timeout` and `grace`, in seconds. */
export const periodLimits = { min: 60, max: 31_536_000 }

const uuidShape = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const idShape = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{40})$/

/** The server knows lower case only: a pasted upper-case uuid would be a 404. */
export const uuid = pipe(
  string(),
  trim(),
  toLowerCase(),
  regex(uuidShape, 'a UUID, such as 0c8b1f2e-…'),
  title('Check'),
  description('The UUID of the check.'),
  metadata({ picker: 'check' }),
)

/** What a read-only key knows checks by as well. */
export const id = pipe(
  string(),
  trim(),
  toLowerCase(),
  regex(idShape, 'a UUID or a unique key of 40 digits'),
  title('Check'),
  description('The UUID or the unique key of the check.'),
  metadata({ picker: 'check' }),
)

/** The server counts characters as code points; a form finds the limit in the metadata. */
export function text(
  name: string,
  limit: number | null,
  help: string,
  about: { picker?: 'integration'; multiline?: true } = {},
) {
  const most = limit ?? Number.MAX_SAFE_INTEGER
  return pipe(
    string(),
    check((value) => [...value].length <= most, `at most ${most} characters`),
    title(name),
    description(help),
    metadata({ ...(limit === null ? {} : { maxCodePoints: limit }), ...about }),
  )
}

function seconds(name: string, help: string) {
  return pipe(
    number(),
    integer('whole seconds'),
    minValue(periodLimits.min, `at least ${periodLimits.min} seconds`),
    maxValue(periodLimits.max, `at most ${periodLimits.max} seconds (365 days)`),
    title(name),
    description(help),
    metadata({ unit: 'seconds' }),
  )
}

function yesOrNo(name: string, help: string) {
  return pipe(boolean(), title(name), description(help))
}

/**
 * The fields of a check that can be written. Left out on purpose: `api_key` (the header carries the
 * key) and the old `subject` and `subject_fail`, which rewrite the keywords and filters below.
 */
export const writable = {
  name: optional(text('Name', 100, 'What the check is called.')),
  slug: optional(
    pipe(
      text('Slug', 100, 'A short name for ping addresses: a-z, 0-9, hyphens and underscores.'),
      regex(/^[a-z0-9_-]*$/, 'only a-z, 0-9, hyphens and underscores'),
    ),
  ),
  // Not validated by the server, where more than 500 characters are an unhandled error.
  tags: optional(text('Tags', 500, 'Separated by spaces.')),
  desc: optional(
    text('Description', null, 'Anything worth knowing when it is down.', { multiline: true }),
  ),
  timeout: optional(seconds('Period', 'How often a ping is expected. 1 day unless given.')),
  grace: optional(seconds('Grace', 'How late a ping may be before it is down. 1 h unless given.')),
  schedule: optional(
    text('Schedule', 100, 'A cron or OnCalendar expression, in place of the period.'),
  ),
  tz: optional(
    text('Time zone', null, 'Of the schedule, such as Europe/Berlin. UTC unless given.'),
  ),
  manual_resume: optional(
    yesOrNo('Manual resume', 'A ping does not end a pause: only resuming does.'),
  ),
  methods: optional(
    pipe(
      picklist(['', 'POST'], 'empty or POST'),
      title('Methods'),
      description('POST: pings by other HTTP methods are logged and ignored.'),
    ),
  ),
  channels: optional(
    text(
      'Integrations',
      null,
      '* for all, empty for none, or UUIDs or names with commas between.',
      { picker: 'integration' },
    ),
  ),
  start_kw: optional(text('Start keywords', 200, 'Case-sensitive, with commas between.')),
  success_kw: optional(text('Success keywords', 200, 'Case-sensitive, with commas between.')),
  failure_kw: optional(text('Failure keywords', 200, 'Case-sensitive, with commas between.')),
  filter_subject: optional(
    yesOrNo('Look in subjects', 'Keywords are looked for in e-mail subjects.'),
  ),
  filter_body: optional(yesOrNo('Look in e-mails', 'Keywords are looked for in e-mail bodies.')),
  filter_http_body: optional(
    yesOrNo('Look in HTTP bodies', 'Keywords are looked for in the bodies of HTTP pings.'),
  ),
  filter_default_fail: optional(
    yesOrNo('Otherwise a failure', 'A ping without any of the keywords counts as a failure.'),
  ),
  unique: optional(
    pipe(
      array(picklist(['name', 'slug', 'tags', 'timeout', 'grace'])),
      title('Unique by'),
      description('Update a check that has the same values in these fields, if there is one.'),
    ),
  ),
}
