import { beforeEach, describe, expect, test, vi } from 'vitest'
import {
  lookupsDocument,
  notifiedStateDocument,
  readLookups,
  readNotifiedState,
} from '../../../src/main/storage/notified-state.ts'
import type { PendingLookup } from '../../../src/shared/core/checks/board.ts'

const lost = vi.fn()
beforeEach(() => {
  lost.mockClear()
})

const told = new Map([
  ['b', 'down'],
  ['d', 'paused'],
] as const)

describe('the notified statuses of a project', () => {
  test('are read back as saved', () => {
    const { memory } = readNotifiedState(null)
    const kept = {
      memory,
      boards: new Map([['ops', told]]),
      missed: new Map([
        ['ops', { since: 5, notifiedUpTo: new Map([['a', 7]]), pending: new Map() }],
      ]),
      runs: new Map([['ops', new Map([['a', 9]])]]),
      realms: new Map([['chat', { floor: 3, ids: [5] }]]),
    }
    const onDisk: unknown = JSON.parse(JSON.stringify(notifiedStateDocument(kept)))
    expect(readNotifiedState(onDisk, lost)).toEqual(kept)
    expect(lost).not.toHaveBeenCalled()
  })

  test('are read from the pairs that earlier versions wrote', () => {
    const pairs = [['a', 'up'], ...told]
    expect(readNotifiedState({ boards: [['ops', pairs]] }).boards).toEqual(new Map([['ops', told]]))
  })

  test("don't cost those of other projects if they can't be read", () => {
    const boards = [
      ['broken', { up: 5 }],
      ['ops', { up: ['a', 'c'], down: ['b'], paused: ['d'] }],
    ]
    expect(readNotifiedState({ boards }).boards).toEqual(
      new Map([
        ['broken', new Map()],
        ['ops', told],
      ]),
    )
  })
})

describe('a document of what was notified', () => {
  const whole = notifiedStateDocument(readNotifiedState(null)) as object

  test.each(['memory', 'boards', 'realms'])('without its %s counts as damaged', (name) => {
    readNotifiedState({ ...whole, [name]: undefined }, lost)
    expect(lost).toHaveBeenCalledOnce()
  })

  test('that is none counts as damaged, but not one that was never written', () => {
    readNotifiedState(null, lost)
    expect(lost).not.toHaveBeenCalled()
    readNotifiedState('half of it', lost)
    expect(lost).toHaveBeenCalledOnce()
  })
})

test('the ids of notified messages are read back in order, whoever edited the file', () => {
  const realms = [['chat', { floor: 3, ids: [9, 5, 9] }]]
  expect(readNotifiedState({ realms }).realms.get('chat')).toEqual({ floor: 3, ids: [5, 9] })
})

describe('a lookup that is due', () => {
  const snapshot = { status: 'up', started: false, pingCount: 4, lastPingAt: 9 } as const
  const due: PendingLookup = {
    ...snapshot,
    ...{ at: 10, deadline: 20, plan: 'p60', owedAt: 12 },
    seenDown: [{ at: 11, lastPingAt: null }],
    notifiedUpTo: 8,
    stillDownAt: [13, 14],
  }
  const pending = new Map([['a', due]])
  const reread = (document: unknown): unknown => JSON.parse(JSON.stringify(document))
  /** Its form on disk, which every version reads. */
  const { notifiedUpTo: told, ...rest } = due
  const rows = [['a', { ...rest, told }]]

  test('is read back from the lookups, in the form that all versions read', () => {
    const snapshots = new Map(
      [
        { at: 10, plan: 'p60' },
        { at: 4, plan: 'p5' },
        { at: 10, plan: 'p60' },
        { at: 10, plan: 'p5' },
      ].map((one, at) => [`b${at}`, { ...snapshot, ...one, deadline: null }]),
    )
    const more = new Map([...snapshots, ['a', { ...snapshot, at: 9, deadline: null, plan: 'p60' }]])
    const document = reread([['ops', lookupsDocument({ snapshots: more, pending })]])
    expect(document).toMatchObject([['ops', { plans: ['p60', 'p5'], owed: rows }]])
    expect(readLookups(document, lost)).toEqual(new Map([['ops', { snapshots, pending }]]))
    expect(lost).not.toHaveBeenCalled()
  })

  test.each([[['p60', 5]], ['p60'], [null]])('is not read with damaged plans: %j', (plans) => {
    const project = { at: 10, plans, looks: [], owed: rows }
    expect(readLookups([['ops', project]], lost)).toEqual(new Map())
    expect(lost).toHaveBeenCalledOnce()
  })

  test('is read back from the notified state, if that passed it', () => {
    const { memory } = readNotifiedState(null)
    const ops = { since: 5, notifiedUpTo: new Map([['a', 13]]), pending }
    const missed = new Map([['ops', ops]])
    const document = reread(
      notifiedStateDocument({
        ...{ memory, boards: new Map(), missed, runs: new Map(), realms: new Map() },
      }),
    )
    expect(document).toMatchObject({ missed: [['ops', { owed: rows }]] })
    expect(readNotifiedState(document).missed).toEqual(missed)
  })
})
