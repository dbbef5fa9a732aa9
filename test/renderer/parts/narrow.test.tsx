import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { Menu } from '../../../src/renderer/parts/menu-button.tsx'
import { mount } from '../mount.ts'

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
