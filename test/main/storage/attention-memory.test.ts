import { describe, expect, test } from 'vitest'
import { memoryDocument, readMemory } from '../../../src/main/storage/notified-state.ts'
import { step } from '../../../src/shared/core/attention/engine.ts'
import type { CheckEvent } from '../../../src/shared/core/attention/event.ts'
import { type AttentionMemory, emptyMemory } from '../../../src/shared/core/attention/memory.ts'
import { defaultAttention } from '../../../src/shared/core/attention/rules.ts'
import { calm, checkEvent, messageEvent, start } from '../../support/attention-eg.ts'

const facts = { since: start, cause: null, isReadOnly: false, serverNow: start }
const bodies: Readonly<Record<string, CheckEvent['body']>> = {
  slow: { ...facts, schedule: { kind: 'cron', expression: '0 3 * * *', zone: 'Europe/Riga' } },
  night: { ...facts, since: null, schedule: { kind: 'period', periodSeconds: 3_600 } },
}

const flip = (kind: 'down' | 'recovered', at: number, checkId: string) =>
  checkEvent({ kind, at, checkId, tags: ['prod'], body: bodies[checkId] ?? '' })

/** After a flapping check, a storm of which some are held, one that waits and a missed reminder. */
function busy(): AttentionMemory {
  let memory = emptyMemory
  const take = (at: number, events: CheckEvent[], context = calm): void => {
    memory = step(memory, { events, over: [] }, context, at).memory
  }
  for (let i = 0; i < 4; i += 1) {
    const kind = i % 2 === 0 ? 'down' : 'recovered'
    take(start - 60_000 + i * 10_000, [flip(kind, start - 60_000 + i * 10_000, 'flapping')])
  }
  for (let i = 0; i < 8; i += 1) take(start + i, [flip('down', start + i, `c${i}`)])
  const patient = { ...calm, settings: { ...defaultAttention, afterMinutes: 10 } }
  take(start + 10, [flip('down', start + 10, 'slow')], patient)
  const reminder = { ...flip('down', start + 20, 'night'), isReminder: true as const }
  take(start + 20, [reminder], { ...patient, systemQuiet: true })
  const groups = new Map([['ops/check/group', ['ops/check/c1', 'ops/check/c2']]])
  return { ...memory, groups, unnotified: new Set(['ops/check/c3']) }
}

const onDisk = (memory: AttentionMemory): unknown =>
  JSON.parse(JSON.stringify(memoryDocument(memory)))

describe('the memory of the attention engine', () => {
  const held = (memory: AttentionMemory, why: string) =>
    [...memory.waits.values()].filter((one) => one.why === why)

  test('is unchanged after a round trip to disk', () => {
    const memory = busy()
    const whys = ['storm', 'flapping', 'brief', 'quiet']
    expect(whys.map((why) => held(memory, why).length)).toEqual([5, 1, 1, 1])
    expect(memory.changedAt.size).toBeGreaterThan(0)
    expect(readMemory(onDisk(memory))).toEqual(memory)
  })

  test('loses one unreadable alarm, and not all that are held', () => {
    const memory = busy()
    const text = JSON.stringify(memoryDocument(memory))
    const before = held(memory, 'storm').map(({ event }) => event.subject)
    const broken: unknown = JSON.parse(
      text.replaceAll(/"name":"c4"/g, '"name":4').replace(/"popUps":\[[^\]]*\]/, '"popUps":"?"'),
    )
    const read = readMemory(broken)
    expect(held(read, 'storm').map(({ event }) => event.subject)).toEqual(
      before.filter((subject) => subject !== 'ops/check/c4'),
    )
  })
})

describe('a memory that an older version stored', () => {
  const down = (checkId: string, at = start) => flip('down', at, checkId)
  const held = (checkId: string) => ({ event: down(checkId), sound: true })
  const lane = { popUps: [], level: 0, held: [], until: null }
  const mention = messageEvent({ kind: 'mention' })
  const quiet = { from: start, to: null, why: 'quiet' }
  const old = {
    lanes: {
      checks: { ...lane, held: [held('stormy')], until: start + 10_000 },
      others: { ...lane, held: [{ event: mention, sound: true }] },
    },
    soundAt: 0,
    once: [],
    checks: [
      [
        'ops/check/flappy',
        { shownAt: [start - 60_000], held: 3, last: down('flappy'), flapping: false },
      ],
    ],
    waiting: [['ops/check/short', { event: down('short'), way: 'sound', dueAt: start + 60_000 }]],
    missed: [
      { event: down('night', start - 2), sound: true },
      { event: flip('recovered', start - 1, 'night'), sound: false },
    ],
    maintained: [{ scope: '{"of":"tag","tag":"db"}', label: '#db', held: [held('kept')] }],
    quiet,
    lastDigest: { at: start - 1_000, events: [held('said')], quiet },
    recentChecks: [],
    recentMessages: [],
    changedAt: [],
    unseen: [['ops/check/unseen', { event: down('unseen'), at: start - 5, times: 2 }]],
    untold: [],
  }

  test('has everything that waited in its places in the list', () => {
    const waits = [...readMemory(old).waits.values()].map((one) => [
      one.event.subject,
      one.why,
      one.until,
      one.changes,
    ])
    expect(waits).toEqual([
      ['ops/check/short', 'brief', start + 60_000, 1],
      ['ops/check/kept', 'maintenance', null, 1],
      ['ops/check/night', 'quiet', null, 2],
      ['ops/check/stormy', 'storm', start + 10_000, 1],
      ['chat/topic/5/deploys', 'storm', 0, 1],
      ['ops/check/flappy', 'flapping', start + 4 * 60_000, 3],
      ['ops/check/said', 'said', null, 1],
      ['ops/check/unseen', 'reminder', null, 0],
    ])
  })

  test('shows each of them once', () => {
    let { memory, popUps, wakeAt } = step(
      readMemory(old),
      { events: [], over: [] },
      { ...calm, settings: { ...defaultAttention, afterMinutes: 1 } },
      start + 20_000,
    )
    const shown = [...popUps]
    for (let i = 0; wakeAt !== null && i < 20; i += 1) {
      ;({ memory, popUps, wakeAt } = step(memory, { events: [], over: [] }, calm, wakeAt))
      shown.push(...popUps)
    }
    expect(shown.map(({ title, lines }) => [title, ...lines.map(({ text }) => text)])).toEqual([
      ['Maintenance of #db is over', 'kept down'],
      ['While you were away', 'said down', 'night went down and came back'],
      ['stormy down'],
      ['Ana (# ops › deploys)'],
      ['short down'],
      ['flappy is flapping: 3 changes, now down'],
    ])
  })
})
