import { describe, expect, test } from 'vitest'
import { createFields, fieldErrors, updateFields } from '#shared/api/monitoring/write-check.ts'
import {
  type CheckDraft,
  changedMeanwhile,
  checkChanges,
  draftErrors,
  draftOf,
  newCheckDraft,
} from '#shared/core/checks/check-draft.ts'
import * as eg from '../../../support/eg.ts'

const check = eg.details({
  name: 'db-backup',
  slug: 'db-backup',
  tags: ['prod', 'db'],
  description: 'line one\nline two',
  integrationIds: ['b', 'a'],
  filters: ['subject'],
})

function edited(part: Partial<CheckDraft>, of = check) {
  return updateFields(of, { ...draftOf(of), ...part })
}

describe('the fields of an update', () => {
  test('are none if nothing was changed, whatever the length of the period', () => {
    expect(edited({})).toEqual({})
    for (const periodSeconds of [61, 90, 3_600, 86_400, 694_861, 31_535_999]) {
      const odd = eg.details({ schedule: { kind: 'period', periodSeconds }, graceSeconds: 694_861 })
      expect(edited({}, odd)).toEqual({})
    }
  })

  test('are only the period, in seconds, however it is written', () => {
    expect(edited({ period: '2 h' })).toEqual({ timeout: 7_200 })
    expect(edited({ period: '90 s' })).toEqual({ timeout: 90 })
    expect(edited({ period: '3600' })).toEqual({})
    expect(edited({ grace: '1h 30min' })).toEqual({ grace: 5_400 })
  })

  test('leave the slug alone when the name changes', () => {
    expect(edited({ name: ' nightly ' })).toEqual({ name: 'nightly' })
    expect(edited({ slug: 'nightly' })).toEqual({ slug: 'nightly' })
  })

  test('leave out what somebody else changed, and what both changed alike', () => {
    const theirs = { ...check, slug: 'theirs', graceSeconds: 7_200, filters: ['body' as const] }
    const mine = { ...draftOf(check), name: 'nightly', grace: '2 h' }
    expect(updateFields(check, mine, theirs)).toEqual({ name: 'nightly' })
    const cron = { kind: 'cron', expression: '0 3 * * *', zone: 'UTC' } as const
    const later = { ...check, schedule: cron }
    expect(updateFields(check, { ...draftOf(check), period: '2 h' }, later)).toEqual({
      timeout: 7_200,
    })
    const moved = updateFields(later, { ...draftOf(later), zone: 'Asia/Tokyo' }, check)
    expect(moved).toEqual({ schedule: '0 3 * * *', tz: 'Asia/Tokyo' })
  })

  test('include schedule and zone together when they replace a period, and vice versa', () => {
    const cron = { kind: 'cron', expression: ' 0 3 * * * ', zone: 'Europe/Berlin' } as const
    expect(edited(cron)).toEqual({ schedule: '0 3 * * *', tz: 'Europe/Berlin' })
    const scheduled = eg.details({
      schedule: { kind: 'cron', expression: '0 3 * * *', zone: 'UTC' },
    })
    expect(edited({ kind: 'period', period: '1 day' }, scheduled)).toEqual({ timeout: 86_400 })
    expect(edited({ zone: 'Asia/Tokyo' }, scheduled)).toEqual({ tz: 'Asia/Tokyo' })
    expect(edited({ kind: 'onCalendar', expression: 'Mon 9:00' }, scheduled)).toEqual({
      schedule: 'Mon 9:00',
    })
  })

  test('name integrations only if different ones are chosen; none at all is an empty list', () => {
    expect(edited({ integrationIds: ['a', 'b'] })).toEqual({})
    expect(edited({ integrationIds: ['c', 'a'] })).toEqual({ channels: 'a,c' })
    expect(edited({ integrationIds: [] })).toEqual({ channels: '' })
    expect(edited({ integrationIds: null })).toEqual({})
  })

  test('turn single rules on and off', () => {
    expect(edited({ filters: ['httpBody'], methods: 'POST', manualResume: true })).toEqual({
      filter_subject: false,
      filter_http_body: true,
      methods: 'POST',
      manual_resume: true,
    })
  })
})

describe('the fields of a new check', () => {
  test('are never empty, and leave out defaults', () => {
    expect(createFields({ ...newCheckDraft, name: 'nightly', integrationIds: [] })).toEqual({
      name: 'nightly',
      timeout: 86_400,
      grace: 3_600,
    })
  })

  test('have all integrations where the form could not list them, and none where none is chosen', () => {
    const channels = (integrationIds: readonly string[] | null) =>
      createFields({ ...newCheckDraft, name: 'n', integrationIds }).channels
    expect([null, [], ['b', 'a']].map(channels)).toEqual(['*', undefined, 'a,b'])
  })

  test('of a cron check have no period', () => {
    const draft = { ...newCheckDraft, name: 'n', kind: 'cron', expression: '0 3 * * *' } as const
    expect(createFields({ ...draft, tags: ' prod  db ', integrationIds: ['a'] })).toEqual({
      name: 'n',
      tags: 'prod db',
      schedule: '0 3 * * *',
      tz: 'UTC',
      grace: 3_600,
      channels: 'a',
    })
  })
})

describe('a draft', () => {
  const wrong = (part: Partial<CheckDraft>) =>
    Object.keys(draftErrors({ ...newCheckDraft, name: 'n', ...part }))

  test("is held to the server's limits before it is sent", () => {
    expect(wrong({})).toEqual([])
    expect(wrong({ name: '👍'.repeat(100) })).toEqual([])
    expect(wrong({ name: '👍'.repeat(101) })).toEqual(['name'])
    expect(wrong({ slug: 'No' })).toEqual(['slug'])
    expect(wrong({ period: '59 s', grace: '366 days' })).toEqual(['period', 'grace'])
    expect(wrong({ period: 'soon' })).toEqual(['period'])
    expect(wrong({ keywords: { start: 'x'.repeat(201), success: '', failure: '' } })).toEqual([
      'start',
    ])
  })

  test('can’t become another kind of schedule because its expression looks like one', () => {
    expect(wrong({ kind: 'cron', expression: '0 3 * *' })).toEqual(['expression'])
    expect(wrong({ kind: 'cron', expression: '0 3 * * *' })).toEqual([])
    expect(wrong({ kind: 'onCalendar', expression: '0 3 * * *' })).toEqual(['expression'])
    expect(wrong({ kind: 'onCalendar', expression: 'Mon..Fri 9:00', zone: ' ' })).toEqual(['zone'])
    // What the chosen kind does not use is not validated.
    expect(wrong({ kind: 'cron', expression: '0 3 * * *', period: 'soon' })).toEqual([])
  })
})

describe('a cron expression', () => {
  const cron = { ...newCheckDraft, name: 'n', kind: 'cron' } as const
  const told = (expression: string, held: string | null = null) =>
    draftErrors({ ...cron, expression }, held === null ? null : { ...cron, expression: held })
      .expression

  test('is refused as the server would, with a correction', () => {
    expect(told('0 9 * * MON/2')).toBeUndefined()
    expect(told('0 25 * * *')).toBe('“25” is not a valid hour: use 0 to 23.')
    expect(told('CRON_TZ=UTC 0 9 * * *')).toMatch(/five fields/)
    expect(told(`${'0,'.repeat(50)}0 9 * * *`)).toMatch(/At most 100 characters/)
  })

  test('already on the server is left to the server, as long as it is unchanged', () => {
    expect(told('0 0 30 2 1', '0 0 30 2 1')).toBeUndefined()
    expect(told('1 0 30 2 1', '0 0 30 2 1')).toMatch(/never runs/)
    const onCalendar = { ...cron, kind: 'onCalendar', expression: '0 25 * * *' } as const
    expect(draftErrors({ ...cron, expression: '0 25 * * *' }, onCalendar)).toHaveProperty(
      'expression',
    )
  })
})

describe('the list of changes', () => {
  test('shows old and new values in words', () => {
    const was = draftOf(check)
    const is = { ...was, period: '7200', integrationIds: ['a'], manualResume: true }
    expect(checkChanges(was, is, (id) => `<${id}>`)).toEqual([
      { what: 'Expected', from: 'every hour', to: 'every 2 h' },
      { what: 'Integrations', from: '<a>, <b>', to: '<a>' },
      { what: 'After a pause', from: 'the next ping ends it', to: 'resumed by hand only' },
    ])
    expect(checkChanges(was, { ...was, period: '3600' }, String)).toEqual([])
  })
})

describe("the list of somebody else's changes", () => {
  test('shows them beside what the form would write instead', () => {
    const was = draftOf(check)
    const theirs = { ...was, slug: 'theirs', grace: '2 h', methods: 'POST' as const }
    const mine = { ...was, name: 'other', grace: '3 h', methods: 'POST' as const }
    expect(changedMeanwhile(was, mine, theirs, String)).toEqual([
      { what: 'Slug', theirs: 'theirs', mine: null },
      { what: 'Grace', theirs: '2 h', mine: '3 h' },
      { what: 'Accepts', theirs: 'POST only', mine: null },
    ])
    expect(changedMeanwhile(was, mine, was, String)).toEqual([])
  })
})

describe('the list of changes and the sent fields', () => {
  const long = 'a text that goes on for much longer than the sixty characters that are shown of it'
  const edits: readonly (readonly [string, Partial<CheckDraft>])[] = [
    ['nothing', {}],
    ['the end of a long description', { description: `${long}.` }],
    ['a space at its end', { description: `${long} ` }],
    ['a space before the name', { name: ` ${check.name} ` }],
    ['a long slug', { slug: 'x'.repeat(99) }],
    ['the tags, spaced differently', { tags: ' prod   db ' }],
    ['seconds that the words leave out', { period: '694861 s' }],
    ['a space within an expression', { kind: 'cron', expression: '0  3 * * *' }],
    ['keywords', { keywords: { start: '', success: `${long}${long}`, failure: '' } }],
    ['filters in another order', { filters: ['body', 'subject'] }],
    ['another integration with the same name', { integrationIds: ['a', 'c'] }],
    ['integrations in another order', { integrationIds: ['b', 'a'] }],
    ['how a pause ends', { manualResume: true }],
  ]
  const starts = [
    eg.details({
      ...check,
      description: long,
      filters: ['subject', 'body'],
      integrationIds: ['a', 'b'],
    }),
    eg.details({
      ...check,
      schedule: { kind: 'cron', expression: '0 3 * * *', zone: 'UTC' },
      graceSeconds: 694_860,
    }),
  ]

  test.each(edits)('agree: %s', (_what, edit) => {
    for (const start of starts) {
      const was = draftOf(start)
      const is = { ...was, ...edit }
      const told = checkChanges(was, is, (id) => id)
      expect(told.length > 0).toBe(Object.keys(updateFields(start, is)).length > 0)
      for (const { from, to } of told) expect(from).not.toBe(to)
    }
  })

  test('show where a long text changes', () => {
    const was = { ...newCheckDraft, description: `${long} ${long} old` }
    const [change] = checkChanges(was, { ...was, description: `${long} ${long} new` }, String)
    expect(change?.from).toMatch(/^….{20}old$/)
    expect(change?.to).toMatch(/^….{20}new$/)
  })
})

describe('a refusal', () => {
  const refused = (message: string) =>
    fieldErrors({ kind: 'refused', httpStatus: 400, code: 'BAD_REQUEST', message })

  test('is shown at its field, if it has one', () => {
    expect(refused('json validation error: timeout is too small')).toEqual({
      period: 'The server says: is too small.',
    })
    expect(refused('json validation error: tz is not a valid timezone')).toEqual({
      zone: 'The server says: is not a valid timezone.',
    })
    expect(refused('invalid channel identifier: mail')).toHaveProperty('integrationIds')
    expect(refused('could not parse request body')).toBeNull()
    expect(fieldErrors({ kind: 'invalid', field: 'start_kw', message: 'at most 200' })).toEqual({
      start: 'at most 200',
    })
    expect(fieldErrors({ kind: 'serverFault', httpStatus: 500 })).toBeNull()
  })
})
