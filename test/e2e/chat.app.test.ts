import type { Page } from 'playwright/test'
import { hostileHtml } from '../support/hostile-html.ts'
import { connectChat } from './connect.ts'
import { expect, test } from './fixtures.ts'

test.describe('a message', () => {
  test('raises a notification, and a reply to it reaches the server once', async ({
    window,
    server,
    desktop,
    belfry,
  }) => {
    await connectChat(window, server)
    await belfry.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.hide())
    server.world.realm.controls.say({ from: 'Boris', to: 'Boris', text: 'is the lock gone?' })
    const shown = await desktop.notifications.waitFor((one) =>
      one.body.includes('is the lock gone?'),
    )
    expect(shown.title).toContain('Boris Novak')
    expect(shown.actions).toContain('reply')
    desktop.act(shown.id, 'reply')
    const composer = window.getByRole('textbox', { name: /Reply to/ })
    await expect(composer).toBeFocused()
    await composer.fill('yes, since noon')
    await window.keyboard.press('Enter')
    await expect(composer).toHaveValue('')
    await expect(window.getByRole('article').filter({ hasText: 'yes, since noon' })).toHaveCount(1)
    await expect(window.getByText('sending…')).toHaveCount(0)
    const sent = server.world.realm.controls
      .messages()
      .filter(({ content }) => content === 'yes, since noon')
    expect(sent).toHaveLength(1)
    expect(sent[0]?.flags.has('read')).toBe(true)
  })

  test('appears in the open conversation, with edits, reactions and deletions', async ({
    window,
    server,
  }) => {
    await connectChat(window, server)
    await window.getByRole('button', { name: /db-primary/ }).click()
    const { controls } = server.world.realm
    const id = controls.say({ from: 'Ana', to: 'ops > db-primary', text: 'look at the *graph*' })
    const message = window.getByRole('article').filter({ hasText: 'graph' }).last()
    await expect(message).toContainText('look at the graph')
    controls.edit(id, 'look at the new graph')
    await expect(message).toContainText('look at the new graph')
    await expect(message).toContainText('edited')
    controls.react({ from: 'Chidi', messageId: id, name: 'eyes' })
    await expect(message.getByRole('button', { name: /eyes, 1/ })).toBeVisible()
    controls.remove(id)
    await expect(window.getByText('look at the new graph')).toHaveCount(0)
  })

  test('is counted at once, and no longer once it was read elsewhere', async ({
    window,
    server,
    desktop,
  }) => {
    await connectChat(window, server)
    const { controls } = server.world.realm
    controls.readElsewhere('all')
    await expect(window.getByRole('tab', { name: /Chat/ })).not.toHaveAccessibleName(/unread/)
    const id = controls.say({ from: 'Ana', to: 'Ana', text: 'one more thing' })
    await expect(window.getByRole('tab', { name: /Chat/ })).toHaveAccessibleName(/1 unread/)
    const shown = await desktop.notifications.waitFor((one) => one.body.includes('one more thing'))
    controls.readElsewhere([id])
    await expect(window.getByRole('tab', { name: /Chat/ })).not.toHaveAccessibleName(/unread/)
    await desktop.closed.waitFor((closed) => closed === shown.id)
  })
})

test.describe('an event queue', () => {
  test('that is lost recovers without losing or doubling a message', async ({
    window,
    server,
    desktop,
  }) => {
    await connectChat(window, server)
    const { controls } = server.world.realm
    controls.refuse(503)
    controls.dropQueues()
    controls.say({ from: 'Ana', to: 'Ana', text: 'said into the gap' })
    controls.refuse(null)
    await desktop.notifications.waitFor((one) => one.body.includes('said into the gap'))
    // Opened only now: a message read at once in an open conversation is rightly not notified.
    await window
      .getByRole('button', { name: /^@ Ana Kovač \d/ })
      .first()
      .click()
    controls.say({ from: 'Ana', to: 'Ana', text: 'said afterwards' })
    await expect(window.getByRole('article').filter({ hasText: 'said afterwards' })).toHaveCount(1)
    await expect(window.getByText('said into the gap')).toHaveCount(1)
    const told = desktop.notifications.all.filter(({ body }) => body.includes('said into the gap'))
    expect(told).toHaveLength(1)
  })

  test('is deleted when the app is quit', async ({ window, server, belfry }) => {
    await connectChat(window, server)
    expect(server.world.realm.controls.queues().registered).toBe(1)
    await belfry.quit()
    expect(server.world.realm.controls.queues().registered).toBe(0)
  })
})

test.describe('unsent text', () => {
  test('survives closing the window, and a power cut', async ({ window, server, belfry }) => {
    await connectChat(window, server)
    await window.getByRole('button', { name: /db-primary/ }).click()
    const text = 'half a thought 🙂 and a line'
    await window.getByRole('textbox', { name: /Reply to/ }).fill(text)
    await window.keyboard.press('Escape')
    await window.getByRole('button', { name: /db-primary/ }).click()
    await expect(window.getByRole('textbox', { name: /Reply to/ })).toHaveValue(text)
    await expect
      .poll(async () => JSON.stringify(await belfry.documents()))
      .toContain('half a thought')
    await belfry.kill()
    await belfry.relaunch()
    await belfry.window.getByRole('tab', { name: /Chat/ }).click()
    await belfry.window.getByRole('button', { name: /db-primary/ }).click()
    await expect(belfry.window.getByRole('textbox', { name: /Reply to/ })).toHaveValue(text)
  })

  test('that the server refuses comes back with the server’s words', async ({ window, server }) => {
    await connectChat(window, server)
    await window.getByRole('button', { name: /db-primary/ }).click()
    server.world.realm.controls.refuse(400, 'sendMessage')
    const composer = window.getByRole('textbox', { name: /Reply to/ })
    await composer.fill('hello there')
    await window.keyboard.press('Enter')
    await expect(window.getByText(/not sent/i)).toBeVisible()
    await window.getByRole('button', { name: 'Edit again' }).click()
    await expect(composer).toHaveValue('hello there')
  })

  test('of unknown fate is not resent automatically', async ({ window, server }) => {
    await connectChat(window, server)
    await window.getByRole('button', { name: /db-primary/ }).click()
    server.world.realm.controls.refuse(500, 'sendMessage')
    await window.getByRole('textbox', { name: /Reply to/ }).fill('once and only once')
    await window.keyboard.press('Enter')
    await expect(window.getByText(/may not have arrived/i)).toBeVisible()
    server.world.realm.controls.refuse(null)
    await window.getByRole('button', { name: 'Send again' }).click()
    await expect(window.getByRole('article').filter({ hasText: 'once and only once' })).toHaveCount(
      1,
    )
    await expect(window.getByText(/unsure/)).toHaveCount(0)
    const sent = () =>
      server.world.realm.controls
        .messages()
        .filter(({ content }) => content === 'once and only once').length
    await expect.poll(sent).toBe(1)
  })
})

test.describe('on a desktop with inline replies', () => {
  test.use({
    desktopParts: { notifications: { capabilities: ['actions', 'body', 'inline-reply'] } },
  })

  test('a reply typed into the notification is sent once, however often it is delivered', async ({
    window,
    server,
    desktop,
  }) => {
    await connectChat(window, server)
    server.world.realm.controls.say({ from: 'Ana', to: 'Ana', text: 'quick question' })
    const shown = await desktop.notifications.waitFor((one) => one.body.includes('quick question'))
    expect(shown.actions).toContain('inline-reply')
    desktop.reply(shown.id, 'quick answer')
    desktop.reply(shown.id, 'quick answer')
    await expect
      .poll(
        () =>
          server.world.realm.controls.messages().filter(({ content }) => content === 'quick answer')
            .length,
      )
      .toBe(1)
    await window
      .getByRole('button', { name: /^@ Ana Kovač \d/ })
      .first()
      .click()
    await expect(window.getByRole('article').filter({ hasText: 'quick answer' })).toHaveCount(1)
  })
})

test.describe('without a notification daemon', () => {
  test.use({ desktopParts: { notifications: false } })

  test('messages are still counted, and kept in the list of notices', async ({
    window,
    server,
  }) => {
    await connectChat(window, server)
    server.world.realm.controls.say({ from: 'Ana', to: 'Ana', text: 'nobody pops this up' })
    await window.getByRole('button', { name: /^Notifications/ }).click()
    await expect(window.getByText('nobody pops this up')).toBeVisible()
  })
})

/** What a page tried to load and to run, and how often its sanitizer ran. */
interface Seen {
  sanitized: number
  refused: string[]
  dialogs: number
}

async function watchPage(window: Page): Promise<() => Promise<Seen>> {
  await window.evaluate(() => {
    const seen: Seen = { sanitized: 0, refused: [], dialogs: 0 }
    Object.assign(globalThis, { seen })
    document.addEventListener('securitypolicyviolation', ({ blockedURI }) => {
      // The parser drops handlers, and reports them, before the sanitizer sees them.
      if (blockedURI !== 'inline') seen.refused.push(blockedURI)
    })
    globalThis.alert = () => {
      seen.dialogs += 1
    }
    const prototype = Element.prototype as Element & { setHTML(...given: unknown[]): void }
    const { setHTML } = prototype
    prototype.setHTML = function (...given) {
      seen.sanitized += 1
      setHTML.apply(this, given)
    }
  })
  return () => window.evaluate(() => Reflect.get(globalThis, 'seen') as Seen)
}

test.describe('messages of hostile HTML', () => {
  test('go through the sanitizer, and run nothing and load nothing', async ({ window, server }) => {
    await connectChat(window, server)
    const seen = await watchPage(window)
    const hostile = hostileHtml.filter((_html, at) => at % 4 === 0)
    for (const [at, html] of hostile.entries())
      server.world.realm.controls.say({ from: 'Ana', to: 'ops > hostile', text: `${at}`, html })
    await window.setViewportSize({ width: 420, height: 1_800 })
    await window.getByRole('button', { name: /hostile/ }).click()
    await expect(window.getByRole('article')).toHaveCount(hostile.length)
    // Messages are rendered one per turn, after they are in the column.
    await expect
      .poll(async () => (await seen()).sanitized)
      .toBeGreaterThanOrEqual(hostile.length / 2)
    const drawn = window.locator('.message-html')
    const banned =
      'script, iframe, object, embed, svg:not(.icon), style, form, input, link, meta, base, [src]'
    await expect(drawn.locator(banned)).toHaveCount(0)
    expect(await seen()).toMatchObject({ refused: [], dialogs: 0 })
    // Control: the same observers see what one of them would have done.
    const loaded = 'https://evil.example/hostile/a'
    await window.evaluate((url) => {
      const picture = document.createElement('img')
      picture.src = url
      document.querySelector('.message-html')?.append(picture)
    }, loaded)
    await expect(drawn.locator(banned)).toHaveCount(1)
    await expect.poll(async () => (await seen()).refused).toContain(loaded)
  })
})
