import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createWorld } from '../../../src/demo/world.ts'
import type { Transport } from '../../../src/main/base/ports.ts'
import { memoryVault } from '../../../src/main/storage/vault.ts'
import type { Conversation } from '../../../src/shared/core/chat/conversation.ts'
import { RequestFailed } from '../../../src/shared/core/failure.ts'
import { type RunningApp, startApp } from '../../support/app.ts'
import { type FakeDisk, fakeDisk } from '../../support/fake-desktop.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

const seed = 20_260_317
const runs = 40
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const places: readonly Conversation[] = [
  { kind: 'direct', userIds: [12] },
  { kind: 'topic', channelId: 1, topic: 'db-primary' },
]
const reset = { kind: 'network', reason: 'reset', host: 'h', reached: 'maybe' } as const
const refused = { ...reset, reason: 'refused', reached: 'no' } as const

/** What becomes of one request, and how long the user then does something else. */
const step = fc.record({
  place: fc.constantFrom(...places),
  fate: fc.constantFrom('well', 'slow', 'unsent', 'lost', 'answer lost', 'late' as const),
  /** The events so far are lost with their queue. */
  dropsQueue: fc.boolean(),
  ms: fc.constantFrom(30, 400, 2_000, 9_000),
  isKilled: fc.boolean(),
  /** After its restart the app reads nothing for a while, or its history late. */
  start: fc.constantFrom('well', 'blind', 'slow' as const),
})
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

/** A disk that stores nothing more once its app was killed. */
function killable(documents: ReadonlyMap<string, string>): FakeDisk & { kill: () => FakeDisk } {
  const disk = fakeDisk()
  for (const [name, text] of documents) disk.documents.set(name, text)
  const { write } = disk
  let isDead = false
  disk.write = async (name, value) => {
    await new Promise((resolve) => setTimeout(resolve, 3))
    if (isDead) await new Promise(() => undefined)
    await write(name, value)
  }
  const kill = () => {
    isDead = true
    return disk
  }
  return Object.assign(disk, { kill })
}

/** How often "ok" was sent, is on the server, and is still in the outbox. */
async function afterAll(steps: readonly Step[]) {
  const world = createWorld({ now: Date.now, seed: 1, lively: false })
  const vault = memoryVault()
  const fates: Step[] = []
  let seesFrom = 0
  let readsFrom = 0
  const transport: Transport = async (request, signal) => {
    const isSend = request.method === 'POST' && request.url.endsWith('/messages')
    if (!isSend && Date.now() < seesFrom) throw new RequestFailed(refused)
    if (!isSend && Date.now() < readsFrom && request.url.includes('/messages?'))
      await new Promise((resolve) => setTimeout(resolve, readsFrom - Date.now()))
    const fate = isSend ? fates.shift() : undefined
    if (fate === undefined) return world.transport(request, signal)
    return sent(fate, () => world.transport(request, new AbortController().signal))
  }
  async function sent({ fate, dropsQueue }: Step, send: () => ReturnType<Transport>) {
    if (fate === 'unsent') throw new RequestFailed(refused)
    if (fate === 'lost') throw new RequestFailed(reset)
    if (dropsQueue) world.realm.controls.dropQueues()
    if (fate === 'late') {
      setTimeout(() => void send(), 20_000)
      throw new RequestFailed(reset)
    }
    const reply = await send()
    if (dropsQueue) world.realm.controls.dropQueues()
    if (fate === 'slow') await new Promise((resolve) => setTimeout(resolve, 1_500))
    if (fate === 'answer lost') throw new RequestFailed(reset)
    return reply
  }

  let disk = killable(new Map())
  let it: RunningApp = await startApp({ world, vault, disk, transport })
  void it.app.commands.addAccount(world.newAccounts.chat)
  await pass(3_000)
  const accountId = it.app.state.accounts[0]!.id
  let wanted = 0
  for (const one of steps) {
    fates.push(one)
    void it.app.commands.sendMessage({ accountId, conversation: one.place, text: 'ok' })
    wanted += 1
    // Until it is on disk, the text is only a draft, which is not tested here.
    await pass(20)
    await pass(one.ms)
    if (!one.isKilled) continue
    const left = disk.kill()
    void it.app.stop()
    // What the killed app had not sent yet is left to the next one.
    disk = killable(left.documents)
    seesFrom = one.start === 'blind' ? Date.now() + 3_000 : 0
    readsFrom = one.start === 'slow' ? Date.now() + 3_000 : 0
    const starts = startApp({ world, vault, disk, transport })
    await pass(20)
    it = await starts
  }
  await pass(10 * 60_000)
  const there = world.realm.controls.messages().filter(({ content }) => content === 'ok').length
  const states = it.app.state.outbox.map(({ state }) => state)
  const { bugs } = it
  void it.app.stop()
  await pass(5_000)
  return { wanted, there, states, bugs }
}

describe('equal messages', () => {
  test(`each end up exactly once, on the server or with the user, whatever happens (seed ${seed})`, {
    timeout: 120_000,
  }, async () => {
    let asked = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 6 }), async (steps) => {
        const { wanted, there, states, bugs } = await afterAll(steps)
        asked += states.length
        expect(bugs).toEqual([])
        expect(there + states.length).toBe(wanted)
        expect(states.filter((state) => state !== 'unconfirmed')).toEqual([])
      }),
      { seed, numRuns: runs },
    )
    // Control: some were in doubt.
    expect(asked).toBeGreaterThan(runs / 4)
  })
})
