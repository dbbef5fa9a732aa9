import { connectChat } from './connect.ts'
import { expect, test } from './fixtures.ts'

test.describe('a search', () => {
  test('finds last week’s message by two keys and its words, and leads to it', async ({
    window,
    server,
  }) => {
    await connectChat(window, server)
    const { controls } = server.world.realm
    controls.say({ from: 'Ana', to: 'ops > db-primary', text: 'the flux capacitor is warm' })
    controls.say({ from: 'Boris', to: 'ops > disk space', text: 'nothing new' })
    await window.keyboard.press('Control+2')
    await window.keyboard.press('/')
    await window.keyboard.type('flux')
    await window.keyboard.press('Enter')
    process.stdout.write('find words: 2 keystrokes and the words\n')
    const hits = window.getByRole('list', { name: 'Messages found' })
    await expect(hits.getByRole('button')).toHaveCount(1)
    await expect(hits.locator('mark')).toHaveText('flux')
    await expect(hits).toContainText('# ops › db-primary')
    await window.keyboard.press('ArrowDown')
    await window.keyboard.press('Enter')
    await expect(
      window.getByRole('article').filter({ hasText: 'the flux capacitor is warm' }),
    ).toBeInViewport()
    // Back to the results; the query is kept for the next time.
    await window.keyboard.press('Escape')
    await expect(hits.getByRole('button')).toHaveCount(1)
    await window.getByRole('combobox', { name: 'Search messages' }).fill('')
    await expect(window.getByRole('option', { name: 'flux' })).toBeVisible()
  })

  test('accepts the service’s operators, completes them while typing, and says what it can’t read', async ({
    window,
    server,
  }) => {
    await connectChat(window, server)
    const { controls } = server.world.realm
    controls.say({ from: 'Ana', to: 'ops > db-primary', text: 'lunch is over' })
    controls.say({ from: 'Boris', to: 'ops > db-primary', text: 'lunch was good' })
    await window.keyboard.press('Control+2')
    await window.keyboard.press('/')
    await window.keyboard.type('lunch sender:bor')
    await window.keyboard.press('Tab')
    const field = window.getByRole('combobox', { name: 'Search messages' })
    await expect(field).toHaveValue('lunch sender:"Boris Novak" ')
    await window.keyboard.press('Enter')
    const hits = window.getByRole('list', { name: 'Messages found' })
    await expect(hits).toContainText('lunch was good')
    await expect(hits).not.toContainText('lunch is over')
    await field.fill('is:funny')
    await window.keyboard.press('Enter')
    await expect(window.getByRole('alert')).toContainText('not “funny”')
  })
})
