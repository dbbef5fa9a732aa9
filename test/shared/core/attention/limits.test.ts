import { describe, expect, test } from 'vitest'
import type { AttentionEvent } from '../../../../src/shared/core/attention/event.ts'
import { missedLimit } from '../../../../src/shared/core/attention/memory.ts'
import { defaultAttention } from '../../../../src/shared/core/attention/rules.ts'
import {
  calm,
  checkEvent,
  messageEvent,
  minute,
  newsOf,
  rule,
  running,
  second,
  start,
} from '../../../support/attention-eg.ts'

const many = <Event extends AttentionEvent>(count: number, of: (nth: number) => Event) =>
  Array.from({ length: count }, (_, nth) => of(nth))
const falls = (count: number, at = start, name = 'c') =>
  many(count, (nth) => checkEvent({ checkId: `${name}${nth}`, at, tags: ['site-a'] }))
const messages = (count: number) =>
  many(count, (nth) => messageEvent({ messageId: nth, key: `topic/5/t${nth}` }))
const subjects = (events: readonly AttentionEvent[]) => events.map(({ subject }) => subject)

describe('of what waits for the end of quiet, a thousand are kept', () => {
  const quiet = { ...calm, systemQuiet: true }
  const keys = (...events: AttentionEvent[]) => {
    const engine = running(quiet)
    engine.at(start, events)
    return [...engine.memory().waits.values()].map(({ event }) => event.subject)
  }

  test('those that went down last, in their order', () => {
    const events = falls(missedLimit + 200)
    expect(keys(...events)).toEqual(subjects(events).slice(200))
  })

  test.each(['before', 'after'])('checks in preference to messages that came %s them', (when) => {
    const [checks, chatter] = [falls(400), messages(700)]
    const kept = [subjects(chatter).slice(100), subjects(checks)]
    const inOrder = when === 'before' ? [...chatter, ...checks] : [...checks, ...chatter]
    expect(keys(...inOrder)).toEqual((when === 'before' ? kept : kept.toReversed()).flat())
  })

  test('beside a thousand that wait for something else', () => {
    const rules = [rule({ tag: 'slow', afterMinutes: 10 })]
    const engine = running({ ...quiet, settings: { ...defaultAttention, rules } })
    const brief = falls(800, start, 'brief').map((event) => ({ ...event, tags: ['slow'] }))
    engine.at(start, [...brief, ...falls(800)])
    expect(engine.memory().waits.size).toBe(1_600)
  })
})

describe('of outages that nothing has shown yet, none is dropped', () => {
  test('while they may be too short', () => {
    const settings = { ...defaultAttention, afterMinutes: 10 }
    const engine = running({ ...calm, settings })
    engine.at(start, falls(missedLimit + 200))
    engine.wakeUntil(start + 11 * minute)
    expect(engine.popUps.map(({ title }) => title)).toEqual(['1,200 checks down in ops'])
  })

  test('while what they depend on is down', () => {
    const scope = { of: 'tag', tag: 'site-a' } as const
    const one = { scope, except: [], why: 'gateway is down', overAt: 0, reads: [] }
    const engine = running()
    engine.at(start, falls(missedLimit + 200), { ...calm, dependencies: [one] })
    engine.at(start + minute, [])
    expect(engine.popUps.map(({ title }) => title)).toEqual(['1,200 checks down in ops'])
  })
})

describe('of the checks that changed', () => {
  test('the last thousand are remembered, and when the user was told', () => {
    const engine = running()
    const [first, last] = [falls(600, start, 'a'), falls(600, start + second, 'b')]
    engine.at(start, first)
    engine.at(start + second, last)
    const newest = subjects([...first, ...last]).slice(200)
    const { changedAt, downNotifiedAt } = engine.memory()
    expect([...changedAt.keys()]).toEqual(newest)
    expect([...downNotifiedAt.keys()]).toEqual(newest)
  })

  test('one that changed again counts as changed last, so no old message stands for its new outage', () => {
    const engine = running()
    const db = (kind: 'down' | 'recovered', at: number) => checkEvent({ kind, at })
    engine.at(start, [db('down', start)])
    const news = newsOf('db')
    const chat = { notify: true, sound: true }
    engine.at(start + second, [messageEvent({ at: start + second, isBot: true, news, chat })])
    engine.at(start + second, falls(missedLimit - 1, start + second))
    engine.at(start + 2 * second, [db('recovered', start + 2 * second)])
    engine.at(start + 3 * second, falls(1, start + 3 * second, 'last'))
    engine.at(start + minute, [db('down', start + minute)])
    const told = engine.listed.find(({ id }) => id === `ops/check/db/down@${start + minute}`)
    expect(told?.reasons.map(({ by }) => by)).not.toContain('same')
  })
})
