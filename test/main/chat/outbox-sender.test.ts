import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  type OutboxChange,
  OutboxSender,
  type OutboxSenderOptions,
} from '../../../src/main/chat/outbox-sender.ts'
import { createWaker } from '../../../src/main/http/wait.ts'
import type { OutboxMessage } from '../../../src/shared/core/chat/outbox.ts'
import { type Failure, RequestFailed } from '../../../src/shared/core/failure.ts'
import * as eg from '../../support/eg.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: eg.now })
})
afterEach(() => {
  vi.useRealTimers()
})

const unsent: Failure = { kind: 'network', reason: 'refused', host: 'h', reached: 'no' }
const unclear: Failure = { kind: 'network', reason: 'reset', host: 'h', reached: 'maybe' }
const refused: Failure = { kind: 'refused', httpStatus: 400, code: 'BAD_REQUEST', message: 'no' }

/** A server whose requests take 100 ms, and end in these ways and then well. */
function outbox(answers: (Failure | 'never')[], change: Partial<OutboxSenderOptions> = {}) {
  const sent: string[] = []
  const told: string[] = []
  const changes: OutboxChange[] = []
  const abort = new AbortController()
  const waker = createWaker()
  const sender = new OutboxSender({
    send: async (message, signal) => {
      sent.push(message.localId)
      const answer = answers.shift()
      await new Promise<void>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')))
        if (answer !== 'never') setTimeout(resolve, 100)
      })
      if (answer !== undefined && answer !== 'never') throw new RequestFailed(answer)
      return { id: 5_000 + sent.length }
    },
    onState: (localId, next) => {
      told.push(`${localId} ${next.state}`)
      changes.push(next)
    },
    clock: { now: Date.now, monotonic: () => performance.now(), random: () => 0.5 },
    isReady: () => true,
    onBug: (error) => {
      throw error
    },
    waker,
    signal: abort.signal,
    ...change,
  })
  return { sender, sent, told, changes, abort, waker }
}

function queued(localId: string, change: Partial<OutboxMessage> = {}): OutboxMessage {
  return eg.outboxMessage({ localId, state: 'queued', attempts: 0, ...change })
}

describe('a message in the outbox', () => {
  test('goes queued -> sending -> sent, with the message id from the reply', async () => {
    const { sender, told, changes } = outbox([])
    sender.queue(queued('a'))
    await vi.advanceTimersByTimeAsync(100)
    expect(told).toEqual(['a sending', 'a sent'])
    expect(changes[1]).toEqual({ state: 'sent', messageId: 5_001, attempts: 1, failure: null })
  })

  test('waits as long as sending can be undone, and so do those behind it', async () => {
    const { sender, sent } = outbox([])
    sender.queue(queued('a', { heldUntil: eg.now + 10_000 }))
    sender.queue(queued('b'))
    sender.resume()
    await vi.advanceTimersByTimeAsync(9_999)
    expect(sent).toEqual([])
    await vi.advanceTimersByTimeAsync(201)
    expect(sent).toEqual(['a', 'b'])
  })

  test('undone in that time never leaves, and holds nothing up', async () => {
    const { sender, sent } = outbox([])
    sender.queue(queued('a', { heldUntil: eg.now + 10_000 }))
    sender.queue(queued('b'))
    await vi.advanceTimersByTimeAsync(5_000)
    expect(sender.forget('a')).toBe(true)
    await vi.advanceTimersByTimeAsync(200)
    expect(sent).toEqual(['b'])
  })

  test('waits at most a minute if the clock was set back', async () => {
    const { sender, sent } = outbox([])
    sender.queue(queued('a', { heldUntil: eg.now + 10_000 }))
    vi.setSystemTime(eg.now - 86_400_000)
    await vi.advanceTimersByTimeAsync(59_000)
    sender.resume()
    await vi.advanceTimersByTimeAsync(61_000)
    expect(sent).toEqual(['a'])
  })

  test.each<[string, Failure]>([
    ['its request was certainly not sent', unsent],
    ['there were too many requests', { kind: 'rateLimited', retryAfterMs: null }],
  ])('goes sending -> queued -> sending because %s', async (_name, failure) => {
    const { sender, told, changes } = outbox([failure])
    sender.queue(queued('a'))
    await vi.advanceTimersByTimeAsync(20_000)
    expect(told).toEqual(['a sending', 'a queued', 'a sending', 'a sent'])
    expect(changes.map(({ attempts }) => attempts)).toEqual([1, 1, 2, 2])
    expect(changes[1]?.failure).toEqual(failure)
  })

  test.each<[string, Failure]>([
    ['the server refused it', refused],
    ['it is too long', { kind: 'invalid', field: 'content', message: 'too long' }],
    ['the key is rejected', { kind: 'badKey', httpStatus: 401, message: '' }],
  ])('goes sending -> rejected because %s', async (_name, failure) => {
    const { sender, sent, told } = outbox([failure])
    sender.queue(queued('a'))
    await vi.advanceTimersByTimeAsync(600_000)
    expect(told).toEqual(['a sending', 'a rejected'])
    expect(sent).toHaveLength(1)
  })

  test.each<[string, Failure]>([
    ['the connection broke', unclear],
    ['the server failed', { kind: 'serverFault', httpStatus: 502 }],
    ['the reply is a page', { kind: 'malformed', what: 'html', where: '' }],
    ['a redirect came', { kind: 'malformed', what: 'redirect', where: '' }],
  ])('goes sending -> unconfirmed and is never sent again because %s', async (_name, failure) => {
    const { sender, sent, told } = outbox([failure])
    sender.queue(queued('a'))
    await vi.advanceTimersByTimeAsync(600_000)
    expect(told).toEqual(['a sending', 'a unconfirmed'])
    expect(sent).toHaveLength(1)
  })

  test('goes sending -> unconfirmed when the account is removed during the request', async () => {
    const { sender, told, abort } = outbox(['never'])
    sender.queue(queued('a'))
    await vi.advanceTimersByTimeAsync(50)
    abort.abort()
    await vi.advanceTimersByTimeAsync(0)
    expect(told).toEqual(['a sending', 'a unconfirmed'])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('is not sent before "sending" is saved', async () => {
    let keep = () => {}
    const { sender, sent } = outbox([], {
      onState: (_localId, { state }) =>
        state === 'sending' ? new Promise((resolve) => (keep = resolve)) : undefined,
    })
    sender.queue(queued('a'))
    await vi.advanceTimersByTimeAsync(10_000)
    expect(sent).toEqual([])
    keep()
    await vi.advanceTimersByTimeAsync(0)
    expect(sent).toEqual(['a'])
  })

  test('whose event arrives while it is being sent is not reported again', async () => {
    const { sender, told, sent } = outbox([unclear])
    sender.queue(queued('a'))
    sender.queue(queued('b'))
    await vi.advanceTimersByTimeAsync(50)
    sender.forget('a')
    await vi.advanceTimersByTimeAsync(500)
    expect(told).toEqual(['a sending', 'b sending', 'b sent'])
    expect(sent).toEqual(['a', 'b'])
  })

  test('discarded while it waits is not sent', async () => {
    const { sender, sent } = outbox([unsent])
    sender.queue(queued('a'))
    await vi.advanceTimersByTimeAsync(150)
    sender.forget('a')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(sent).toEqual(['a'])
  })

  test('queued twice is sent once', async () => {
    const { sender, sent } = outbox([])
    sender.queue(queued('a'))
    sender.queue(queued('a'))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(sent).toEqual(['a'])
  })
})

describe('the outbox', () => {
  test('sends one message at a time, in order', async () => {
    const { sender, told } = outbox([])
    for (const id of ['a', 'b', 'c']) sender.queue(queued(id))
    await vi.advanceTimersByTimeAsync(1_000)
    const order = ['a', 'b', 'c'].flatMap((id) => [`${id} sending`, `${id} sent`])
    expect(told).toEqual(order)
  })

  test('waits for a message that is being retried', async () => {
    const { sender, sent } = outbox([unsent, unsent])
    sender.queue(queued('a'))
    sender.queue(queued('b'))
    await vi.advanceTimersByTimeAsync(20_000)
    expect(sent).toEqual(['a', 'a', 'a', 'b'])
  })

  test('does not wait for unconfirmed or rejected messages', async () => {
    const { sender, sent } = outbox([unclear, refused])
    for (const id of ['a', 'b', 'c']) sender.queue(queued(id))
    await vi.advanceTimersByTimeAsync(300)
    expect(sent).toEqual(['a', 'b', 'c'])
  })

  test.each(['wake', 'resume'] as const)('continues at once on %s', async (way) => {
    const { sender, sent, waker } = outbox(Array.from({ length: 5 }, () => unsent))
    sender.queue(queued('a'))
    await vi.advanceTimersByTimeAsync(8_000)
    const before = sent.length
    if (way === 'wake') waker.wake()
    else sender.resume()
    await vi.advanceTimersByTimeAsync(0)
    expect(sent).toHaveLength(before + 1)
  })

  test.each(['wake', 'resume'] as const)(
    'waits as long as the server asked, even on %s',
    async (way) => {
      const { sender, sent, waker } = outbox([{ kind: 'rateLimited', retryAfterMs: 60_000 }])
      sender.queue(queued('a'))
      await vi.advanceTimersByTimeAsync(30_000)
      if (way === 'wake') waker.wake()
      else sender.resume()
      await vi.advanceTimersByTimeAsync(29_000)
      expect(sent).toEqual(['a'])
      await vi.advanceTimersByTimeAsync(2_000)
      expect(sent).toEqual(['a', 'a'])
    },
  )

  test('waits until it is ready, and forgets what is discarded meanwhile', async () => {
    let isReady = false
    const { sender, sent } = outbox([], { isReady: () => isReady })
    for (const id of ['a', 'b', 'c']) sender.queue(queued(id))
    sender.resume()
    sender.forget('b')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(sent).toEqual([])
    isReady = true
    sender.resume()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(sent).toEqual(['a', 'c'])
  })

  test('continues after it was empty', async () => {
    const { sender, sent } = outbox([])
    sender.queue(queued('a'))
    await vi.advanceTimersByTimeAsync(1_000)
    sender.queue(queued('b'))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(sent).toEqual(['a', 'b'])
  })
})
