import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  createStepWriter,
  replaySteps,
  wholeSteps,
} from '../../../src/main/state/attention-record.ts'
import type { Taken } from '../../../src/main/state/attention-runner.ts'
import { openHistory } from '../../../src/main/storage/history-database.ts'
import { step } from '../../../src/shared/core/attention/engine.ts'
import { emptyMemory } from '../../../src/shared/core/attention/memory.ts'
import { replay } from '../../../src/shared/core/attention/trial.ts'
import { calm, checkEvent, messageEvent, start } from '../../support/attention-eg.ts'

const down = (checkId: string, at: number) =>
  checkEvent({ checkId, at, title: `${checkId} is “down”`, body: 'never pinged' })

test('the steps of a storm are restored from disk unchanged, including the first step of a run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'belfry-steps-'))
  const history = openHistory({
    file: join(folder, 'history.db'),
    now: () => start,
    onTrouble: () => undefined,
  })
  try {
    const writer = createStepWriter()
    const names = Array.from({ length: 1_000 }, (_, i) => `c${i}`)
    let memory = emptyMemory
    const taken = [0, 1, 2].map((i): Taken => {
      const now = start + i * 1_000
      const happened = { events: i === 1 ? [] : names.map((name) => down(name, now)), over: [] }
      const before = memory
      const made = step(before, happened, calm, now)
      memory = made.memory
      return { ...made, now, happened, context: calm, before }
    })
    for (const one of taken)
      history.add(writer.entriesOf(one).map((entry) => ({ ...entry, accountId: 'attention' })))
    // A step of an older version, larger than an entry may be.
    history.add([
      { at: start, accountId: 'attention', subject: 'attention', kind: 'step', data: null },
    ])
    await history.settled()
    const kept = history.entries({
      accountId: 'attention',
      from: start,
      kinds: ['step'],
      limit: 500,
    })
    expect(kept.length).toBeGreaterThan(taken.length)
    const read = replaySteps(kept)
    expect(read.steps).toEqual(taken.map(({ now, happened }) => ({ now, happened, context: calm })))
    expect(read.memory).toEqual(emptyMemory)
  } finally {
    history.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a replay of the last week finds its starting point in a run of many weeks', () => {
  const hourMs = 60 * 60_000
  const writer = createStepWriter()
  let memory = emptyMemory
  const taken = Array.from({ length: 3 * 7 * 24 * 4 }, (_, quarter): Taken => {
    const now = start + (quarter * hourMs) / 4
    const happened = { events: [down(`c${quarter}`, now)], over: [] }
    const before = memory
    const made = step(before, happened, calm, now)
    memory = made.memory
    return { ...made, now, happened, context: calm, before }
  })
  const kept = taken.map((one) => ({ one, entries: writer.entriesOf(one) }))
  const from = start + 2 * 7 * 24 * hourMs + 10 * 60_000
  const read = replaySteps(
    kept.filter(({ one }) => one.now >= from).flatMap(({ entries }) => entries),
  )
  const [first] = read.steps
  expect(first?.now).toBeLessThan(from + hourMs)
  const rest = taken.filter(({ now }) => now >= (first?.now ?? 0))
  expect(read.steps).toHaveLength(rest.length)
  expect(replay(read.steps, null, read.memory).decisions).toEqual(
    rest.flatMap(({ decisions }) => decisions),
  )
})

test('messages are stored without their text, even those that wait', () => {
  const message = messageEvent({ body: 'two words', text: 'two words' })
  const happened = { events: [message], over: [] }
  const waits = new Map([
    [
      message.id,
      {
        event: message,
        why: 'quiet',
        until: null,
        sound: true,
        wasDown: false,
        changes: 1,
      } as const,
    ],
  ])
  const before = { ...emptyMemory, waits, recentMessages: [message] }
  const made = step(before, happened, calm, start)
  const entries = createStepWriter().entriesOf({
    ...made,
    now: start,
    happened,
    context: calm,
    before,
  })
  expect(JSON.stringify(entries)).not.toContain('two words')
  const bare = { ...message, body: '', text: '' }
  const { steps, memory } = replaySteps(JSON.parse(JSON.stringify(entries)) as typeof entries)
  expect(steps[0]?.happened.events).toEqual([bare])
  expect(memory.waits.get(message.id)?.event).toEqual(bare)
  // An older version stored it.
  const older = { ...entries[0]!, data: { now: start, happened } }
  expect(wholeSteps([older])[0]?.happened).toEqual(happened)
})
