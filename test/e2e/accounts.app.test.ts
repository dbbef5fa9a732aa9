import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connectChat, connectOps, connectWeb, fillChat, fillMonitoring } from './connect.ts'
import { expect, test } from './fixtures.ts'

test.describe('the form of a monitoring project', () => {
  test('tries a key and says what it gives access to, before anything is saved', async ({
    window,
    server,
  }) => {
    const { web } = server.world.newAccounts
    await fillMonitoring(window, {
      address: ` ${server.urls.web}/ `,
      key: ` ${web.key}\n`,
      name: 'web',
    })
    await window.getByRole('button', { name: 'Try the key' }).click()
    await expect(window.getByText('It is read-only')).toBeVisible()
    await expect(window.getByText('It gives access to 38 checks.')).toBeVisible()
    await window.getByRole('button', { name: 'More', exact: true }).click()
    await window.getByRole('menuitem', { name: 'Accounts' }).click()
    await expect(window.getByRole('listitem', { name: 'web' })).toHaveCount(0)
  })

  test('shows a wrong key as such, and focuses the field', async ({ window, server }) => {
    await fillMonitoring(window, { address: server.urls.ops, key: 'x'.repeat(32), name: 'ops' })
    await window.getByRole('button', { name: 'Connect', exact: true }).click()
    const key = window.getByLabel('API key', { exact: true })
    await expect(key).toHaveAttribute('aria-invalid', 'true')
    await expect(key).toBeFocused()
  })

  test('distinguishes a server that isn’t there from one that is something else', async ({
    window,
    server,
  }) => {
    const page = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>Sign in</title>')
    })
    await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve))
    const { port } = page.address() as AddressInfo
    const address = window.getByLabel('Address')
    await fillMonitoring(window, {
      address: `http://127.0.0.1:${port}`,
      key: server.world.newAccounts.ops.key,
      name: 'ops',
    })
    await window.getByRole('button', { name: 'Try the key' }).click()
    await expect(address).toHaveAccessibleDescription(/web page/)
    page.closeAllConnections()
    await new Promise((resolve) => page.close(resolve))
    await window.getByRole('button', { name: 'Try the key' }).click()
    await expect(address).toHaveAccessibleDescription(/refused/)
  })

  test('refuses an address with a user name, or plain http to another host', async ({
    window,
    server,
  }) => {
    const { key } = server.world.newAccounts.ops
    const address = window.getByLabel('Address')
    await fillMonitoring(window, { address: 'https://good.example@evil.example', key, name: 'x' })
    await window.getByRole('button', { name: 'Try the key' }).click()
    await expect(address).toHaveAccessibleDescription(/user name/)
    await address.fill('http://hc.example')
    await expect(window.getByRole('checkbox')).not.toBeChecked()
  })
})

test.describe('the form of a chat account', () => {
  test('accepts a pasted zuliprc and names the realm', async ({ window, server }) => {
    const { user } = server.world.realm
    await window.getByRole('button', { name: 'Connect a chat account' }).click()
    const file = `[api]\nemail=${user.email}\nkey=${user.key}\nsite=${server.urls.chat}\n`
    await window.getByLabel('Address').evaluate((input, text) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', text)
      input.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
      )
    }, file)
    await expect(window.getByLabel('E-mail')).toHaveValue(user.email)
    await window.getByRole('button', { name: 'Try the key' }).click()
    await expect(window.getByText(user.name)).toBeVisible()
  })

  test('explains a wrong key', async ({ window, server }) => {
    const { user } = server.world.realm
    await fillChat(window, { address: server.urls.chat, email: user.email, key: 'wrong' })
    await window.getByRole('button', { name: 'Connect', exact: true }).click()
    await expect(window.getByLabel('API key', { exact: true })).toHaveAttribute(
      'aria-invalid',
      'true',
    )
  })
})

test.describe('the address of a new account', () => {
  test('is confirmed in a system dialog, and nothing is sent to it after a no', async ({
    belfry,
    server,
    window,
  }) => {
    const { ops } = server.world.newAccounts
    await belfry.answerQuestions(false)
    await fillMonitoring(window, { address: server.urls.ops, key: ops.key, name: 'ops' })
    await window.getByRole('button', { name: 'Connect', exact: true }).click()
    await expect(window.getByLabel('Address')).toHaveAccessibleDescription(/did not confirm/)
    expect(server.log).toEqual([])
    expect(await belfry.questions()).toEqual([
      expect.stringContaining(`Connect to ${server.urls.ops}?`),
    ])
    await belfry.answerQuestions(true)
    await window.getByRole('button', { name: 'Connect', exact: true }).click()
    await expect(window.getByRole('treeitem', { name: /db-backup/ })).toBeVisible()
    expect(await belfry.questions()).toHaveLength(2)
  })
})

test.describe('accounts', () => {
  test('of both kinds are kept over a restart, and gone when they are removed', async ({
    belfry,
    server,
    window,
  }) => {
    await connectOps(window, server)
    await connectChat(window, server)
    await belfry.relaunch()
    const again = belfry.window
    await expect(again.getByRole('treeitem', { name: /db-backup/ })).toBeVisible()
    await again.getByRole('tab', { name: /Chat/ }).click()
    await expect(again.getByRole('button', { name: /Ana Kovač/ }).first()).toBeVisible()
    await again.getByRole('button', { name: 'More', exact: true }).click()
    await again.getByRole('menuitem', { name: 'Accounts' }).click()
    const ops = again.getByRole('listitem', { name: 'ops-project' })
    await ops.getByRole('button', { name: 'Remove' }).click()
    await expect(ops).toHaveCount(0)
  })

  test('whose key is rejected ask for another one and continue with it', async ({
    server,
    window,
    desktop,
  }) => {
    await connectOps(window, server)
    server.world.ops.controls.refuse(401)
    await window.getByRole('button', { name: 'Refresh now' }).click()
    const shown = await desktop.notifications.waitFor(({ title }) => title.includes('key rejected'))
    server.world.ops.controls.refuse(null)
    desktop.act(shown.id, 'default')
    await window.getByLabel('New API key', { exact: true }).fill(server.world.newAccounts.ops.key)
    await window.getByRole('main').getByRole('button', { name: 'Replace key' }).click()
    await expect(window.getByRole('treeitem', { name: /db-backup/ })).toBeVisible()
  })
})

test('a project with a long list is asked for its counts alone, if its user wants that', async ({
  server,
  window,
}) => {
  server.world.web.controls.addChecks(2_000)
  await connectWeb(window, server)
  const badges = () => server.log.filter(({ path }) => path.startsWith('/badge/'))
  await window.getByRole('button', { name: 'More', exact: true }).click()
  await window.getByRole('menuitem', { name: 'Accounts' }).click()
  const web = window.getByRole('listitem', { name: 'web-project' })
  const option = web.getByRole('switch', { name: 'Ask only for the counts between two lists' })
  await expect(option).toHaveAccessibleDescription(/is \d\.\d MB and comes uncompressed: .* a day/)
  expect(badges()).toEqual([])
  await option.press('Space')
  await expect(option).toBeChecked()
  await expect(option).toHaveAccessibleDescription(/A swap, .*, is seen within 10 min/)
  // Right after a list, to know whether the badge counts as the list does.
  await expect.poll(() => badges().length).toBe(1)
  expect(badges()[0]?.headers).not.toHaveProperty('x-api-key')
  await web.getByRole('combobox').selectOption('2 min')
  await expect(option).toHaveAccessibleDescription(/A swap, .*, is seen within 2 min/)
  await expect(web.getByText('The whole list is read each time')).toHaveCount(0)
})

test.describe('without a keyring', () => {
  test.use({ keyring: false })

  test('keys are kept for this session only, and the form says so', async ({
    belfry,
    server,
    window,
  }) => {
    await window.getByRole('button', { name: 'Connect a monitoring project' }).click()
    await expect(window.getByText(/only until it quits/)).toBeVisible()
    await window.keyboard.press('Escape')
    await connectOps(window, server)
    await belfry.relaunch()
    await expect(belfry.window.getByText(/key/i).first()).toBeVisible()
    await belfry.window.getByRole('button', { name: 'More', exact: true }).click()
    await belfry.window.getByRole('menuitem', { name: 'Accounts' }).click()
    await expect(belfry.window.getByText('The key was kept only until Belfry quit.')).toBeVisible()
  })
})
