import { serialize } from 'node:v8'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createWorld, type World } from '../../src/main/demo/world.ts'
import type { AppState } from '../../src/shared/core/state.ts'
import { type RunningApp, startApp } from '../support/app.ts'

const minuteMs = 60_000
const dayMs = Number(process.env["HOURS"] ?? 24) * 60 * minuteMs
/** The world is hurried along in steps of so much; the app's own timers fire as they are set. */
const stepMs = 30_000
/** G7: a check that flaps all day is told of so often at most. */
const popUpsADay = 300

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-03-02T08:00:00Z') })
})

afterEach(() => {
  vi.useRealTimers()
})

/** A week of polls, events, incidents and a check that flaps, seen once a day by its user. */
test('a week of work leaves no more behind than a day', { timeout: 120_000 }, async () => {
  const world = createWorld({ now: Date.now, seed: 7 })
  const running = await startApp({ world })
  const { app, desktop, bugs } = running
  await app.commands.exploreDemo({})
  const days: { state: number; timers: number; popUps: number; told: number }[] = []
  for (let day = 0; day < Number(process.env["DAYS"] ?? 7); day += 1) {
    const before = desktop.notices.length
    await live(world, day)
    await readAll(running)
    const told = desktop.notices.slice(before)
    days.push({
      state: serialize(app.state).length,
      timers: vi.getTimerCount(),
      popUps: told.filter(({ kind }) => kind === 'down' || kind === 'recovered').length,
      told: told.length,
    })
    expectBounded(app.state)
  }
  console.log(days)
  expect(bugs).toEqual([])
  const [, , , middle] = days
  const last = days.at(-1)
  for (const { popUps } of days) expect(popUps).toBeLessThanOrEqual(popUpsADay)
  expect(last?.state).toBeLessThanOrEqual((middle?.state ?? 0) * 1.05)
  expect(last?.timers).toBeLessThanOrEqual((days[0]?.timers ?? 0) + 2)
  await app.stop()
  expect(vi.getTimerCount()).toBe(0)
})

async function live(world: World, day: number): Promise<void> {
  for (let at = 0; at < dayMs; at += stepMs) {
    world.tick()
    if (at % (5 * minuteMs) === 0) flip(world)
    if (at % (30 * minuteMs) === 0) {
      const to = `ops > incident ${day}-${at / minuteMs}`
      world.realm.controls.say({ from: 'Ana', to, text: 'Who looks at this one?' })
    }
    await vi.advanceTimersByTimeAsync(stepMs)
  }
}

function flip({ ops }: World): void {
  if (ops.controls.check('geo-refresh').status === 'down') ops.controls.recover('geo-refresh')
  else ops.controls.goDown('geo-refresh')
}

async function readAll({ app }: RunningApp): Promise<void> {
  for (const [accountId, realm] of app.state.realms)
    for (const { conversation, unread } of realm.conversations.values())
      if (unread.length > 0) await app.commands.markRead({ accountId, conversation })
  await vi.advanceTimersByTimeAsync(minuteMs)
}

function expectBounded(state: AppState): void {
  expect(state.notices.length).toBeLessThanOrEqual(500)
  expect(state.outbox).toEqual([])
  for (const realm of state.realms.values()) {
    expect(realm.messages.size).toBeLessThanOrEqual(3_000)
    expect(realm.told?.ids.length).toBeLessThanOrEqual(500)
    expect(realm.movedTo.size).toBeLessThanOrEqual(500)
    // Those of the messages held, and some people.
    expect(realm.conversations.size).toBeLessThanOrEqual(300)
  }
  for (const board of state.boards.values()) {
    expect(board.told?.size).toBe(board.checks.size)
    expect(board.missed.told.size).toBeLessThanOrEqual(board.checks.size)
  }
}
