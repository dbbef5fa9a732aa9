import { describe, expect, test } from 'vitest'
import type { CheckEvent } from '../../../../src/shared/core/attention/event.ts'
import type { Notice } from '../../../../src/shared/core/attention/notice.ts'
import { anyRule, defaultAttention, type Way } from '../../../../src/shared/core/attention/rules.ts'
import { clockWords } from '../../../../src/shared/core/time.ts'
import {
  calm,
  checkEvent,
  messageEvent,
  minute,
  running,
  second,
  silence,
  start,
} from '../../../support/attention-eg.ts'

const quiet = { ...calm, systemQuiet: true }
const hour = 60 * minute

const down = (at: number, checkId = 'db', change: Partial<CheckEvent> = {}) =>
  checkEvent({ at, checkId, ...change })
const up = (at: number, checkId = 'db') => checkEvent({ kind: 'recovered', at, checkId })
const titles = (notices: Iterable<Notice>) => [...notices].map(({ title }) => title)
const lines = (notice?: Notice) => notice?.lines.map(({ text }) => text)

/** What a digest said of `names` a minute after they went down, and of `more` in a quiet just after. */
function digested(names: readonly string[], ...more: readonly string[]) {
  const engine = running()
  const later = start + 2 * minute
  engine.at(
    start,
    names.map((name) => down(start, name)),
    quiet,
  )
  engine.at(start + minute, [])
  engine.at(
    later,
    more.map((name) => down(later, name)),
    quiet,
  )
  return engine
}

describe('the digest of a maintenance', () => {
  const maintenance = { silences: [silence({ how: 'maintenance', label: '#db' })] }
  const site = { of: 'project', accountId: 'ops' } as const

  test.each<[CheckEvent['kind'], Way, boolean]>([
    ['down', 'sound', true],
    ['down', 'banner', false],
    ['recovered', 'sound', false],
  ])('of a check that is %s, for which rules ask for %s, has a sound: %s', (kind, way, sound) => {
    const settings = { ...defaultAttention, ways: { ...defaultAttention.ways, [kind]: way } }
    const engine = running({ ...calm, settings })
    if (kind === 'recovered') engine.at(start - minute, [down(start - minute)])
    engine.at(start, [checkEvent({ kind })], { ...calm, settings, ...maintenance })
    engine.at(start + minute, [])
    expect(engine.popUps.at(-1)).toMatchObject({ title: 'Maintenance of #db is over', sound })
  })

  test.each([
    [['db'], { view: 'check', accountId: 'ops', checkId: 'db' }],
    [['db', 'web'], { view: 'notices' }],
  ])('says why it came, and leads to what it is about: %j', (names, target) => {
    const engine = running()
    const silences = [silence({ how: 'maintenance', label: 'ops', scope: site })]
    for (const name of names) engine.at(start, [down(start, name)], { ...calm, silences })
    engine.at(start + minute, [])
    expect(engine.popUps).toMatchObject([
      { target, reasons: [{ text: 'It came during the maintenance of ops.' }] },
    ])
  })

  test('waits its turn after three notices in ten seconds', () => {
    const engine = running()
    const names = ['db', 'a', 'b', 'c']
    for (const name of names) engine.at(start, [down(start, name)], { ...calm, ...maintenance })
    engine.at(start + second, [])
    expect(titles(engine.popUps)).toEqual(['a down', 'b down', 'c down'])
    engine.wakeUntil(start + minute)
    expect(titles(engine.popUps).slice(3)).toEqual(['Maintenance of #db is over'])
  })

  test('runs the program of the rule for what it tells', () => {
    const rules = [{ ...anyRule, id: 'lamp', programId: 'lamp' }]
    const context = { ...calm, settings: { ...defaultAttention, rules } }
    const engine = running(context)
    engine.at(start, [down(start)], { ...context, ...maintenance })
    engine.at(start + minute, [])
    expect(engine.starts.map(({ programId }) => programId)).toEqual(['lamp'])
  })
})

describe('the digest after sleep', () => {
  const asleep = (minutes: number) => {
    const away = { from: start - minutes * minute, to: start }
    return { ...calm, away }
  }
  const day = 24 * 60

  test.each([
    [10, `${clockWords(start - 10 * minute, start)}–${clockWords(start, start)}`],
    [day, `${clockWords(start - day * minute, start)} – ${clockWords(start, start)}`],
  ])(
    'of %i minutes says when that was and why it came, and rings for an outage',
    (minutes, span) => {
      const engine = running()
      engine.at(start, [down(start), messageEvent()], asleep(minutes))
      engine.at(start + second, [])
      expect(engine.popUps).toMatchObject([
        {
          title: `While this computer was asleep (${span})`,
          sound: true,
          reasons: [{ text: 'It came while this computer was asleep.' }],
        },
      ])
    },
  )

  test('is silent where nothing in it would have made a sound', () => {
    const engine = running()
    engine.at(start, [messageEvent(), messageEvent({ messageId: 2, key: 'b' })], asleep(60))
    engine.at(start + second, [])
    expect(engine.popUps.map(({ sound }) => sound)).toEqual([false])
  })

  test('is the same one for an account that is read later', () => {
    const engine = running()
    engine.at(start, [down(start), messageEvent()], asleep(10))
    engine.at(start, [down(start, 'page', { accountId: 'web' })], asleep(10))
    engine.at(start + second, [], { ...calm, unread: ['web'] })
    engine.at(start + 20 * second, [])
    const [first, second_] = engine.popUps
    expect(second_).toMatchObject({ subject: first?.subject, title: first?.title })
    expect(lines(second_)).toEqual(['db down', 'page down', 'Ana (# ops › deploys)'])
  })

  test('that began long after the one before takes no place of that, and repeats nothing of it', () => {
    const engine = digested(['db'])
    const away = { from: start + 10 * minute, to: start + hour }
    engine.at(start + hour, [down(start + hour, 'web')], { ...calm, away })
    engine.at(start + hour + second, [])
    expect(titles(engine.shown.values())).toEqual(['db down', 'web down'])
    // Nor does the next one, which is soon, say more than the last.
    engine.at(start + hour + minute, [down(start + hour + minute, 'api')], quiet)
    engine.at(start + hour + minute + second, [])
    expect(lines(engine.popUps.at(-1))).toEqual(['api down', 'web down'])
  })
})

describe('a digest that takes the place of the one before', () => {
  test('says of each check once what it is', () => {
    const engine = digested(['db', 'web'], 'api')
    engine.at(start + 3 * minute, [up(start + 3 * minute)], quiet)
    engine.at(start + 4 * minute, [])
    expect(lines(engine.popUps.at(-1))).toEqual(['api down', 'web down', 'db recovered'])
    const why = [{ text: 'It came while notifications were quiet.' }]
    expect(engine.popUps.at(-1)).toMatchObject({ title: 'While you were away', reasons: why })
  })

  test('counts the changes that were told by themselves since', () => {
    const engine = running()
    engine.at(start, [down(start), down(start, 'web')], quiet)
    engine.at(start + minute, [])
    for (const [place, change] of [up, down].entries())
      engine.at(start + (70 + 10 * place) * second, [change(start + (70 + 10 * place) * second)])
    engine.at(start + 2 * minute, [down(start + 2 * minute, 'api')], quiet)
    engine.at(start + 3 * minute, [])
    expect(lines(engine.popUps.at(-1))).toEqual(['api down', 'db down · 3 changes', 'web down'])
  })

  test('leaves out a check of which another notice says at the same moment what it is', () => {
    const engine = digested(['db', 'web'], 'api')
    const at = start + 4 * minute
    engine.at(at, [down(at, 'db', { from: 'down', upForMs: minute })])
    expect(titles(engine.popUps.slice(1)).toSorted()).toEqual([
      'While you were away',
      'db is down again (was up for at most 1 min)',
    ])
    expect(lines(engine.popUps.slice(1).find(({ kind }) => kind === 'digest'))).toEqual([
      'api down',
      'web down',
    ])
  })

  test('says itself that a check came back at the same moment, and lists why', () => {
    const engine = digested(['db', 'web'], 'api')
    const at = start + 4 * minute
    engine.at(at, [up(at)])
    expect(titles(engine.popUps.slice(1))).toEqual(['While you were away'])
    expect(lines(engine.popUps[1])).toEqual(['api down', 'web down', 'db went down and came back'])
    const folded = engine.listed.find(({ id }) => id === up(at).id)
    expect(folded?.outcome).toBe('folded')
    expect(folded?.reasons.at(-1)?.text).toBe('The digest says it, in place of the one before.')
    expect(folded?.reasons.length).toBeGreaterThan(1)
  })

  test('still has past outages and messages, which nothing else says', () => {
    const engine = running()
    const past = checkEvent({ kind: 'missed', title: 'db was down for 10 s' })
    engine.at(start, [past, messageEvent()], quiet)
    engine.at(start + minute, [])
    engine.at(start + 2 * minute, [down(start + 2 * minute, 'api')], quiet)
    engine.at(start + 3 * minute, [down(start + 3 * minute)])
    expect(lines(engine.popUps[1])).toEqual([
      'api down',
      'db was down for 10 s',
      'Ana (# ops › deploys)',
    ])
  })
})
