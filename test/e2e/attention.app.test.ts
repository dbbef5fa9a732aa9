import { expectAccessible } from './axe.ts'
import { connectChat, connectOps } from './connect.ts'
import { expect, test } from './fixtures.ts'

test.describe('notification rules', () => {
  test('are chosen, tried and saved, and every notice gives its reasons', async ({
    window,
    server,
    desktop,
    belfry,
  }) => {
    await connectOps(window, server)
    await connectChat(window, server)
    const { controls } = server.world.ops
    const [name = ''] = controls.names().filter((one) => controls.check(one).status === 'up')
    controls.goDown(name)
    await window.getByRole('button', { name: 'Refresh now' }).click()
    await desktop.notifications.waitFor(({ title }) => title === `${name} is down`)

    await window.keyboard.press('Control+k')
    await window.keyboard.type('notification rules')
    await window.keyboard.press('Enter')
    await window.getByRole('button', { name: 'Customise' }).click()
    await window.getByRole('radio', { name: 'Check goes down: Silent' }).click()
    await window.getByRole('button', { name: 'Try on the last 7 days' }).click()
    await expect(
      window.getByRole('list', { name: 'What would have been different' }),
    ).toContainText(`${name} is down`)
    await window.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(window.getByText('Saved.')).toBeVisible()

    controls.recover(name)
    await window.getByRole('button', { name: 'Refresh now' }).click()
    await window.getByRole('button', { name: /^Notifications/ }).click()
    await window.getByRole('button', { name: 'All', exact: true }).click()
    const notices = window.getByRole('list', { name: 'Notifications' })
    const down = notices.locator('> li').filter({ hasText: `${name} is down` })
    await down.getByRole('button', { name: 'Why?' }).click()
    await expect(down.getByRole('list', { name: 'Reasons' })).toContainText(
      'Your default for “Check goes down”',
    )
    await belfry.relaunch()
    await expect(belfry.window.getByRole('tree', { name: 'Checks' })).toBeVisible()
    await belfry.window.keyboard.press('Control+k')
    await belfry.window.keyboard.type('notification rules')
    await belfry.window.keyboard.press('Enter')
    await expect(
      belfry.window.getByRole('radio', { name: 'Check goes down: Silent' }),
    ).toBeChecked()
  })

  test('are tried on the history stored before a restart', async ({ belfry, server, desktop }) => {
    await connectOps(belfry.window, server)
    const { controls } = server.world.ops
    const [name = ''] = controls.names().filter((one) => controls.check(one).status === 'up')
    controls.goDown(name)
    await belfry.window.getByRole('button', { name: 'Refresh now' }).click()
    await desktop.notifications.waitFor(({ title }) => title === `${name} is down`)
    await belfry.relaunch()
    const { window } = belfry
    await expect(window.getByRole('tree')).toBeVisible()
    await window.keyboard.press('Control+k')
    await window.keyboard.type('notification rules')
    await window.keyboard.press('Enter')
    await window.getByRole('button', { name: 'Customise' }).click()
    await window.getByRole('radio', { name: 'Check goes down: Silent' }).click()
    await window.getByRole('button', { name: 'Try on the last 7 days' }).click()
    await expect(
      window.getByRole('list', { name: 'What would have been different' }),
    ).toContainText(`${name} is down`)
  })

  test('set limits for runs, beyond which one is told of with the limit as its reason', async ({
    window,
    server,
    desktop,
  }) => {
    const { controls } = server.world.ops
    const [name = ''] = controls.names().filter((one) => controls.check(one).status === 'up')
    const at = Date.now()
    controls.ping(name, 'start', { at: at - 20 * 60_000 })
    controls.ping(name, 'success', { at: at - 10 * 60_000 })
    await connectOps(window, server)

    await window.keyboard.press('Control+k')
    await window.keyboard.type('notification rules')
    await window.keyboard.press('Enter')
    await window.getByRole('button', { name: 'Add a rule' }).click()
    const rules = window.getByRole('region', { name: 'Rules', exact: true })
    await rules.getByRole('checkbox', { name: 'Run ends too soon' }).check()
    await rules.getByRole('spinbutton', { name: 'If a run takes less than (minutes)' }).fill('5')
    await rules.getByRole('button', { name: 'Done' }).click()
    await expect(rules).toContainText('shorter than 5 min')
    await window.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(window.getByText('Saved.')).toBeVisible()

    controls.ping(name, 'start', { at: Date.now() - 2_000 })
    controls.ping(name, 'success')
    await window.getByRole('button', { name: 'Refresh now' }).click()
    await desktop.notifications.waitFor(({ title }) => title === `${name} ended sooner than usual`)
    await window.getByRole('button', { name: /^Notifications/ }).click()
    const notice = window
      .getByRole('list', { name: 'Notifications' })
      .locator('> li')
      .filter({ hasText: `${name} ended sooner than usual` })
    await notice.getByRole('button', { name: 'Why?' }).click()
    await expect(notice.getByRole('list', { name: 'Reasons' })).toContainText(
      'you set “shorter than 5 min”',
    )
  })

  test('hold everything back during do not disturb', async ({ window, server }) => {
    await connectOps(window, server)
    await window.keyboard.press('Control+k')
    await window.keyboard.type('notification rules')
    await window.keyboard.press('Enter')
    await window.getByRole('button', { name: 'Turn on…' }).click()
    await expectAccessible(window, 'question')
    await window.keyboard.press('1')
    const foot = window.getByRole('contentinfo')
    await expect(foot.getByText(/^Do not disturb until /)).toBeVisible()
    await foot.getByRole('button', { name: 'End now' }).click()
    await expect(foot.getByText(/^Do not disturb until /)).toBeHidden()
  })
})
