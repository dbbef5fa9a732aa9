import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkButtons, messageButtons } from '../support/eg.ts'
import { startQuietDesktop } from '../support/quiet-desktop.ts'
import type { FakeDesktop } from '../support/session-bus.ts'
import type { WorldServer } from '../support/world-server.ts'
import { connectChat, connectOps } from './connect.ts'
import { type Belfry, expect, test } from './fixtures.ts'

test.use({ desktopParts: { notifications: { capabilities: ['actions', 'body', 'inline-reply'] } } })

/** How each stored silence works, and on what. */
async function silences(belfry: Belfry): Promise<readonly string[]> {
  const text = await readFile(join(belfry.userData, 'data', 'silences.json'), 'utf8').catch(
    // The file may not be written yet.
    () => '{"value":[]}',
  )
  const { value } = JSON.parse(text) as { value: readonly { how: string; label: string }[] }
  return value.map(({ how, label }) => `${how} ${label}`)
}

/** Waits until the tray shows this number of checks that are down. */
async function countsDown(count: number, desktop: FakeDesktop): Promise<void> {
  const item = await desktop.items.waitFor(() => true)
  await expect
    .poll(async () => JSON.stringify(await desktop.trayProperty(item, 'ToolTip')))
    .toContain(`${count} down`)
}

async function hide(belfry: Belfry): Promise<void> {
  await belfry.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.hide())
}

/** Takes one of the project's checks down, and waits until the app sees it. */
async function goDown(name: string, desktop: FakeDesktop, server: WorldServer): Promise<void> {
  const item = await desktop.items.waitFor(() => true)
  server.world.ops.controls.goDown(name)
  server.world.ops.tick()
  await desktop.clickMenu(item, 'Refresh now')
}

test.describe('the notification of a check that is down', () => {
  test('names nothing while systemd says that the screen is locked', async ({
    window,
    server,
    desktop,
  }) => {
    const lock = await startQuietDesktop(desktop.address)
    await connectOps(window, server)
    await lock.set('logind', true)
    await lock.serve('logind')
    await expect.poll(() => lock.lockAsked()).toBeGreaterThan(0)
    await goDown('cert-renew', desktop, server)
    const hidden = await desktop.notifications.waitFor(({ title }) => /down/.test(title))
    expect([hidden.title, hidden.body]).toEqual(['Something is down', ''])
    await lock.set('logind', false)
    // The bus handles messages in order, so an answer to the next one means it has the signal.
    await lock.leave('gnome')
    server.world.ops.controls.recover('cert-renew')
    await desktop.clickMenu(await desktop.items.waitFor(() => true), 'Refresh now')
    await desktop.notifications.waitFor(({ title }) => title === 'cert-renew is up again')
    await lock.stop()
  })

  test('acknowledges once, however often the desktop says so, and disappears', async ({
    window,
    server,
    desktop,
    belfry,
  }) => {
    await connectOps(window, server)
    await hide(belfry)
    await goDown('cert-renew', desktop, server)
    const shown = await desktop.notifications.waitFor((one) => one.title === 'cert-renew is down')
    expect(shown.actions.slice(2)).toEqual(checkButtons)
    desktop.press(shown.id, 'acknowledge')
    desktop.press(shown.id, 'acknowledge')
    desktop.press(shown.id, 'snooze')
    await desktop.closed.waitFor((closed) => closed === shown.id)
    await expect.poll(() => silences(belfry)).toEqual(['acknowledge cert-renew'])
    expect(
      await belfry.app.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows()[0]?.isVisible(),
      ),
    ).toBe(false)
  })

  test('snoozes for an hour: until then, nothing more is notified about that check', async ({
    window,
    server,
    desktop,
    belfry,
  }) => {
    await connectOps(window, server)
    await goDown('cert-renew', desktop, server)
    const shown = await desktop.notifications.waitFor((one) => one.title === 'cert-renew is down')
    desktop.act(shown.id, 'snooze')
    await expect.poll(() => silences(belfry)).toEqual(['snooze cert-renew'])
    const item = await desktop.items.waitFor(() => true)
    server.world.ops.controls.recover('cert-renew')
    await desktop.clickMenu(item, 'Refresh now')
    await expect(window.getByRole('treeitem', { name: /cert-renew.*up/ })).toBeVisible()
    await goDown('search-reindex', desktop, server)
    await desktop.notifications.waitFor((one) => one.title === 'search-reindex is down')
    const told = desktop.notifications.all.filter(({ title }) => title.includes('cert-renew'))
    expect(told).toHaveLength(1)
  })
})

test.describe('the notification of a message', () => {
  test('shows a stranger’s markup and options as text, and sends an inline reply once', async ({
    window,
    server,
    desktop,
    belfry,
  }) => {
    await connectChat(window, server)
    await hide(belfry)
    const { controls } = server.world.realm
    controls.say({ from: 'Boris', to: 'Boris', text: '`--icon=/etc/passwd <b>x</b>`\u202egnp' })
    const shown = await desktop.notifications.waitFor(({ body }) => body.includes('--icon'))
    expect([shown.icon, shown.body]).toEqual(['', '--icon=/etc/passwd <b>x</b>gnp'])
    expect(shown.actions.slice(2)).toEqual(['inline-reply', ...messageButtons.slice(1)])
    desktop.reply(shown.id, 'on my way')
    desktop.reply(shown.id, 'on my way')
    const sent = () => controls.messages().filter(({ content }) => content === 'on my way')
    await expect.poll(() => sent().length).toBe(1)
    // A later message shows that nothing of the second reply is still in flight.
    controls.say({ from: 'Boris', to: 'Boris', text: 'thanks' })
    const next = await desktop.notifications.waitFor(({ body }) => body.includes('thanks'))
    desktop.reply(next.id, 'no problem')
    await expect
      .poll(() => controls.messages().filter(({ content }) => content === 'no problem').length)
      .toBe(1)
    expect(sent()).toHaveLength(1)
  })

  test('gives back the text of a reply that failed', async ({ window, server, desktop }) => {
    await connectChat(window, server)
    const { controls } = server.world.realm
    controls.say({ from: 'Boris', to: 'Boris', text: 'is the lock gone?' })
    const shown = await desktop.notifications.waitFor(({ body }) => body.includes('lock gone?'))
    controls.refuse(400, 'sendMessage')
    desktop.reply(shown.id, 'since noon')
    const failed = await desktop.notifications.waitFor(({ title }) => title.startsWith('Not sent'))
    expect(failed.body).toContain('since noon')
    desktop.act(failed.id, 'default')
    await expect(window.getByText('since noon').first()).toBeVisible()
  })
})

test.describe('the desktop’s do-not-disturb', () => {
  test('holds pop-ups back, and what came meanwhile is summed up in one afterwards', async ({
    window,
    server,
    desktop,
    belfry,
  }) => {
    await connectOps(window, server)
    await countsDown(2, desktop)
    await hide(belfry)
    desktop.disturb(true)
    await goDown('cert-renew', desktop, server)
    await countsDown(3, desktop)
    await goDown('search-reindex', desktop, server)
    await countsDown(4, desktop)
    expect(desktop.notifications.all).toEqual([])
    desktop.disturb(false)
    const digest = await desktop.notifications.waitFor(({ title }) => title.includes('away'))
    expect(digest.body).toContain('2 checks down')
    expect(digest.actions).toEqual(['default', 'Open'])
    expect(desktop.notifications.all).toHaveLength(1)
  })
})

test.describe('on a desktop that plays sounds', () => {
  test.use({ desktopParts: { notifications: { capabilities: ['actions', 'body', 'sound'] } } })

  test('the file that was chosen for a kind is tried, and played when a check goes down', async ({
    window,
    server,
    belfry,
    desktop,
  }) => {
    const folder = await mkdtemp(join(tmpdir(), 'belfry-e2e-'))
    const path = join(folder, 'alarm.wav')
    await writeFile(path, 'RIFF----WAVEfmt ', 'latin1')
    await belfry.app.evaluate(({ dialog }, chosen) => {
      dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [chosen] })
    }, path)
    await connectOps(window, server)
    await window.getByRole('button', { name: 'More', exact: true }).click()
    await window.getByRole('menuitem', { name: 'Settings' }).click()
    const row = window.getByRole('group', { name: 'Sound: Check goes down' })
    await row.getByRole('button', { name: 'Choose a file…' }).click()
    await expect(row).toContainText('alarm.wav')
    await row.getByRole('button', { name: 'Play' }).click()
    const tried = await desktop.notifications.waitFor(({ title }) => /can reach you/.test(title))
    expect(tried.hints['sound-file']).toBe(path)
    await goDown('cert-renew', desktop, server)
    const shown = await desktop.notifications.waitFor((one) => one.title === 'cert-renew is down')
    expect(shown.hints['sound-file']).toBe(path)
    await rm(folder, { recursive: true })
  })
})
