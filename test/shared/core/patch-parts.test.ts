import { describe, expect, test } from 'vitest'
import { partsOf } from '../../../src/main/desktop/window/patch-stream.ts'
import { withChecks } from '../../../src/shared/core/checks/board-update.ts'
import { applyPatch, patchBetween } from '../../../src/shared/core/patch.ts'
import { emptyState } from '../../../src/shared/core/state.ts'
import * as eg from '../../support/eg.ts'

const large = eg.state({
  boards: new Map([
    [eg.opsId, eg.board(Array.from({ length: 2_500 }, () => eg.check()))],
    ['web', { ...eg.board([eg.check()]), accountId: 'web' }],
  ]),
})

describe('a patch in parts', () => {
  test('leads to the same state in the same order, and no part is large', () => {
    const parts = partsOf([{ path: [], value: large }])
    expect(parts.length).toBeGreaterThan(2)
    for (const part of parts)
      for (const edit of part)
        expect('set' in edit ? edit.set.length : 0).toBeLessThanOrEqual(1_000)
    const seen = applyPatch(emptyState, parts.flat())
    expect(seen).toEqual(large)
    expect([...(seen.boards.get(eg.opsId)?.checks.keys() ?? [])]).toEqual([
      ...(large.boards.get(eg.opsId)?.checks.keys() ?? []),
    ])
  })

  test('leaves small edits alone, including those that drop something', () => {
    const patch = [
      { path: ['boards'], set: [], change: [], drop: ['web'] },
      { path: ['drafts', 'a'], value: 'text' },
    ] as const
    expect(partsOf(patch)).toEqual([patch])
  })

  test('also splits a storm of changes, without altering it', () => {
    const checks = [...(large.boards.get(eg.opsId)?.checks.values() ?? [])]
    const after = withChecks(large, eg.opsId, {
      checks: checks.map((check) => ({ ...check, status: 'down' as const })),
      unreadable: 0,
      at: eg.now,
      intervalMs: 60_000,
      serverOffsetMs: 0,
    })
    const parts = partsOf(patchBetween(large, after))
    expect(parts.length).toBeGreaterThan(2)
    expect(applyPatch(large, parts.flat())).toEqual(after)
  })
})
