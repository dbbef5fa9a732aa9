import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright/test'
import type { World } from '../../src/demo/world.ts'
import { messageConstructs } from '../support/message-constructs.ts'
import { secondDevice } from '../support/second-device.ts'
import { expectAccessible, violations } from './axe.ts'
import { connectChat, connectOps, connectWeb } from './connect.ts'
import { expect, test } from './fixtures.ts'

/** `BELFRY_PICTURES=1` also saves the views as the pictures of docs/. */
const pictures = fileURLToPath(new URL('../../docs/pictures/', import.meta.url))
const keepPictures = process.env['BELFRY_PICTURES'] === '1'

const hold = (window: Page, name: string): Promise<void> =>
  expectAccessible(window, name, (named) => keep(window, named))

async function keep(window: Page, name: string): Promise<void> {
  if (!keepPictures) return
  await mkdir(pictures, { recursive: true })
  await window.screenshot({ path: `${pictures}${name}.png` })
}

async function openMenu(window: Page, item: string): Promise<void> {
  await window.getByRole('button', { name: 'More', exact: true }).click()
  await window.getByRole('menuitem', { name: item }).click()
}

/** Drafts, a scheduled message, a reminder and a snippet from another device. */
async function keepForLater(world: World): Promise<void> {
  const toOps = { type: 'stream', to: [1], topic: 'db-primary' }
  const content = 'The replica lags again, I am looking into it'
  await secondDevice(world, 'POST', '/drafts', {
    drafts: [
      { ...toOps, content },
      { ...toOps, content: 'Written on the train' },
    ],
  })
  await secondDevice(world, 'POST', '/scheduled_messages', {
    ...{ type: 'private', to: [12], content: 'Please read the release notes before ten' },
    scheduled_delivery_timestamp: Math.ceil(Date.now() / 1_000) + 86_400,
  })
  await secondDevice(world, 'POST', '/reminders', {
    message_id: world.realm.controls.messages().at(-1)?.id,
    scheduled_delivery_timestamp: Math.ceil(Date.now() / 1_000) + 86_400,
  })
  await secondDevice(world, 'POST', '/saved_snippets', {
    ...{ title: 'Handover', content: 'Hi {name}, over to you: {what is open}' },
  })
}

test.describe('every view', () => {
  test('before there is an account passes axe, light and dark', async ({ window }) => {
    await expect(window.getByRole('button', { name: 'Explore the demo' })).toBeVisible()
    await hold(window, 'first-run')
    await window.getByRole('button', { name: 'Connect a monitoring project' }).click()
    await hold(window, 'connect-monitoring')
    await window.getByLabel('API key', { exact: true }).fill('short')
    await window.getByRole('button', { name: 'Try the key' }).click()
    await expect(window.getByLabel('Address', { exact: true })).toHaveAttribute(
      'aria-invalid',
      'true',
    )
    await hold(window, 'connect-error')
    await window.keyboard.press('Escape')
    await window.getByRole('button', { name: 'Connect a chat account' }).click()
    await hold(window, 'connect-chat')
  })

  test('of the demo passes axe, light and dark', async ({ window }) => {
    await window.getByRole('button', { name: 'Explore the demo' }).click()
    await expect(window.getByRole('treeitem', { name: /db-backup/ })).toBeVisible()
    await expect(window.getByRole('tab', { name: /Chat \d+ unread/ })).toBeVisible()
    await hold(window, 'board')
    await window.getByRole('searchbox').fill('is:down #db')
    await hold(window, 'board-filtered')
    await window.getByRole('searchbox').fill('no such check')
    await hold(window, 'board-no-match')
    await window.getByRole('searchbox').fill('')
    await window.getByRole('treeitem', { name: /db-backup/ }).click()
    await expect(window.getByRole('button', { name: /output$/ }).first()).toBeVisible()
    await hold(window, 'check')
    await window
      .getByRole('button', { name: /output$/ })
      .first()
      .click()
    await window
      .getByRole('button', { name: /output$/ })
      .first()
      .scrollIntoViewIfNeeded()
    await hold(window, 'check-body')
    await window.getByRole('button', { name: 'Edit', exact: true }).click()
    await expect(window.getByLabel('Name', { exact: true })).toHaveValue('db-backup')
    await hold(window, 'check-editor')
    await window.keyboard.press('Escape')
    await window.getByRole('tab', { name: /Chat/ }).click()
    await hold(window, 'chat')
    await window.getByRole('button', { name: /db-primary/ }).click()
    await expect(window.getByRole('article').last()).toBeVisible()
    await hold(window, 'conversation')
    await window.getByRole('button', { name: /^Notifications/ }).click()
    await hold(window, 'notifications')
    for (const item of ['Accounts', 'Diagnostics', 'Settings']) {
      await openMenu(window, item)
      await expect(window.getByRole('heading', { name: item, level: 1 })).toBeVisible()
      await hold(window, item.toLowerCase())
    }
    await window.getByRole('button', { name: 'Edit' }).click()
    await expect(window.getByRole('heading', { name: 'Notification rules' })).toBeVisible()
    await hold(window, 'attention')
    await window.keyboard.press('Control+k')
    await window.keyboard.type('db')
    await expect(window.getByRole('dialog').getByRole('option').first()).toBeVisible()
    await hold(window, 'palette')
    await window.keyboard.press('Escape')
    await openMenu(window, 'Help')
    await hold(window, 'keys')
  })

  test('with a list and a page next to it passes axe, light and dark', async ({ window }) => {
    await window.getByRole('button', { name: 'Explore the demo' }).click()
    await window.setViewportSize({ width: 1_080, height: 680 })
    await expect(window.getByRole('heading', { name: 'invoices-nightly' })).toBeVisible()
    await window.getByRole('treeitem', { name: /db-backup/ }).click()
    await expect(window.getByRole('button', { name: /output$/ }).first()).toBeVisible()
    await hold(window, 'board-wide')
    await window.getByRole('tab', { name: /Chat/ }).click()
    await window.getByRole('button', { name: /db-primary/ }).click()
    await expect(window.getByRole('article').last()).toBeVisible()
    await hold(window, 'chat-wide')
  })

  test('of trouble passes axe, light and dark', async ({ window, server, belfry }) => {
    await connectOps(window, server)
    await connectWeb(window, server)
    await connectChat(window, server)
    server.world.ops.controls.refuse(401)
    server.world.realm.controls.refuse(503)
    await window.getByRole('tab', { name: /Checks/ }).click()
    await window.getByRole('button', { name: 'Refresh now' }).click()
    await expect(window.getByRole('contentinfo')).toContainText(/key rejected/)
    await hold(window, 'key-rejected')
    server.world.ops.controls.refuse(null)
    await openMenu(window, 'Accounts')
    await hold(window, 'accounts-trouble')
    await server.away('web', true)
    await window.keyboard.press('Escape')
    await window.getByRole('button', { name: 'Refresh now' }).click()
    await window.getByRole('tab', { name: /Chat/ }).click()
    await window.getByRole('button', { name: /db-primary/ }).click()
    await window.getByRole('textbox', { name: /Reply to/ }).fill('is anybody there?')
    await window.keyboard.press('Enter')
    await expect(window.getByText(/may not have arrived/i)).toBeVisible()
    await hold(window, 'conversation-unsure')
    void belfry
  })

  test('of drafts and scheduled messages passes axe, light and dark', async ({
    window,
    server,
  }) => {
    await connectChat(window, server)
    await keepForLater(server.world)
    await window.getByRole('tab', { name: /Chat/ }).click()
    await window.keyboard.press('d')
    await expect(window.getByRole('region', { name: 'Saved snippets' })).toContainText('Handover')
    await hold(window, 'later')
    await window.getByRole('button', { name: /release notes/ }).click()
    await expect(window.getByRole('textbox', { name: 'Text' })).toBeFocused()
    await hold(window, 'later-change')
    await window.keyboard.press('Escape')
  })

  test('of searching, choosing a recipient and writing passes axe, light and dark', async ({
    window,
  }) => {
    await window.getByRole('button', { name: 'Explore the demo' }).click()
    await expect(window.getByRole('tab', { name: /Chat \d+ unread/ })).toBeVisible()
    await window.keyboard.press('Control+2')
    await window.keyboard.press('n')
    await window.keyboard.type('an')
    await expect(window.getByRole('option').first()).toContainText('Ana')
    await hold(window, 'new-message')
    await window.keyboard.press('Enter')
    const composer = window.getByRole('textbox', { name: /Reply to Ana/ })
    await composer.pressSequentially('The **replica** is back, thanks to @bor')
    await expect(window.getByRole('listbox', { name: 'Completions' })).toContainText('Boris')
    await hold(window, 'completion')
    await window.keyboard.press('Enter')
    await window.keyboard.press('Alt+p')
    await expect(window.getByRole('region', { name: 'Preview' })).toContainText('replica')
    await hold(window, 'preview')
    // The preview first, then the conversation.
    await window.keyboard.press('Escape')
    await window.keyboard.press('Escape')
    await window.keyboard.press('3')
    await expect(window.getByRole('button', { name: /# deploys/ }).first()).toBeVisible()
    await hold(window, 'chat-channels')
    await window.keyboard.press('/')
    await window.keyboard.type('replica')
    await window.keyboard.press('Enter')
    await expect(window.getByRole('list', { name: 'Messages found' })).toBeVisible()
    await hold(window, 'search')
    await window.keyboard.press('ArrowDown')
    await window.keyboard.press('Enter')
    await window.getByRole('article').getByRole('button', { name: 'Chidi Okafor' }).first().click()
    await expect(window.getByRole('dialog')).toContainText('Local time')
    await hold(window, 'person')
  })

  test('of every kind of message shows it, with its pictures once they are requested', async ({
    window,
    server,
  }) => {
    await connectChat(window, server)
    const { controls } = server.world.realm
    for (const { name, html } of messageConstructs)
      controls.say({ from: 'Ana', to: 'ops > every kind', text: name, html })
    await window.setViewportSize({ width: 420, height: 1_800 })
    await window.getByRole('button', { name: /every kind/ }).click()
    await expect(window.getByRole('article')).toHaveCount(messageConstructs.length)
    await keep(window, 'messages')
    await window
      .getByRole('button', { name: /^Show images from/ })
      .first()
      .click()
    await expect(window.getByRole('img', { name: 'latency.png' })).toBeVisible()
    await keep(window, 'messages-images')
  })

  test('is checked by axe, which does find violations', async ({ window }) => {
    await expect(window.getByRole('button', { name: 'Explore the demo' })).toBeVisible()
    expect(await violations(window)).toEqual([])
    // Control: a button without a name.
    await window.evaluate(() => document.body.append(document.createElement('button')))
    expect((await violations(window)).length).toBeGreaterThan(0)
  })
})
