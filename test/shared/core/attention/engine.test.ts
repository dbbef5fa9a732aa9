import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AttentionContext } from '../../../../src/shared/core/attention/decision.ts'
import { type Happened, type Step, step } from '../../../../src/shared/core/attention/engine.ts'
import type { AttentionEvent, CheckEvent } from '../../../../src/shared/core/attention/event.ts'
import { type AttentionMemory, emptyMemory } from '../../../../src/shared/core/attention/memory.ts'
import { defaultAttention } from '../../../../src/shared/core/attention/rules.ts'
import { replay, type TakenStep } from '../../../../src/shared/core/attention/trial.ts'
import {
  calm,
  checkEvent,
  messageEvent,
  minute,
  newsOf,
  rule,
  second,
  silence,
  start,
} from '../../../support/attention-eg.ts'
import * as eg from '../../../support/eg.ts'

/** Drives the engine as main does: a step for each event, and one whenever it asks to be woken. */
function drive(
  events: readonly AttentionEvent[],
  context: AttentionContext = calm,
  until = start + 24 * 60 * minute,
): { steps: Step[]; taken: TakenStep[] } {
  const steps: Step[] = []
  const taken: TakenStep[] = []
  let memory: AttentionMemory = emptyMemory
  let wakeAt: number | null = null
  const take = (now: number, happened: Happened): void => {
    const made = step(memory, happened, context, now)
    memory = made.memory
    wakeAt = made.wakeAt
    steps.push(made)
    taken.push({ now, happened, context })
  }
  const wakeUntil = (at: number): void => {
    for (let i = 0; wakeAt !== null && wakeAt < at && i < 10_000; i += 1)
      take(wakeAt, { events: [], over: [] })
  }
  for (const [at, together] of Map.groupBy(events, (event) => event.at)) {
    wakeUntil(at)
    take(at, { events: together, over: [] })
  }
  wakeUntil(until)
  return { steps, taken }
}

const popUpsOf = (steps: readonly Step[]) => steps.flatMap(({ popUps }) => popUps)
const decisionsOf = (steps: readonly Step[]) => steps.flatMap(({ decisions }) => decisions)

describe('One event', () => {
  test('is shown as its kind requires, and says why', () => {
    const made = step(emptyMemory, { events: [checkEvent()], over: [] }, calm, start)
    expect(made.popUps).toMatchObject([{ title: 'db down', sound: true, outcome: 'shown' }])
    expect(made.decisions).toMatchObject([
      { outcome: 'shown', sound: true, noticeId: made.popUps[0]?.id },
    ])
    expect(made.decisions[0]?.reasons[0]?.text).toContain('notification with sound')
  })

  test.each([
    ['late', 'tray'],
    ['recovered', 'shown'],
  ] as const)('of kind %s is %s by default', (kind, outcome) => {
    const made = step(emptyMemory, { events: [checkEvent({ kind })], over: [] }, calm, start)
    expect(made.decisions).toMatchObject([{ outcome }])
  })

  test('is decided by the first matching rule', () => {
    const rules = [
      rule({ id: 'a', tag: 'prod', way: 'banner' }),
      rule({ id: 'b', accountId: 'ops', way: 'nothing' }),
    ]
    const context = { ...calm, settings: { ...defaultAttention, rules } }
    const events = [checkEvent({ tags: ['prod'] }), checkEvent({ checkId: 'web' })]
    const { steps } = drive(events, context)
    expect(
      decisionsOf(steps).map(({ event, outcome, sound }) => [event.title, outcome, sound]),
    ).toEqual(
      expect.arrayContaining([
        ['db down', 'shown', false],
        ['web down', 'silent', false],
      ]),
    )
  })

  test('that the chat’s own settings silence stays silent, unless a rule of the user’s matches', () => {
    const quiet = messageEvent({ chat: { notify: false, sound: false } })
    expect(decisionsOf(drive([quiet]).steps)).toMatchObject([
      { outcome: 'silent', reasons: [{ by: 'chat' }] },
    ])
    const rules = [rule({ channelId: 5, way: 'banner' })]
    const context = { ...calm, settings: { ...defaultAttention, rules } }
    expect(decisionsOf(drive([quiet], context).steps)).toMatchObject([{ outcome: 'shown' }])
  })
})

describe('A check with a rule that delays its notification', () => {
  const settings = { ...defaultAttention, rules: [rule({ afterMinutes: 10 })] }
  const context = { ...calm, settings }

  test('is notified if it is still down after the delay', () => {
    const { steps, taken } = drive([checkEvent()], context)
    const at = taken[steps.findIndex(({ popUps }) => popUps.length > 0)]?.now
    expect(at).toBe(start + 10 * minute)
    expect(decisionsOf(steps)).toMatchObject([{ outcome: 'shown' }])
  })

  test('is not notified, and neither is its recovery, if it recovers within the delay', () => {
    const back = checkEvent({ kind: 'recovered', at: start + 9 * minute })
    const { steps } = drive([checkEvent(), back], context)
    expect(popUpsOf(steps)).toEqual([])
    expect(decisionsOf(steps).map(({ outcome }) => outcome)).toEqual(['silent', 'silent'])
  })

  test('is not notified if it is paused during the delay', () => {
    const first = step(emptyMemory, { events: [checkEvent()], over: [] }, context, start)
    const paused = { events: [], over: ['ops/check/db'] }
    const second = step(first.memory, paused, context, start + minute)
    const later = step(second.memory, { events: [], over: [] }, context, start + 20 * minute)
    expect([...second.popUps, ...later.popUps]).toEqual([])
    expect(second.decisions).toMatchObject([{ outcome: 'silent' }])
  })
})

describe('A storm', () => {
  test('of 1,000 checks in one poll gives one notification that names the cause, with one sound', () => {
    const events = Array.from({ length: 1_000 }, (_, i) =>
      checkEvent({ checkId: `c${i}`, tags: ['host:web3', `n${i}`] }),
    )
    const popUps = popUpsOf(drive(events).steps)
    expect(popUps).toMatchObject([{ title: '1,000 checks down in ops', sound: true }])
    expect(popUps[0]?.body).toContain('all tagged #host:web3')
    expect(popUps[0]?.lines).toHaveLength(50)
  })

  test('of checks going down one by one gives three notifications, then one per project', () => {
    const events = Array.from({ length: 14 }, (_, i) =>
      checkEvent({ checkId: `c${i}`, at: start + i * 300, accountId: i % 2 ? 'ops' : 'web' }),
    )
    const popUps = popUpsOf(drive(events).steps)
    expect(popUps.map(({ title }) => title)).toEqual([
      'c0 down',
      'c1 down',
      'c2 down',
      '6 checks down in ops',
      '5 checks down in web',
    ])
    expect(popUps.filter(({ sound }) => sound)).toHaveLength(2)
  })

  test('that goes on is notified ever more rarely', () => {
    const events = Array.from({ length: 3_600 }, (_, i) =>
      checkEvent({ checkId: `c${i}`, at: start + i * second }),
    )
    expect(popUpsOf(drive(events).steps).length).toBeLessThanOrEqual(3 + 6 + 3_600 / 300)
  })

  test('of checks does not delay a mention', () => {
    const events = [
      ...Array.from({ length: 20 }, (_, i) => checkEvent({ checkId: `c${i}`, at: start + i })),
      messageEvent({ kind: 'mention', at: start + 100 }),
    ]
    const { steps, taken } = drive(events)
    const told = steps.findIndex(({ popUps }) => popUps.some(({ kind }) => kind === 'mention'))
    expect(taken[told]?.now).toBe(start + 100)
  })

  test('of channel messages delays a direct message by 2 s at most', () => {
    const events = [
      ...Array.from({ length: 200 }, (_, i) =>
        messageEvent({ subject: `topic ${i}`, kind: 'mention', at: start + i * 50 }),
      ),
      messageEvent({ kind: 'direct', subject: 'Ada', title: 'Ada', at: start + 5 * second }),
    ].sort((one, other) => one.at - other.at)
    const { steps, taken } = drive(events)
    const shown = taken.filter((_, at) => (steps[at]?.popUps.length ?? 0) > 0)
    const after = shown.filter(({ now }) => now >= start + 5 * second)
    expect(after[0]?.now).toBe(start + 7 * second)
    expect(popUpsOf(steps).length).toBeLessThanOrEqual(6)
  })

  test('of problems does not hide who wrote what', () => {
    const problem = (account: string, at: number): AttentionEvent => ({
      of: 'trouble',
      id: `${account}/unreachable`,
      kind: 'trouble',
      subject: `${account}/unreachable`,
      accountId: account,
      at,
      title: `${account} is unreachable`,
      body: 'Connection refused',
      target: { view: 'checks' },
    })
    const direct = messageEvent({
      kind: 'direct',
      title: 'Ada (to you)',
      body: 'it burns',
      at: start,
    })
    const problems = ['a', 'b', 'c', 'd'].map((account, i) => problem(account, start - 3 + i))
    const popUps = popUpsOf(drive([...problems.slice(0, 3), direct, ...problems.slice(3)]).steps)
    expect(popUps.at(-1)?.body).toBe('Ada (to you): it burns · d is unreachable')
  })

  test('of recoveries says how many checks are still down', () => {
    const down = Array.from({ length: 6 }, (_, i) => checkEvent({ checkId: `c${i}` }))
    const up = down
      .slice(0, 4)
      .map((event) =>
        checkEvent({ checkId: event.checkId, kind: 'recovered', at: start + 20 * minute }),
      )
    const popUps = popUpsOf(drive([...down, ...up], { ...calm, down: { ops: 2 } }).steps)
    expect(popUps[1]).toMatchObject({ title: '4 checks up again in ops' })
    expect(popUps[1]?.body).toContain('2 still down')
  })
})

describe('A flapping check', () => {
  test('is notified twice, then once every five minutes with a count', () => {
    const events = Array.from({ length: 200 }, (_, i) =>
      checkEvent({ kind: i % 2 === 0 ? 'down' : 'recovered', at: start + i * 6 * second }),
    )
    const popUps = popUpsOf(drive(events).steps)
    expect(popUps.length).toBeLessThanOrEqual(2 + 20 / 5 + 1)
    expect(popUps[2]?.title).toMatch(/^db is flapping: \d+ changes, now (down|up)$/)
  })

  test('is decided once for each change, also if what it depends on held that back', () => {
    const site = { of: 'tag', tag: 'site-a' } as const
    const out = { scope: site, except: [], why: 'gateway is down', overAt: 0, reads: [] }
    const kinds = ['down', 'recovered', 'down', 'recovered'] as const
    const made = kinds.map((kind, i) =>
      checkEvent({ kind, at: start + i * second, tags: ['site-a'] }),
    )
    const { steps } = drive(made)
    expect(decisionsOf(steps).map(({ event }) => event.id)).toEqual(made.map(({ id }) => id))
    const [down] = made
    if (down === undefined) throw new Error('there are four')
    const context = { ...calm, dependencies: [out] }
    const held = step(emptyMemory, { events: [down], over: [] }, context, start)
    const told = step(held.memory, { events: [], over: [] }, calm, start + minute)
    expect(told.popUps).toHaveLength(1)
    expect([...held.decisions, ...told.decisions]).toHaveLength(1)
  })

  test('has a notice of its own, and more than three of a project have one for that', () => {
    const titles = (ids: readonly string[]) => {
      const events = Array.from({ length: 3 }, (_, i) =>
        ids.map((checkId) => {
          const [accountId = ''] = checkId.split(' ')
          const at = start + i * minute
          return checkEvent({ kind: i % 2 === 0 ? 'down' : 'recovered', at, checkId, accountId })
        }),
      ).flat()
      const shown = popUpsOf(drive(events).steps).map(({ title }) => title)
      return shown.filter((title) => title.includes('flapping'))
    }
    expect(titles(['ops a', 'ops c', 'web b'])).toEqual([
      'ops a is flapping: now down',
      'ops c is flapping: now down',
      'web b is flapping: now down',
    ])
    expect(titles(['ops a', 'ops b', 'ops c', 'ops d', 'web e'])).toEqual([
      '4 checks are flapping in ops',
      'web e is flapping: now down',
    ])
  })

  test('is notified with its current status', () => {
    const events = Array.from({ length: 3 }, (_, i) =>
      checkEvent({ kind: i % 2 === 0 ? 'down' : 'recovered', at: start + i * 20 * second }),
    )
    expect(popUpsOf(drive(events).steps).at(-1)?.title).toBe('db is flapping: now down')
  })

  test('says how long it has been down at the time of the notification', () => {
    const facts = { cause: null, schedule: eg.check().schedule, isReadOnly: false }
    const events = Array.from({ length: 3 }, (_, i) => {
      const at = start + i * 20 * second
      const body = { ...facts, since: at, serverNow: at }
      return checkEvent({ kind: i % 2 === 0 ? 'down' : 'recovered', at, body })
    })
    expect(popUpsOf(drive(events).steps).map(({ body }) => body)).toEqual([
      expect.not.stringContaining('down for'),
      expect.stringContaining('was down for 0 s'),
      expect.stringContaining('down for 4 min'),
    ])
  })
})

describe('A silence', () => {
  test('suppresses the notification of a snoozed check, and of its recovery', () => {
    const events = [checkEvent(), checkEvent({ kind: 'recovered', at: start + minute })]
    const { steps } = drive(events, { ...calm, silences: [silence({})] })
    expect(decisionsOf(steps)).toMatchObject([
      { outcome: 'silent', reasons: [{}, { by: 'silence' }] },
      { outcome: 'silent' },
    ])
  })

  test('until the next change ends with that change, which is notified', () => {
    const acknowledged = silence({ how: 'acknowledge', until: { kind: 'change' } })
    const context = { ...calm, silences: [acknowledged] }
    const again = step(
      emptyMemory,
      { events: [checkEvent({ from: 'down' })], over: [] },
      context,
      start,
    )
    expect(again.popUps).toHaveLength(1)
  })

  test.each([
    ['tag', { of: 'tag', tag: 'prod' }],
    ['project', { of: 'project', accountId: 'ops' }],
  ] as const)('of a %s covers its checks and no others', (_name, scope) => {
    const events = [
      checkEvent({ tags: ['prod'] }),
      checkEvent({ checkId: 'x', accountId: 'web', tags: [] }),
    ]
    const { steps } = drive(events, { ...calm, silences: [silence({ scope })] })
    expect(popUpsOf(steps).map(({ accountId }) => accountId)).toEqual(['web'])
  })
})

describe('A silenced check', () => {
  test('is also silenced in a bot’s messages, and no other check is', () => {
    const context = { ...calm, silences: [silence({})] }
    const bot = (checkId: string) => messageEvent({ isBot: true, news: newsOf(checkId) })
    expect(popUpsOf(drive([bot('db')], context).steps)).toEqual([])
    expect(popUpsOf(drive([bot('db-backup')], context).steps)).toHaveLength(1)
  })
})

describe('Do-not-disturb', () => {
  const night = {
    enabled: true,
    zone: 'UTC',
    windows: [{ days: [0, 1, 2, 3, 4, 5, 6], from: '14:00', to: '15:00' }],
    exceptTags: ['critical'],
    exceptPeople: [{ accountId: 'chat', userId: 9 }],
  }
  const context = { ...calm, settings: { ...defaultAttention, quietHours: night } }

  test('collects everything into one digest at its end, with a link for each line', () => {
    const events = [checkEvent(), messageEvent({ at: start + minute })]
    const { steps, taken } = drive(events, context)
    const popUps = popUpsOf(steps)
    expect(popUps).toMatchObject([
      {
        kind: 'digest',
        title: 'While you were away',
        body: '1 check down, 1 message · down: db',
        lines: [{ target: { view: 'check' } }, { target: { view: 'conversation' } }],
      },
    ])
    const told = steps.findIndex(({ popUps: shown }) => shown.length > 0)
    expect(taken[told]?.now).toBe(Date.UTC(2026, 2, 17, 15, 0))
  })

  test('lets excepted tags and people through', () => {
    const events = [checkEvent({ tags: ['critical'] }), messageEvent({ senderId: 9 })]
    expect(popUpsOf(drive(events, context).steps)).toHaveLength(2)
  })

  test('for an hour delays a notification until it ends', () => {
    const hour = silence({ scope: { of: 'everything' } })
    const { steps, taken } = drive([checkEvent()], { ...calm, silences: [hour] })
    const told = steps.findIndex(({ popUps }) => popUps.length > 0)
    expect(taken[told]?.now).toBe(start + 60 * minute)
  })
})

describe('One event reported by two services', () => {
  const said = messageEvent({
    isBot: true,
    topic: 'db is DOWN',
    text: 'db is DOWN (success signal did not arrive).',
    at: start + 30 * second,
    news: newsOf('db'),
    chat: { notify: true, sound: true },
  })

  test('gives one notification when the flip comes first', () => {
    const { steps } = drive([checkEvent(), said])
    expect(popUpsOf(steps).map(({ title }) => title)).toEqual(['db down'])
    expect(decisionsOf(steps)[1]).toMatchObject({
      outcome: 'folded',
      reasons: [{}, { by: 'same' }],
    })
  })

  test('gives one notification when the message comes first', () => {
    const { steps } = drive([said, checkEvent({ at: start + minute })])
    expect(popUpsOf(steps)).toHaveLength(1)
  })

  test.each([
    ['another check', { news: newsOf('db-backup') }],
    ['a check of that id on another service', { news: { ...newsOf('db'), accountIds: ['web'] } }],
    ['the opposite state', { news: newsOf('db', 'up') }],
    ['another time', { at: start + 10 * minute }],
  ])('gives two notifications when the message is about %s', (_name, change) => {
    expect(popUpsOf(drive([checkEvent(), { ...said, ...change }]).steps)).toHaveLength(2)
  })
})

/** A day of random checks and messages, some at the same moment. */
const someDay = fc
  .array(
    fc.record({
      what: fc.constantFrom('down', 'recovered', 'late', 'message', 'mention'),
      who: fc.integer({ min: 0, max: 6 }),
      after: fc.integer({ min: 0, max: 20 * minute }),
    }),
    { maxLength: 120 },
  )
  .map((parts) => {
    let at = start
    return parts.map(({ what, who, after }, i): AttentionEvent => {
      at += after % 3 === 0 ? 0 : after
      if (what === 'message' || what === 'mention')
        return messageEvent({ kind: what, messageId: i, at, key: `topic/5/t${who}` })
      return checkEvent({
        kind: what as CheckEvent['kind'],
        checkId: `c${who}`,
        id: `event-${i}`,
        at,
        accountId: who % 2 ? 'ops' : 'web',
        tags: who % 3 ? ['prod'] : [],
      })
    })
  })

const someContext = fc
  .record({
    afterMinutes: fc.constantFrom(0, 5),
    quiet: fc.boolean(),
    snoozed: fc.boolean(),
  })
  .map(
    ({ afterMinutes, quiet, snoozed }): AttentionContext => ({
      ...calm,
      silences: snoozed ? [silence({ scope: { of: 'tag', tag: 'prod' } })] : [],
      settings: {
        ...defaultAttention,
        afterMinutes,
        quietHours: {
          ...defaultAttention.quietHours,
          enabled: quiet,
          zone: 'UTC',
          windows: [{ days: [2], from: '15:00', to: '17:00' }],
        },
      },
    }),
  )

describe('A random day', () => {
  test('decides each event exactly once, with a reason', () => {
    fc.assert(
      fc.property(someDay, someContext, (events, context) => {
        const { steps } = drive(events, context, start + 10 * 24 * 60 * minute)
        const decided = decisionsOf(steps)
        expect(decided.map(({ event }) => event.id).sort()).toEqual(
          events.map(({ id }) => id).sort(),
        )
        for (const { reasons } of decided) expect(reasons.length).toBeGreaterThan(0)
      }),
      { seed: 4711 },
    )
  })

  test('never shows more than six pop-ups in ten seconds, and never two with the same id', () => {
    fc.assert(
      fc.property(someDay, someContext, (events, context) => {
        const { steps, taken } = drive(events, context)
        const times = steps.flatMap(({ popUps }, i) => popUps.map(() => taken[i]?.now ?? 0))
        for (const [i, at] of times.entries())
          expect(
            times.slice(i).filter((other) => other - at < 10 * second).length,
          ).toBeLessThanOrEqual(6)
        const ids = popUpsOf(steps).map(({ id }) => id)
        expect(new Set(ids).size).toBe(ids.length)
      }),
      { seed: 4712 },
    )
  })

  test('gives exactly the same when replayed with the same rules', () => {
    fc.assert(
      fc.property(someDay, someContext, (events, context) => {
        const { steps, taken } = drive(events, context)
        const again = replay(taken, null)
        expect(again.decisions).toEqual(decisionsOf(steps))
        expect(again.popUps).toEqual(popUpsOf(steps))
      }),
      { seed: 4713 },
    )
  })

  test('shows nothing when replayed with a rule that allows nothing', () => {
    const { taken } = drive([checkEvent(), messageEvent({ at: start + minute })])
    const settings = { ...defaultAttention, rules: [rule({ way: 'nothing' })] }
    expect(replay(taken, settings).popUps).toEqual([])
    expect(replay(taken, null).popUps).toHaveLength(2)
  })

  test.each([
    ['tells of an outage when they would have, though nothing happened then', null, 1],
    ['tells of none while the computer slept', start + minute, 0],
  ])('replayed with other rules %s', (_what, sleptFrom, told) => {
    const afterwards = {
      ...calm,
      away: sleptFrom === null ? null : { from: sleptFrom, to: start + 60 * minute },
    }
    const step = (
      at: number,
      kind: 'down' | 'recovered',
      context: AttentionContext,
    ): TakenStep => ({
      now: start + at * minute,
      happened: { events: [checkEvent({ kind, at: start + at * minute })], over: [] },
      context,
    })
    const taken = [step(0, 'down', calm), step(60, 'recovered', afterwards)]
    const settings = { ...defaultAttention, afterMinutes: 10 }
    const { popUps } = replay(taken, settings)
    expect(popUps.filter(({ title }) => title === 'db down')).toHaveLength(told)
  })
})
