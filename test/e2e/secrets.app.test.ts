import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright/test'
import { connectOps } from './connect.ts'
import { expect, test } from './fixtures.ts'

async function openAccounts(window: Page): Promise<void> {
  await window.getByRole('button', { name: 'More', exact: true }).click()
  await window.getByRole('menuitem', { name: 'Accounts' }).click()
}

test.describe('without a keyring', () => {
  test.use({ keyring: false })

  test('a key is on disk only with consent, works after a restart, and is removed when that is withdrawn', async ({
    belfry,
    server,
    window,
  }) => {
    await connectOps(window, server)
    await openAccounts(window)
    const consent = window.getByRole('checkbox', { name: /Store keys on disk anyway/ })
    await expect(window.getByText('Keys are kept until Belfry quits.')).toBeVisible()
    expect(Object.keys(await belfry.documents())).not.toContain('keys.json')
    await consent.click()
    await expect(consent).toBeChecked()
    await expect(window.getByText('key on disk without protection')).toBeVisible()

    await belfry.relaunch()
    const again = belfry.window
    await expect(again.getByRole('treeitem', { name: /db-backup/ })).toBeVisible()
    await openAccounts(again)
    const standing = again.getByRole('checkbox', { name: /Store keys on disk anyway/ })
    await expect(standing).toBeChecked()
    expect((await belfry.documents())['keys.json']).toContain('"weak":true')
    await standing.click()
    await expect(standing).not.toBeChecked()
    await expect(again.getByText('key kept for this session only')).toBeVisible()
    // The key is removed before the window says so; what the account shows follows.
    const weakIn = async () =>
      Object.entries(await belfry.documents()).flatMap(([name, text]) =>
        text.includes('weak"') ? [name] : [],
      )
    expect(await weakIn()).not.toContain('keys.json')
    await expect.poll(weakIn).toEqual([])

    await belfry.relaunch()
    await openAccounts(belfry.window)
    await expect(belfry.window.getByText('The key was kept only until Belfry quit.')).toBeVisible()
  })
})

test.describe('with a keyring', () => {
  test('that is missing at the next start, the account asks for its key and says which keyring had it', async ({
    belfry,
    server,
    window,
  }) => {
    await connectOps(window, server)
    await expect
      .poll(async () => (await belfry.documents())['keys.json'] ?? '')
      .toContain('gnome_libsecret')
    // A later switch overrides the fixture's own.
    await belfry.relaunch('--password-store=basic')
    await openAccounts(belfry.window)
    await expect(
      belfry.window.getByText(/saved with another keyring \(gnome-libsecret\)/),
    ).toBeVisible()
    await belfry.relaunch()
    await expect(belfry.window.getByRole('treeitem', { name: /db-backup/ })).toBeVisible()
  })
})

test.describe('under a umask that hides nothing', () => {
  let usual = 0o022
  test.beforeAll(() => {
    usual = process.umask(0)
  })
  test.afterAll(() => void process.umask(usual))

  test('everything that Belfry stores is still readable by its owner alone', async ({
    belfry,
    server,
    window,
  }) => {
    await connectOps(window, server)
    await openAccounts(window)
    await window.getByRole('button', { name: 'Rename' }).click()
    await window.getByRole('dialog').getByRole('textbox').fill('other')
    await window.keyboard.press('Enter')
    await expect(window.getByRole('listitem', { name: 'other' })).toBeVisible()
    await belfry.quit()
    const data = join(belfry.userData, 'data')
    const names = await readdir(data)
    expect(names).toContain('accounts.json.bak')
    const open = await Promise.all(
      ['.', '..', ...names].map(async (name) => {
        const { mode } = await stat(join(data, name))
        return (mode & 0o077) === 0 ? [] : [`${name} ${(mode & 0o777).toString(8)}`]
      }),
    )
    expect(open.flat()).toEqual([])
  })
})
