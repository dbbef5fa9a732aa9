import { describe, expect, test, vi } from 'vitest'
import type { CheckEvent } from '../../../../src/shared/core/attention/event.ts'
import {
  likelyScope,
  maintenancePlace,
  maintenanceText,
  readMaintenance,
  tagsOf,
} from '../../../../src/shared/core/attention/maintenance/maintenance.ts'
import type { Notice } from '../../../../src/shared/core/attention/notice.ts'
import type { Scope, Silence } from '../../../../src/shared/core/attention/silence.ts'
import {
  calm,
  checkEvent,
  messageEvent,
  minute,
  newsOf,
  running,
  silence,
  start,
} from '../../../support/attention-eg.ts'
import * as eg from '../../../support/eg.ts'
import { type Seeded, seeded } from '../../../support/seeded.ts'

const db: Scope = { of: 'tag', tag: 'db' }

function maintenance(from: number, to: number, scope: Scope = db): Silence {
  return silence({
    id: `${JSON.stringify(scope)} ${from}`,
    how: 'maintenance',
    scope,
    until: { kind: 'time', at: to },
    since: from,
    label: scope.of === 'tag' ? `#${scope.tag}` : 'ops',
    status: null,
  })
}

const during = (...silences: Silence[]) => ({ ...calm, silences })

const flip = (kind: 'down' | 'recovered', at: number, checkId = 'db', tags = ['db']) =>
  checkEvent({ kind, at, checkId, tags })

const textOf = ({ title, body, lines }: Notice) => [title, body, ...lines.map((one) => one.text)]

describe('a maintenance', () => {
  test('whose digest has just said that a check is down leads to no reminder of that', () => {
    const engine = running()
    const on = during(maintenance(start, start + 20 * minute))
    engine.at(start + minute, [flip('down', start + minute)], on)
    engine.at(start + 20 * minute, [])
    const reminder = (at: number) => ({
      ...flip('down', at),
      isReminder: true as const,
      from: 'unknown' as const,
    })
    engine.at(start + 21 * minute, [reminder(start + 21 * minute)], on)
    engine.at(start + 22 * minute, [])
    expect(engine.popUps.map(({ body }) => body)).toEqual(['1 check down · down: db'])
    engine.at(start + 23 * minute, [reminder(start + 23 * minute)])
    expect(engine.popUps).toHaveLength(2)
  })

  test('leaves icon-only events out of its digest, unless they end an outage in it', () => {
    const settings = {
      ...calm.settings,
      ways: { ...calm.settings.ways, recovered: 'tray' as const },
    }
    const engine = running({ ...calm, settings })
    const on = { ...during(maintenance(start, start + 20 * minute)), settings }
    engine.at(start, [checkEvent({ kind: 'late', tags: ['db'] })], on)
    engine.at(start + 20 * minute, [])
    expect(engine.popUps).toEqual([])
    engine.at(start + minute, [flip('down', start + minute)], on)
    engine.at(start + 2 * minute, [flip('recovered', start + 2 * minute)], on)
    engine.at(start + 20 * minute, [])
    expect(engine.popUps.map(({ body }) => body)).toEqual(['1 went down and recovered'])
  })

  test('is quiet while it lasts and ends with one digest, with sound for what is still down', () => {
    const engine = running()
    const on = during(maintenance(start, start + 20 * minute))
    engine.at(start + minute, [flip('down', start + minute)], on)
    engine.at(start + 2 * minute, [flip('down', start + 2 * minute, 'db-2')], on)
    engine.at(start + 8 * minute, [flip('recovered', start + 8 * minute, 'db-2')], on)
    const news = { ...newsOf('db'), tags: ['db'] }
    const bot = messageEvent({ at: start + 9 * minute, isBot: true, news, text: 'db is down' })
    engine.at(start + 9 * minute, [bot], on)
    expect(engine.popUps).toEqual([])
    expect(engine.listed.map(({ outcome }) => outcome)).toEqual(['tray', 'tray', 'tray', 'tray'])
    engine.at(start + 20 * minute, [])
    expect(engine.popUps).toHaveLength(1)
    const [digest] = engine.popUps
    expect(digest).toMatchObject({
      title: 'Maintenance of #db is over',
      kind: 'digest',
      sound: true,
    })
    expect(digest?.body).toContain('down: db')
    expect(digest?.lines).toHaveLength(3)
  })

  test('ends without sound if all is well again, and without a digest if nothing happened', () => {
    const engine = running()
    const on = during(maintenance(start, start + 20 * minute))
    engine.at(start + minute, [flip('down', start + minute)], on)
    engine.at(start + 9 * minute, [flip('recovered', start + 9 * minute)], on)
    engine.at(start + 20 * minute, [])
    expect(engine.popUps.map(({ sound, body }) => [sound, body])).toEqual([
      [false, '1 went down and recovered'],
    ])
    engine.at(start + 30 * minute, [], during(maintenance(start, start + 60 * minute)))
    engine.at(start + 60 * minute, [])
    expect(engine.popUps).toHaveLength(1)
  })

  test('gets the reminder about what was already down, rather than a notification of its own', () => {
    const engine = running()
    const over = during(maintenance(start, start + 20 * minute))
    const still: CheckEvent = {
      ...flip('down', start + 20 * minute),
      title: 'db is still down',
      isReminder: true,
      from: 'unknown',
    }
    engine.at(start + 20 * minute, [still], over)
    expect(engine.popUps).toEqual([])
    engine.at(start + 20 * minute, [])
    expect(engine.popUps.map(textOf)).toEqual([
      ['Maintenance of #db is over', '1 check down · down: db', 'db is still down'],
    ])
  })

  test('that begins during a storm keeps for its digest what the storm held back', () => {
    const engine = running()
    for (let i = 0; i < 5; i += 1) engine.at(start + i, [flip('down', start + i, `db${i}`)])
    engine.at(start + 5, [flip('recovered', start + 5, 'db0')])
    expect(engine.popUps).toHaveLength(3)
    const on = during(maintenance(start + 6, start + 20 * minute))
    engine.at(start + 6, [], on)
    engine.wakeUntil(start + 19 * minute, on)
    expect(engine.popUps).toHaveLength(3)
    engine.at(start + 20 * minute, [])
    expect(engine.popUps.at(-1)?.body).toBe('2 checks down, 1 recovered · down: db3 and db4')
  })

  test('that ends during quiet hours leaves what it held back to their digest', () => {
    const engine = running()
    const dnd = silence({ id: 'dnd', how: 'mute', scope: { of: 'everything' } })
    engine.at(start, [flip('down', start)], during(maintenance(start, start + 20 * minute)))
    engine.at(start + 20 * minute, [], during(dnd))
    expect(engine.popUps).toEqual([])
    engine.at(start + 60 * minute, [])
    expect(engine.popUps.map(({ title }) => title)).toEqual(['db down'])
  })

  /** What happens, minute by minute, and what a person would expect to be notified about. */
  function generated(random: Seeded) {
    const checks = ['a', 'b', 'c'].map((id, at) => ({
      id,
      // A slot of ten minutes for each change, so that neither storms nor flapping fold anything.
      tags: [['db'], ['db', 'web'], ['web']][at] ?? [],
      isDown: false,
    }))
    const scopes: [Scope, ...Scope[]] = [
      db,
      { of: 'tag', tag: 'web' },
      { of: 'project', accountId: 'ops' },
    ]
    const spans = Array.from({ length: random.whole(1, 4) }, () => {
      const from = start + random.whole(0, 20) * 10 * minute + 5 * minute
      return { from, to: from + random.whole(1, 9) * 10 * minute, scope: random.pick(scopes) }
    })
    const changes = Array.from({ length: 30 }, (_, slot) => {
      const check = random.pick(checks as [(typeof checks)[0], ...typeof checks])
      check.isDown = !check.isDown
      const at = start + slot * 10 * minute
      return { at, check, kind: check.isDown ? ('down' as const) : ('recovered' as const) }
    })
    return { spans, changes, checks }
  }

  type Case = ReturnType<typeof generated>

  const covers = (scope: Scope, { tags }: Case['checks'][number]) =>
    scope.of === 'project' || (scope.of === 'tag' && tags.includes(scope.tag))

  function played({ spans, changes }: Case) {
    const engine = running()
    // A new maintenance replaces the one with the same scope, as in the app.
    const openAt = (now: number) =>
      [...Map.groupBy(spans, ({ scope }) => JSON.stringify(scope)).values()].flatMap((same) => {
        const [last] = same.filter(({ from }) => from <= now).sort((a, b) => b.from - a.from)
        return last !== undefined && now < last.to
          ? [maintenance(last.from, last.to, last.scope)]
          : []
      })
    const shown: { at: number; texts: string[] }[] = []
    for (let now = start; now <= start + 400 * 10 * minute; now += 5 * minute) {
      const events = changes
        .filter(({ at }) => at === now)
        .map(({ at, check, kind }) => flip(kind, at, check.id, check.tags))
      const before = engine.popUps.length
      engine.at(now, events, during(...openAt(now)))
      for (const one of engine.popUps.slice(before)) shown.push({ at: now, texts: textOf(one) })
    }
    return { shown, openAt }
  }

  test('hides nothing for good and shows nothing early, in 300 generated days', () => {
    let held = 0
    for (let seed = 0; seed < 300; seed += 1) {
      const it = generated(seeded(seed))
      const { shown, openAt } = played(it)
      const quietAt = (check: Case['checks'][number], at: number) =>
        openAt(at).some(({ scope }) => covers(scope, check))
      for (const { at, check, kind } of it.changes) {
        const words = `${check.id} ${kind}`
        const now = shown.filter((one) => one.at === at && one.texts[0] === words)
        if (!quietAt(check, at)) {
          expect(now, `${words} in ${seed}`).toHaveLength(1)
          continue
        }
        held += 1
        expect(now, `${words} in ${seed}`).toEqual([])
        // The first moment without a silence: that digest includes the check.
        let over = at
        while (quietAt(check, over)) over += 5 * minute
        const digests = shown.filter(
          ({ at: when, texts }) =>
            when === over &&
            texts[0]?.endsWith('is over') &&
            texts.some((one) => one.startsWith(`${check.id} `)),
        )
        expect(digests, `${words} in ${seed}`).toHaveLength(1)
      }
    }
    // Control: something was held back.
    expect(held).toBeGreaterThan(1_000)
  })
})

describe('a maintenance typed as one line', () => {
  const backup = eg.check({ id: 'b'.repeat(40), name: 'db-backup', tags: ['db', 'prod'] })
  const others = [
    eg.check({ name: 'zone', tags: ['prod'] }),
    eg.check({ name: 'report 2', tags: [] }),
  ]
  const state = eg.state({
    accounts: [eg.account(), eg.chatAccount()],
    boards: new Map([[eg.opsId, eg.board([backup, ...others])]]),
    realms: new Map([[eg.chatId, eg.realm()]]),
  })
  const label = state.accounts[0]?.label ?? ''
  const read = (text: string) => readMaintenance(text, state, eg.now)
  const tag = { of: 'tag', tag: 'db' }

  test.each<[string, number, unknown, string]>([
    ['#db for 20 min', 20, tag, ''],
    ['#db 20', 20, tag, ''],
    ['#DB 1h 30min', 90, tag, ''],
    ['#db for 2 h: reindexing: part 2', 120, tag, 'reindexing: part 2'],
    ['  #db   for 20 min :  disk  ', 20, tag, 'disk'],
    ['#db for 1 h 30', 90, tag, ''],
    ['#db for 1 h 30: disk', 90, tag, 'disk'],
    ['#db for 2 h:30 disks', 120, tag, '30 disks'],
    [`${label} for 1 d`, 1440, { of: 'project', accountId: eg.opsId }, ''],
    ['db-backup 5m', 5, { of: 'check', accountId: eg.opsId, checkId: backup.id }, ''],
    ['report 2 20 min', 20, { of: 'check', accountId: eg.opsId, checkId: others[1]?.id }, ''],
  ])('%j lasts for %d minutes', (text, minutes, scope, reason) => {
    expect(read(text)).toMatchObject({ until: eg.now + minutes * eg.minute, scope, reason })
  })

  test.each([
    ['Europe/Berlin', '2026-10-25T00:45:00Z', '02:50', 5],
    ['Europe/Berlin', '2026-10-25T00:55:00Z', '02:50', 55],
    ['Europe/Berlin', '2026-10-25T01:45:00Z', '02:50', 5],
    ['Europe/Berlin', '2026-10-25T01:55:00Z', '02:50', 24 * 60 - 5],
    ['Europe/Berlin', '2026-10-24T23:45:00Z', '01:30', 25 * 60 - 15],
    ['Europe/Berlin', '2026-03-29T01:05:00Z', '01:50', 22 * 60 + 45],
    ['Australia/Lord_Howe', '2026-04-04T15:01:00Z', '01:35', 4],
  ])('ends by the clock in %s: at %s until %s lasts %i min', (zone, at, clock, minutes) => {
    vi.stubEnv('TZ', zone)
    const now = Date.parse(at)
    const plan = readMaintenance(`#db until ${clock}`, state, now)
    vi.unstubAllEnvs()
    expect('until' in plan && (plan.until - now) / eg.minute).toBe(minutes)
  })

  test.each([
    ['#db until tue 9:30', '2026-03-24T09:30', ''],
    ['#db until tomorrow 14: disk', '2026-03-18T14:00', 'disk'],
    ['#db until fri 8:15: moving: to 9:00', '2026-03-20T08:15', 'moving: to 9:00'],
  ])('%j ends at a time as typed anywhere else', (text, until, reason) => {
    const now = new Date('2026-03-17T14:25').getTime()
    expect(readMaintenance(text, state, now)).toMatchObject({
      until: new Date(until).getTime(),
      reason,
    })
  })

  test('ends by the clock, today or tomorrow', () => {
    const end = (text: string) => {
      const plan = read(text)
      return 'problem' in plan ? plan.problem : new Date(plan.until)
    }
    const today = new Date(eg.now)
    const later = `${String((today.getHours() + 1) % 24).padStart(2, '0')}:05`
    expect(end(`#db until ${later}: disk`)).toMatchObject({})
    for (const [text, minutes] of [
      [later, 5],
      ['0:00', 0],
    ] as const) {
      const at = end(`#db until ${text}`) as Date
      expect(at.getMinutes()).toBe(minutes)
      expect(at.getTime() - eg.now).toBeGreaterThan(0)
      expect(at.getTime() - eg.now).toBeLessThanOrEqual(25 * eg.hour)
    }
  })

  test.each([
    ['', 'Say what and for how long: “#db for 20 min”.'],
    ['#db', 'Say what and for how long: “#db for 20 min”.'],
    ['#db for ever', 'Say what and for how long: “#db for 20 min”.'],
    ['#db until 25:00', 'Say what and for how long: “#db for 20 min”.'],
    ['#nope for 20 min', 'No check is tagged #nope.'],
    ['nobody for 20 min', 'There is no tag, project or check “nobody”.'],
    ['#db for 0 min', 'It must last at least a minute.'],
    ['#db for 31 d', 'It can last at most 30 days.'],
    [`#db 20: ${'x'.repeat(201)}`, 'The reason is too long: 200 characters at most.'],
  ])('%j is answered with what to correct', (text, problem) => {
    expect(read(text)).toEqual({ problem })
  })

  test('is suggested for the tag with the fewest checks, or for a check without a tag', () => {
    expect(likelyScope(state, { accountId: eg.opsId, check: backup }).name).toBe('#db')
    const [, plain = backup] = others
    expect(likelyScope(state, { accountId: eg.opsId, check: plain })).toMatchObject({
      name: 'report 2',
      scope: { of: 'check' },
    })
  })

  test('counts the tags of each list as if it were the first', () => {
    const { chance, pick, whole } = seeded(20261128)
    const made = (at: number) =>
      eg.check({
        id: `check-${at}`,
        status: pick(['up', 'down', 'grace', 'paused']),
        tags: ['db', 'web', 'cron', `own-${whole(0, 9)}`].filter(() => chance(0.4)),
      })
    let checks = new Map(Array.from({ length: 40 }, (_, at) => [`check-${at}`, made(at)]))
    for (let turn = 0; turn < 200; turn += 1) {
      checks = new Map(checks)
      for (let times = whole(0, 6); times > 0; times -= 1) {
        const at = whole(0, 60)
        if (chance(0.3)) checks.delete(`check-${at}`)
        else checks.set(`check-${at}`, made(at))
      }
      // Without its checks, as a project that could not be read yet, now and then.
      if (chance(0.02)) checks.clear()
      const list = [...checks.values()]
      const names = new Set(list.flatMap(({ tags }) => tags))
      const expected = [...names].map((tag) => {
        const own = list.filter(({ tags }) => tags.includes(tag))
        const trouble = own.some(({ status }) => status === 'down' || status === 'grace')
        return [tag, { checks: own.length, trouble }] as const
      })
      const board = eg.board(list)
      const boards = new Map([[eg.opsId, { ...board, checks }]])
      expect(new Map(tagsOf({ ...state, boards }))).toEqual(new Map(expected))
    }
  })

  test('is announced in the conversation that the rules name, as inert text', () => {
    const rule = {
      id: 'r',
      accountId: null,
      checkId: null,
      tag: 'db',
      chatId: eg.chatId,
      channelId: 10,
    }
    const ruled = {
      ...state,
      settings: { ...state.settings, discuss: [{ ...rule, topic: 'work on {check}' }] },
    }
    const plan = readMaintenance('#db for 20 min: **disk**', ruled, eg.now)
    if ('problem' in plan) throw new Error(plan.problem)
    const own = { accountId: eg.opsId, check: backup }
    expect(maintenancePlace(ruled, plan, [own])?.conversation).toEqual({
      kind: 'topic',
      channelId: 10,
      topic: 'work on #db',
    })
    expect(maintenancePlace(state, plan, [own])).toBeNull()
    expect(maintenanceText({ ...plan, name: '#a`@all' })).toBe(
      'Maintenance of `#aʼ@\u200ball` until <time:2026-03-17T14:45:00Z>: **disk**',
    )
  })
})
