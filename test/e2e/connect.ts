import { expect, type Page } from 'playwright/test'
import type { WorldServer } from '../support/world-server.ts'

/** Opens a form for a new account from wherever the window is. */
async function openForm(window: Page, name: string): Promise<void> {
  const offer = window.getByRole('button', { name })
  const more = window.getByRole('button', { name: 'More', exact: true })
  await expect(offer.or(more).first()).toBeVisible()
  // A window that just opened may only now learn that it has no account, and then offers the form.
  await expect(async () => {
    if (await offer.isVisible()) return
    await more.click({ timeout: 2_000 })
    await window.getByRole('menuitem', { name: 'Accounts' }).click({ timeout: 2_000 })
    await expect(offer).toBeVisible()
  }).toPass()
  await offer.click()
}

/** Fills the form for a monitoring project, as a user would, without sending it. */
export async function fillMonitoring(
  window: Page,
  account: { address: string; key: string; name: string },
): Promise<void> {
  await openForm(window, 'Connect a monitoring project')
  await window.getByLabel('Name', { exact: true }).fill(account.name)
  await window.getByLabel('Address', { exact: true }).fill(account.address)
  await window.getByLabel('API key', { exact: true }).fill(account.key)
}

export async function fillChat(
  window: Page,
  account: { address: string; email: string; key: string },
): Promise<void> {
  await openForm(window, 'Connect a chat account')
  await window.getByLabel('Address', { exact: true }).fill(account.address)
  await window.getByLabel('E-mail', { exact: true }).fill(account.email)
  await window.getByLabel('API key', { exact: true }).fill(account.key)
}

/** Adds the project with checks that are down, through its form. */
export async function connectOps(window: Page, server: WorldServer): Promise<void> {
  const { ops } = server.world.newAccounts
  await fillMonitoring(window, { address: server.urls.ops, key: ops.key, name: 'ops-project' })
  await window.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(window.getByRole('treeitem', { name: /db-backup/ })).toBeVisible()
}

/** Adds the project whose checks are all up, with its read-only key. */
export async function connectWeb(window: Page, server: WorldServer): Promise<void> {
  const { web } = server.world.newAccounts
  await fillMonitoring(window, { address: server.urls.web, key: web.key, name: 'web-project' })
  await window.getByRole('button', { name: 'Connect', exact: true }).click()
  // Its header is there before its checks are read, which are folded next to a project in trouble.
  await expect(window.getByRole('treeitem', { name: /^web-project.* up/ })).toBeVisible()
}

export async function connectChat(window: Page, server: WorldServer): Promise<void> {
  const { user } = server.world.realm
  await fillChat(window, { address: server.urls.chat, email: user.email, key: user.key })
  await window.getByRole('button', { name: 'Connect', exact: true }).click()
  await expect(window.getByRole('button', { name: /Ana Kovač.*unread/ }).first()).toBeVisible()
}
