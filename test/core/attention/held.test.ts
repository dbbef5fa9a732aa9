import { describe, expect, test } from 'vitest'
import { type Happened, step } from '../../../src/shared/core/attention/engine.ts'
import type { CheckEvent, MessageEvent } from '../../../src/shared/core/attention/event.ts'
import type { AttentionContext } from '../../../src/shared/core/attention/judge.ts'
import { type AttentionMemory, emptyMemory } from '../../../src/shared/core/attention/memory.ts'
import { defaultAttention } from '../../../src/shared/core/attention/rules.ts'
import type { Silence } from '../../../src/shared/core/attention/silence.ts'
import type { Notice } from '../../../src/shared/core/notice.ts'

const start = Date.UTC(2026, 2, 17, 14, 25)
const second = 1_000
const minute = 60 * second

const calm: AttentionContext = {
  settings: defaultAttention,
  sounds: true,
  silences: [],
  systemQuiet: false,
  away: null,
  unread: [],
  down: {},
}

function flip(kind: 'down' | 'recovered', at: number, checkId = 'db'): CheckEvent {
  const subject = `ops/check/${checkId}`
  return {
    of: 'check',
    kind,
    id: `${subject}/${kind}@${at}`,
    at,
    accountId: 'ops',
    subject,
    title: `${checkId} ${kind}`,
    body: '',
    target: { view: 'check', accountId: 'ops', checkId },
    checkId,
    name: checkId,
    project: 'ops',
    tags: [],
    from: kind === 'recovered' ? 'down' : 'up',
  }
}

function botMessage(at: number, messageId: number, text: string): MessageEvent {
  const topic = text.split(' (')[0] ?? text
  return {
    of: 'message',
    kind: 'message',
    id: `chat/message/${messageId}`,
    at,
    accountId: 'chat',
    subject: `chat/topic/5/${topic}`,
    title: 'bot',
    body: text,
    target: { view: 'chat' },
    messageId,
    key: `topic/5/${topic}`,
    channelId: 5,
    topic,
    senderId: 99,
    senderName: 'bot',
    isBot: true,
    text,
    chat: { notify: true, sound: false },
  }
}

function silence(scope: Silence['scope']): Silence {
  return {
    id: 's',
    how: 'snooze',
    scope,
    until: { kind: 'time', at: start + 60 * minute },
    since: start,
    by: null,
    label: 's',
    status: 'down',
    messageId: null,
  }
}

/** An engine and its clock: steps are taken as main does, each wake at its time. */
function running() {
  let memory: AttentionMemory = emptyMemory
  let wakeAt: number | null = null
  const popUps: Notice[] = []
  const listed: Notice[] = []
  const take = (now: number, context: AttentionContext, happened: Happened): void => {
    const made = step(memory, happened, context, now)
    memory = made.memory
    wakeAt = made.wakeAt
    popUps.push(...made.popUps)
    listed.push(...made.listed)
  }
  return {
    popUps,
    listed,
    at(
      now: number,
      events: readonly (CheckEvent | MessageEvent)[],
      context = calm,
      over: readonly string[] = [],
    ) {
      take(now, context, { events, over })
    },
    wakeUntil(until: number, context = calm) {
      for (let i = 0; wakeAt !== null && wakeAt <= until && i < 1_000; i += 1)
        take(wakeAt, context, { events: [], over: [] })
    },
  }
}

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

describe('what is held back', () => {
  test('of a flapping check is not told after it was snoozed', () => {
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

  test('of a flapping check is not told after it was paused', () => {
    const engine = running()
    const at = flap(engine, ['db'])
    const before = engine.popUps.length
    engine.at(at + second, [], calm, ['ops/check/db'])
    engine.wakeUntil(start + 20 * minute)
    expect(engine.popUps).toHaveLength(before)
  })

  test('of a storm comes with the digest when nobody is to be disturbed meanwhile', () => {
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

  test('of many flapping checks is told in one notice', () => {
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

describe('a bot’s message', () => {
  test('of the first outage does not hide the second one', () => {
    const engine = running()
    engine.at(start, [flip('down', start)])
    engine.at(start + 5 * second, [botMessage(start + 5 * second, 1, 'db is DOWN (no ping)')])
    engine.at(start + 30 * second, [flip('recovered', start + 30 * second)])
    engine.popUps.splice(0)
    engine.wakeUntil(start + 60 * second)
    const again = start + 60 * second
    engine.at(again, [flip('down', again)])
    const told = engine.listed.find(({ id }) => id === `ops/check/db/down@${again}`)
    // Two flips of one check within five minutes: counted as flapping, but never “told already”.
    expect(told?.reasons.map(({ by }) => by)).not.toContain('same')
  })

  test('of the second outage is one with it, whichever comes first', () => {
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

describe('the engine', () => {
  test('takes 10,000 flips in one step in a blink, by the best of five', () => {
    const events = Array.from({ length: 10_000 }, (_, i) => flip('down', start, `c${i}`))
    const times = Array.from({ length: 5 }, () => {
      const before = performance.now()
      const made = step(emptyMemory, { events, over: [] }, calm, start)
      expect(made.popUps).toHaveLength(1)
      return performance.now() - before
    })
    // A tenth of it on a machine that does nothing else.
    expect(Math.min(...times)).toBeLessThan(600)
  })
})
