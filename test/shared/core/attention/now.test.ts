import { describe, expect, test } from 'vitest'
import { step } from '../../../../src/shared/core/attention/engine.ts'
import type { CheckEvent } from '../../../../src/shared/core/attention/event.ts'
import { emptyMemory } from '../../../../src/shared/core/attention/memory.ts'
import type { Notice } from '../../../../src/shared/core/attention/notice.ts'
import { defaultAttention } from '../../../../src/shared/core/attention/rules.ts'
import { clockWords } from '../../../../src/shared/core/time.ts'
import {
  calm,
  checkEvent,
  facts,
  messageEvent,
  minute,
  rule,
  running,
  second,
  silence,
  start,
} from '../../../support/attention-eg.ts'

const down = (at: number, checkId = 'db', change: Partial<CheckEvent> = {}) =>
  checkEvent({ at, checkId, ...change })
const up = (at: number, checkId = 'db') => checkEvent({ kind: 'recovered', at, checkId })
const names = (count: number, from = 0) => Array.from({ length: count }, (_, i) => `c${from + i}`)
const titles = (popUps: readonly Notice[]) => popUps.map(({ title }) => title)
const quiet = { ...calm, systemQuiet: true }

/** Down at two reads, and up between them. */
const again = (at: number, upForMs: number, checkId = 'db') =>
  down(at, checkId, { from: 'down', upForMs })

describe('a check that was up between two reads and is down again', () => {
  test.each([
    ['is told at once, as it was told to be down', calm],
    ['is told at once though it was acknowledged', { ...calm, silences: [acknowledged()] }],
  ])('%s', (_name, context) => {
    const engine = running()
    engine.at(start, [down(start)])
    engine.at(start + 2 * minute, [again(start + 2 * minute, 40 * second)], context)
    engine.wakeUntil(start + 60 * minute)
    expect(titles(engine.popUps)).toEqual([
      'db down',
      'db is down again (was up for at most 1 min)',
    ])
  })

  test('is just down if nobody was told that it was down before', () => {
    const engine = running()
    engine.at(start, [down(start)], quiet)
    engine.at(start + minute, [again(start + minute, 2 * second)], quiet)
    engine.at(start + 2 * minute, [])
    expect(titles(engine.popUps)).toEqual(['db is down'])
  })

  test('waits anew where short outages are ignored', () => {
    const context = { ...calm, settings: { ...defaultAttention, afterMinutes: 5 } }
    const engine = running(context)
    engine.at(start, [down(start)])
    engine.at(start + 4 * minute, [again(start + 4 * minute, 2 * second)])
    engine.wakeUntil(start + 8 * minute)
    expect(engine.popUps).toEqual([])
    engine.wakeUntil(start + 9 * minute)
    expect(titles(engine.popUps)).toEqual(['db is down'])
  })
})

test('A reminder that waits says nothing of a recovery if nobody was told of the outage', () => {
  const engine = running()
  const snoozed = { ...calm, silences: [silence({})] }
  engine.at(start, [down(start)], snoozed)
  const still = down(start + 20 * minute, 'db', { isReminder: true, from: 'unknown' })
  engine.at(start + 20 * minute, [still], quiet)
  engine.at(start + 25 * minute, [up(start + 25 * minute)], quiet)
  engine.at(start + 30 * minute, [])
  expect(titles(engine.popUps)).toEqual(['db went down and came back'])
})

describe('A silent reminder doesn’t take back that the user knows of the outage', () => {
  const nothing = { ...defaultAttention.ways, down: 'nothing' } as const
  const unasked = { ...calm, settings: { ...defaultAttention, ways: nothing } }
  const still = down(start + 20 * minute, 'db', { isReminder: true, from: 'unknown' })
  const ways = {
    'by the rules': () => {
      const engine = running()
      engine.at(start, [down(start)])
      engine.at(start + 20 * minute, [still], unasked)
      return engine
    },
    'by the rules as they are after quiet': () => {
      const engine = running()
      engine.at(start, [down(start)])
      engine.at(start + 20 * minute, [still], quiet)
      engine.at(start + 25 * minute, [], unasked)
      return engine
    },
    'by a snooze': () => {
      const engine = running()
      engine.at(start, [down(start)])
      engine.at(start + 20 * minute, [still], { ...calm, silences: [silence({})] })
      return engine
    },
  }
  test.each(Object.entries(ways))('%s', (_, engine) => {
    const { at, popUps } = engine()
    at(start + 30 * minute, [up(start + 30 * minute)], calm)
    expect(titles(popUps)).toEqual(['db down', 'db recovered'])
  })
})

test('What rules that changed meanwhile have told is known: its end is told, too', () => {
  const ways = { ...defaultAttention.ways, late: 'sound', down: 'nothing' } as const
  const unasked = { ...quiet, settings: { ...defaultAttention, ways } }
  const engine = running(unasked)
  const late = checkEvent({ kind: 'late', at: start, checkId: 'db' })
  engine.at(start, [late])
  engine.at(start + minute, [down(start + minute)])
  engine.at(start + 5 * minute, [], calm)
  engine.at(start + 20 * minute, [up(start + 20 * minute)], calm)
  expect(titles(engine.popUps)).toEqual(['db down', 'db recovered'])
})

describe('What waits, where recoveries are only to be on the icon,', () => {
  const ways = { ...defaultAttention.ways, recovered: 'tray' } as const
  const settings = { ...defaultAttention, ways }
  const told = (...changes: ((at: number) => CheckEvent)[]) => {
    const engine = running({ ...calm, settings })
    engine.at(start, [down(start)])
    const hushed = { ...quiet, settings }
    for (const [index, change] of changes.entries()) {
      const at = start + (index + 1) * 10 * minute
      engine.at(at, [change(at)], hushed)
    }
    engine.at(start + 2 * 60 * minute, [], { ...calm, settings })
    return titles(engine.popUps).slice(1)
  }
  test('is not told if it is the end of an outage that was told', () => {
    expect(told((at) => up(at))).toEqual([])
  })
  test('is told if another outage began and ended meanwhile', () => {
    const flips = [up, down, up].map((flip) => (at: number) => flip(at))
    expect(told(...flips)).toEqual(['db went down and came back'])
  })
})

describe('an outage that waits for the end of quiet', () => {
  const settings = { ...defaultAttention, afterMinutes: 5 }
  const isQuiet = { ...quiet, settings }
  const calmNow = { ...calm, settings }

  /** One of ten minutes, told of by nobody, and another that begins five minutes later. */
  function held() {
    const engine = running(isQuiet)
    engine.at(start, [down(start)])
    engine.wakeUntil(start + 10 * minute)
    engine.at(start + 10 * minute, [up(start + 10 * minute)])
    engine.at(start + 15 * minute, [down(start + 15 * minute)])
    return engine
  }

  test('is told after another one that is too short to be told', () => {
    const engine = held()
    engine.at(start + 16 * minute, [up(start + 16 * minute)])
    engine.at(start + 20 * minute, [], calmNow)
    expect(titles(engine.popUps)).toEqual(['db went down and came back'])
  })

  test('is told after another one, too short, in which the quiet ends', () => {
    const engine = held()
    engine.at(start + 16 * minute, [], calmNow)
    engine.at(start + 17 * minute, [up(start + 17 * minute)], calmNow)
    expect(titles(engine.popUps)).toEqual(['db went down and came back'])
  })

  test('is not told with short ones that lists did not show to end', () => {
    const engine = held()
    engine.at(start + 16 * minute, [again(start + 16 * minute, second)])
    engine.at(start + 17 * minute, [up(start + 17 * minute)])
    engine.at(start + 20 * minute, [], calmNow)
    expect(titles(engine.popUps)).toEqual(['db went down and came back'])
  })
})

function acknowledged(since = start - minute) {
  return silence({ how: 'acknowledge', until: { kind: 'change' }, since })
}

describe('a notice of what waited', () => {
  test('says of a flapping check that is paused by now that it came back', () => {
    const engine = running()
    for (const [place, change] of [down, up, down, up].entries())
      engine.at(start + place * minute, [change(start + place * minute)])
    engine.at(start + 4 * minute, [], calm, ['ops/check/db'])
    engine.wakeUntil(start + 20 * minute)
    expect(titles(engine.popUps)).toEqual(['db down', 'db recovered', 'db came back · 2 changes'])
  })

  test('says that a check that is paused or deleted by now came back, not that it is up', () => {
    const engine = running()
    engine.at(start, [down(start)])
    engine.at(start + 10 * minute, [up(start + 10 * minute)], quiet)
    engine.at(start + 11 * minute, [], quiet, ['ops/check/db'])
    engine.at(start + 12 * minute, [])
    expect(titles(engine.popUps)).toEqual(['db down', 'db came back'])
  })

  test('that it is up again says so before no other does', () => {
    const engine = running()
    for (const [place, change] of [down, up, down, up].entries())
      engine.at(start + place * 10 * second, [change(start + place * 10 * second)])
    const last = { what: 'was down', from: start + 35 * second, place: 'ops' }
    const found = checkEvent({
      ...{ kind: 'missed', at: start + minute, body: 'it is up again · ops', last },
      endedAt: start + 36 * second,
    })
    engine.at(start + minute, [found])
    engine.wakeUntil(start + 20 * minute)
    expect(engine.popUps.slice(2).map(({ kind, body }) => [kind, body])).toEqual([
      ['missed', 'ops'],
      ['recovered', ''],
    ])
  })

  test('keeps to itself what was acknowledged while it waited', () => {
    const engine = running()
    const times = [0, 10, 20, 30].map((at) => start + at * second)
    for (const [at, time] of times.entries())
      engine.at(time, [at % 2 === 0 ? down(time) : up(time)])
    engine.at(start + minute, [again(start + minute, second)])
    const since = start + 2 * minute
    const silences = [acknowledged(since)]
    engine.at(since, [], { ...calm, silences })
    engine.wakeUntil(start + 60 * minute, { ...calm, silences })
    expect(titles(engine.popUps)).toEqual(['db down', 'db recovered'])
  })

  test('says that a check is down again that came back and went down meanwhile', () => {
    const engine = running()
    engine.at(start, [down(start)])
    engine.at(start + 10 * minute, [up(start + 10 * minute)], quiet)
    engine.at(start + 11 * minute, [down(start + 11 * minute)], quiet)
    engine.at(start + 12 * minute, [])
    expect(titles(engine.popUps)).toEqual(['db down', 'db is down again'])
  })

  test('says how often a check went down and came back, and never “up again” of an outage that was never told', () => {
    const engine = running()
    for (let i = 0; i < 6; i += 1)
      engine.at(start + i * minute, [(i % 2 === 0 ? down : up)(start + i * minute)], quiet)
    engine.at(start + 6 * minute, [])
    expect(titles(engine.popUps)).toEqual(['db went down and came back 3 times'])
  })

  test('of a storm that a stop interrupted tells of no recovery whose outage was never told', () => {
    const engine = running()
    for (const name of names(5)) engine.at(start, [down(start, name)])
    expect(titles(engine.popUps)).toEqual(['c0 down', 'c1 down', 'c2 down'])
    const later = start + 60 * minute
    engine.at(later, [], { ...calm, unread: ['ops'] })
    engine.at(
      later,
      ['c3', 'c4'].map((name) => up(later, name)),
    )
    engine.wakeUntil(later + 10 * minute)
    expect(titles(engine.popUps).slice(3)).toEqual(['2 checks went down and recovered in ops'])
  })

  test('of a storm that has to wait once more tells of each past outage once, and of its check', () => {
    const engine = running()
    for (const name of names(3)) engine.at(start, [down(start, name)])
    const last = { what: 'was down', from: start - 30 * second, place: 'ops' }
    const past = { kind: 'missed', at: start, endedAt: start - 20 * second, last } as const
    engine.at(start, [down(start), checkEvent(past)])
    const later = start + 20 * minute
    engine.at(
      later,
      names(3).map((checkId) => checkEvent({ checkId, accountId: 'web', at: later })),
      { ...calm, unread: ['ops'] },
    )
    engine.at(later + second, [])
    engine.wakeUntil(later + 10 * minute)
    expect(titles(engine.popUps).slice(6)).toEqual([
      'db down',
      expect.stringMatching(/^db was down for 10 s at /),
    ])
  })

  test('of a flapping check and a reminder in the same moment are one', () => {
    const engine = running()
    for (let i = 0; i < 3; i += 1)
      engine.at(start + i * 20 * second, [(i % 2 === 0 ? down : up)(start + i * 20 * second)])
    const at = start + 20 * second + 5 * minute
    const still = down(at, 'db', { isReminder: true, title: 'db is still down', from: 'unknown' })
    engine.at(at, [still])
    engine.wakeUntil(at + 10 * minute)
    expect(titles(engine.popUps).slice(2)).toEqual(['db is flapping: now down'])
  })

  test('of a digest stays as it was for an outage that it told of, found by a lookup later', () => {
    const engine = running(quiet)
    engine.at(start, [down(start)])
    engine.at(start + minute, [], calm)
    const found = again(start + minute + second, second)
    engine.at(start + minute + second, [{ ...found, readAt: start }], calm)
    engine.at(start + minute + 2 * second, [down(start + minute, 'web')])
    engine.at(start + minute + 3 * second, [], calm)
    expect(
      engine.popUps.map(({ title, lines }) => [title, ...lines.map(({ text }) => text)]),
    ).toEqual([['db down'], ['While you were away', 'web down', 'db down']])
  })

  test('of a digest goes when another takes its place, even if it was about a single past outage', () => {
    const engine = running(quiet)
    engine.at(start, [down(start), checkEvent({ accountId: 'web', checkId: 'page' })])
    engine.at(start + minute, [up(start + minute)])
    engine.at(start + 2 * minute, [], { ...calm, unread: ['web'] })
    engine.at(start + 2 * minute + second, [], calm)
    expect(titles(engine.popUps)).toEqual(['db went down and came back', 'While you were away'])
    expect([...engine.shown.values()].map(({ title }) => title)).toEqual(['While you were away'])
  })

  test('of a digest is not followed by a reminder of the same, nor too soon by a repetition', () => {
    const rules = [rule({ kinds: ['down'], repeatMinutes: 10 })]
    const settings = { ...defaultAttention, rules }
    const engine = running({ ...calm, settings })
    engine.at(start, [down(start), down(start, 'web')], { ...quiet, settings })
    const at = start + 9 * minute
    engine.at(at, [])
    expect(titles(engine.popUps)).toEqual(['While you were away'])
    const still = down(at + 20 * second, 'db', { isReminder: true, from: 'unknown' })
    engine.at(at + 20 * second, [still])
    engine.wakeUntil(at + 9 * minute)
    expect(engine.popUps).toHaveLength(1)
    engine.wakeUntil(at + 10 * minute)
    expect(titles(engine.popUps).slice(1)).toEqual(['db is still down', 'web is still down'])
  })

  test.each([
    ['is not followed by what the flips say of the read before', 0, -second, 0],
    ['nor where short outages are ignored', 5, 0, 0],
    ['is followed by an outage that a later read had', 0, second, 1],
  ])('of a silence that ended %s', (_name, afterMinutes, readAfter, more) => {
    const engine = running({ ...calm, settings: { ...defaultAttention, afterMinutes } })
    const still = { isReminder: true, title: 'db is still down', from: 'unknown' } as const
    engine.at(start, [down(start, 'db', still)])
    const found = start + 30 * second
    const body = facts(start - minute, found)
    engine.at(found, [{ ...again(found, 2 * minute), body, readAt: start + readAfter }])
    engine.wakeUntil(found + 20 * minute)
    const rest = ['db is down again (was up for at most 2 min)'].slice(0, more)
    expect(titles(engine.popUps)).toEqual(['db is still down', ...rest])
  })
})

test('A digest gives the times of past outages as they read by then, and not what the check was', () => {
  const engine = running()
  const [from, endedAt, later] = [start, start + 9 * minute, start + 24 * 60 * minute]
  const past = checkEvent({ kind: 'missed', at: endedAt, title: 'old words', from: 'up' })
  const last = { what: 'was down 2 times, last', from, place: 'ops' }
  engine.at(endedAt, [{ ...past, endedAt, last, body: 'it is up again · ops' }], quiet)
  engine.at(later, [])
  const words = `from ${clockWords(from, later)} to ${clockWords(endedAt, later)}`
  expect(titles(engine.popUps)).toEqual([`db was down 2 times, last ${words}`])
  expect(engine.popUps[0]?.body).toBe('ops')
  expect(clockWords(from, later)).not.toBe(clockWords(from, endedAt))
})

test('A digest that begins with a message counts among the three notices in ten seconds, too', () => {
  const engine = running()
  engine.at(start, [messageEvent({ at: start })], quiet)
  engine.at(start + second, [])
  const at = start + 2 * second
  engine.at(
    at,
    ['db', 'web', 'api'].map((name) => down(at, name)),
  )
  engine.wakeUntil(at + 9 * second)
  expect(engine.popUps).toHaveLength(3)
  engine.wakeUntil(at + minute)
  expect(titles(engine.popUps).slice(3)).toEqual(['api down'])
})

describe('a start in a storm', () => {
  test('shows three notices in ten seconds, and then one', () => {
    const accounts = ['a', 'b', 'c', 'd']
    const engine = running()
    // Each account has a flapping check, one held by the storm and one by the quiet.
    for (let i = 0; i < 3; i += 1)
      engine.at(
        start + i,
        accounts.map((accountId) =>
          checkEvent({ accountId, at: start + i, kind: i % 2 === 0 ? 'down' : 'recovered' }),
        ),
      )
    for (const accountId of accounts)
      engine.at(start + 10, [checkEvent({ accountId, checkId: 'held', at: start + 10 })])
    for (const accountId of accounts)
      engine.at(start + 20, [checkEvent({ accountId, checkId: 'night', at: start + 20 })], quiet)
    engine.popUps.splice(0)
    engine.shown.clear()
    const later = start + 60 * minute
    engine.at(later, [], { ...calm, unread: accounts })
    for (const [i] of accounts.entries())
      engine.at(later + i * 100, [], { ...calm, unread: accounts.slice(i + 1) })
    expect(engine.popUps.length).toBeLessThanOrEqual(3)
    engine.wakeUntil(later + 60 * minute)
    // A digest that soon follows another takes its place, and says all that it said.
    const said = [...engine.shown.values()].flatMap(({ title, lines }) =>
      lines.length > 0 ? lines.map(({ text }) => text) : title,
    )
    for (const name of ['db', 'held', 'night'])
      expect(said.filter((text) => text.startsWith(name))).toHaveLength(4)
  })
})

describe('a notice about several checks', () => {
  const steps = (all: readonly (readonly CheckEvent[])[]) => {
    let memory = emptyMemory
    return all.map((events, i) => {
      const at = start + i * minute
      const made = step(
        memory,
        { events: events.map((one) => ({ ...one, at })), over: [] },
        calm,
        at,
      )
      ;({ memory } = made)
      return { subjects: made.popUps.map(({ subject }) => subject), outdated: made.outdated }
    })
  }

  test('is not replaced by another, and is withdrawn when none of them is so any more', () => {
    const [first, second_, rest, last] = steps([
      names(6).map((name) => down(start, name)),
      names(4, 6).map((name) => down(start + minute, name)),
      names(5).map((name) => up(start + 2 * minute, name)),
      [up(start + 3 * minute, 'c5')],
    ])
    expect(second_?.subjects).not.toEqual(first?.subjects)
    expect([second_?.outdated, rest?.outdated]).toEqual([[], []])
    expect(last?.outdated).toEqual(first?.subjects)
  })

  const maintained = {
    silences: [silence({ how: 'maintenance', scope: { of: 'project', accountId: 'ops' } })],
  }

  test('is withdrawn also if it turned out to be about one, after a maintenance', () => {
    const engine = running()
    engine.at(start, [down(start)], { ...calm, ...maintained })
    engine.at(start + minute, [])
    expect(engine.shown.size).toBe(1)
    engine.at(start + 5 * minute, [up(start + 5 * minute)])
    expect([...engine.shown.values()].map(({ title }) => title)).toEqual(['db recovered'])
  })

  test.each([
    ['a digest', quiet],
    ['a digest of a maintenance', maintained],
  ])('is withdrawn also if it is %s', (_which, held) => {
    const engine = running()
    engine.at(start, [down(start), down(start, 'web')], { ...calm, ...held })
    engine.at(start + minute, [])
    expect(engine.shown.size).toBe(1)
    engine.at(start + 5 * minute, [up(start + 5 * minute), up(start + 5 * minute, 'web')])
    const left = [...engine.shown.values()].map(({ title }) => title)
    expect(left).toEqual(['db recovered', 'web recovered'])
  })

  test('stays while they are down, though they were up between two reads and that is held back', () => {
    const engine = running()
    engine.at(start, [down(start), down(start, 'web')], quiet)
    engine.at(start + minute, [])
    const at = start + 10 * minute
    engine.at(at, [again(at, minute), again(at, minute, 'web')], quiet)
    expect([...engine.shown.values()].map(({ title }) => title)).toEqual(['While you were away'])
  })

  test('counts a check with two outages once', () => {
    const past = (checkId: string, id: string) => checkEvent({ kind: 'missed', checkId, id })
    const engine = running()
    engine.at(start, [past('a', '1'), past('b', '2'), past('c', '3'), past('a', '4')])
    expect(engine.popUps).toMatchObject([
      { title: '3 checks went down and recovered in ops', body: 'a, b and c' },
    ])
  })

  test('has a line for a past outage beside those that the reads showed', () => {
    const engine = running()
    engine.at(start, [down(start)], quiet)
    const found = checkEvent({ kind: 'missed', at: start + 1, title: 'db was down for 10 s' })
    engine.at(start + 1, [up(start + 1), found], quiet)
    engine.at(start + minute, [])
    expect(engine.popUps.map(({ lines }) => lines.map(({ text }) => text))).toEqual([
      ['db went down and came back', 'db was down for 10 s'],
    ])
  })

  test('counts all that are down, however few it could keep', () => {
    const engine = running()
    const many = names(1_200).map((name) => down(start, name))
    engine.at(start, many, { ...quiet, down: { ops: 1_200 } })
    engine.at(start + minute, [], { ...calm, down: { ops: 1_200 } })
    expect(engine.popUps.at(-1)?.body).toMatch(/^1,200 checks down · down: .* and 1,196 more$/)
  })
})

test('messages in several conversations are withdrawn together when all of them are read', () => {
  const message = (n: number) => messageEvent({ messageId: n, key: `topic/5/t${n}` })
  const all = Array.from({ length: 5 }, (_, n) => message(n))
  const first = step(emptyMemory, { events: all, over: [] }, calm, start)
  const subjects = all.map(({ subject }) => subject)
  const some = { events: [], over: subjects.slice(1) }
  const second_ = step(first.memory, some, calm, start + second)
  const rest = { events: [], over: subjects.slice(0, 1) }
  const third = step(second_.memory, rest, calm, start + minute)
  expect(second_.outdated).toEqual([])
  expect(third.outdated).toEqual(first.popUps.map(({ subject }) => subject))
})
