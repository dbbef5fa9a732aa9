import type { ElectronApplication } from 'playwright/test'
import { connectChat, connectOps } from './connect.ts'
import { type Belfry, expect, inPage, test } from './fixtures.ts'

const crash = (belfry: Belfry): Promise<void> =>
  belfry.app.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer(),
  )

/** What is shown, with the text of the composer and the focused element. */
const page = `JSON.stringify({
  heading: document.querySelector('h1, h2')?.textContent ?? '',
  text: document.querySelector('textarea')?.value ?? '',
  focused: document.activeElement?.tagName ?? '',
})`

/** While a page is loading, nobody can answer. */
const seen = (belfry: Belfry): Promise<string> =>
  inPage(belfry, page).then(String, () => 'no page to ask')

/** Counts page loads in main from now on, with the time at which each ended. */
const countLoads = (belfry: Belfry): Promise<void> =>
  belfry.app.evaluate(({ BrowserWindow }) => {
    const contents = BrowserWindow.getAllWindows()[0]?.webContents
    const times: number[] = []
    Object.assign(globalThis, { belfryLoads: times })
    contents?.on('did-finish-load', () => times.push(Date.now()))
  })
const loads = (belfry: Belfry): Promise<readonly number[]> =>
  belfry.app.evaluate(
    () => (globalThis as unknown as { belfryLoads: readonly number[] }).belfryLoads,
  )

const ways = {
  crashes: crash,
  hangs: async (belfry: Belfry) => {
    // Never answers: it ends with the page.
    belfry.window.evaluate('for (;;) {}').catch(() => undefined)
  },
}

test.describe('a window', () => {
  for (const [how, harm] of Object.entries(ways))
    test(`that ${how} is back, with a way to its place and its text, and the watch goes on meanwhile`, async ({
      belfry,
      window,
      server,
      desktop,
    }) => {
      await connectChat(window, server)
      await window.getByRole('button', { name: /db-primary/ }).click()
      const composer = window.getByRole('textbox', { name: /Reply to/ })
      await composer.fill('half a sentence')
      await expect.poll(async () => (await belfry.documents())['drafts.json']).toContain('half a')
      await countLoads(belfry)
      const harmedAt = Date.now()
      await harm(belfry)
      server.world.realm.controls.say({ from: 'Boris', to: 'Boris', text: 'are you there?' })
      await desktop.notifications.waitFor(({ body }) => body.includes('are you there?'))
      await expect
        .poll(() => inPage(belfry, `document.body.textContent`).then(String, () => ''))
        .toContain('The window stopped working and was opened again here.')
      // The focus isn’t in what may have crashed the page.
      await expect.poll(() => seen(belfry)).toContain('"text":""')
      await expect(async () => {
        await inPage(belfry, `document.querySelector('.troubles span button')?.click()`)
      }).toPass()
      await expect.poll(() => seen(belfry)).toMatch(/"text":"half a sentence","focused":"TEXTAREA"/)
      const [first = 0] = await loads(belfry)
      process.stdout.write(`a window that ${how}: loaded again after ${first - harmedAt} ms\n`)
      const ids = server.world.realm.controls
        .messages()
        .filter(({ content }) => content === 'are you there?')
      expect(ids).toHaveLength(1)
    })

  test('that crashes again and again shows a plain page, and opens again on request', async ({
    belfry,
    window,
  }) => {
    await expect(window.getByRole('button', { name: 'Explore the demo' })).toBeVisible()
    for (let crashes = 1; crashes <= 4; crashes += 1) {
      await expect(async () => {
        await inPage(belfry, 'globalThis.isOld = true')
      }).toPass()
      await crash(belfry)
      // Waits for the next page, since a crash before it exists would do nothing.
      await expect
        .poll(() =>
          inPage(belfry, 'globalThis.isOld === true').then(String, () => 'no page to ask'),
        )
        .toBe('false')
    }
    await expect.poll(() => seen(belfry)).toContain('This window stopped working several times')
    await inPage(belfry, `document.querySelector('a').click()`).catch(() => undefined)
    await expect
      .poll(() => inPage(belfry, 'document.body.textContent').then(String, () => ''))
      .toContain('Explore the demo')
  })
})

const close = (belfry: Belfry): Promise<void> =>
  belfry.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close())
const isMinimized = (belfry: Belfry): Promise<boolean | undefined> =>
  belfry.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isMinimized())

test.describe('a computer without a tray', () => {
  test.use({ desktopParts: { watcher: false } })

  test('minimises the window when it is closed, and goes on watching', async ({
    belfry,
    window,
    server,
    desktop,
  }) => {
    await connectChat(window, server)
    await close(belfry)
    await expect.poll(() => isMinimized(belfry)).toBe(true)
    server.world.realm.controls.say({ from: 'Boris', to: 'Boris', text: 'are you there?' })
    await desktop.notifications.waitFor(({ body }) => body.includes('are you there?'))
  })

  test('quits when the minimised window is closed, but not after it was restored', async ({
    belfry,
    window,
  }) => {
    await expect(window.getByRole('main')).toBeVisible()
    await close(belfry)
    await expect.poll(() => isMinimized(belfry)).toBe(true)
    await belfry.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.restore())
    await expect.poll(() => isMinimized(belfry)).toBe(false)
    await close(belfry)
    // At once, before the window manager has reported that it is minimised.
    expect(await belfry.endedBy(() => close(belfry))).toBe(0)
  })
})

test.describe('a bug in main', () => {
  test('that nobody caught is reported without its message, and the app carries on', async ({
    belfry,
    window,
  }) => {
    const child = belfry.app.process()
    const told = new Promise<string>((resolve) => {
      let text = ''
      child.stderr?.on('data', (part: Buffer) => {
        text += part.toString()
        if (text.includes('uncaught') && text.includes('unhandled')) resolve(text)
      })
    })
    await belfry.app.evaluate(() => {
      setTimeout(() => {
        throw new Error('secret words')
      }, 0)
      void Promise.reject(new Error('secret words'))
    })
    const text = await told
    expect(text).toContain('belfry: uncaught: Error')
    expect(text).not.toContain('secret words')
    await window.getByRole('button', { name: 'Connect a chat account' }).click()
    await expect(window.getByLabel('E-mail', { exact: true })).toBeVisible()
    await expect.poll(async () => Object.keys(await belfry.documents())).toContain('settings.json')
  })
})

const signal = (name: NodeJS.Signals) => (app: ElectronApplication) => void app.process().kill(name)

/** How the system, or whoever started it, asks the app to quit. */
const ends = {
  'SIGTERM, as at a logout': signal('SIGTERM'),
  'SIGHUP, as when its terminal closes': signal('SIGHUP'),
  'SIGINT, as by Ctrl+C': signal('SIGINT'),
  'the computer as it goes down': (app: ElectronApplication) =>
    app.evaluate(({ powerMonitor }) => void powerMonitor.emit('shutdown')),
}

test.describe('quitting', () => {
  for (const [how, end] of Object.entries(ends))
    test(`by ${how} keeps what was typed and leaves no event queue behind`, async ({
      belfry,
      window,
      server,
    }) => {
      await connectOps(window, server)
      await connectChat(window, server)
      await window.getByRole('button', { name: /db-primary/ }).click()
      await window.getByRole('textbox', { name: /Reply to/ }).fill('last words')
      // A killing signal would leave null instead.
      expect(await belfry.endedBy(end)).toBe(0)
      const { 'drafts.json': drafts, 'accounts.json': accounts } = await belfry.documents()
      expect(drafts).toContain('last words')
      expect(accounts).toMatch(/ops-project.*dana@belfry\.example/s)
      const queues = server.log.filter(
        ({ method, path }) => method === 'DELETE' && path.includes('/events'),
      )
      expect(queues).toHaveLength(1)
      await belfry.relaunch()
      await expect(belfry.window.getByRole('tab', { name: /Checks \d+ down/ })).toBeVisible()
      await expect(belfry.window.getByRole('tab', { name: /Chat \d+ unread/ })).toBeVisible()
    })

  test('by SIGTERM just as its window is closed keeps what was typed just before', async ({
    belfry,
    window,
    server,
  }) => {
    await connectChat(window, server)
    await window.getByRole('button', { name: /db-primary/ }).click()
    const field = window.getByRole('textbox', { name: /Reply to/ })
    await field.fill('first')
    await expect
      .poll(async () => (await belfry.documents())['drafts.json'] ?? '')
      .toContain('first')
    // Playwright has the page believe that it is always visible.
    const session = await window.context().newCDPSession(window)
    await session.send('Emulation.setFocusEmulationEnabled', { enabled: false })
    await field.press('End')
    const end = async (app: ElectronApplication): Promise<void> => {
      await window.keyboard.type(' and last words')
      await app.evaluate(({ BrowserWindow }) => {
        BrowserWindow.getAllWindows()[0]?.close()
        process.kill(process.pid, 'SIGTERM')
      })
    }
    expect(await belfry.endedBy(end)).toBe(0)
    expect((await belfry.documents())['drafts.json']).toContain('first and last words')
  })
})
