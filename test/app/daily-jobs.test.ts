import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Transport } from '../../src/main/base/ports.ts'
import { createHttpTransport } from '../../src/main/http/http-transport.ts'
import { startApp } from '../support/app.ts'
import { serveWorld } from '../support/world-server.ts'

const second = 1_000
const minute = 60 * second
const midnight = Date.UTC(2026, 10, 23)

beforeEach(() => {
  vi.useFakeTimers({ now: midnight + 110 * minute, toNotFake: ['setImmediate', 'nextTick'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Daily schedules, a quarter of an hour apart: one of each kind. */
const jobs = [
  { name: 'night-1', schedule: '0 2 * * *', tz: 'UTC' },
  { name: 'night-2', schedule: '15 3 * * *', tz: 'Europe/Berlin' },
  { name: 'night-3', schedule: '*-*-* 02:30', tz: 'UTC' },
  { name: 'night-4', timeout: 86_400 },
]

test.each([60, 300])(
  'each outage of a daily job between two reads %i s apart is reported once',
  { timeout: 60_000 },
  async (pollSeconds) => {
    const server = await serveWorld({ now: Date.now, seed: 1, lively: false })
    const http = createHttpTransport()
    let inFlight = 0
    const transport: Transport = async (request, signal) => {
      inFlight += 1
      try {
        return await http(request, signal)
      } finally {
        inFlight -= 1
      }
    }
    /** Fakes the computer’s time, not the network’s. */
    const pass = async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += second) {
        await vi.advanceTimersByTimeAsync(second)
        while (inFlight > 0) await new Promise((resolve) => setImmediate(resolve))
      }
    }
    const { world } = server
    const { controls } = world.ops
    for (const name of controls.names()) controls.remove(name)
    for (const job of jobs)
      await fetch(`${server.urls.ops}/api/v3/checks/`, {
        method: 'POST',
        headers: { 'x-api-key': world.newAccounts.ops.key },
        body: JSON.stringify({ grace: 3_600, ...job }),
      })
    for (const { name } of jobs) controls.ping(name, 'success')
    const it = await startApp({ world, transport })
    const connected = it.app.commands.addAccount(world.newAccounts.ops)
    await pass(3 * second)
    await connected
    await it.app.commands.updateSettings({ pollSeconds })
    await pass(10 * minute)
    for (const [index, { name }] of jobs.entries()) {
      // A run that fails and is retried; two of them send a start ping.
      if (index % 2 === 1) controls.ping(name, 'start')
      await pass(10 * second)
      controls.ping(name, 'fail')
      await pass(second)
      if (index % 2 === 1) controls.ping(name, 'start')
      await pass(9 * second)
      controls.ping(name, 'success')
      await pass(14 * minute + 37 * second)
    }
    await pass(2 * pollSeconds * second)
    const told = it.desktop.notices.filter(({ kind }) => kind !== 'recovered')
    const toldOf = jobs.map(({ name }) => told.filter(({ title }) => title.includes(name)).length)
    expect(toldOf).toEqual([1, 1, 1, 1])
    expect(it.bugs).toEqual([])
    const stopped = it.app.stop()
    await pass(5 * second)
    await stopped
    await server.close()
  },
)
