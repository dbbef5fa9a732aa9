import fc from 'fast-check'
import { safeParse } from 'valibot'
import { describe, expect, test } from 'vitest'
import { defaultFields } from '../../src/main/demo/project-check.ts'
import { isPlainCheck } from '../../src/shared/api/plain-check.ts'
import { wireCheck } from '../../src/shared/api/read-check.ts'

const plain = {
  ...defaultFields,
  name: 'db-backup',
  status: 'up',
  tags: 'prod db',
  n_pings: 12,
  started: false,
  last_ping: null,
  next_ping: null,
  last_duration: 3,
  badge_url: 'https://hc.example/b/2/x.svg',
  schedule: '0 3 * * *',
  uuid: '0c8b1f2e-5d3a-4c1b-9e7f-a1b2c3d4e5f6',
  unique_key: null,
  update_url: 'https://hc.example/api/v3/checks/0c8b1f2e',
  ping_url: null,
  channels: 'one,two',
}

/** Around each limit there is, and of each type that JSON has. */
const lengths = [0, 1, 199, 200, 201, 999, 1_000, 1_001, 2_000, 2_001, 2_048, 2_049, 5_001, 50_001]
const oddValue = fc.oneof(
  fc.constantFrom(null, undefined, true, false, -0, 1e11, -1e11, 1e11 + 1, -1e11 - 1),
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, {}, [], ['a'], '1', ''),
  fc.constantFrom(...lengths).map((length) => 'x'.repeat(length)),
  fc.constantFrom(...lengths).map((length) => '😀'.repeat(Math.ceil(length / 2))),
  fc.jsonValue(),
)
const names = Object.keys(wireCheck.entries)
const oddFields = fc.dictionary(fc.constantFrom(...names, 'more', '__proto__'), oddValue, {
  maxKeys: 3,
})

describe('a check that is plain', () => {
  test('is one that the schema takes and changes nothing in', () => {
    let taken = 0
    fc.assert(
      fc.property(oddFields, fc.subarray(names, { maxLength: 1 }), (odd, missing) => {
        const item: Record<string, unknown> = { ...plain, ...odd }
        for (const name of missing) Reflect.deleteProperty(item, name)
        if (!isPlainCheck(item)) return
        taken += 1
        const read = safeParse(wireCheck, item)
        expect(read.success).toBe(true)
        for (const name of names)
          expect(Reflect.get(Object(read.output), name)).toBe(Reflect.get(item, name))
      }),
      { seed: 20_261_122, numRuns: 5_000 },
    )
    expect(taken).toBeGreaterThan(500)
  })

  test('has each field that the schema knows within its limits', () => {
    for (const name of names)
      for (const wrong of [Symbol('no JSON'), [], {}])
        expect([name, isPlainCheck({ ...plain, [name]: wrong })]).toEqual([name, false])
  })

  test('is what a service lists, with either kind of key', () => {
    const { uuid: _uuid, update_url: _update, channels: _channels, ...reduced } = plain
    expect(isPlainCheck(plain)).toBe(true)
    expect(isPlainCheck({ ...reduced, unique_key: 'e4e56f469e82fd75' })).toBe(true)
  })

  test.each([null, undefined, 5, 'text', [], {}])('is not %o', (item) => {
    expect(isPlainCheck(item)).toBe(false)
  })
})
