import { describe, expect, test } from 'vitest'
import { compare } from './compare.ts'

describe('the catalogue', () => {
  test('has every operation and field of both documents, each in the palette and with a conformance case', () => {
    const { operations, fields, missing } = compare()
    expect(missing).toEqual([])
    expect(operations).toEqual({ held: 41, all: 41 })
    expect(fields.held).toBe(fields.all)
  })

  test('is found wanting where it is', () => {
    const { operations, fields, missing } = compare([
      { title: 'Delete a check', address: 'DELETE /api/v3/checks/{uuid}', fields: 'uuid reason' },
      { title: 'Brew coffee', address: 'POST /api/v3/coffee/', fields: 'strength' },
    ])
    expect(operations).toEqual({ held: 0, all: 2 })
    expect(fields).toEqual({ held: 1, all: 3 })
    expect(missing.slice(0, 2)).toEqual([
      'Delete a check: lacks reason',
      'Brew coffee: not in the catalogue',
    ])
  })
})
