import { expect, onTestFinished, test } from 'vitest'
import { page } from 'vitest/browser'
import { SettingsView } from '../../../src/renderer/settings/settings-view.tsx'
import { dismissToast, shownToast } from '../../../src/renderer/toast.ts'
import * as eg from '../../support/eg.ts'
import { mount, withBridge, withState } from '../mount.ts'

test('an imported file says what of its rules is not in effect here', async () => {
  onTestFinished(dismissToast)
  withBridge({ importSettings: () => ({ before: {}, strangers: 1, programs: 2 }) })
  withState(eg.state())
  mount(<SettingsView />)
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await expect
    .poll(() => shownToast.value?.text)
    .toBe(
      'The settings were imported. 1 rule names an account that is not here. 2 rules have lost their programs: choose them again in the rules, as no file brings one.',
    )
})
