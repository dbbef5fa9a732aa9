import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import { allMessages, noMessages } from '../../src/shared/core/chat/message-list.ts'
import { floorLevel } from '../../src/shared/core/chat/server-level.ts'
import { unreadTotals } from '../../src/shared/core/views/conversation-rows.ts'
import { startApp } from '../support/app.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

/** Topic, its policy, whether its channel is muted. */
const places = [
  ['ops > heard', 0],
  ['ops > muted', 1],
  ['general > muted with its channel', 0],
  ['general > unmuted', 2],
  ['general > followed', 3],
] as const
const texts = ['@**Dana Lind** look', '@**all** look', '@**topic** look', 'the pager rings', 'x']

async function connected() {
  const world = createWorld({ now: Date.now, seed: 1, lively: false, featureLevel: floorLevel })
  const it = await startApp({ world })
  const added = it.app.commands.addAccount(world.newAccounts.chat)
  await pass(3_000)
  const { accountId } = await added
  const { controls } = world.realm
  controls.readElsewhere('all')
  controls.muteChannel('general', true)
  for (const [place, policy] of places) controls.setTopicPolicy(place, policy)
  await pass(1_000)
  const realm = () => it.app.state.realms.get(accountId)
  const totals = () => {
    const now = realm()
    return now && unreadTotals(now)
  }
  const registerAnew = async () => {
    controls.dropQueues()
    await pass(5_000)
  }
  const run = (operation: string) =>
    it.app.commands.run({ accountId, operation, params: { muted_user_id: 12 } })
  return { ...it, controls, totals, registerAnew, realm, run }
}

describe('someone muted in the chat', () => {
  test('never interrupts until unmuted, here or elsewhere', async () => {
    const it = await connected()
    const mutedUsers = () => it.realm()?.mutedUsers
    const notified = async (text: string): Promise<boolean> => {
      it.controls.say({ from: 'Ana', to: 'ops > heard', text: `@**Dana Lind** ${text}` })
      it.controls.say({ from: 'Ana', to: 'Ana', text })
      await pass(5_000)
      return JSON.stringify(it.desktop.notices).includes(text)
    }
    expect(await notified('first')).toBe(true)
    await it.run('muteUser')
    await pass(1_000)
    expect(mutedUsers()).toEqual([12])
    expect(await notified('second')).toBe(false)
    await it.run('unmuteUser')
    await pass(1_000)
    expect(mutedUsers()).toEqual([])
    expect(await notified('third')).toBe(true)
    it.controls.muteUsers('Ana')
    await pass(1_000)
    expect(await notified('fourth')).toBe(false)
    await it.registerAnew()
    expect(mutedUsers()).toEqual([12])
    expect(await notified('fifth')).toBe(false)
    it.controls.muteUsers()
    await pass(1_000)
    expect(await notified('sixth')).toBe(true)
    await it.app.stop()
  })
})

describe('what concerns me', () => {
  test('is the same from events and from registering, whatever was muted meanwhile', async () => {
    const it = await connected()
    expect(it.totals()).toEqual({ unread: 0, mentions: 0 })
    const ids: number[] = []
    for (const [to] of places)
      for (const text of texts) ids.push(it.controls.say({ from: 'Ana', to, text }))
    await pass(1_000)
    const expected = [
      // Five by name; @all, @topic and an alert word where not muted.
      { unread: 3 * 5 + 2, mentions: 5 + 3 * 3 },
      { unread: 2 * 5 + 3, mentions: 5 + 2 * 3 },
      { unread: 5 * 5, mentions: 5 + 5 * 3 },
    ]
    const changes = [
      () => {},
      () => it.controls.setTopicPolicy('general > followed', 1),
      () => {
        it.controls.muteChannel('general', false)
        it.controls.setTopicPolicy('general > followed', 3)
        it.controls.setTopicPolicy('ops > muted', 0)
      },
    ]
    for (const [at, change] of changes.entries()) {
      change()
      await pass(1_000)
      expect(it.totals(), `live, ${at}`).toEqual(expected[at])
      await it.registerAnew()
      expect(it.totals(), `registered, ${at}`).toEqual(expected[at])
    }
    // An edit of a message known only by its id still says whom it mentions.
    it.controls.readElsewhere(ids.slice(0, -1))
    const last = ids.at(-1) ?? 0
    it.controls.edit(last, '@**Dana Lind** after all')
    await pass(1_000)
    expect(it.totals()).toEqual({ unread: 1, mentions: 1 })
    await it.app.stop()
  })
})

test('what was marked elsewhere while the service was unreachable ends up as the service has it', async () => {
  const it = await connected()
  const say = (text: string) => it.controls.say({ from: 'Ana', to: 'ops > heard', text })
  const [first, second] = [say('one'), say('two')]
  await pass(1_000)
  expect(it.totals()).toEqual({ unread: 2, mentions: 0 })
  it.controls.refuse(502)
  // Ends the pending poll.
  say('three')
  await pass(1_000)
  // The service merges both changes to read and puts them after the one to unread.
  it.controls.readElsewhere([first])
  it.controls.unreadElsewhere([first])
  it.controls.readElsewhere([second])
  it.controls.refuse(null)
  await pass(60_000)
  expect(it.totals()).toEqual({ unread: 2, mentions: 0 })
  await it.app.stop()
})

test.each(['moved', 'edited', 'deleted', 'left alone'])(
  'the last message of an old conversation that was %s in a gap is shown as it is now',
  async (fate) => {
    const it = await connected()
    const texts = (place: string) => {
      const { messages = noMessages, conversations } = [...it.app.state.realms.values()][0] ?? {}
      return allMessages(messages)
        .filter(({ key }) => key === `topic/1/${place}` && conversations?.has(key))
        .map(({ text }) => text)
    }
    const id = it.controls.say({ from: 'Ana', to: 'ops > old', text: 'once' })
    for (let n = 0; n < 210; n += 1)
      it.controls.say({ from: 'Ana', to: 'general > lunch', text: `${n}` })
    await pass(2_000)
    expect(texts('old')).toEqual(['once'])
    it.controls.dropQueues()
    if (fate === 'moved') it.controls.moveTopic('ops > old', 'ops > new')
    if (fate === 'edited') it.controls.edit(id, 'twice')
    if (fate === 'deleted') it.controls.remove(id)
    await pass(5_000)
    const left = { moved: [], edited: ['twice'], deleted: [], 'left alone': ['once'] }
    expect(texts('old')).toEqual(left[fate as keyof typeof left])
    await it.app.stop()
  },
)
