import type { Page } from 'playwright/test'
import { expectAccessible } from './axe.ts'
import { connectChat, connectOps, connectWeb } from './connect.ts'
import { expect, test } from './fixtures.ts'

const list = (window: Page) => window.getByRole('listbox', { name: 'Results' })
const result = (window: Page) => window.getByRole('region', { name: 'Result', exact: true })
const run = (window: Page) => window.getByRole('button', { name: /^Run/ })

/** Finds an entry by a few letters and opens it. */
async function choose(window: Page, letters: string, title: string): Promise<void> {
  await window.keyboard.press('Control+k')
  await window.keyboard.type(letters)
  await expect(list(window).getByRole('option').first()).toContainText(title)
  await window.keyboard.press('Enter')
}

test.describe('the palette', () => {
  test('opens a check by two letters, and an operation that returns a table', async ({
    window,
    server,
  }) => {
    await connectOps(window, server)
    await choose(window, 'db', 'db-backup')
    await expect(window.getByRole('heading', { name: 'db-backup' })).toBeVisible()
    await choose(window, '>list existing int', 'List existing integrations')
    await expect(run(window)).toBeFocused()
    await window.keyboard.press('Enter')
    await expect(result(window).getByRole('row')).not.toHaveCount(0)
    await expect(result(window)).toContainText(server.world.ops.table.integrations[0]?.name ?? '-')
    // A recently used entry needs two letters.
    await window.keyboard.press('Escape')
    await window.keyboard.type('>li')
    await expect(list(window).getByRole('option').first()).toContainText(
      'List existing integrations',
    )
  })

  test('creates a check through its form, and deletes it once its name is typed', async ({
    window,
    server,
  }) => {
    await connectOps(window, server)
    const named = () =>
      [...server.world.ops.table.checks.values()].filter(
        ({ fields }) => fields.name === 'from the palette',
      )
    await choose(window, '>create a new check', 'Create a new check')
    await window.getByRole('textbox', { name: 'Name', exact: true }).fill('from the palette')
    await window.getByRole('textbox', { name: 'Period' }).fill('2 h')
    await run(window).click()
    await expect(result(window)).toContainText('from the palette')
    expect(named()).toMatchObject([{ fields: { timeout: 7_200 } }])
    await window.keyboard.press('Escape')
    await window.keyboard.press('Escape')
    await choose(window, '>delete a check', 'Delete a check')
    await window
      .getByRole('combobox', { name: 'Check', exact: true })
      .selectOption('from the palette')
    await run(window).click()
    const sure = window.getByRole('textbox', { name: 'Type from the palette to confirm' })
    await expect(sure).toBeFocused()
    await window.keyboard.press('Enter')
    expect(named()).toHaveLength(1)
    await sure.fill('from the palette')
    await window.keyboard.press('Enter')
    await expect(result(window)).toBeVisible()
    expect(named()).toEqual([])
  })

  test('leaves out what a read-only key can’t do', async ({ window, server }) => {
    await connectWeb(window, server)
    await window.keyboard.press('Control+k')
    await window.keyboard.type('>pause monitoring of a check')
    await expect(window.getByText(/^Nothing matches/)).toBeVisible()
    expect(await list(window).getByText('Pause monitoring of a check').count()).toBe(0)
    await window.keyboard.press('Escape')
    await choose(window, '>get a single check', 'Get a single check')
    await expect(run(window)).toBeEnabled()
  })

  test('previews a request and copies it as curl, with $KEY for the key', async ({
    window,
    server,
    belfry,
  }) => {
    await connectOps(window, server)
    const { key } = server.world.newAccounts.ops
    await choose(window, '>get a single check', 'Get a single check')
    await window.getByRole('combobox', { name: 'Check', exact: true }).selectOption('db-backup')
    await window.getByText('Request', { exact: true }).click()
    const shown = window.getByRole('region', { name: 'Request without the key' })
    await expect(shown).toContainText('x-api-key: $KEY')
    await expect(shown).not.toContainText(key)
    await window.getByRole('button', { name: 'Copy as curl' }).click()
    await expect(window.getByRole('button', { name: 'Copied' })).toBeVisible()
    const copied = await belfry.app.evaluate(({ clipboard }) => clipboard.readText())
    expect(copied).toContain(`${server.urls.ops}/api/v3/checks/`)
    expect(copied).toContain('"$KEY"')
    expect(copied).not.toContain(key)
  })

  test('passes axe, light and dark, in its list and its forms', async ({ window, server }) => {
    await connectOps(window, server)
    await connectChat(window, server)
    await expectAccessible(window, 'header')
    await window.keyboard.press('Control+k')
    await expectAccessible(window, 'list')
    await window.keyboard.type('db')
    await expectAccessible(window, 'list-db')
    await window.keyboard.press('Escape')
    await choose(window, '>create a new check', 'Create a new check')
    await expect(window.getByRole('group', { name: 'Integrations' })).toBeVisible()
    await window.getByRole('textbox', { name: 'Period' }).fill('soon')
    await run(window).click()
    await expectAccessible(window, 'form-error')
    await window.keyboard.press('Escape')
    await window.keyboard.press('Escape')
    await choose(window, '>list existing int', 'List existing integrations')
    await run(window).click()
    await expect(result(window)).toBeVisible()
    await expectAccessible(window, 'table')
    await window.keyboard.press('Escape')
    await window.keyboard.press('Escape')
    await choose(window, '>delete a check', 'Delete a check')
    await window.getByRole('combobox', { name: 'Check', exact: true }).selectOption('db-backup')
    await run(window).click()
    await expect(window.getByText('to confirm')).toBeVisible()
    await expectAccessible(window, 'destroy')
    // From the confirmation to the form, from the form to the list, and out.
    await window.keyboard.press('Escape')
    await window.keyboard.press('Escape')
    await window.keyboard.press('Escape')
    await choose(window, '>get own user', 'Get own user')
    await run(window).click()
    await expect(result(window)).toBeVisible()
    await expectAccessible(window, 'pairs')
    await window.keyboard.press('Escape')
    await window.keyboard.press('Escape')
    await choose(window, '>send a message', 'Send a message')
    await window.getByText('Request', { exact: true }).click()
    await expectAccessible(window, 'message')
  })
})
