import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Fall,
  fallenTogether,
} from '../../../../../src/shared/core/attention/dependencies/suggestions.ts'
import { lookMarkdown } from '../../../../../src/shared/core/checks/weekly-look.ts'

const hour = 3_600_000
const fall = (name: string, at: number, accountId = 'ops'): Fall => ({
  ...{ accountId, checkId: `id of ${name}`, name, at },
})
/** Each of these names goes down at these hours, so many seconds after the full hour. */
const falls = (name: string, seconds: readonly number[]) =>
  seconds.map((second, n) => fall(name, (n + 1) * hour + second * 1_000))

const said = (list: readonly Fall[]) =>
  fallenTogether(list).map(({ name, words }) => `${name} ${words}`)

describe('checks that go down together', () => {
  test('may depend on the one that is most often the first, from the third time on', () => {
    const both = [...falls('gateway', [0, 0, 5]), ...falls('db', [20, 50, 0])]
    expect(said(both)).toEqual(['db down within a minute of gateway, 3 times'])
    expect(said(both.filter(({ at }) => at < 3 * hour))).toEqual([])
    expect(fallenTogether(both)).toMatchObject([
      {
        ...{ kind: 'together', accountId: 'ops', checkId: 'id of db' },
        change: { do: 'depend', on: { accountId: 'ops', checkId: 'id of gateway' } },
      },
    ])
  })

  test.each([
    ['a minute apart', falls('db', [60, 60, 60]), ['db down within a minute of gateway, 3 times']],
    [
      'after two others, of which one is the first more often',
      [...falls('a-switch', [-1, 1, 1]), ...falls('db', [5, 5, 5])],
      ['db', 'a-switch'].map((name) => `${name} down within a minute of gateway, 3 times`),
    ],
    ['more than a minute apart', falls('db', [61, 61, 61]), []],
    ['two of three times', falls('db', [5, 5]), []],
    [
      'of another project',
      falls('db', [5, 5, 5]).map((one) => ({ ...one, accountId: 'web' })),
      ['db down within a minute of gateway, 3 times'],
    ],
    ['twice in the same minute', [...falls('db', [5, 5]), ...falls('db', [9, 9])], []],
  ])('%s', (_what, others, expected) => {
    expect(said([...falls('gateway', [0, 0, 0]), ...others])).toEqual(expected)
  })

  test('each depend on one other at most, and none in a circle', () => {
    const some = fc.array(
      fc.record({ name: fc.constantFrom(...'abcdef'), minute: fc.nat(20), second: fc.nat(59) }),
      { maxLength: 60 },
    )
    fc.assert(
      fc.property(some, (list) => {
        const found = fallenTogether(
          list.map(({ name, minute, second }) => fall(name, minute * hour + second * 1_000)),
        )
        const on = new Map(
          found.map(({ checkId, change }) => [
            checkId,
            change?.do === 'depend' ? change.on.checkId : '',
          ]),
        )
        expect(on.size).toBe(found.length)
        for (const start of on.keys()) {
          const path = [start]
          for (let at = on.get(start); at !== undefined; at = on.get(at)) {
            expect(path).not.toContain(at)
            path.push(at)
          }
        }
      }),
    )
  })

  test('leave for a chat with harmless names', () => {
    const both = [...falls('@**all** [x](y)', [0, 0, 0]), ...falls('db', [5, 5, 5])]
    const text = lookMarkdown(fallenTogether(both), () => 'ops', 0)
    expect(text).toContain('Down together')
    expect(text).not.toMatch(/@\*|\]\(/)
  })
})
