import { expect, test } from './fixtures.ts'

test.describe('the tray menu', () => {
  test.use({ appArguments: ['--demo'] })

  test('snoozes a check, shows it as snoozed, and ends that again', async ({ window, desktop }) => {
    await expect(window.getByRole('treeitem', { name: /db-backup/ })).toBeVisible()
    const item = await desktop.items.waitFor(() => true)
    const tooltip = async (): Promise<string> => String(await desktop.trayProperty(item, 'Title'))
    const labels = async (): Promise<string> =>
      (await desktop.menu(item)).map(({ label }) => label ?? '—').join('\n')
    await expect.poll(labels).toContain('db-backup (down')
    await desktop.clickMenu(item, 'db-backup', 'Snooze 1 h')
    await expect.poll(labels).toMatch(/Snoozed and acknowledged\ndb-backup \(snoozed until/)
    await expect.poll(tooltip).toContain('1 snoozed')
    await desktop.clickMenu(item, 'db-backup', 'End')
    await expect.poll(labels).toContain('db-backup (down')
    await expect.poll(tooltip).not.toContain('snoozed')
  })

  test('turns do-not-disturb on and off', async ({ window, desktop }) => {
    await expect(window.getByRole('treeitem', { name: /db-backup/ })).toBeVisible()
    const item = await desktop.items.waitFor(() => true)
    const tooltip = async (): Promise<string> => String(await desktop.trayProperty(item, 'Title'))
    await desktop.clickMenu(item, 'Do not disturb', 'For 1 hour')
    await expect.poll(tooltip).toContain('quiet until')
    await expect
      .poll(async () => (await desktop.menu(item)).map(({ label }) => label).join('\n'))
      .toContain('Do not disturb (until')
    await desktop.clickMenu(item, 'Do not disturb', 'End now')
    await expect.poll(tooltip).not.toContain('quiet')
  })
})

test.describe('a desktop without a tray', () => {
  test.use({ desktopParts: { watcher: false } })

  test('gets the window, a hint, and the icon when a tray comes', async ({ window, desktop }) => {
    const hint = window.getByText(/AppIndicator and KStatusNotifierItem Support/)
    await expect(hint).toBeVisible({ timeout: 20_000 })
    await desktop.serveWatcher()
    await desktop.items.waitFor(() => true)
    await expect(hint).toBeHidden()
  })
})
