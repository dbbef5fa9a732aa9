import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectOps } from './connect.ts'
import { expect, test } from './fixtures.ts'

test('a program of the user’s own runs when a check goes down, and “Why?” says how it ended', async ({
  window,
  server,
  belfry,
  desktop,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'belfry-e2e-'))
  const [path, heard, around] = ['lamp.sh', 'heard', 'around'].map((name) => join(folder, name))
  if (path === undefined || heard === undefined || around === undefined) throw new Error('no names')
  await writeFile(
    path,
    `#!/bin/sh\ncat > ${heard}\n(echo "$#"; pwd; env) > ${around}\necho "lamp is red"\nexit 3\n`,
  )
  await chmod(path, 0o700)
  await belfry.app.evaluate(({ dialog }, chosen) => {
    dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [chosen] })
  }, path)
  await connectOps(window, server)
  await window.getByRole('button', { name: 'More', exact: true }).click()
  await window.getByRole('menuitem', { name: 'Settings' }).click()
  await window.getByRole('button', { name: 'Edit', exact: true }).click()
  await window.getByRole('button', { name: 'Add a rule' }).click()
  await window.getByRole('checkbox', { name: 'Check goes down' }).check()
  await window.getByRole('button', { name: 'Choose a program…' }).click()
  await expect(window.getByText('run lamp.sh')).toBeVisible()
  await window.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(window.getByText('Saved.')).toBeVisible()

  server.world.ops.controls.goDown('cert-renew')
  server.world.ops.tick()
  await desktop.clickMenu(await desktop.items.waitFor(() => true), 'Refresh now')
  await desktop.notifications.waitFor(({ title }) => title === 'cert-renew is down')
  await expect(window.getByText(/Last run failed: exit 3/)).toBeVisible()
  expect(JSON.parse(await readFile(heard, 'utf8'))).toMatchObject({
    title: 'cert-renew is down',
    events: [{ kind: 'down', check: { name: 'cert-renew' } }],
  })
  const [count, home, ...variables] = (await readFile(around, 'utf8')).split('\n')
  const names = variables.map((line) => line.split('=')[0] ?? '')
  expect([count, home]).toEqual(['0', homedir()])
  expect(names).toContain('PATH')
  expect(names.filter((name) => /electron|belfry|node_|chrome/i.test(name))).toEqual([])
  await window.getByRole('button', { name: /^Notifications/ }).click()
  await window.getByRole('button', { name: 'Why?' }).first().click()
  await expect(window.getByText('Your program lamp.sh failed: exit 3. It printed:')).toBeVisible()
  await expect(window.getByText('lamp is red')).toBeVisible()
  expect(desktop.notifications.all).toHaveLength(1)
  await rm(folder, { recursive: true })
})
