import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import type { Transport } from '../../src/main/base/ports.ts'
import { conversationKey } from '../../src/shared/core/chat/conversation.ts'
import { allMessages } from '../../src/shared/core/chat/message-list.ts'
import { floorLevel } from '../../src/shared/core/chat/server-level.ts'
import { startApp } from '../support/app.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

/** An account whose topic `long` has this many messages that are not held. */
async function connected(count: number, featureLevel?: number) {
  const world = createWorld({ now: Date.now, seed: 1, lively: false, featureLevel })
  const { controls } = world.realm
  const ids = Array.from({ length: count }, (_none, at) =>
    controls.say({ from: 'Ana', to: 'ops > long', text: `message ${at}` }),
  )
  // The newest of all are fetched for the list.
  for (let at = 0; at < 210; at += 1)
    controls.say({ from: 'Ana', to: 'ops > other', text: `${at}` })
  const asked: string[] = []
  const transport: Transport = (request, signal) => {
    if (request.method === 'GET' && /\/messages[/?]/.test(request.url)) asked.push(request.url)
    return world.transport(request, signal)
  }
  const it = await startApp({ world, transport })
  const added = it.app.commands.addAccount(world.newAccounts.chat)
  await pass(5_000)
  const { accountId } = await added
  const place = { accountId, conversation: { kind: 'topic', channelId: 1, topic: 'long' } as const }
  const key = conversationKey(place.conversation)
  const realm = () => it.app.state.realms.get(accountId)!
  const heldIds = () =>
    allMessages(realm().messages)
      .flatMap((message) => (message.key === key ? message.id : []))
      .sort((a, b) => a - b)
  const gap = () => realm().conversations.get(key)?.gap ?? null
  asked.length = 0
  return { ...it, commands: it.app.commands, controls, ids, asked, place, heldIds, gap, realm }
}

describe.each([
  ['the oldest', floorLevel],
  ['the newest', undefined],
])('in a conversation of 5,000 messages on %s server', (_which, level) => {
  test.each([0, 1, 2_500, 4_849])('hit %i is shown by at most three requests', async (at) => {
    const it = await connected(5_000, level)
    const messageId = it.ids[at]!
    expect(await it.commands.showMessage({ ...it.place, messageId })).toEqual(it.place.conversation)
    expect(it.asked.length).toBeLessThanOrEqual(3)
    const held = it.heldIds()
    expect(held).toContain(messageId)
    expect(held).toContain(it.ids.at(-1))
    // With what is around it.
    for (const near of it.ids.slice(Math.max(0, at - 20), at + 20)) expect(held).toContain(near)
    await it.app.stop()
  })

  test.each(['after', 'before'] as const)(
    'the gap to the newest closes from its edge %s, page by page',
    async (from) => {
      const it = await connected(5_000, level)
      await it.commands.showMessage({ ...it.place, messageId: it.ids[4_500]! })
      expect(it.gap()).not.toBeNull()
      const lowest = it.heldIds()[0]!
      for (let step = 0; step < 10 && it.gap() !== null; step += 1)
        await it.commands.loadGap({ ...it.place, from })
      expect(it.gap()).toBeNull()
      expect(it.heldIds()).toEqual(it.ids.filter((id) => id >= lowest))
      await it.app.stop()
    },
  )
})

describe('a message that was asked for', () => {
  test.each(['ops > elsewhere', 'general > elsewhere'])(
    'is found by three requests where it was moved unseen: %s',
    async (place) => {
      const it = await connected(400)
      it.controls.dropQueues()
      it.controls.moveTopic('ops > long', place)
      await pass(60_000)
      it.asked.length = 0
      const to = await it.commands.showMessage({ ...it.place, messageId: it.ids[7]! })
      expect(to).toMatchObject({ kind: 'topic', topic: 'elsewhere' })
      expect(it.asked.length).toBeLessThanOrEqual(3)
      expect(allMessages(it.realm().messages).map(({ id }) => id)).toContain(it.ids[7])
      await it.app.stop()
    },
  )

  test('is found where it was moved, even if only it was', async () => {
    const it = await connected(3)
    it.controls.moveTopic('ops > long', 'ops > elsewhere')
    await pass(1_000)
    const to = await it.commands.showMessage({ ...it.place, messageId: it.ids[1]! })
    expect(to).toMatchObject({ kind: 'topic', topic: 'elsewhere' })
    expect(allMessages(it.realm().messages).map(({ id }) => id)).toContain(it.ids[1])
    await it.app.stop()
  })

  test('by an address without its conversation is found where it is', async () => {
    const it = await connected(300)
    it.controls.moveTopic('ops > long', 'ops > elsewhere')
    await pass(1_000)
    it.asked.length = 0
    const { origin } = new URL(it.world.newAccounts.chat.baseUrl)
    const led = (narrow: string) => it.commands.whereLeads({ text: `${origin}/#narrow/${narrow}` })
    const messageId = it.ids[1]!
    const to = {
      view: 'conversation',
      accountId: it.place.accountId,
      conversation: { kind: 'topic', channelId: 1, topic: 'elsewhere' },
      messageId,
      fromLink: true,
    }
    expect(await led(`near/${messageId}`)).toEqual({ to })
    expect(allMessages(it.realm().messages).map(({ id }) => id)).toContain(messageId)
    expect(it.asked.length).toBeLessThanOrEqual(3)
    expect(await led(`channel/2-general/near/${messageId}`)).toEqual({ to })
    expect(await led('near/999999')).toEqual({
      refused: 'That message is gone, or you can’t see it.',
      wait: false,
    })
    await it.app.stop()
  })

  test('that is gone is nowhere', async () => {
    const it = await connected(3)
    it.controls.remove(it.ids[1]!)
    await pass(1_000)
    expect(await it.commands.showMessage({ ...it.place, messageId: it.ids[1]! })).toBeNull()
    await it.app.stop()
  })

  test('brings another page in place of an earlier one, not a second gap', async () => {
    const it = await connected(1_000)
    await it.commands.showMessage({ ...it.place, messageId: it.ids[100]! })
    await it.commands.showMessage({ ...it.place, messageId: it.ids[500]! })
    const { after, before } = it.gap()!
    const held = it.heldIds()
    expect(held).not.toContain(it.ids[100])
    const apart = held.filter((id) => id <= after)
    expect(apart).toEqual(it.ids.filter((id) => id >= apart[0]! && id <= after))
    expect(held.filter((id) => id > after)).toEqual(it.ids.filter((id) => id >= before))
    // Back to the newest page, and older ones from there: no gap is left behind.
    await it.commands.loadConversation({ ...it.place, older: true })
    expect(it.heldIds()[0]).toBeLessThan(apart[0]!)
    await it.app.stop()
  })
})
