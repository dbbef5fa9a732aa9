import { describe, expect, test } from 'vitest'
import {
  notifiedStateDocument,
  readNotifiedState,
} from '../../../src/main/storage/notified-state.ts'

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
      realms: new Map([['chat', { floor: 3, ids: [5] }]]),
    }
    const onDisk: unknown = JSON.parse(JSON.stringify(notifiedStateDocument(kept)))
    expect(readNotifiedState(onDisk)).toEqual(kept)
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

test('the ids of notified messages are read back in order, whoever edited the file', () => {
  const realms = [['chat', { floor: 3, ids: [9, 5, 9] }]]
  expect(readNotifiedState({ realms }).realms.get('chat')).toEqual({ floor: 3, ids: [5, 9] })
})
