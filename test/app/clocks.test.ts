import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import type { Transport } from '../../src/main/base/ports.ts'
import { isFresh } from '../../src/shared/core/account.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'
import { type RunningApp, startApp } from '../support/app.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
const evening = Date.UTC(2026, 2, 17, 21, 10)

beforeEach(() => {
  vi.useFakeTimers({ now: evening })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

/** The app on a computer that can sleep and has its clock set; the servers’ time stays right. */
async function computer(accounts: readonly ('ops' | 'web' | 'chat')[]) {
  const world = createWorld({ now: Date.now, seed: 1, lively: false })
  const asked: { at: number; url: string }[] = []
  let setMs = 0
  let sleptMs = 0
  let away = false
  const transport: Transport = (request, signal) => {
    asked.push({ at: Date.now(), url: request.url })
    if (!away) return world.transport(request, signal)
    const { host } = new URL(request.url)
    const failure = { kind: 'network', reason: 'dns', host, reached: 'no' } as const
    return Promise.reject(new RequestFailed(failure))
  }
  const clock = {
    now: () => Date.now() + setMs,
    monotonic: () => performance.now() + sleptMs,
    random: () => 0.5,
  }
  const it = await startApp({ world, transport, clock })
  for (const name of accounts) await it.app.commands.addAccount(world.newAccounts[name])
  await pass(5 * second)
  return {
    ...it,
    asked,
    clock,
    /** Lets time pass while the demo’s jobs keep pinging. */
    live: async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 5 * second) {
        world.tick()
        await pass(5 * second)
      }
    },
    /** Sets the wall clock of this computer only. */
    setClock: (ms: number) => {
      setMs += ms
    },
    /** Stops timers and sockets; the world outside goes on. */
    sleep: (ms: number, meanwhile: () => void = () => undefined) => {
      vi.setSystemTime(Date.now() + ms)
      sleptMs += ms
      meanwhile()
      world.tick()
    },
    away: (on: boolean) => {
      away = on
    },
  }
}

const shape = ({ desktop }: RunningApp) => desktop.trays.at(-1)?.shape
const tooltip = ({ desktop }: RunningApp) => desktop.trays.at(-1)?.tooltip ?? ''
const boards = ({ app }: RunningApp) => [...app.state.boards.values()]

describe('a wall clock', () => {
  test.each([
    ['forward by a day', day],
    ['back by a day', -day],
    ['forward by an hour', hour],
    ['to 2038, over the end of 32 bits', Date.UTC(2038, 0, 19, 3, 14) - evening],
  ])('that is set %s costs one read and no notification', async (_how, ms) => {
    const it = await computer(['web', 'chat'])
    expect(shape(it)).toBe('good')
    const before = it.asked.length
    it.setClock(ms)
    await pass(7 * second)
    expect(shape(it)).toBe('good')
    expect(tooltip(it)).toMatch(/updated just now/)
    expect(it.asked.length - before).toBeLessThanOrEqual(8)
    await it.live(3 * minute)
    expect(shape(it)).toBe('good')
    expect(it.asked.length - before).toBeLessThanOrEqual(24)
    expect(it.desktop.notices).toEqual([])
    expect(it.bugs).toEqual([])
    await it.app.stop()
  })

  test('that is set back doesn’t make old data fresh', async () => {
    const it = await computer(['web'])
    it.away(true)
    it.setClock(-day)
    it.app.wake()
    expect(boards(it)[0]?.freshness.readAt).toBeGreaterThan(it.clock.now() - minute)
    await pass(3 * minute)
    expect(shape(it)).toBe('stale')
    expect(tooltip(it)).toMatch(/updated [23] min ago/)
    await it.app.stop()
  })

  test('that is set forward makes unread data old, never fresh', async () => {
    const it = await computer(['web'])
    it.away(true)
    it.setClock(day)
    await pass(6 * second)
    expect(shape(it)).toBe('stale')
    it.away(false)
    await pass(10 * second)
    expect(shape(it)).toBe('good')
    await it.app.stop()
  })

  test('that is wrong by a day doesn’t change the ages of checks, which follow the server’s', async () => {
    const right = await computer(['ops'])
    const words = right.desktop.trays.at(-1)?.menu.map((item) => JSON.stringify(item))
    await right.app.stop()
    const world = createWorld({ now: () => evening, seed: 1, lively: false })
    const clock = {
      now: () => Date.now() + day,
      monotonic: () => performance.now(),
      random: () => 0.5,
    }
    vi.setSystemTime(evening)
    const wrong = await startApp({ world, clock })
    await wrong.app.commands.addAccount(world.newAccounts.ops)
    await pass(5 * second)
    const ages = (list: readonly string[] | undefined) =>
      list?.flatMap((item) => /down for [^")]*/.exec(item) ?? [])
    const seen = wrong.desktop.trays.at(-1)?.menu.map((item) => JSON.stringify(item))
    expect(ages(seen)?.length).toBeGreaterThan(0)
    expect(ages(seen)).toEqual(ages(words))
    await wrong.app.stop()
  })

  test.each([
    ['two hours', 2 * hour],
    ['five minutes', 5 * minute],
  ])('that is set back by %s puts off no alarm that waits', async (_by, ms) => {
    const it = await computer(['ops'])
    const { controls } = it.world.ops
    controls.addChecks(1)
    const { attention } = it.app.state.settings
    await it.app.commands.updateSettings({ attention: { ...attention, afterMinutes: 10 } })
    await it.live(minute)
    const name = controls.names().find((one) => one.startsWith('job-'))!
    controls.ping(name, 'fail')
    await it.live(8 * minute)
    const told = () => it.desktop.notices.filter(({ title }) => title.includes(name))
    it.setClock(-ms)
    await it.live(minute)
    expect(told()).toEqual([])
    await it.live(2 * minute)
    expect(told().map(({ title }) => title)).toEqual([`${name} is down`])
    expect(told()[0]?.reasons.at(-1)?.text).toBe('It has been down for 10 min.')
    await it.app.stop()
  })
})

describe('a computer that slept', () => {
  test('sums up the night in one notification that leads to the list', async () => {
    const it = await computer(['ops', 'web', 'chat'])
    it.sleep(8 * hour + 20 * minute, () => {
      for (const name of ['cert-renew', 'queue-worker']) it.world.ops.controls.goDown(name)
      const { say } = it.world.realm.controls
      for (const text of ['one', 'two', 'three']) say({ from: 'Boris', to: 'Boris', text })
    })
    await pass(30 * second)
    expect(it.desktop.notices).toHaveLength(1)
    const [summary] = it.desktop.notices
    expect(summary?.title).toMatch(/^While this computer was asleep \(\d\d:10–\d\d:30\)$/)
    expect(summary?.body).toMatch(/^\d+ checks? down, 3 messages .* · down: /)
    expect(summary?.target).toEqual({ view: 'notices' })
    const kinds = it.app.state.notices.map(({ kind }) => kind)
    expect(kinds).toContain('down')
    expect(kinds).toContain('direct')
    await it.app.stop()
  })

  test('shows no earlier data as fresh, not even for a moment', async () => {
    const it = await computer(['web'])
    expect(shape(it)).toBe('good')
    it.sleep(8 * hour)
    it.away(true)
    const before = it.desktop.trays.length
    it.app.wake()
    await pass(5 * second)
    const shown = it.desktop.trays.slice(before).map(({ shape: one }) => one)
    expect(shown.length).toBeGreaterThan(0)
    expect(new Set(shown)).toEqual(new Set(['stale']))
    await it.app.stop()
  })

  test('says nothing about what went down and recovered meanwhile, or when nothing happened', async () => {
    const it = await computer(['web'])
    it.sleep(8 * hour)
    await pass(minute)
    expect(shape(it)).toBe('good')
    expect(it.desktop.notices).toEqual([])
    await it.app.stop()
  })

  test('reads everything again even if the system reports no wake-up', async () => {
    const it = await computer(['web', 'chat'])
    const before = it.asked.length
    it.sleep(30 * second)
    const wokeAt = Date.now()
    await pass(7 * second)
    const first = it.asked.slice(before).map(({ at }) => at - wokeAt)
    expect(Math.min(...first)).toBeLessThanOrEqual(6 * second)
    for (const { freshness } of boards(it)) expect(freshness.readAt).toBeGreaterThan(wokeAt)
    await it.app.stop()
  })

  test('reads all accounts within a second of a wake-up, however often the system reports it', async () => {
    const it = await computer(['ops', 'web', 'chat'])
    it.sleep(hour)
    const before = it.asked.length
    const wokeAt = Date.now()
    for (let times = 0; times < 5; times += 1) it.app.wake()
    await pass(2 * second)
    const lists = it.asked.slice(before).filter(({ url }) => url.endsWith('/checks/'))
    expect(lists).toHaveLength(2)
    for (const { at } of lists) expect(at - wokeAt).toBeLessThanOrEqual(second)
    for (const { freshness } of boards(it)) expect(isFresh(freshness, Date.now())).toBe(true)
    await it.app.stop()
  })

  test('and woke for a moment in between sums up both sleeps in one notification', async () => {
    const it = await computer(['ops'])
    it.sleep(3 * hour, () => it.world.ops.controls.goDown('cert-renew'))
    await pass(20 * second)
    it.sleep(4 * hour, () => it.world.ops.controls.goDown('queue-worker'))
    await pass(30 * second)
    const last = it.desktop.notices.at(-1)
    expect(last?.kind).toBe('digest')
    expect(last?.title).toMatch(/\(\d\d:10–\d\d:10\)/)
    await it.app.stop()
  })

  test('and sleeps again before anything was read says nothing of how it was before', async () => {
    const it = await computer(['ops'])
    const until = { kind: 'time', at: it.clock.now() + 10 * minute } as const
    await it.app.commands.silence({ how: 'snooze', scope: { of: 'everything' }, until })
    it.world.ops.controls.goDown('cert-renew')
    await it.live(minute)
    const before = it.desktop.notices.length
    it.away(true)
    it.sleep(3 * hour, () => it.world.ops.controls.recover('cert-renew'))
    await pass(6 * second)
    // Longer than anything is held back for an account that can't be read.
    it.sleep(33 * second)
    await pass(second)
    expect(it.desktop.notices.slice(before)).toEqual([])
    it.away(false)
    await pass(30 * second)
    const told = it.desktop.notices.slice(before)
    expect(told.map(({ title }) => title)).toEqual(['cert-renew went down and came back'])
    await it.app.stop()
  })

  test('notifies one by one again after the summary', async () => {
    const it = await computer(['ops'])
    it.sleep(3 * hour, () => it.world.ops.controls.goDown('cert-renew'))
    await pass(30 * second)
    const before = it.desktop.notices.length
    it.world.ops.controls.goDown('queue-worker')
    it.world.tick()
    await pass(35 * second)
    expect(it.desktop.notices.slice(before).map(({ title }) => title)).toEqual([
      'queue-worker is down',
    ])
    await it.app.stop()
  })

  test('notifies about the other accounts even if one can’t be reached', async () => {
    const it = await computer(['ops', 'chat'])
    it.world.realm.controls.refuse(503)
    it.sleep(3 * hour, () => it.world.ops.controls.goDown('cert-renew'))
    await pass(40 * second)
    expect(it.desktop.notices.length).toBeGreaterThan(0)
    await it.app.stop()
  })
})
