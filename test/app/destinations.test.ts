import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { DemoMessage } from '../../src/demo/chat/demo-message.ts'
import type { Notice } from '../../src/shared/core/attention/notice.ts'
import type { Conversation } from '../../src/shared/core/chat/conversation.ts'
import { startApp } from '../support/app.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const people = ['Ana', 'Boris', 'Chidi']

async function connected() {
  const it = await startApp()
  await it.app.commands.addAccount(it.world.newAccounts.chat)
  await pass(3_000)
  const { id: accountId } = it.app.state.accounts[0]!
  const realm = () => it.app.state.realms.get(accountId)!
  const directWith = (name: string): Conversation => {
    const user = [...realm().users.values()].find((one) => one.name.startsWith(name))!
    return { kind: 'direct', userIds: [user.id] }
  }
  /** The recipient of each of our texts, according to the server. */
  const arrivals = () => it.world.realm.controls.messages().flatMap(arrivalOf)
  const stop = async () => {
    const stopped = it.app.stop()
    await pass(2_000)
    await stopped
  }
  return { it, accountId, directWith, arrivals, stop }
}

function arrivalOf({ content, place, senderId }: DemoMessage): [string, Conversation][] {
  if (!content.startsWith('to ')) return []
  if (place.kind === 'topic') return [[content, place]]
  return [[content, { ...place, userIds: place.userIds.filter((id) => id !== senderId) }]]
}

describe('a text', () => {
  test('that answers a notification goes once to where its message came from, in any order', async () => {
    const { it, directWith, arrivals, stop } = await connected()
    for (const from of people) {
      it.world.realm.controls.say({ from, to: from, text: `from ${from}` })
      await pass(20_000)
    }
    const told = new Map(it.desktop.notices.map((notice) => [notice.body, notice]))
    const noticeOf = (name: string): Notice => told.get(`from ${name}`)!
    // What the window shows meanwhile, and what is typed there, doesn’t matter.
    await it.app.commands.showing({ view: 'chat' })
    for (const name of people.toReversed()) {
      await it.app.noticeReplied(noticeOf(name), `to ${name}`)
      await it.app.noticeReplied(noticeOf(name), `to ${name}`)
    }
    await pass(5_000)
    expect(arrivals()).toHaveLength(people.length)
    for (const name of people) expect(arrivals()).toContainEqual([`to ${name}`, directWith(name)])
    await stop()
  })

  test('that is queued goes to its destination, whatever is sent, shown and typed meanwhile', async () => {
    const { it, accountId, directWith, arrivals, stop } = await connected()
    it.world.realm.controls.refuse(503)
    for (const name of people)
      await it.app.commands.sendMessage({
        accountId,
        conversation: directWith(name),
        text: `to ${name}`,
      })
    await pass(1_000)
    const waiting = it.app.state.outbox.map(({ localId }) => localId)
    expect(waiting).toHaveLength(people.length)
    it.world.realm.controls.refuse(null)
    for (const localId of waiting) {
      // A window names an entry by its id only, so it can’t change a destination that main has.
      const lies = { localId, accountId, conversation: directWith('Chidi'), text: 'to all' }
      await it.app.commands.saveDraft(lies)
      await it.app.commands.resendMessage(lies)
      await it.app.commands.showing({ view: 'chat' })
    }
    await pass(120_000)
    expect(it.app.state.outbox).toEqual([])
    expect(arrivals().toSorted()).toEqual(people.map((name) => [`to ${name}`, directWith(name)]))
    await stop()
  })

  test('for an account that doesn’t exist goes nowhere and leaves nothing', async () => {
    const { it, directWith, arrivals, stop } = await connected()
    const place = { accountId: 'gone', conversation: directWith('Ana') }
    await it.app.commands.sendMessage({ ...place, text: 'to Ana' }).catch(() => undefined)
    await pass(60_000)
    expect(arrivals()).toEqual([])
    await stop()
  })
})
