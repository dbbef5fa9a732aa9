import { describe, expect, test } from 'vitest'
import type { CheckEvent, CheckNews } from '../../../../src/shared/core/attention/event.ts'
import { defaultAttention, type Way } from '../../../../src/shared/core/attention/rules.ts'
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

const { ways } = defaultAttention

const said = (ms: number, state: CheckNews['state'] = 'down') =>
  messageEvent({
    at: start + ms,
    messageId: 1 + ms,
    title: `db is ${state}, says the bot`,
    isBot: true,
    news: newsOf('db', state),
    chat: { notify: true, sound: true },
  })
const flip = (kind: CheckEvent['kind'], ms: number, change: Partial<CheckEvent> = {}) =>
  checkEvent({ kind, at: start + ms, ...change })

const outcomes = ({ listed }: ReturnType<typeof running>) => listed.map(({ outcome }) => outcome)
const titles = ({ popUps }: ReturnType<typeof running>) => popUps.map(({ title }) => title)

describe('the same news from a bot and from the check', () => {
  test.each<[CheckEvent['kind'], Way, Way, string]>([
    ['down', 'sound', 'sound', 'folded'],
    ['down', 'sound', 'banner', 'shown'],
    ['down', 'banner', 'banner', 'folded'],
    ['down', 'banner', 'tray', 'shown'],
    ['down', 'tray', 'tray', 'folded'],
    ['recovered', 'sound', 'banner', 'folded'],
    ['recovered', 'banner', 'tray', 'shown'],
  ])('%s, which is “%s”, after a message, which is “%s”, is %s', (kind, way, message, outcome) => {
    const settings = { ...defaultAttention, ways: { ...ways, [kind]: way, message } }
    const engine = running({ ...calm, settings })
    engine.at(start, [said(0, kind === 'down' ? 'down' : 'up')])
    engine.at(start + 20 * second, [flip(kind, 20 * second)])
    expect(outcomes(engine).at(-1)).toBe(outcome)
  })

  test.each<[Way, string]>([
    ['banner', 'folded'],
    ['tray', 'shown'],
    ['nothing', 'shown'],
  ])('the outage, which is “%s”, first: the message is %s', (down, outcome) => {
    const settings = { ...defaultAttention, ways: { ...ways, down } }
    const engine = running({ ...calm, settings })
    engine.at(start, [flip('down', 0)])
    engine.at(start + 20 * second, [said(20 * second)])
    expect(outcomes(engine).at(-1)).toBe(outcome)
  })

  test('both listed only, is listed once', () => {
    const settings = {
      ...defaultAttention,
      ways: { ...ways, down: 'tray', message: 'tray' },
    } as const
    const engine = running({ ...calm, settings })
    engine.at(start, [flip('down', 0)])
    engine.at(start + 20 * second, [said(20 * second)])
    expect(outcomes(engine)).toEqual(['tray', 'folded'])
  })

  test.each([
    ['the message first', [said(0), flip('down', second)], 'db is down, says the bot'],
    ['the outage first', [flip('down', 0), said(second)], 'db down'],
  ])('is told once after the quiet, %s', (_first, events, title) => {
    const engine = running({ ...calm, systemQuiet: true })
    for (const event of events) engine.at(event.at, [event])
    engine.at(start + minute, [], calm)
    expect(titles(engine)).toEqual([title])
  })

  test('in one step is told once', () => {
    const engine = running()
    engine.at(start, [said(0), flip('down', 0)])
    expect(titles(engine)).toEqual(['db is down, says the bot'])
  })

  test('is found among other messages about the check', () => {
    const engine = running()
    engine.at(start, [said(0, 'up')])
    engine.at(start + second, [said(second)])
    engine.at(start + 20 * second, [flip('down', 20 * second)])
    expect(outcomes(engine)).toEqual(['shown', 'shown', 'folded'])
  })

  test('by a person who breaks the quiet isn’t told again after it', () => {
    const exceptPeople = [{ accountId: 'chat', userId: 7 }]
    const quietHours = { ...defaultAttention.quietHours, exceptPeople }
    const settings = { ...defaultAttention, quietHours }
    const everything = silence({ how: 'mute', scope: { of: 'everything' } })
    const engine = running({ ...calm, settings, silences: [everything] })
    engine.at(start, [flip('down', 0)])
    engine.at(start + minute, [flip('recovered', minute)])
    engine.at(start + 3 * minute, [said(3 * minute)])
    engine.at(start + 3 * minute + second, [flip('down', 3 * minute + second)])
    engine.at(start + 60 * minute, [], calm)
    expect(titles(engine)).toEqual(['db is down, says the bot'])
  })

  test('is repeated as any outage is', () => {
    const rules = [rule({ kinds: ['down'], repeatMinutes: 10 })]
    const engine = running({ ...calm, settings: { ...defaultAttention, rules } })
    engine.at(start, [said(0)])
    engine.at(start + second, [flip('down', second)])
    engine.wakeUntil(start + 11 * minute)
    expect(titles(engine)).toEqual(['db is down, says the bot', 'db is still down'])
  })
})

describe('a check that was up between two reads, from 30 s on at the earliest', () => {
  const now = start + minute
  const known = facts(now - 20 * second, now)
  test.each<[string, number, CheckEvent['body'], string]>([
    ['before that', 25, known, 'shown'],
    ['after that', 35, known, 'folded'],
    ['at any time, if nobody knows since when it is down', 55, { ...known, since: null }, 'shown'],
    ['at any time, if an older version stored it', 55, 'down', 'shown'],
  ])('whose bot said so %s', (_when, seconds, body, outcome) => {
    const engine = running()
    engine.at(start + seconds * second, [said(seconds * second)])
    const again = { from: 'down', upForMs: 10 * second, body } as const
    engine.at(now, [flip('down', minute, again)])
    expect(outcomes(engine).at(-1)).toBe(outcome)
  })
})
