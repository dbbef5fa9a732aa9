import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright/test'
import { found, needlesOf } from '../support/secret-search.ts'
import { connectChat, connectOps } from './connect.ts'
import { type Belfry, expect, test } from './fixtures.ts'

async function openFromMenu(window: Page, item: string): Promise<void> {
  await window.getByRole('button', { name: 'More', exact: true }).click()
  await window.getByRole('menuitem', { name: item }).click()
}

/** Makes the system’s file dialogs choose this file. */
async function chooses({ app }: Belfry, path: string): Promise<void> {
  await app.evaluate(({ dialog }, chosen) => {
    dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath: chosen })
    dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [chosen] })
  }, path)
}

test('the diagnostics say what works, what doesn’t and what to do, and are saved without a secret', async ({
  belfry,
  desktop,
  server,
  window,
}) => {
  await connectOps(window, server)
  await connectChat(window, server)
  await openFromMenu(window, 'Diagnostics')
  const list = window.getByRole('list', { name: 'What was found' })
  await expect(
    list.getByText('Notifications Works: Shown through D-Bus, with buttons.'),
  ).toBeVisible()
  await expect(
    list.getByText(/^ops-project Works: Updated .* requests left this minute/),
  ).toBeVisible()
  await expect(
    list.getByText(/ Works: Updated .* Server 13\.0-dev, feature level 512\.$/),
  ).toBeVisible()
  const requests = window.getByRole('region', { name: 'Requests of ops-project' })
  await expect(
    requests.getByRole('row', { name: /GET \/api\/v3\/checks\/ 200/ }).first(),
  ).toBeVisible()

  await server.away('ops', true)
  await desktop.dropNotifications()
  await window.getByRole('button', { name: 'Check this computer' }).click()
  await expect(list.getByText(/^ops-project Fails: /)).toBeVisible()
  await expect(
    list.getByText('Notifications Fails: Nothing here shows notifications.'),
  ).toBeVisible()
  await expect(list.getByText(/Start a notification daemon/)).toBeVisible()

  const file = join(belfry.userData, 'report.txt')
  await chooses(belfry, file)
  await window.getByRole('button', { name: 'Save a report' }).click()
  await expect(window.getByText('The report was saved.')).toBeVisible()
  const report = await readFile(file, 'utf8')
  expect(report).toContain('[failed] Notifications')
  // Contents of the log and of the files themselves.
  expect(report).toMatch(/start: Belfry \d/)
  expect(report).toMatch(/account \w{8}: .* GET \/api\/v3\/checks\/ 200/)
  const logs = join(belfry.userData, 'logs')
  const texts = (await readdir(logs)).map((name) => readFile(join(logs, name), 'utf8'))
  const all = [report, ...(await Promise.all(texts))].join('\n')
  const { ops, chat } = server.world.newAccounts
  const { email } = server.world.realm.user
  for (const { key } of [ops, chat]) expect(found(needlesOf(key), all)).toEqual([])
  for (const name of ['db-backup', 'ops-project', 'Ana', email, '127.0.0.1'])
    expect(all).not.toContain(name)
})

test('settings and rules are exported to a file and imported again', async ({
  belfry,
  window,
  server,
}) => {
  await connectOps(window, server)
  await chooses(belfry, join(belfry.userData, 'settings.json'))
  await openFromMenu(window, 'Settings')
  await window.getByLabel('Theme').selectOption('Dark')
  await window.getByRole('button', { name: 'Export' }).click()
  await expect(window.getByText('The settings were saved.')).toBeVisible()
  await window.getByLabel('Theme').selectOption('Light')
  await window.getByRole('button', { name: 'Import' }).click()
  await expect(window.getByText('The settings were imported.')).toBeVisible()
  await expect(window.getByLabel('Theme')).toHaveValue('dark')
  await window.getByRole('button', { name: 'Undo' }).click()
  await expect(window.getByLabel('Theme')).toHaveValue('light')
})
