import { describe, expect, test } from 'vitest'
import type { Freshness } from '../../../../src/shared/core/account.ts'
import { neverRead } from '../../../../src/shared/core/account.ts'
import { emptyMemory } from '../../../../src/shared/core/attention/memory.ts'
import type { Silence } from '../../../../src/shared/core/attention/silence.ts'
import { stillDownEvents, whileAwaited } from '../../../../src/shared/core/attention/still-down.ts'
import type { Board } from '../../../../src/shared/core/checks/board.ts'
import type { CheckStatus } from '../../../../src/shared/core/checks/check.ts'
import { checkEvent, silence } from '../../../support/attention-eg.ts'
import * as eg from '../../../support/eg.ts'

const db = eg.check({ id: 'db', name: 'db', status: 'down', tags: ['t'] })
const board = eg.board([db], { serverOffsetMs: eg.hour })
const over = { kind: 'time', at: eg.now - 1 } as const
const ofCheck = { of: 'check', accountId: eg.opsId, checkId: 'db' } as const
const ofTag = { of: 'tag', tag: 't' } as const
const expired = silence({ scope: ofCheck, until: over })
const subject = `${eg.opsId}/check/db`

const stateOf = (boards: readonly Board[], ...silences: Silence[]) =>
  eg.state({ boards: new Map(boards.map((one) => [one.accountId, one])), silences })

describe('a check whose snooze is over', () => {
  const reminders = (change: Partial<Board>, events = [], ...silences: Silence[]) => {
    const state = stateOf([{ ...board, ...change }], expired, ...silences)
    return stillDownEvents(state, state, events, emptyMemory, eg.now)
  }

  test('is told of as the server’s clock has it', () => {
    expect(reminders({})).toMatchObject([
      { title: 'db is still down', at: eg.now, body: { serverNow: eg.now + eg.hour } },
    ])
  })

  test.each<[string, Partial<Board>]>([
    ['before the first read', { freshness: neverRead }],
    ['before anybody knows what was told', { notified: null }],
    ['once it is up', { notified: new Map() }],
  ])('is not, %s', (_when, change) => {
    expect(reminders(change)).toEqual([])
  })

  test('is not, if its news is told anyway, or something else silences it', () => {
    const state = stateOf([board], expired)
    const news = checkEvent({ accountId: eg.opsId, checkId: 'db' })
    expect(stillDownEvents(state, state, [news], emptyMemory, eg.now)).toEqual([])
    expect(reminders({}, [], silence({ id: 'other', scope: ofTag }))).toEqual([])
  })
})

describe('a silence that is over', () => {
  const down = new Map<string, CheckStatus>([['db', 'down']])
  const stale: Freshness = { ...eg.fresh, failedAt: eg.now - eg.hour }
  test.each<[string, Partial<Board>, Silence['scope'], boolean]>([
    ['a check that was read', {}, ofCheck, false],
    ['a check that was down when it could be read last', { freshness: stale }, ofCheck, true],
    [
      'a check of whose project only the number of checks that are down is known',
      { freshness: { ...eg.fresh, seenAt: eg.now } },
      ofCheck,
      true,
    ],
    ['a check that is in no list', { checks: new Map() }, ofCheck, true],
    [
      'a check that was up, of a project that can’t be read',
      { freshness: stale },
      { ...ofCheck, checkId: 'web' },
      false,
    ],
    ['a check of another project', { freshness: stale }, { ...ofCheck, accountId: 'web' }, false],
    ['a tag, of which a project can’t be read', { freshness: stale }, ofTag, true],
    ['everything', { freshness: stale }, { of: 'everything' }, false],
  ])('on %s waits for a read: %s', (_what, change, scope, waits) => {
    const one = silence({ scope, until: over })
    const awaited = whileAwaited(stateOf([{ ...board, notified: down, ...change }]), one, eg.now)
    expect(awaited).toEqual(waits ? { ...one, awaited: [eg.opsId] } : null)
  })
})

describe('an outage that was never told', () => {
  const memory = { ...emptyMemory, unnotified: new Set([subject]) }
  const onTag = silence({ scope: ofTag, how: 'mute', until: { kind: 'ever' } })
  const untagged = eg.board([{ ...db, tags: [] }])
  test.each<[string, readonly Board[], number]>([
    ['whose check has just lost the tag that silenced it', [board], 1],
    ['whose check never had that tag', [untagged], 0],
    ['whose project is there for the first time', [], 1],
  ])('%s is told now: %i', (_what, before, times) => {
    const events = stillDownEvents(
      stateOf(before, onTag),
      stateOf([{ ...untagged }], onTag),
      [],
      memory,
      eg.now,
    )
    expect(events).toHaveLength(times)
  })
})
