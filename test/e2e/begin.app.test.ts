import type { Page } from 'playwright/test'
import type { WorldServer } from '../support/world-server.ts'
import { connectChat } from './connect.ts'
import { expect, test } from './fixtures.ts'

/** Presses the keys one by one, and returns how many there were. */
async function press(window: Page, ...keys: readonly string[]): Promise<number> {
  for (const key of keys) {
    if (key.length > 1) await window.keyboard.press(key)
    else await window.keyboard.type(key)
  }
  return keys.length
}

/** How many messages with this text the realm has. */
function sent(server: WorldServer, text: string): number {
  return server.world.realm.controls.messages().filter(({ content }) => content === text).length
}

test.describe('a new message', () => {
  test('to a person takes two keys and the letters that identify them', async ({
    window,
    server,
  }) => {
    await connectChat(window, server)
    await press(window, 'Control+2')
    const keys = await press(window, 'n', 'c', 'h', 'Enter')
    const composer = window.getByRole('textbox', { name: 'Reply to Chidi Okafor' })
    await expect(composer).toBeFocused()
    process.stdout.write(`a new direct message: ${keys - 2} keystrokes and 2 letters\n`)
    await window.keyboard.type('are you there?')
    await window.keyboard.press('Enter')
    await expect(window.getByRole('article').filter({ hasText: 'are you there?' })).toHaveCount(1)
    await expect.poll(() => sent(server, 'are you there?')).toBe(1)
  })

  test('to a new topic takes four more keys, and offers the channel’s topics', async ({
    window,
    server,
  }) => {
    await connectChat(window, server)
    await press(window, 'Control+2')
    const keys = await press(window, 'n', '#', 'd', 'Enter')
    await expect(window.getByText('# deploys', { exact: true })).toBeVisible()
    await expect(window.getByRole('option').first()).toBeVisible()
    const topic = 'rollback of friday'
    await window.keyboard.type(topic)
    await expect(window.getByRole('option').first()).toContainText(`New topic “${topic}”`)
    const more = await press(window, 'Enter')
    await expect(window.getByRole('textbox', { name: /deploys › rollback/ })).toBeFocused()
    process.stdout.write(`a new topic: ${keys + more - 2} keystrokes, 2 letters and the topic\n`)
    await window.keyboard.type('who is on it?')
    await window.keyboard.press('Enter')
    await expect.poll(() => sent(server, 'who is on it?')).toBe(1)
  })

  test('goes to several people, each added with a comma', async ({ window, server }) => {
    await connectChat(window, server)
    await press(window, 'Control+2', 'n', 'a', 'n', 'a', ',', 'b', 'o', ',')
    await expect(window.getByText('Boris Novak', { exact: true })).toBeVisible()
    // A surplus person is removed.
    await press(window, 'c', 'h', ',')
    await expect(window.getByText('Chidi Okafor', { exact: true })).toBeVisible()
    await press(window, 'Backspace', 'Enter')
    await expect(
      window.getByRole('textbox', { name: 'Reply to Ana Kovač, Boris Novak' }),
    ).toBeFocused()
  })

  test('is one button away, and Esc goes back step by step', async ({ window, server }) => {
    await connectChat(window, server)
    await window.getByRole('tab', { name: /Chat/ }).click()
    await window.getByRole('button', { name: 'New message' }).click()
    const field = window.getByRole('combobox', { name: 'New message to' })
    await expect(field).toBeFocused()
    await field.fill('# gen')
    await press(window, 'Enter')
    await expect(window.getByPlaceholder('A topic, or the name of a new one')).toBeFocused()
    await press(window, 'Escape')
    await expect(window.getByPlaceholder(/Person, channel/)).toBeFocused()
    await press(window, 'Escape')
    await expect(field).toHaveCount(0)
  })
})
