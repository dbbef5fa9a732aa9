import { violations } from './axe.ts'
import { connectOps, connectWeb } from './connect.ts'
import { expect, test } from './fixtures.ts'

/** The tray’s tooltip. */
async function title(
  desktop: { trayProperty: (item: never, name: string) => Promise<unknown> },
  item: unknown,
): Promise<string> {
  return JSON.stringify(await desktop.trayProperty(item as never, 'ToolTip'))
}

test.describe('the board', () => {
  test('completes a filter, saves it as a view, pins and pauses several, and keeps all of it over a restart', async ({
    belfry,
    server,
  }) => {
    await connectOps(belfry.window, server)
    const filter = () => belfry.window.getByRole('searchbox', { name: 'Filter checks' })
    const names = () => belfry.window.locator('.check-name').allTextContents()
    await belfry.window.keyboard.press('Control+1')
    await filter().pressSequentially('#stag')
    await expect(belfry.window.getByRole('button', { name: /^#staging/ })).toBeVisible()
    expect(await violations(belfry.window)).toEqual([])
    await belfry.window.keyboard.press('Tab')
    await expect(filter()).toHaveValue('#staging')
    await expect(filter()).toBeFocused()
    await belfry.window.getByRole('button', { name: 'View' }).click()
    expect(await violations(belfry.window)).toEqual([])
    await belfry.window.getByRole('menuitem', { name: 'Save this view…' }).click()
    await belfry.window.getByLabel('Name', { exact: true }).fill('Staging')
    await belfry.window.keyboard.press('Enter')
    await expect(belfry.window.getByText(/press 1 on the board for Staging/)).toBeVisible()
    await filter().press('Enter')
    await expect(belfry.window.getByRole('tree')).toBeFocused()
    await belfry.window.keyboard.press('Control+a')
    const bar = belfry.window.getByRole('region', { name: 'Selected checks' })
    const staging = (await names()).length
    await expect(bar).toContainText(`${staging} selected`)
    expect(await violations(belfry.window)).toEqual([])
    await belfry.window.keyboard.press('f')
    await expect(belfry.window.getByText(`Pinned ${staging} checks`)).toBeVisible()
    await belfry.window.keyboard.press('p')
    await expect(belfry.window.getByText(/^Paused: \d+ of \d+ checks/)).toBeVisible()
    await belfry.relaunch()
    await expect(belfry.window.getByRole('tree')).toBeVisible()
    await expect(belfry.window.locator('.check-title > .icon')).toHaveCount(staging)
    // Their order may change once the paused ones are read.
    const first = (await names()).slice(0, staging).toSorted()
    await belfry.window.keyboard.press('1')
    await expect(filter()).toHaveValue('#staging')
    await expect.poll(async () => (await names()).toSorted()).toEqual(first)
  })
})

test.describe('a check', () => {
  test('that goes down turns the tray red, raises a notification, and a click on it opens the page', async ({
    window,
    server,
    desktop,
    belfry,
  }) => {
    const item = await desktop.items.waitFor(() => true)
    await connectOps(window, server)
    await expect.poll(() => title(desktop as never, item)).toContain('2 down')
    const before = JSON.stringify(await desktop.trayProperty(item, 'IconPixmap'))
    await belfry.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.hide())
    server.world.ops.controls.goDown('cert-renew')
    server.world.ops.tick()
    await desktop.clickMenu(item, 'Refresh now')
    const shown = await desktop.notifications.waitFor((one) => one.title === 'cert-renew is down')
    expect(shown.body).toContain('ops-project')
    expect(shown.body).toContain('#prod')
    await expect.poll(() => title(desktop as never, item)).toContain('3 down')
    await expect
      .poll(async () => JSON.stringify(await desktop.trayProperty(item, 'IconPixmap')))
      .not.toBe(before)
    desktop.act(shown.id, 'default')
    await expect(window.getByRole('heading', { name: 'cert-renew' })).toBeVisible()
    await expect
      .poll(() =>
        belfry.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible()),
      )
      .toBe(true)
  })

  test('that fails says why in its notification, tray, row and page', async ({
    window,
    server,
    desktop,
  }) => {
    const item = await desktop.items.waitFor(() => true)
    await connectOps(window, server)
    const body = new TextEncoder().encode('begin\n\u001b[31mrenew: error: no such zone\u202e\nend')
    server.world.ops.controls.ping('cert-renew', 'fail', { body })
    await desktop.clickMenu(item, 'Refresh now')
    const why = /Failed at [^:]*:?\S*: renew: error: no such zone/
    const shown = await desktop.notifications.waitFor((one) => one.title === 'cert-renew is down')
    expect(shown.body).toMatch(why)
    const row = window.getByRole('treeitem', { name: /cert-renew/ })
    await expect(row).toContainText(why)
    await expect.poll(async () => JSON.stringify(await desktop.menu(item))).toMatch(why)
    await row.click()
    await expect(window.getByText(why).first()).toBeVisible()
    const sent = window.getByRole('region', { name: 'What it sent' })
    await expect(sent).toContainText('renew: error: no such zone')
    await expect(sent).toContainText('Highlighted lines are new since then.')
  })

  test('is one key away from the tray, and an outage of days ago four', async ({
    window,
    server,
  }) => {
    await connectOps(window, server)
    const { controls } = server.world.ops
    const rows = window.getByRole('treeitem', { level: 2 })
    await expect(rows.first()).toContainText('invoices-nightly')
    // A click on the tray leads here: the board, with the focus on the worst check.
    await window.keyboard.press('Control+1')
    let keys = 0
    const press = async (key: string): Promise<void> => {
      keys += 1
      await window.keyboard.press(key)
    }
    await press('Enter')
    await expect(window.getByText(/^Failed (at|on) .*Connection refused$/)).toBeVisible()
    process.stdout.write(`from the tray to the reason: ${keys} keystroke\n`)
    const sent = window.getByRole('region', { name: /^Output of ping/ })
    await expect(sent).toContainText('ConnectionRefusedError')
    await expect(sent).toBeInViewport()
    process.stdout.write(`from the tray to the body: ${keys} keystroke\n`)
    await press('b')
    await expect(window.getByText(/Exit status 1, according to its output\./)).toBeVisible()
    expect(controls.check('invoices-nightly').status).toBe('down')
    await window.keyboard.press('Escape')
    await expect(rows.nth(1)).toContainText('db-backup')
    await window.keyboard.press('ArrowDown')
    keys = 1
    await press('Enter')
    const history = window.getByRole('region', { name: 'History' })
    await expect(history).toContainText('1 outage, 2 possible')
    await press('o')
    await expect(history).toContainText('outage 1 of 3')
    await press('o')
    // In the demo this was 122 hours ago: last Tuesday, seen from a Sunday.
    await expect(history).toContainText(/until .*, for 1 h \(outage 2 of 3/)
    process.stdout.write(`from the tray to an outage of days ago: ${keys} keystrokes\n`)
    expect(keys).toBeLessThanOrEqual(4)
  })

  test('that recovers replaces its notification', async ({ window, server, desktop }) => {
    const item = await desktop.items.waitFor(() => true)
    await connectOps(window, server)
    server.world.ops.controls.goDown('cert-renew')
    server.world.ops.tick()
    await desktop.clickMenu(item, 'Refresh now')
    const down = await desktop.notifications.waitFor((one) => one.title === 'cert-renew is down')
    server.world.ops.controls.recover('cert-renew')
    await desktop.clickMenu(item, 'Refresh now')
    const up = await desktop.notifications.waitFor((one) => one.title === 'cert-renew is up again')
    expect(up.replaces).toBe(down.id)
  })

  test('shows its settings, pings and a body, and is paused and resumed', async ({
    window,
    server,
  }) => {
    await connectOps(window, server)
    await window.getByRole('treeitem', { name: /db-backup/ }).click()
    await expect(window.getByRole('heading', { name: 'db-backup' })).toBeVisible()
    await expect(window.getByRole('img', { name: /Last 24 h/ })).toBeVisible()
    await expect(window.getByText('every hour', { exact: false }).first()).toBeVisible()
    await window
      .getByRole('button', { name: /output$/ })
      .first()
      .click()
    await expect(window.getByRole('button', { name: 'Copy', exact: true })).toBeVisible()
    await window.getByRole('button', { name: 'Pause', exact: true }).click()
    await expect(window.getByRole('button', { name: 'Resume' })).toBeVisible()
    expect(server.world.ops.controls.check('db-backup').status).toBe('paused')
    await window.getByRole('button', { name: 'Resume' }).click()
    await expect(window.getByRole('button', { name: 'Pause', exact: true })).toBeVisible()
    expect(server.world.ops.controls.check('db-backup').status).toBe('new')
  })

  test('opens on the service’s own page, by its UUID', async ({ window, server, belfry }) => {
    await connectOps(window, server)
    await window.getByRole('treeitem', { name: /db-backup/ }).click()
    await window.getByRole('button', { name: 'More actions' }).click()
    await window.getByRole('menuitem', { name: 'Open in browser' }).click()
    const { uuid } = server.world.ops.controls.check('db-backup')
    await expect.poll(() => belfry.opened()).toContain(`${server.urls.ops}/checks/${uuid}/details/`)
  })
})

test.describe('a project', () => {
  test('whose server is unreachable is marked as stale with its age, never as good, and recovers', async ({
    window,
    server,
    desktop,
  }) => {
    const item = await desktop.items.waitFor(() => true)
    await connectWeb(window, server)
    await expect.poll(() => title(desktop as never, item)).toContain('38 up')
    await window.getByRole('button', { name: 'More', exact: true }).click()
    await window.getByRole('menuitem', { name: 'Settings' }).click()
    await window.getByLabel('Check every').selectOption('30 s')
    await window.keyboard.press('Escape')
    await server.away('web', true)
    await window.getByRole('button', { name: 'Refresh now' }).click()
    await expect(window.getByRole('contentinfo')).toContainText(/is unreachable/)
    // The last read counts for two intervals of 30 s.
    await expect
      .poll(() => title(desktop as never, item), { timeout: 90_000 })
      .toContain('no fresh data')
    await expect(window.getByRole('treeitem', { name: /web-project/ })).toHaveAccessibleName(
      /was all 38 up/,
    )
    await server.away('web', false)
    await window.getByRole('button', { name: 'Refresh now' }).click()
    await expect.poll(() => title(desktop as never, item)).not.toContain('no fresh data')
  })

  test('that can’t be read since the start shows its checks as last read, and alarms nobody', async ({
    belfry,
    window,
    server,
    desktop,
  }) => {
    server.world.web.controls.addChecks(70)
    await connectWeb(window, server)
    await expect(window.getByRole('contentinfo')).toContainText(/All 108 up|Updated/)
    await server.away('web', true)
    await belfry.relaunch()
    const page = belfry.window
    await expect(page.getByRole('treeitem', { name: /web-project/ })).toHaveAccessibleName(
      /was all 108 up/,
    )
    const rows = page.getByRole('treeitem')
    await expect(rows.filter({ hasText: 'was up' }).first()).toBeVisible()
    await expect(page.getByRole('contentinfo')).toContainText(/Showing data from \d\d:\d\d/)
    await page.getByRole('tree').press('End')
    await expect(page.getByText('48 more checks, not loaded')).toBeVisible()
    expect(desktop.notifications.all).toEqual([])
    await server.away('web', false)
    await page.getByRole('button', { name: 'Refresh now' }).click()
    await expect(page.getByText('48 more checks, not loaded')).toHaveCount(0)
    await page.getByRole('tree').press('Home')
    await expect(page.getByRole('treeitem', { name: /web-project.* all 108 up/ })).toBeVisible()
    await expect(rows.filter({ hasText: 'was up' })).toHaveCount(0)
  })

  test('keeps the focus after a click on Refresh, and Ctrl+1 moves it to the list', async ({
    window,
    server,
  }) => {
    await connectOps(window, server)
    const focused = window.locator('[role=tree]:focus, [role=tree] :focus')
    await window.keyboard.press('Control+1')
    await expect(focused).toHaveCount(1)
    await window.getByRole('button', { name: 'Refresh now' }).click()
    await expect(focused).toHaveCount(1)
    await window.getByRole('tab', { name: /Checks/ }).focus()
    await window.keyboard.press('Control+1')
    await expect(focused).toHaveCount(1)
  })

  test('with 10,000 checks is filtered and navigated by keyboard', async ({ window, server }) => {
    server.world.web.controls.addChecks(9_962)
    await connectWeb(window, server)
    await expect(window.getByRole('treeitem', { name: /web-project/ })).toHaveAccessibleName(
      /10,?000/,
    )
    await window.keyboard.press('/')
    const names = server.world.web.controls.names()
    await window.keyboard.type(names.at(-1) ?? '')
    await expect(window.getByRole('treeitem', { level: 2 })).toHaveCount(1)
    await window.keyboard.press('Enter')
    await window.keyboard.press('Enter')
    await expect(
      window.getByRole('heading', { name: names.at(-1) ?? '', exact: true }),
    ).toBeVisible()
    await window.keyboard.press('Escape')
    await expect(window.getByRole('tree')).toBeVisible()
  })
})
