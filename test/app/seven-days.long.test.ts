import { serialize } from 'node:v8'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createWorld, type World } from '../../src/demo/world.ts'
import type { Notice } from '../../src/shared/core/attention/notice.ts'
import type { AppState } from '../../src/shared/core/state.ts'
import { type RunningApp, startApp } from '../support/app.ts'
import { type FakeDisk, fakeDisk } from '../support/fake-desktop.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** The computer is awake for this part of each day, and asleep for the rest. */
const awakeMs = 1.5 * hourMs
const asleepMs = 22.5 * hourMs
/** Messages at the start, so that the limit of 3,000 is reached early in the week. */
const backlog = 2_850
const flappingMs = { from: 20 * minuteMs, to: 60 * minuteMs } as const
/** Two, then one per five minutes of the 40 of flapping and the 5 until it is calm again. */
const popUpsOfACheck = 2 + 9

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-03-02T08:00:00Z') })
})

afterEach(() => {
  vi.useRealTimers()
})

let slept = 0
const clock = {
  // Not `Date.now` itself, which fake timers replace later.
  now: () => Date.now(),
  monotonic: () => performance.now() + slept,
  random: () => 0.5,
}

interface Day {
  /** Bytes. */
  readonly state: number
  readonly disk: number
  readonly timers: number
  readonly notices: readonly Notice[]
}

test('a week of polls, chat and flapping leaves no more behind than a few days', async () => {
  const running = await startWeek()
  const days: Day[] = []
  for (let day = 0; day < 7; day += 1) {
    days.push(await dayOf(running, day))
    expectBounded(running.app.state)
  }
  expect(running.bugs).toEqual([])
  const [first, , , fourth] = days
  const last = days.at(-1)
  expect(last?.state).toBeLessThanOrEqual((fourth?.state ?? 0) * 1.05)
  expect(last?.disk).toBeLessThanOrEqual((fourth?.disk ?? 0) * 1.05)
  expect(last?.timers).toBeLessThanOrEqual((first?.timers ?? 0) + 2)
  for (const { notices } of days) {
    const most = mostOfASubject(notices.filter(({ subject }) => subject.includes('/check/')))
    // Control: an app that says nothing would be calm, too.
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(popUpsOfACheck)
  }
  const ids = days.flatMap(({ notices }) => notices.map(({ id }) => id))
  expect(new Set(ids).size).toBe(ids.length)
  await running.app.stop()
  expect(vi.getTimerCount()).toBe(0)
})

async function startWeek(): Promise<RunningApp> {
  const world = createWorld({ now: Date.now, seed: 7, lively: false, rateLimit: 10_000 })
  for (const name of world.ops.controls.names())
    if (world.ops.controls.check(name).status === 'down') world.ops.controls.recover(name)
  const running = await startApp({ world, disk: countingDisk(), clock })
  // A following window costs more than everything else here, and keeps only what main keeps.
  running.desktop.pushPatch = () => undefined
  await running.app.commands.addAccount(world.newAccounts.ops)
  await running.app.commands.addAccount(world.newAccounts.chat)
  await vi.advanceTimersByTimeAsync(minuteMs)
  for (let n = 0; n < backlog; n += 1) talk(world, n)
  return running
}

/** Serializes documents only when they are read: doing it at each write would take minutes. */
function countingDisk(): FakeDisk {
  const values = new Map<string, unknown>()
  return {
    ...fakeDisk(),
    get documents() {
      return new Map([...values].map(([name, value]) => [name, JSON.stringify(value)]))
    },
    read: () => null,
    write: async (name, value) => {
      values.set(name, value)
    },
  }
}

function talk({ realm }: World, n: number): void {
  const to = n % 30 === 0 ? `ops > incident ${n}` : 'ops > db-primary'
  realm.controls.say({ from: 'Ana', to, text: `It is ${n} now.`, mention: n % 10 === 0 })
}

async function dayOf(running: RunningApp, day: number): Promise<Day> {
  const { app, world, desktop, disk } = running
  desktop.notices.length = 0
  desktop.trays.length = 0
  for (let at = 0; at < awakeMs; at += minuteMs) {
    world.tick()
    if (at >= flappingMs.from && at < flappingMs.to) flip(world)
    talk(world, backlog + (day * awakeMs + at) / minuteMs)
    await vi.advanceTimersByTimeAsync(minuteMs)
  }
  await readAll(running)
  slept += asleepMs
  vi.setSystemTime(Date.now() + asleepMs)
  return {
    state: serialize(app.state).length,
    disk: [...disk.documents]
      // The notices fill up only after weeks; that they are bounded is checked in the state.
      .filter(([name]) => name !== 'notices')
      .reduce((sum, [, text]) => sum + text.length, 0),
    timers: vi.getTimerCount(),
    notices: [...desktop.notices],
  }
}

/** Down and up again, minute by minute. */
function flip({ ops }: World): void {
  if (ops.controls.check('geo-refresh').status === 'down') ops.controls.recover('geo-refresh')
  else ops.controls.goDown('geo-refresh')
}

async function readAll({ app }: RunningApp): Promise<void> {
  for (const [accountId, realm] of app.state.realms)
    for (const { conversation, unread } of realm.conversations.values())
      if (unread.length > 0) void app.commands.markRead({ accountId, conversation })
  await vi.advanceTimersByTimeAsync(5 * minuteMs)
}

function expectBounded(state: AppState): void {
  expect(state.notices.length).toBeLessThanOrEqual(500)
  expect(state.outbox).toEqual([])
  for (const realm of state.realms.values()) {
    expect(realm.messages.size).toBeLessThanOrEqual(3_000)
    expect(realm.notified?.ids.length).toBeLessThanOrEqual(500)
    // Those of the messages held, one in 30 of which started a topic.
    expect(realm.conversations.size).toBeLessThanOrEqual(120)
  }
  for (const board of state.boards.values()) {
    expect(board.notified?.size).toBeLessThanOrEqual(board.checks.size)
    expect(board.missed.notifiedUpTo.size).toBeLessThanOrEqual(board.checks.size)
  }
}

function mostOfASubject(notices: readonly Notice[]): number {
  const counts = new Map<string, number>()
  for (const { subject } of notices) counts.set(subject, (counts.get(subject) ?? 0) + 1)
  return Math.max(0, ...counts.values())
}
