import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { defaultSettings } from '#shared/core/settings.ts'
import { SettingsView } from '../../../src/renderer/settings/settings-view.tsx'
import * as eg from '../../support/eg.ts'
import { mount, withBridge, withState } from '../mount.ts'

test('the icon can count one of the saved views, and says if that view is gone', async () => {
  const view = { key: '1', filter: '#prod', groupBy: 'project', sortBy: 'status' } as const
  const settings = { ...defaultSettings, views: [{ ...view, name: 'Prod' }], iconView: 'Web' }
  const bridge = withBridge()
  withState({ ...eg.state(), settings })
  mount(<SettingsView />)
  const choice = page.getByLabelText('Icon counts')
  await expect.element(choice).toMatchTextContent('All checks (“Web” is gone)')
  await userEvent.selectOptions(choice, 'Prod')
  await userEvent.selectOptions(choice, 'All checks')
  expect(bridge.inputsOf('updateSettings')).toEqual([{ iconView: 'Prod' }, { iconView: null }])
})
