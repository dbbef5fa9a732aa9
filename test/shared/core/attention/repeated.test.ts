import { describe, expect, test } from 'vitest'
import { memoryDocument, readMemory } from '../../../../src/main/storage/notified-state.ts'
import type { AttentionContext } from '../../../../src/shared/core/attention/decision.ts'
import { type NoticeText, privateNotice } from '../../../../src/shared/core/attention/notice.ts'
import { defaultAttention } from '../../../../src/shared/core/attention/rules.ts'
import {
  calm,
  checkEvent,
  facts,
  minute,
  rule,
  running,
  silence,
  start,
} from '../../../support/attention-eg.ts'
import * as eg from '../../../support/eg.ts'
import { seeded } from '../../../support/seeded.ts'

const repeating = (minutes: number, change: Partial<AttentionContext> = {}): AttentionContext => ({
  ...calm,
  settings: { ...defaultAttention, rules: [rule({ kinds: ['down'], repeatMinutes: minutes })] },
  ...change,
})

const ten = repeating(10)
const subject = 'ops/check/db'
const down = checkEvent({ at: start })
const told = (engine: ReturnType<typeof running>) =>
  engine.popUps.map(({ title, sound, again, at }) => [(at - start) / minute, title, sound, again])

describe('an outage with a rule that repeats its notification', () => {
  test('is notified again, with sound and a count, until its page is opened', () => {
    const engine = running(ten)
    const settings = {
      ...ten.settings,
      rules: [rule({ kinds: ['down'], way: 'banner', repeatMinutes: 10 })],
    }
    const quietly = { ...ten, settings }
    engine.at(start, [down], quietly)
    engine.wakeUntil(start + 25 * minute, quietly)
    expect(told(engine)).toEqual([
      [0, 'db down', false, undefined],
      [10, 'db is still down', true, 1],
      [20, 'db is still down', true, 2],
    ])
    expect(
      engine.popUps
        .at(-1)
        ?.reasons.map(({ text }) => text)
        .join(' '),
    ).toContain('Nobody has seen it yet: this is reminder 2.')
    engine.at(start + 26 * minute, [], quietly, [], [subject])
    engine.wakeUntil(start + 600 * minute, quietly)
    expect(engine.popUps).toHaveLength(3)
    expect(engine.wakeAt()).toBeNull()
  })

  test('says each time how long it has been down', () => {
    const engine = running(ten)
    engine.at(start, [checkEvent({ at: start, body: facts(start - minute, start) })])
    engine.wakeUntil(start + 25 * minute)
    const lengths = engine.popUps.map(({ body }) => /down for (.+ min)/.exec(body)?.[1])
    expect(lengths.slice(1)).toEqual(['11 min', '21 min'])
  })

  test('is all that a rule for every kind repeats, and only if it was told', () => {
    const icon = rule({ id: 'icon', checkId: 'icon', way: 'tray', repeatMinutes: 10 })
    const settings = { ...defaultAttention, rules: [icon, rule({ repeatMinutes: 10 })] }
    const engine = running({ ...calm, settings })
    engine.at(
      start,
      (['late', 'recovered', 'missed', 'tooLong'] as const).map((kind) =>
        checkEvent({ kind, checkId: kind, at: start }),
      ),
    )
    engine.at(start + 1, [checkEvent({ checkId: 'icon', at: start + 1 })])
    engine.wakeUntil(start + minute)
    const before = engine.popUps.length
    engine.wakeUntil(start + 60 * minute)
    expect(engine.popUps).toHaveLength(before)
  })

  test('is no longer repeated once it recovers, is paused or deleted, or no rule repeats it', () => {
    const ends: ((engine: ReturnType<typeof running>) => AttentionContext)[] = [
      (engine) => {
        engine.at(start + minute, [checkEvent({ kind: 'recovered', at: start + minute })])
        return ten
      },
      (engine) => {
        engine.at(start + minute, [], ten, [subject])
        return ten
      },
      () => calm,
    ]
    for (const end of ends) {
      const engine = running(ten)
      engine.at(start, [down])
      const context = end(engine)
      const before = engine.popUps.length
      engine.at(start + 2 * minute, [], context)
      engine.wakeUntil(start + 100 * minute, context)
      expect(engine.popUps).toHaveLength(before)
      expect(engine.memory().waits.size).toBe(0)
    }
  })

  test('is not repeated during a snooze or do-not-disturb, but goes on afterwards and survives a restart', () => {
    const engine = running(ten)
    engine.at(start, [down])
    const snoozed = {
      ...ten,
      silences: [silence({ until: { kind: 'time', at: start + 35 * minute } })],
    }
    engine.wakeUntil(start + 34 * minute, snoozed)
    expect(engine.popUps).toHaveLength(1)
    expect(readMemory(JSON.parse(JSON.stringify(memoryDocument(engine.memory()))))).toEqual(
      engine.memory(),
    )
    const quiet = { ...ten, systemQuiet: true }
    engine.wakeUntil(start + 60 * minute, quiet)
    expect(engine.popUps).toHaveLength(1)
    engine.wakeUntil(start + 70 * minute)
    expect(told(engine).at(-1)).toEqual([70, 'db is still down', true, 1])
  })

  test('is silent while somebody has acknowledged it, and goes on where that was undone', () => {
    const acknowledged = {
      ...ten,
      silences: [silence({ how: 'acknowledge', by: 'Ana', until: { kind: 'change' } })],
    }
    const engine = running(ten)
    engine.at(start, [down])
    engine.at(start + minute, [], acknowledged)
    engine.wakeUntil(start + 100 * minute, acknowledged)
    expect(engine.popUps).toHaveLength(1)
    engine.at(start + 101 * minute, [], ten)
    engine.wakeUntil(start + 111 * minute)
    expect(told(engine).at(-1)).toEqual([110, 'db is still down', true, 1])
  })

  test('is repeated together with others in one notification, and none of them counts as flapping', () => {
    const engine = running(repeating(1))
    const many = Array.from({ length: 12 }, (_, n) => checkEvent({ at: start, checkId: `db${n}` }))
    engine.at(start, many)
    engine.wakeUntil(start + 6.5 * minute)
    expect(engine.popUps.map(({ title }) => title)).toEqual(
      Array.from({ length: 7 }, () => '12 checks down in ops'),
    )
  })

  test('is repeated at the set times and no others, in 200 generated days', () => {
    let repeats = 0
    for (let seed = 0; seed < 200; seed += 1) {
      const random = seeded(seed)
      const every = random.whole(6, 40)
      const ends = random.whole(1, 300)
      const how = random.pick(['seen', 'up', 'acknowledged'])
      const engine = running(repeating(every))
      engine.at(start, [down])
      const end = start + ends * minute + 1
      engine.wakeUntil(end)
      const acknowledged = silence({ how: 'acknowledge', until: { kind: 'change' } })
      const after =
        how === 'acknowledged' ? repeating(every, { silences: [acknowledged] }) : repeating(every)
      if (how === 'up') engine.at(end, [checkEvent({ kind: 'recovered', at: end })])
      else engine.at(end, [], after, [], how === 'seen' ? [subject] : [])
      engine.wakeUntil(start + 1_000 * minute, after)
      const heard = engine.popUps.filter(({ kind }) => kind === 'down').map(({ at }) => at)
      const expected = Array.from(
        { length: 1 + Math.floor(ends / every) },
        (_, n) => start + n * every * minute,
      )
      repeats += expected.length - 1
      expect(heard, `${how} ${seed}`).toEqual(expected)
    }
    // Control: something was repeated.
    expect(repeats).toBeGreaterThan(500)
  })
})

describe('the text of a notification', () => {
  const notice = eg.notice({ title: 'db-backup is down', body: 'disk full: /srv/secret' })
  test.each<[NoticeText, string, string]>([
    ['all', 'db-backup is down', 'disk full: /srv/secret'],
    ['titles', 'db-backup is down', ''],
    ['minimal', 'Something is down', ''],
  ])('set to “%s” is “%s” and “%s”, and still opens the check', (shows, title, body) => {
    expect(privateNotice(notice, shows)).toMatchObject({ title, body, target: notice.target })
  })
})
