import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { newestLevel } from '../../src/demo/chat/realm-data.ts'
import { createWorld } from '../../src/demo/world.ts'
import { conversationTitle } from '../../src/shared/core/chat/conversation.ts'
import { floorLevel } from '../../src/shared/core/chat/server-level.ts'
import { startApp } from '../support/app.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

test.each([floorLevel, newestLevel])(
  'at level %i, a channel that is archived or left keeps its name',
  async (featureLevel) => {
    const world = createWorld({ now: Date.now, seed: 1, lively: false, featureLevel })
    const it = await startApp({ world })
    const added = it.app.commands.addAccount(it.world.newAccounts.chat)
    await pass(3_000)
    const { accountId } = await added
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
