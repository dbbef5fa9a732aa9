import { expect, onTestFinished, test } from 'vitest'
import type { Freshness } from '#shared/core/account.ts'
import type { AppState } from '#shared/core/state.ts'
import { onceShown } from '../../../src/renderer/parts/once-shown.ts'
import { rest, restAfterChecks } from '../../../src/renderer/shell/views.ts'
import { appState } from '../../../src/renderer/window-state.ts'
import * as eg from '../../support/eg.ts'
import { withState } from '../mount.ts'

const aFrameLater = () =>
  new Promise<void>((resolve) => {
    onceShown(resolve, 1_000)
  })

function asRead(freshness: Partial<Freshness>): AppState {
  const board = eg.board([eg.check()])
  const boards = new Map([
    [eg.opsId, { ...board, freshness: { ...board.freshness, ...freshness } }],
  ])
  return { ...eg.state(), boards }
}

test('the other views are loaded once the checks were read, or could not be', async () => {
  withState(asRead({ readAt: null, lastFailure: null }))
  onTestFinished(restAfterChecks())
  await aFrameLater()
  expect(rest.loaded.value).toBeNull()
  appState.value = asRead({
    readAt: null,
    lastFailure: { failure: { kind: 'serverFault', httpStatus: 502 }, at: 1 },
  })
  await expect.poll(() => rest.loaded.value).not.toBeNull()
})
