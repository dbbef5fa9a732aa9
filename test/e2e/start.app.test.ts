import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { projectRoot } from '../../scripts/programs.mjs'
import { appProgram } from '../support/app-program.ts'
import { startBare } from './bare-app.ts'
import { connectOps } from './connect.ts'
import { expect, test } from './fixtures.ts'

test.describe('a first start', () => {
  test('offers both services and the demo', async ({ window }) => {
    const offers = ['Connect a monitoring project', 'Connect a chat account', 'Explore the demo']
    for (const name of offers) await expect(window.getByRole('button', { name })).toBeVisible()
  })

  test('puts its icon in the tray', async ({ belfry, desktop }) => {
    const item = await desktop.items.waitFor(() => true)
    await desktop.clickMenu(item, 'Open board')
    const shown = await belfry.app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().map((window) => window.isVisible()),
    )
    expect(shown).toEqual([true])
  })
})

test.describe('a start into the demo', () => {
  test('gives no warning', async ({ display }) => {
    const app = await startBare(display, ['--demo'])
    const labels = async () => (await app.desktop.menu(app.item)).map(({ label }) => label).join()
    await expect.poll(labels).toContain('db-backup')
    expect(await app.quit()).toBe(0)
    expect(app.output()).not.toContain('Warning')
  })
})

test.describe('the scripts of the page', () => {
  test('have V8 compile the first view’s code while loading, and not that of the other views', () => {
    const folder = join(projectRoot, 'out/renderer/assets')
    const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'))
    const unhinted = scripts.filter((name) => {
      const text = readFileSync(join(folder, name), 'utf8')
      return !text.startsWith('//# allFunctionsCalledOnLoad\n')
    })
    expect(scripts.length).toBeGreaterThan(unhinted.length)
    expect(unhinted).toEqual([expect.stringMatching(/^later-views-/)])
  })
})

test.describe('the compile cache of main', () => {
  // Node supports one cache folder, which the stand-in would otherwise occupy.
  test.beforeAll(() => {
    process.env['NODE_COMPILE_CACHE'] = ''
  })
  test.afterAll(() => {
    delete process.env['NODE_COMPILE_CACHE']
  })

  const kept = (userData: string, build: string): string[] =>
    readdirSync(join(userData, 'compiled', build), { recursive: true }).map(String)

  test('is kept for the next start, and that of an older build removed', async ({ belfry }) => {
    const folder = join(belfry.userData, 'compiled')
    const older = join(folder, 'main-0aB_c-12.cjs')
    for (const name of [older, join(folder, 'of mine')]) mkdirSync(name, { recursive: true })
    await expect.poll(() => existsSync(older), { timeout: 30_000 }).toBe(false)
    const [build = '', ...others] = readdirSync(folder).toSorted()
    expect(others).toEqual(['of mine'])
    // Named after its contents, since all files in an archive have the time of the start.
    expect(readdirSync(join(projectRoot, 'out/main'))).toContain(build)
    const files = kept(belfry.userData, build)
    expect(files.length).toBeGreaterThan(3)
    await belfry.relaunch()
    await expect(belfry.window.getByRole('button', { name: 'Explore the demo' })).toBeVisible()
    expect(kept(belfry.userData, build).toSorted()).toEqual(files.toSorted())
  })

  test.describe('in the demo', () => {
    test.use({ appArguments: ['--demo'] })

    test('is not kept, like everything else', async ({ belfry }) => {
      await belfry.app.evaluate(() => process.getBuiltinModule('node:module').flushCompileCache())
      expect(existsSync(join(belfry.userData, 'compiled'))).toBe(false)
    })
  })
})

test('the demo deletes no file that waits to be uploaded', async ({ belfry }) => {
  const folder = join(belfry.userData, 'files')
  const file = join(folder, `${crypto.randomUUID()}.content`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, 'pasted')
  await belfry.relaunch('--demo')
  await expect(belfry.window.getByRole('treeitem', { name: /db-backup/ })).toBeVisible()
  await belfry.quit()
  expect(existsSync(file)).toBe(true)
  // Control: a start that knows of no such upload deletes it.
  await belfry.relaunch()
  await expect.poll(() => existsSync(file)).toBe(false)
})

test('draws the board of the last run before it asks a server', async ({
  belfry,
  window,
  server,
}) => {
  const row = (page: typeof window) => page.getByRole('treeitem', { name: /db-backup/ })
  await connectOps(window, server)
  await expect(row(window)).toBeVisible()
  await belfry.quit()
  const before = server.log.length
  await belfry.relaunch()
  await expect(row(belfry.window)).toBeVisible()
  await expect.poll(() => server.log.length).toBeGreaterThan(before)
  expect(server.log[before]?.at).toBeGreaterThan(await ran(belfry.window))
})

/** When the page had run its code, in epoch ms: it draws right after that. */
function ran(page: Page): Promise<number> {
  return page.evaluate(() => {
    const [load] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
    if (load === undefined) throw new Error('the page was not loaded')
    return performance.timeOrigin + load.domContentLoadedEventEnd
  })
}

test.describe('a start after a power cut', () => {
  test('opens on the data that the first one stored', async ({ belfry }) => {
    await belfry.kill()
    await belfry.relaunch()
    await expect(belfry.window.getByRole('button', { name: 'Explore the demo' })).toBeVisible()
  })
})

test.describe('a start while the app is quitting', () => {
  test('happens once it has quit, with the arguments given', async ({
    belfry,
    window,
    desktop,
  }) => {
    await expect(window.getByRole('main')).toBeVisible()
    const args = [`--user-data=${belfry.userData}`, '--password-store=basic', '.', '--demo']
    const ends = (app: typeof belfry.app): Promise<void> =>
      app.evaluate(
        (electron, argv) => {
          electron.app.quit()
          electron.app.emit('second-instance', {}, argv)
        },
        [appProgram().path, ...args],
      )
    expect(await belfry.endedBy(ends)).toBe(0)
    const item = () => desktop.items.waitFor((one) => one === desktop.items.all.at(-1))
    await expect(async () => {
      const labels = (await desktop.menu(await item())).map(({ label }) => label)
      expect(labels.join()).toContain('db-backup')
    }).toPass()
    const last = await item()
    await desktop.clickMenu(last, 'Quit')
    await expect.poll(() => desktop.isThere(last)).toBe(false)
  })
})

test.describe('a second start', () => {
  // A login may start it twice: by its own entry, and by restoring the last session.
  test('into the tray leaves the window hidden', async ({ belfry, window }) => {
    await expect(window.getByRole('main')).toBeVisible()
    const visibleAfter = (...args: string[]) =>
      belfry.app.evaluate(({ app, BrowserWindow }, argv) => {
        const [first] = BrowserWindow.getAllWindows()
        first?.hide()
        app.emit('second-instance', {}, argv)
        return first?.isVisible()
      }, args)
    expect(await visibleAfter('belfry', '--hidden')).toBe(false)
    expect(await visibleAfter('belfry')).toBe(true)
  })

  const hostile = [
    ...['belfry://add?url=https://evil.example', 'https://evil.example/', 'file:///etc/passwd'],
    ...['--demo', '--hidden', '--url=https://evil.example', '--', 'javascript:alert(1)', '\u202e'],
  ]

  test('shows the window of the first and exits, whatever its arguments', async ({
    belfry,
    window,
  }) => {
    await window.getByRole('button', { name: 'Explore the demo' }).waitFor()
    const home = window.url()
    const visible = () =>
      belfry.app.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows().map((one) => one.isVisible()),
      )
    for (const given of [[], hostile]) {
      await belfry.app.evaluate(({ BrowserWindow }) => {
        for (const one of BrowserWindow.getAllWindows()) one.hide()
      })
      await expect.poll(visible).toEqual([false])
      const args = ['.', `--user-data=${belfry.userData}`, '--password-store=basic', ...given]
      const second = spawn(appProgram().path, args, {
        cwd: projectRoot,
        env: belfry.env,
        stdio: 'ignore',
      })
      await once(second, 'exit')
      expect(second.exitCode).toBe(0)
      await expect.poll(visible).toEqual([true])
    }
    expect(window.url()).toBe(home)
    expect(await belfry.opened()).toEqual([])
    expect(await belfry.questions()).toEqual([])
    await expect(window.getByRole('button', { name: 'Explore the demo' })).toBeVisible()
  })
})
