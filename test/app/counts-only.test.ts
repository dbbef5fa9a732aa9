import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { BadgeFault } from '../../src/shared/core/checks/board.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'
import { clockWords } from '../../src/shared/core/time.ts'
import {
  asItIs,
  board,
  type Change,
  count,
  givenUp,
  isDown,
  minute,
  names,
  pass,
  says,
  second,
  secondsUntil,
  shape,
  type Watching,
  watching,
} from '../support/counts-only.ts'

const hour = 60 * minute

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a project whose counts are asked for', () => {
  test('is nothing that happens by itself', async () => {
    const it = await watching({ minutes: null })
    await pass(hour)
    expect(count(it, 'badge') + count(it, 'badges')).toBe(0)
    expect(count(it, 'checks')).toBeGreaterThan(55)
    await it.app.stop()
  })

  test('is green on counts that stay the same, and reads the list every ten minutes', async () => {
    const it = await watching()
    const shapes = new Set<string | undefined>()
    for (let left = 120; left > 0; left -= 1) {
      await pass(minute / 2)
      shapes.add(shape(it))
    }
    expect(shapes).toEqual(new Set(['good']))
    expect(count(it, 'checks')).toBeGreaterThanOrEqual(6)
    expect(count(it, 'checks')).toBeLessThanOrEqual(8)
    // One for each poll, beside one right after each list.
    expect(count(it, 'badge')).toBeGreaterThan(55)
    expect(count(it, 'badge')).toBeLessThanOrEqual(75)
    const { readAt, seenAt = 0 } = board(it).freshness
    expect(seenAt).toBeGreaterThan(Date.now() - minute)
    expect(seenAt).toBeGreaterThan(readAt ?? 0)
    await it.app.stop()
  })

  test('tells of a check that goes down as soon as one whose list is read', async () => {
    const it = await watching()
    await pass(3 * minute + 7 * second)
    it.controls.ping(names[0], 'fail')
    expect(await secondsUntil(() => isDown(it, names[0]), 60)).toBeLessThanOrEqual(60)
    await pass(10 * second)
    expect(it.desktop.notices.map(({ title }) => title)).toContain(`${names[0]} is down`)
    expect(shape(it)).toBe('down')
    await it.app.stop()
  })

  test('sees a swap within the chosen time, whenever it comes', async () => {
    for (const at of [0, 3, 8]) {
      const it = await watching({ minutes: 5 })
      it.controls.ping(names[0], 'fail')
      await secondsUntil(() => isDown(it, names[0]), 60)
      await pass(6 * minute + at * 40 * second)
      it.controls.ping(names[0], 'success')
      it.controls.ping(names[1], 'fail')
      const took = await secondsUntil(() => isDown(it, names[1]), 5 * 60)
      expect(took).toBeLessThanOrEqual(5 * 60)
      expect(isDown(it, names[0])).toBe(false)
      await it.app.stop()
    }
  })

  test.each([
    ['it is refreshed', (it: Watching) => it.app.commands.refresh({ accountId: null })],
    ['the computer wakes', (it: Watching) => Promise.resolve(it.app.wake())],
    [
      'the option is turned off',
      ({ app, accountId }: Watching) => app.commands.setWholeReads({ accountId, minutes: null }),
    ],
    [
      'its key is replaced',
      ({ app, accountId, world }: Watching) =>
        app.commands.replaceKey({ accountId, key: world.newAccounts.web.key }),
    ],
  ] as const)('is read as a whole when %s', async (_when, act) => {
    const it = await watching()
    await pass(3 * minute)
    const before = board(it).freshness.readAt
    void act(it)
    await pass(3 * second)
    expect(board(it).freshness.readAt).toBeGreaterThan(Number(before) + minute)
    await it.app.stop()
  })

  test('was reached when its badge was, however old its list', async () => {
    const it = await watching({ minutes: 30 })
    await pass(25 * minute)
    const heardAt = board(it).freshness.seenAt ?? 0
    it.around.cut = true
    await pass(12 * minute)
    const offline = it.desktop.notices.find(({ title }) => title === 'This computer is offline')
    expect(offline?.body).toContain(`since ${clockWords(heardAt, heardAt)}.`)
    await it.app.stop()
  })

  test('is read once more where an alarm waits for what its check depends on', async () => {
    const it = await watching()
    const { accountId } = it
    const [other, gateway, job] = names
    const idOf = (name: string) =>
      [...board(it).checks.values()].find((check) => check.name === name)?.id ?? ''
    await it.app.commands.addDependency({
      scope: { of: 'check', accountId, checkId: idOf(job) },
      on: { accountId, checkId: idOf(gateway) },
    })
    it.controls.ping(other, 'fail')
    await pass(5 * minute)
    it.controls.ping(job, 'fail')
    await secondsUntil(() => isDown(it, job), 60)
    it.controls.ping(gateway, 'fail')
    it.controls.ping(other, 'success')
    await pass(3 * minute)
    expect(isDown(it, gateway)).toBe(true)
    const titles = it.desktop.notices.map(({ title }) => title)
    expect(titles).toContain(`${gateway} is down`)
    expect(titles).not.toContain(`${job} is down`)
    await it.app.stop()
  })

  test.each([hour, -hour])(
    'is read at the next poll when the clock is set by %i ms',
    async (by) => {
      const it = await watching()
      await pass(3 * minute)
      it.around.asked.length = 0
      vi.setSystemTime(Date.now() + by)
      await pass(minute)
      expect(count(it, 'checks')).toBeGreaterThan(0)
      await it.app.stop()
    },
  )
})

describe('the badge of a project', () => {
  test('is asked for without the key, and only at the account’s own address', async () => {
    const it = await watching({ minutes: null })
    it.around.badges = (reply) => ({
      ...reply,
      body: new TextEncoder().encode(
        new TextDecoder()
          .decode(reply.body)
          .replaceAll(/https:\/\/[^/"]+/g, 'http://localhost:8000'),
      ),
    })
    await it.app.commands.setWholeReads({ accountId: it.accountId, minutes: 10 })
    await pass(3 * minute)
    const asked = it.around.sent.filter(({ url }) => url.includes('/badge/'))
    expect(asked.length).toBeGreaterThan(2)
    for (const { url, headers } of asked) {
      expect(url.startsWith(`${it.world.newAccounts.web.baseUrl}/badge/`)).toBe(true)
      expect(JSON.stringify(headers)).not.toContain(it.table.readWriteKey)
      expect(headers['cache-control']).toBe('no-cache')
    }
    await it.app.stop()
  })

  test('is known to nobody but main', async () => {
    const it = await watching()
    it.around.badge = says(302, '', { location: 'https://hc.example/badge/other/0.json' })
    await pass(3 * minute)
    const url = it.around.sent.find((one) => one.url.includes('/badge/'))?.url ?? ''
    const [, signature = ''] = /([0-9a-f]{8})\.json$/.exec(url) ?? []
    const everything = { depth: null, maxArrayLength: null, maxStringLength: null } as const
    const known = inspect(
      [
        it.app.state,
        it.desktop,
        it.disk,
        it.notes,
        await it.app.commands.diagnose({ thorough: true }),
      ],
      everything,
    )
    expect(known).toContain('/badge/{badgeKey}/{signature}.json')
    for (const secret of [it.table.badgeKey, signature]) expect(known).not.toContain(secret)
    await it.app.stop()
  })

  const dated = (ms: number) => ({ date: new Date(Date.now() - ms).toUTCString() })
  const away = (): never => {
    throw new RequestFailed({ kind: 'network', reason: 'reset', host: 'h', reached: 'maybe' })
  }
  const tooLarge: Change = (_reply, { maxBytes }) => {
    expect(maxBytes).toBeLessThan(5_000)
    throw new RequestFailed({ kind: 'network', reason: 'tooLarge', host: 'h', reached: 'maybe' })
  }
  const same = '{"status":"up","total":30,"grace":0,"down":0}'
  test.each<[string, Change, BadgeFault]>([
    ['is gone', says(404, '<!doctype html>', { 'content-type': 'text/html' }), 'unread'],
    ['fails', says(500, ''), 'unread'],
    ['is a login page', says(200, '<!doctype html>'), 'unread'],
    ['is no JSON', says(200, '{'), 'unread'],
    ['is huge', tooLarge, 'unread'],
    ['lacks a count', says(200, '{"status":"up","total":30,"grace":0}'), 'unread'],
    ['has an odd count', says(200, '{"total":30,"grace":0,"down":-1}'), 'unread'],
    ['leads elsewhere', says(302, '', { location: 'https://evil.example/' }), 'unread'],
    ['can’t be reached', away, 'unread'],
    ['comes out of a cache', says(200, same, { age: '40' }), 'unread'],
    ['has an age that can’t be read', says(200, same, { age: '300, 5' }), 'unread'],
    ['is dated long ago', (...given) => says(200, same, dated(hour))(...given), 'unread'],
    ['counts something else', says(200, '{"total":31,"grace":0,"down":0}'), 'differs'],
  ])('that %s is given up for an hour, and then tried again', async (_how, change, why) => {
    const it = await watching()
    await pass(3 * minute + 7 * second)
    it.around.badge = change
    it.around.asked.length = 0
    await pass(5 * minute)
    expect(givenUp(it)).toBe(why)
    expect(shape(it)).toBe('good')
    // Some six polls, each with a list since the first; then no badge any more.
    expect(count(it, 'checks')).toBeGreaterThanOrEqual(4)
    expect(count(it, 'badge')).toBeLessThanOrEqual(5)
    it.around.asked.length = 0
    await pass(50 * minute)
    expect([count(it, 'badge'), count(it, 'badges')]).toEqual([0, 0])
    expect(count(it, 'checks')).toBeGreaterThanOrEqual(48)
    it.around.badge = asItIs
    await pass(10 * minute)
    it.around.asked.length = 0
    await pass(10 * minute)
    expect(givenUp(it)).toBeUndefined()
    expect(count(it, 'checks')).toBeLessThanOrEqual(2)
    await it.app.stop()
  })

  test('that says the same whatever happens hides nothing for longer than chosen', async () => {
    const it = await watching({ minutes: 5 })
    await pass(3 * minute)
    it.around.badge = says(200, same)
    it.controls.ping(names[0], 'fail')
    await secondsUntil(() => isDown(it, names[0]), 5 * 60)
    await pass(5 * minute)
    expect(givenUp(it)).toBe('differs')
    await it.app.stop()
  })

  test('is given up where the counts change at each poll', async () => {
    const it = await watching()
    for (const name of it.controls.names().slice(0, 20)) {
      it.controls.ping(name, 'fail')
      await pass(20 * second)
    }
    expect(givenUp(it)).toBe('busy')
    await it.app.stop()
  })

  test('is given up where too many checks report several times between two lists', async () => {
    const it = await watching({ minutes: 2, many: 80 })
    const all = it.controls.names()
    for (let left = 12; left > 0; left -= 1) {
      for (const name of all) it.controls.ping(name, 'success')
      await pass(20 * second)
    }
    expect(givenUp(it)).toBe('owed')
    await it.app.stop()
  })

  test('that refuses for a while is waited for like the list', async () => {
    const it = await watching()
    await pass(3 * minute)
    it.around.badge = says(429, '', { 'retry-after': '90' })
    await secondsUntil(() => board(it).freshness.failure !== null, 60)
    expect(board(it).freshness.failure).toEqual({ kind: 'rateLimited', retryAfterMs: 90_000 })
    it.around.asked.length = 0
    await pass(80 * second)
    expect(it.around.asked).toEqual([])
    expect(shape(it)).not.toBe('good')
    await it.app.stop()
  })
})
