import type { Bridge } from '../../src/shared/contract.ts'
import { connectChat, connectOps } from './connect.ts'
import { expect, test } from './fixtures.ts'

test.describe('a window that was discarded while hidden', () => {
  test('comes back where it was, with the text that was typed', async ({
    window,
    server,
    belfry,
  }) => {
    await connectChat(window, server)
    await window.getByRole('button', { name: /db-primary/ }).click()
    await window.getByRole('textbox', { name: /Reply to/ }).fill('half a thought')
    await expect(async () => {
      expect(JSON.stringify(await belfry.documents())).toContain('half a thought')
    }).toPass()
    // What happens after five minutes, without the wait.
    await belfry.app.evaluate(({ BrowserWindow }) => {
      const [shown] = BrowserWindow.getAllWindows()
      shown?.hide()
      shown?.destroy()
    })
    await expect.poll(() => window.isClosed()).toBe(true)
    const opened = belfry.app.waitForEvent('window')
    await belfry.app.evaluate(({ app }) => app.emit('second-instance', {}, ['belfry']))
    const again = await opened
    await expect(again.getByRole('textbox', { name: /Reply to # ops › db-primary/ })).toHaveValue(
      'half a thought',
    )
  })

  test('comes back maximised, with its previous normal size', async ({ window, belfry }) => {
    await expect(window.getByRole('main')).toBeVisible()
    const size = { x: 300, y: 200, width: 500, height: 600 }
    await belfry.app.evaluate(({ BrowserWindow }, before) => {
      BrowserWindow.getAllWindows()[0]?.setBounds(before)
    }, size)
    const kept = async () =>
      JSON.parse((await belfry.documents())['window.json'] ?? '{}') as unknown
    await expect.poll(kept).toMatchObject({ value: { ...size, maximised: false } })
    await belfry.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.maximize())
    await expect.poll(kept).toMatchObject({ value: { ...size, maximised: true } })
    await belfry.app.evaluate(({ BrowserWindow }) => {
      const [shown] = BrowserWindow.getAllWindows()
      shown?.hide()
      shown?.destroy()
    })
    await belfry.app.evaluate(({ app }) => app.emit('second-instance', {}, ['belfry']))
    const now = () =>
      belfry.app.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows().map((one) => [one.isMaximized(), one.getNormalBounds()]),
      )
    await expect.poll(now).toEqual([[true, size]])
  })
})

test('a hidden window shows what happened meanwhile once it is shown, or for a command of its page', async ({
  window,
  server,
  desktop,
  belfry,
}) => {
  await connectOps(window, server)
  const item = await desktop.items.waitFor(() => true)
  const row = (word: string) =>
    window.getByRole('treeitem', { name: new RegExp(`^cert-renew .*${word}`) })
  await expect(row('up')).toBeVisible()
  const page = () => window.locator('html').getAttribute('data-theme')
  const before = await page()
  await belfry.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.hide())
  await window.evaluate(() =>
    (Reflect.get(globalThis, 'bridge') as Bridge).call('updateSettings', { theme: 'dark' }),
  )
  await expect.poll(page).not.toBe(before)
  server.world.ops.controls.goDown('cert-renew')
  server.world.ops.tick()
  await desktop.clickMenu(item, 'Refresh now')
  await desktop.notifications.waitFor((one) => one.title === 'cert-renew is down')
  expect(await row('up').count()).toBe(1)
  await belfry.app.evaluate(({ app }) => app.emit('second-instance', {}, ['belfry']))
  await expect(row('down')).toBeVisible()
})

test('the board that was seen before a quit counts as seen at the next start', async ({
  belfry,
  window,
  server,
  desktop,
}) => {
  const item = await desktop.items.waitFor(() => true)
  await connectOps(window, server)
  await expect(window.getByRole('treeitem', { name: /db-backup/ })).toBeVisible()
  // A shorter look doesn't count.
  const since = await window.evaluate(() => performance.now())
  await window.waitForFunction((start) => performance.now() > start + 2_500, since)
  const seenAt = async () => {
    const { value } = JSON.parse((await belfry.documents())['settings.json'] ?? '{"value":{}}') as {
      readonly value: { readonly boardSeenAt?: number | null }
    }
    return value.boardSeenAt ?? 0
  }
  const before = Date.now() - 2_000
  // Playwright has the page believe that it is always visible.
  await belfry.app.evaluate(({ BrowserWindow }) => {
    const [shown] = BrowserWindow.getAllWindows()
    shown?.on('hide', () => {
      void shown.webContents.executeJavaScript(`
        Object.defineProperty(document, 'visibilityState', { value: 'hidden' })
        document.dispatchEvent(new Event('visibilitychange'))
      `)
    })
  })
  expect(await seenAt()).toBeLessThan(before)
  expect(await belfry.endedBy(() => desktop.clickMenu(item, 'Quit'))).toBe(0)
  expect(await seenAt()).toBeGreaterThan(before)
})
