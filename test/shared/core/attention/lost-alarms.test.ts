import { describe, expect, test } from 'vitest'
import type { AttentionContext } from '../../../../src/shared/core/attention/decision.ts'
import type { Notice } from '../../../../src/shared/core/attention/notice.ts'
import {
  type AttentionSettings,
  defaultAttention,
} from '../../../../src/shared/core/attention/rules.ts'
import { saysState } from '../../../../src/shared/core/attention/same-event.ts'
import {
  calm,
  checkEvent,
  facts,
  messageEvent,
  minute,
  newsOf,
  rule,
  running,
  second,
  silence,
  start,
} from '../../../support/attention-eg.ts'

const hour = 60 * minute

function under(settings: Partial<AttentionSettings>): AttentionContext {
  return { ...calm, settings: { ...defaultAttention, ...settings } }
}

const { ways } = defaultAttention

const flip = (kind: 'down' | 'recovered', at: number, name = 'db', tags: string[] = []) =>
  checkEvent({ kind, at, checkId: name, tags })

const said = (at: number, messageId: number, text: string, checkId?: string) =>
  messageEvent({
    ...{ at, messageId, text, key: 'topic/5/alerts', topic: 'alerts' },
    isBot: checkId !== undefined,
    ...(checkId === undefined ? {} : { news: newsOf(checkId) }),
    chat: { notify: true, sound: true },
  })

const everything = silence({ how: 'mute', scope: { of: 'everything' }, label: 'Do not disturb' })

const titles = (popUps: readonly Notice[]) => popUps.map(({ title }) => title)

describe('An alarm', () => {
  test('is not suppressed by a bot’s message that only went to the list', () => {
    const engine = running(under({ ways: { ...ways, message: 'tray' } }))
    engine.at(start, [said(start, 1, 'db is DOWN', 'db')])
    expect(engine.popUps).toEqual([])
    engine.at(start + 20 * second, [flip('down', start + 20 * second)])
    expect(titles(engine.popUps)).toEqual(['db down'])
  })

  test('with sound is not suppressed by a bot’s message without sound', () => {
    const silent = { ...said(start, 1, 'db is DOWN', 'db'), chat: { notify: true, sound: false } }
    const events = [silent, flip('down', start + 20 * second)]
    const heard = running()
    for (const event of events) heard.at(event.at, [event])
    expect(heard.popUps.map(({ sound }) => sound)).toEqual([false, true])
    const muted = running({ ...calm, sounds: false })
    for (const event of events) muted.at(event.at, [event])
    expect(muted.popUps).toHaveLength(1)
  })

  test('that breaks through quiet hours is not suppressed by a message that they hold back', () => {
    const night = under({
      quietHours: {
        enabled: true,
        zone: 'UTC',
        windows: [{ days: [0, 1, 2, 3, 4, 5, 6], from: '00:00', to: '23:59' }],
        exceptTags: ['critical'],
        exceptPeople: [],
      },
    })
    const engine = running(night)
    engine.at(start, [said(start, 1, 'db is DOWN', 'db')])
    engine.at(start + 20 * second, [flip('down', start + 20 * second, 'db', ['critical'])])
    expect(titles(engine.popUps)).toEqual(['db down'])
  })

  test('of a second outage is not suppressed by the message of the first, if recoveries are not notified', () => {
    const engine = running(under({ ways: { ...ways, recovered: 'nothing' } }))
    engine.at(start, [flip('down', start)])
    engine.at(start + 5 * second, [said(start + 5 * second, 1, 'db is DOWN', 'db')])
    engine.at(start + 30 * second, [flip('recovered', start + 30 * second)])
    engine.at(start + 60 * second, [flip('down', start + 60 * second)])
    expect(titles(engine.popUps)).toEqual(['db down', 'db down'])
  })

  test("is not mistaken for that of a check whose name begins with this check's name", () => {
    const engine = running()
    engine.at(start, [said(start, 1, 'API gateway is DOWN', 'API gateway')])
    engine.at(start + 20 * second, [flip('down', start + 20 * second, 'API')])
    expect(titles(engine.popUps)).toContain('API down')
  })

  test("is not delayed by yesterday's storm", () => {
    const engine = running()
    const names = Array.from({ length: 8 }, (_, i) => `c${i}`)
    for (const [i, name] of names.entries()) engine.at(start + i, [flip('down', start + i, name)])
    engine.wakeUntil(start + hour)
    const tomorrow = start + 24 * hour
    engine.popUps.splice(0)
    engine.at(tomorrow, [flip('down', tomorrow, 'one')])
    engine.at(tomorrow + 15 * second, [flip('down', tomorrow + 15 * second, 'two')])
    expect(titles(engine.popUps)).toEqual(['one down', 'two down'])
  })

  test("sounds, and a storm's held alarms are released, after the clock is set back by two hours", () => {
    const engine = running()
    for (let i = 0; i < 8; i += 1) engine.at(start + i, [flip('down', start + i, `c${i}`)])
    engine.popUps.splice(0)
    const back = start - 2 * hour
    engine.at(back, [])
    engine.wakeUntil(back + 6 * minute)
    expect(titles(engine.popUps)).toEqual(['5 checks down in ops'])
    engine.at(back + 20 * minute, [flip('down', back + 20 * minute, 'next')])
    expect(engine.popUps.at(-1)).toMatchObject({ title: 'next down', sound: true })
  })

  test('with a delay comes on time after the clock is set back by two hours', () => {
    const engine = running(under({ afterMinutes: 10 }))
    engine.at(start, [flip('down', start)])
    const back = start - 2 * hour
    engine.at(back, [])
    engine.wakeUntil(back + 11 * minute)
    expect(titles(engine.popUps)).toEqual(['db down'])
  })

  test('that came before the present time of a clock that was set back comes no later for that', () => {
    const engine = running(under({ afterMinutes: 10 }))
    engine.at(start, [flip('down', start)])
    engine.at(start + 9 * minute, [flip('down', start + 9 * minute, 'web')])
    engine.at(start + 4 * minute, [])
    engine.wakeUntil(start + 10 * minute)
    expect(titles(engine.popUps)).toEqual(['db down'])
    engine.wakeUntil(start + 14 * minute)
    expect(titles(engine.popUps)).toEqual(['db down', 'web down'])
  })

  test('that a storm holds back waits five minutes at most after the clock is set back', () => {
    const onGateway = {
      scope: { of: 'tag', tag: 'site-a' },
      except: [],
      overAt: 0,
      reads: [],
    } as const
    const out = { ...calm, dependencies: [{ ...onGateway, why: 'gateway is down' }] }
    const engine = running()
    engine.at(start, [flip('down', start, 'db', ['site-a'])], out)
    const later = start + hour
    for (const name of ['a', 'b', 'c']) engine.at(later, [flip('down', later, name)], out)
    engine.at(later, [])
    expect(titles(engine.popUps)).toEqual(['a down', 'b down', 'c down'])
    const back = start + 30 * minute
    engine.at(back, [])
    expect(engine.wakeAt()).toBe(back + 5 * minute)
    engine.wakeUntil(back + 5 * minute)
    expect(titles(engine.popUps).slice(3)).toEqual(['db down'])
  })

  test('of a flapping check comes within five minutes after the clock is set back, as flapping', () => {
    const engine = running()
    for (let i = 0; i < 3; i += 1)
      engine.at(start + i * second, [flip(i % 2 === 0 ? 'down' : 'recovered', start + i * second)])
    expect(titles(engine.popUps)).toEqual(['db down', 'db recovered'])
    const back = start - 2 * hour
    engine.at(back, [])
    engine.at(back + minute, [flip('recovered', back + minute)])
    engine.at(back + 2 * minute, [flip('down', back + 2 * minute)])
    expect(engine.popUps).toHaveLength(2)
    engine.wakeUntil(back + 7 * minute)
    expect(titles(engine.popUps).slice(2)).toEqual(['db is flapping: 3 changes, now down'])
    const again = back - 2 * hour
    engine.at(again, [])
    engine.at(again + minute, [flip('recovered', again + minute)])
    expect(engine.popUps).toHaveLength(3)
  })

  test('of a digest is told of once though the clock is set back after that', () => {
    const engine = running()
    const quiet = { ...calm, systemQuiet: true }
    engine.at(start, [flip('down', start), flip('down', start, 'web')], quiet)
    engine.at(start + minute, [])
    engine.at(start - hour, [])
    engine.wakeUntil(start + hour)
    expect(engine.popUps.map(({ kind }) => kind)).toEqual(['digest'])
  })

  test.each([
    ['known by when it began', facts(start, start + 4 * minute)],
    [
      'known by the failure that its job reported',
      {
        ...facts(start, start + 4 * minute),
        since: null,
        cause: { kind: 'failed' as const, at: start, line: null },
      },
    ],
  ])(
    'with a delay comes once the outage has lasted so long, whenever it was first read (%s)',
    (_by, body) => {
      const engine = running(under({ afterMinutes: 5 }))
      engine.at(start + 4 * minute, [{ ...flip('down', start + 4 * minute), body }])
      engine.wakeUntil(start + 5 * minute - second)
      expect(engine.popUps).toEqual([])
      engine.at(start + 7 * minute, [flip('recovered', start + 7 * minute)])
      expect(titles(engine.popUps)).toEqual(['db went down and came back'])
    },
  )

  test('with a delay comes if only the recovery knows for how long the outage lasted', () => {
    const engine = running(under({ afterMinutes: 5 }))
    const read = start + 100 * minute
    engine.at(read, [{ ...flip('down', read), body: { ...facts(start, read), since: null } }])
    const back = read + 26 * second
    engine.at(back, [{ ...flip('recovered', back), body: { ...facts(start, back), cause: null } }])
    expect(titles(engine.popUps)).toEqual(['db went down and came back'])
  })

  test('with a delay follows a change of the rules', () => {
    const engine = running(under({ afterMinutes: 60 }))
    engine.at(start, [flip('down', start)])
    engine.at(start + 5 * minute, [], under({ afterMinutes: 10 }))
    engine.wakeUntil(start + 11 * minute, under({ afterMinutes: 10 }))
    expect(titles(engine.popUps)).toEqual(['db down'])
    expect(engine.popUps[0]?.reasons.at(-1)?.text).toBe('It has been down for 10 min.')
  })

  test('of the evening is in the digest of a night with a thousand messages', () => {
    const disturb: AttentionContext = { ...calm, silences: [everything] }
    const engine = running(disturb)
    engine.at(start, [flip('down', start)])
    const chatter = Array.from({ length: 1_200 }, (_, i) => said(start + second, i, 'hm'))
    engine.at(start + second, chatter)
    engine.at(start + hour, [], calm)
    expect(engine.popUps.at(-1)?.body).toContain('down: db')
  })
})

describe('An outage that was over when the check was read after a start', () => {
  const unread = { unread: ['ops'] }
  const back = start + 4 * hour
  const over = flip('recovered', back)

  test.each(['banner', 'nothing'] as const)(
    'is not told as an alarm whose time came meanwhile, but as past (recoveries: %s)',
    (recovered) => {
      const context = under({ afterMinutes: 10, ways: { ...ways, recovered } })
      const engine = running(context)
      engine.at(start, [flip('down', start)])
      engine.at(back, [], { ...context, ...unread })
      engine.at(back, [over])
      engine.wakeUntil(back + hour)
      expect(engine.popUps.map(({ title, sound }) => [title, sound])).toEqual([
        ['db went down and came back', false],
      ])
      expect(engine.listed.find(({ kind }) => kind === 'down')?.outcome).toBe('silent')
    },
  )

  test('is not repeated once more', () => {
    const context = under({ rules: [rule({ kinds: ['down'], repeatMinutes: 10 })] })
    const engine = running(context)
    engine.at(start, [flip('down', start)])
    engine.at(back, [], { ...context, ...unread })
    engine.at(back, [over])
    expect(titles(engine.popUps)).toEqual(['db down', 'db recovered'])
  })
})

describe('A held-back notification of a check', () => {
  test.each(['nothing', 'tray'] as const)(
    'is told as past when the check recovers, even if recoveries are set to “%s”',
    (recovered) => {
      const engine = running(under({ ways: { ...ways, recovered } }))
      for (let i = 0; i < 8; i += 1) engine.at(start + i, [flip('down', start + i, `c${i}`)])
      for (let i = 0; i < 8; i += 1)
        engine.at(start + second + i, [flip('recovered', start + second + i, `c${i}`)])
      engine.wakeUntil(start + hour)
      expect(titles(engine.popUps).slice(3)).toEqual(['5 checks went down and recovered in ops'])
    },
  )

  test('is past in the digest after the check recovers, even if recoveries are not notified', () => {
    const settings = { ...defaultAttention, ways: { ...ways, recovered: 'nothing' as const } }
    const engine = running({ ...calm, settings, systemQuiet: true })
    engine.at(start, [flip('down', start)])
    engine.at(start + second, [flip('down', start + second, 'web')])
    engine.at(start + minute, [flip('recovered', start + minute)])
    engine.at(start + hour, [], { ...calm, settings })
    expect(engine.popUps.at(-1)?.body).toBe('1 check down, 1 went down and recovered · down: web')
  })

  test('by a maintenance is told once when the check comes back as it ends', () => {
    const until = { kind: 'time', at: start + hour } as const
    const held = { ...calm, silences: [silence({ how: 'maintenance', status: null, until })] }
    const engine = running(held)
    engine.at(start, [flip('down', start)])
    // Belfry did not run at its end, and reads the check after that: the app ends it with this step.
    engine.at(start + 2 * hour, [flip('recovered', start + 2 * hour)], held)
    engine.at(start + 2 * hour, [], calm)
    expect(engine.popUps.map(({ title, body }) => [title, body])).toEqual([
      ['db went down and came back', ''],
    ])
  })

  test('by a maintenance, and then by the quiet, is told once in one of their digests', () => {
    const held = { ...calm, silences: [silence({ how: 'maintenance', status: null })] }
    const over = silence({ how: 'maintenance', status: null, until: { kind: 'time', at: start } })
    // It is kept until all of its projects are read.
    const kept = { ...calm, silences: [over] }
    const engine = running(kept)
    engine.at(start, [flip('down', start)], held)
    const back = start + minute
    engine.at(back, [flip('recovered', back)], { ...kept, systemQuiet: true })
    engine.at(back + minute, [])
    engine.at(back + hour, [], calm)
    expect(engine.popUps.map(({ title, body }) => [title, body])).toEqual([
      ['db went down and came back', ''],
    ])
  })

  test('by the quiet is not down in the digest, nor in a later one, after its recovery was told', () => {
    const quiet = { ...calm, systemQuiet: true }
    const excepted = { ...defaultAttention.quietHours, exceptTags: ['critical'] }
    const nowExcepted = { ...under({ quietHours: excepted }), silences: [everything] }
    const engine = running(quiet)
    engine.at(start, [flip('down', start)], { ...calm, silences: [everything] })
    engine.at(start, [flip('down', start, 'web')], { ...calm, silences: [everything] })
    const back = start + minute
    engine.at(back, [flip('recovered', back, 'web', ['critical'])], nowExcepted)
    engine.at(back, [], calm)
    expect(titles(engine.popUps)).toEqual(['web went down and came back', 'db down'])
    engine.at(back + second, [flip('recovered', back + second)], calm)
    engine.at(back + minute, [flip('down', back + minute, 'late')], quiet)
    engine.at(back + hour, [], calm)
    expect(engine.popUps.at(-1)?.body).toBe('1 check down, 1 went down and recovered · down: late')
  })

  test.each(['quiet', 'maintenance'])('during %s is dropped when the check is paused', (by) => {
    const held =
      by === 'quiet'
        ? { ...calm, systemQuiet: true }
        : { ...calm, silences: [silence({ how: 'maintenance', status: null })] }
    const engine = running(held)
    engine.at(start, [flip('down', start)])
    engine.at(start + minute, [], held, ['ops/check/db'])
    engine.at(start + hour, [], calm)
    expect(engine.popUps).toEqual([])
  })

  test('that says “late”, held back by a storm, is dropped when the check is pinged', () => {
    const settings = { ...defaultAttention, ways: { ...ways, late: 'banner' as const } }
    const engine = running({ ...calm, settings })
    for (let i = 0; i < 3; i += 1) engine.at(start + i, [flip('down', start + i, `c${i}`)])
    engine.at(start + second, [checkEvent({ kind: 'late', at: start + second })])
    engine.at(start + 2 * second, [], { ...calm, settings }, ['ops/check/db'])
    engine.wakeUntil(start + hour, { ...calm, settings })
    expect(engine.popUps).toHaveLength(3)
  })

  test('that is for the icon only is in no digest', () => {
    const engine = running()
    engine.at(start, [checkEvent({ kind: 'late', at: start })], { ...calm, systemQuiet: true })
    engine.at(start + hour, [])
    const away = { from: start, to: start + hour }
    engine.at(start + hour, [checkEvent({ kind: 'late', at: start + hour })], { ...calm, away })
    engine.at(start + hour + minute, [])
    expect(engine.popUps).toEqual([])
    expect(engine.listed.map(({ outcome }) => outcome)).toEqual(['tray', 'tray'])
  })

  test('for flapping ends with the current state', () => {
    const engine = running(under({ ways: { ...ways, recovered: 'tray' } }))
    for (let i = 0; i < 6; i += 1) {
      const at = start + i * 20 * second
      engine.at(at, [flip(i % 2 === 0 ? 'down' : 'recovered', at)])
    }
    engine.wakeUntil(start + hour)
    expect(engine.popUps.at(-1)?.title).toMatch(/flapping: 2 changes, now up/)
  })
})

describe('The list of notices', () => {
  test('has unique ids, even for what was held back and listed twice', () => {
    const engine = running()
    for (let i = 0; i < 4; i += 1) engine.at(start + i, [flip('down', start + i, `c${i}`)])
    engine.wakeUntil(start + hour)
    const quiet = { ...calm, systemQuiet: true }
    engine.at(start + 2 * hour, [flip('down', start + 2 * hour, 'night')], quiet)
    engine.at(start + 3 * hour, [])
    const ids = engine.listed.map(({ id }) => id)
    expect(engine.popUps).toHaveLength(5)
    expect(new Set(ids).size).toBe(ids.length)
  })
})

describe('A bot’s words', () => {
  test.each([
    ['db backup is DOWN', 'db', 'down', false],
    ['nightly db is DOWN', 'db', 'down', false],
    ['API 2 is DOWN', 'API', 'down', false],
    ['db is UP (was DOWN for 5 min)', 'db', 'down', false],
    ['db is UP (was DOWN for 5 min)', 'db', 'up', true],
    ['db changed from UP to DOWN', 'db', 'down', true],
    ['🔴 The check “db” has gone DOWN.', 'db', 'down', true],
    ['Project ops, check [db]: status is now down', 'db', 'down', true],
    ['db: DOWN', 'db', 'down', true],
    ['**db** is still DOWN', 'db', 'down', true],
    ['db is not DOWN', 'db', 'down', false],
  ] as const)('%j mean that %s is %s: %s', (text, name, state, says) => {
    expect(saysState(text, name, state)).toBe(says)
  })

  test('about a thousand checks suppress none of a thousand others that go down', () => {
    const engine = running()
    engine.at(
      start,
      Array.from({ length: 1_000 }, (_, i) => said(start, i, `job-${i} is DOWN`, `job-${i}`)),
    )
    const at = start + second
    engine.at(
      at,
      Array.from({ length: 1_000 }, (_, i) => flip('down', at, `web-${i}`)),
    )
    expect(titles(engine.popUps)).toContain('1,000 checks down in ops')
  })
})
