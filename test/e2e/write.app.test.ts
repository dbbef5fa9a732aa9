import { connectChat, connectOps } from './connect.ts'
import { expect, test } from './fixtures.ts'

test.describe('what is typed', () => {
  test('is completed by the keyboard, and Esc closes the list, not the conversation', async ({
    window,
    server,
  }) => {
    await connectOps(window, server)
    await connectChat(window, server)
    await window.getByRole('button', { name: /db-primary/ }).click()
    const composer = window.getByRole('textbox', { name: /Reply to/ })
    const list = window.getByRole('listbox', { name: 'Completions' })
    await composer.pressSequentially('@chi')
    await expect(list.getByRole('option')).toHaveText([/Chidi Okafor/])
    await window.keyboard.press('Enter')
    await expect(composer).toHaveValue('@**Chidi Okafor** ')
    await composer.pressSequentially('look at &db-b')
    await expect(list.getByRole('option').first()).toContainText('db-backup')
    await window.keyboard.press('Tab')
    await expect(composer).toHaveValue(/look at `db-backup` is \*\*down\*\*/)
    await composer.pressSequentially('in #dep')
    await expect(list.getByRole('option')).toHaveText([/deploys/])
    await window.keyboard.press('Escape')
    await expect(list.getByRole('option')).toHaveCount(0)
    await expect(composer).toBeFocused()
    await window.keyboard.press('Enter')
    await expect
      .poll(() => server.world.realm.controls.messages().at(-1)?.content)
      .toMatch(/^@\*\*Chidi Okafor\*\* look at `db-backup` is .*\/cloaked\/\w{40}\/\)\) in #dep$/)
  })
})
