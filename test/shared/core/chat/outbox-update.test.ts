import { describe, expect, test } from 'vitest'
import { documents } from '../../../../src/main/state/documents.ts'
import { emptyMemory } from '../../../../src/shared/core/attention/memory.ts'
import {
  afterRestart,
  withOutboxChange,
  withoutAnswered,
  withoutSettled,
  withSendAnswered,
  withSending,
} from '../../../../src/shared/core/chat/outbox.ts'
import * as eg from '../../../support/eg.ts'

describe('an outbox entry', () => {
  const entry = eg.outboxMessage({ localId: 'mine' })

  test('goes from sending to settled when its message event comes', () => {
    const state = eg.state({ outbox: [entry, eg.outboxMessage()] })
    const after = withoutSettled(state, eg.chatId, [{ message: eg.message(), localId: 'mine' }])
    expect(after.outbox.map(({ localId }) => localId)).not.toContain('mine')
    expect(after.outbox).toHaveLength(1)
  })

  test('stays settled when a failed reply comes after the event', () => {
    const state = eg.state({ outbox: [] })
    expect(withOutboxChange(state, 'mine', { state: 'rejected' })).toBe(state)
  })

  test('goes from sending through sent to settled when the reply comes before the event', () => {
    const answered = withSendAnswered(eg.state({ outbox: [entry] }), 'mine', 9_001)
    expect(answered.outbox).toMatchObject([{ state: 'sent', messageId: 9_001 }])
    const settled = withoutSettled(answered, eg.chatId, [
      { message: eg.message({ id: 9_001 }), localId: null },
    ])
    expect(settled.outbox).toEqual([])
  })

  test('goes from sending to settled when the reply names a message that is already here', () => {
    const message = eg.message({ id: 9_002 })
    const state = eg.state({ outbox: [entry], realms: new Map([[eg.chatId, eg.realm([message])]]) })
    expect(withSendAnswered(state, 'mine', 9_002).outbox).toEqual([])
  })

  test('of another account is not settled by a message of this one', () => {
    const state = eg.state({ outbox: [eg.outboxMessage({ localId: 'mine', accountId: 'other' })] })
    const after = withoutSettled(state, eg.chatId, [{ message: eg.message(), localId: 'mine' }])
    expect(after.outbox).toHaveLength(1)
  })

  test('goes from sending to unconfirmed when the app ended meanwhile; a queued one stays queued', () => {
    const states = afterRestart([entry, eg.outboxMessage({ state: 'queued' })]).map(
      ({ state }) => state,
    )
    expect(states).toEqual(['unconfirmed', 'queued'])
  })
})

describe('one message', () => {
  test('confirms one entry, and the others remember its id, on disk too', () => {
    const state = eg.state({
      outbox: [
        eg.outboxMessage({ localId: 'first', text: 'ok' }),
        eg.outboxMessage({ localId: 'second', text: 'ok' }),
      ],
    })
    const message = eg.message({ id: 9_001 })
    const after = withoutSettled(state, eg.chatId, [{ message, localId: 'first' }])
    expect(after.outbox).toMatchObject([{ localId: 'second', notMessageIds: [9_001] }])
    const onDisk: unknown = JSON.parse(JSON.stringify(after.outbox))
    const kept = { state: after, memory: emptyMemory, runs: new Map() }
    const read = documents.outbox.read(kept, onDisk, false).state.outbox
    expect(read).toMatchObject([{ localId: 'second', notMessageIds: [9_001] }])
  })

  const other = eg.outboxMessage({ localId: 'second', text: 'ok', notMessageIds: [9_001] })
  const message = eg.message({ id: 9_001 })

  test('attributed to an equal entry does not settle its own entry as well', () => {
    const state = eg.state({ outbox: [other] })
    expect(withoutSettled(state, eg.chatId, [{ message, localId: 'second' }])).toBe(state)
    const next = eg.message({ id: 9_002 })
    const settled = withoutSettled(state, eg.chatId, [{ message: next, localId: 'second' }])
    expect(settled.outbox).toEqual([])
  })

  test('attributed to an equal entry leaves its own to the user when that one is answered', () => {
    const realms = new Map([[eg.chatId, eg.realm([message])]])
    const answered = withSendAnswered(eg.state({ outbox: [other], realms }), 'second', 9_001)
    expect(answered.outbox).toMatchObject([{ localId: 'second', state: 'unconfirmed' }])
  })

  test('is remembered by the entries of its whole channel, whose topics may be merged', () => {
    const elsewhere = { ...eg.topic, topic: 'elsewhere' }
    const outbox = [
      eg.outboxMessage({
        localId: 'here',
        conversation: eg.topic,
        state: 'sent',
        messageId: 9_001,
      }),
      eg.outboxMessage({ localId: 'there', conversation: elsewhere }),
      eg.outboxMessage({ localId: 'direct', conversation: eg.direct }),
    ]
    const state = eg.state({ outbox })
    const rest = [{ localId: 'there', notMessageIds: [9_001] }, { localId: 'direct' }]
    const settled = withoutSettled(state, eg.chatId, [{ message, localId: null }])
    expect(settled.outbox).toMatchObject(rest)
    expect(settled.outbox[1]?.notMessageIds).toBeUndefined()
    // Also if it was read past and never seen.
    expect(withoutAnswered(state, eg.chatId, 9_001).outbox).toMatchObject(rest)
  })
})

describe('an entry that is being sent', () => {
  const change = { state: 'sending', messageId: null, attempts: 2, failure: null } as const

  test("can't be any of the messages known by then", () => {
    const state = eg.state({ outbox: [eg.outboxMessage({ localId: 'mine', afterMessageId: 7 })] })
    expect(withSending(state, 'mine', change, 9).outbox).toMatchObject([
      { state: 'sending', attempts: 2, afterMessageId: 9 },
    ])
    expect(withSending(state, 'mine', change, 3).outbox).toMatchObject([{ afterMessageId: 7 }])
  })
})

describe('an answered entry', () => {
  test('goes once everything up to its message was read, even if that was deleted', () => {
    const entry = eg.outboxMessage({ state: 'sent', messageId: 9_001 })
    const state = eg.state({ outbox: [entry, eg.outboxMessage({ state: 'unconfirmed' })] })
    expect(withoutAnswered(state, eg.chatId, 9_000)).toBe(state)
    expect(withoutAnswered(state, eg.chatId, 9_001).outbox).toMatchObject([
      { state: 'unconfirmed' },
    ])
  })
})
