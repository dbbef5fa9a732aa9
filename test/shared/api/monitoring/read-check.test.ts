import { parse } from 'valibot'
import { describe, expect, test } from 'vitest'
import { createProject } from '../../../../src/demo/monitoring/pretend-project.ts'
import { opsChecks, opsIntegrations } from '../../../../src/demo/world.ts'
import { uniqueKeyOf } from '../../../../src/main/base/unique-key.ts'
import {
  readCheck,
  readCheckDetails,
  wireCheck,
} from '../../../../src/shared/api/monitoring/read-check.ts'
import {
  readFlips,
  readIntegrations,
  readPings,
  readTime,
} from '../../../../src/shared/api/monitoring/read-history.ts'
import { slugOf } from '../../../../src/shared/core/checks/check.ts'
import { readChecks } from '../../../support/read-checks.ts'

const uuid = '0c8b1f2e-5d3a-4c1b-9e7f-a1b2c3d4e5f6'
const key = uniqueKeyOf(uuid)
const minute = 60_000
const at = (time: string) => Date.parse(`2026-03-17T${time}Z`)

const wire = {
  name: 'db-backup',
  slug: 'db-backup',
  tags: ' prod  db prod a,b',
  desc: 'Two\nlines',
  grace: 600,
  n_pings: 12,
  status: 'up',
  started: false,
  last_ping: '2026-03-17T14:00:00+00:00',
  next_ping: '2026-03-17T15:00:00+00:00',
  manual_resume: true,
  methods: 'POST',
  start_kw: 'a',
  success_kw: 'b',
  failure_kw: 'c',
  filter_subject: true,
  filter_http_body: true,
  last_duration: 0,
  timeout: 3600,
  uuid,
  channels: 'one,two',
}

function read(change: Record<string, unknown> = {}, serverNow: number | null = null) {
  return readCheck(parse(wireCheck, { ...wire, ...change }), uniqueKeyOf, serverNow)
}

function readDetails(change: Record<string, unknown> = {}) {
  return readCheckDetails({ ...wire, ...change }, uniqueKeyOf)
}

describe('a unique key', () => {
  test('is the SHA-1 of the first 16 hex digits of the uuid', () => {
    // printf 0c8b1f2e5d3a4c1b | sha1sum
    expect(key).toBe('e4e56f469e82fd755cf7ca37772b93e78ea4b93e')
  })
})

describe('a time', () => {
  test.each([
    ['2026-03-17T14:00:00+00:00', '14:00:00'],
    ['2026-03-17T14:00:00.123456+00:00', '14:00:00.123'],
    ['2026-03-17 14:00:00Z', '14:00:00'],
    ['2026-03-17T14:00', '14:00:00'],
    ['2026-03-17T16:30:00+0230', '14:00:00'],
  ])('is read from %s', (text, expected) => {
    expect(readTime(text)).toBe(at(expected))
  })

  test.each(['', 'soon', '2026-13-17T14:00:00Z', '2026-03-17'])('is not read from "%s"', (text) => {
    expect(readTime(text)).toBeNull()
  })
})

describe('a check', () => {
  test("is read into the app's own field names and units", () => {
    expect(read()).toEqual({
      id: key,
      writable: true,
      name: 'db-backup',
      slug: null,
      tags: ['prod', 'db', 'a,b'],
      status: 'up',
      rawStatus: 'up',
      started: false,
      lastPingAt: at('14:00:00'),
      nextPingAt: at('15:00:00'),
      schedule: { kind: 'period', periodSeconds: 3600 },
      graceSeconds: 600,
      pingCount: 12,
      lastDurationSeconds: 0,
      manualResume: true,
      hasRunbook: false,
      since: null,
    })
  })

  test('has further details, which are read on their own', () => {
    expect(readDetails()).toEqual({
      ...read(),
      uuid,
      slug: 'db-backup',
      description: 'Two\nlines',
      methods: 'POST',
      keywords: { start: 'a', success: 'b', failure: 'c' },
      filters: ['subject', 'httpBody'],
      integrationIds: ['one', 'two'],
      pingUrl: null,
      badgeUrl: null,
    })
    expect(readDetails({ name: 5 })).toBeNull()
  })

  test.each([
    ['db-backup prod #7', 'db-backup-prod-7', null],
    ['db-backup', 'chosen', 'chosen'],
    ['\u00e9t\u00e9', 'ete', 'ete'],
    ['', '', null],
    ['-x-', 'x', 'x'],
    ['Two  words', '', ''],
  ])(
    'called "%s" has the slug "%s", which is kept only if the name does not imply it',
    (name, slug, kept) => {
      const check = read({ name, slug })
      expect(check?.slug).toBe(kept)
      expect(check === null ? null : slugOf(check)).toBe(slug)
    },
  )

  test('has the same id whichever key read it and however old the server', () => {
    const { uuid: _uuid, channels: _channels, ...reduced } = wire
    const readOnly = readCheckDetails({ ...reduced, unique_key: key }, uniqueKeyOf)
    expect(readOnly).toMatchObject({ id: key, writable: false, uuid: null })
    expect(readOnly).toMatchObject({ pingUrl: null, integrationIds: null })
    const url = `https://hc.example.org/api/v3/checks/${uuid}`
    expect(readDetails({ uuid: undefined, update_url: url })).toMatchObject({ id: key, uuid })
  })

  test('shares equal tags and schedules with other checks, and nothing else', () => {
    const one = read()
    const other = read({ uuid: uuid.replace('0c8b', '1c8b'), name: 'other' })
    expect(other?.tags).toBe(one?.tags)
    expect(other?.schedule).toBe(one?.schedule)
    expect(read({ tags: 'prod' })?.tags).toEqual(['prod'])
    const cron = { timeout: undefined, schedule: '0 3 * * *' }
    expect(read({ ...cron, tz: 'Europe/Riga' })?.schedule).toEqual({
      kind: 'cron',
      expression: '0 3 * * *',
      zone: 'Europe/Riga',
    })
    expect(read({ ...cron, tz: 'UTC' })?.schedule).toMatchObject({ zone: 'UTC' })
  })

  test('has a ping address on any host, but none that could be something else', () => {
    const pingUrl = `https://hc-ping.com/${uuid}`
    expect(readDetails({ ping_url: pingUrl })?.pingUrl).toBe(pingUrl)
    expect(readDetails({ ping_url: `${pingUrl}/fail` })?.pingUrl).toBeNull()
    expect(readDetails({ ping_url: `file:///${uuid}` })?.pingUrl).toBeNull()
  })

  test('without an id or without a schedule is unreadable', () => {
    expect(read({ uuid: undefined })).toBeNull()
    expect(read({ timeout: undefined })).toBeNull()
  })

  test.each([
    ['0 3 * * *', 'cron'],
    ['Mon..Fri 9:00', 'onCalendar'],
    ['*-*-* 1:00\n*-*-* 2:00 UTC', 'onCalendar'],
  ])('with the schedule %o is of kind %s', (schedule, kind) => {
    const check = read({ timeout: undefined, schedule, tz: 'Europe/Berlin' })
    expect(check?.schedule).toEqual({ kind, expression: schedule, zone: 'Europe/Berlin' })
  })

  test('with an unrecognised status counts as unknown and keeps the original word', () => {
    expect(read({ status: 'snoozed' })).toMatchObject({ status: 'unknown', rawStatus: 'snoozed' })
  })

  test('that says "started" (from a server below a path) is never up without the server’s time', () => {
    expect(read({ status: 'started' })).toMatchObject({ status: 'unknown', started: true })
    expect(read({ status: 'started', next_ping: null })).toMatchObject({
      status: 'down',
      started: true,
    })
  })
})

describe('the start of an outage', () => {
  const down = { status: 'down', next_ping: null }
  const deadline = at('15:10:00')

  test('is the deadline until the server has stored it', () => {
    expect(read({ status: 'down' })?.since).toBe(deadline)
    expect(read({ status: 'down', timeout: undefined, schedule: '0 15 * * *' })?.since).toBe(
      deadline,
    )
  })

  test('is the deadline for a check with a period once it has passed', () => {
    expect(read(down, deadline + minute)?.since).toBe(deadline)
  })

  test('is null for a failure before the deadline, for a cron schedule, and without a clock', () => {
    expect(read(down, deadline - minute)?.since).toBeNull()
    const cron = { ...down, timeout: undefined, schedule: '0 15 * * *' }
    expect(read(cron, deadline + minute)?.since).toBeNull()
    expect(read(down)?.since).toBeNull()
  })
})

describe('a list of checks', () => {
  test('is read completely, except for unreadable items', () => {
    const items = [
      wire,
      null,
      { name: 'no status' },
      { ...wire, grace: 'long' },
      { ...wire, new: 1 },
    ]
    const { checks, unreadable } = readChecks(items, uniqueKeyOf)
    expect([checks.length, unreadable]).toEqual([2, 3])
  })

  test('from the demo server is read without loss with either key', () => {
    const project = createProject({
      baseUrl: 'https://hc.example.org',
      name: 'ops',
      readWriteKey: 'w'.repeat(32),
      readOnlyKey: 'r'.repeat(32),
      now: () => at('14:25:00'),
      seed: 1,
      checks: opsChecks,
      integrations: opsIntegrations,
    })
    const listed = (apiKey: string) => {
      const headers = { 'x-api-key': apiKey }
      const url = 'https://hc.example.org/api/v3/checks/'
      const { body } = project.handle({ method: 'GET', url, headers, body: null })
      const reply = JSON.parse(new TextDecoder().decode(body)) as { checks: unknown[] }
      return readChecks(reply.checks, uniqueKeyOf, at('14:25:00'))
    }
    const full = listed('w'.repeat(32))
    const reduced = listed('r'.repeat(32))
    expect([full.unreadable, reduced.unreadable]).toEqual([0, 0])
    expect(full.checks).toHaveLength(opsChecks.length)
    expect(reduced.checks).toEqual(full.checks.map((check) => ({ ...check, writable: false })))
  })
})

describe('the history', () => {
  test('of pings keeps unrecognised kinds and counts unreadable pings', () => {
    const date = '2026-03-17T14:00:00.500000+00:00'
    const pings = [
      { type: 'success', date, n: 2, rid: null, body_url: 'https://…/2/body', duration: 0 },
      { type: 'nudge', date, n: null },
      { type: 'ign', date: 'soon' },
    ]
    const { items, unreadable } = readPings({ pings })
    expect(items).toMatchObject([
      { kind: 'success', n: 2, at: at('14:00:00.500'), hasBody: true, durationSeconds: 0 },
      { kind: 'unknown', rawKind: 'nudge', n: null, hasBody: false, durationSeconds: null },
    ])
    expect(unreadable).toBe(1)
  })

  test('of flips keeps the order in which they happened, whatever their dates, from an object or a bare list', () => {
    const flips = [
      { timestamp: '2026-03-17T14:00:00+00:00', up: 1 },
      { timestamp: '2026-03-17T12:00:00+00:00', up: 0 },
      { up: 1 },
      { timestamp: '2026-03-17T13:00:00+00:00', up: 1 },
    ]
    const expected = {
      items: [
        { at: at('14:00:00'), up: true },
        { at: at('12:00:00'), up: false },
        { at: at('13:00:00'), up: true },
      ],
      unreadable: 1,
    }
    expect(readFlips({ flips })).toEqual(expected)
    expect(readFlips(flips)).toEqual(expected)
  })

  test('of integrations follows the same rules', () => {
    const channels = [{ id: 'a', name: '', kind: 'carrier-pigeon' }, { name: 'no id' }]
    expect(readIntegrations({ channels })).toEqual({
      items: [{ id: 'a', name: '', kind: 'carrier-pigeon' }],
      unreadable: 1,
    })
  })
})
