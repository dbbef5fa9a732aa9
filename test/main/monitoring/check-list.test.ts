import { describe, expect, test } from 'vitest'
import { uniqueKeyOf } from '../../../src/main/base/unique-key.ts'
import { spareBytes } from '../../../src/main/http/gzip.ts'
import { readReply } from '../../../src/main/http/reply-reading.ts'
import { createCheckListReader } from '../../../src/main/monitoring/check-list.ts'
import type { ListedChecks } from '../../../src/main/monitoring/check-poller.ts'
import { monitoringOperations } from '../../../src/shared/api/monitoring/monitoring-operations.ts'
import { readCheckDetails } from '../../../src/shared/api/monitoring/read-check.ts'
import type { CheckDetails, CheckId } from '../../../src/shared/core/checks/check.ts'
import { type Failure, RequestFailed } from '../../../src/shared/core/failure.ts'
import { readChecks } from '../../support/read-checks.ts'
import { type Seeded, seeded } from '../../support/seeded.ts'

const account = { kind: 'monitoring', baseUrl: 'https://hc.example', keyKind: 'readWrite' } as const
const now = Date.UTC(2026, 2, 17, 9)
const ordinaryItems = (body: Uint8Array): readonly unknown[] => {
  const reply = { status: 200, headers: {}, body }
  const read = readReply(account, monitoringOperations.listChecks, reply, now)
  return (read as { checks: unknown[] }).checks // by this operation's schema
}

type Result = ListedChecks | Failure

async function result(work: () => ListedChecks | Promise<ListedChecks>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RequestFailed) return error.failure
    throw error
  }
}

const ordinaryWay = (body: Uint8Array, at: number): Promise<Result> =>
  result(() => readChecks(ordinaryItems(body), uniqueKeyOf, at))

/** A reader that counts how often it fell back to the ordinary way. */
function watchedReader() {
  const seen = { ordinary: 0 }
  const reader = createCheckListReader(({ body }) => {
    seen.ordinary += 1
    return ordinaryItems(body)
  })
  const signal = new AbortController().signal
  return {
    seen,
    details: reader.details,
    commit: reader.commit,
    read: (body: Uint8Array, at = now) =>
      result(() => reader.read({ status: 200, headers: {}, body }, at, signal)),
  }
}

/** Expects the details of every check in a reply; of a duplicate, those of the last entry. */
function expectDetails(body: Uint8Array, details: (id: CheckId) => CheckDetails | null): void {
  const expected = new Map<CheckId, CheckDetails>()
  for (const item of ordinaryItems(body)) {
    const read = readCheckDetails(item, uniqueKeyOf)
    if (read !== null) expected.set(read.id, read)
  }
  for (const [id, read] of expected) expect(details(id)).toEqual(read)
  expect(details('of none')).toBeNull()
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** As the transport returns an unpacked body. */
function asUnpacked(body: Uint8Array): Uint8Array {
  const whole = new Uint8Array(body.length + spareBytes)
  whole.set(body)
  return whole.subarray(0, body.length)
}

interface Wire {
  readonly [field: string]: unknown
}

function wireCheck(by: Seeded, index: number): Wire {
  // A check is identified by the first half of it.
  const uuid = `${index.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`
  return {
    name: by.pick([
      'backup',
      'a "quoted" \\ name',
      '}, {"name": "',
      'été 🗼 \u2028',
      ']}',
      '\ufeff',
    ]),
    desc: 'x'.repeat(1_200),
    tags: by.pick(['', 'prod db', 'a,b']),
    status: by.pick(['up', 'up', 'up', 'down', 'grace', 'paused', 'new', 'started', 'odd']),
    grace: by.whole(60, 7_200),
    timeout: 3_600,
    n_pings: by.whole(0, 9_999),
    last_ping: new Date(now - by.whole(0, 10_000_000)).toISOString(),
    next_ping: by.chance(0.5) ? new Date(now + by.whole(0, 3_600_000)).toISOString() : null,
    ping_url: `https://ping.example/${uuid}`,
    ...(by.chance(0.8) ? { uuid } : { unique_key: uniqueKeyOf(uuid) }),
    ...(by.chance(0.1) ? { nested: [{ of: [{}, [], { n: 1e300 }] }, '[{'] } : {}),
  }
}

/** As servers write it: with or without spaces, non-ASCII characters plain or escaped. */
function textOf(by: Seeded, wire: unknown): string {
  const json = JSON.stringify(wire, null, by.pick([0, 0, 1]))
  const escaped = by.chance(0.5)
    ? json.replace(/[^\0-~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : json
  if (by.chance(0.03)) return escaped.replace('{', '{"__proto__": {"status": "up", "x": 1}, ')
  return by.chance(0.03) ? escaped.replace('{', '{"name": "twice", ') : escaped
}

/** Some rows changed, removed, added, moved, unreadable or duplicated. */
function nextList(by: Seeded, items: readonly string[]): string[] {
  const moved: string[] = []
  const next = items.flatMap((item) => {
    const drawn = by.random()
    if (drawn < 0.04) return [textOf(by, wireCheck(by, by.whole(0, 400)))]
    if (drawn < 0.05) return [item, item]
    if (drawn < 0.06) return ['{"name": 5}']
    if (drawn < 0.07) return []
    if (drawn >= 0.11) return [item]
    moved.push(item)
    return []
  })
  return [...next, ...moved]
}

function listText(by: Seeded, items: readonly string[]): string {
  const space = by.pick(['', ' ', '\n\t '])
  return `${space}{${space}"checks"${space}:${space}[${items.join(`,${space}`)}${space}]${space}}${space}`
}

/** What no honest server sends. Each must end as it would the ordinary way. */
const damages: readonly ((by: Seeded, text: string) => string)[] = [
  (by, text) => text.slice(0, by.whole(1, text.length - 1)),
  (_by, text) => text.replace(/\]\s*\}\s*$/, ', ]}'),
  (_by, text) => text.replace(/\]\s*\}\s*$/, '], "checks": []}'),
  (_by, text) => text.replace(/\]\s*\}\s*$/, '], "more": {"n": 1}}'),
  (_by, text) => `${text}x`,
  (_by, text) => text.replace(/\]\s*\}\s*$/, ', null, "text", 5, [{}]]}'),
  (_by, text) => text.replace('{', '{"first": 1, '),
  (_by, text) => `\ufeff${text}`,
  (_by, text) => text.replace(/\}\s*,\s*\{/, '},, {'),
  (_by, text) => text.replace('"desc":', '"desc"'),
  (_by, text) => text.replace(/\]\s*\}\s*$/, `, {"deep": ${'['.repeat(70)}${']'.repeat(70)}}]}`),
  (_by, text) => text.replace(/\]\s*\}\s*$/, `, {"many": [${'0,'.repeat(4_000_000)}0]}]}`),
  (_by, text) => text.replace(/\}\s*,\s*\{/, '], {'),
  (_by, text) => `<html>${text}</html>`,
]

describe('a large list of checks', () => {
  test.each([1, 2, 3, 4])(
    'is read as it would be in one go, poll after poll (seed %i)',
    async (seed) => {
      const by = seeded(seed)
      const { read, details, seen } = watchedReader()
      let items = Array.from({ length: 300 }, (_, index) => textOf(by, wireCheck(by, index)))
      for (let poll = 0; poll < 12; poll += 1) {
        const body = bytes(listText(by, items))
        const at = now + poll * 600_000
        expect(await read(body, at)).toEqual(await ordinaryWay(body, at))
        expectDetails(body, details)
        items = nextList(by, items)
      }
      expect(seen.ordinary).toBe(0)
      expect(Reflect.get({}, 'x')).toBeUndefined()
    },
  )

  test.each(damages.map((damage, index) => [index, damage] as const))(
    'that is damaged (%i) gives the same result as in one go, before and after a good one',
    async (index, damage) => {
      const by = seeded(index)
      const { read, details, seen } = watchedReader()
      const items = Array.from({ length: 250 }, (_, place) => textOf(by, wireCheck(by, place)))
      const good = bytes(listText(by, items))
      const bad = bytes(damage(by, listText(by, items)))
      for (const body of [bad, good, bad, good]) {
        const listed = await read(body)
        expect(listed).toEqual(await ordinaryWay(body, now))
        // An unreadable reply leaves the details of the one before it.
        if ('checks' in listed) expectDetails(body, details)
        else if (seen.ordinary === 2) expectDetails(good, details)
      }
      expect(seen.ordinary).toBe(2)
    },
  )

  test('with invalid UTF-8 is read as it would be in one go', async () => {
    const by = seeded(7)
    const items = Array.from({ length: 250 }, (_, place) => textOf(by, wireCheck(by, place)))
    const body = bytes(listText(by, items))
    for (let at = 100; at < body.length; at += 3_001)
      if (body[at] === 0x78 && body[at + 3] === 0x78) body.set([0xe2, 0x82, 0xf0], at)
    const { read, details, seen } = watchedReader()
    const listed = (await read(body)) as ListedChecks // not a failure
    expect(listed).toEqual(await ordinaryWay(body, now))
    expectDetails(body, details)
    const texts = listed.checks.map(({ id }) => details(id)?.description)
    expect(texts.join()).toContain('\ufffd')
    expect(seen.ordinary).toBe(0)
  })

  test('provides the details of a check, whether its reply was large, small or unusual', async () => {
    const by = seeded(12)
    const texts = Array.from({ length: 250 }, (_, place) => textOf(by, wireCheck(by, place)))
    const small = texts.slice(0, 5)
    const { read, details, seen } = watchedReader()
    expect(details('of none')).toBeNull()
    for (const [text, ordinary] of [
      [`{"checks": [${texts.join()}]}`, 0],
      [`{"checks": [${small.join()}]}`, 1],
      [`{"first": 1, "checks": [${texts.join()}]}`, 2],
      [`{"checks": [${texts.toReversed().join()}]}`, 2],
    ] as const) {
      await read(bytes(text))
      expectDetails(bytes(text), details)
      expect(seen.ordinary).toBe(ordinary)
    }
  })

  test('keeps unchanged checks as the same objects', async () => {
    const by = seeded(8)
    const wires = Array.from({ length: 300 }, (_, place) => ({
      ...wireCheck(by, place),
      status: 'up',
    }))
    const { read } = watchedReader()
    const body = (list: readonly unknown[]) => bytes(JSON.stringify({ checks: list }))
    const first = (await read(body(wires))) as ListedChecks // not a failure
    const pinged = { ...wires[0], n_pings: 10_000 }
    const second = (await read(body([...wires.slice(1), pinged]))) as ListedChecks // the same
    expect(second.checks.slice(0, -1)).toEqual(first.checks.slice(1))
    const kept = second.checks.filter((check) => first.checks.includes(check))
    expect(kept).toHaveLength(299)
    expect(second.checks.at(-1)).toMatchObject({ pingCount: 10_000 })
  })

  test('reuses the checks of the board, except those that are down, and goes on reading as before', async () => {
    const by = seeded(13)
    const wires = Array.from({ length: 300 }, (_, place) => ({
      ...wireCheck(by, place),
      status: place % 10 === 0 ? 'down' : 'up',
    }))
    const { read, commit, details } = watchedReader()
    const body = (...more: readonly unknown[]) =>
      bytes(JSON.stringify({ checks: [...wires, ...more] }))
    const first = (await read(body())) as ListedChecks // not a failure
    const board = new Map(first.checks.map((check) => [check.id, { ...check, since: 5 }]))
    commit(board)
    const whole = body(wireCheck(by, 300))
    const next = (await read(whole.slice())) as ListedChecks // the same
    for (const check of next.checks.slice(0, -1))
      expect(check === board.get(check.id)).toBe(check.status !== 'down')
    expectDetails(whole, details)
  })

  test('uses the remaining entry of a check that the previous reply listed twice', async () => {
    const by = seeded(14)
    const wires = Array.from({ length: 300 }, (_, place) => wireCheck(by, place))
    const body = (...more: readonly unknown[]) =>
      bytes(JSON.stringify({ checks: [...wires, ...more] }))
    const down = { ...wireCheck(by, 300), status: 'down', n_pings: 1 }
    const up = { ...down, status: 'up', n_pings: 2 }
    const { read, commit } = watchedReader()
    const first = (await read(body(down, up))) as ListedChecks // not a failure
    // The last of the two counts.
    commit(new Map(first.checks.map((check) => [check.id, check])))
    const next = (await read(body(down))) as ListedChecks // the same
    expect(next.checks.at(-1)).toMatchObject({ status: 'down', pingCount: 1 })
  })

  test('frees the memory of a body once the next one was read, but never that of the last', async () => {
    const by = seeded(11)
    const items = Array.from({ length: 250 }, (_, place) => textOf(by, wireCheck(by, place)))
    const [first, same, next] = [items, items, nextList(by, items)].map((list) =>
      asUnpacked(bytes(`{"checks": [${list.join()}]}`)),
    )
    if (first === undefined || same === undefined || next === undefined) throw new Error('none')
    const expected = await ordinaryWay(next, now)
    const { read } = watchedReader()
    await read(first)
    await read(same)
    expect(first.byteLength).toBeGreaterThan(0)
    await read(next)
    expect(first.byteLength).toBe(0)
    expect(next.byteLength).toBeGreaterThan(0)
    expect(await read(next)).toEqual(expected)
  })

  test('does not free a body that shares its memory with something else', async () => {
    const by = seeded(12)
    const items = Array.from({ length: 250 }, (_, place) => textOf(by, wireCheck(by, place)))
    const text = `{"checks": [${items.join()}]}`
    const shared = bytes(`${text}  `).subarray(0, text.length)
    const { read } = watchedReader()
    await read(shared)
    await read(bytes(`{"checks": [${nextList(by, items).join()}]}`))
    expect(shared.byteLength).toBe(text.length)
  })

  test('lets other work run while it is read', async () => {
    const by = seeded(9)
    const items = Array.from({ length: 6_000 }, (_, place) => textOf(by, wireCheck(by, place)))
    const body = bytes(listText(by, items))
    const { read } = watchedReader()
    const turns = cpuTurns()
    await read(body)
    const cut = await turns.stop()
    const whole = cpuTurns()
    await ordinaryWay(body, now)
    const ordinary = await whole.stop()
    // About 10 ms of several hundred; in one go it is nearly all.
    expect(cut.longest / cut.all).toBeLessThan(0.35)
    expect(ordinary.longest / ordinary.all).toBeGreaterThan(0.7)
  })

  test('with another shape is refused unread if reading it in one go would block other work', async () => {
    const { read, seen } = watchedReader()
    const filler = 'x'.repeat(13 * 2 ** 20)
    expect(await read(bytes(`{"first": "${filler}", "checks": []}`))).toEqual({
      kind: 'malformed',
      what: 'shape',
      where: 'checks',
    })
    expect(seen.ordinary).toBe(0)
    const shorter = filler.slice(2 * 2 ** 20)
    expect(await read(bytes(`{"first": "${shorter}", "checks": []}`))).toMatchObject({ checks: [] })
    expect(seen.ordinary).toBe(1)
  })

  test('can be aborted between two turns', async () => {
    const by = seeded(10)
    const items = Array.from({ length: 6_000 }, (_, place) => textOf(by, wireCheck(by, place)))
    const body = bytes(listText(by, items))
    const { read } = createCheckListReader(({ body: whole }) => ordinaryItems(whole))
    const abort = new AbortController()
    const reading = read({ status: 200, headers: {}, body }, now, abort.signal)
    abort.abort(new Error('given up'))
    await expect(reading).rejects.toThrow('given up')
  })
})

/** The CPU time of this thread from now on, and the most of it without a turn for other work. */
function cpuTurns() {
  const cpu = (): number => {
    const { user, system } = process.threadCpuUsage()
    return user + system
  }
  const start = cpu()
  let last = start
  let longest = 0
  let next = setImmediate(function look() {
    const at = cpu()
    longest = Math.max(longest, at - last)
    last = at
    next = setImmediate(look)
  })
  return {
    async stop() {
      await new Promise((resolve) => setImmediate(resolve))
      clearImmediate(next)
      return { longest, all: cpu() - start }
    },
  }
}
