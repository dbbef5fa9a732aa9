import type { Page } from 'playwright/test'
import { outageMark, readMark } from '../../src/shared/core/outages/outage-report.ts'
import type { WorldServer } from '../support/world-server.ts'
import { expectAccessible } from './axe.ts'
import { connectChat, connectOps } from './connect.ts'
import { expect, test } from './fixtures.ts'

function reports(server: WorldServer): readonly string[] {
  return server.world.realm.controls
    .messages()
    .map(({ content }) => content)
    .filter((content) => readMark(content) !== null)
}

async function openCheck(window: Page, name: string): Promise<void> {
  await window.getByRole('tab', { name: /Checks/ }).click()
  await window.getByRole('treeitem', { name }).click()
  await expect(window.getByRole('heading', { name })).toBeVisible()
}

async function link(window: Page, topic: string): Promise<void> {
  await window.getByRole('button', { name: 'Link a chat…' }).click()
  await window.getByLabel('Channel').selectOption('# ops')
  await window.getByLabel('Topic').fill(topic)
  await expectAccessible(window, 'link')
  await window.getByRole('button', { name: 'Link', exact: true }).click()
  await expect(window.getByRole('dialog')).toHaveCount(0)
}

test.describe('an outage', () => {
  test('is reported in the chat once, followed there, and shown as a timeline', async ({
    window,
    server,
    desktop,
  }) => {
    const item = await desktop.items.waitFor(() => true)
    await connectOps(window, server)
    await connectChat(window, server)
    const { controls } = server.world.ops
    controls.goDown('cert-renew')
    server.world.ops.tick()
    await desktop.clickMenu(item, 'Refresh now')
    await desktop.notifications.waitFor((one) => one.title === 'cert-renew is down')
    await openCheck(window, 'cert-renew')
    await link(window, 'cert-renew')

    await window.keyboard.press('d')
    const report = window.getByRole('textbox', { name: 'Message' })
    await expect(report).toHaveValue(/`cert-renew` of `ops-project` is \*\*down\*\* since/)
    await expect(window.getByRole('button', { name: 'Send', exact: true })).toBeFocused()
    await expectAccessible(window, 'report')
    await report.click()
    await window.keyboard.press('Control+Home')
    await window.keyboard.type('Who can look? ')
    // Closing it loses nothing.
    await window.keyboard.press('Escape')
    await expect(window.getByRole('heading', { name: 'cert-renew' })).toBeVisible()
    await window.keyboard.press('d')
    await expect(report).toHaveValue(/^Who can look\? `cert-renew`/)
    await window.getByRole('button', { name: 'Send', exact: true }).click()
    const posted = window.getByRole('article').filter({ hasText: 'Who can look?' })
    await expect(posted).toHaveCount(1)
    await expect(window.getByText('sending…')).toHaveCount(0)
    expect(reports(server)).toHaveLength(1)
    expect(reports(server)[0]).not.toContain(controls.check('cert-renew').uuid)

    const head = window.getByRole('region', { name: 'Checks of this conversation' })
    await expect(head).toContainText('cert-renew')
    await expect(head).toContainText('down')
    server.world.realm.controls.say({
      from: 'Ana',
      to: 'ops > cert-renew',
      text: 'I am on it, the token had expired',
    })
    await expect(window.getByText('I am on it')).toBeVisible()
    await expectAccessible(window, 'conversation')
    controls.recover('cert-renew')
    await desktop.clickMenu(item, 'Refresh now')
    await window.getByRole('button', { name: /^Post update: up again after/ }).click()
    await expect.poll(() => reports(server).length).toBe(2)
    await expect(window.getByRole('button', { name: /^Post update/ })).toHaveCount(0)

    await head.getByRole('button', { name: /cert-renew/ }).click()
    await expect(window.getByRole('button', { name: /Ana.*I am on it/ })).toBeVisible()
    await expectAccessible(window, 'detail')
    await window.keyboard.press('t')
    const events = window.getByRole('region', { name: 'Events' })
    await expect(events).toContainText('I am on it')
    await expect(events).toContainText('You shared it in the chat')
    await expect(events).toContainText('Shown: cert-renew is down')
    await expectAccessible(window, 'timeline')
    await window.getByRole('button', { name: 'Copy as Markdown' }).click()
    await expect(window.getByText('Timeline copied as Markdown')).toBeVisible()
  })

  test('that Ana reported before is joined, not reported twice', async ({ window, server }) => {
    await connectOps(window, server)
    await connectChat(window, server)
    await openCheck(window, 'db-backup')
    await link(window, 'db-backup')
    await window.getByRole('button', { name: 'Share to chat', exact: true }).click()
    await expect(window.getByRole('textbox', { name: 'Message' })).toBeVisible()
    const { uniqueKey } = server.world.ops.controls.check('db-backup')
    server.world.realm.controls.say({
      from: 'Ana',
      to: 'ops > db-backup',
      text: `The dump is stuck.\n\n${outageMark(uniqueKey, 'down', Date.now())}`,
    })
    await window.getByRole('button', { name: 'Send', exact: true }).click()
    await expect(window.getByText(/^Ana.* posted this \d+ s ago\./)).toBeVisible()
    await expectAccessible(window, 'join')
    await window.getByRole('button', { name: 'Join the conversation' }).click()
    await expect(window.getByRole('article').filter({ hasText: 'The dump is stuck' })).toBeVisible()
    expect(reports(server)).toHaveLength(1)
  })
})
