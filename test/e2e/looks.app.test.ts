import type { Page } from 'playwright/test'
import { connectChat, connectOps, connectWeb } from './connect.ts'
import { expect, test } from './fixtures.ts'
import { misfits } from './looks.ts'

const longName = 'nightly-export-of-the-customer-database-to-the-archive-'.repeat(4).slice(0, 190)
const sentence = 'The night job of the customer database '.repeat(6).slice(0, 200).trim()

async function openMenu(window: Page, item: string): Promise<void> {
  await window.getByRole('button', { name: 'More', exact: true }).click()
  await window.getByRole('menuitem', { name: item }).click()
}

/** Follows a command of the palette. */
async function command(window: Page, words: string): Promise<void> {
  await window.keyboard.press('Control+k')
  await window.keyboard.type(words)
  await expect(window.getByRole('dialog').getByRole('option').first()).toBeVisible()
  await window.keyboard.press('Enter')
}

for (const formats of ['en_US.UTF-8', 'de_DE.UTF-8', 'ja_JP.UTF-8'])
  test.describe(`with the formats of ${formats}`, () => {
    test.use({ formats })

    test('each view fits a narrow window, with a wide and a narrow font and long names', async ({
      window,
      server,
    }) => {
      const found: string[] = []
      const hold = async (name: string): Promise<void> => {
        for (const fault of await misfits(window)) found.push(`${name}: ${fault}`)
      }
      const { ops, realm } = server.world
      ops.controls.rewrite((record) =>
        record['name'] === 'db-backup' ? { ...record, name: `db-backup-${longName}` } : record,
      )
      for (const topic of [sentence.slice(0, 60), longName.slice(0, 60)])
        realm.controls.say({ from: 'Ana', to: `ops > ${topic}`, text: sentence })
      await connectOps(window, server)
      await connectWeb(window, server)
      await connectChat(window, server)
      await window.getByRole('tab', { name: /Checks/ }).click()
      await expect(window.getByRole('treeitem', { name: /db-backup/ })).toBeVisible()
      await hold('board')
      await window.getByRole('treeitem', { name: /db-backup/ }).click()
      await expect(window.getByRole('button', { name: /output$/ }).first()).toBeVisible()
      await window
        .getByRole('button', { name: /output$/ })
        .first()
        .click()
      for (const name of [/^Show all/, /^Changes/, /^Uptime/, /^Recorded/])
        for (const button of await window.getByRole('button', { name }).all()) await button.click()
      await hold('check')
      await command(window, 'timeline')
      await expect(window.getByRole('region', { name: 'Events' })).toBeVisible()
      await hold('timeline')
      await command(window, 'share')
      await expect(window.getByRole('heading', { name: /^Share db-backup/ })).toBeVisible()
      await hold('share')
      await window.keyboard.press('Escape')
      await window.getByRole('button', { name: 'Edit', exact: true }).click()
      await hold('check form')
      await window.keyboard.press('Escape')
      await window.getByRole('tab', { name: /Chat/ }).click()
      await hold('chat')
      await window.getByRole('button', { name: /db-primary/ }).click()
      await expect(window.getByRole('article').last()).toBeVisible()
      await hold('conversation')
      for (const item of ['Accounts', 'Diagnostics', 'Settings']) {
        await openMenu(window, item)
        await expect(window.getByRole('heading', { name: item, level: 1 })).toBeVisible()
        await hold(item)
      }
      for (const [words, title] of [
        ['notifications', 'Notifications'],
        ['outages', 'Outages'],
        ['weekly review', 'Weekly review'],
        ['notification rules', 'Notification rules'],
        ['drafts', 'Drafts & scheduled'],
        ['keyboard shortcuts', 'Keyboard shortcuts'],
      ] as const) {
        await command(window, words)
        await expect(window.getByRole('heading', { name: title }).first()).toBeVisible()
        await hold(words)
        await window.keyboard.press('Escape')
      }
      expect(found).toEqual([])
    })
  })

test('what does not fit is found', async ({ window }) => {
  await expect(window.getByRole('button', { name: 'Explore the demo' })).toBeVisible()
  expect(await misfits(window)).toEqual([])
  await window.evaluate(() => {
    const narrow = 'width: 60px; overflow: hidden; white-space: nowrap'
    const box = document.createElement('div')
    box.style.cssText = 'position: absolute; top: 2000px; left: 0; background: Canvas'
    for (const [tag, style, text] of [
      ['p', 'width: 60px', 'at 10:47 PM'],
      ['p', narrow, 'Mon 10:47\u00a0PM'],
      ['button', `${narrow}; width: 30px`, 'Acknowledge'],
      ['p', narrow, 'a name that is long'],
      ['p', `${narrow}; width: 12px; text-overflow: ellipsis`, '#prod #db'],
      ['p', 'margin: 0', 'under the other'],
      ['p', 'margin: -16px 0 0', 'over the other'],
      ['p', 'width: 500px', 'wide'],
    ] as const) {
      const element = document.createElement(tag)
      element.style.cssText = style
      element.textContent = text
      box.append(element)
    }
    document.body.append(box)
  })
  const found = (await misfits(window)).join('\n')
  for (const kind of [
    'time over two lines',
    'time cut',
    'cut: “Ack',
    'cut without an ellipsis: “a na',
    'cut to almost nothing: “#prod #db',
  ])
    expect(found).toContain(kind)
  expect(found).toContain('over each other: “under the other” and “over the other”')
  expect(found).toMatch(/page \d+ px wide/)
})
