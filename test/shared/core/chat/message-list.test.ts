import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { partsOf } from '../../../../src/main/desktop/window/patch-stream.ts'
import type { Message } from '../../../../src/shared/core/chat/message.ts'
import {
  allMessages,
  firstMessages,
  hasMessage,
  type MessageList,
  messageList,
  messageOf,
  messagesBetween,
  messagesWithin,
  noMessages,
  withChanged,
  withoutIds,
  withPut,
} from '../../../../src/shared/core/chat/message-list.ts'
import { applyPatch, patchBetween } from '../../../../src/shared/core/patch.ts'
import { emptyState } from '../../../../src/shared/core/state.ts'
import * as eg from '../../../support/eg.ts'

const idsOf = (messages: readonly Message[]): number[] => messages.map(({ id }) => id)

function many(count: number, from = 1): Message[] {
  return Array.from({ length: count }, (_, n) => eg.message({ id: from + n }))
}

const highest = 400
const id = fc.integer({ min: 1, max: highest })
type Step = { act: 'put' | 'change' | 'drop' | 'dropFirst'; ids: number[] }
const steps = fc.array(
  fc.record<Step>({
    act: fc.constantFrom('put', 'put', 'change', 'drop', 'dropFirst'),
    ids: fc.array(id, { maxLength: 150 }),
  }),
  { maxLength: 20 },
)

/** The list and an equivalent plain map, each after the step. */
function taken(list: MessageList, map: ReadonlyMap<number, Message>, { act, ids }: Step) {
  const next = new Map(map)
  if (act === 'put') {
    const messages = ids.map((one) => eg.message({ id: one }))
    for (const message of messages) next.set(message.id, message)
    return { list: withPut(list, messages), map: next }
  }
  if (act === 'change') {
    const [one = 0] = ids
    const changed = eg.message({ id: one })
    if (next.has(one)) next.set(one, changed)
    return { list: withChanged(list, one, () => changed), map: next }
  }
  const first = firstMessages(list, ids.length)
  expect(first).toEqual([...map.values()].slice(0, ids.length))
  const gone = new Set(act === 'drop' ? ids : idsOf(first))
  for (const one of gone) next.delete(one)
  return { list: withoutIds(list, gone), map: next }
}

function expectSame(list: MessageList, map: ReadonlyMap<number, Message>): void {
  expect(idsOf(allMessages(list))).toEqual([...map.keys()])
  expect(list.size).toBe(map.size)
  for (let one = 1; one <= highest; one += 1) {
    expect(messageOf(list, one)).toBe(map.get(one))
    expect(hasMessage(list, one)).toBe(map.has(one))
  }
  const within = [...map.keys()].filter((one) => one > 50 && one <= 300)
  expect(idsOf(messagesWithin(list, 50, 300))).toEqual(within)
}

describe('a list of messages', () => {
  test('equals a plain map, whatever is added, changed and dropped', () => {
    fc.assert(
      fc.property(steps, (all) => {
        let now = {
          list: noMessages,
          map: new Map<number, Message>() as ReadonlyMap<number, Message>,
        }
        for (const step of all) now = taken(now.list, now.map, step)
        expectSame(now.list, now.map)
      }),
      { seed: 7, numRuns: 60 },
    )
  })

  test('knows its differences from any other list, and they turn one into the other in a window', () => {
    fc.assert(
      fc.property(steps, steps, (some, more) => {
        let now = {
          list: noMessages,
          map: new Map<number, Message>() as ReadonlyMap<number, Message>,
        }
        for (const step of some) now = taken(now.list, now.map, step)
        const before = now
        for (const step of more) now = taken(now.list, now.map, step)
        const { changed, gone } = messagesBetween(before.list, now.list)
        const differ = [...now.map].filter(([one, is]) => before.map.get(one) !== is)
        expect(changed).toEqual(differ.map(([one]) => one))
        expect(gone).toEqual([...before.map.keys()].filter((one) => !now.map.has(one)))
        const seen = applyPatch(
          stateWith(before.list),
          patchBetween(stateWith(before.list), stateWith(now.list)),
        )
        const held = seen.realms.get(eg.chatId)?.messages ?? noMessages
        expect(new Set(allMessages(held))).toEqual(new Set(allMessages(now.list)))
      }),
      { seed: 7, numRuns: 60 },
    )
  })

  test('shares all but its end with the list it was made from', () => {
    const before = messageList(many(1_000))
    const after = withPut(before, many(1, 2_000))
    expect(after.chunks.filter((chunk) => !before.chunks.includes(chunk))).toHaveLength(1)
    expect(messagesBetween(before, after)).toEqual({ changed: [2_000], gone: [] })
  })

  test('stays the same object if nothing changes', () => {
    const list = messageList(many(100))
    expect(withPut(list, [])).toBe(list)
    expect(withChanged(list, 5, (message) => message)).toBe(list)
    expect(withChanged(list, 500, () => eg.message({ id: 500 }))).toBe(list)
    expect(withoutIds(list, new Set([500]))).toBe(list)
  })

  test('is sent to a window in parts if it is long, in the same order', () => {
    const state = stateWith(messageList(many(2_500).toReversed()))
    const parts = partsOf([{ path: [], value: state }])
    expect(parts.length).toBeGreaterThan(2)
    const held = applyPatch(emptyState, parts.flat()).realms.get(eg.chatId)?.messages ?? noMessages
    expect(idsOf(allMessages(held))).toEqual(idsOf(many(2_500).toReversed()))
  })
})

function stateWith(messages: MessageList) {
  return eg.state({ realms: new Map([[eg.chatId, eg.realm([], { messages })]]) })
}
