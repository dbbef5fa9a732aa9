import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { changesBetween, differenceOf } from '../../../src/shared/core/map-difference.ts'

const someMap = fc
  .array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('up', 'down', 'paused')))
  .map((entries) => new Map(entries))

describe('the changes between two maps', () => {
  test('have the old and the new values', () => {
    fc.assert(
      fc.property(someMap, someMap, (before, after) => {
        const { changed, gone } = differenceOf(before, after)
        expect(changesBetween(before, after)).toEqual([
          ...changed.map((key) => ({ key, was: before.get(key), is: after.get(key) })),
          ...gone.map((key) => ({ key, was: before.get(key), is: undefined })),
        ])
        const keys = [...new Set([...before.keys(), ...after.keys()])]
        expect(new Set([...changed, ...gone])).toEqual(
          new Set(keys.filter((key) => before.get(key) !== after.get(key))),
        )
      }),
      { seed: 20_261_122, numRuns: 300 },
    )
  })

  test('are those from the requested map, whichever was requested before', () => {
    const one = new Map([['a', 1]])
    const other = new Map([['a', 2]])
    const after = new Map([['a', 2]])
    expect(changesBetween(one, after)).toEqual([{ key: 'a', was: 1, is: 2 }])
    expect(changesBetween(other, after)).toEqual([])
    expect(changesBetween(one, after)).toHaveLength(1)
  })
})
