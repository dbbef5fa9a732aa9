import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright/test'
import { keyringLock } from '../chromium-host/keyring-lock.ts'
import { reportSecurity } from '../security/report.ts'
import { appProgram } from '../support/app-program.ts'
import { hasOpenssl, makeCertificates } from '../support/certificates.ts'
import { serveRecording } from '../support/recording-server.ts'
import {
  collectFiles,
  collectHeap,
  collectIpc,
  collectPage,
  collectProcesses,
  collectStorage,
  keep,
  type Places,
  recordIpc,
} from '../support/secret-places.ts'
import { encodings, found, needlesOf } from '../support/secret-search.ts'
import type { FakeDesktop } from '../support/session-bus.ts'
import type { WorldServer } from '../support/world-server.ts'
import { connectOps, connectWeb, fillMonitoring } from './connect.ts'
import { type Belfry, expect, inPage, test } from './fixtures.ts'

/** A read-only key of ops, which replaces its first key. */
const secondKey = `hcr_${'DemoOpsReadOnly'.padEnd(28, '0')}`
/** Typed into the form, and refused. */
const refusedKey = 'hcw_canaryRefusedCanaryRefused01'
/** Typed for servers that answer with a redirect, nonsense, a 500 or bad TLS. */
const faultKey = 'hcw_canaryFaultyCanaryFaulty0002'
/** Not a secret: planted everywhere on purpose, to see that the search finds it there. */
const plantedKey = 'hcw_plantedEverywherePlanted0003'

async function openMenu(window: Page, item: string): Promise<void> {
  await window.getByRole('button', { name: 'More', exact: true }).click()
  await window.getByRole('menuitem', { name: item }).click()
}

interface Around {
  readonly belfry: Belfry
  readonly desktop: FakeDesktop
  readonly server: WorldServer
}

/** Collects everything observable while the app runs. */
function watch({ belfry, desktop, server }: Around, places: Places) {
  const processes = () => collectProcesses(belfry.app.process().pid ?? 0, places)
  return {
    step: async (): Promise<void> => {
      await collectPage(belfry.window, places)
      await processes()
    },
    heap: async (): Promise<number> => {
      const session = await belfry.window.context().newCDPSession(belfry.window)
      const size = await collectHeap(belfry.app, session, places)
      await session.detach()
      return size
    },
    surroundings: async (): Promise<void> => {
      await collectIpc(belfry.app, places)
      await collectStorage(belfry.window, places)
      await collectFiles(belfry.userData, places)
      await processes()
      keep(places, 'standard output and error', belfry.output())
      keep(places, 'notifications', JSON.stringify(desktop.notifications.all))
      const copied = await belfry.app.evaluate(({ clipboard }) => clipboard.readText())
      keep(places, 'clipboard', copied)
      const tray = desktop.items.all.at(-1)
      if (tray !== undefined)
        keep(places, 'tray', JSON.stringify(await desktop.menu(tray)).replaceAll('__', '_'))
      const asked = server.log.map(({ path, headers }) => `${path} ${headers['user-agent'] ?? ''}`)
      keep(places, 'addresses asked for', asked.join('\n'))
    },
  }
}

/** Types keys for servers that fail in every way, and waits until the form says so. */
async function tryFaults(window: Page, step: () => Promise<void>): Promise<void> {
  const answers = [
    'HTTP/1.1 302 Found\r\nlocation: http://elsewhere.example/\r\ncontent-length: 0\r\n\r\n',
    'HTTP/1.1 500 Oops\r\ncontent-length: 4\r\n\r\noops',
    'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{"checks"',
    'garbage that is no HTTP\r\n\r\n',
  ]
  const servers = await Promise.all(answers.map((answer) => serveRecording({ answer })))
  const addresses = servers.map(({ port }) => `http://127.0.0.1:${port}`)
  if (hasOpenssl()) {
    const untrusted = await serveRecording({ tls: makeCertificates().good })
    servers.push(untrusted)
    addresses.push(`https://127.0.0.1:${untrusted.port}`)
  }
  for (const address of addresses) {
    await window.getByLabel('Address', { exact: true }).fill(address)
    await window.getByLabel('API key', { exact: true }).fill(faultKey)
    await window.getByRole('button', { name: 'Try the key' }).click()
    await expect(
      window
        .getByLabel('Address', { exact: true })
        .and(window.locator('[aria-invalid="true"]'))
        .or(window.getByRole('status').locator('.field-error')),
    ).toBeVisible()
    await step()
  }
  await Promise.all(servers.map((one) => one.close()))
}

/** Walks through every view, once all accounts exist. */
async function walk(window: Page, step: () => Promise<void>): Promise<void> {
  await window.getByRole('tab', { name: /Checks/ }).click()
  await step()
  await window.getByRole('treeitem', { name: /db-backup/ }).click()
  await expect(window.getByRole('heading', { name: 'db-backup' })).toBeVisible()
  await step()
  await window.getByRole('button', { name: 'Edit', exact: true }).click()
  await expect(window.getByRole('button', { name: 'Save' })).toBeVisible()
  await step()
  await window.keyboard.press('Escape')
  await window.getByRole('tab', { name: /Chat/ }).click()
  await window
    .getByRole('button', { name: /Ana Kovač/ })
    .first()
    .click()
  await step()
  await window.keyboard.press('Control+k')
  await window.keyboard.type('>get a single check')
  await window.keyboard.press('Enter')
  await window.getByRole('combobox', { name: 'Check', exact: true }).selectOption('db-backup')
  await window.getByText('Request', { exact: true }).click()
  await expect(window.getByRole('region', { name: 'Request without the key' })).toBeVisible()
  await step()
  await window.getByRole('button', { name: 'Copy as curl' }).click()
  await expect(window.getByRole('button', { name: 'Copied' })).toBeVisible()
  await window.keyboard.press('Escape')
  await window.keyboard.press('Escape')
  for (const view of ['Notifications', 'Accounts', 'Settings']) {
    if (view === 'Notifications')
      await window.getByRole('button', { name: /^Notifications/ }).click()
    else await openMenu(window, view)
    await expect(window.getByRole('heading', { name: view, exact: true })).toBeVisible()
    await step()
  }
}

/** Saves the report that users send to strangers, so that the file search covers it. */
async function saveReport({ app, userData }: Belfry, window: Page): Promise<void> {
  await app.evaluate(
    ({ dialog }, filePath) => {
      dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath })
    },
    join(userData, 'report.txt'),
  )
  await openMenu(window, 'Diagnostics')
  await window.getByRole('button', { name: 'Save a report' }).click()
  await expect(window.getByText('The report was saved.')).toBeVisible()
}

/** Replaces the key of ops, with or without a keyring. */
async function replaceKey(window: Page, key: string): Promise<void> {
  await openMenu(window, 'Accounts')
  const ops = window.getByRole('listitem', { name: 'ops-project' })
  await ops.getByRole('button', { name: /^(Replace|Enter) key$/ }).click()
  await window.getByLabel('New API key', { exact: true }).fill(key)
  await window
    .getByRole('main')
    .getByRole('button', { name: /^(Replace|Enter) key$/ })
    .click()
  await expect(window.getByLabel('New API key', { exact: true })).toHaveCount(0)
}

/** The planted key in every text encoding, joined. */
function planted(email: string): string {
  return [
    plantedKey,
    Buffer.from(plantedKey).toString('base64'),
    Buffer.from(`${email}:${plantedKey}`).toString('base64'),
    [...Buffer.from(plantedKey)].map((byte) => `%${byte.toString(16)}`).join(''),
    Buffer.from(plantedKey).toString('hex'),
    [...Buffer.from(plantedKey)].join(','),
  ].join(' ')
}

/** Plants the non-secret key in each place, by the way a leak would take. */
async function plant({ belfry, server }: Around, text: string): Promise<void> {
  const { app, window, userData } = belfry
  writeFileSync(join(userData, 'data', `${plantedKey}.log`), Buffer.from(plantedKey, 'utf16le'))
  writeFileSync(join(userData, 'data', 'planted.log'), text)
  await app.evaluate(({ clipboard }, told) => clipboard.writeText(told), text)
  await app.evaluate((_electron, told) => {
    process.stderr.write(`${told}\n`)
    process.stdout.write(`${told}\n`)
  }, text)
  await app.evaluate(async (_electron, told) => {
    const { spawn } = process.getBuiltinModule('node:child_process')
    const child = spawn('sleep', ['20'], { argv0: told, env: { LEAK: told }, stdio: 'ignore' })
    await new Promise((resolve) => child.once('spawn', resolve))
  }, text)
  await window.evaluate((told) => {
    localStorage.setItem('leak', told)
    Object.assign(window, { leak: { told: `${told} ` } })
    const input = document.createElement('input')
    input.value = told
    input.setAttribute('aria-label', told)
    document.body.append(input)
  }, text)
  // In the input and output of commands, and in a pushed message.
  await window.evaluate(async (told) => {
    await document.defaultView!.bridge.call('copyText', { text: told })
    await document.defaultView!.bridge.call('dismissTrouble', { id: told })
    await document.defaultView!.bridge.call('openLink', { url: `x:${told}` })
  }, text)
  // Checks that are down are named in the tray's menu.
  for (const { fields } of server.world.ops.table.checks.values())
    if (/^(invoices-nightly|db-backup)$/.test(fields.name)) fields.name = plantedKey
  await fetch(`${server.urls.web}/${plantedKey}`)
  server.world.realm.controls.say({ from: 'Ana', to: 'Ana', text })
  await window.getByRole('button', { name: 'Refresh now' }).click()
  // A name in a response; the account ids are read from disk.
  const kept = (await belfry.documents())['accounts.json'] ?? ''
  const ids = [...kept.matchAll(/[\da-f]{8}-[\da-f-]{27}/g)].map(([id]) => id)
  await window.evaluate(async (accountIds) => {
    for (const accountId of accountIds)
      await document.defaultView!.bridge.call('run', {
        accountId,
        operation: 'listChecks',
        params: {},
      })
  }, ids)
}

test('keys are only where they belong, whatever is opened and whatever fails', async ({
  belfry,
  server,
  desktop,
  window,
}) => {
  test.skip(process.platform !== 'linux', 'command lines are read from /proc')
  const { world } = server
  const { email, key: chatKey } = world.realm.user
  const places: Places = new Map()
  const around = { belfry, server, desktop }
  const look = watch(around, places)
  await recordIpc(belfry.app)

  await test.step('keys that are refused', async () => {
    await expect(window.getByRole('button', { name: 'Explore the demo' })).toBeVisible()
    await look.step()
    await fillMonitoring(window, { address: server.urls.ops, key: refusedKey, name: 'ops' })
    await window.getByRole('button', { name: 'Connect', exact: true }).click()
    await expect(window.getByLabel('API key', { exact: true })).toBeFocused()
    await look.step()
    await tryFaults(window, look.step)
    await openMenu(window, 'Accounts')
    await look.step()
    expect(await look.heap()).toBeGreaterThan(100_000)
  })

  await test.step('keys that work', async () => {
    await connectOps(window, server)
    await connectWeb(window, server)
    await openMenu(window, 'Accounts')
    await window.getByRole('button', { name: 'Connect a chat account' }).click()
    const zuliprc = `[api]\nemail=${email}\nkey=${chatKey}\nsite=${server.urls.chat}\n`
    // Not `setInputFiles`: Playwright would keep a reference to that input, and so to the form.
    await window.evaluate((text) => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([text], 'zuliprc'))
      const drop = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true })
      document.querySelector('.drop')?.dispatchEvent(drop)
    }, zuliprc)
    await expect(window.getByLabel('E-mail')).toHaveValue(email)
    await look.step()
    await window.getByRole('button', { name: 'Connect', exact: true }).click()
    await expect(window.getByRole('button', { name: /Ana Kovač.*unread/ }).first()).toBeVisible()
    await walk(window, look.step)
    await saveReport(belfry, window)
    await look.step()
    await look.heap()
    await look.surroundings()
  })

  await test.step('a server that refuses, and a keyring that does', async () => {
    world.ops.controls.refuse(401)
    await window.getByRole('button', { name: 'Refresh now' }).click()
    await desktop.notifications.waitFor(({ title }) => title.includes('key rejected'))
    await openMenu(window, 'Accounts')
    await look.step()
    world.ops.controls.refuse(null)
    await belfry.app.evaluate(({ safeStorage }) => {
      Object.assign(safeStorage, {
        encryptStringAsync: () => Promise.reject(new Error('temporarily unavailable')),
      })
    })
    await replaceKey(window, secondKey)
    await look.step()
    for (const fault of [500, 403]) {
      world.web.controls.refuse(fault)
      world.realm.controls.refuse(fault)
      await window.getByRole('button', { name: 'Refresh now' }).click()
      await look.step()
    }
    world.web.controls.refuse(null)
    world.realm.controls.refuse(null)
    world.web.controls.captive(true)
    await window.getByRole('button', { name: 'Refresh now' }).click()
    await look.step()
    world.web.controls.captive(false)
    await look.heap()
    await look.surroundings()
  })

  await test.step('an exception in main with keys in its words, and a page that crashes', async () => {
    const words = [world.newAccounts.ops.key, secondKey, chatKey].join(' ')
    await belfry.app.evaluate((_electron, told) => {
      setImmediate(() => {
        throw Object.assign(new Error(told, { cause: told }), { name: `Error ${told}` })
      })
    }, words)
    await expect.poll(() => belfry.output()).toContain('belfry: uncaught')
    await belfry.app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer(),
    )
    await expect
      .poll(async () => {
        const html = await inPage(belfry, 'document.documentElement.outerHTML').then(
          String,
          () => '',
        )
        keep(places, 'DOM', html)
        return html
      })
      .toContain('tab-checks')
    await collectFiles(belfry.userData, places)
    await collectIpc(belfry.app, places)
  })

  await test.step('a start with a keyring that is locked, and unlocked later', async () => {
    // The test can't lock the system's own keyring.
    if (appProgram().isOwn) return
    const lock = join(belfry.userData, keyringLock)
    writeFileSync(lock, '')
    await belfry.relaunch()
    await recordIpc(belfry.app)
    await openMenu(belfry.window, 'Accounts')
    const locked = belfry.window.getByText(/keyring is locked/).first()
    await expect(locked).toBeVisible()
    await look.step()
    await look.heap()
    rmSync(lock)
    await belfry.window.getByRole('button', { name: 'Refresh now' }).click()
    await expect(locked).toHaveCount(0)
    await look.step()
    await look.heap()
    await look.surroundings()
  })

  await test.step('a start without a keyring, and a key for this session only', async () => {
    await belfry.relaunch('--password-store=basic')
    await recordIpc(belfry.app)
    await replaceKey(belfry.window, secondKey)
    await look.step()
    await look.heap()
    await look.surroundings()
  })

  const secrets = {
    'monitoring, read and write': needlesOf(world.newAccounts.ops.key),
    'monitoring, read only': needlesOf(world.newAccounts.web.key),
    'chat, from a zuliprc': needlesOf(chatKey, [email]),
    'typed and refused': needlesOf(refusedKey),
    'typed for a fault': needlesOf(faultKey),
    'put in place of another': needlesOf(secondKey),
  }
  const hits = [...places].flatMap(([place, seen]) =>
    Object.entries(secrets).flatMap(([name, needles]) => {
      const forms = new Set(seen.flatMap((one) => found(needles, one)))
      return forms.size === 0 ? [] : [`${place}: ${name} (${[...forms].join(', ')})`]
    }),
  )
  expect(hits).toEqual([])

  await test.step('the same search finds what is planted in each place', async () => {
    const text = planted(email)
    const needles = needlesOf(plantedKey, [email])
    const again: Places = new Map()
    const lookAgain = watch(around, again)
    const past = [...desktop.items.all]
    // With the keyring, since the chat account's message is one of the ways to leak.
    await belfry.relaunch()
    await recordIpc(belfry.app)
    await belfry.window.getByRole('tab', { name: /Chat/ }).click()
    await expect(belfry.window.getByRole('button', { name: /Ana Kovač/ }).first()).toBeVisible()
    await plant(around, text)
    await desktop.notifications.waitFor(({ title, body }) => (title + body).includes(plantedKey))
    const tray = await desktop.items.waitFor((item) => !past.includes(item))
    await expect
      .poll(async () => JSON.stringify(await desktop.menu(tray)).replaceAll('__', '_'))
      .toContain(plantedKey)
    await lookAgain.step()
    await lookAgain.heap()
    await lookAgain.surroundings()
    const missed = [...places.keys()].filter(
      (place) => !(again.get(place) ?? []).some((one) => found(needles, one).length > 0),
    )
    writeResult(places.size, hits.length, places.size - missed.length)
    expect(missed).toEqual([])
  })
})

function writeResult(places: number, hits: number, seen: number): void {
  const folder = join(test.info().project.outputDir, '..')
  const result = { encodings: encodings.length, places, hits, planted: places, found: seen }
  reportSecurity('canary', result, folder)
}
