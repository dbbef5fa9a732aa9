import * as v from 'valibot'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { newestLevel } from '../../src/demo/chat/realm-data.ts'
import { createWorld } from '../../src/demo/world.ts'
import { conversationTitle } from '../../src/shared/core/chat/chat-names.ts'
import { conversationKey } from '../../src/shared/core/chat/conversation.ts'
import { allMessages, noMessages } from '../../src/shared/core/chat/message-list.ts'
import { mustFetch } from '../../src/shared/core/chat/realm.ts'
import { floorLevel } from '../../src/shared/core/chat/server-level.ts'
import { writingRefusal } from '../../src/shared/core/chat/writing-rules.ts'
import { startApp } from '../support/app.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

async function connected(featureLevel?: number) {
  const world = createWorld({ now: Date.now, seed: 1, lively: false, featureLevel })
  const it = await startApp({ world })
  const added = it.app.commands.addAccount(world.newAccounts.chat)
  await pass(3_000)
  const { accountId } = await added
  return { it, accountId }
}

test.each([floorLevel, newestLevel])(
  'at level %i, an archived or left channel keeps its name',
  async (featureLevel) => {
    const { it, accountId } = await connected(featureLevel)
    const { controls } = it.world.realm
    const title = (channelId: number) => {
      const realm = it.app.state.realms.get(accountId)
      return realm && conversationTitle(realm, { kind: 'topic', channelId, topic: 'x' })
    }
    expect([title(1), title(2)]).toEqual(['# ops › x', '# general › x'])
    controls.archiveChannel('ops')
    controls.subscribe('general', false)
    await pass(1_000)
    const after = ['# ops (archived) › x', '# general › x', '# channel 99 › x']
    expect([title(1), title(2), title(99)]).toEqual(after)
    expect(it.app.state.realms.get(accountId)?.channels.has(1)).toBe(false)
    controls.dropQueues()
    await pass(5_000)
    expect([title(1), title(2), title(99)]).toEqual(after)
    await it.app.stop()
  },
)

test.each([
  [floorLevel, 'in the same connection'],
  [floorLevel, 'in the next one'],
  [newestLevel, 'in the same connection'],
  [newestLevel, 'in the next one'],
])(
  'at level %i, a channel restored from the archive is as before, %s',
  async (featureLevel, when) => {
    const { it, accountId } = await connected(featureLevel)
    const { controls } = it.world.realm
    const realm = () => it.app.state.realms.get(accountId)
    const before = realm()?.channels.get(1)
    const topic = { kind: 'topic', channelId: 1, topic: 'x' } as const
    controls.archiveChannel('ops')
    await pass(1_000)
    if (when === 'in the next one') {
      controls.dropQueues()
      await pass(5_000)
    }
    controls.unarchiveChannel('ops')
    await pass(1_000)
    const now = realm()
    expect(now?.channels.get(1)).toEqual(before)
    expect(now && [writingRefusal(now, topic), mustFetch(now, topic)]).toEqual([null, false])
    expect(now && conversationTitle(now, topic)).toBe('# ops › x')
    controls.say({ from: 'Ana', to: 'ops > x', text: 'back again' })
    await pass(60_000)
    expect(it.desktop.notices.map(({ body }) => body).join()).toContain('back again')
    await it.app.stop()
  },
)

test('a channel that was just created has its name', async () => {
  const { it, accountId } = await connected()
  const making = it.app.commands.run({
    accountId,
    operation: 'createChannel',
    params: { name: 'incidents', subscribers: [12] },
  })
  await pass(1_000)
  const { id } = v.parse(v.object({ id: v.number() }), await making)
  await pass(5_000)
  const realm = it.app.state.realms.get(accountId)
  const topic = { kind: 'topic', channelId: id, topic: 'x' } as const
  expect(realm && [conversationTitle(realm, topic), mustFetch(realm, topic)]).toEqual([
    '# incidents › x',
    true,
  ])
  await it.app.stop()
})

test('a channel that the user left and rejoined is read again, since no events came meanwhile', async () => {
  const world = createWorld({ now: Date.now, seed: 1, lively: false })
  const it = await startApp({ world })
  const added = it.app.commands.addAccount(world.newAccounts.chat)
  await pass(3_000)
  const { accountId } = await added
  const { controls } = world.realm
  const general = { kind: 'topic', channelId: 2, topic: 'left' } as const
  const say = (text: string) => controls.say({ from: 'Ana Kovač', to: 'general > left', text })
  const read = async () => {
    const read = it.app.commands.loadConversation({
      accountId,
      conversation: general,
      older: false,
    })
    await pass(2_000)
    await read
  }
  const realm = () => it.app.state.realms.get(accountId)
  const history = () => realm()?.conversations.get(conversationKey(general))?.history
  const texts = () =>
    allMessages(realm()?.messages ?? noMessages)
      .filter(({ key }) => key === conversationKey(general))
      .map(({ text }) => text)
  say('before')
  await pass(1_000)
  await read()
  expect([history(), texts()]).toEqual(['recent', ['before']])
  controls.subscribe('general', false)
  await pass(1_000)
  say('while away')
  const gone = say('deleted while away')
  await pass(1_000)
  expect([history(), texts()]).toEqual(['recent', ['before']])
  await read()
  expect(texts()).toEqual(['before', 'while away', 'deleted while away'])
  controls.remove(gone)
  controls.subscribe('general', true)
  await pass(1_000)
  expect(history()).toBe('none')
  await read()
  expect([history(), texts()]).toEqual(['recent', ['before', 'while away']])
  await it.app.stop()
})

test.each(['while away', 'after coming back'])(
  'all of a channel that one left can be read, opened again %s',
  async (when) => {
    const { it, accountId } = await connected()
    const { controls } = it.world.realm
    const conversation = { kind: 'topic', channelId: 2, topic: 'left' } as const
    const say = (count: number) => {
      for (let at = 0; at < count; at += 1)
        controls.say({ from: 'Ana Kovač', to: 'general > left', text: `message ${at}` })
    }
    const read = async (older: boolean) => {
      const reading = it.app.commands.loadConversation({ accountId, conversation, older })
      await pass(2_000)
      await reading
    }
    const realm = () => it.app.state.realms.get(accountId)
    const isComplete = () => realm()?.conversations.get(conversationKey(conversation))?.complete
    const count = () =>
      allMessages(realm()?.messages ?? noMessages).filter(
        ({ key }) => key === conversationKey(conversation),
      ).length
    say(20)
    await pass(1_000)
    await read(false)
    expect([count(), isComplete()]).toEqual([20, true])
    controls.subscribe('general', false)
    await pass(1_000)
    say(250)
    if (when === 'after coming back') controls.subscribe('general', true)
    await pass(1_000)
    await read(false)
    expect([count(), isComplete()]).toEqual([100, false])
    await read(true)
    await read(true)
    expect([count(), isComplete()]).toEqual([270, true])
    await it.app.stop()
  },
)
