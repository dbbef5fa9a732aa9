import { expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { Check } from '#shared/core/checks/check.ts'
import { Board } from '../../../src/renderer/board/check-board.tsx'
import { appState } from '../../../src/renderer/window-state.ts'
import * as eg from '../../support/eg.ts'
import { mount, withBridge, withState } from '../mount.ts'

/** Adds an order: one row of the table, and nothing else. */
vi.mock('#shared/core/checks/board-orders.ts', async (importOriginal) => {
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

function showBoard() {
  const { settings } = eg.state()
  const bridge = withBridge({
    updateSettings: (change) => {
      appState.value = {
        ...appState.value,
        settings: { ...settings, ...(change as Partial<typeof settings>) },
      }
    },
  })
  const checks = ['a', 'b', 'c'].map((name, at) => eg.check({ name, pingCount: at }))
  withState(eg.state({ boards: new Map([[eg.opsId, eg.board(checks)]]) }))
  mount(
    <div style={{ width: '420px', height: '560px' }}>
      <Board />
    </div>,
  )
  return bridge
}

const view = page.getByRole('button', { name: 'View' })
const order = (name: string) => page.getByRole('menuitemradio', { name })
const shownNames = () =>
  [...document.querySelectorAll('.check-name')].map((name) => name.textContent)

test('an order added to the table is offered next to the list, and sorts it', async () => {
  const bridge = showBoard()
  await view.click()
  await expect.element(order('Worst first')).toBeChecked()
  expect(shownNames()).toEqual(['a', 'b', 'c'])
  await order('Most pinged').click()
  await view.click()
  await expect.element(order('Most pinged')).toBeChecked()
  expect(bridge.inputsOf('updateSettings')).toEqual([{ sortBy: 'pings' }])
  expect(shownNames()).toEqual(['c', 'b', 'a'])
})

test('the order can be chosen by keyboard alone', async () => {
  showBoard()
  await expect.element(page.getByRole('tree', { name: 'Checks' })).toHaveFocus()
  await userEvent.keyboard('/{Tab}{ArrowDown}')
  await expect.element(order('By project')).toHaveFocus()
  for (let step = 0; step < 5; step += 1) await userEvent.keyboard('{ArrowDown}')
  await expect.element(order('By name')).toHaveFocus()
  await userEvent.keyboard('{Enter}')
  await expect.element(view).toHaveFocus()
  await userEvent.keyboard('{ArrowDown}')
  await expect.element(order('By name')).toBeChecked()
})
