import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkName } from '../../../../src/shared/core/checks/check.ts'
import * as eg from '../../../support/eg.ts'

describe('the name of a check', () => {
  test('has no white space around it, of any kind', () => {
    const part = fc.constantFrom('a', 'é', '~', ' ', '\t', '\u00a0', '\u3000', '\ufeff')
    fc.assert(
      fc.property(fc.string({ unit: part, maxLength: 6 }), (name) => {
        expect(checkName(eg.check({ name, slug: 'slug' }))).toBe(
          name.trim().replace(/\t+/g, ' ') || 'slug',
        )
      }),
      { seed: 20_261_122, numRuns: 300 },
    )
  })

  test('is its slug, or the beginning of its id, if it is empty', () => {
    expect(checkName(eg.check({ name: ' ', slug: 'db-backup' }))).toBe('db-backup')
    expect(checkName(eg.check({ name: '', slug: '', id: 'abcdef0123' }))).toBe(
      'unnamed check abcdef',
    )
  })
})
