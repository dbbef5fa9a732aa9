import type { FakeDesktop } from '../support/session-bus.ts'
import { connectChat, connectOps, connectWeb } from './connect.ts'
import { expect, test } from './fixtures.ts'

/** Reads all accounts again, by the tray's menu. */
async function refresh(desktop: FakeDesktop): Promise<void> {
  await desktop.clickMenu(await desktop.items.waitFor(() => true), 'Refresh now')
}

async function tellsOf(desktop: FakeDesktop, words: string | RegExp): Promise<void> {
  const item = await desktop.items.waitFor(() => true)
  await expect
    .poll(async () => JSON.stringify(await desktop.trayProperty(item, 'ToolTip')))
    .toMatch(words)
}

test.describe('a thousand checks that go down in one poll', () => {
  test('cause one notification, which names what they have in common', async ({
    window,
    server,
    desktop,
  }) => {
    const { controls, table } = server.world.web
    controls.addChecks(1_000)
    const names = [...table.checks.values()].map(({ fields }) => fields.name)
    await connectWeb(window, server)
    await tellsOf(desktop, /\d+ up/)
    const before = desktop.notifications.all.length
    for (const name of names.filter((one) => one.startsWith('job-'))) controls.goDown(name)
    await refresh(desktop)
    const shown = await desktop.notifications.waitFor(({ title }) => /checks down in/.test(title))
    expect(shown.title).toMatch(/^1,000 checks down in web-project$/)
    await tellsOf(desktop, /1,000 down/)
    const told = desktop.notifications.all.slice(before)
    expect(told.filter(({ title }) => /down/.test(title)).length).toBeLessThanOrEqual(3)
  })
})

test.describe('a check that flaps', () => {
  test('is notified twice, not with each change', async ({ window, server, desktop }) => {
    await connectOps(window, server)
    const { controls } = server.world.ops
    for (let times = 0; times < 3; times += 1) {
      controls.goDown('cert-renew')
      await refresh(desktop)
      await tellsOf(desktop, /3 down/)
      controls.ping('cert-renew', 'success')
      await refresh(desktop)
      await tellsOf(desktop, /2 down/)
    }
    const told = desktop.notifications.all.filter(({ title }) => title.startsWith('cert-renew'))
    expect(told.map(({ title }) => title)).toEqual(['cert-renew is down', 'cert-renew is up again'])
  })
})

test.describe('an outage that a bot reports, too', () => {
  test('is one notification, whichever comes first', async ({ window, server, desktop }) => {
    await connectOps(window, server)
    await connectChat(window, server)
    const { ops, realm } = server.world
    const bot = (name: string, id = '0'.repeat(40)) =>
      realm.controls.say({
        from: 'Monitoring',
        to: 'ops > db-primary',
        text: `[${name}](https://ops.example.org/cloaked/${id}/) is DOWN.`,
      })
    const idOf = (name: string) => ops.controls.check(name).uniqueKey
    const about = (name: string) =>
      desktop.notifications.all.filter(({ title, body }) => `${title} ${body}`.includes(name))

    ops.controls.goDown('cert-renew')
    await refresh(desktop)
    await desktop.notifications.waitFor(({ title }) => title === 'cert-renew is down')
    bot('cert-renew', idOf('cert-renew'))
    // Sent last: once it is notified, the other one was handled, too.
    bot('somebody-elses-job')
    await desktop.notifications.waitFor(({ body }) => body.includes('somebody-elses-job'))
    expect(about('cert-renew')).toHaveLength(1)

    bot('thumbnailer', idOf('thumbnailer'))
    await desktop.notifications.waitFor(({ body }) => body.includes('thumbnailer'))
    ops.controls.goDown('thumbnailer')
    await refresh(desktop)
    await tellsOf(desktop, /4 down/)
    expect(about('thumbnailer')).toHaveLength(1)
  })
})
