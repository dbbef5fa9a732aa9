import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createOutboxConfirm, type OwnPage } from '../../../src/main/chat/outbox-confirm.ts'
import { createWaker } from '../../../src/main/http/wait.ts'
import type { Message } from '../../../src/shared/core/chat/message.ts'
import type { OutboxMessage } from '../../../src/shared/core/chat/outbox.ts'
import { RequestFailed } from '../../../src/shared/core/failure.ts'
import * as eg from '../../support/eg.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: eg.now })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Own messages with ids 1 to 250, one per second up to now, in pages of 100. */
const history = Array.from({ length: 250 }, (_, at) =>
  eg.message({ id: at + 1, sentAt: eg.now - (250 - at) * 1_000 }),
)

function confirm(entries: readonly OutboxMessage[], failures = 0) {
  const asked: (number | null)[] = []
  const found: (readonly Message[])[] = []
  let left = failures
  const abort = new AbortController()
  const ownPage: OwnPage = async (conversation, before) => {
    // Its other channels, where a topic may have been moved to.
    if (conversation === null) return { messages: [], foundOldest: true }
    asked.push(before)
    left -= 1
    if (left >= 0) throw new RequestFailed({ kind: 'serverFault', httpStatus: 502 })
    const older = history.filter(({ id }) => id < (before ?? 1_000))
    return { messages: older.slice(-100), foundOldest: older.length <= 100 }
  }
  const looker = createOutboxConfirm({
    unconfirmed: () => entries,
    ownPage,
    serverOffsetMs: () => 0,
    onHistory: async (_entries, messages) => {
      found.push(messages)
    },
    clock: { now: Date.now, monotonic: () => performance.now(), random: () => 0.5 },
    waker: createWaker(),
    signal: abort.signal,
  })
  return { looker, asked, found, abort }
}

const typed = (secondsAgo: number, afterMessageId = 0) =>
  eg.outboxMessage({
    state: 'unconfirmed',
    queuedAt: eg.now - secondsAgo * 1_000,
    afterMessageId,
  })

describe('the search for an unconfirmed message', () => {
  test('goes back page by page to the time it was typed, and no further', async () => {
    const { looker, asked, found } = confirm([typed(120)])
    void looker.soon()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(asked).toEqual([null, 151])
    expect(found[0]).toHaveLength(200)
  })

  test('goes back to the beginning if it was typed before everything', async () => {
    const { looker, asked, found } = confirm([typed(5_000)])
    void looker.soon()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(asked).toEqual([null, 151, 51])
    expect(found[0]).toHaveLength(250)
  })

  test('stops at the newest message that was there before it', async () => {
    const { looker, asked } = confirm([typed(5_000, 200)])
    void looker.soon()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(asked).toEqual([null])
  })

  test('is repeated until it succeeds', async () => {
    const { looker, found } = confirm([typed(10)], 5)
    void looker.soon()
    await vi.advanceTimersByTimeAsync(6_000)
    expect(found).toEqual([])
    await vi.advanceTimersByTimeAsync(120_000)
    expect(found).toHaveLength(1)
  })

  test('ends with its account', async () => {
    const { looker, asked, abort } = confirm([typed(10)], 1_000)
    const ended = looker.soon()
    await vi.advanceTimersByTimeAsync(6_000)
    abort.abort()
    await ended
    const before = asked.length
    await vi.advanceTimersByTimeAsync(120_000)
    expect(asked).toHaveLength(before)
  })
})
