import { expect, onTestFinished, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { AttentionSettings } from '#shared/core/attention/rules.ts'
import { withOwnLimits } from '#shared/core/attention/runs/own-limits.ts'
import { limiting } from '../../../src/renderer/attention/run-limits.tsx'
import { limitItem } from '../../../src/renderer/palette/typed-items.ts'
import { BelfryWindow } from '../../../src/renderer/shell/window.tsx'
import { dismissToast, shownToast } from '../../../src/renderer/toast.ts'
import { appState, go } from '../../../src/renderer/window-state.ts'
import * as eg from '../../support/eg.ts'
import { mount, withBridge, withState } from '../mount.ts'

const check = eg.check({ name: 'db-backup' })
const place = { accountId: eg.opsId, checkId: check.id }

function show() {
  const bridge = withBridge({ run: () => ({ flips: [], pings: [] }) })
  withState(eg.state({ boards: new Map([[eg.opsId, eg.board([check])]]) }))
  onTestFinished(() => {
    limiting.value = null
    dismissToast()
  })
  mount(<BelfryWindow />)
  go({ view: 'check', ...place })
  return () =>
    bridge
      .inputsOf('updateSettings')
      .map((input) => (input as { attention: AttentionSettings }).attention.rules)
}

test('the page of a check sets limits for its runs, shows them, and takes them back', async () => {
  const saved = show()
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Run times…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Run times of db-backup' })
  await dialog.getByRole('textbox', { name: /Too long/ }).fill('soon')
  await userEvent.keyboard('{Enter}')
  await expect.element(dialog.getByText(/Type whole minutes/)).toBeVisible()
  expect(saved()).toEqual([])
  await dialog.getByRole('textbox', { name: /Too long/ }).fill('2 h')
  await dialog.getByRole('textbox', { name: /Too short/ }).fill('never')
  await userEvent.keyboard('{Enter}')
  await expect.element(dialog).not.toBeInTheDocument()
  expect(saved()).toMatchObject([
    [
      {
        ...place,
        kinds: ['tooLong', 'tooShort'],
        way: null,
        longerMinutes: 120,
        shorterMinutes: 0,
      },
    ],
  ])
  expect(shownToast.value?.text).toBe(
    'Limits for runs of db-backup: longer than 2 h, never shorter.',
  )
  await shownToast.value?.action?.act()
  await expect.poll(saved).toMatchObject([{}, []])

  const { settings } = appState.value
  const limits = { longerMinutes: 120, shorterMinutes: null }
  const attention = withOwnLimits(settings.attention, place, limits, 'own')!
  appState.value = { ...appState.value, settings: { ...settings, attention } }
  await expect.element(page.getByText('Tells of runs longer than 2 h')).toBeVisible()
  await page.getByRole('button', { name: 'Change the limits for its runs' }).click()
  await expect.element(dialog.getByRole('textbox', { name: /Too long/ })).toHaveValue('2 h')
})

test('the palette sets one from a line', async () => {
  const saved = show()
  const [item, ...others] = limitItem('db-backup longer than 90 min')
  expect(item?.title).toBe('Tell of a run of db-backup that is longer than 1 h 30 min')
  expect(others).toEqual([])
  expect(limitItem('db-backup longer')).toEqual([])
  expect(item?.action.does).toBe('here')
  if (item?.action.does === 'here') await item.action.act()
  await expect.poll(saved).toMatchObject([[{ ...place, longerMinutes: 90 }]])
})
