import { describe, expect, test } from 'vitest'
import { applyPatch } from '../../src/shared/core/patch.ts'
import { partsOf } from '../../src/shared/core/patch-parts.ts'
import { emptyState } from '../../src/shared/core/state.ts'
import * as eg from '../support/eg.ts'

const large = eg.state({
  boards: new Map([
    [eg.opsId, eg.board(Array.from({ length: 2_500 }, () => eg.check()))],
    ['web', { ...eg.board([eg.check()]), accountId: 'web' }],
  ]),
})

describe('a patch in parts', () => {
  test('leads to the same state in the same order, and none of its parts is large', () => {
    const parts = partsOf([{ path: [], value: large }])
    expect(parts.length).toBeGreaterThan(2)
    for (const part of parts) expect(part.length).toBeLessThanOrEqual(1_000)
    const seen = applyPatch(emptyState, parts.flat())
    expect(seen).toEqual(large)
    expect([...(seen.boards.get(eg.opsId)?.checks.keys() ?? [])]).toEqual([
      ...(large.boards.get(eg.opsId)?.checks.keys() ?? []),
    ])
  })

  test('leaves small edits as they are, those that drop something too', () => {
    const patch = [
      { path: ['boards', 'web'], drop: true },
      { path: ['drafts', 'a'], value: 'text' },
    ] as const
    expect(partsOf(patch)).toEqual([patch])
  })
})
