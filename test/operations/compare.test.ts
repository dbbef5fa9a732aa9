import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { catalogue } from '../../src/shared/api/catalogue.ts'
import { compare } from './compare.ts'

const api = join(import.meta.dirname, '../../src/shared/api')

describe('the catalogue', () => {
  test('has every operation and field of both documents, each in the palette and with a conformance case', () => {
    const { operations, fields, missing } = compare()
    expect(missing).toEqual([])
    expect(operations.held).toBe(operations.all)
    expect(operations.all).toBeGreaterThan(40)
    expect(fields.held).toBe(fields.all)
  })

  test('has every declared operation, each under a name that no other has', async () => {
    const declared: string[] = []
    for await (const file of glob(join(api, '*', '*-operations.ts'))) {
      const module = (await import(file)) as Record<string, object>
      for (const [name, operations] of Object.entries(module))
        if (name.endsWith('Operations') && name !== 'chatOperations')
          declared.push(...Object.keys(operations))
    }
    expect(declared.sort()).toEqual(Object.keys(catalogue).sort())
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
