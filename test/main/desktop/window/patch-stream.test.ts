import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createPatchStream } from '../../../../src/main/desktop/window/patch-stream.ts'
import { applyPatch, type Patch } from '../../../../src/shared/core/patch.ts'
import { emptyState } from '../../../../src/shared/core/state.ts'
import * as eg from '../../../support/eg.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function line() {
  const sent: { part: Patch; isLast: boolean }[] = []
  const onLarge = vi.fn()
  const made = createPatchStream({ send: (part, isLast) => sent.push({ part, isLast }), onLarge })
  return { ...made, sent, onLarge }
}

const large = eg.state({
  boards: new Map([[eg.opsId, eg.board(Array.from({ length: 3_000 }, () => eg.check()))]]),
})
const text = (value: string): Patch => [{ path: ['drafts', 'a'], value }]

describe('patches on their way to a window', () => {
  test('are handed over at once while they are small', () => {
    const it = line()
    it.push(text('one'))
    it.push(text('two'))
    expect(it.sent).toEqual([
      { part: text('one'), isLast: true },
      { part: text('two'), isLast: true },
    ])
    expect(it.onLarge).not.toHaveBeenCalled()
  })

  test('give others their turn between the parts of a large one, and keep their order', () => {
    const it = line()
    it.push([{ path: [], value: large }])
    it.push(text('after'))
    expect(it.sent).toHaveLength(1)
    expect(it.onLarge).toHaveBeenCalledTimes(1)
    vi.runAllTimers()
    expect(it.sent.filter(({ isLast }) => isLast)).toHaveLength(2)
    expect(it.sent.at(-1)).toEqual({ part: text('after'), isLast: true })
    const seen = applyPatch(
      emptyState,
      it.sent.slice(0, -1).flatMap(({ part }) => part),
    )
    expect(seen).toEqual(large)
  })

  test('that were for a page that is gone are not sent to the next one', () => {
    const it = line()
    it.push([{ path: [], value: large }])
    it.clear()
    vi.runAllTimers()
    expect(it.sent).toHaveLength(1)
    it.push(text('new'))
    expect(it.sent.at(-1)?.isLast).toBe(true)
  })
})
