import fc from 'fast-check'
import { expect, test } from 'vitest'
import { memoryDocument, readMemory } from '../../../../src/main/storage/notified-state.ts'
import type { AttentionContext } from '../../../../src/shared/core/attention/decision.ts'
import { type Happened, step } from '../../../../src/shared/core/attention/engine.ts'
import type { CheckEvent } from '../../../../src/shared/core/attention/event.ts'
import { type AttentionMemory, emptyMemory } from '../../../../src/shared/core/attention/memory.ts'
import type { Notice } from '../../../../src/shared/core/attention/notice.ts'
import { defaultAttention } from '../../../../src/shared/core/attention/rules.ts'
import { calm, checkEvent, minute, second, silence, start } from '../../../support/attention-eg.ts'

/*
 * A notice speaks of now. Held against a plain account of what each check is and what was said of it
 * last: nothing that pops up contradicts what is so, "up again" and "down again" follow a "down", an
 * outage is told once, and in the end the user knows of everything that is down.
 */

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'] as const
type Name = (typeof names)[number]

const turn = fc.record({
  after: fc.constantFrom(0, second, 8 * second, minute, 4 * minute, 20 * minute),
  flips: fc.subarray([...names]),
  /** Up and down again between two reads: for a check that is down. */
  isBetween: fc.constantFrom(false, false, true),
  change: fc.constantFrom('none', 'none', 'none', 'quiet', 'away', 'maintenance', 'restart'),
})
type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never

const accountOf = (name: Name) => (name < 'e' ? 'ops' : 'web')

/** What a text says that a check is; null: nothing about a check. */
function said(text: string): { name: string; is: 'down' | 'up'; needs?: 'down' | 'up' } | null {
  const [, name = '', rest = ''] = /^([a-g]) (.*)$/.exec(text.replace(/ · \d+ changes?$/, '')) ?? []
  const flapping = /^is flapping: .*now (down|up)$/.exec(rest)
  if (flapping !== null) return { name, is: flapping[1] as 'down' | 'up' }
  if (rest.startsWith('went down and came back')) return { name, is: 'up', needs: 'up' }
  if (rest.startsWith('is down again')) return { name, is: 'down', needs: 'down' }
  if (rest === 'recovered') return { name, is: 'up', needs: 'down' }
  return rest === 'down' || rest === 'is down' ? { name, is: 'down', needs: 'up' } : null
}

const saidIn = ({ title, lines }: Notice) =>
  (lines.length > 0 ? lines.map(({ text }) => text) : [title]).flatMap((text) => said(text) ?? [])

function live(turns: readonly Turn[], afterMinutes: number) {
  const settings = { ...defaultAttention, afterMinutes }
  const is = new Map<string, 'down' | 'up'>(names.map((name) => [name, 'up']))
  const told = new Map(is)
  const faults: string[] = []
  const sayings: string[] = []
  let context: AttentionContext = { ...calm, settings }
  let memory: AttentionMemory = emptyMemory
  let wakeAt: number | null = null
  let now = start
  /** What the last digest was about: one that soon follows takes its place. */
  let digested = new Set<string>()
  const hear = (notice: Notice): void => {
    const isDigest = notice.subject.startsWith('digest') || notice.id.endsWith('/digest')
    const before = isDigest ? digested : new Set()
    if (isDigest) digested = new Set(saidIn(notice).map(({ name }) => name))
    for (const one of saidIn(notice)) {
      const words = `${notice.title}: ${one.name} ${one.is} at ${(now - start) / second} s`
      sayings.push(words)
      if (one.is !== is.get(one.name)) faults.push(`untrue: ${words}`)
      const isNew = !before.has(one.name) && one.needs !== undefined
      if (isNew && told.get(one.name) !== one.needs)
        faults.push(`after ${told.get(one.name)}: ${words}`)
      told.set(one.name, one.is)
    }
  }
  const take = (happened: Happened): void => {
    const made = step(memory, happened, context, now)
    ;({ memory, wakeAt } = made)
    made.popUps.forEach(hear)
  }
  const sleep = (until: number): void => {
    for (let i = 0; wakeAt !== null && wakeAt <= until && i < 1_000; i += 1) {
      now = Math.max(now, wakeAt)
      take({ events: [], over: [] })
    }
    now = Math.max(now, until)
  }
  for (const [nth, { after, flips, isBetween, change }] of turns.entries()) {
    sleep(now + after)
    if (change === 'quiet') context = { ...context, systemQuiet: !context.systemQuiet }
    if (change === 'away')
      context = { ...context, away: context.away === null ? { from: now, to: now } : null }
    if (change === 'maintenance')
      context = { ...context, silences: context.silences.length > 0 ? [] : [maintenance] }
    if (change === 'restart') {
      memory = readMemory(JSON.parse(JSON.stringify(memoryDocument(memory))))
      context = { ...context, unread: ['ops', 'web'] }
      take({ events: [], over: [] })
      context = { ...context, unread: [] }
    }
    const events = flips.map((name): CheckEvent => {
      const isAgain = isBetween && is.get(name) === 'down'
      const kind = isAgain || is.get(name) === 'up' ? 'down' : 'recovered'
      is.set(name, kind === 'down' ? 'down' : 'up')
      const event = checkEvent({ kind, checkId: name, accountId: accountOf(name), at: now })
      const id = `${nth} ${name}`
      return isAgain ? { ...event, id, from: 'down', upForMs: second } : { ...event, id }
    })
    take({ events, over: [] })
  }
  context = { ...calm, settings }
  now += second
  take({ events: [], over: [] })
  sleep(now + 60 * minute)
  for (const name of names)
    if (is.get(name) !== told.get(name))
      faults.push(`in the end ${name} is ${is.get(name)}, told ${told.get(name)}`)
  return { faults, sayings }
}

const maintenance = silence({
  how: 'maintenance',
  scope: { of: 'project', accountId: 'ops' },
  status: null,
  until: { kind: 'ever' },
})

test('A notice says what is so now, and follows from what was said before', () => {
  let count = 0
  fc.assert(
    fc.property(
      fc.array(turn, { minLength: 5, maxLength: 40 }),
      fc.constantFrom(0, 0, 3),
      (turns, minutes) => {
        const { faults, sayings } = live(turns, minutes)
        count += sayings.length
        expect(faults).toEqual([])
      },
    ),
    { seed: 20_261_128, numRuns: 1_000 },
  )
  // Control: much was said.
  expect(count).toBeGreaterThan(5_000)
})
