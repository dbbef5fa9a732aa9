import { describe, expect, test } from 'vitest'
import {
  type BulkAction,
  type BulkOutcome,
  type BulkService,
  type BulkTarget,
  runBulk,
} from '../../../../src/shared/core/checks/bulk.ts'
import type { Failure, Result } from '../../../../src/shared/core/failure.ts'
import { type Seeded, seeded } from '../../../support/seeded.ts'

const lost: Failure = { kind: 'network', reason: 'timeout', host: 'x', reached: 'maybe' }
const offline: Failure = { kind: 'network', reason: 'offline', host: 'x', reached: 'no' }
const busy: Failure = { kind: 'rateLimited', retryAfterMs: 1_000 }
const gone: Failure = { kind: 'refused', httpStatus: 404, code: '', message: '' }
const conflict: Failure = { kind: 'refused', httpStatus: 409, code: '', message: '' }

interface Kept {
  status: string
  tags: string
  channels: string[]
}

/** A service that loses requests and replies at random, and records what it did. */
function service(random: Seeded, checks: Map<string, Kept>, trouble: number) {
  const taken: string[] = []
  let waits = 0
  const chance = () => random.chance(trouble)
  const answer = <T>(id: string, what: (kept: Kept) => T): Result<T> => {
    const kept = checks.get(id)
    return kept === undefined ? { ok: false, failure: gone } : { ok: true, value: what(kept) }
  }
  const change = (target: BulkTarget, name: string, act: (kept: Kept) => unknown) => {
    if (chance()) return { ok: false, failure: busy } as const
    // The request is lost.
    if (chance()) return { ok: false, failure: lost } as const
    if (checks.has(target.checkId)) taken.push(`${name} ${target.checkId}`)
    const result = answer(target.checkId, act)
    // The reply is lost.
    return chance() ? ({ ok: false, failure: lost } as const) : result
  }
  const made: BulkService = {
    read: async ({ checkId }) =>
      chance() ? { ok: false, failure: lost } : answer(checkId, (kept) => structuredClone(kept)),
    pause: async (target) =>
      change(target, 'pause', (kept) => {
        kept.status = 'paused'
      }),
    resume: async (target) => {
      if (checks.get(target.checkId)?.status === 'up') return { ok: false, failure: conflict }
      return change(target, 'resume', (kept) => {
        kept.status = 'new'
      })
    },
    remove: async (target) => change(target, 'remove', () => checks.delete(target.checkId)),
    update: async (target, { tags, channels }) =>
      change(target, 'update', (kept) => {
        if (tags !== undefined) kept.tags = tags
        if (channels !== undefined) kept.channels = channels.split(',').filter((id) => id !== '')
      }),
    integrations: async () => ({ ok: true, value: ['c1'] }),
    wait: async () => {
      waits += 1
    },
  }
  return { made, taken, waits: () => waits }
}

const actions: readonly [BulkAction, ...BulkAction[]] = [
  { do: 'pause' },
  { do: 'resume' },
  { do: 'delete' },
  { do: 'tag', tag: 'db', on: true },
  { do: 'tag', tag: 'db', on: false },
  { do: 'integration', name: 'Slack', on: true },
  { do: 'integration', name: 'Slack', on: false },
]

/** Whether the action holds, according to the service's own data. */
function isSo(action: BulkAction, kept: Kept | undefined): boolean {
  if (action.do === 'delete') return kept === undefined
  if (kept === undefined) return false
  if (action.do === 'pause') return kept.status === 'paused'
  if (action.do === 'resume') return kept.status !== 'paused'
  if (!('on' in action)) return false
  const has =
    action.do === 'tag' ? kept.tags.split(' ').includes(action.tag) : kept.channels.includes('c1')
  return has === action.on
}

/** Expects that the outcome is true and that everything else is unchanged. */
function hold(
  action: BulkAction,
  is: BulkOutcome['is'],
  was: Kept | undefined,
  kept: Kept | undefined,
  where: string,
) {
  const so = isSo(action, kept)
  if (is === 'done' || is === 'already') expect(so, where).toBe(true)
  if (is === 'failed') expect(so, where).toBe(isSo(action, was))
  if (is === 'gone') expect(kept, where).toBeUndefined()
  if (is === 'left') expect(kept, where).toEqual(was)
  if (kept !== undefined && action.do !== 'tag') expect(kept.tags, where).toBe(was?.tags)
  if (kept !== undefined && action.do !== 'integration')
    expect(kept.channels, where).toEqual(was?.channels)
}

const target = (id: number, isPaused = false): BulkTarget => ({
  accountId: 'ops',
  checkId: `k${id}`,
  name: `check ${id}`,
  isPaused,
})

async function ran(
  action: BulkAction,
  targets: readonly BulkTarget[],
  made: BulkService,
  isStopped = () => false,
) {
  const outcomes = new Map<string, BulkOutcome>()
  const onOutcome = (one: BulkTarget, outcome: BulkOutcome) => {
    expect(outcomes.has(one.checkId)).toBe(false)
    outcomes.set(one.checkId, outcome)
  }
  await runBulk(action, targets, made, { isStopped, onOutcome })
  return outcomes
}

describe('a change of several checks', () => {
  test('changes each once and reports a true outcome, in 500 generated runs with lost replies', async () => {
    const seen = new Map<string, number>()
    for (let seed = 0; seed < 500; seed += 1) {
      const random = seeded(seed)
      const checks = new Map<string, Kept>()
      const targets = Array.from({ length: 20 }, (_, n) => {
        const isPaused = random.chance(0.3)
        const kept: Kept = {
          status: isPaused ? 'paused' : 'up',
          tags: random.pick(['', 'db', 'web db', 'web']),
          channels: random.pick([[], ['c1'], ['c1', 'c2'], ['c2']]),
        }
        // Some are already gone.
        if (!random.chance(0.1)) checks.set(`k${n}`, kept)
        // The board may be stale.
        return target(n, isPaused !== random.chance(0.2))
      })
      const before = structuredClone(checks)
      const action = random.pick(actions)
      const { made, taken } = service(random, checks, random.pick([0, 0.1, 0.4]))
      const outcomes = await ran(action, targets, made)
      expect(outcomes.size).toBe(20)
      expect(new Set(taken).size, `${seed}: a change was sent twice`).toBe(taken.length)
      for (const [id, { is }] of outcomes) {
        seen.set(is, (seen.get(is) ?? 0) + 1)
        hold(action, is, before.get(id), checks.get(id), `${seed} ${id}`)
      }
    }
    // Control: every outcome occurred.
    expect([...seen.keys()].sort()).toEqual(['already', 'done', 'failed', 'gone', 'left', 'unsure'])
  })

  test('stops when the user says so, or when the server can’t be reached', async () => {
    const random = seeded(1)
    const checks = new Map<string, Kept>()
    for (let n = 0; n < 5; n += 1) checks.set(`k${n}`, { status: 'up', tags: '', channels: [] })
    const targets = Array.from({ length: 5 }, (_, n) => target(n))
    const it = service(random, checks, 0)
    const stopped = await ran({ do: 'pause' }, targets, it.made, () => it.taken.length === 2)
    expect([...stopped.values()].map(({ is }) => is)).toEqual([
      'done',
      'done',
      'left',
      'left',
      'left',
    ])
    const others = ['left', 'left', 'left', 'left']
    const away = { ...it.made, pause: async () => ({ ok: false, failure: offline }) as const }
    const cut = await ran({ do: 'pause' }, targets, away)
    expect([...cut.values()].map(({ is }) => is)).toEqual(['failed', ...others])
    // The network is cut during a request: neither its reply nor its effect can be read.
    const silent = async () => ({ ok: false, failure: lost }) as const
    const gone = await ran({ do: 'pause' }, targets, { ...it.made, pause: silent, read: silent })
    expect([...gone.values()].map(({ is }) => is)).toEqual(['unsure', ...others])
    for (const about of [{ read: silent }, { integrations: silent }]) {
      const action = { do: 'integration', name: 'Slack', on: true } as const
      const unread = await ran(action, targets, { ...it.made, ...about })
      expect([...unread.values()].map(({ is }) => is)).toEqual(['failed', ...others])
    }
  })
})
