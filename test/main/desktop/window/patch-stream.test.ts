import { serialize } from 'node:v8'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createPatchStream } from '../../../../src/main/desktop/window/patch-stream.ts'
import { applyPatch, type Patch, patchBetween } from '../../../../src/shared/core/patch.ts'
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
  test('are sent at once while they are small', () => {
    const it = line()
    it.push(text('one'))
    it.push(text('two'))
    expect(it.sent).toEqual([
      { part: text('one'), isLast: true },
      { part: text('two'), isLast: true },
    ])
    expect(it.onLarge).not.toHaveBeenCalled()
  })

  test('let other work run between the parts of a large one, and keep their order', () => {
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

  test('keep their order if one is pushed while another is being sent', () => {
    const sent: Patch[] = []
    const made = createPatchStream({
      send: (part) => {
        if (part === first) made.push(text('second'))
        sent.push(part)
      },
      onLarge: () => undefined,
    })
    const first = text('first')
    made.push(first)
    vi.runAllTimers()
    expect(sent).toEqual([first, text('second')])
  })

  test('contain a few long messages or many short ones', () => {
    const messages = Array.from({ length: 40 }, (_, n) =>
      eg.message({ html: n % 4 === 0 ? 'x'.repeat(512 * 1024) : 'x' }),
    )
    const realm = eg.realm(messages)
    const state = eg.state({ realms: new Map([[realm.accountId, realm]]) })
    for (const patch of [[{ path: [], value: state }], patchBetween(emptyState, state)]) {
      const it = line()
      it.push(patch)
      vi.runAllTimers()
      const parts = it.sent.map(({ part }) => part)
      expect(parts.length).toBeGreaterThan(4)
      for (const part of parts) expect(serialize(part).length).toBeLessThan(1_200_000)
      expect(applyPatch(emptyState, parts.flat())).toEqual(state)
      expect(it.onLarge).toHaveBeenCalledTimes(1)
    }
  })

  test('for a page that is gone are not sent to the next one', () => {
    const it = line()
    it.push([{ path: [], value: large }])
    it.clear()
    vi.runAllTimers()
    expect(it.sent).toHaveLength(1)
    it.push(text('new'))
    expect(it.sent.at(-1)?.isLast).toBe(true)
  })
})
