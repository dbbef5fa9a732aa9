import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import type { Transport } from '../../src/main/base/ports.ts'
import { type Account, freshnessOf, isFresh } from '../../src/shared/core/account.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'
import { statusLine } from '../../src/shared/core/views/status-line.ts'
import type { HttpReply, HttpRequest } from '../../src/shared/http.ts'
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

/** One account without any problem, whose requests go through `around.weather` first. */
async function watching(kind: Account['kind'], random = () => 0.5) {
  const world = createWorld({ now: Date.now, seed: 1, lively: false })
  world.web.controls.rewrite((record) => ({ ...record, status: 'up', started: false }))
  const around = { weather: calm, asked: 0, goodAt: Date.now(), failedAt: null as number | null }
  const transport: Transport = async (request, signal) => {
    around.asked += 1
    try {
      const answer = around.weather(request)
      const reply = answer ?? (await world.transport(request, signal))
      if (answer === null) Object.assign(around, { goodAt: Date.now(), failedAt: null })
      else around.failedAt ??= Date.now()
      return reply
    } catch (error) {
      if (!signal.aborted) around.failedAt ??= Date.now()
      throw error
    }
  }
  const clock = { now: Date.now, monotonic: () => performance.now(), random }
  const it = await startApp({ world, transport, clock })
  await it.app.commands.addAccount(world.newAccounts[kind === 'chat' ? 'chat' : 'web'])
  await pass(3 * second)
  return Object.assign(it, { around })
}

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })

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

  test('of the chat itself counts at once, on any request, with the server’s own words', async () => {
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
    expect(it.desktop.notices).toMatchObject([
      { kind: 'trouble', title: expect.stringContaining('Account is deactivated') as string },
    ])
    await it.app.stop()
  })

  test.each(['monitoring', 'chat'] as const)(
    'of %s itself is rechecked every quarter of an hour, on refresh and after sleep, and rarely otherwise',
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

  test('is reported once, however often it is rechecked', async () => {
    const it = await watching('chat')
    it.world.realm.controls.revokeKey()
    await askAll(it)
    await pass(60 * minute)
    expect(it.desktop.notices.map(({ title }) => title)).toHaveLength(1)
    await it.app.stop()
  })
})

const text = (body: string, status = 200): Weather => {
  const bytes = new TextEncoder().encode(body)
  return () => ({ status, headers: { 'content-type': 'application/json' }, body: bytes })
}
const faults: Readonly<Record<string, Weather>> = {
  'no connection': ({ url }) => {
    const { host } = new URL(url)
    throw new RequestFailed({ kind: 'network', reason: 'refused', host, reached: 'no' })
  },
  'a 502': page(502),
  'a 400': text('{"error":"no"}', 400),
  'a 404': page(404),
  'a login page': page(200),
  'a 401 of a proxy': page(401),
  'a 429': page(429),
  '{}': text('{}'),
  nonsense: text('{"checks":'),
  'a chat that says no': text('{"result":"error","msg":"no","code":"BAD_REQUEST"}', 400),
}

/** Whether a green icon would be false, judged only by what was asked and answered. */
function isTooOld(around: { goodAt: number; failedAt: number | null }, intervalMs: number) {
  const now = Date.now()
  if (around.failedAt !== null && now > around.failedAt + 10 * second) return true
  return now > around.goodAt + intervalMs + 10 * second
}

/** Looks at the icon every second. */
async function look(it: Watched, ms: number, at: (isGreen: boolean) => void): Promise<void> {
  for (let passed = 0; passed < ms; passed += second) {
    await pass(second)
    at(it.desktop.trays.at(-1)?.shape === 'good')
  }
}
type Watched = Awaited<ReturnType<typeof watching>>

/** Seconds the icon was green, and seconds a naive icon (two intervals, no failures) would be. */
async function outage(one: {
  kind: Account['kind']
  pollSeconds: number
  weather: Weather
  beganAfter: number
  lasts: number
  draws: number[]
}) {
  let drawn = 0
  const it = await watching(one.kind, () => one.draws[drawn++ % one.draws.length]!)
  await it.app.commands.updateSettings({ pollSeconds: one.pollSeconds })
  await askAll(it)
  await pass(second)
  const intervalMs = one.kind === 'chat' ? 90 * second : one.pollSeconds * second
  const seen = { grey: 0, falselyGreen: 0, naive: 0, most: 0, recoveredAfter: Infinity }
  await look(it, 1.3 * intervalMs * one.beganAfter, (isGreen) => {
    if (!isGreen) seen.grey += 1
  })
  it.around.weather = one.weather
  // Triggers such as an opened window or a refresh ask whatever the interval.
  await askAll(it)
  const before = it.around.asked
  await look(it, one.lasts, (isGreen) => {
    if (isTooOld(it.around, intervalMs) && isGreen) seen.falselyGreen += 1
    if (isTooOld(it.around, intervalMs) && Date.now() <= it.around.goodAt + 2 * intervalMs)
      seen.naive += 1
  })
  seen.most = (it.around.asked - before) / (one.lasts / minute)
  it.around.weather = calm
  const endedAt = Date.now()
  await look(it, minute, (isGreen) => {
    if (isGreen && freshness(it).failure === null)
      seen.recoveredAfter = Math.min(seen.recoveredAfter, Date.now() - endedAt)
  })
  expect(it.bugs).toEqual([])
  await it.app.stop()
  return seen
}

describe('the icon', () => {
  test.each([
    ['monitoring', 45, 12],
    ['monitoring', 600, 30],
    ['chat', 45, 12],
    ['chat', 600, 30],
  ] as const)(
    'is green only while %s is read over a failure of %i s, and again within %i s',
    async (kind, lastsS, recoversS) => {
      let naive = 0
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...Object.keys(faults)),
          fc.oneof(fc.constantFrom(15, 60, 3_600), fc.integer({ min: 15, max: 3_600 })),
          fc.double({ min: 0, max: 1, noNaN: true }),
          fc.array(fc.double({ min: 0, max: 0.999_999, noNaN: true }), { minLength: 1 }),
          async (fault, pollSeconds, beganAfter, draws) => {
            const weather = faults[fault]!
            const lasts = lastsS * second
            const seen = await outage({ kind, pollSeconds, weather, beganAfter, lasts, draws })
            naive += seen.naive
            expect(seen).toMatchObject({ grey: 0, falselyGreen: 0 })
            expect(seen.recoveredAfter).toBeLessThanOrEqual(recoversS * second)
            expect(seen.most).toBeLessThanOrEqual(20)
          },
        ),
        { seed: 17, numRuns: 12 },
      )
      // Control: the same look catches an icon that goes by age alone.
      expect(naive).toBeGreaterThan(0)
    },
    60_000,
  )

  test.each([
    [60, false],
    // The control.
    [0, true],
  ])(
    'is green by an answer that was in the socket during a sleep of %i minutes, without a network since: %s',
    async (minutes, expected) => {
      const world = createWorld({ now: Date.now, seed: 1, lively: false })
      const held: (() => void)[] = []
      let network: 'good' | 'slow' | 'gone' = 'good'
      let sleptMs = 0
      const transport: Transport = async (request, signal) => {
        if (network === 'gone') await aborted(signal)
        const reply = await world.transport(request, signal)
        if (network === 'slow') await new Promise<void>((resolve) => held.push(resolve))
        return reply
      }
      const monotonic = () => performance.now() + sleptMs
      const clock = { now: Date.now, monotonic, random: () => 0.5 }
      const it = await startApp({ world, transport, clock })
      await it.app.commands.addAccount(world.newAccounts.web)
      await pass(3 * second)
      network = 'slow'
      await askAll(it)
      await pass(0)
      network = 'gone'
      sleptMs = minutes * minute
      vi.setSystemTime(Date.now() + sleptMs)
      expect(held).not.toEqual([])
      for (const deliver of held) deliver()
      await pass(second)
      expect(isFresh(freshness(it), Date.now())).toBe(expected)
      const stopped = it.app.stop()
      await pass(5 * second)
      await stopped
    },
  )
})
