import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Belfry, expect, test } from './fixtures.ts'

/** The log of requests to the compositor. */
let asked = ''
let weston: ChildProcess | null = null
let folder = ''
const before = { ...process.env }

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'belfry-wayland-'))
  const env = { ...process.env, XDG_RUNTIME_DIR: folder, WAYLAND_DEBUG: 'server' }
  const compositor = spawn(
    'weston',
    ['--backend=headless-backend.so', '--socket=belfry', '--idle-time=0'],
    { env, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  weston = compositor
  compositor.stderr.on('data', (text: Buffer) => {
    asked += text.toString()
  })
  await expect.poll(() => asked).toMatch(/launching/)
  Object.assign(process.env, { XDG_RUNTIME_DIR: folder, WAYLAND_DISPLAY: 'belfry' })
})
test.afterAll(async () => {
  for (const name of ['XDG_RUNTIME_DIR', 'WAYLAND_DISPLAY'])
    if (before[name] === undefined) delete process.env[name]
    else process.env[name] = before[name]
  const ended = weston === null ? null : once(weston, 'exit')
  weston?.kill()
  await ended
  await rm(folder, { recursive: true, force: true })
})

const close = (belfry: Belfry): Promise<void> =>
  belfry.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close())
const minimised = (): number => asked.split('.set_minimized').length - 1

test.describe('on Wayland, which reports nothing about minimised windows,', () => {
  test.use({ desktopParts: { watcher: false }, appArguments: ['--ozone-platform=wayland'] })

  test('closing minimises without a tray, even after it was shown again, and closing the minimised window quits', async ({
    belfry,
    window,
  }) => {
    await expect(window.getByRole('main')).toBeVisible()
    const start = minimised()
    await close(belfry)
    await expect.poll(minimised).toBe(start + 1)
    await belfry.app.evaluate(({ app }) => app.emit('activate'))
    await close(belfry)
    await expect.poll(minimised).toBe(start + 2)
    expect(await belfry.endedBy(() => close(belfry))).toBe(0)
  })
})
