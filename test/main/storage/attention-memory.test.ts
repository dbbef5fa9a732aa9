import { describe, expect, test } from 'vitest'
import { memoryDocument, readMemory } from '../../../src/main/storage/notified-state.ts'
import { step } from '../../../src/shared/core/attention/engine.ts'
import type { CheckEvent } from '../../../src/shared/core/attention/event.ts'
import { type AttentionMemory, emptyMemory } from '../../../src/shared/core/attention/memory.ts'
import { defaultAttention } from '../../../src/shared/core/attention/rules.ts'
import { calm, checkEvent, start } from '../../support/attention-eg.ts'

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
  return memory
}

const onDisk = (memory: AttentionMemory): unknown =>
  JSON.parse(JSON.stringify(memoryDocument(memory)))

describe('the memory of the attention engine', () => {
  test('is unchanged after a round trip to disk', () => {
    const memory = busy()
    expect(memory.lanes.checks.held.length).toBeGreaterThan(0)
    expect([memory.waiting.size, memory.missed.length, memory.changedAt.size > 0]).toEqual([
      1,
      1,
      true,
    ])
    expect(readMemory(onDisk(memory))).toEqual(memory)
  })

  test('loses one unreadable alarm, and not all that are held', () => {
    const memory = busy()
    const text = JSON.stringify(memoryDocument(memory))
    const held = memory.lanes.checks.held.map(({ event }) => event.subject)
    const broken: unknown = JSON.parse(
      text.replaceAll(/"name":"c4"/g, '"name":4').replace(/"popUps":\[[^\]]*\]/, '"popUps":"?"'),
    )
    const read = readMemory(broken)
    expect(read.lanes.checks.held.map(({ event }) => event.subject)).toEqual(
      held.filter((subject) => subject !== 'ops/check/c4'),
    )
    expect(read.lanes.checks.until).toBe(memory.lanes.checks.until)
  })
})
