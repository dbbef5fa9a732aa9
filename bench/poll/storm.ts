/**
 * Everything goes down in one poll, `storm.ts <port>`: what the whole app tells the user, and how
 * long it takes to decide.
 */
import assert from 'node:assert/strict'
import { uniqueKeyOf } from '../../src/main/base/unique-key.ts'
import { createAttention } from '../../src/main/state/attention-runner.ts'
import { eventsBetween, overBetween } from '../../src/shared/core/attention/events-between.ts'
import { emptyMemory } from '../../src/shared/core/attention/memory.ts'
import { numberWords } from '../../src/shared/core/wording.ts'
import { report } from '../child.ts'
import { wallClock } from '../events/clockwork.ts'
import { median } from '../judge.ts'
import { listService } from './list-service.ts'
import { costOf, threadCpuMs } from './poll-cost.ts'
import { startPolledApp } from './polled-app.ts'

/** Runs that only warm the code, as many as the polls of the bound do. */
const warmRuns = 7
const runs = 7

const [port = 0] = process.argv.slice(2).map(Number)
const service = listService(port)
await service.give(0)
const { app, board, poll, notices, bugs } = await startPolledApp(service.origin)
assert.equal(notices.length, 0)
const before = app.state
const size = board().checks.size
await service.give(1)
const { ms: pollMs, blockMs } = await costOf(poll)
const after = app.state

assert.deepEqual(bugs, [])
assert.equal(board().counts.down, size)
const [notice] = notices
assert.equal(notices.length, 1)
assert.ok(notice?.title.startsWith(`${numberWords(size)} checks`))
const times = Array.from({ length: warmRuns + runs }, decide).slice(warmRuns)
const of = (number: keyof Decided): number => median(times.map((time) => time[number]))
report({
  pollMs,
  blockMs,
  popUps: notices.length,
  sounds: notices.filter(({ sound }) => sound).length,
  decideMs: of('decideMs'),
  decideCpuMs: of('decideCpuMs'),
  stepMs: of('stepMs'),
  stepCpuMs: of('stepCpuMs'),
})

interface Decided {
  readonly decideMs: number
  readonly decideCpuMs: number
  readonly stepMs: number
  readonly stepCpuMs: number
}

/** Finds out what happened between the two states, and decides on it as if for the first time. */
function decide(): Decided {
  const attention = createAttention({
    memory: emptyMemory,
    around: () => ({ systemQuiet: false, away: null }),
    clock: wallClock,
    onDue: () => undefined,
  })
  globalThis.gc?.()
  const begun = spent()
  const now = wallClock.now()
  const events = eventsBetween(before, after, now, uniqueKeyOf)
  const over = overBetween(before, after)
  const found = spent()
  const taken = attention.take(after, { events, over }, now)
  const decided = spent()
  attention.stop()
  assert.equal(events.length, size)
  assert.equal(taken?.popUps.length, 1)
  assert.equal(taken.decisions.length, size)
  return {
    decideMs: decided.ms - begun.ms,
    decideCpuMs: decided.cpuMs - begun.cpuMs,
    stepMs: decided.ms - found.ms,
    stepCpuMs: decided.cpuMs - found.cpuMs,
  }
}

function spent(): { readonly ms: number; readonly cpuMs: number } {
  return { ms: performance.now(), cpuMs: threadCpuMs() }
}
