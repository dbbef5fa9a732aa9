import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import type { App } from '../../src/main/app.ts'
import type { Transport } from '../../src/main/base/ports.ts'
import { conversationKey } from '../../src/shared/core/chat/conversation.ts'
import { allMessages, noMessages } from '../../src/shared/core/chat/message-list.ts'
import type { Place } from '../../src/shared/core/chat/places.ts'
import { startApp } from '../support/app.ts'
import { fakeDisk } from '../support/fake-desktop.ts'
import { inTime } from '../support/watched-job.ts'

const minute = 60_000

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25, 30) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

async function connected(disk = fakeDisk()) {
  const it = await startApp({ disk })
  const added = it.app.commands.addAccount(it.world.newAccounts.chat)
  await pass(3_000)
  const { accountId } = await added
  const { controls } = it.world.realm
  const at = (topic: string) => ({
    accountId,
    conversation: { kind: 'topic', channelId: 1, topic } as const,
  })
  const topicsOf = (text: string) =>
    controls
      .messages()
      .flatMap(({ content, place }) =>
        content === text && place.kind === 'topic' ? [place.topic] : [],
      )
  const resolve = async () => {
    controls.moveTopic('ops > db-primary', 'ops > ✔ db-primary')
    await pass(minute)
  }
  return { it, accountId, controls, at, topicsOf, resolve }
}

describe('after a topic was resolved', () => {
  test('a reply typed into its notification goes to its new name', async () => {
    const { it, controls, topicsOf, resolve } = await connected()
    controls.say({ from: 'Ana', to: 'ops > db-primary', text: 'anyone?' })
    await pass(minute)
    const notice = it.desktop.notices.at(-1)
    if (notice === undefined) throw new Error('no notification')
    await resolve()
    await it.app.noticeReplied(notice, 'on my way')
    await pass(minute)
    expect(topicsOf('on my way')).toEqual(['✔ db-primary'])
    await it.app.stop()
  })

  test('a message that can still be undone goes to its new name, once', async () => {
    const { it, at, topicsOf, resolve } = await connected()
    await it.app.commands.updateSettings({ undoSendSeconds: 30 })
    await it.app.commands.sendMessage({ ...at('db-primary'), text: 'on my way' })
    await resolve()
    expect(topicsOf('on my way')).toEqual(['✔ db-primary'])
    expect(it.app.state.outbox).toEqual([])
    await it.app.stop()
  })

  test.each([
    ['no draft', ''],
    ['only the draft that was there', 'Of before'],
  ])('a message that was still being saved leaves %s behind', async (_what, there) => {
    const disk = fakeDisk()
    const { it, at, topicsOf, resolve } = await connected(disk)
    await it.app.commands.saveDraft({ ...at('✔ db-primary'), text: there, over: '' })
    await it.app.commands.saveDraft({ ...at('db-primary'), text: 'on my way', over: '' })
    const { write } = disk
    disk.write = async (name, value) => {
      await new Promise((resolved) => setTimeout(resolved, 10_000))
      await write(name, value)
    }
    const sent = it.app.commands.sendMessage({ ...at('db-primary'), text: 'on my way' })
    await pass(1_000)
    expect(it.app.state.outbox).toMatchObject([{ state: 'queued' }])
    await resolve()
    await sent
    expect([...it.app.state.drafts.values()].join()).toBe(there)
    expect(topicsOf('on my way')).toEqual(['✔ db-primary'])
    disk.write = write
    await it.app.stop()
  })

  test.each([
    ['sent', async ({ commands }: App, to: Place) => commands.sendMessage({ ...to, text: 'late' })],
    [
      'scheduled',
      async ({ commands }: App, to: Place) =>
        commands.scheduleMessage({ ...to, text: 'late', at: Date.now() + 60 * minute }),
    ],
  ])(
    'a reply %s in the field at its old name leaves the draft of its new name alone',
    async (_how, act) => {
      const { it, at, resolve } = await connected()
      await resolve()
      await it.app.commands.saveDraft({ ...at('✔ db-primary'), text: 'half a thought' })
      await it.app.commands.saveDraft({ ...at('db-primary'), text: 'late', over: '' })
      await act(it.app, at('db-primary'))
      await pass(minute)
      expect([...it.app.state.drafts.values()]).toEqual(['half a thought'])
      await it.app.stop()
    },
  )

  test('a message that the server refused is resent to its new name', async () => {
    const { it, controls, at, topicsOf, resolve } = await connected()
    controls.refuse(400, 'sendMessage')
    await it.app.commands.sendMessage({ ...at('db-primary'), text: 'on my way' })
    await pass(1_000)
    const [refused] = it.app.state.outbox
    expect(refused?.state).toBe('rejected')
    controls.refuse(null)
    await resolve()
    await it.app.commands.resendMessage({ localId: refused?.localId ?? '' })
    await pass(minute)
    expect(topicsOf('on my way')).toEqual(['✔ db-primary'])
    await it.app.stop()
  })

  test.each([
    ['', 'half a thought'],
    ['Of before', 'Of before\n\nhalf a thought'],
  ])(
    'the last characters typed in its composer follow, below what was typed there: %j',
    async (there, all) => {
      const { it, at, resolve } = await connected()
      await it.app.commands.saveDraft({ ...at('✔ db-primary'), text: there, over: '' })
      await it.app.commands.saveDraft({ ...at('db-primary'), text: 'half a th', over: '' })
      await resolve()
      const last = { text: 'half a thought', over: 'half a th' }
      await it.app.commands.saveDraft({ ...at('db-primary'), ...last })
      expect([...it.app.state.drafts.values()]).toEqual([all])
      expect([...it.app.state.drafts.keys()].join()).toMatch(/✔ db-primary$/)
      await it.app.stop()
    },
  )

  test('it stays muted in Belfry', async () => {
    const { it, accountId, controls, resolve } = await connected()
    await it.app.commands.silence({
      how: 'snooze',
      scope: { of: 'conversation', accountId, key: 'topic/1/db-primary' },
      until: inTime(60 * minute),
    })
    controls.say({ from: 'Ana', to: 'ops > db-primary', text: 'one' })
    await resolve()
    controls.say({ from: 'Ana', to: 'ops > ✔ db-primary', text: 'two' })
    await pass(minute)
    expect(it.desktop.notices).toEqual([])
    expect(it.app.state.silences.map(({ label }) => label)).toEqual(['# ops › ✔ db-primary'])
    await it.app.stop()
  })
})

test.each(['general > db-primary', 'ops > other'])(
  'a message that was moved to %s while the queue was lost does not count as missing',
  async (to) => {
    const world = createWorld({ now: Date.now, seed: 1, lively: false })
    const { controls } = world.realm
    const lost = { status: 502, headers: {}, body: new Uint8Array() }
    const transport: Transport = async (request, signal) => {
      const isSend = request.method === 'POST' && request.url.endsWith('/messages')
      if (isSend) controls.dropQueues()
      const reply = await world.transport(request, signal)
      if (!isSend) return reply
      controls.moveTopic('ops > db-primary', to)
      return lost
    }
    const it = await startApp({ world, transport })
    const added = it.app.commands.addAccount(world.newAccounts.chat)
    await pass(3_000)
    const conversation = { kind: 'topic', channelId: 1, topic: 'db-primary' } as const
    await it.app.commands.sendMessage({ ...(await added), conversation, text: 'on it' })
    await pass(5 * minute)
    const messages = controls.messages().filter(({ content }) => content === 'on it')
    expect(messages.map(({ place }) => place.kind === 'topic' && place.topic)).toEqual([
      to.split(' > ')[1],
    ])
    expect(it.app.state.outbox).toMatchObject([{ state: 'unconfirmed' }])
    expect(it.app.state.outbox[0]?.missing ?? null).toBeNull()
    await it.app.stop()
  },
)

test('older messages that were moved to a topic while the queue was lost can be read', async () => {
  const world = createWorld({ now: Date.now, seed: 1, lively: false })
  const { controls } = world.realm
  const say = (count: number, topic: string) => {
    for (let at = 0; at < count; at += 1)
      controls.say({ from: 'Ana', to: `general > ${topic}`, text: `${topic} ${at}` })
  }
  say(150, 'older')
  // More than Belfry asks for to fill its list.
  say(250, 'other')
  say(1, 'kept')
  const it = await startApp({ world })
  const added = it.app.commands.addAccount(world.newAccounts.chat)
  await pass(3_000)
  const { accountId } = await added
  const conversation = { kind: 'topic', channelId: 2, topic: 'kept' } as const
  const realm = () => it.app.state.realms.get(accountId)
  const isComplete = () => realm()?.conversations.get(conversationKey(conversation))?.complete
  const read = async (older: boolean) => {
    const reading = it.app.commands.loadConversation({ accountId, conversation, older })
    await pass(2_000)
    await reading
  }
  const count = () =>
    allMessages(realm()?.messages ?? noMessages).filter(
      ({ key }) => key === conversationKey(conversation),
    ).length
  await read(false)
  expect([count(), isComplete()]).toEqual([1, true])
  controls.dropQueues()
  controls.moveTopic('general > older', 'general > kept')
  await pass(2 * minute)
  await read(false)
  expect([count(), isComplete()]).toEqual([100, false])
  await read(true)
  expect([count(), isComplete()]).toEqual([151, true])
  await it.app.stop()
})
