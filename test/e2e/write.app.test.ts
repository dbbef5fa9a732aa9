import { connectChat, connectOps } from './connect.ts'
import { expect, test } from './fixtures.ts'

test.describe('typed text', () => {
  test('is completed by keyboard, and Esc closes the list, not the conversation', async ({
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

test('a text is previewed before it is sent, with an emoji and a pasted picture', async ({
  window,
  server,
}) => {
  await connectChat(window, server)
  await window.getByRole('button', { name: /db-primary/ }).click()
  const composer = window.getByRole('textbox', { name: /Reply to/ })
  await composer.pressSequentially('**done** :tad')
  await expect(window.getByRole('option')).toHaveText([/tada/])
  await window.keyboard.press('Enter')
  await expect(composer).toHaveValue('**done** :tada: ')
  await window.keyboard.press('Alt+p')
  const preview = window.getByRole('region', { name: 'Preview' })
  // Plain text where the browser can't sanitise.
  await expect(preview).toContainText('done')
  await composer.evaluate((field) => {
    const dot = 'R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=='
    const data = new DataTransfer()
    const bytes = Uint8Array.from(atob(dot), (sign) => sign.charCodeAt(0))
    data.items.add(new File([bytes], 'dot.gif', { type: 'image/gif' }))
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }))
  })
  await expect(composer).toHaveValue(/:tada:[^[]*\[dot\.gif\]\(\/user_uploads\/\S+\)$/)
  await expect(window.getByRole('list', { name: 'Uploads' }).locator('img')).toHaveCount(1)
  await expect(preview).toContainText('dot.gif')
  await composer.focus()
  await window.keyboard.press('Enter')
  await expect
    .poll(() => server.world.realm.controls.messages().at(-1)?.content)
    .toMatch(/^\*\*done\*\* :tada:[^[]*\[dot\.gif\]/)
  await expect(preview).toHaveCount(0)
})

test.describe('a message', () => {
  test('is quoted, starred, edited and deleted by its actions, each on the server', async ({
    window,
    server,
  }) => {
    await connectChat(window, server)
    await window.getByRole('button', { name: /db-primary/ }).click()
    const { controls } = server.world.realm
    const composer = window.getByRole('textbox', { name: /Reply to/ })
    const last = () => controls.messages().at(-1)
    await composer.fill('the *first* try')
    await window.keyboard.press('Enter')
    await expect.poll(() => last()?.content).toBe('the *first* try')
    const own = window.getByRole('article').filter({ hasText: 'the first try' })
    const id = last()?.id
    const act = async (name: string): Promise<void> => {
      await own.focus()
      await window.keyboard.press('m')
      await window.getByRole('option', { name }).click()
    }
    await act('Star')
    await expect.poll(() => last()?.flags.has('starred')).toBe(true)
    await act('Edit')
    const field = window.getByRole('dialog').getByRole('textbox', { name: 'Message' })
    await expect(field).toHaveValue('the *first* try')
    // What was typed outlives the form.
    await field.fill('the first try, again')
    await window.keyboard.press('Escape')
    await act('Edit')
    await expect(field).toHaveValue('the first try, again')
    await window.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => last()?.content).toBe('the first try, again')
    await expect(own).toContainText('again')
    await act('Quote and reply')
    await expect(composer).toHaveValue(
      new RegExp(
        `^@_\\*\\*Dana Lind\\|11\\*\\* \\[said\\]\\(.*/near/${id}\\):\\n\`\`\`quote\\nthe first try, again\\n`,
      ),
    )
    await composer.fill('')
    await act('Delete…')
    await window.getByRole('button', { name: 'Delete', exact: true }).click()
    await expect(own).toHaveCount(0)
    expect(controls.messages().some((one) => one.id === id)).toBe(false)
  })

  test('marks what follows it unread, and leaves the conversation', async ({ window, server }) => {
    await connectChat(window, server)
    const { controls } = server.world.realm
    controls.readElsewhere('all')
    controls.say({ from: 'Ana', to: 'ops > db-primary', text: 'first of two' })
    const second = controls.say({ from: 'Ana', to: 'ops > db-primary', text: 'second of two' })
    await window.getByRole('button', { name: /db-primary/ }).click()
    await expect
      .poll(() =>
        controls
          .messages()
          .find(({ id }) => id === second)
          ?.flags.has('read'),
      )
      .toBe(true)
    await window.getByRole('article').filter({ hasText: 'second of two' }).focus()
    await window.keyboard.press('m')
    await window.getByRole('option', { name: 'Mark unread from here' }).click()
    await expect(window.getByRole('button', { name: /db-primary.*1 unread/ })).toBeVisible()
  })
})
