import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type KeptSilence, silenceOfMany } from '../../../src/shared/core/attention/silence.ts'
import { filtered } from '../../../src/shared/core/attention/silences-update.ts'
import { withChecks } from '../../../src/shared/core/checks/board-update.ts'
import { applyPatch, isLargePatch, patchBetween } from '../../../src/shared/core/patch.ts'
import type { AppState } from '../../../src/shared/core/state.ts'
import { silence } from '../../support/attention-eg.ts'
import * as eg from '../../support/eg.ts'

const ids = ['a', 'b', 'c', 'd']
const statuses = ['up', 'down', 'grace', 'paused'] as const

const allNotices = ids.map((id) => eg.notice({ id }))

const allSilences = ids.map((id) => silence({ id, scope: { of: 'tag', tag: id } }))

/** One silence of these checks. */
function ofMany(checkIds: readonly string[]): KeptSilence {
  const each = checkIds.map((checkId) =>
    silence({ scope: { of: 'check', accountId: eg.opsId, checkId }, label: checkId }),
  )
  const { scope: _scope, ...common } = silence({ id: 'many' })
  return silenceOfMany(common, each)!
}

/** States with some of four checks each, a realm, drafts, notices and silences. */
const states: fc.Arbitrary<AppState> = fc
  .record({
    checks: fc.uniqueArray(
      fc.record({ id: fc.constantFrom(...ids), status: fc.constantFrom(...statuses) }),
      { selector: ({ id }) => id },
    ),
    drafts: fc.dictionary(fc.constantFrom('x', 'y'), fc.string()),
    hasRealm: fc.boolean(),
    notices: fc.uniqueArray(fc.constantFrom(...allNotices)),
    silences: fc.uniqueArray(
      fc.constantFrom(...allSilences, ofMany(['a', 'b']), ofMany(['b', 'c'])),
    ),
  })
  .map(({ checks, drafts, hasRealm, notices, silences }) =>
    eg.state({
      boards: new Map([
        [eg.opsId, eg.board(checks.map((one) => eg.check({ ...one, name: one.id })))],
      ]),
      realms: new Map(hasRealm ? [[eg.chatId, eg.realm([eg.message({ id: 7 })])]] : []),
      drafts: new Map(Object.entries(drafts)),
      notices,
      silences,
    }),
  )

const mapsToo = (_key: string, value: unknown) => (value instanceof Map ? [...value] : value)

describe('a patch', () => {
  test('turns the old state into the new one, whatever changed', () => {
    fc.assert(
      fc.property(states, states, (before, after) => {
        // As over IPC: a window's copy shares nothing with main's state.
        const patch = structuredClone(patchBetween(before, after))
        expect(applyPatch(structuredClone(before), patch)).toEqual(after)
      }),
      { seed: 42, numRuns: 200 },
    )
  })

  test('for one flip among 10,000 checks carries one check', () => {
    const checks = Array.from({ length: 10_000 }, () => eg.check())
    const before = eg.state({ boards: new Map([[eg.opsId, eg.board(checks)]]) })
    const flipped = checks.map((one, i) =>
      i === 5_000 ? { ...one, status: 'down' as const } : one,
    )
    const after = withChecks(before, eg.opsId, {
      checks: flipped,
      unreadable: 0,
      at: eg.now,
      intervalMs: 60_000,
      serverOffsetMs: 0,
    })
    const entities = patchBetween(before, after).filter(({ path }) => path[2] === 'checks')
    expect(entities).toEqual([
      expect.objectContaining({ set: [], change: [[checks[5_000]?.id, expect.anything()]] }),
    ])
    expect(JSON.stringify(patchBetween(before, after)).length).toBeLessThan(5_000)
  })

  test('for one more notice carries that notice, and not the hundreds after it', () => {
    const notices = Array.from({ length: 500 }, (_, at) => eg.notice({ id: `old-${at}` }))
    const newest = eg.notice({ id: 'newest' })
    const before = eg.state({ notices })
    const after = { ...before, notices: [newest, ...notices.slice(0, -1)] }
    const patch = patchBetween(before, after)
    expect(patch).toEqual([
      { path: ['notices'], at: 0, gone: 0, put: [newest] },
      { path: ['notices'], at: 500, gone: 1, put: [] },
    ])
    expect(applyPatch(structuredClone(before), structuredClone(patch))).toEqual(after)
    expect(isLargePatch(patch)).toBe(false)
  })

  test('for one check less, or one silence more, doesn’t carry the other thousands', () => {
    const ids = Array.from({ length: 5_000 }, (_, at) => `check-${at}`)
    const whole = ofMany(ids)
    const less = filtered(whole, ({ label }) => label !== ids[0])!
    const before = eg.state({ silences: [silence({ id: 'first' }), whole] })
    for (const silences of [
      [before.silences[0]!, less],
      [...before.silences, silence({ id: 'more' })],
      [whole],
    ]) {
      const patch = patchBetween(before, { ...before, silences })
      expect(JSON.stringify(patch, mapsToo).length).toBeLessThan(1_000)
      const after = applyPatch(structuredClone(before), structuredClone(patch))
      expect(after).toEqual({ ...before, silences })
    }
  })

  test('replaces a map that is mostly new', () => {
    const drafts = (count: number) => new Map([...Array(count).keys()].map((at) => [`${at}`, 'x']))
    const before = eg.state({ drafts: drafts(2) })
    const paths = (count: number) =>
      patchBetween(before, { ...before, drafts: drafts(count) }).map(({ path, ...edit }) => [
        path,
        Object.keys(edit),
      ])
    expect(paths(5)).toEqual([[['drafts'], ['value']]])
    expect(paths(4)).toEqual([[['drafts'], ['set', 'change', 'drop']]])
  })

  test('between a state and itself is empty', () => {
    const state = eg.state()
    expect(patchBetween(state, { ...state })).toEqual([])
  })

  test('with an empty path replaces everything', () => {
    const state = eg.state()
    expect(applyPatch(eg.state({ accounts: [] }), [{ path: [], value: state }])).toBe(state)
  })
})

describe('a patch', () => {
  const board = (count: number) => eg.board(Array.from({ length: count }, () => eg.check()))
  const withBoardOf = (count: number) =>
    eg.state({ boards: new Map([[eg.opsId, board(count)]]), realms: new Map() })

  test('is large when it carries a thousand checks at once, but not when one of them changes', () => {
    const few = withBoardOf(3)
    const many = withBoardOf(1_000)
    expect(isLargePatch(patchBetween(few, many))).toBe(true)
    expect(isLargePatch([{ path: [], value: many }])).toBe(true)
    expect(isLargePatch([{ path: [], value: few }])).toBe(false)
    const [first] = many.boards.get(eg.opsId)?.checks.values() ?? []
    const one = withChecks(many, eg.opsId, {
      checks: [...(many.boards.get(eg.opsId)?.checks.values() ?? [])].map((check) =>
        check === first ? { ...check, status: 'down' as const } : check,
      ),
      unreadable: 0,
      at: eg.now,
      intervalMs: 60_000,
      serverOffsetMs: 0,
    })
    expect(isLargePatch(patchBetween(many, one))).toBe(false)
  })
})

describe('a check that was pinged', () => {
  test('is sent as the changed fields only, and arrives as main has it', () => {
    const old = eg.check({ tags: ['prod', 'db'] })
    const pinged = {
      ...old,
      tags: ['prod', 'db'],
      pingCount: old.pingCount + 1,
      lastPingAt: eg.now,
    }
    const before = eg.state({ boards: new Map([[eg.opsId, eg.board([old])]]) })
    const after = withChecks(before, eg.opsId, {
      checks: [pinged],
      unreadable: 0,
      at: eg.now,
      intervalMs: 60_000,
      serverOffsetMs: 0,
    })
    const patch = patchBetween(before, after)
    expect(patch).toContainEqual({
      path: ['boards', eg.opsId, 'checks'],
      set: [],
      change: [[old.id, { pingCount: pinged.pingCount, lastPingAt: eg.now }]],
      drop: [],
    })
    expect(applyPatch(structuredClone(before), structuredClone(patch))).toEqual(after)
  })
})

describe('an object that gains or loses fields', () => {
  test.each([
    [
      { a: 1, b: 2, c: 3, d: 4, e: 5 },
      { a: 1, b: 2, c: 3, d: 4, f: 5 },
    ],
    [
      { a: 1, b: 2, c: 3 },
      { a: 1, b: 2, c: 3, d: undefined },
    ],
    [
      { a: 1, b: 2, c: 3, d: undefined },
      { a: 1, b: 2, c: 3 },
    ],
    [
      { a: undefined, b: 2, c: 3 },
      { a: 0, b: 2, c: 3 },
    ],
  ])('is the same in the window: %j, then %j', (old, next) => {
    // Any map of objects will do.
    const withDraft = (value: unknown) =>
      eg.state({ drafts: new Map([['x', value]]) as unknown as AppState['drafts'] })
    const patch = structuredClone(patchBetween(withDraft(old), withDraft(next)))
    expect(applyPatch(withDraft(old), patch).drafts.get('x')).toStrictEqual(next)
  })
})
