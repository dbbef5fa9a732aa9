import type { MonitoringCase } from './monitoring-service.ts'
import { briefly, checksPath, invalid, post } from './monitoring-steps.ts'

type Fields = Readonly<Record<string, unknown>>

const long = (length: number) => 'x'.repeat(length)

/** Values that a create refuses, and the single error it returns. */
const refusals: readonly (readonly [Fields, string])[] = [
  [{ name: long(101) }, 'name is too long'],
  [{ name: null }, 'name is not a string'],
  [{ name: 7 }, 'name is not a string'],
  [{ slug: long(101) }, 'slug is too long'],
  [{ slug: 'Up' }, 'slug does not match pattern'],
  [{ slug: 'two words' }, 'slug does not match pattern'],
  [{ slug: null }, 'slug is not a string'],
  [{ tags: ['a', 'b'] }, 'tags is not a string'],
  [{ desc: null }, 'desc is not a string'],
  [{ timeout: 59 }, 'timeout is too small'],
  [{ timeout: 31_536_001 }, 'timeout is too large'],
  [{ timeout: true }, 'timeout is too small'],
  [{ timeout: 60.5 }, 'timeout is not a number'],
  [{ timeout: '60' }, 'timeout is not a number'],
  [{ timeout: null }, 'timeout is not a number'],
  [{ grace: 59 }, 'grace is too small'],
  [{ grace: 31_536_001 }, 'grace is too large'],
  [{ grace: '60' }, 'grace is not a number'],
  [{ schedule: '' }, 'schedule is not a valid cron or OnCalendar expression'],
  [{ schedule: '@daily' }, 'schedule is not a valid cron or OnCalendar expression'],
  [{ schedule: '* * * * 9' }, 'schedule is not a valid cron or OnCalendar expression'],
  [{ schedule: '0 9 * * sat-sun' }, 'schedule is not a valid cron or OnCalendar expression'],
  [{ schedule: '0 9 15W * *' }, 'schedule is not a valid cron or OnCalendar expression'],
  [{ schedule: `0${' '.repeat(97)}0 *` }, 'schedule is too long'],
  [{ schedule: null }, 'schedule is not a string'],
  [{ tz: 'Mars/Base' }, 'tz is not a valid timezone'],
  [{ tz: 7 }, 'tz is not a string'],
  [{ manual_resume: 1 }, 'manual_resume is not a boolean'],
  [{ manual_resume: 'true' }, 'manual_resume is not a boolean'],
  [{ methods: 'GET' }, 'methods has unexpected value'],
  [{ methods: 'post' }, 'methods has unexpected value'],
  [{ methods: null }, 'methods has unexpected value'],
  [{ methods: 5 }, 'methods has unexpected value'],
  [{ channels: null }, 'channels is not a string'],
  [{ channels: [] }, 'channels is not a string'],
  [{ start_kw: long(201) }, 'start_kw is too long'],
  [{ success_kw: long(201) }, 'success_kw is too long'],
  [{ failure_kw: long(201) }, 'failure_kw is too long'],
  [{ failure_kw: false }, 'failure_kw is not a string'],
  [{ filter_subject: 0 }, 'filter_subject is not a boolean'],
  [{ filter_body: 'yes' }, 'filter_body is not a boolean'],
  [{ filter_http_body: null }, 'filter_http_body is not a boolean'],
  [{ filter_default_fail: 1 }, 'filter_default_fail is not a boolean'],
  [{ subject: long(201) }, 'subject is too long'],
  [{ subject_fail: 7 }, 'subject_fail is not a string'],
  [{ unique: 'name' }, 'unique is not an array'],
  [{ unique: null }, 'unique is not an array'],
  [{ unique: ['desc'] }, "an item in 'unique' has unexpected value"],
  [{ unique: [7] }, "an item in 'unique' has unexpected value"],
  [{ timeout: 59, grace: 59 }, 'grace is too small'],
]

/** Fields at their limits, and how they are returned. */
const acceptances: readonly (readonly [Fields, Fields])[] = [
  [{ name: long(100) }, { name: long(100) }],
  [{ name: '😀'.repeat(100) }, { name: '😀'.repeat(100) }],
  [{ slug: long(100) }, { slug: long(100) }],
  [{ slug: '0_a-b' }, { slug: '0_a-b' }],
  [{ tags: 'a  b a' }, { tags: 'a  b a' }],
  [{ desc: `two\nlines ${long(2_000)}` }, { desc: `two\nlines ${long(2_000)}` }],
  [{ timeout: 60 }, { timeout: 60, schedule: undefined, tz: undefined }],
  [{ timeout: 31_536_000 }, { timeout: 31_536_000 }],
  [{ grace: 60 }, { grace: 60 }],
  [{ grace: 31_536_000 }, { grace: 31_536_000 }],
  [{ schedule: '0 3 * * *' }, { schedule: '0 3 * * *', tz: 'UTC', timeout: undefined }],
  [
    { schedule: '*/5 * * * *', timeout: 60 },
    { schedule: '*/5 * * * *', timeout: undefined },
  ],
  [{ schedule: 'Mon 9:00' }, { schedule: 'Mon 9:00' }],
  [{ schedule: '0 3 * * *', tz: 'Europe/Kiev' }, { tz: 'Europe/Kyiv' }],
  [
    { timeout: 600, tz: 'Europe/Berlin' },
    { timeout: 600, tz: undefined },
  ],
  [{ manual_resume: true }, { manual_resume: true }],
  [{ methods: 'POST' }, { methods: 'POST' }],
  [{ methods: '' }, { methods: '' }],
  [{ start_kw: long(200) }, { start_kw: long(200) }],
  [{ success_kw: long(200) }, { success_kw: long(200), subject: '' }],
  [{ failure_kw: long(200) }, { failure_kw: long(200), subject_fail: '' }],
  [
    { success_kw: 'ok', failure_kw: 'bad', filter_subject: true },
    { subject: 'ok', subject_fail: 'bad' },
  ],
  [{ filter_body: true }, { filter_body: true, filter_subject: false }],
  [{ filter_http_body: true }, { filter_http_body: true }],
  [{ filter_default_fail: true }, { filter_default_fail: true }],
  [{ subject: 'ok' }, { success_kw: 'ok', filter_subject: true, subject: 'ok' }],
  [
    { subject: 'ok', filter_subject: false },
    { success_kw: 'ok', subject: '' },
  ],
  [{ channels: '' }, { channels: '' }],
  [{ unique: [] }, { status: 'new' }],
  [{ nonsense: null }, { status: 'new', nonsense: undefined }],
]

/** All fields of a create: limits, defaults, errors. */
export const fieldCases: readonly MonitoringCase[] = [
  ...refusals.map(
    ([fields, reason]): MonitoringCase => ({
      operation: 'createCheck',
      name: `a create with ${briefly(fields)} is refused: ${reason}`,
      steps: [post(checksPath, invalid(reason), fields)],
    }),
  ),
  ...acceptances.map(
    ([fields, like]): MonitoringCase => ({
      operation: 'createCheck',
      name: `a create accepts ${briefly(fields)}`,
      steps: [post(checksPath, { status: 201, body: { like } }, fields)],
    }),
  ),
  {
    operation: 'createCheck',
    name: 'a create without a body makes an unnamed check that waits for its first ping',
    steps: [
      post(checksPath, {
        status: 201,
        body: {
          like: {
            name: '',
            slug: '',
            tags: '',
            desc: '',
            status: 'new',
            started: false,
            n_pings: 0,
            timeout: 86_400,
            grace: 3_600,
            last_ping: null,
            next_ping: null,
            manual_resume: false,
            methods: '',
            channels: '',
            last_duration: undefined,
          },
        },
      }),
    ],
  },
  {
    operation: 'createCheck',
    name: 'a period too large for the server’s arithmetic crashes it',
    steps: [
      post(checksPath, { status: 500, body: { is: 'html' } }, { timeout: 100_000_000_000_000_000 }),
    ],
  },
]
