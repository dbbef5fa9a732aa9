import { describe, expect, test } from 'vitest'
import type { AttentionContext } from '../../../../src/shared/core/attention/decision.ts'
import type { MessageEvent } from '../../../../src/shared/core/attention/event.ts'
import type { Notice } from '../../../../src/shared/core/attention/notice.ts'
import { defaultAttention, type Way } from '../../../../src/shared/core/attention/rules.ts'
import type { Silence } from '../../../../src/shared/core/attention/silence.ts'
import {
  silence as anySilence,
  calm,
  checkEvent,
  messageEvent,
  minute,
  newsOf,
  running,
  second,
  start,
} from '../../../support/attention-eg.ts'

const hour = 60 * minute

const flip = (kind: 'down' | 'recovered', at: number, checkId = 'db') =>
  checkEvent({ kind, at, checkId })

function botMessage(at: number, messageId: number, text: string): MessageEvent {
  const topic = text.split(' (')[0] ?? text
  return messageEvent({
    at,
    messageId,
    key: `topic/5/${topic}`,
    topic,
    isBot: true,
    text,
    news: newsOf('db'),
    chat: { notify: true, sound: true },
  })
}

const silence = (scope: Silence['scope']) => anySilence({ scope, since: start })

function flap(engine: ReturnType<typeof running>, names: readonly string[], times = 5): number {
  let at = start
  for (let i = 0; i < times; i += 1) {
    at = start + i * 20 * second
    engine.wakeUntil(at)
    engine.at(
      at,
      names.map((name) => flip(i % 2 === 0 ? 'down' : 'recovered', at, name)),
    )
  }
  return at
}

describe('a held-back notification', () => {
  test('of a flapping check is dropped when the check is snoozed', () => {
    const engine = running()
    flap(engine, ['db'])
    const before = engine.popUps.length
    const snoozed = {
      ...calm,
      silences: [silence({ of: 'check', accountId: 'ops', checkId: 'db' })],
    }
    engine.wakeUntil(start + 20 * minute, snoozed)
    expect(engine.popUps).toHaveLength(before)
  })

  test('of a flapping check is dropped when the check is paused', () => {
    const engine = running()
    const at = flap(engine, ['db'])
    const before = engine.popUps.length
    engine.at(at + second, [], calm, ['ops/check/db'])
    engine.wakeUntil(start + 20 * minute)
    expect(engine.popUps).toHaveLength(before)
  })

  test('of a storm comes with the digest if do-not-disturb begins meanwhile', () => {
    const engine = running()
    for (let i = 0; i < 8; i += 1) engine.at(start + i, [flip('down', start + i, `c${i}`)])
    const before = engine.popUps.length
    expect(before).toBe(3)
    const quiet = { ...calm, silences: [silence({ of: 'everything' })] }
    engine.at(start + 2 * second, [], quiet)
    engine.wakeUntil(start + 5 * minute, quiet)
    expect(engine.popUps).toHaveLength(before)
    engine.at(start + 61 * minute, [])
    const digest = engine.popUps.at(-1)
    expect(digest?.kind).toBe('digest')
    expect(digest?.lines).toHaveLength(5)
    expect(digest?.reasons).not.toEqual([])
  })

  test('of many flapping checks is one notification', () => {
    const engine = running()
    const names = Array.from({ length: 40 }, (_, i) => `c${i}`)
    flap(engine, names)
    engine.popUps.splice(0)
    engine.wakeUntil(start + 7 * minute)
    const flapping = engine.popUps.filter(({ title }) => title.includes('flapping'))
    expect(flapping.map(({ title }) => title)).toEqual(['40 checks are flapping in ops'])
    expect(flapping[0]?.lines).toHaveLength(40)
    expect(engine.popUps.length).toBeLessThanOrEqual(3)
  })
})

describe.each(['a storm', 'quiet hours', 'flapping'] as const)('what %s held back', (by) => {
  const unread = { ...calm, unread: ['ops'] }
  const names = ['c3', 'c4', 'c5', 'c6', 'c7']
  const later = start + 60 * minute
  const lines = (notices: readonly Notice[]) =>
    notices.flatMap((one) => one.lines.map(({ text }) => text)).toSorted()

  /** Held back, and then the app is started an hour later. */
  function restarted() {
    const engine = running()
    const quiet = { ...calm, systemQuiet: true }
    const fall = (name: string, context = calm) =>
      engine.at(start, [flip('down', start, name)], context)
    if (by === 'a storm') for (const name of ['c0', 'c1', 'c2', ...names]) fall(name)
    if (by === 'quiet hours') for (const name of names) fall(name, quiet)
    if (by === 'flapping') flap(engine, names)
    engine.popUps.splice(0)
    engine.at(later, [], unread)
    return engine
  }

  test('is shown after a start once its account is read, and holds up no other account', () => {
    const engine = restarted()
    expect(engine.popUps).toEqual([])
    expect(engine.wakeAt()).toBe(null)
    engine.at(later + second, [checkEvent({ accountId: 'web', at: later + second })], unread)
    expect(engine.popUps).toMatchObject([{ accountId: 'web' }])
    engine.at(later + minute, [])
    expect(lines(engine.popUps).map((text) => text.slice(0, 2))).toEqual(names)
  })

  test('is shown once, and not as down, if the first read after a start finds it up', () => {
    const engine = restarted()
    const at = later + second
    engine.at(
      at,
      names.map((name) => flip('recovered', at, name)),
    )
    engine.wakeUntil(later + 60 * minute)
    expect(lines(engine.popUps).map((text) => text.slice(0, 2))).toEqual(names)
    for (const line of lines(engine.popUps)) expect(line).toMatch(/went down and came back/)
  })

  test('is not shown at all if the first read after a start finds it paused', () => {
    const engine = restarted()
    const over = names.map((name) => `ops/check/${name}`)
    engine.at(later + second, [], calm, over)
    engine.wakeUntil(later + 60 * minute)
    expect(engine.popUps.filter(({ kind }) => kind === 'down')).toEqual([])
  })
})

describe.each(['a storm', 'flapping', 'quiet hours'] as const)('what %s holds back', (by) => {
  const names = ['c3', 'c4', 'c5', 'c6', 'c7']
  const { ways } = defaultAttention
  const under = (down: Way) => ({
    ...calm,
    settings: { ...defaultAttention, ways: { ...ways, down } },
  })

  /** What is shown if outages are notified as `down` says from then on. */
  function shownUnder(context: AttentionContext) {
    const engine = running()
    const quiet = { ...calm, systemQuiet: true }
    const fall = (name: string, usual = calm) =>
      engine.at(start, [flip('down', start, name)], usual)
    if (by === 'a storm') for (const name of ['c0', 'c1', 'c2', ...names]) fall(name)
    if (by === 'quiet hours') for (const name of names) fall(name, quiet)
    if (by === 'flapping') flap(engine, names)
    engine.popUps.splice(0)
    engine.at(start + 2 * minute, [], context)
    engine.wakeUntil(start + 60 * minute, context)
    return engine
  }

  test.each([
    ['nothing', 0],
    ['tray', 1],
  ] as const)(
    'isn’t shown if a new rule says “%s”, and its recovery in %i notifications',
    (down, recoveries) => {
      const context = under(down)
      const engine = shownUnder(context)
      expect(engine.popUps).toEqual([])
      const later = start + 61 * minute
      engine.at(
        later,
        names.map((name) => flip('recovered', later, name)),
        context,
      )
      expect(engine.popUps).toHaveLength(recoveries)
    },
  )

  test('makes no sound if sounds are turned off meanwhile, or by a new rule', () => {
    expect(shownUnder(calm).popUps.some(({ sound }) => sound)).toBe(by !== 'quiet hours')
    const silent = [{ ...calm, sounds: false }, under('banner')]
    for (const context of silent)
      expect(shownUnder(context).popUps.map(({ sound }) => sound)).toEqual([false])
  })

  test('isn’t shown if the check was acknowledged meanwhile, but its recovery is', () => {
    const silences = names.map((checkId) =>
      anySilence({
        id: checkId,
        how: 'acknowledge',
        scope: { of: 'check', accountId: 'ops', checkId },
        until: { kind: 'change' },
      }),
    )
    const context = { ...calm, silences }
    const engine = shownUnder(context)
    expect(engine.popUps).toEqual([])
    const later = start + 61 * minute
    engine.at(
      later,
      names.map((name) => flip('recovered', later, name)),
      context,
    )
    expect(engine.popUps).toMatchObject([{ title: '5 checks up again in ops' }])
  })
})

test.each(['a storm', 'quiet hours'])(
  'A check that is down counts as down though an earlier outage was found while %s held it back',
  (by) => {
    const engine = running()
    const context = by === 'a storm' ? calm : { ...calm, systemQuiet: true }
    const missed = checkEvent({ kind: 'missed', at: start + second, from: 'down', endedAt: start })
    for (const name of ['c0', 'c1', 'c2', 'db'])
      engine.at(start, [flip('down', start, name)], context)
    engine.at(start + second, [missed], context)
    engine.popUps.splice(0)
    engine.at(start + minute, [])
    const words = engine.popUps.flatMap(({ title, body, lines }) => [
      title,
      body,
      ...lines.map(({ text }) => text),
    ])
    expect(words.join('\n')).toMatch(/db down/)
    expect(words.join('\n')).toContain(
      by === 'a storm' ? 'db missed' : '4 checks down, 1 went down and recovered',
    )
  },
)

test('A digest leaves out the earlier changes of a check that was acknowledged meanwhile', () => {
  const engine = running()
  const quiet = { ...calm, systemQuiet: true }
  for (const [i, kind] of (['down', 'recovered', 'down'] as const).entries())
    engine.at(start + i * minute, [flip(kind, start + i * minute)], quiet)
  engine.at(start + 3 * minute, [flip('down', start + 3 * minute, 'web')], quiet)
  const acknowledged = anySilence({ how: 'acknowledge', until: { kind: 'change' } })
  engine.at(start + 4 * minute, [], { ...calm, silences: [acknowledged] })
  expect(engine.popUps).toMatchObject([{ title: 'web down' }])
})

test('A digest after a start has what was read, and then also the rest', () => {
  const engine = running()
  const quiet = { ...calm, systemQuiet: true }
  engine.at(start, [flip('down', start), checkEvent({ accountId: 'web', name: 'site' })], quiet)
  engine.at(start + minute, [], { ...calm, unread: ['ops'] })
  expect(engine.popUps).toMatchObject([{ title: 'site down' }])
  engine.at(start + 2 * minute, [])
  expect(engine.popUps.at(-1)?.body).toBe('2 checks down · down: site and db')
})

describe('a bot’s message', () => {
  test('about the first outage does not suppress the second outage', () => {
    const engine = running()
    engine.at(start, [flip('down', start)])
    engine.at(start + 5 * second, [botMessage(start + 5 * second, 1, 'db is DOWN (no ping)')])
    engine.at(start + 30 * second, [flip('recovered', start + 30 * second)])
    engine.popUps.splice(0)
    engine.wakeUntil(start + 60 * second)
    const again = start + 60 * second
    engine.at(again, [flip('down', again)])
    const told = engine.listed.find(({ id }) => id === `ops/check/db/down@${again}`)
    // Two flips within five minutes count as flapping, but never as “already notified”.
    expect(told?.reasons.map(({ by }) => by)).not.toContain('same')
  })

  test('about the second outage counts as the same event, whichever comes first', () => {
    const engine = running()
    engine.at(start, [flip('down', start)])
    engine.at(start + 30 * second, [flip('recovered', start + 30 * second)])
    engine.at(start + 50 * second, [botMessage(start + 50 * second, 2, 'db is DOWN (again)')])
    expect(engine.popUps.at(-1)?.id).toBe('chat/message/2')
    const again = start + 60 * second
    engine.at(again, [flip('down', again)])
    const told = engine.listed.find(({ id }) => id === `ops/check/db/down@${again}`)
    expect(told?.reasons.map(({ by }) => by)).toContain('same')
  })
})

describe('what is held back by the quiet', () => {
  test('is shown, if it is exempt from what is left of it, once the computer is awake or the desktop not quiet', () => {
    const quietHours = {
      enabled: true,
      zone: 'UTC',
      windows: [{ days: [0, 1, 2, 3, 4, 5, 6], from: '14:00', to: '15:00' }],
      exceptTags: ['critical'],
      exceptPeople: [{ accountId: 'chat', userId: 9 }],
    }
    const night = { ...calm, settings: { ...defaultAttention, quietHours } }
    const exempt = [checkEvent({ tags: ['critical'] }), messageEvent({ senderId: 9 })]
    const away = { from: start - 10 * minute, to: start }
    const held = [
      [{ away }, 'It came while this computer was asleep.'],
      [{ systemQuiet: true }, 'It came while notifications were quiet.'],
    ] as const
    for (const [by, why] of held) {
      const engine = running(night)
      engine.at(start, [...exempt, flip('down', start, 'web')], { ...night, ...by })
      expect(engine.popUps).toEqual([])
      engine.at(start + minute, [])
      expect(engine.popUps.map(({ title, sound }) => [title, sound])).toEqual([
        ['db down', true],
        ['Ana (# ops › deploys)', false],
      ])
      for (const { reasons } of engine.popUps)
        expect(reasons.map(({ text }) => text)).toEqual([why])
      engine.wakeUntil(start + 60 * minute)
      expect(engine.popUps.slice(2).map(({ title }) => title)).toEqual(['web down'])
    }
  })

  test('is dropped if it is a message that is read elsewhere, but not if it is an outage of the past', () => {
    const engine = running({ ...calm, systemQuiet: true })
    const missed = checkEvent({ kind: 'missed' })
    engine.at(start, [messageEvent(), missed])
    engine.at(start + minute, [], undefined, ['chat/topic/5/deploys', 'ops/check/db'])
    engine.at(start + 2 * minute, [], calm)
    expect(engine.popUps.map(({ title }) => title)).toEqual(['db missed'])
  })

  test('is one with a change that is read as what was said before is over', () => {
    const engine = running({ ...calm, systemQuiet: true })
    engine.at(start, [flip('down', start)])
    engine.at(start + minute, [flip('recovered', start + minute)], undefined, ['ops/check/db'])
    engine.at(start + 2 * minute, [], calm)
    expect(engine.popUps.map(({ title }) => title)).toEqual(['db went down and came back'])
  })

  test('is one notice with a message that comes in the same conversation just then', () => {
    const exceptPeople = [{ accountId: 'chat', userId: 7 }]
    const quietHours = { ...defaultAttention.quietHours, exceptPeople }
    const settings = { ...defaultAttention, quietHours }
    const disturb = { ...calm, settings, silences: [silence({ of: 'everything' })] }
    const engine = running(disturb)
    engine.at(start, [messageEvent()], { ...disturb, systemQuiet: true })
    engine.at(start + minute, [messageEvent({ messageId: 2, at: start + minute })])
    expect(engine.popUps.map(({ reasons }) => reasons.at(-1)?.text)).toEqual([
      '2 events at once, in one notification.',
    ])
  })

  test('counts the outages that no read has shown to end', () => {
    const engine = running({ ...calm, systemQuiet: true })
    engine.at(start, [flip('down', start)])
    const again = { ...flip('down', start + minute), from: 'down', upForMs: second } as const
    engine.at(start + minute, [again])
    engine.at(start + 2 * minute, [flip('recovered', start + 2 * minute)])
    engine.at(start + 3 * minute, [], calm)
    expect(engine.popUps.map(({ title }) => title)).toEqual(['db went down and came back 2 times'])
  })

  test('is shown by the rules of its own kind, or as the outage that it tells of', () => {
    const { ways } = defaultAttention
    const now = { ...ways, message: 'nothing', recovered: 'nothing' } as const
    const engine = running()
    engine.at(start, [flip('down', start)])
    const quiet = { ...calm, systemQuiet: true }
    engine.at(start + minute, [messageEvent({ at: start + minute })], quiet)
    for (const [i, kind] of (['recovered', 'down', 'recovered'] as const).entries())
      engine.at(start + (i + 2) * minute, [flip(kind, start + (i + 2) * minute)], quiet)
    engine.at(start + hour, [], { ...calm, settings: { ...defaultAttention, ways: now } })
    expect(engine.popUps.map(({ title }) => title)).toEqual(['db down', 'db recovered'])
  })

  test.each(['noStart', 'missed'] as const)(
    'of a late check is dropped once that is pinged, whatever else the read shows: %s',
    (kind) => {
      const ways = { ...defaultAttention.ways, late: 'banner' as const }
      const loud = { ...calm, settings: { ...defaultAttention, ways } }
      const quiet = { ...loud, systemQuiet: true }
      const engine = running(loud)
      engine.at(start, [checkEvent({ kind: 'late' }), flip('down', start, 'web')], quiet)
      const pinged = [checkEvent({ kind, at: start + minute })]
      engine.at(start + minute, pinged, quiet, ['ops/check/db'])
      engine.at(start + 2 * minute, [])
      const told = engine.popUps.flatMap(({ title, lines }) => [
        title,
        ...lines.map((one) => one.text),
      ])
      expect(told.join()).toContain('web')
      expect(told.join()).not.toContain('late')
    },
  )
})

describe('a check that is late', () => {
  const said = 'A notice of its last outage is still to come.'
  const quiet = { ...calm, systemQuiet: true }

  test.each([
    ['banner', 'folded', said],
    ['tray', 'tray', expect.stringContaining('Your default')],
  ] as const)(
    '(%s) while its last outage is still to be told changes nothing of that',
    (late, outcome, why) => {
      const ways = { ...defaultAttention.ways, late }
      const settings = { ...defaultAttention, ways }
      const engine = running({ ...quiet, settings })
      engine.at(start, [flip('down', start)])
      engine.at(start + minute, [flip('recovered', start + minute)])
      engine.at(start + 2 * minute, [checkEvent({ kind: 'late', at: start + 2 * minute })])
      const last = engine.listed.at(-1)
      expect([last?.outcome, last?.reasons.at(-1)?.text]).toEqual([outcome, why])
      engine.at(start + 3 * minute, [], { ...calm, settings })
      expect(engine.popUps.map(({ title }) => title)).toEqual(['db went down and came back'])
    },
  )

  test('by the read that shows it as back is told as back', () => {
    const ways = { ...defaultAttention.ways, late: 'banner' as const }
    const engine = running({ ...calm, settings: { ...defaultAttention, ways } })
    engine.at(start, [flip('down', start)])
    const at = start + minute
    engine.at(at, [flip('recovered', at), checkEvent({ kind: 'late', at })])
    expect(engine.popUps.map(({ title }) => title)).toEqual(['db down', 'db recovered'])
    expect(engine.listed.find(({ kind }) => kind === 'late')?.reasons.at(-1)?.text).toBe(said)
  })
})

describe('after a start, the first read of a check that quiet had held back', () => {
  test.each([
    ['down', 'db down', true],
    ['recovered', 'db went down and came back', false],
  ] as const)('%s: “%s” (with sound: %s)', (kind, title, sound) => {
    const engine = running()
    engine.at(start, [flip('down', start)], { ...calm, systemQuiet: true })
    engine.at(start + hour, [], { ...calm, unread: ['ops'] })
    engine.at(start + hour + second, [flip(kind, start + hour + second)])
    expect(engine.popUps.map((one) => [one.title, one.sound])).toEqual([[title, sound]])
    const [only] = engine.popUps
    expect(only?.id.endsWith('/digest')).toBe(kind === 'recovered')
  })
})

test.each([
  ['paused or deleted', [], ['ops/check/db']],
  ['up again', [flip('recovered', start + minute)], []],
])('What was said of a check is forgotten once it is %s', (_what, events, over) => {
  const ways = { ...defaultAttention.ways, down: 'nothing' as const }
  const silent = { ...calm, settings: { ...defaultAttention, ways } }
  for (const context of [calm, silent]) {
    const engine = running(context)
    engine.at(start, [flip('down', start)])
    engine.at(start + minute, events, context, over)
    const { unnotified, downNotifiedAt } = engine.memory()
    expect([unnotified.size, downNotifiedAt.size]).toEqual([0, 0])
  }
})

test('A past outage that is told by itself says what its check is now', () => {
  const engine = running()
  const last = { what: 'was down', from: start - 3 * minute, place: 'Ops' }
  const past = { kind: 'missed', endedAt: start - minute, last, body: 'now up · Ops' } as const
  engine.at(start, [checkEvent(past)])
  expect(engine.popUps.map(({ body }) => body)).toEqual(['now up · Ops'])
})

describe('a digest', () => {
  const quiet = { ...calm, systemQuiet: true }

  /** One that said that db and web are down. */
  function shown() {
    const engine = running()
    engine.at(start, [flip('down', start), flip('down', start, 'web')], quiet)
    engine.at(start + minute, [])
    return engine
  }

  test('says what the one before said if the quiet began soon after that, however long it lasts', () => {
    const engine = shown()
    engine.at(start + 2 * minute, [flip('down', start + 2 * minute, 'api')], quiet)
    for (const minutes of [10, 20, 30]) engine.at(start + minutes * minute, [], quiet)
    engine.at(start + hour, [])
    expect(engine.popUps.at(-1)?.body).toBe('3 checks down · down: db, web and api')
  })

  test('stands for a reminder just after it, and not for a later one', () => {
    const engine = shown()
    const again = (at: number) => ({
      ...flip('down', at),
      id: `again ${at}`,
      isReminder: true as const,
    })
    engine.at(start + 2 * minute, [again(start + 2 * minute)])
    expect(engine.popUps).toHaveLength(1)
    engine.at(start + 4 * minute, [])
    engine.at(start + 20 * minute, [again(start + 20 * minute)])
    expect(engine.popUps.map(({ title }) => title).slice(1)).toEqual(['db down'])
  })

  test('stands for a reminder in a quiet that began soon after it, as the next says the same', () => {
    const engine = shown()
    engine.at(start + 2 * minute, [flip('down', start + 2 * minute, 'api')], quiet)
    const at = start + 20 * minute
    engine.at(at, [{ ...flip('down', at), id: 'again', isReminder: true }], quiet)
    expect(engine.listed.at(-1)).toMatchObject({
      outcome: 'folded',
      reasons: [{ text: 'You were notified just now.' }],
    })
  })
})

describe('the engine', () => {
  test('reports 10,000 flips of one step in one notification, and decides each', () => {
    const events = Array.from({ length: 10_000 }, (_, i) => flip('down', start, `c${i}`))
    const engine = running()
    engine.at(start, events)
    expect(engine.popUps.map(({ title }) => title)).toEqual(['10,000 checks down in ops'])
    expect(engine.memory().once.map(({ checks }) => checks.length)).toEqual([10_000])
  })
})
