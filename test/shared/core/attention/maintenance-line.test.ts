import { describe, expect, test, vi } from 'vitest'
import {
  likelyScope,
  maintenancePlace,
  maintenanceScopes,
  maintenanceText,
  readMaintenance,
  tagsOf,
} from '../../../../src/shared/core/attention/maintenance/maintenance.ts'
import * as eg from '../../../support/eg.ts'
import { seeded } from '../../../support/seeded.ts'

describe('a maintenance typed as one line', () => {
  const backup = eg.check({ id: 'b'.repeat(40), name: 'db-backup', tags: ['prod', 'db'] })
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
    ['#db 20 : disk', 20, tag, 'disk'],
    ['#db 1 min', 1, tag, ''],
    ['#db for 30 d', 30 * 24 * 60, tag, ''],
    [`#db 20: ${'x'.repeat(200)}`, 20, tag, 'x'.repeat(200)],
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
    ['#db for 30 s', 'It must last at least a minute.'],
    ['#db for 31 d', 'It can last at most 30 days.'],
    [`#db 20: ${'x'.repeat(201)}`, 'The reason is too long: 200 characters at most.'],
  ])('%j is answered with what to correct', (text, problem) => {
    expect(read(text)).toEqual({ problem })
  })

  test('is for what was chosen where several share a name, else for the one of exactly that name', () => {
    const also = eg.account({ id: 'web', label: 'Web' })
    const twin = eg.check({ name: 'db-backup', tags: ['DB'] })
    const several = {
      ...state,
      accounts: [...state.accounts, also],
      boards: new Map([...state.boards, [also.id, eg.board([twin], { accountId: also.id })]]),
    }
    const name = 'db-backup'
    const scope = { of: 'check', accountId: also.id, checkId: twin.id } as const
    expect(readMaintenance(`${name} 20`, several, eg.now)).toEqual({
      problem: '2 checks are named db-backup: press m on the one you mean.',
    })
    const meant = readMaintenance(`${name} 20`, several, eg.now, { scope, name })
    expect(meant).toMatchObject({ scope })
    for (const exact of ['db', 'DB'])
      expect(readMaintenance(`#${exact} 20`, several, eg.now)).toMatchObject({
        scope: { of: 'tag', tag: exact },
      })
  })

  test('is offered for the tags in trouble first, then for those with most checks, then for projects', () => {
    const other = eg.account({ id: 'web', label: 'Web' })
    const one = (tags: string[], status: 'up' | 'down' = 'up') => eg.check({ tags, status })
    const list = [one(['a', 'b']), one(['c', 'd']), one(['d', 'a'], 'down')]
    const offered = (...changed: typeof list) => {
      const boards = new Map([
        [eg.opsId, eg.board([...list, ...changed])],
        [other.id, eg.board([one(['b', 'd']), one(['b'])], { accountId: other.id })],
      ])
      const accounts = [eg.account(), other]
      return maintenanceScopes({ ...state, accounts, boards }).map(({ name }) => name)
    }
    const projects = [label, 'Web']
    const up = one(['c'])
    expect(offered(up)).toEqual(['#d', '#a', '#b', '#c', ...projects])
    // The same checks, one of them down now, and another tag in trouble.
    expect(offered({ ...up, status: 'down' })).toEqual(['#d', '#a', '#c', '#b', ...projects])
  })

  test('is suggested for the tag with the fewest checks, or for a check without a tag', () => {
    expect(likelyScope(state, { accountId: eg.opsId, check: backup })).toEqual({
      name: '#db',
      scope: tag,
    })
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
    const [unruled = backup] = others
    const both = [{ accountId: eg.opsId, check: unruled }, own]
    expect(maintenancePlace(ruled, plan, both)).toEqual(maintenancePlace(ruled, plan, [own]))
    expect(maintenancePlace(ruled, plan, [])).toBeNull()
    expect(maintenanceText({ ...plan, reason: '' })).toBe(
      'Maintenance of `#db` until <time:2026-03-17T14:45:00Z>.',
    )
    expect(maintenanceText({ ...plan, name: '#a`@all' })).toBe(
      'Maintenance of `#aʼ@\u200ball` until <time:2026-03-17T14:45:00Z>: **disk**',
    )
  })
})
