import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appProgram } from '../support/app-program.ts'
import { connectChat, connectOps } from './connect.ts'
import { type Belfry, expect, test } from './fixtures.ts'

/** Starts the app a second time on the same data, as the system does for a link. */
async function startWith({ env, userData }: Belfry, link: string): Promise<number | null> {
  const child = spawn(appProgram().path, ['.', `--user-data=${userData}`, link], {
    env,
    stdio: 'ignore',
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code
}

const copied = ({ app }: Belfry): Promise<string> =>
  app.evaluate(({ clipboard }) => clipboard.readText())

test('a link copied at a check leads there, through a second start that ends at once', async ({
  belfry,
  window,
  server,
}) => {
  await connectOps(window, server)
  await window.getByRole('treeitem', { name: /db-backup/ }).click()
  await window.getByRole('button', { name: 'More actions' }).click()
  await window.getByRole('menuitem', { name: 'Copy app link' }).click()
  await expect(window.getByText('The link was copied.')).toBeVisible()
  const link = await copied(belfry)
  expect(link).toMatch(/^belfry:\/\/check\/[0-9a-f]{40}$/)
  await window.getByRole('tab', { name: /Checks/ }).click()
  expect(await startWith(belfry, link)).toBe(0)
  await expect(window.getByRole('heading', { name: 'db-backup' })).toBeVisible()
  // The same at the first start, before anything was read.
  await belfry.relaunch(link)
  await expect(belfry.window.getByRole('heading', { name: 'db-backup' })).toBeVisible()
  await expect(belfry.window.getByRole('region', { name: 'Problems' })).toBeHidden()
})

test('a link to a conversation marks nothing as read', async ({ belfry, window, server }) => {
  await connectChat(window, server)
  const row = window.getByRole('button', { name: /Ana Kovač.*unread/ }).first()
  await expect(row).toBeVisible()
  const host = new URL(server.urls.chat).host
  const marked = () => server.log.filter(({ path }) => path.includes('/messages/flags')).length
  const before = marked()
  expect(await startWith(belfry, `belfry://chat/${host}/direct/12`)).toBe(0)
  await expect(window.getByRole('textbox', { name: /^Reply to Ana/ })).toBeFocused()
  expect(marked()).toBe(before)
})

test('a link that leads nowhere is refused with a message', async ({ belfry, window, server }) => {
  await connectOps(window, server)
  const problems = window.getByRole('region', { name: 'Problems' })
  await startWith(belfry, 'belfry://run/deleteCheck?uuid=1')
  await expect(problems).toContainText('This link is damaged, so nothing was opened.')
  await startWith(belfry, 'belfry://check/0000000000000000000000000000000000000000')
  await expect(problems).toContainText('a check in a project that isn’t connected')
  await startWith(belfry, 'belfry://view/notices')
  await expect(window.getByRole('heading', { name: 'Notifications' })).toBeVisible()
  await expect(problems).toBeHidden()
})
