import type { ElectronApplication, Page } from 'playwright/test'
import type { WorldServer } from '../support/world-server.ts'
import { expectAccessible, violations } from './axe.ts'
import { connectOps } from './connect.ts'
import { expect, test } from './fixtures.ts'

/** The bodies of matching requests, as the server received them. */
function sent(server: WorldServer, method: string, path: RegExp): unknown[] {
  return server.log
    .filter((one) => one.service === 'ops' && one.method === method && path.test(one.path))
    .map(({ body }): unknown => JSON.parse(body))
}

const create = /^\/api\/v3\/checks\/$/
const oneCheck = /^\/api\/v3\/checks\/[0-9a-f-]{36}$/

async function openCheck(window: Page, name: string): Promise<void> {
  await window.getByRole('treeitem', { name: new RegExp(name) }).click()
  await expect(window.getByRole('heading', { name, exact: true })).toBeVisible()
}

async function copied(app: ElectronApplication): Promise<string> {
  return app.evaluate(({ clipboard }) => clipboard.readText())
}

test.describe('a check', () => {
  test('is created from the board, exactly as filled in, and pinged up', async ({
    window,
    server,
    belfry,
  }) => {
    await connectOps(window, server)
    await window.getByRole('tree').focus()
    await window.keyboard.press('n')
    await window.getByLabel('Name', { exact: true }).fill('tape-change')
    await window.getByLabel('Tags', { exact: true }).fill('prod tape')
    await window.getByRole('textbox', { name: 'Period', exact: true }).fill('1 h 30 min')
    await window.getByLabel('Grace', { exact: true }).fill('600')
    await expect(window.getByRole('checkbox').first()).toBeChecked()
    await window.getByRole('button', { name: 'None', exact: true }).click()
    await window.keyboard.press('Control+Enter')
    await expect(window.getByRole('heading', { name: 'tape-change', exact: true })).toBeVisible()
    expect(sent(server, 'POST', create)).toEqual([
      { name: 'tape-change', tags: 'prod tape', timeout: 5_400, grace: 600 },
    ])
    const { uuid } = server.world.ops.controls.check('tape-change')

    await expect(window.getByText(uuid)).toHaveCount(0)
    await window.getByRole('button', { name: 'Copy as' }).click()
    await window.getByRole('menuitem', { name: 'curl command' }).click()
    await expect
      .poll(() => copied(belfry.app))
      .toBe(`curl -fsS -m 10 --retry 5 -o /dev/null ${server.urls.ops}/ping/${uuid}`)
    await window.getByRole('button', { name: 'Reveal' }).click()
    await expect(window.getByText(`${server.urls.ops}/ping/${uuid}`)).toBeVisible()

    await window.getByRole('button', { name: 'Ping now' }).click()
    await window.getByRole('menuitem', { name: 'Success' }).click()
    await window.getByRole('button', { name: 'Send', exact: true }).click()
    await expect(window.getByText('Recorded as a success.', { exact: false })).toBeVisible()
    await expect(window.getByText(/^Up\b|^Next in/).first()).toBeVisible()
    expect(server.world.ops.controls.check('tape-change')).toMatchObject({
      status: 'up',
      pingCount: 1,
    })
    const ping = server.log.find(({ path }) => path.startsWith('/ping/'))
    expect(ping?.headers).not.toHaveProperty('x-api-key')
  })

  test('is edited: only what changed is sent, and a refusal is shown under its field', async ({
    window,
    server,
  }) => {
    await connectOps(window, server)
    await openCheck(window, 'db-backup')
    await window.keyboard.press('e')
    await window.getByRole('textbox', { name: 'Period', exact: true }).fill('2 h')
    await expect(window.getByRole('region', { name: 'What will change' })).toContainText(
      'every hour → every 2 h',
    )
    await window.getByRole('button', { name: 'Save' }).click()
    // The form says "every 2 h", too, so this waits for the check's own page.
    await expect(window.getByRole('button', { name: 'Edit', exact: true })).toBeVisible()
    await expect(window.getByText('every 2 h', { exact: false }).first()).toBeVisible()
    expect(sent(server, 'POST', oneCheck)).toEqual([{ timeout: 7_200 }])

    await window.keyboard.press('e')
    await window.getByText('OnCalendar', { exact: true }).click()
    await window.getByLabel('OnCalendar expression').fill('whenever it suits')
    await window.getByRole('button', { name: 'Save' }).click()
    const expression = window.getByLabel('OnCalendar expression')
    await expect(expression).toHaveAccessibleDescription(/not a valid cron or OnCalendar/)
    await expect(expression).toBeFocused()
  })

  test('is deleted by its name, and disappears from the board', async ({ window, server }) => {
    await connectOps(window, server)
    await openCheck(window, 'cert-renew')
    await window.getByRole('button', { name: 'More actions' }).click()
    await window.getByRole('menuitem', { name: 'Delete…' }).click()
    const dialog = window.getByRole('dialog', { name: 'Delete cert-renew?' })
    await expect(dialog).toContainText('its ping address')
    await dialog.getByRole('textbox').fill('cert')
    await window.keyboard.press('Enter')
    expect(server.world.ops.controls.names()).toContain('cert-renew')
    await dialog.getByRole('textbox').fill('cert-renew')
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
    await expect(window.getByRole('tree')).toBeVisible()
    await expect(window.getByRole('treeitem', { name: /cert-renew/ })).toHaveCount(0)
    expect(server.world.ops.controls.names()).not.toContain('cert-renew')
  })

  test('is created, edited, pinged and deleted on pages that pass axe', async ({
    window,
    server,
  }) => {
    await connectOps(window, server)
    await window.getByRole('button', { name: 'New check (n)' }).click()
    await window.getByText('Cron', { exact: true }).click()
    await window.getByLabel('Cron expression').fill('0 3 * * 1-5')
    await window.getByText('Slug, keywords, methods and pauses').click()
    await window.getByRole('button', { name: 'Create' }).click()
    await expect(window.getByLabel('Name', { exact: true })).toBeFocused()
    await expectAccessible(window, 'fields')
    await window.keyboard.press('Escape')
    await openCheck(window, 'db-backup')
    await window.getByRole('button', { name: 'Ping now' }).click()
    await expectAccessible(window, 'pings')
    await window.getByRole('menuitem', { name: 'Exit status' }).click()
    await expectAccessible(window, 'exit status')
    await window.keyboard.press('Escape')
    await window.keyboard.press('e')
    await window.getByRole('textbox', { name: 'Period', exact: true }).fill('2 h')
    await expectAccessible(window, 'edited')
    await window.getByRole('button', { name: 'Cancel' }).click()
    await window.getByRole('button', { name: 'More actions' }).click()
    await window.getByRole('menuitem', { name: 'Delete…' }).click()
    await expectAccessible(window, 'question')
  })
})

test('a crontab is imported, and returned with its pings', async ({ window, server, belfry }) => {
  await connectOps(window, server)
  await window.getByRole('button', { name: 'New check (n)' }).click()
  await window.getByRole('button', { name: 'Import a crontab' }).click()
  const crontab = 'CRON_TZ=Asia/Tokyo\n# Tape change\n@daily /opt/tape\n@reboot /opt/warm\n'
  await window.getByLabel('Crontab', { exact: true }).fill(crontab)
  await expect(window.getByText('1 line can’t be imported')).toBeVisible()
  expect(await violations(window)).toEqual([])
  await window.getByRole('button', { name: 'Create 1 check' }).click()
  await expect(window.getByText('Created 1 check.')).toBeVisible()
  expect(sent(server, 'POST', create)).toEqual([
    { name: 'Tape change', schedule: '0 0 * * *', tz: 'Asia/Tokyo', grace: 3_600, channels: '*' },
  ])
  await window.getByRole('button', { name: 'Copy crontab' }).click()
  const { uuid } = server.world.ops.controls.check('Tape change')
  const ping = `curl -fsS -m 10 --retry 5 -o /dev/null ${server.urls.ops}/ping/${uuid}`
  await expect
    .poll(() => copied(belfry.app))
    .toBe(crontab.replace('/opt/tape', `/opt/tape && ${ping}`))

  await window.keyboard.press('Control+1')
  await window.keyboard.press('o')
  await window.getByRole('button', { name: 'Weekly review' }).click()
  const never = window.getByRole('region', { name: 'Never pinged' })
  await expect(never.getByRole('listitem').filter({ hasText: 'Tape change' })).toBeVisible()
  expect(await violations(window)).toEqual([])
})
