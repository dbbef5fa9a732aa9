import type { FakeDesktop } from '../support/session-bus.ts'
import { expect, test } from './fixtures.ts'

test.describe('the tray menu', () => {
  test.use({ appArguments: ['--demo'] })

  test('snoozes a check, shows it as snoozed, and ends the snooze', async ({ window, desktop }) => {
    await expect(window.getByRole('treeitem', { name: /db-backup/ })).toBeVisible()
    const item = await desktop.items.waitFor(() => true)
    const tooltip = () => desktop.tooltip(item)
    const labels = async (): Promise<string> =>
      (await desktop.menu(item)).map(({ label }) => label ?? '—').join('\n')
    await expect.poll(labels).toContain('db-backup (down')
    await desktop.clickMenu(item, 'db-backup', 'Snooze 1 h')
    await expect.poll(labels).toMatch(/Silenced\ndb-backup \(snoozed until/)
    await expect.poll(tooltip).toContain('1 snoozed')
    await desktop.clickMenu(item, 'db-backup', 'Unsnooze')
    await expect.poll(labels).toContain('db-backup (down')
    await expect.poll(tooltip).not.toContain('snoozed')
  })

  test('turns do-not-disturb on and off', async ({ window, desktop }) => {
    await expect(window.getByRole('treeitem', { name: /db-backup/ })).toBeVisible()
    const item = await desktop.items.waitFor(() => true)
    const tooltip = () => desktop.tooltip(item)
    await desktop.clickMenu(item, 'Do not disturb', 'For 1 h')
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

  test('gets the window, a hint, and the icon when a tray appears', async ({ window, desktop }) => {
    const hint = window.getByText(/AppIndicator and KStatusNotifierItem Support/)
    await expect(hint).toBeVisible()
    await desktop.serveWatcher()
    await desktop.items.waitFor(() => true)
    await expect(hint).toBeHidden()
  })

  test('shows the window once, and not again when it is certain that there is no tray', async ({
    belfry,
    window,
  }) => {
    await expect(window.getByRole('button', { name: 'Explore the demo' })).toBeVisible()
    const shows = await belfry.app.evaluateHandle(({ BrowserWindow }) => {
      const counted = { times: 0 }
      BrowserWindow.getAllWindows()[0]?.on('show', () => {
        counted.times += 1
      })
      return counted
    })
    const times = (): Promise<number> => shows.evaluate((counted) => counted.times)
    await expect(window.getByText(/AppIndicator and KStatusNotifierItem Support/)).toBeVisible()
    expect(await times()).toBe(0)
    // Control: a second start shows it again, and is counted.
    await belfry.app.evaluate(({ app }) => app.emit('second-instance', {}, ['belfry']))
    await expect.poll(times).toBeGreaterThan(0)
  })
})

test.describe('a desktop whose watcher starts before its panel', () => {
  test.use({ desktopParts: { host: false } })

  test('gets no icon that nobody would show, and loses no window', async ({
    belfry,
    window,
    desktop,
  }) => {
    const offer = window.getByRole('button', { name: 'Explore the demo' })
    await expect(offer).toBeVisible()
    await belfry.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close())
    const isHidden = (): Promise<boolean | undefined> =>
      belfry.app.evaluate(({ BrowserWindow }) => {
        const [shown] = BrowserWindow.getAllWindows()
        return shown?.isVisible() === false && !shown.isMinimized()
      })
    await expect
      .poll(() =>
        belfry.app.evaluate(({ BrowserWindow }) =>
          BrowserWindow.getAllWindows().map((one) => one.isMinimized()),
        ),
      )
      .toEqual([true])
    expect(await isHidden()).toBe(false)
    expect(desktop.items.all).toEqual([])
    desktop.setHost(true)
    const item = await desktop.items.waitFor(() => true)
    await desktop.clickMenu(item, 'Open board')
    await expect.poll(isHidden).toBe(false)
  })

  test('gets its icon even after another kind was tried', async ({ window, desktop }) => {
    const hint = window.getByText(/AppIndicator and KStatusNotifierItem Support/)
    await expect(hint).toBeVisible()
    desktop.setHost(true)
    await expect(hint).toBeHidden()
    // Electron’s own icon, created at this moment, becomes this one, and is replaced.
    await expect(async () => {
      const item = desktop.items.all.at(-1)
      expect(item === undefined ? 'none yet' : await desktop.tooltip(item)).toContain('Belfry')
    }).toPass()
  })
})

test.describe('the icon in the tray', () => {
  const sizes = async (desktop: FakeDesktop): Promise<unknown> => {
    const item = await desktop.items.waitFor(() => true)
    const pixmaps = (await desktop.trayProperty(item, 'IconPixmap')) as [number, number][]
    return pixmaps.map(([width, height]) => [width, height])
  }

  test('has one size, for the height of most panels', async ({ window, desktop }) => {
    await expect(window.getByRole('main')).toBeVisible()
    await expect.poll(() => sizes(desktop)).toEqual([[22, 22]])
  })

  test('is twice as large on a screen with twice the scale', async ({
    belfry,
    window,
    desktop,
  }) => {
    await expect(window.getByRole('main')).toBeVisible()
    await expect.poll(() => sizes(desktop)).toEqual([[22, 22]])
    await belfry.app.evaluate(({ screen }) => {
      const display = screen.getPrimaryDisplay()
      screen.getPrimaryDisplay = () => ({ ...display, scaleFactor: 2 })
      screen.emit('display-metrics-changed')
    })
    await expect.poll(() => sizes(desktop)).toEqual([[48, 48]])
  })
})
