import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { Button } from '../../../src/renderer/parts/button.tsx'
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

test('quiet buttons that wrap are aligned with those above', () => {
  mount(
    <div style={{ width: '200px', paddingInline: '20px' }}>
      <div class="button-row">
        {['Replace key', 'Rename', 'Remove'].map((name) => (
          <Button key={name} kind="quiet">
            {name}
          </Button>
        ))}
      </div>
    </div>,
  )
  const boxes = ['Replace key', 'Rename'].map((name) =>
    boxOf(page.getByRole('button', { name }).element()),
  )
  expect(boxes[1]!.top).toBeGreaterThan(boxes[0]!.top)
  expect(boxes[1]!.left).toBe(boxes[0]!.left)
})
