import { describe, expect, test } from 'vitest'
import { createProject } from '../../../../src/demo/monitoring/pretend-project.ts'
import type { Signal } from '../../../../src/demo/monitoring/project-check.ts'
import { uniqueKeyOf } from '../../../../src/main/base/unique-key.ts'
import { readOneCheck } from '../../../../src/shared/api/monitoring/read-check.ts'
import { readFlips, readPings } from '../../../../src/shared/api/monitoring/read-history.ts'
import {
  type Cause,
  causeOf,
  causeWords,
  evidenceIn,
  lastFailure,
  nextExpectedAt,
} from '../../../../src/shared/core/checks/cause.ts'
import type { Check } from '../../../../src/shared/core/checks/check.ts'
import * as eg from '../../../support/eg.ts'
import { type Seeded, seeded } from '../../../support/seeded.ts'

const baseUrl = 'https://hc.example.org'
const key = `hcw_${'a'.repeat(28)}`
const graceMs = 5 * eg.minute
const tenMinutes = 10 * eg.minute

/** What the job really did, from its own point of view: the oracle sees no record, flip or log. */
interface Truth {
  /** The end of the last run. */
  ended: { readonly at: number; readonly failed: boolean } | null
  startedAt: number | null
  /** When it went down. */
  downAt: number | null
}

/** A job's random life at a service, and its state at a random moment. */
function life(seed: Seeded, isCron: boolean) {
  let now = Date.UTC(2026, 2, 17, 12, 0, seed.whole(0, 59))
  const project = createProject({
    ...{ baseUrl, name: 'ops', readWriteKey: key, readOnlyKey: null, seed: seed.seed },
    now: () => now,
    checks: [
      {
        name: 'job',
        state: 'new',
        grace: graceMs / 1000,
        ...(isCron ? { schedule: '*/10 * * * *', tz: 'UTC' } : { timeout: tenMinutes / 1000 }),
      },
    ],
  })
  const { controls } = project
  const truth: Truth = { ended: null, startedAt: null, downAt: null }
  const deadline = (): number => {
    const { ended, startedAt } = truth
    const expected =
      ended === null
        ? Number.POSITIVE_INFINITY
        : isCron
          ? (Math.floor(ended.at / tenMinutes) + 1) * tenMinutes
          : ended.at + tenMinutes
    return Math.min(expected, startedAt ?? Number.POSITIVE_INFINITY) + graceMs
  }
  const pass = (ms: number): void => {
    now += ms
    if (truth.downAt === null && deadline() <= now) truth.downAt = deadline()
    project.tick()
  }
  for (let left = seed.whole(1, 12); left > 0; left -= 1) {
    const act = seed.pick<Signal>(['success', 'success', 'fail', 'start', 'log'])
    controls.ping('job', act)
    if (act === 'start') truth.startedAt = now
    if (act === 'success') Object.assign(truth, { startedAt: null, downAt: null })
    if (act === 'fail') {
      truth.startedAt = null
      truth.downAt ??= now
    }
    if (act === 'success' || act === 'fail') truth.ended = { at: now, failed: act === 'fail' }
    pass(seed.whole(5_000, seed.pick([60_000, 400_000, 1_500_000])))
  }
  const { uuid } = controls.check('job')
  const ask = (path: string): unknown =>
    JSON.parse(
      new TextDecoder().decode(
        project.handle({
          ...{ method: 'GET', url: `${baseUrl}/api/v3/checks/${uuid}${path}`, body: null },
          headers: { 'X-Api-Key': key },
        }).body,
      ),
    )
  const record = readOneCheck(ask(''), uniqueKeyOf, now)
  if (record === null) throw new Error('the pretend project sent no check')
  // Requests to this very server: the conformance cases check their shapes.
  const [flip] = readFlips(ask('/flips/') as { flips: unknown[] }).items
  const { items: pings } = readPings(ask('/pings/') as { pings: unknown[] })
  const since = flip?.up === false && record.status === 'down' ? flip.at : record.since
  return { check: { ...record, since }, pings, truth, now }
}

/** The expected cause, by the oracle. */
function causeBy({ ended, startedAt, downAt }: Truth, check: Check): Cause['kind'] | null {
  if (check.status === 'up' || check.status === 'new') return null
  if (downAt !== null && ended?.failed === true) return 'failed'
  if (startedAt !== null && (downAt === null || startedAt + graceMs <= downAt)) return 'overran'
  return 'missed'
}

/** The second that a cause names. */
function timeIn(cause: Cause | null): number | null {
  if (cause === null || cause.kind === 'unknown') return null
  const at = { failed: 'at', missed: 'lastAt', overran: 'startedAt' }[cause.kind]
  const time: unknown = Reflect.get(cause, at)
  return typeof time === 'number' ? Math.floor(time / 1000) : null
}

function timeBy({ ended, startedAt }: Truth, kind: Cause['kind'] | null): number | null {
  const at = kind === null ? null : kind === 'overran' ? startedAt : (ended?.at ?? null)
  return at === null ? null : Math.floor(at / 1000)
}

describe('the cause of an outage', () => {
  test('is what the job really did: always with its log, and without it never a wrong one', () => {
    const kinds: string[] = []
    for (let n = 0; n < 2_000; n += 1) {
      const { check, pings, truth, now } = life(seeded(n), n % 2 === 0)
      const meant = causeBy(truth, check)
      const cause = causeOf(check, evidenceIn(check, pings, null), now)
      expect([n, cause?.kind ?? null, timeIn(cause)]).toEqual([n, meant, timeBy(truth, meant)])
      // A read-only key: what it says is true, and it says nothing that it does not know.
      const alone = causeOf({ ...check, writable: false }, null, now)
      const kind = alone?.kind === 'unknown' ? meant : (alone?.kind ?? null)
      expect([n, kind]).toEqual([n, meant])
      if (timeIn(alone) !== null) expect([n, timeIn(alone)]).toEqual([n, timeBy(truth, meant)])
      kinds.push(`${cause?.kind}`, `alone ${alone?.kind}`)
    }
    // Every kind occurred, so that each was tested.
    for (const kind of ['failed', 'overran', 'missed', 'alone failed', 'alone missed'])
      expect(kinds.filter((one) => one === kind).length, kind).toBeGreaterThan(20)
  })

  test('is not taken from a log older than the record', () => {
    const check = eg.check({
      status: 'down',
      since: eg.now - eg.hour,
      lastPingAt: eg.now - eg.hour,
    })
    const log = { ...evidenceIn(check, [], null), failure: { at: 1, n: 1, line: 'old' } }
    expect(causeOf(check, log, eg.now)).toMatchObject({ line: 'old' })
    const newer = { ...check, lastPingAt: eg.now - eg.minute }
    expect(causeOf(newer, log, eg.now)).toMatchObject({ at: eg.now - eg.minute, line: null })
  })
})

test('the next ping is expected by the schedule, whether or not a run is in progress', () => {
  const seen = { running: 0, waiting: 0 }
  for (let n = 0; n < 2_000; n += 1) {
    const isCron = n % 2 === 0
    const { check, truth } = life(seeded(n), isCron)
    if (check.status !== 'up' || truth.ended === null) continue
    const { at } = truth.ended
    const due = isCron ? (Math.floor(at / tenMinutes) + 1) * tenMinutes : at + tenMinutes
    expect([n, Math.floor((nextExpectedAt(check) ?? 0) / 1000)]).toEqual([
      n,
      Math.floor(due / 1000),
    ])
    seen[check.started ? 'running' : 'waiting'] += 1
  }
  expect(seen.running).toBeGreaterThan(20)
  expect(seen.waiting).toBeGreaterThan(20)
  const running = eg.check({
    started: true,
    schedule: { kind: 'onCalendar', expression: 'daily', zone: 'UTC' },
  })
  expect(nextExpectedAt(running)).toBeNull()
  expect(nextExpectedAt({ ...running, status: 'new', lastPingAt: null })).toBeNull()
})

describe('the sentence about a cause', () => {
  const clock = (at: number): string => new Date(at).toISOString().slice(11, 16)
  const words = (change: Partial<Check>, log: Parameters<typeof causeOf>[1] = null): string => {
    const cause = causeOf(eg.check(change), log, eg.now)
    return cause === null ? 'none' : causeWords(cause, eg.now, 0, clock)
  }
  const started = { status: 'down', started: true, nextPingAt: null } as const

  test('says the day once where it is not today', () => {
    const lastAt = new Date(2026, 2, 17, 22, 40).getTime()
    const missed = { kind: 'missed', lastAt, expectedAt: lastAt + 60 * eg.minute } as const
    const next = { ...missed, expectedAt: lastAt + 90 * eg.minute }
    const after = new Date(2026, 2, 18, 0, 20).getTime()
    expect(causeWords(missed, after, 0)).toBe('No ping since Tue 22:40; expected 23:40')
    expect(causeWords(next, after, 0)).toBe('No ping since Tue 22:40; expected 00:10')
    expect(causeWords(missed, lastAt + 80 * eg.minute, 0)).toMatch(/Tue 22:40; expected 23:40$/)
  })

  test('says since when no ping came, and when one was expected', () => {
    expect(words({ status: 'down' })).toBe('No ping since 11:02; expected 12:02')
    expect(words({ status: 'grace' })).toBe('No ping since 13:23; expected 14:23')
    expect(words({ status: 'down', lastPingAt: null })).toBe('No ping yet')
  })

  test('is by this computer’s clock, with the server’s where they differ by more than a minute', () => {
    const at = new Date('2026-03-17T11:06').getTime()
    const failed = { kind: 'failed', at, line: 'disk full' } as const
    const said = (offsetMs: number) => causeWords(failed, at + eg.hour, offsetMs)
    expect(said(60_000)).toBe('Failed at 11:06: disk full')
    expect(said(-60_000)).toBe('Failed at 11:06: disk full')
    expect(said(15 * eg.minute)).toBe('Failed at 10:51 (11:06 on the server): disk full')
    expect(said(-2 * eg.hour)).toBe('Failed at 13:06 (11:06 on the server): disk full')
    expect(said(-24 * eg.hour)).toBe('Failed at 11:06 (11:06 on the server): disk full')
    const missed = { kind: 'missed', lastAt: at, expectedAt: at + eg.minute } as const
    expect(causeWords(missed, at + eg.hour, 15 * eg.minute)).toBe(
      'No ping since 10:51 (11:06 on the server); expected 10:52 (11:07 on the server)',
    )
  })

  test('says when it failed and with which line, or that a run has not ended', () => {
    const since = eg.now - eg.hour
    const failed = { status: 'down', lastPingAt: since, since } as const
    const log = { lastPingAt: since, started: false, startedAt: null, usualSeconds: null }
    const failure = { at: since, n: 7, line: 'disk full' }
    expect(words(failed)).toBe('Failed at 13:25')
    expect(words(failed, { ...log, failure })).toBe('Failed at 13:25: disk full')
    const running = {
      lastPingAt: eg.now - 5 * eg.hour,
      started: true,
      failure: null,
      startedAt: eg.now - 2 * eg.hour,
      usualSeconds: 240,
    }
    expect(words({ ...started, lastPingAt: running.lastPingAt, since }, running)).toBe(
      'Started 12:25, still running after 2 h (usually 4 min)',
    )
    expect(words({ ...started, lastPingAt: running.lastPingAt, since })).toBe(
      'The last ping came at 09:25',
    )
  })

  test('names the missed deadline if the job began in its grace time, or after it went down', () => {
    const lastPingAt = eg.now - 3 * eg.hour
    const since = eg.now - eg.hour
    const late = { ...started, lastPingAt, since, graceSeconds: 3600 }
    const log = { lastPingAt, started: true, failure: null, usualSeconds: 240 }
    for (const startedAt of [since - 5 * eg.minute, eg.now - eg.minute])
      expect(words(late, { ...log, startedAt })).toBe('No ping since 11:25; expected 12:25')
    expect(words(late, { ...log, startedAt: since - eg.hour })).toBe(
      'Started 12:25, still running after 2 h (usually 4 min)',
    )
  })

  test('exists only for trouble', () => {
    for (const status of ['up', 'new', 'paused', 'unknown'] as const)
      expect(words({ status })).toBe('none')
  })
})

test('there is no last failure once a run succeeded', () => {
  const ping = (kind: 'fail' | 'success' | 'log' | 'start') =>
    readPings({ pings: [{ type: kind, date: new Date(eg.now).toISOString(), n: 1 }] }).items
  expect(lastFailure([...ping('log'), ...ping('start'), ...ping('fail')])?.kind).toBe('fail')
  expect(lastFailure([...ping('success'), ...ping('fail')])).toBeNull()
  expect(lastFailure([])).toBeNull()
})
