import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import type { Transport } from '../../src/main/base/ports.ts'
import { freshnessOf, isFresh } from '../../src/shared/core/account.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'
import type { HttpReply, HttpRequest } from '../../src/shared/http.ts'
import { startApp } from '../support/app.ts'
import { type Seeded, seeded } from '../support/seeded.ts'

const second = 1_000
const minute = 60 * second

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25, 30) })
})
afterEach(() => {
  vi.useRealTimers()
})

const faults = [
  'none',
  'hangs',
  'polls hang',
  'registering hangs',
  'catching up hangs',
  'resets',
  'restarts',
  'is limited',
  'shows a login page',
  'answers late',
] as const
type Fault = (typeof faults)[number]

/** What the network did to the requests that the account's health depends on. */
interface Log {
  /** When the last good answer arrived; one from before a sleep: when it was sent. */
  goodAt: number
  /** When the first failure after it reached the app; null: none has. */
  failedAt: number | null
}

/** Promised delays: the long poll's 90 s, 10 s for the icon, 5 s for a lost queue; and a look’s 1 s. */
const longestMs = { unread: 101 * second, failed: 16 * second }

/** Whether a green icon would break the promise. */
function isBroken({ goodAt, failedAt }: Log, now: number): boolean {
  return now - goodAt > longestMs.unread || (failedAt !== null && now - failedAt > longestMs.failed)
}

const bytes = (text: string) => new TextEncoder().encode(text)
const replies: Partial<Record<Fault, HttpReply>> = {
  restarts: { status: 502, headers: {}, body: bytes('') },
  'is limited': {
    status: 429,
    headers: { 'retry-after': '250', 'content-type': 'application/json' },
    body: bytes('{"result":"error","msg":"","code":"RATE_LIMIT_HIT","retry-after":250}'),
  },
  'shows a login page': {
    status: 200,
    headers: { 'content-type': 'text/html' },
    body: bytes('<html>Log in</html>'),
  },
}

function isHung(fault: Fault, { method, url }: HttpRequest): boolean {
  const { pathname } = new URL(url)
  if (fault === 'polls hang') return method === 'GET' && pathname.endsWith('/events')
  if (fault === 'registering hangs') return pathname.endsWith('/register')
  if (fault === 'catching up hangs') return method === 'GET' && pathname.endsWith('/messages')
  return fault === 'hangs'
}

const isOfHealth = ({ method, url }: HttpRequest): boolean => {
  const { pathname } = new URL(url)
  return (
    pathname.endsWith('/register') || (method === 'GET' && /\/(events|messages)$/.test(pathname))
  )
}

/** A network with faults, on a computer that sleeps with answers in its sockets. */
function network(world: ReturnType<typeof createWorld>, random: Seeded) {
  const log: Log = { goodAt: 0, failedAt: null }
  let fault: Fault = 'none'
  let sleptMs = 0
  const now = () => Date.now()

  const transport: Transport = (request, signal) =>
    new Promise((resolve, reject) => {
      const { host } = new URL(request.url)
      const hasHealth = isOfHealth(request)
      const fail = (reason: 'timeout' | 'reset') => {
        clearTimeout(deadline)
        if (signal.aborted) return
        if (hasHealth) log.failedAt ??= now()
        reject(new RequestFailed({ kind: 'network', reason, host, reached: 'maybe' }))
      }
      const deadline = setTimeout(() => fail('timeout'), request.deadlineMs)
      signal.addEventListener('abort', () => {
        clearTimeout(deadline)
        reject(signal.reason)
      })
      const answer = (reply: HttpReply, sentAt: number, sleptBefore: number): void => {
        const at = sleptMs === sleptBefore ? now() : sentAt
        clearTimeout(deadline)
        if (signal.aborted) return
        const isGood = reply.status === 200 && reply.headers['content-type'] !== 'text/html'
        if (hasHealth && isGood)
          Object.assign(log, { goodAt: Math.max(log.goodAt, at), failedAt: null })
        else if (hasHealth) log.failedAt ??= now()
        resolve(reply)
      }
      if (isHung(fault, request)) return
      if (fault === 'resets') {
        setTimeout(() => fail('reset'), random.whole(1, 500))
        return
      }
      const reply = replies[fault]
      if (reply !== undefined) {
        setTimeout(() => answer(reply, now(), sleptMs), random.whole(1, 500))
        return
      }
      const delayMs = fault === 'answers late' ? random.whole(1, 40) * second : random.whole(1, 300)
      world.transport(request, signal).then(
        (good) => {
          const [at, slept] = [now(), sleptMs]
          if (isHung(fault, request)) return
          setTimeout(() => answer(good, at, slept), delayMs)
        },
        () => undefined,
      )
    })

  return {
    log,
    transport,
    clock: { now, monotonic: () => performance.now() + sleptMs, random: random.random },
    set(next: Fault) {
      fault = next
    },
    /** Timers stand still, and what the server sent before arrives afterwards. */
    sleep(ms: number) {
      vi.setSystemTime(Date.now() + ms)
      sleptMs += ms
    },
  }
}

/** The app with the chat, looked at every second. */
async function connected(seed: number) {
  const random = seeded(seed)
  const world = createWorld({ now: Date.now, seed: 1, lively: false })
  const net = network(world, random.part('network'))
  const it = await startApp({ world, transport: net.transport, clock: net.clock })
  const added = it.app.commands.addAccount(world.newAccounts.chat)
  await vi.advanceTimersByTimeAsync(5 * second)
  const { accountId } = await added
  const seen = { green: 0, falselyGreen: 0, wouldBe: 0, what: '' }
  const acts: string[] = []
  const look = () => {
    const freshness = freshnessOf(it.app.state, accountId)
    const isGreen = freshness !== null && isFresh(freshness, net.clock.now())
    const broken = isBroken(net.log, net.clock.now())
    seen.green += Number(isGreen)
    seen.wouldBe += Number(broken)
    if (!isGreen || !broken) return
    seen.falselyGreen += 1
    seen.what ||= `seed ${seed}: ${acts.slice(-8).join(', ')}`
  }
  const pass = async (seconds: number) => {
    for (let at = 0; at < seconds; at += 1) {
      world.tick()
      await vi.advanceTimersByTimeAsync(second)
      look()
    }
  }
  const stop = async () => {
    expect(it.bugs).toEqual([])
    const stopped = it.app.stop()
    await vi.advanceTimersByTimeAsync(5 * second)
    await stopped
  }
  return { it, world, net, random, seen, acts, pass, stop }
}

async function day(seed: number) {
  const { it, world, net, random, seen, acts, pass, stop } = await connected(seed)
  for (let episode = 0; episode < 12; episode += 1) {
    const fault = random.pick(faults)
    acts.push(fault)
    net.set(fault)
    if (random.chance(0.3)) {
      acts.push('loses the queue')
      world.realm.controls.dropQueues()
    }
    if (random.chance(0.2)) {
      acts.push('sleeps')
      net.sleep(random.whole(1, 40) * random.pick([second, minute]))
      if (random.chance(0.5)) it.app.wake()
    }
    if (random.chance(0.2)) it.app.wake()
    if (random.chance(0.3)) world.realm.controls.say({ from: 'Ana', to: 'ops > a', text: 'hm' })
    await pass(random.whole(1, random.pick([10, 60, 260])))
    net.set('none')
    if (random.chance(0.7)) await pass(random.whole(1, 90))
  }
  await stop()
  return seen
}

test.each([1, 2, 3, 7, 8, 9])(
  'the chat is green only if an answer arrived within the promised time, on random day %i',
  async (seed) => {
    const { what, green, wouldBe } = await day(seed)
    expect(what).toBe('')
    // Control: an icon that is always green would break the promise for a good part of the time.
    expect(green).toBeGreaterThan(100)
    expect(wouldBe).toBeGreaterThan(100)
  },
  60_000,
)

test('the chat is not green after sleep by an answer from before it', async () => {
  const { world, net, seen, pass, stop } = await connected(1)
  await pass(minute / second)
  expect(seen.green).toBeGreaterThan(50)
  world.realm.controls.say({ from: 'Ana', to: 'ops > a', text: 'hm' })
  await vi.advanceTimersByTimeAsync(0)
  net.set('hangs')
  net.sleep(60 * minute)
  await pass(minute / second)
  expect(seen.falselyGreen).toBe(0)
  net.set('none')
  await pass(minute / second)
  expect(seen.green).toBeGreaterThan(80)
  await stop()
})
