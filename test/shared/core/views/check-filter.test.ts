import { describe, expect, test } from 'vitest'
import {
  filterHints,
  filterProblems,
  isEmptyFilter,
  matchesFilter,
  parseCheckFilter,
} from '../../../../src/shared/core/views/check-filter.ts'
import * as eg from '../../../support/eg.ts'

const checks = [
  eg.check({ name: 'db-backup', status: 'down', tags: ['prod', 'db'] }),
  eg.check({ name: 'Report mailer', status: 'grace', tags: ['mail'] }),
  eg.check({ name: 'cert-renew', slug: 'certs', started: true, tags: ['prod'] }),
  eg.check({ name: 'mirror', status: 'paused' }),
]

function found(text: string, project = 'ops-project'): string[] {
  const filter = parseCheckFilter(text)
  return checks
    .filter((check) => matchesFilter(filter, check, project, eg.now))
    .map(({ name }) => name)
}

test('words that begin with a quote are plain text, whatever they look like', () => {
  const names = ['#1 job', 'is:down test', '-x', 'other']
  const matching = (text: string) =>
    names.filter((name) =>
      matchesFilter(parseCheckFilter(text), eg.check({ name }), 'ops-project', eg.now),
    )
  expect(matching('"#1 job"')).toEqual(['#1 job'])
  expect(matching('-"#1"')).toEqual(['is:down test', '-x', 'other'])
  expect(matching('"is:down t')).toEqual(['is:down test'])
  expect(matching('"-x"')).toEqual(['-x'])
  expect(isEmptyFilter(parseCheckFilter('"'))).toBe(true)
})

describe('the filter', () => {
  test.each([
    ['', ['db-backup', 'Report mailer', 'cert-renew', 'mirror']],
    ['MAIL', ['Report mailer']],
    ['certs', ['cert-renew']],
    ['#prod', ['db-backup', 'cert-renew']],
    ['tag:db', ['db-backup']],
    ['#prod #db', ['db-backup']],
    ['is:down', ['db-backup']],
    ['is:late', ['Report mailer']],
    ['is:down is:late', ['db-backup', 'Report mailer']],
    ['is:running', ['cert-renew']],
    ['#prod is:down', ['db-backup']],
    ['-#prod', ['Report mailer', 'mirror']],
    ['-is:paused -backup', ['Report mailer', 'cert-renew']],
    ['"report m"', ['Report mailer']],
    ['project:ops', ['db-backup', 'Report mailer', 'cert-renew', 'mirror']],
    ['project:web', []],
    ['project:web project:ops backup', ['db-backup']],
    ['ops-pro mail', ['Report mailer']],
  ])('"%s" finds %o', (text, names) => {
    expect(found(text)).toEqual(names)
  })

  test.each([
    ['#db', ['db', 'both']],
    ['tag:DB', ['db', 'both']],
    ['-#db', ['old']],
    ['#db-', ['old', 'both']],
    ['#d', ['db', 'old', 'both']],
    ['#db #db-old', ['both']],
  ])('takes “%s” for a whole tag if a tag has exactly that name: %o', (text, names) => {
    const tagged = [
      eg.check({ name: 'db', tags: ['db'] }),
      eg.check({ name: 'old', tags: ['db-old'] }),
      eg.check({ name: 'both', tags: ['db-old', 'Db'] }),
    ]
    const filter = parseCheckFilter(text, ['Db', 'db', 'db-old'])
    const matching = tagged.filter((check) => matchesFilter(filter, check, 'ops', eg.now))
    expect(matching.map(({ name }) => name)).toEqual(names)
  })

  test('finds a project whose quoted name has several words', () => {
    expect(found('project:"my ops" mirror', 'All my ops')).toEqual(['mirror'])
  })

  test.each(['is:', '#', 'project:', '-', '""'])('ignores the unfinished term "%s"', (text) => {
    expect(found(text).length).toBe(text === '-' ? 2 : 4)
  })

  test('finds nothing for an unknown status, and reports it', () => {
    expect(found('is:broken')).toEqual([])
    expect(parseCheckFilter('is:broken is:constructor').unknown).toEqual(['broken', 'constructor'])
  })

  test('is empty if it has no terms', () => {
    expect(isEmptyFilter(parseCheckFilter('  '))).toBe(true)
    expect(isEmptyFilter(parseCheckFilter('is:broken'))).toBe(false)
  })
})

describe('a duration filter', () => {
  const since = eg.now - 15 * eg.minute
  // As Belfry finds it at its start: nobody saw it become late.
  const late = eg.check({ name: 'late', status: 'grace', since: null, nextPingAt: since })
  // A run that began at `nextPingAt` should have ended later.
  const overrun = eg.check({
    ...{ name: 'overrun', status: 'grace', started: true },
    ...{ since: eg.now - 11 * eg.minute, nextPingAt: eg.now - 40 * eg.minute },
  })
  const down = eg.check({ name: 'down', status: 'down', since, graceSeconds: 1_800 })
  const timed = (text: string) =>
    [
      late,
      overrun,
      down,
      eg.check({ name: 'up' }),
      eg.check({ name: 'unknown', status: 'down', since: null }),
    ]
      .filter((check) => matchesFilter(parseCheckFilter(text), check, 'ops', eg.now))
      .map(({ name }) => name)

  test.each([
    ['late:>10m', ['late', 'overrun', 'down']],
    ['late:>12m', ['late', 'down']],
    ['late:10m', ['late', 'overrun', 'down']],
    ['late:>20m', ['down']],
    ['late:<20m', ['late', 'overrun']],
    ['down:>10m', ['down']],
    ['down:>1h', []],
    ['-late:>10m', ['up', 'unknown']],
    ['late:>', ['late', 'overrun', 'down', 'up', 'unknown']],
    ['late:soon', []],
  ])('“%s” finds %o', (text, names) => {
    expect(timed(text)).toEqual(names)
  })
})

describe('a typed filter', () => {
  const names = { tags: ['db', 'prod', 'Web'], projects: ['ops-project', 'My Shop'] }

  test.each([
    ['is:d', ['is:down']],
    ['#', ['#db', '#prod', '#Web']],
    ['#w', ['#Web']],
    ['d', ['#db', 'down:>10m', 'down:>1h', 'down:>1d']],
    ['backup -is:pa', ['backup -is:paused']],
    ['project:my', ['project:"My Shop"']],
    ['project:"my s', ['project:"My Shop"']],
    ['late:>1', ['late:>10m', 'late:>1h', 'late:>1d']],
    ['#db', []],
    ['', []],
    ['x ', []],
    ['🦉"', []],
  ])('“%s” has the completions %o', (text, hints) => {
    expect(filterHints(text, names)).toEqual(hints)
  })

  test.each([
    ['is:broken', ['There is no status “broken”: use down, late, up, new, paused or running.']],
    ['late:soon', ['“late:soon” is not a length of time: late:>10m, late:<2h.']],
    ['#nope -#db', ['No check is tagged #nope.']],
    ['project:nowhere', ['No project is called “nowhere”.']],
    ['anything #db is:down project:shop', []],
    ['status:down', ['“status:” is not a filter: use is:, project:, late:, down:, # or -.']],
    ['http://x', ['“http:” is not a filter: use is:, project:, late:, down:, # or -.']],
    ['9:30', []],
  ])('“%s” has the problems %o', (text, problems) => {
    expect(filterProblems(parseCheckFilter(text), names, 0)).toEqual(problems)
  })

  test('a word with a colon is no problem if it is in the name of a check', () => {
    expect(filterProblems(parseCheckFilter('job:nightly'), names, 1)).toEqual([])
  })
})
