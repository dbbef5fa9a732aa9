import { expect, onTestFinished, test } from 'vitest'
import { page } from 'vitest/browser'
import { asking, checkScope } from '../../../src/renderer/attention/quiet-menu.tsx'
import { rest } from '../../../src/renderer/shell/views.ts'
import { BelfryWindow } from '../../../src/renderer/shell/window.tsx'
import * as eg from '../../support/eg.ts'
import { mount, withBridge, withState } from '../mount.ts'

test('a snooze requested before the other views are loaded loads them', async () => {
  withBridge()
  withState(eg.state())
  mount(<BelfryWindow />)
  await expect.element(page.getByRole('tree', { name: 'Checks' })).toBeVisible()
  expect(rest.loaded.value).toBeNull()
  asking.value = { scope: checkScope(eg.opsId, eg.check()), name: 'db-backup' }
  onTestFinished(() => {
    asking.value = null
  })
  await expect.element(page.getByRole('button', { name: /For 30 min/ })).toBeVisible()
})
