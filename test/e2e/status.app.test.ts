import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { projectRoot } from '../../scripts/programs.mjs'
import { connectOps } from './connect.ts'
import { type Belfry, expect, test } from './fixtures.ts'

/** What the command of a package answers, as "<exit code> <first line>". */
function told({ userData, env }: Pick<Belfry, 'userData' | 'env'>, ...args: readonly string[]) {
  const script = join(projectRoot, 'packaging', 'belfry')
  const all = [script, `--user-data=${userData}`, ...(args.length > 0 ? args : ['status'])]
  // No display: it needs none.
  const ask = (answer: (text: string) => void) =>
    execFile('sh', all, { env: { ...env, DISPLAY: '' } }, (error, stdout) => {
      answer(`${error?.code ?? 0} ${stdout.split('\n')[0] ?? ''}`)
    })
  return new Promise<string>(ask)
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
  expect(await readdir(folder)).toEqual([])
})
