import { afterEach, expect, test } from 'vitest'
import type { PretendRealm } from '../../src/demo/chat/pretend-realm.ts'
import { createHttpTransport } from '../../src/main/http/http-transport.ts'
import { memoryHistory } from '../../src/main/storage/memory-history.ts'
import { isFresh } from '../../src/shared/core/account.ts'
import { startApp } from '../support/app.ts'
import { type Seeded, seeded } from '../support/seeded.ts'
import { serveWorld, type WorldServer } from '../support/world-server.ts'

let server: WorldServer | null = null

afterEach(async () => {
  await server?.close()
  server = null
})

/** The app with a realm over real HTTP, and how often it decided about each message. */
async function connected(seed: number) {
  const served = await serveWorld({ now: Date.now, seed, lively: false })
  server = served
  const decided = new Map<number, number>()
  const history = memoryHistory()
  const it = await startApp({
    world: served.world,
    transport: createHttpTransport(),
    history: {
      ...history,
      add(entries) {
        const steps = entries.filter(({ kind }) => kind === 'step')
        // A long step is split into pieces of its JSON.
        const text = steps
          .map(({ data }) => (data as { text?: string }).text ?? JSON.stringify(data))
          .join('')
        for (const [, id] of text.matchAll(/"id":"[^"]*\/message\/(\d+)"/g))
          decided.set(Number(id), (decided.get(Number(id)) ?? 0) + 1)
        history.add(entries)
      },
    },
  })
  const { accountId } = await it.app.commands.addAccount(served.world.newAccounts.chat)
  const realm = () => it.app.state.realms.get(accountId)
  const isLive = (): boolean => {
    const freshness = realm()?.freshness
    return freshness !== undefined && isFresh(freshness, Date.now())
  }
  await expect.poll(() => isLive() && served.world.realm.controls.queues().waiting === 1).toBe(true)
  return { ...it, realm, isLive, decided, served }
}

const texts = {
  direct: 'are you there?',
  mention: '@**Maria** look here',
  everybody: '@**all** look here',
  alertWord: 'the pager again',
  plain: 'one more line',
}

/** Posts `count` messages, one in `each` of them personal. Returns the ids of the personal ones. */
function post(realm: PretendRealm, count: number, each: number, chosen: Seeded): Set<number> {
  const personal = new Set<number>()
  const { name } = realm.user
  const kinds = ['direct', 'mention', 'everybody', 'alertWord'] as const
  for (let at = 0; at < count; at += 1) {
    const kind = chosen.chance(1 / each) ? chosen.pick(kinds) : 'plain'
    const id = realm.controls.say({
      from: 'Ana',
      to: kind === 'direct' ? 'Ana' : 'ops > deploys',
      text: texts[kind].replace('Maria', name),
    })
    if (kind !== 'plain') personal.add(id)
  }
  return personal
}

const missing = (personal: Iterable<number>, decided: ReadonlyMap<number, number>): number[] =>
  [...personal].filter((id) => decided.get(id) !== 1)

test.each([1, 2])('each of 10,000 events in one response is decided (seed %i)', async (seed) => {
  const it = await connected(seed)
  const { realm } = it.served.world
  const asked = it.served.log.length
  const before = it.desktop.notices.length
  const personal = post(realm, 10_001, 100, seeded(seed))
  expect(personal.size).toBeGreaterThan(50)
  const newest = realm.controls.messages().at(-1)?.id ?? 0
  await expect.poll(() => it.realm()?.notified?.ids).toContain(newest)
  expect(missing(personal, it.decided)).toEqual([])
  const polls = it.served.log.slice(asked).filter(({ path }) => path.includes('/events?'))
  expect(polls.length).toBeLessThanOrEqual(4)
  expect(it.desktop.notices.length - before).toBeLessThanOrEqual(6)
  expect(it.bugs).toEqual([])
  await it.app.stop()
})

test.each([
  { gap: 2_900, each: 40, seed: 3 },
  { gap: 7_000, each: 40, seed: 4 },
  { gap: 50_000, each: 25, seed: 5 },
])('each personal message in a gap of $gap is decided', async ({ gap, each, seed }) => {
  const it = await connected(seed)
  const { realm } = it.served.world
  await it.served.away('chat', true)
  realm.controls.dropQueues()
  const before = it.desktop.notices.length
  const personal = post(realm, gap, each, seeded(seed))
  // Control: a deleted message, about which nothing can be decided, must be found missing.
  const deleted = [...personal][personal.size >> 1] ?? 0
  realm.controls.remove(deleted)
  const asked = it.served.log.length
  await it.served.away('chat', false)
  it.app.wake()
  const newest = realm.controls.messages().at(-1)?.id ?? 0
  await expect.poll(() => it.realm()?.notified?.ids.includes(newest) && it.isLive()).toBe(true)
  expect(missing(personal, it.decided)).toEqual([deleted])
  const requests = it.served.log.slice(asked)
  expect(requests.length).toBeLessThanOrEqual(
    Math.min(gap, 5_000) / 1_000 + personal.size / 500 + 12,
  )
  expect(requests.filter(({ status }) => status === 429)).toEqual([])
  expect(it.realm()?.messages.size).toBeLessThanOrEqual(3_000)
  expect(it.desktop.notices.length - before).toBeLessThanOrEqual(6)
  expect(it.bugs).toEqual([])
  await it.app.stop()
})
