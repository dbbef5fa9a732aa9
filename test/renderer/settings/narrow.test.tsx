import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { SettingsView } from '../../../src/renderer/settings/settings-view.tsx'
import * as eg from '../../support/eg.ts'
import { mount, withBridge, withState } from '../mount.ts'

const boxOf = (element: Element | null) => element!.getBoundingClientRect()

test.each([200, 360, 420])('words of a setting keep half of a line %i px wide', async (width) => {
  withBridge()
  const watched = eg.check({
    name: 'a-check-with-quite-a-long-name',
    schedule: { kind: 'period', periodSeconds: 300 },
  })
  withState(eg.state({ boards: new Map([[eg.opsId, eg.board([watched])]]) }))
  const shown = mount(
    <div style={{ width: `${width}px`, height: '560px' }}>
      <SettingsView />
    </div>,
  )
  const control = page.getByRole('combobox', { name: 'Watch Belfry itself' })
  await expect.element(control).toBeInTheDocument()
  const words = [...shown.element().querySelectorAll('.setting > :first-child')]
  expect(words.length).toBeGreaterThan(10)
  for (const one of words)
    expect(boxOf(one).width).toBeGreaterThanOrEqual(
      Math.max(140, boxOf(one.parentElement).width / 2),
    )
  const setting = control.element().closest('.setting')
  expect(boxOf(control.element()).top).toBeGreaterThan(boxOf(setting!.firstElementChild).bottom)
  expect(boxOf(control.element()).right).toBeCloseTo(boxOf(setting).right, 0)
})

test('the fields for shortcuts look like any other field', async () => {
  withBridge()
  withState(eg.state({}))
  mount(<SettingsView />)
  const field = page.getByRole('textbox', { name: 'Open board' })
  await expect.element(field).toBeInTheDocument()
  const search = page.getByRole('searchbox').or(page.getByRole('textbox')).first().element()
  for (const part of ['height', 'borderRadius', 'borderTopColor', 'backgroundColor'] as const)
    expect(getComputedStyle(field.element())[part]).toBe(getComputedStyle(search)[part])
})
