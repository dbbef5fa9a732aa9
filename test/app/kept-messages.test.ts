import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  allMessages,
  messageList,
  recentMessages,
} from '../../src/shared/core/chat/message-list.ts'
import { chatRows, unreadTotals } from '../../src/shared/core/views/conversation-rows.ts'
import { type RunningApp, startApp } from '../support/app.ts'
import * as eg from '../support/eg.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const onDisk = ({ disk }: RunningApp): string => JSON.stringify(disk.read('messages'))

/** An app with a chat account, where Ana just wrote. */
async function written(keepMessages: boolean) {
  const it = await startApp()
  const { accountId } = await it.app.commands.addAccount(it.world.newAccounts.chat)
  await it.app.commands.updateSettings({ keepMessages })
  await pass(1_000)
  const { controls } = it.world.realm
  const id = controls.say({ from: 'Ana', to: 'ops > db-primary', text: 'the flux is warm' })
  await pass(20_000)
  return { it, accountId, controls, id }
}

/** The next start, offline until `reach`. */
async function offline(it: RunningApp, accountId: string) {
  let isReachable = false
  await it.app.stop()
  const again = await startApp({
    world: it.world,
    disk: it.disk,
    vault: it.vault,
    transport: (...asked) =>
      isReachable ? it.world.transport(...asked) : new Promise(() => undefined),
  })
  const realm = () => again.app.state.realms.get(accountId)!
  const texts = () => allMessages(realm().messages).map(({ text }) => text)
  return { again, realm, texts, reach: () => (isReachable = true) }
}

describe('recent messages', () => {
  test('are on no disk unless that is switched on, and gone when it is switched off', async () => {
    const { it } = await written(false)
    expect(onDisk(it)).not.toContain('flux')
    await it.app.commands.updateSettings({ keepMessages: true })
    await pass(20_000)
    expect(onDisk(it)).toContain('flux')
    await it.app.commands.updateSettings({ keepMessages: false })
    await pass(0)
    expect(onDisk(it)).toBe('[]')
    await it.app.stop()
  })

  test('are removed with their account', async () => {
    const { it, accountId } = await written(true)
    expect(onDisk(it)).toContain('flux')
    await it.app.commands.removeAccount({ accountId })
    await pass(0)
    expect(onDisk(it)).toBe('[]')
    await it.app.stop()
  })

  test('are shown offline after a start, by name, without claiming to be unread or fresh', async () => {
    const { it, accountId } = await written(true)
    const { again, realm, texts } = await offline(it, accountId)
    expect(texts()).toContain('the flux is warm')
    const row = chatRows(again.app.state).find(
      ({ preview }) => preview?.text === 'the flux is warm',
    )
    expect(row).toMatchObject({ title: '# ops › db-primary', muted: false, unread: 0 })
    expect(row?.preview?.sender).toBe('Ana Kovač')
    expect(unreadTotals(realm())).toEqual({ unread: 0, mentions: 0 })
    expect(realm().freshness.readAt).toBeNull()
    await again.app.stop()
  })

  test('are updated from the server once it is reached, and none is notified again', async () => {
    const { it, accountId, controls, id } = await written(true)
    const other = controls.say({ from: 'Ana', to: 'ops > db-primary', text: 'soon edited' })
    await pass(20_000)
    await it.app.stop()
    controls.remove(id)
    controls.edit(other, 'edited while away')
    const { again, realm, texts, reach } = await offline(it, accountId)
    expect(texts()).toContain('the flux is warm')
    reach()
    await again.app.commands.refresh({ accountId: null })
    await pass(120_000)
    expect(realm().freshness.readAt).not.toBeNull()
    expect(texts()).not.toContain('the flux is warm')
    expect(texts()).toContain('edited while away')
    expect(unreadTotals(realm()).unread).toBeGreaterThan(0)
    expect(again.desktop.notices.filter(({ body }) => body.includes('flux'))).toEqual([])
    await again.app.stop()
  })

  test('that can’t be read cost nothing else', async () => {
    const { it, accountId } = await written(true)
    await it.app.stop()
    for (const damaged of [7, [[accountId, { messages: 'x' }]], [['gone', null]], [[accountId]]]) {
      await it.disk.write('messages', damaged)
      const { again, texts } = await offline(it, accountId)
      expect(texts()).toEqual([])
      await again.app.stop()
    }
  })
})

describe('the messages that are kept', () => {
  const many = (count: number, topic: string, first: number, text = 'x') =>
    Array.from({ length: count }, (_, at) =>
      eg.message({ id: first + at, conversation: { kind: 'topic', channelId: 10, topic }, text }),
    )
  const kept = (...messages: Parameters<typeof messageList>[0][]) =>
    recentMessages(messageList(messages.flat()))

  test('are the last 20 of the 30 newest conversations', () => {
    const all = Array.from({ length: 40 }, (_, at) => many(25, `t${at}`, 1_000 * (at + 1)))
    const found = kept(...all)
    expect(found).toHaveLength(600)
    expect(new Set(found.map(({ conversation }) => JSON.stringify(conversation))).size).toBe(30)
    expect(found[0]?.id).toBe(11_005)
    expect(found.map(({ id }) => id)).toEqual(found.map(({ id }) => id).toSorted((a, b) => a - b))
  })

  test('are bounded in size, and have no gap', () => {
    const large = many(1, 'a', 3, 'y'.repeat(1_000_001))
    const found = kept(many(2, 'a', 1), large, many(1, 'a', 4), many(1, 'b', 2_000))
    expect(found.map(({ id }) => id)).toEqual([4, 2_000])
  })
})
