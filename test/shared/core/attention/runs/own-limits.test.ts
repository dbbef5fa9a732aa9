import { describe, expect, test } from 'vitest'
import {
  anyRule,
  defaultAttention,
  type Rule,
  ruleLimits,
  runLimitsOf,
} from '../../../../../src/shared/core/attention/rules.ts'
import {
  limitsWords,
  ownLimits,
  readLimit,
  readLimitLine,
  withOwnLimits,
} from '../../../../../src/shared/core/attention/runs/own-limits.ts'
import * as eg from '../../../../support/eg.ts'

const check = eg.check({ name: 'db-backup', tags: ['db'] })
const place = { accountId: eg.opsId, checkId: check.id }
const ofTag: Rule = { ...anyRule, id: 'tag', kinds: ['tooLong'], tag: 'db', longerMinutes: 30 }
const settings = { ...defaultAttention, rules: [ofTag] }
const limits = { longerMinutes: 120, shorterMinutes: null }

describe('the limits of a check’s own', () => {
  test('come before those of its tag, change in place, and leave the rules as they were', () => {
    const own = withOwnLimits(settings, place, limits, 'own')!
    expect(ownLimits(own, place)).toEqual(limits)
    expect(runLimitsOf(own, eg.opsId, check)).toEqual({ longer: 7_200, shorter: null })
    const other = eg.check({ name: 'other', tags: ['db'] })
    expect(runLimitsOf(own, eg.opsId, { ...other, id: 'other' })).toEqual({
      longer: 1_800,
      shorter: null,
    })
    const changed = withOwnLimits(own, place, { longerMinutes: null, shorterMinutes: 1 }, 'new')!
    expect(changed.rules.map(({ id }) => id)).toEqual(['own', 'tag'])
    expect(runLimitsOf(changed, eg.opsId, check)).toEqual({ longer: 1_800, shorter: 60 })
    const none = { longerMinutes: null, shorterMinutes: null }
    expect(withOwnLimits(changed, place, none, 'new')).toEqual(settings)
  })

  test.each<Partial<Rule>>([
    ...[{ way: 'sound' as const }, { tag: 'db' }, { afterMinutes: 5 }, { repeatMinutes: 5 }],
    ...[{ programId: 'p' }, { checkId: 'other' }, { accountId: 'other' }, { kinds: [] }],
    { kinds: ['tooLong'] },
    { kinds: ['tooLong', 'late'] },
    { kinds: ['tooLong', 'tooShort', 'noStart'] },
  ])('are no rule with %j, which stays beside them', (more) => {
    const kinds = ['tooLong', 'tooShort'] as const
    const rule: Rule = { ...anyRule, ...place, id: 'more', kinds, longerMinutes: 5, ...more }
    const none = { longerMinutes: null, shorterMinutes: null }
    const ruled = { ...settings, rules: [rule] }
    expect(ownLimits(ruled, place)).toEqual(none)
    const own = withOwnLimits(ruled, place, limits, 'own')!
    expect(own.rules.map(({ id }) => id)).toEqual(['own', 'more'])
    expect(withOwnLimits(own, place, none, 'own')).toEqual(ruled)
  })

  test('are not one rule too many', () => {
    const rules = Array.from({ length: ruleLimits.rules }, (_, n) => ({ ...ofTag, id: `${n}` }))
    expect(withOwnLimits({ ...settings, rules }, place, limits, 'own')).toBeNull()
  })

  test.each([
    ['2 h', 120],
    ['90', 90],
    ['90 min', 90],
    ['1 h 30', 90],
    ['never', 0],
    ['0', 0],
    ['7 days', 10_080],
    [' never ', 0],
    ['90 s', null],
    ['8 days', null],
    ['soon', null],
  ])('typed as %j are %j minutes', (typed, minutes) => {
    expect(readLimit(typed)).toBe(minutes)
  })

  test('are read from a line that names one check', () => {
    const boards = new Map([[eg.opsId, eg.board([check, eg.check({ name: 'longer than ever' })])]])
    expect(readLimitLine('DB-backup longer than 2 h', { boards })).toEqual({
      ...place,
      name: 'db-backup',
      limits: { longerMinutes: 120 },
    })
    expect(readLimitLine('db-backup runs shorter than 1 min', { boards })?.limits).toEqual({
      shorterMinutes: 1,
    })
    for (const text of ['db longer than 2 h', 'db-backup longer than ever', 'db-backup longer', ''])
      expect(readLimitLine(text, { boards }), text).toBeNull()
  })

  test('are said in words', () => {
    expect(limitsWords({ longerMinutes: 90, shorterMinutes: 0 })).toBe(
      'longer than 1 h 30 min, never shorter',
    )
    expect(limitsWords({ longerMinutes: null, shorterMinutes: null })).toBe('')
  })
})
