import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { madeRun, RowList, type RowRun } from '../../../../src/shared/core/views/row-list.ts'

interface Row {
  readonly key: string
}

/** Rows named "a0", "a1" …; each is noted in `made` when it is made. */
function lazyRun(letter: string, count: number, made: string[] = []): RowRun<Row> {
  return {
    count,
    at: (place) => {
      made.push(`${letter}${place}`)
      return { key: `${letter}${place}` }
    },
    placeOf: (key) => (key.startsWith(letter) ? Number(key.slice(letter.length)) : -1),
  }
}

const keys = (rows: readonly Row[]) => rows.map(({ key }) => key)

describe('a list of rows', () => {
  test('presents its runs as one list', () => {
    const list = new RowList([madeRun([{ key: 'head' }]), lazyRun('a', 2), lazyRun('b', 2)])
    expect(list.length).toBe(5)
    expect(keys([...list])).toEqual(['head', 'a0', 'a1', 'b0', 'b1'])
    expect(keys(list.slice(2, 9))).toEqual(['a1', 'b0', 'b1'])
    expect(list.at(5)).toBeUndefined()
    expect(list.at(-1)).toBeUndefined()
  })

  test('has each row at its index, however many runs there are', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 4 })), (counts) => {
        const runs = counts.map((count, run) => lazyRun(`${run}/`, count))
        const flat = runs.flatMap(({ count, at }) => Array.from({ length: count }, (_, n) => at(n)))
        const list = new RowList(runs)
        expect(flat.map((_, index) => list.at(index))).toEqual(flat)
        expect(list.at(flat.length)).toBeUndefined()
      }),
    )
  })

  test('makes a row when it is first requested, and once only', () => {
    const made: string[] = []
    const list = new RowList([lazyRun('a', 10_000, made)])
    const [row] = list.slice(7_000, 7_002)
    expect(list.at(7_000)).toBe(row)
    expect(made).toEqual(['a7000', 'a7001'])
  })

  test('finds a row by its key without making any', () => {
    const made: string[] = []
    const list = new RowList([madeRun([{ key: 'head' }]), lazyRun('a', 5, made)])
    expect(list.indexOf('head')).toBe(0)
    expect(list.indexOf('a3')).toBe(4)
    expect(list.indexOf('z')).toBe(-1)
    expect(list.indexOf(null)).toBe(-1)
    expect(made).toEqual([])
  })
})
