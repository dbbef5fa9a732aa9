import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { Dialog } from '../../../src/renderer/parts/dialog.tsx'
import { Menu } from '../../../src/renderer/parts/menu-button.tsx'
import { mount, withBridge } from '../mount.ts'

const boxOf = (element: Element) => element.getBoundingClientRect()

test('a long name without spaces wraps in a menu', () => {
  mount(
    <Menu
      label="Row"
      items={[{ label: `Snooze ${'long'.repeat(40)}…`, hint: 's', act: () => {} }]}
      close={() => {}}
    />,
  )
  const menu = page.getByRole('menu').element()
  expect(menu.scrollWidth).toBe(menu.clientWidth)
})

test('a dialog with a title of several lines has its button to close at the top', () => {
  withBridge()
  mount(
    <Dialog title={`Snooze ${'long '.repeat(40)}`} onClose={() => {}}>
      <p>Until when?</p>
    </Dialog>,
  )
  const title = boxOf(page.getByRole('heading').element())
  const close = boxOf(page.getByRole('button', { name: 'Close' }).element())
  expect(title.height).toBeGreaterThan(60)
  expect(close.top).toBeCloseTo(title.top, 0)
})
