import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ascending, hasId, idsBeyond, withId } from '../../../src/shared/core/id-list.ts'

const some = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 20 })
const one = fc.integer({ min: -1, max: 41 })

test('an id is found if and only if it is in the list', () => {
  fc.assert(
    fc.property(some, one, (given, id) => {
      expect(hasId(ascending(given), id)).toBe(given.includes(id))
    }),
  )
})

test('ids stay sorted and unique, whatever is added and removed', () => {
  fc.assert(
    fc.property(some, one, fc.boolean(), (given, id, present) => {
      const others = new Set(given.filter((other) => other !== id))
      const expected = [...others, ...(present ? [id] : [])].sort((a, b) => a - b)
      expect(withId(ascending(given), id, present)).toEqual(expected)
    }),
  )
})

test('idsBeyond gives the ids that are not in the other list', () => {
  fc.assert(
    fc.property(some, some, (given, others) => {
      const expected = ascending(given).filter((id) => !others.includes(id))
      expect(idsBeyond(ascending(given), ascending(others))).toEqual(expected)
    }),
  )
})
