import { expect, test } from 'vitest'
import type { AttentionContext } from '../../../../../src/shared/core/attention/decision.ts'
import { step } from '../../../../../src/shared/core/attention/engine.ts'
import { emptyMemory } from '../../../../../src/shared/core/attention/memory.ts'
import { defaultAttention } from '../../../../../src/shared/core/attention/rules.ts'
import {
  calm,
  checkEvent,
  minute,
  running,
  second,
  start,
} from '../../../../support/attention-eg.ts'

const odd = (checkId: string, at: number) =>
  checkEvent({
    ...{ kind: 'tooLong', checkId, at, id: `odd ${checkId}` },
    ...{ why: 'This run took 3 h.', body: 'took 3 h' },
  })
const names = ['a', 'b', 'c', 'd', 'e']

test('Runs that are not as usual take no alarm’s turn', () => {
  const engine = running(calm)
  for (const [index, name] of names.entries())
    engine.at(start + index * second, [odd(name, start + index * second)])
  const at = start + 6 * second
  engine.at(at, [checkEvent({ kind: 'down', checkId: 'db', at })])
  expect(engine.popUps.at(-1)?.kind).toBe('down')
})

test('A run that is not as usual leaves what was said of its check, which is still so', () => {
  const ways = { ...defaultAttention.ways, late: 'banner' } as const
  const context: AttentionContext = { ...calm, settings: { ...defaultAttention, ways } }
  const events = names.map((checkId) => checkEvent({ kind: 'late', checkId, at: start }))
  let { memory, popUps } = step(emptyMemory, { events, over: [] }, context, start)
  expect(popUps).toHaveLength(1)
  for (const [index, name] of names.entries()) {
    const at = start + (index + 1) * minute
    const after = step(memory, { events: [odd(name, at)], over: [] }, context, at)
    expect(after.outdated).toEqual([])
    ;({ memory, popUps } = after)
  }
})
