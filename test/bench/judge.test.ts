import { describe, expect, test } from 'vitest'
import { comparison } from '../../bench/compare.ts'
import { judge, median, percentile, type Round, summary } from '../../bench/judge.ts'
import { machine } from '../../bench/machine.ts'
import type { Target } from '../../bench/measurement.ts'
import { table, withTable } from '../../bench/table.ts'

const target: Target = {
  goal: 'a poll',
  what: 'a poll, wall',
  of: { contender: 'app', number: 'ms' },
  against: { contender: 'bound', number: 'ms' },
  atMost: 1.15,
  unit: 'ms',
}
const round = (app: number, bound: number): Round => ({ app: { ms: app }, bound: { ms: bound } })

describe('a comparison with another commit', () => {
  const compared = (here: readonly Round[], there: readonly Round[]) =>
    comparison(
      { name: 'poll', targets: [target, { ...target, what: 'the same number' }] },
      here,
      there,
    )

  test('is of the rounds that both took, each with its own ratio', () => {
    const [head, , ...rows] = compared(
      [round(10, 1), round(40, 1), round(9, 1)],
      [round(20, 1), round(40, 1)],
    ).split('\n')
    expect(head).toContain('poll, 2 rounds')
    expect(rows).toEqual(['| app ms | 25 ms | 30 ms | 0.75 | 0.5 to 1 |'])
  })

  test('says if there is nothing that both measure', () => {
    expect(compared([round(10, 1)], [])).toBe('poll: nothing that both commits measure')
    expect(compared([round(10, 1)], [{ app: { other: 1 } }])).toMatch(/nothing/)
  })
})

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

describe('the last line', () => {
  const good = judge(target, [round(1, 1)])
  const bad = judge(target, [round(2, 1)])
  const other = judge({ ...target, goal: 'b' }, [round(1, 1)])

  test('counts a goal as met when each of its targets is', () => {
    expect(summary([good, bad, other], [])).toBe('1 of 2 goals met, 0 of 0 guards hold')
    const failed = { ...target, goal: 'c' }
    expect(summary([good, other], [target, failed])).toMatch(/^1 of 3 goals met/)
  })

  test('counts guards apart, each by itself', () => {
    const guard = { ...target, isGuard: true }
    const guards = [judge(guard, [round(2, 1)]), judge(guard, [round(1, 1)])]
    expect(summary([good, ...guards], [])).toBe('1 of 1 goals met, 1 of 2 guards hold')
    expect(summary([good, ...guards], [guard])).toBe('1 of 1 goals met, 1 of 3 guards hold')
  })

  test('leaves out what nothing is asked of', () => {
    const { atMost: _limit, ...free } = { ...target, goal: 'd' }
    expect(summary([good, judge(free, [round(9, 1)])], [free])).toMatch(/^1 of 1 goals met/)
  })
})

describe('the table', () => {
  test('tells what was measured, against what, and what falls short', () => {
    const taken = (one: Target, ...rounds: Round[]) => ({
      at: '2026-03-17T14:25:00Z',
      machine: machine(),
      rounds,
      verdicts: [judge(one, rounds)],
    })
    const rows = table([taken(target, round(12, 10), round(12, 10))]).split('\n')
    expect(rows.at(-1)).toBe(
      '| a poll | a poll, wall | 12 ms | 10 ms bound | 1.2 | ≤ 1.15 | **short** | 2026-03-17, 2 |',
    )
    expect(table([taken({ ...target, isGuard: true }, round(11, 10))])).toMatch(
      /≤ 1.15 \| holds \|/,
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
