import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createWorld } from '../../src/main/demo/world.ts'
import type { HttpReply, HttpRequest, Transport } from '../../src/main/sync/transport.ts'
import type { Account } from '../../src/shared/core/account.ts'
import { statusLine } from '../../src/shared/core/status-line.ts'
import { freshnessOf } from '../../src/shared/core/tray-view.ts'
import { type RunningApp, startApp } from '../support/app.ts'

const second = 1_000
const minute = 60 * second

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

type Weather = (request: HttpRequest) => HttpReply | null
const calm: Weather = () => null

function page(status: number, headers: Record<string, string> = {}): Weather {
  const body = new TextEncoder().encode('<!doctype html><title>Proxy</title>')
  return () => ({ status, headers: { 'content-type': 'text/html', ...headers }, body })
}

/** One account whose requests meet the weather before they reach its server. */
async function watching(kind: Account['kind']) {
  const world = createWorld({ now: Date.now, seed: 1, lively: false })
  const around = { weather: calm, asked: 0 }
  const transport: Transport = async (request, signal) => {
    around.asked += 1
    return around.weather(request) ?? world.transport(request, signal)
  }
  const it = await startApp({ world, transport })
  await it.app.commands.addAccount(world.newAccounts[kind === 'chat' ? 'chat' : 'web'])
  await pass(3 * second)
  return Object.assign(it, { around })
}

const account = ({ app }: RunningApp) => app.state.accounts[0]!
const freshness = ({ app }: RunningApp) =>
  freshnessOf(app.state, account({ app } as RunningApp).id)!
const said = ({ app }: RunningApp) => statusLine(app.state, Date.now()).text
const askAll = (it: RunningApp) => it.app.commands.refresh({ accountId: null })

describe('a 401', () => {
  test.each([
    ['monitoring', 'a page', page(401)],
    ['monitoring', 'Basic', page(401, { 'www-authenticate': 'Basic realm="zulip"' })],
    ['chat', 'a page', page(401)],
    ['chat', 'Basic', page(401, { 'www-authenticate': 'Basic realm="zulip"' })],
  ] as const)(
    'of a proxy before %s (%s) is a failed read and no verdict on the key',
    async (kind, _form, weather) => {
      const it = await watching(kind)
      it.around.weather = weather
      await askAll(it)
      await pass(45 * second)
      expect(account(it).key).toBe('present')
      expect(said(it)).toContain('a proxy or another server answered with 401.')
      it.around.weather = calm
      await pass(12 * second)
      expect(freshness(it).failure).toBeNull()
      expect(it.desktop.notices).toEqual([])
      await it.app.stop()
    },
  )

  test('of the chat itself counts at once, from any call, with the server’s own words', async () => {
    const it = await watching('chat')
    it.world.realm.controls.refuse(401)
    await expect(
      it.app.commands.loadConversation({
        accountId: account(it).id,
        conversation: { kind: 'direct', userIds: [it.world.realm.user.id] },
        older: false,
      }),
    ).rejects.toMatchObject({ failure: { kind: 'badKey' } })
    await pass(second)
    expect(account(it).key).toBe('rejected')
    expect(said(it)).toContain('the server says “Account is deactivated”.')
    expect(it.desktop.notices).toMatchObject([{ kind: 'trouble' }])
    await it.app.stop()
  })

  test.each(['monitoring', 'chat'] as const)(
    'of %s itself is asked about every quarter of an hour, on refresh and after sleep, and seldom else',
    async (kind) => {
      const it = await watching(kind)
      const { web, realm } = it.world
      const refuse = kind === 'chat' ? realm.controls.refuse : web.controls.refuse
      refuse(401)
      await askAll(it)
      await pass(minute)
      expect(account(it).key).toBe('rejected')
      const before = it.around.asked
      for (let times = 0; times < 10; times += 1) {
        it.app.windowShown(true)
        await pass(5 * minute)
        it.app.windowShown(false)
      }
      expect(it.around.asked - before).toBe(3)
      await askAll(it)
      await pass(second)
      expect(it.around.asked - before).toBe(4)
      it.app.wake()
      await pass(2 * second)
      expect(it.around.asked - before).toBe(5)
      refuse(null)
      await pass(16 * minute)
      expect(account(it).key).toBe('present')
      expect(freshness(it).failure).toBeNull()
      await it.app.stop()
    },
  )

  test('is told once, however often it is asked about', async () => {
    const it = await watching('chat')
    it.world.realm.controls.revokeKey()
    await askAll(it)
    await pass(60 * minute)
    expect(it.desktop.notices.map(({ title }) => title)).toHaveLength(1)
    await it.app.stop()
  })
})
