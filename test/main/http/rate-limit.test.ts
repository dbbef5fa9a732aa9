import { getEventListeners } from 'node:events'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Budget, createBudget, type Priority } from '../../../src/main/http/rate-limit.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function takeMany(budget: Budget, priority: Priority, count: number): number[] {
  const granted: number[] = []
  for (let at = 0; at < count; at += 1) {
    void budget.take(priority).then(() => granted.push(performance.now()))
  }
  return granted
}

describe('the rate limit', () => {
  test('lets 60 changes through at once, and the next after a minute', async () => {
    const budget = createBudget()
    const granted = takeMany(budget, 'act', 61)
    expect(budget.waitMs('act')).toBe(60_001)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(granted).toHaveLength(60)
    await vi.advanceTimersByTimeAsync(1)
    expect(granted).toHaveLength(61)
  })

  test('keeps room for a click while background requests wait', async () => {
    const budget = createBudget()
    const background = takeMany(budget, 'background', 100)
    await vi.advanceTimersByTimeAsync(0)
    const interactive = takeMany(budget, 'interactive', 1)
    await vi.advanceTimersByTimeAsync(0)
    expect(background).toHaveLength(45)
    expect(interactive).toHaveLength(1)
  })

  test('serves changes first, in order, then the newest page, then the background', async () => {
    const budget = createBudget({ limit: 1 })
    const order: string[] = []
    const asked = [
      ['interactive', 'a page'],
      ['background', 'a poll'],
      ['interactive', 'a page left'],
      ['interactive', 'the page looked at'],
      ['act', 'a save'],
      ['act', 'another'],
    ] as const
    for (const [priority, what] of asked) void budget.take(priority).then(() => order.push(what))
    await vi.advanceTimersByTimeAsync(400_000)
    expect(order).toEqual([
      'a page',
      'a save',
      'another',
      'the page looked at',
      'a page left',
      'a poll',
    ])
  })

  test('lets a save through at once, however many pages were viewed before', async () => {
    const budget = createBudget()
    const pages = takeMany(budget, 'interactive', 100)
    await vi.advanceTimersByTimeAsync(0)
    expect(pages).toHaveLength(54)
    expect(budget.waitMs('act')).toBe(0)
    const saves = takeMany(budget, 'act', 6)
    await vi.advanceTimersByTimeAsync(0)
    expect(saves).toHaveLength(6)
    await vi.advanceTimersByTimeAsync(20_000)
    expect(budget.waitMs('act')).toBe(40_001)
  })

  test('leaves half for what is watched, however many checks are only glanced at', async () => {
    const budget = createBudget()
    const glances = takeMany(budget, 'glance', 45)
    await vi.advanceTimersByTimeAsync(0)
    expect(glances).toHaveLength(30)
    expect(budget.waitMs('background')).toBe(0)
    const watched = takeMany(budget, 'background', 15)
    await vi.advanceTimersByTimeAsync(0)
    expect(watched).toHaveLength(15)
    await vi.advanceTimersByTimeAsync(60_001)
    expect(glances).toHaveLength(45)
  })

  test('lets glances through as long as they are few, whatever else was sent', async () => {
    const budget = createBudget()
    takeMany(budget, 'background', 45)
    const glances = takeMany(budget, 'glance', 10)
    await vi.advanceTimersByTimeAsync(0)
    expect(glances).toHaveLength(9)
  })

  test('lets what is watched through before glances, and the newest glance first', async () => {
    const budget = createBudget({ limit: 2 })
    const order: string[] = []
    const take = (priority: Priority, name: string) =>
      void budget.take(priority).then(() => order.push(name))
    take('glance', 'first')
    take('glance', 'passed')
    take('glance', 'selected')
    take('background', 'watched')
    await vi.advanceTimersByTimeAsync(5 * 60_000)
    expect(order).toEqual(['first', 'watched', 'selected', 'passed'])
  })

  test('leaves a part of it to each of two kinds, whatever is sent of the other', async () => {
    const shares = { interactive: { own: 0.8 }, background: { own: 0.8 } } as const
    const budget = createBudget({ limit: 20, shares })
    const lookups = takeMany(budget, 'background', 40)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(lookups).toHaveLength(16)
    expect(budget.waitMs('interactive', 4)).toBe(0)
    expect(budget.waitMs('interactive', 5)).toBe(30_001)
    const news = takeMany(budget, 'interactive', 40)
    await vi.advanceTimersByTimeAsync(0)
    expect(news).toHaveLength(4)
    await vi.advanceTimersByTimeAsync(10 * 60_000)
    expect([lookups.length, news.length]).toEqual([40, 40])
  })

  test('lets nothing through before it may, not even what waited already', async () => {
    let notBefore = 0
    const budget = createBudget({ limit: 1, notBefore: () => notBefore })
    const granted = takeMany(budget, 'background', 2)
    await vi.advanceTimersByTimeAsync(30_000)
    notBefore = performance.now() + 120_000
    expect(budget.waitMs('background')).toBe(120_000)
    await vi.advanceTimersByTimeAsync(119_000)
    expect(granted).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(granted).toHaveLength(2)
  })

  test('forgets an aborted request without counting it', async () => {
    const budget = createBudget({ limit: 1 })
    await budget.take('interactive')
    const abort = new AbortController()
    const given = budget.take('interactive', abort.signal)
    const next = takeMany(budget, 'interactive', 1)
    abort.abort(new Error('closed'))
    await expect(given).rejects.toThrow('closed')
    await vi.advanceTimersByTimeAsync(60_001)
    expect(next).toHaveLength(1)
  })

  test('leaves nothing behind on the signal of its callers', async () => {
    const budget = createBudget({ limit: 1 })
    const { signal } = new AbortController()
    const taken = [budget.take('act', signal), budget.take('act', signal)]
    expect(getEventListeners(signal, 'abort')).not.toEqual([])
    await vi.advanceTimersByTimeAsync(60_001)
    await Promise.all(taken)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('never lets more than 60 through in any 60 seconds, and makes none wait for ever', async () => {
    const asks = fc.array(
      fc.record({
        pause: fc.integer({ min: 0, max: 40_000 }),
        count: fc.integer({ min: 1, max: 50 }),
        priority: fc.constantFrom<Priority>('act', 'interactive', 'background', 'glance'),
      }),
      { maxLength: 12 },
    )
    await fc.assert(
      fc.asyncProperty(asks, async (sequence) => {
        const budget = createBudget()
        const batches: number[][] = []
        for (const { pause, count, priority } of sequence) {
          await vi.advanceTimersByTimeAsync(pause)
          batches.push(takeMany(budget, priority, count))
        }
        await vi.advanceTimersByTimeAsync(20 * 60_000)
        const granted = batches.flat().sort((one, other) => one - other)
        expect(granted).toHaveLength(sequence.reduce((sum, { count }) => sum + count, 0))
        for (const [at, time] of granted.entries()) {
          const sixtyLater = granted[at + 60]
          if (sixtyLater !== undefined) expect(sixtyLater - time).toBeGreaterThan(60_000)
        }
      }),
      { numRuns: 50, seed: 7 },
    )
  })

  test('delays no event poll, whatever else is requested, and lets 30 of them through in a minute', async () => {
    const budget = createBudget({ limit: 150 })
    takeMany(budget, 'interactive', 500)
    takeMany(budget, 'background', 500)
    const polls: number[] = []
    let longestMs = 0
    const following = (async () => {
      while (polls.length < 200) {
        const askedAt = performance.now()
        await budget.take('poll')
        longestMs = Math.max(longestMs, performance.now() - askedAt)
        polls.push(performance.now())
      }
    })()
    await vi.advanceTimersByTimeAsync(10 * 60_000)
    await following
    expect(longestMs).toBeLessThan(3_000)
    for (const [at, time] of polls.entries())
      expect((polls[at + 30] ?? Number.POSITIVE_INFINITY) - time).toBeGreaterThan(60_000)
  })
})
