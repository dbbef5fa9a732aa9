import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import type { Transport } from '../../src/main/base/ports.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'
import { startApp } from '../support/app.ts'
import { reply } from '../support/scripted-transport.ts'

const second = 1_000
const minute = 60 * second
const pingHost = 'hc-ping.example'

beforeEach(() => {
  vi.useFakeTimers({ now: new Date(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

/** Three accounts, one with the check to be pinged, on hosts that can be cut off. */
async function watched() {
  const world = createWorld({ now: Date.now, seed: 1, lively: false })
  setInterval(() => world.tick(), second)
  world.ops.controls.rewrite((record) => ({
    ...record,
    ping_url: `https://${pingHost}/${String(record['uuid'])}`,
  }))
  const pings: { at: number; url: string; headers: object }[] = []
  const around = { cut: new Set<string>(), pings, answer: 'OK' }
  const transport: Transport = async (request, signal) => {
    const { host } = new URL(request.url)
    if (around.cut.has(host))
      throw new RequestFailed({ kind: 'network', reason: 'refused', host, reached: 'no' })
    if (host !== pingHost) return world.transport(request, signal)
    pings.push({ at: Date.now(), url: request.url, headers: request.headers })
    return reply(200, around.answer)
  }
  const it = await startApp({ world, transport })
  for (const name of ['ops', 'web', 'chat'] as const)
    await it.app.commands.addAccount(world.newAccounts[name])
  await pass(minute)
  const accountId = it.app.state.accounts[0]!.id
  const { uuid, uniqueKey } = world.ops.controls.check(world.ops.controls.names()[0]!)
  const choose = () =>
    it.app.commands.updateSettings({ selfWatch: { accountId, checkId: uniqueKey } })
  const host = (at: number) => new URL(it.app.state.accounts[at]!.baseUrl).host
  const during = async (ms: number) => {
    const before = pings.length
    await pass(ms)
    return pings.length - before
  }
  return Object.assign(it, { around, choose, host, during, uuid })
}

describe('the check that watches Belfry itself', () => {
  test('is pinged every two minutes once it is chosen, and not before', async () => {
    const it = await watched()
    expect(await it.during(10 * minute)).toBe(0)
    await it.choose()
    expect(await it.during(20 * minute)).toBe(10)
    expect(it.around.pings[0]).toMatchObject({ url: `https://${pingHost}/${it.uuid}` })
    expect(JSON.stringify(it.around.pings)).not.toContain('api-key')
    expect(it.app.state.selfWatch.problem).toBeNull()
    expect(it.app.state.selfWatch.pingedAt).toBe(it.around.pings.at(-1)?.at)
    await it.app.commands.updateSettings({ selfWatch: null })
    expect(await it.during(10 * minute)).toBe(0)
    await it.app.stop()
  })

  test.each([0, 1, 2])(
    'is not pinged while account %i can’t be read, and is pinged again afterwards',
    async (at) => {
      const it = await watched()
      await it.choose()
      await pass(5 * minute)
      it.around.cut.add(it.host(at))
      // One poll interval, and the time to retry a failed read.
      await pass(2 * minute)
      expect(await it.during(10 * minute)).toBe(0)
      expect(it.app.state.selfWatch.problem).toBe(
        `Waiting for ${it.app.state.accounts[at]!.label} to be updated.`,
      )
      it.around.cut.clear()
      expect(await it.during(2 * minute)).toBeGreaterThan(0)
      expect(it.app.state.selfWatch.problem).toBeNull()
      await it.app.stop()
    },
  )

  test('isn’t pinged while nothing can show notifications', async () => {
    const it = await watched()
    it.desktop.notifiedBy = async () => ({ by: 'nobody', capabilities: [] })
    await it.choose()
    expect(await it.during(10 * minute)).toBe(0)
    expect(it.app.state.selfWatch.problem).toMatch(/can show notifications/)
    it.desktop.notifiedBy = async () => ({ by: 'a test', capabilities: [] })
    expect(await it.during(minute)).toBe(1)
    await it.app.stop()
  })

  test('says when its pings aren’t accepted', async () => {
    const it = await watched()
    await it.choose()
    await pass(minute)
    it.around.answer = 'rate limited'
    await pass(5 * minute)
    expect(it.app.state.selfWatch.problem).toBe('The server did not accept the last ping.')
    it.around.cut.add(pingHost)
    await pass(5 * minute)
    expect(it.app.state.selfWatch.problem).toMatch(pingHost)
    it.around.cut.clear()
    it.around.answer = 'OK'
    await pass(5 * minute)
    expect(it.app.state.selfWatch.problem).toBeNull()
    await it.app.stop()
  })

  test('is still pinged after a restart', async () => {
    const it = await watched()
    await it.choose()
    await pass(minute)
    const again = await it.restart()
    expect(await it.during(5 * minute)).toBeGreaterThan(0)
    expect(again.bugs).toEqual([])
    await again.app.stop()
    expect(await it.during(10 * minute)).toBe(0)
  })
})
