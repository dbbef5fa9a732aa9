import { describe, expect, test } from 'vitest'
import { goalsMet, judge, median, percentile, type Round } from '../../bench/judge.ts'
import type { Target } from '../../bench/measurement.ts'
import { table, withTable } from '../../bench/table.ts'

const target: Target = {
  goal: '1a',
  what: 'a poll, wall',
  of: { contender: 'app', number: 'ms' },
  against: { contender: 'bound', number: 'ms' },
  atMost: 1.15,
  unit: 'ms',
}
const round = (app: number, bound: number): Round => ({ app: { ms: app }, bound: { ms: bound } })

describe('a target', () => {
  test('is held against the median of the ratios, each of one round', () => {
    // One round on a busy machine is slow for both, and says nothing.
    const verdict = judge(target, [round(10, 10), round(120, 100), round(11, 10)])
    expect(verdict).toMatchObject({ value: 11, against: 10, isMet: true })
    expect(verdict.result).toBeCloseTo(1.1)
  })

  test('that is missed is not met', () => {
    expect(judge(target, [round(12, 10)]).isMet).toBe(false)
    expect(judge({ ...target, atMost: 2, atLeast: 1.5 }, [round(12, 10)]).isMet).toBe(false)
  })

  test('without anything to compare with is held against the number itself', () => {
    const { against: _none, ...alone } = target
    expect(judge({ ...alone, atMost: 16 }, [round(15, 1)])).toMatchObject({
      result: 15,
      against: null,
      isMet: true,
    })
  })

  test('of a number that nobody measured is an error, and never met', () => {
    const missing = { ...target, of: { contender: 'app', number: 'cpuMs' } }
    expect(() => judge(missing, [round(1, 1)])).toThrow('app did not measure cpuMs')
    expect(() => judge(target, [round(Number.NaN, 1)])).toThrow('app did not measure ms')
    expect(() => judge(target, [])).toThrow('no values')
  })
})

describe('a goal', () => {
  test('is met when each of its targets is', () => {
    const good = judge(target, [round(1, 1)])
    const bad = judge(target, [round(2, 1)])
    const other = judge({ ...target, goal: '2' }, [round(1, 1)])
    expect(goalsMet([good, bad, other], [])).toEqual({ met: 1, all: 2 })
    const failed = { ...target, goal: '3' }
    expect(goalsMet([good, other], [target, failed])).toEqual({ met: 1, all: 3 })
  })
})

describe('the table', () => {
  test('tells what was measured, against what, and what falls short', () => {
    const rows = table([judge(target, [round(12, 10)])]).split('\n')
    expect(rows.at(-1)).toBe(
      '| 1a | a poll, wall | 12 ms | 10 ms bound | 1.2 | ≤ 1.15 | **short** |',
    )
  })
})

describe('the page of the last run', () => {
  test('gets the new table in the place of the old one', () => {
    const page = 'a\n<!-- npm run bench -->\nold\n<!-- end -->\nb\n'
    const next = withTable(page, 'new')
    expect(next).toBe('a\n<!-- npm run bench -->\nnew\n<!-- end -->\nb\n')
    expect(withTable(next, 'new')).toBe(next)
    expect(() => withTable('nothing', 'new')).toThrow('the page has no')
  })
})

describe('a middle', () => {
  test('is the median, and a percentile is what that share lies below', () => {
    expect(median([3, 1, 2])).toBe(2)
    expect(median([4, 1, 2, 3])).toBe(2.5)
    expect(percentile([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.9)).toBe(10)
  })
})
