import { expectAccessible } from './axe.ts'
import { connectChat } from './connect.ts'
import { expect, test } from './fixtures.ts'

test.describe('in everyday use', () => {
  test('marking all as read takes one key, and can be undone', async ({ window, server }) => {
    await connectChat(window, server)
    const { controls } = server.world.realm
    const unread = () => controls.messages().filter(({ flags }) => !flags.has('read')).length
    await expect(window.getByRole('tab', { name: /Chat/ })).toHaveAccessibleName(/unread/)
    await window.keyboard.press('Control+2')
    const before = unread()
    await window.keyboard.press('M')
    process.stdout.write('mark all read: 1 keystroke\n')
    await expect(window.getByRole('tab', { name: /Chat/ })).not.toHaveAccessibleName(/unread/)
    await expect.poll(unread).toBeLessThan(before)
    await window.getByRole('button', { name: 'Undo' }).click()
    await expect(window.getByRole('tab', { name: /Chat/ })).toHaveAccessibleName(/unread/)
  })

  test('a topic is muted and followed in the chat itself by one key', async ({
    window,
    server,
  }) => {
    await connectChat(window, server)
    await window.keyboard.press('Control+2')
    const row = window.getByRole('button', { name: /deploys › web/ })
    await row.focus()
    await window.keyboard.press('m')
    process.stdout.write('mute a topic: 1 keystroke\n')
    await expect(window.getByText(/is muted in the chat\./)).toBeVisible()
    await expect(row).toContainText('muted')
    await row.focus()
    await window.keyboard.press('m')
    await expect(row).not.toContainText('muted')
    await row.focus()
    await window.keyboard.press('f')
    await expect(window.getByText(/is followed\./)).toBeVisible()
  })

  test('a status takes four keys and letters, shows where the chat is, and can be cleared', async ({
    window,
    server,
  }) => {
    await connectChat(window, server)
    await window.keyboard.press('Control+k')
    await window.keyboard.type('in a me')
    await expect(window.getByRole('option').first()).toContainText('Status: In a meeting')
    await window.keyboard.press('Enter')
    await expect(window.getByRole('button', { name: /^For 30 min/ })).toBeFocused()
    await expectAccessible(window, 'question')
    await window.keyboard.press('2')
    process.stdout.write('status "In a meeting": 3 keystrokes and letters\n')
    await expect(window.getByText(/^Your status is “📅 In a meeting” until /)).toBeVisible()
    await window.keyboard.press('Control+2')
    const shown = window.getByRole('region', { name: 'Your status' })
    await expect(shown).toContainText(/📅 In a meeting until /)
    await expectAccessible(window, 'chat')
    await shown.getByRole('button', { name: 'Clear' }).click()
    await expect(shown).toBeHidden()
  })

  test('each list of the chat is one key away, and none gets in the way of a quick reply', async ({
    window,
    server,
  }) => {
    await connectChat(window, server)
    const { controls } = server.world.realm
    await window.keyboard.press('Control+2')
    const shown = (name: string) => window.getByRole('button', { name, pressed: true })
    const rows = window.locator('.chat-row')
    await window.keyboard.press('2')
    await expect(shown('Direct')).toBeVisible()
    await expect(rows.first()).toContainText('@ ')
    await window.keyboard.press('3')
    const ops = window.getByRole('button', { name: '# ops', expanded: false })
    await ops.focus()
    await window.keyboard.press('ArrowRight')
    await expect(window.getByRole('button', { name: /# ops › db-primary/ })).toBeVisible()
    await window.keyboard.press('4')
    const found = window.getByRole('list', { name: 'Messages found' }).getByRole('button')
    await expect(found.first()).toBeFocused()
    await window.keyboard.press('Enter')
    await expect(window.getByRole('textbox', { name: /Reply to/ })).toBeFocused()
    await window.keyboard.press('Control+2')
    await expect(shown('Recent')).toBeVisible()
    await expect(rows.first()).toBeFocused()
    await window.keyboard.press('Enter')
    const composer = window.getByRole('textbox', { name: /Reply to/ })
    await expect(composer).toBeFocused()
    await window.keyboard.type('on my way')
    await window.keyboard.press('Enter')
    const sent = () => controls.messages().filter(({ content }) => content === 'on my way').length
    await expect.poll(sent).toBe(1)
  })
})
