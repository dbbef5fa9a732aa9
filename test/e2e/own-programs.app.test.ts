import { existsSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright/test'
import type { FakeDesktop } from '../support/session-bus.ts'
import type { WorldServer } from '../support/world-server.ts'
import { connectOps } from './connect.ts'
import { type Belfry, expect, test } from './fixtures.ts'

interface Parts {
  readonly window: Page
  readonly server: WorldServer
  readonly belfry: Belfry
  readonly desktop: FakeDesktop
}

/** A rule for checks that go down runs this script, which the user chooses in the system's dialog. */
async function runOnDown({ belfry, window, server }: Parts, folder: string, script: string) {
  const path = join(folder, 'lamp.sh')
  await writeFile(path, script)
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
}

async function goDown({ server, desktop }: Pick<Parts, 'server' | 'desktop'>): Promise<void> {
  server.world.ops.controls.goDown('cert-renew')
  server.world.ops.tick()
  await desktop.clickMenu(await desktop.items.waitFor(() => true), 'Refresh now')
}

test('a program of the user’s own runs when a check goes down, and “Why?” says how it ended', async ({
  window,
  server,
  belfry,
  desktop,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'belfry-e2e-'))
  const [heard, around] = [join(folder, 'heard'), join(folder, 'around')]
  const script = `#!/bin/sh\ncat > ${heard}\n(echo "$#"; pwd; env) > ${around}\necho "lamp is red"\nexit 3\n`
  await runOnDown({ window, server, belfry, desktop }, folder, script)
  await goDown({ server, desktop })
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

test('a program that will not end does not outlive Belfry, whose list says so', async ({
  window,
  server,
  belfry,
  desktop,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'belfry-e2e-'))
  const pid = join(folder, 'pid')
  const script = `#!/bin/sh\ntrap '' TERM\necho $$ > ${pid}\nwhile :; do sleep 0.05; done\n`
  await runOnDown({ window, server, belfry, desktop }, folder, script)
  await goDown({ server, desktop })
  const started = () => readFile(pid, 'utf8').catch(() => '')
  await expect.poll(started).toMatch(/\d\n/)
  await belfry.quit()
  const isAlive = async () => existsSync(`/proc/${Number(await started())}`)
  await expect.poll(isAlive).toBe(false)
  expect((await belfry.documents())['notices.json']).toContain('ended, as Belfry was quit')
  await rm(folder, { recursive: true })
})
