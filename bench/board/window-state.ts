import type { Bridge } from '#shared/contract.ts'
import type { Check } from '#shared/core/checks/check.ts'
import { isLargePatch, type Patch, patchBetween } from '#shared/core/patch.ts'
import { type AppState, emptyState } from '#shared/core/state.ts'
import { partsOf } from '../../src/main/desktop/window/patch-stream.ts'
import * as eg from '../../test/support/eg.ts'

const accounts = [eg.account()]

/** The state of main after reading these checks, `at` epoch ms. */
function stateWith(checks: readonly Check[], at: number): AppState {
  const freshness = { ...eg.fresh, readAt: at, nextAt: at + 60_000 }
  const board = eg.board(checks, { freshness })
  return { ...emptyState, accounts, boards: new Map([[eg.opsId, board]]) }
}

/**
 * The patch as a window receives it: made by main, split if it is large, reassembled by the
 * preload.
 */
export function patchFor(
  checks: readonly Check[],
  before: readonly Check[] | null,
  at: number,
): Patch {
  const next = stateWith(checks, at)
  const patch: Patch =
    before === null ? [{ path: [], value: next }] : patchBetween(stateWith(before, at - 1), next)
  return isLargePatch(patch) ? partsOf(patch).flat() : patch
}

/**
 * Installs a bridge to a main process that answers nothing; returns the function that pushes
 * patches through it.
 */
export function pretendBridge(): (patch: Patch) => void {
  let push: Parameters<Bridge['follow']>[0] = () => undefined
  const bridge: Bridge = {
    call: () => Promise.resolve({ ok: true, value: undefined }),
    follow: (listener) => {
      push = listener
      return () => undefined
    },
  }
  Object.defineProperty(window, 'bridge', { value: bridge })
  return (patch) => push(patch, true)
}
