import { secondDevice } from '../support/second-device.ts'
import { connectChat } from './connect.ts'
import { expect, test } from './fixtures.ts'

test('a draft from another device is scheduled, changed, and restored when it is cancelled', async ({
  window,
  server,
}) => {
  await connectChat(window, server)
  const draft = { type: 'stream', to: [1], topic: 'db-primary', content: 'From my phone' }
  await secondDevice(server.world, 'POST', '/drafts', { drafts: [draft] })
  const row = window.getByRole('button', { name: /db-primary/ })
  await expect(row).toContainText('Draft: From my phone')
  await row.focus()
  await window.keyboard.press('Enter')
  const composer = window.getByRole('textbox', { name: /Reply to/ })
  await expect(composer).toHaveValue('From my phone')
  await expect(composer).toBeFocused()

  await window.keyboard.press('Alt+s')
  await expect(window.getByRole('button', { name: /^In 30 min/ })).toBeFocused()
  await window.keyboard.press('2')
  await expect(composer).toHaveValue('')
  await window.keyboard.press('Escape')
  await window.keyboard.press('d')
  const scheduled = window.getByRole('region', { name: 'Scheduled', exact: true })
  await expect(scheduled.getByRole('button', { name: /From my phone/ })).toBeVisible()

  await scheduled.getByRole('button', { name: /From my phone/ }).press('Enter')
  const text = window.getByRole('textbox', { name: 'Text' })
  await expect(text).toBeFocused()
  await text.fill('From my desk')
  await window.getByRole('button', { name: 'Save' }).press('Enter')
  const changed = scheduled.getByRole('button', { name: /From my desk/ })
  await expect(changed).toBeVisible()
  await changed.focus()
  await window.keyboard.press('Delete')
  await expect(window.getByRole('region', { name: 'Drafts', exact: true })).toContainText(
    'From my desk',
  )
  await expect(scheduled).toContainText('Nothing is scheduled')
})

test('the server reminds of a message, and this Belfry if the server refuses', async ({
  window,
  server,
}) => {
  await connectChat(window, server)
  const ask = async (message: RegExp) => {
    await window.getByRole('article').filter({ hasText: message }).focus()
    await window.keyboard.press('m')
    await window.keyboard.type('remind')
    await window.keyboard.press('Enter')
    await expect(window.getByRole('button', { name: /^In 30 min/ })).toBeFocused()
    await window.keyboard.press('2')
  }
  await window.getByRole('button', { name: /db-primary/ }).press('Enter')
  await ask(/Thirty-one minutes/)
  await expect(window.getByText(/^The chat server will remind you/)).toBeVisible()
  server.world.realm.controls.refuse(400, 'createReminder')
  await ask(/two hours behind/)
  await window.getByRole('button', { name: 'Remind me here' }).press('Enter')
  await expect(window.getByText(/^You will be reminded/)).toBeVisible()
  await window.keyboard.press('Escape')
  await window.keyboard.press('d')
  const rows = window.getByRole('region', { name: 'Reminders' }).getByRole('listitem')
  const kept = rows.filter({ hasText: 'on all your devices' })
  await expect(kept).toContainText('Thirty-one minutes')
  await expect(rows.filter({ hasText: 'By this Belfry alone' })).toContainText('two hours behind')
  await kept.getByRole('button').first().focus()
  await window.keyboard.press('Delete')
  await expect(kept).toHaveCount(0)
  server.world.realm.controls.refuse(null)
  await window.getByRole('button', { name: 'Undo' }).click()
  await expect(kept).toContainText('Thirty-one minutes')
})
