import { expect, test } from './fixtures.ts'

test.describe('a first start', () => {
  test('offers both services and the demo', async ({ window }) => {
    const offers = ['Connect a monitoring project', 'Connect a chat account', 'Explore the demo']
    for (const name of offers) await expect(window.getByRole('button', { name })).toBeVisible()
  })

  test('puts its item into the tray', async ({ belfry, desktop }) => {
    const item = await desktop.items.waitFor(() => true)
    await desktop.clickMenu(item, 'Open board')
    const shown = await belfry.app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().map((window) => window.isVisible()),
    )
    expect(shown).toEqual([true])
  })
})

test.describe('a start after a power cut', () => {
  test('opens on the data that the first one kept', async ({ belfry }) => {
    await belfry.kill()
    await belfry.relaunch()
    await expect(belfry.window.getByRole('button', { name: 'Explore the demo' })).toBeVisible()
  })
})
