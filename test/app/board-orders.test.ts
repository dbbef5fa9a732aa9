import { expect, test, vi } from 'vitest'
import { createCommandHandler } from '../../src/main/desktop/window/command-handler.ts'
import type { Check } from '../../src/shared/core/checks/check.ts'
import { boardView } from '../../src/shared/core/views/board-view.ts'
import { parseCheckFilter } from '../../src/shared/core/views/check-filter.ts'
import { startApp } from '../support/app.ts'
import * as eg from '../support/eg.ts'

/** Adds an order: one row of the table, and nothing else. */
vi.mock('../../src/shared/core/checks/board-orders.ts', async (importOriginal) => {
  const original = await importOriginal<{ boardOrders: object; boardOrderChoices: object[] }>()
  const pings = {
    label: 'Most pinged',
    compare: (a: Check, b: Check) => b.pingCount - a.pingCount,
  }
  return {
    ...original,
    boardOrders: { ...original.boardOrders, pings },
    boardOrderChoices: [...original.boardOrderChoices, ['pings', pings.label]],
  }
})

test('an order added to the table sorts the board, and survives a closed window, the disk and a restart', async () => {
  const it = await startApp()
  const call = createCommandHandler(
    () => it.app.commands,
    () => undefined,
  )
  expect(await call('updateSettings', { sortBy: 'luck' })).toMatchObject({
    ok: false,
    failure: { kind: 'invalid', field: 'sortBy' },
  })
  expect(await call('updateSettings', { sortBy: 'pings' })).toMatchObject({ ok: true })
  const again = await it.restart()
  const { sortBy } = again.app.state.settings
  expect(sortBy).toBe('pings')
  const checks = [1, 3, 2].map((pingCount) => eg.check({ pingCount }))
  const { rows } = boardView([eg.account()], new Map([[eg.opsId, eg.board(checks)]]), {
    filter: parseCheckFilter(''),
    groupBy: 'none',
    sortBy,
    folds: new Map(),
    silences: [],
    pins: [],
    now: eg.now,
  })
  expect([...rows].map((row) => row.kind === 'check' && row.check.pingCount)).toEqual([3, 2, 1])
  await again.app.stop()
})
