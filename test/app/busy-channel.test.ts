import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import { statusLine } from '../../src/shared/core/views/status-line.ts'
import { type RunningApp, startApp } from '../support/app.ts'
import { seeded } from '../support/seeded.ts'

const control = vi.hoisted(() => ({ hasReserve: true }))

vi.mock(import('../../src/main/http/rate-limit.ts'), async (original) => {
  const { createBudget } = await original()
  return {
    createBudget(options) {
      const budget = createBudget(options)
      return {
        ...budget,
        take: (priority, signal) =>
          budget.take(!control.hasReserve && priority === 'poll' ? 'background' : priority, signal),
      }
    },
  }
})

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-03-17T14:00:00Z') })
})
afterEach(() => {
  control.hasReserve = true
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
/** 20 messages a second. */
const pauseMs = 50

/** Opens a conversation, which takes one request. */
const clicker =
  ({ app }: RunningApp, accountId: string) =>
  (): void => {
    const conversation = { kind: 'topic', channelId: 1, topic: 'db-primary' } as const
    app.commands.loadConversation({ accountId, conversation, older: false }).catch(() => undefined)
  }

/** How long each direct message took to be notified, in ms, and every text of the status line. */
async function watch(seconds: number, seed: number, isClicking: boolean) {
  const it = await startApp()
  const { controls } = it.world.realm
  const { accountId } = await it.app.commands.addAccount(it.world.newAccounts.chat)
  await pass(1_000)
  const { chance } = seeded(seed)
  const click = clicker(it, accountId)
  const sentAt = new Map<string, number>()
  const tookMs = new Map<string, number>()
  const words = new Set<string>()
  let last = 0
  for (let at = 0; at < seconds * 1_000; at += pauseMs) {
    controls.say({ from: 'Boris', to: 'general > lunch', text: `step ${at}` })
    // More than one in ten seconds would be grouped into one notification.
    if (at - last > 12_000 && chance(1 / 40)) {
      const text = `are you there, ${at}?`
      controls.say({ from: 'Ana', to: 'Ana', text })
      sentAt.set(text, Date.now())
      last = at
    }
    // 300 requests a minute: more than the budget.
    if (isClicking && at % 200 === 0) click()
    await pass(pauseMs)
    for (const { body } of it.desktop.notices)
      if (!tookMs.has(body)) tookMs.set(body, Date.now() - (sentAt.get(body) ?? Date.now()))
    words.add(statusLine(it.app.state, Date.now()).text)
  }
  expect(it.bugs).toEqual([])
  const took = [...sentAt].map(([text, at]) => tookMs.get(text) ?? Date.now() - at)
  await it.app.stop()
  return { worstMs: Math.max(...took), count: took.length, words }
}

test.each([
  { seconds: 300, isClicking: false, seed: 1 },
  { seconds: 90, isClicking: true, seed: 2 },
])(
  'a direct message is notified within 5 s in $seconds s of 20 messages a second (clicks: $isClicking)',
  async ({ seconds, isClicking, seed }) => {
    const { worstMs, count, words } = await watch(seconds, seed, isClicking)
    expect(count).toBeGreaterThan(seconds / 20)
    expect(worstMs).toBeLessThan(5_000)
    expect([...words]).toEqual(['Chat is live'])
  },
  60_000,
)

test('without the reserve for the event poll, it takes much longer', async () => {
  control.hasReserve = false
  const { worstMs } = await watch(60, 1, false)
  expect(worstMs).toBeGreaterThan(10_000)
})

test('“live” isn’t shown while catching up waits for the request budget', async () => {
  const it = await startApp()
  const { controls } = it.world.realm
  const { accountId } = await it.app.commands.addAccount(it.world.newAccounts.chat)
  await pass(1_000)
  const click = clicker(it, accountId)
  for (let at = 0; at < 150; at += 1) click()
  await pass(1_000)
  controls.dropQueues()
  const missed = controls.say({ from: 'Ana', to: 'Ana', text: 'while the queue was lost' })
  const isKnown = () => it.app.state.realms.get(accountId)?.notified?.ids.includes(missed)
  await pass(11_000)
  let seconds = 0
  for (; seconds < 60 && !isKnown(); seconds += 1) {
    expect(statusLine(it.app.state, Date.now()).text).not.toContain('live')
    await pass(1_000)
  }
  // Control: it did wait.
  expect(seconds).toBeGreaterThan(10)
  await pass(1_000)
  expect(statusLine(it.app.state, Date.now()).text).toBe('Chat is live')
  expect(it.desktop.notices.at(-1)?.body).toBe('while the queue was lost')
  await it.app.stop()
})

test.each([
  ['selected', true, 75],
  // The control: what somebody waits for leaves only a tenth, for changes.
  ['opened', false, 135],
] as const)(
  'a conversation that is only %s is read on its part of the requests',
  async (_, glance, most) => {
    const world = createWorld({ now: Date.now, seed: 1, lively: false })
    let sent = 0
    const it = await startApp({
      world,
      transport: (request, signal) => {
        if (/\/messages\?/.test(request.url)) sent += 1
        return world.transport(request, signal)
      },
    })
    const { accountId } = await it.app.commands.addAccount(world.newAccounts.chat)
    await pass(90_000)
    sent = 0
    const conversation = { kind: 'topic', channelId: 1, topic: 'db-primary' } as const
    const look = { accountId, conversation, older: false, glance }
    for (let at = 0; at < 150; at += 1)
      it.app.commands.loadConversation(look).catch(() => undefined)
    await pass(30_000)
    expect(sent).toBeLessThanOrEqual(most)
    expect(sent).toBeGreaterThan(most - 10)
    await it.app.stop()
  },
)
