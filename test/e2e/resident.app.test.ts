import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { appProgram } from '../support/app-program.ts'
import { type Belfry, expect, test } from './fixtures.ts'

const isShown = ({ app }: Belfry): Promise<boolean> =>
  app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible() === true)

const zoomOf = ({ app }: Belfry): Promise<number | undefined> =>
  app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.getZoomFactor())

test.describe('in the demo', () => {
  test.use({ appArguments: ['--demo'] })

  test('a left click on the icon shows the window and hides it again', async ({
    belfry,
    desktop,
    window,
  }) => {
    await expect(window.getByRole('treeitem', { name: /db-backup/ })).toBeVisible()
    const item = await desktop.items.waitFor(() => true)
    await belfry.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.focus())
    await expect
      .poll(() =>
        belfry.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isFocused()),
      )
      .toBe(true)
    await desktop.activate(item)
    await expect.poll(() => isShown(belfry)).toBe(false)
    await desktop.activate(item)
    await expect.poll(() => isShown(belfry)).toBe(true)
  })

  test('Ctrl +, − and 0 change the size in steps, and permanently', async ({ belfry, window }) => {
    await expect(window.getByRole('treeitem', { name: /db-backup/ })).toBeVisible()
    const width = await window.evaluate(() => innerWidth)
    await window.keyboard.press('Control++')
    await expect.poll(() => zoomOf(belfry)).toBeCloseTo(1.1)
    await window.keyboard.press('Control+=')
    await expect.poll(() => zoomOf(belfry)).toBeCloseTo(1.25)
    if (appProgram().on === 'electron')
      await expect.poll(() => window.evaluate(() => innerWidth)).toBeLessThan(width * 0.85)
    await window.reload()
    await expect.poll(() => zoomOf(belfry)).toBeCloseTo(1.25)
    await window.keyboard.press('Control+-')
    await expect.poll(() => zoomOf(belfry)).toBeCloseTo(1.1)
    await window.keyboard.press('Control+0')
    await expect.poll(() => zoomOf(belfry)).toBeCloseTo(1)
  })

  test('the palette turns on do not disturb, zooms and quits', async ({ belfry, window }) => {
    const run = async (words: string): Promise<void> => {
      await window.keyboard.press('Control+k')
      await window.keyboard.type(words)
      await expect(
        window.getByRole('option', { name: new RegExp(words, 'i') }).first(),
      ).toBeVisible()
      await window.keyboard.press('Enter')
    }
    await expect(window.getByRole('treeitem', { name: /db-backup/ })).toBeVisible()
    await run('Zoom in')
    await expect.poll(() => zoomOf(belfry)).toBeCloseTo(1.1)
    await run('Do not disturb')
    await expect(window.getByRole('button', { name: /^For 30 min/ })).toBeFocused()
    await window.keyboard.press('2')
    await expect(window.getByText(/Do not disturb until/).first()).toBeVisible()
    await run('End do not disturb')
    await expect(window.getByText(/Do not disturb until/)).toHaveCount(0)
    expect(await belfry.endedBy(() => run('Quit Belfry'))).toBe(0)
  })

  test('the first close says once where the window went', async ({ belfry, desktop, window }) => {
    await expect(window.getByRole('treeitem', { name: /db-backup/ })).toBeVisible()
    const close = () =>
      belfry.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close())
    await close()
    const { id, body } = await desktop.notifications.waitFor(
      ({ title }) => title === 'Belfry is still watching',
    )
    expect(body).toContain('Quit is in the icon’s menu')
    desktop.act(id, 'default')
    await expect(window.getByRole('heading', { name: 'Settings' })).toBeVisible()
    await close()
    await expect.poll(() => isShown(belfry)).toBe(false)
    const told = desktop.notifications.all.filter(
      ({ title }) => title === 'Belfry is still watching',
    )
    expect(told).toHaveLength(1)
  })

  test('the settings start it at login, hidden, see what the desktop changed, and set global shortcuts', async ({
    belfry,
    window,
  }) => {
    test.skip(process.platform !== 'linux', 'the system keeps this to itself')
    await expect(window.getByRole('treeitem', { name: /db-backup/ })).toBeVisible()
    const open = async () => {
      await window.getByRole('button', { name: 'More', exact: true }).click()
      await window.getByRole('menuitem', { name: 'Settings' }).click()
    }
    await open()
    const start = window.getByRole('switch', { name: 'Start at login' })
    await expect(start).not.toBeChecked()
    await start.check()
    const folder = join(belfry.env['XDG_CONFIG_HOME'] ?? '', 'autostart')
    const file = join(folder, 'org.belfry.Belfry.desktop')
    await expect.poll(() => existsSync(file)).toBe(true)
    expect(await readFile(file, 'utf8')).toMatch(/^Exec=".*" ".*" "--hidden"$/m)
    await rm(file)
    const isTaken = (): Promise<boolean> =>
      belfry.app.evaluate(({ globalShortcut }) => globalShortcut.isRegistered('Ctrl+Alt+Shift+F9'))
    await window.getByRole('textbox', { name: 'Open board' }).focus()
    await window.keyboard.press('Control+c')
    await expect(window.getByText(/Other programs use “Ctrl\+C”/)).toBeVisible()
    expect(await isTaken()).toBe(false)
    await window.keyboard.press('Control+Alt+Shift+F9')
    await expect.poll(isTaken).toBe(true)
    await window.keyboard.press('Backspace')
    await expect.poll(isTaken).toBe(false)
    await window.keyboard.press('Escape')
    await open()
    await expect(start).not.toBeChecked()
  })
})
