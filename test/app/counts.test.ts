import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import type { HttpRequest } from '../../src/shared/http.ts'
import { startApp } from '../support/app.ts'

// What costs a computer something, in numbers that no computer changes: requests, and what is sent
// to a window. Times are for `npm run bench`.

const second = 1_000
const minute = 60 * second

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

/** An app that has read a project of that many hourly jobs, all up; and what it sends from now on. */
async function withJobs(count: number) {
  const world = createWorld({ now: Date.now, seed: 1, lively: false })
  const requests: string[] = []
  const received = { bytes: 0 }
  const it = await startApp({
    world,
    transport: async (request: HttpRequest, signal: AbortSignal) => {
      requests.push(`${request.method} ${new URL(request.url).pathname}`)
      const reply = await world.transport(request, signal)
      received.bytes += reply.body.length
      return reply
    },
  })
  const ops = world.ops.controls
  for (const name of ops.names()) ops.remove(name)
  ops.addChecks(count)
  const jobs = ops.names()
  for (const name of jobs) ops.ping(name, 'success')
  await it.app.commands.addAccount(world.newAccounts.ops)
  await pass(5 * minute)
  const patches: number[] = []
  const push = it.desktop.pushPatch.bind(it.desktop)
  vi.spyOn(it.desktop, 'pushPatch').mockImplementation((patch) => {
    patches.push(bytesOf(patch))
    push(patch)
  })
  requests.splice(0)
  const poll = async () => {
    await it.app.commands.refresh({ accountId: null })
    await pass(4 * second)
  }
  return { it, ops, jobs, requests, received, patches, poll }
}

/** About as many as the structured clone that goes to the window. */
function bytesOf(patch: unknown): number {
  return JSON.stringify(patch, (_key, value: unknown) =>
    value instanceof Map || value instanceof Set ? [...value] : value,
  ).length
}

const sum = (list: readonly number[]) => list.reduce((all, one) => all + one, 0)

describe('a poll of 1,000 checks', () => {
  test('in which nothing changed is one request, and tells the window little more than its time', async () => {
    const { it, requests, patches, poll } = await withJobs(1_000)
    await poll()
    expect(requests).toEqual(['GET /api/v3/checks/'])
    expect(patches.length).toBeLessThanOrEqual(3)
    expect(sum(patches)).toBeLessThan(2_000)
    await it.app.stop()
  })

  test('sends the window what changed only, once', async () => {
    const { it, ops, jobs, patches, poll } = await withJobs(1_000)
    for (const name of jobs.slice(0, 100)) ops.ping(name, 'success')
    await poll()
    expect(sum(patches) / 100).toBeGreaterThan(20)
    expect(sum(patches) / 100).toBeLessThan(600)
    expect(patches.filter((one) => one > 10_000)).toHaveLength(1)
    await it.app.stop()
  })
})

test('ten minutes in which all is well take ten requests', async () => {
  const { it, requests } = await withJobs(1_000)
  await pass(10 * minute)
  expect(new Set(requests)).toEqual(new Set(['GET /api/v3/checks/']))
  expect(requests.length).toBeGreaterThanOrEqual(9)
  expect(requests.length).toBeLessThanOrEqual(12)
  await it.app.stop()
})

test('half an hour of a long list takes a ninth of its bytes if its counts are asked for', async () => {
  const { it, requests, received } = await withJobs(1_000)
  const inHalfAnHour = async (): Promise<number> => {
    const before = received.bytes
    await pass(30 * minute)
    return received.bytes - before
  }
  const whole = await inHalfAnHour()
  expect(whole).toBeGreaterThan(29 * 900_000)
  const [account] = it.app.state.accounts
  await it.app.commands.setWholeReads({ accountId: account?.id ?? '', minutes: 10 })
  await pass(minute)
  requests.splice(0)
  for (const name of it.world.ops.controls.names()) it.world.ops.controls.ping(name, 'success')
  expect(await inHalfAnHour()).toBeLessThan(whole / 9)
  // Each poll is still one request; each list is followed by one more.
  expect(requests.length).toBeLessThanOrEqual(40)
  await it.app.stop()
})
