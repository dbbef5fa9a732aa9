import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { projectRoot } from '../../scripts/programs.mjs'
import { appProgram } from '../support/app-program.ts'
import { connectOps } from './connect.ts'
import { type Belfry, expect, test } from './fixtures.ts'

const source = join(projectRoot, 'packaging', 'belfry')

/** What the command answers, as "<exit code> <first line>". */
function answer(script: string, args: readonly string[], env: Belfry['env']): Promise<string> {
  return new Promise((answered) => {
    execFile('sh', [script, ...args], { env }, (error, stdout, stderr) => {
      answered(`${error?.code ?? 0} ${(stdout + stderr).split('\n')[0] ?? ''}`)
    })
  })
}

/** Without a display, which this needs none of. */
function told({ userData, env }: Pick<Belfry, 'userData' | 'env'>): Promise<string> {
  return answer(source, [`--user-data=${userData}`, 'status'], { ...env, DISPLAY: '' })
}

/** The command beside the app, as a package has them; returns what asks that app. */
async function installed({ userData, env }: Belfry) {
  for (const name of ['bin', 'lib/belfry'])
    await mkdir(join(userData, 'usr', name), { recursive: true })
  const script = join(userData, 'usr', 'bin', 'belfry')
  await copyFile(source, script)
  const app = `#!/bin/sh\ncd '${projectRoot}' && exec '${appProgram().path}' . "$@"\n`
  await writeFile(join(userData, 'usr', 'lib', 'belfry', 'belfry'), app, { mode: 0o755 })
  // The stand-in has no display, and needs none.
  const around = { ...env, DISPLAY: env['DISPLAY'] || ':0' }
  return (...args: readonly string[]) =>
    answer(script, [`--user-data=${userData}`, ...args], around)
}

test('the command knows what the tray shows, and nothing once Belfry is killed or has quit', async ({
  belfry,
  server,
  window,
}) => {
  await expect.poll(() => told(belfry)).toBe('2 ? no account yet')
  await connectOps(window, server)
  await expect.poll(() => told(belfry)).toMatch(/^1 ▲ \d+ down/)
  const folder = join(belfry.userData, 'status')
  const modes = [folder, join(folder, 'status'), join(folder, 'status.json')].map(
    async (path) => (await stat(path)).mode & 0o777,
  )
  expect(await Promise.all(modes)).toEqual([0o700, 0o600, 0o600])

  await belfry.kill()
  await expect.poll(() => told(belfry)).toMatch(/^2 \? Belfry /)
  // Control: the file is still there, and said something else.
  expect(existsSync(join(folder, 'status'))).toBe(true)

  await belfry.relaunch()
  await expect.poll(() => told(belfry)).toMatch(/^1 ▲ \d+ down/)
  await belfry.quit()
  expect(await told(belfry)).toBe('2 ? Belfry is not running')
})

test('the command has the running app acknowledge, snooze and open', async ({
  belfry,
  server,
  window,
}) => {
  await connectOps(window, server)
  await expect.poll(() => told(belfry)).toMatch(/^1 ▲ \d+ down/)
  const ask = await installed(belfry)
  // Again if a busy computer has kept the app from answering.
  const answers = (...args: readonly string[]) => expect.poll(() => ask(...args))
  await answers('ack', 'no such check').toBe('1 belfry: There is no check no such check.')
  await answers('ack', 'db-backup').toBe('0 Acknowledged db-backup.')
  await expect.poll(() => told(belfry)).toMatch(/ 1 silenced$/)
  await answers('snooze', 'ops-project/db-backup', '2 h').toMatch(/^0 Snoozed db-backup until /)
  await answers('open', 'settings').toBe('0 Opened settings.')
  await expect(window.getByRole('heading', { name: 'Settings' })).toBeVisible()
  // A link with the words of a command is a link, which leads nowhere.
  const link = 'belfry://ack/db-backup?--ask=ack'
  expect(await ask(link, '--ask=open', '--ask-to=notices', '--ask-answer=1')).toMatch(/^0/)
  await expect(window.getByText(/^This link is damaged|no page that this link/)).toBeVisible()
  await expect(window.getByRole('heading', { name: 'Settings' })).toBeVisible()
  await belfry.quit()
  expect(await ask('ack', 'db-backup')).toBe('69 belfry: Belfry is not running')
})
