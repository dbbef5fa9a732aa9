import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AttentionContext } from '../../../../src/shared/core/attention/decision.ts'
import { type Happened, step } from '../../../../src/shared/core/attention/engine.ts'
import type { AttentionEvent } from '../../../../src/shared/core/attention/event.ts'
import { type AttentionMemory, emptyMemory } from '../../../../src/shared/core/attention/memory.ts'
import { defaultAttention } from '../../../../src/shared/core/attention/rules.ts'
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

interface Act {
  readonly afterMs: number
  readonly what: 'down' | 'recovered' | 'missed' | 'said' | 'quiet' | 'maintenance'
  readonly checkId: string
  readonly setBackMs: number
}

const act: fc.Arbitrary<Act> = fc.record({
  afterMs: fc.constantFrom(0, second, 4 * second, 20 * second, minute, 7 * minute),
  what: fc.constantFrom('down', 'down', 'recovered', 'missed', 'said', 'quiet', 'maintenance'),
  checkId: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  setBackMs: fc.constantFrom(0, 0, 0, 3 * second, 5 * minute, 2 * 60 * minute, 24 * 60 * minute),
})

const maintenance = silence({
  how: 'maintenance',
  scope: { of: 'project', accountId: 'ops' },
  status: null,
  until: { kind: 'ever' },
})
const contexts = fc.record({ afterMinutes: fc.constantFrom(0, 2, 10), repeats: fc.boolean() })

function eventOf({ what, checkId }: Act, at: number, nth: number): AttentionEvent | null {
  if (what === 'quiet' || what === 'maintenance') return null
  if (what !== 'said') return checkEvent({ kind: what, checkId, at, id: `${nth}` })
  const sound = { notify: true, sound: true }
  return messageEvent({ messageId: nth, at, isBot: true, news: newsOf(checkId), chat: sound })
}

/** What pops up, and after how much time, on a clock that is set back or one that is not. */
function shown(acts: readonly Act[], usual: AttentionContext, isSetBack: boolean) {
  let memory: AttentionMemory = emptyMemory
  let wakeAt: number | null = null
  let clockMs = start
  let passed = 0
  let context = usual
  const popUps: unknown[] = []
  const take = (happened: Happened): void => {
    const made = step(memory, happened, context, clockMs + passed)
    memory = made.memory
    wakeAt = made.wakeAt
    for (const { title, sound, kind, lines } of made.popUps)
      popUps.push({ passed, title, sound, kind, lines: lines.map(({ text }) => text) })
  }
  const until = (end: number): void => {
    for (let i = 0; wakeAt !== null && wakeAt - clockMs <= end && i < 500; i += 1) {
      passed = Math.max(passed, wakeAt - clockMs)
      take({ events: [], over: [] })
    }
    passed = end
  }
  for (const [nth, one] of acts.entries()) {
    until(passed + one.afterMs)
    if (isSetBack && one.setBackMs > 0) {
      clockMs -= one.setBackMs
      take({ events: [], over: [], setBackMs: one.setBackMs })
    }
    if (one.what === 'quiet') context = { ...context, systemQuiet: !context.systemQuiet }
    if (one.what === 'maintenance')
      context = { ...context, silences: context.silences.length > 0 ? [] : [maintenance] }
    const event = eventOf(one, clockMs + passed, nth)
    take({ events: event === null ? [] : [event], over: [] })
  }
  context = usual
  until(passed + 30 * minute)
  return popUps
}

test('Setting the clock back changes nothing about what pops up, and when', () => {
  let shownAtAll = 0
  fc.assert(
    fc.property(fc.array(act, { maxLength: 30 }), contexts, (acts, { afterMinutes, repeats }) => {
      const rules = repeats ? [rule({ kinds: ['down'], repeatMinutes: 5 })] : []
      const context = { ...calm, settings: { ...defaultAttention, afterMinutes, rules } }
      const usual = shown(acts, context, false)
      shownAtAll += usual.length
      expect(shown(acts, context, true)).toEqual(usual)
    }),
    { seed: 20_261_127, numRuns: 1_000 },
  )
  expect(shownAtAll).toBeGreaterThan(5_000)
})
