import { describe, expect, test } from 'vitest'
import {
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
  return checks.filter((check) => matchesFilter(filter, check, project)).map(({ name }) => name)
}

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
  ])('"%s" finds %o', (text, names) => {
    expect(found(text)).toEqual(names)
  })

  test('finds a project of several words in quotes', () => {
    expect(found('project:"my ops" mirror', 'All my ops')).toEqual(['mirror'])
  })

  test.each(['is:', '#', 'project:', '-', '""'])('lets "%s" wait to be finished', (text) => {
    expect(found(text).length).toBe(text === '-' ? 2 : 4)
  })

  test('finds nothing for a status that does not exist, and says which', () => {
    expect(found('is:broken')).toEqual([])
    expect(parseCheckFilter('is:broken is:constructor').unknown).toEqual(['broken', 'constructor'])
  })

  test('is empty when it asks for nothing', () => {
    expect(isEmptyFilter(parseCheckFilter('  '))).toBe(true)
    expect(isEmptyFilter(parseCheckFilter('is:broken'))).toBe(false)
  })
})
