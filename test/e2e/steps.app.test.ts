import type { Locator } from 'playwright/test'
import { expect, test } from './fixtures.ts'

/** Counts clicks and keys; letters that are typed are not steps. */
function counting(press: (key: string) => Promise<void>) {
  let steps = 0
  return {
    click: async (what: Locator) => {
      steps += 1
      await what.click()
    },
    press: async (key: string) => {
      steps += 1
      await press(key)
    },
    /** Says how many there were. */
    said: (what: string): number => {
      process.stdout.write(`${what}: ${steps} steps\n`)
      return steps
    },
  }
}

test.describe('in the demo', () => {
  test.use({ appArguments: ['--demo'] })

  test('quiet nights that let #prod through take at most six steps', async ({ window }) => {
    const step = counting((key) => window.keyboard.press(key))
    await expect(window.getByRole('treeitem', { name: /db-backup/ })).toBeVisible()
    await step.press('Control+k')
    await window.keyboard.type('quiet hours')
    await expect(window.getByRole('option').first()).toBeVisible()
    await step.press('Enter')
    await expect(window.getByRole('heading', { name: 'Notification rules' })).toBeVisible()
    await step.click(window.getByRole('switch', { name: 'Stay quiet at certain hours' }))
    await step.click(window.getByRole('button', { name: 'Let #prod through' }))
    await step.click(window.getByRole('button', { name: 'Save', exact: true }))
    await expect(window.getByText('Saved.')).toBeVisible()
    const days = window.getByRole('group', { name: 'Quiet hours 1' }).getByRole('checkbox')
    for (const day of await days.all()) await expect(day).toBeChecked()
    expect(step.said('quiet nights with #prod through')).toBeLessThanOrEqual(6)
  })

  test('a crontab is imported by at most three keys and its text', async ({ window }) => {
    const step = counting((key) => window.keyboard.press(key))
    await expect(window.getByRole('treeitem', { name: /db-backup/ })).toBeVisible()
    await step.press('Control+k')
    await window.keyboard.type('crontab')
    await expect(window.getByRole('option', { name: /Import a crontab/ }).first()).toBeVisible()
    await step.press('Enter')
    await expect(window.getByLabel('Crontab', { exact: true })).toBeFocused()
    await window.keyboard.insertText('# Tape change\n0 3 * * * /opt/tape\n')
    await expect(window.getByRole('button', { name: 'Create 1 check' })).toBeVisible()
    await step.press('Control+Enter')
    await expect(window.getByText('Created 1 check.')).toBeVisible()
    expect(step.said('a crontab')).toBeLessThanOrEqual(3)
  })

  test('maintenance every Sunday at 02:00 takes at most two keys and the line', async ({
    window,
  }) => {
    const step = counting((key) => window.keyboard.press(key))
    await expect(window.getByRole('treeitem', { name: /db-backup/ })).toBeVisible()
    await step.press('Control+k')
    await window.keyboard.type('#prod every Sunday 2:00 for 2 h')
    const plan = window.getByRole('option', { name: /^Plan maintenance of #prod every Sunday/ })
    await expect(plan).toBeVisible()
    await step.press('Enter')
    await expect(window.getByText(/^Planned maintenance of #prod every Sunday/)).toBeVisible()
    expect(step.said('maintenance every Sunday at 02:00')).toBeLessThanOrEqual(2)
    await window.keyboard.press('m')
    const planned = window.getByRole('region', { name: 'Planned' })
    await expect(planned.getByText(/, next on /)).toBeVisible()
    await window.keyboard.press('Escape')
  })

  test('a check depends on another after at most two keys and the line, and says why it is quiet', async ({
    window,
  }) => {
    const step = counting((key) => window.keyboard.press(key))
    const row = window.getByRole('treeitem', { name: /invoices-nightly/ })
    await expect(row).toBeVisible()
    await step.press('Control+k')
    await window.keyboard.type('invoices-nightly depends on db-backup')
    await expect(window.getByRole('option', { name: /^Keep invoices-nightly quiet/ })).toBeVisible()
    await step.press('Enter')
    await expect(
      window.getByText('invoices-nightly is quiet while db-backup is down.'),
    ).toBeVisible()
    expect(step.said('a check depends on another')).toBeLessThanOrEqual(2)
    await expect(row).toContainText('because db-backup is down')
    await row.dblclick()
    await expect(window.getByText('Quiet because db-backup is down')).toBeVisible()
    await window.getByRole('button', { name: /^Remove: invoices-nightly/ }).click()
    await expect(window.getByText('Quiet because db-backup is down')).toBeHidden()
  })

  test('do not disturb is one click, on and off', async ({ window }) => {
    const step = counting((key) => window.keyboard.press(key))
    const toggle = window.getByRole('button', { name: 'Do not disturb' })
    await step.click(toggle)
    await expect(window.getByText(/^Do not disturb until /)).toBeVisible()
    expect(step.said('do not disturb')).toBe(1)
    await toggle.click()
    await expect(window.getByText(/^Do not disturb until /)).toHaveCount(0)
  })
})

for (const [where, watcher] of [
  ['with a tray', true],
  ['without a tray', false],
] as const)
  test.describe(where, () => {
    test.use({ appArguments: ['--demo'], desktopParts: { watcher } })

    test('quitting takes at most two clicks', async ({ belfry, window }) => {
      const step = counting((key) => window.keyboard.press(key))
      await expect(window.getByRole('treeitem', { name: /db-backup/ })).toBeVisible()
      const code = await belfry.endedBy(async () => {
        await step.click(window.getByRole('button', { name: 'More', exact: true }))
        await step.click(window.getByRole('menuitem', { name: /^Quit/ }))
      })
      expect(code).toBe(0)
      expect(step.said(`quit ${where}`)).toBeLessThanOrEqual(2)
    })
  })
