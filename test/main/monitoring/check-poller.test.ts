import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createWaker } from '../../../src/main/http/wait.ts'
import {
  CheckPoller,
  type CheckPollerOptions,
  type ListedChecks,
} from '../../../src/main/monitoring/check-poller.ts'
import { createSinceFinder, type FlipsOf } from '../../../src/main/monitoring/down-details.ts'
import type { Check } from '../../../src/shared/core/checks/check.ts'
import type { Flip } from '../../../src/shared/core/checks/history.ts'
import { type Failure, RequestFailed } from '../../../src/shared/core/failure.ts'
import * as eg from '../../support/eg.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: eg.now })
})
afterEach(() => {
  vi.useRealTimers()
})

type Answer = readonly Check[] | Failure | 'never'

/** A project that gives these answers one after the other, and then repeats the last. */
function follow(
  answers: readonly Answer[],
  { flips, ...change }: Partial<CheckPollerOptions> & { readonly flips?: FlipsOf } = {},
) {
  const polledAt: number[] = []
  const seen: ListedChecks[] = []
  const failures: Failure[] = []
  const planned: (number | null)[] = []
  const flipsAsked: string[] = []
  const abort = new AbortController()
  const waker = createWaker()
  let inFlight = 0
  let mostInFlight = 0
  const poller = new CheckPoller({
    list: async (signal) => {
      const answer = answers[Math.min(polledAt.length, answers.length - 1)] ?? []
      polledAt.push(Date.now() - eg.now)
      inFlight += 1
      mostInFlight = Math.max(mostInFlight, inFlight)
      try {
        return await answered(answer, signal)
      } finally {
        inFlight -= 1
      }
    },
    finder: createSinceFinder(
      flips ??
        ((id) => {
          flipsAsked.push(id)
          return Promise.resolve([])
        }),
    ),
    onChecks: (listed) => {
      seen.push(listed)
    },
    onFailure: (failure) => failures.push(failure),
    onNext: (at) => planned.push(at === null ? null : at - eg.now),
    interval: () => 60_000,
    clock: { now: Date.now, monotonic: () => performance.now(), random: () => 0.5 },
    waker,
    signal: abort.signal,
    ...change,
  })
  return {
    poller,
    polledAt,
    seen,
    failures,
    planned,
    flipsAsked,
    abort,
    waker,
    most: () => mostInFlight,
  }
}

async function answered(answer: Answer, signal: AbortSignal): Promise<ListedChecks> {
  if (answer === 'never') {
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')))
    })
  }
  if ('kind' in answer) throw new RequestFailed(answer)
  await new Promise((resolve) => setTimeout(resolve, 100))
  return { checks: answer, unreadable: 0 }
}

const refused: Failure = { kind: 'badKey', httpStatus: 401, message: '' }
const gone: Failure = { kind: 'network', reason: 'refused', host: 'h', reached: 'no' }

describe('a project', () => {
  test('is read at once and then at its interval, one request at a time', async () => {
    const { polledAt, planned, most, seen } = follow([[eg.check()]])
    await vi.advanceTimersByTimeAsync(125_000)
    expect(polledAt).toEqual([0, 57_100, 114_200])
    expect(planned).toEqual([null, 57_100, null, 114_200, null, 171_300])
    expect(most()).toBe(1)
    expect(seen).toHaveLength(3)
  })

  test('is read with jitter, and never later than its interval', async () => {
    const drawn = (random: number) => {
      const clock = { now: Date.now, monotonic: () => performance.now(), random: () => random }
      return follow([[]], { clock }).polledAt
    }
    const [soonest, latest] = [drawn(0), drawn(0.999_999)]
    await vi.advanceTimersByTimeAsync(60_200)
    expect(soonest).toEqual([0, 54_100])
    expect(latest).toEqual([0, 60_100])
  })

  test('that isn’t the only one is spread over the interval after each read of all at once', async () => {
    const one = (random: number) => {
      const clock = { now: Date.now, monotonic: () => performance.now(), random: () => random }
      return follow([[]], { clock, hasOthers: () => true })
    }
    const all = [one(0), one(0.5), one(0.999_999)]
    const polledAfter = (ms: number) => all.map(({ polledAt }) => polledAt.map((at) => at - ms))
    await vi.advanceTimersByTimeAsync(60_200)
    expect(polledAfter(0)).toEqual([
      [0, 30_100],
      [0, 45_100],
      [0, 60_100],
    ])
    for (const { waker } of all) waker.wake()
    await vi.advanceTimersByTimeAsync(110_000)
    expect(polledAfter(60_200).map((times) => times.slice(2))).toEqual([
      [0, 30_100, 84_200],
      [0, 45_100, 102_200],
      [0, 60_100],
    ])
  })

  test('is read one interval after its reply, however long reading the flips takes', async () => {
    const slow = (ms: number) => () =>
      new Promise<readonly Flip[]>((resolve) => {
        setTimeout(() => resolve([]), ms)
      })
    const down = eg.check({ status: 'down', since: null })
    const { polledAt } = follow([[down]], { flips: slow(20_000) })
    const { polledAt: slowest } = follow([[down]], { flips: slow(70_000) })
    await vi.advanceTimersByTimeAsync(101_000)
    expect(polledAt.slice(0, 2)).toEqual([0, 57_100])
    // At least half an interval, so that it never spins.
    expect(slowest).toEqual([0, 100_100])
  })

  test('is read at the interval that its state requires', async () => {
    let interval = 60_000
    const { polledAt } = follow([[]], { interval: () => interval })
    await vi.advanceTimersByTimeAsync(50)
    interval = 30_000
    await vi.advanceTimersByTimeAsync(30_100)
    expect(polledAt).toEqual([0, 28_600])
  })

  test("that can't be reached is retried with growing pauses until it answers", async () => {
    const { polledAt, failures, seen } = follow([gone, gone, gone, [], []])
    await vi.advanceTimersByTimeAsync(10_000)
    expect(polledAt).toEqual([0, 750, 2_250, 5_250])
    expect(failures).toEqual([gone, gone, gone])
    expect(seen).toHaveLength(1)
  })

  test("that can't be reached is retried at least every ten seconds in the first minute, then every 25", async () => {
    const clock = { now: Date.now, monotonic: () => performance.now(), random: () => 0.999_999 }
    const { polledAt, waker } = follow([gone], { clock })
    await vi.advanceTimersByTimeAsync(15 * 60_000)
    const pauses = polledAt.slice(1).map((at, index) => at - (polledAt[index] ?? 0))
    const early = pauses.filter((_pause, index) => (polledAt[index] ?? 0) < 60_000)
    expect(Math.max(...early)).toBe(10_000)
    expect(Math.max(...pauses)).toBe(25_000)
    waker.wake()
    const before = polledAt.length
    await vi.advanceTimersByTimeAsync(60_000)
    expect(polledAt.length - before).toBeGreaterThanOrEqual(8)
  })

  test('is retried at the same pace wherever the wall clock is set', async () => {
    const { polledAt } = follow([gone])
    await vi.advanceTimersByTimeAsync(10_000)
    for (const days of [1, -2, 1]) {
      vi.setSystemTime(Date.now() + days * eg.day)
      await vi.advanceTimersByTimeAsync(10_000)
    }
    expect(polledAt.length).toBeGreaterThanOrEqual(8)
    expect(polledAt.length).toBeLessThanOrEqual(14)
  })

  test('that demands a wait is not polled earlier, not even on request', async () => {
    const limited: Failure = { kind: 'rateLimited', retryAfterMs: 90_000 }
    const { polledAt, poller, waker } = follow([limited, []])
    await vi.advanceTimersByTimeAsync(10_000)
    poller.pollNow()
    waker.wake()
    await vi.advanceTimersByTimeAsync(80_000)
    expect(polledAt).toEqual([0])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(polledAt).toEqual([0, 90_250])
  })

  test('that refuses the key is retried every quarter of an hour, on request and after sleep', async () => {
    const { poller, polledAt, waker, seen } = follow([refused, refused, refused, refused, []])
    await vi.advanceTimersByTimeAsync(20 * 60_000)
    poller.pollNow()
    await vi.advanceTimersByTimeAsync(60_000)
    waker.wake()
    await vi.advanceTimersByTimeAsync(15 * 60_000 + 10_000)
    expect(polledAt).toEqual([0, 902_500, 1_200_000, 1_260_000, 2_162_500])
    expect(seen).toHaveLength(1)
  })

  test('is read on request, and once more if requested during a poll', async () => {
    const { polledAt, poller } = follow([[]])
    await vi.advanceTimersByTimeAsync(10_000)
    poller.pollNow()
    await vi.advanceTimersByTimeAsync(50)
    poller.pollNow()
    poller.pollNow()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(polledAt).toEqual([0, 10_000, 10_100])
  })

  test('is read again after sleep, even if an earlier poll hangs', async () => {
    const { polledAt, waker, seen, failures } = follow(['never', []])
    await vi.advanceTimersByTimeAsync(5_000)
    waker.wake()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(polledAt).toEqual([0, 5_000])
    expect(seen).toHaveLength(1)
    expect(failures).toEqual([])
  })

  test('that is removed is left alone, whatever it still answers', async () => {
    const { poller, abort, seen } = follow([[]])
    await vi.advanceTimersByTimeAsync(50)
    abort.abort()
    await vi.advanceTimersByTimeAsync(100_000)
    await poller.done
    expect(seen).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('ends its loop with an error if the app itself has a bug', async () => {
    const { poller } = follow([[]], {
      onChecks: () => {
        throw new TypeError('bug')
      },
    })
    const ending = expect(poller.done).rejects.toThrow('bug')
    await vi.advanceTimersByTimeAsync(200)
    await ending
  })
})

describe('a check that is down', () => {
  const up = eg.check({ id: 'a', since: null })
  const down = eg.check({ id: 'a', status: 'down', since: null, lastPingAt: eg.now - 3 * eg.hour })
  const flips = (...list: Flip[]) => ({ flips: () => Promise.resolve(list) })
  const last = (seen: readonly ListedChecks[]) => seen.at(-1)?.checks[0]?.since

  test('is reported once, with the time of its flip', async () => {
    const at = eg.now - eg.hour
    const { seen } = follow([[up], [down]], flips({ at, up: false }, { at: 0, up: true }))
    await vi.advanceTimersByTimeAsync(65_000)
    expect(seen.map(({ checks }) => checks[0]?.since ?? null)).toEqual([null, at])
  })

  test('keeps that time while it is down, with one request', async () => {
    const asked = vi.fn(() => Promise.resolve([{ at: eg.now - eg.hour, up: false }]))
    const { seen } = follow([[up], [down]], { flips: asked })
    await vi.advanceTimersByTimeAsync(300_000)
    expect(last(seen)).toBe(eg.now - eg.hour)
    expect(asked).toHaveBeenCalledTimes(1)
  })

  test('has no time while the server has not written the flip', async () => {
    const { seen } = follow([[down]], flips({ at: eg.now - eg.day, up: true }))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(last(seen)).toBeNull()
  })

  test('is down since its newest flip, even if it has failed again since', async () => {
    const { seen } = follow([[down]], flips({ at: eg.now - eg.day, up: false }))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(last(seen)).toBe(eg.now - eg.day)
  })

  test('is shown at once the first time, and again when its flip is read', async () => {
    const { seen } = follow([[down]], flips({ at: eg.now - eg.hour, up: false }))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(seen.map(({ checks }) => checks[0]?.since ?? null)).toEqual([null, eg.now - eg.hour])
  })

  test('is not held back if its flips do not arrive', async () => {
    const hanging = (_id: string, signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')))
      })
    const { seen } = follow([[up], [down]], { flips: hanging })
    await vi.advanceTimersByTimeAsync(64_000)
    expect(seen).toHaveLength(2)
  })

  test('among a hundred others costs at most twenty requests per poll', async () => {
    const many = Array.from({ length: 100 }, () =>
      eg.check({ status: 'down', since: null, lastPingAt: null }),
    )
    const { flipsAsked } = follow([many])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(flipsAsked).toHaveLength(20)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(new Set(flipsAsked).size).toBe(40)
  })
})

describe('a reply that takes long to process', () => {
  test('is not trusted if something was changed meanwhile, and the list is read again at once', async () => {
    const outdated: boolean[] = []
    const it = follow([[eg.check()]], {
      onChecks: async (_listed, _answeredAt, isOutdated) => {
        await new Promise((resolve) => {
          setTimeout(resolve, 300)
        })
        outdated.push(isOutdated())
      },
    })
    await vi.advanceTimersByTimeAsync(200)
    it.poller.restart()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(it.polledAt).toEqual([0, 400])
    expect(outdated.slice(0, 2)).toEqual([true, false])
    it.abort.abort()
  })
})

describe('a project that is asked first whether anything changed', () => {
  const asking = (
    answers: readonly Answer[],
    say: (times: number, signal: AbortSignal) => Promise<boolean>,
  ) => {
    const askedAt: number[] = []
    const unchangedAt: number[] = []
    const it = follow(answers, {
      isUnchanged: (signal) => {
        askedAt.push(Date.now() - eg.now)
        return say(askedAt.length, signal)
      },
      onUnchanged: (at) => unchangedAt.push(at - eg.now),
    })
    return { ...it, askedAt, unchangedAt }
  }
  const unchanged = () => Promise.resolve(true)

  test('is read once, and then only asked', async () => {
    const { polledAt, askedAt, unchangedAt, planned } = asking([[]], unchanged)
    await vi.advanceTimersByTimeAsync(180_000)
    expect(polledAt).toEqual([0])
    expect(askedAt).toEqual([57_100, 114_100, 171_100])
    expect(unchangedAt).toEqual(askedAt)
    expect(planned).toEqual([null, 57_100, null, 114_100, null, 171_100, null, 228_100])
  })

  test('is read in the same poll if something did', async () => {
    const { polledAt, askedAt } = asking([[]], (times) => Promise.resolve(times !== 2))
    await vi.advanceTimersByTimeAsync(130_000)
    expect(askedAt).toEqual([57_100, 114_100])
    expect(polledAt).toEqual([0, 114_100])
  })

  test('is not asked but read on request, after a wake and after a failure', async () => {
    const { polledAt, askedAt, poller, waker } = asking([[], [], [], gone, []], unchanged)
    await vi.advanceTimersByTimeAsync(10_000)
    poller.pollNow()
    await vi.advanceTimersByTimeAsync(10_000)
    waker.wake()
    await vi.advanceTimersByTimeAsync(10_000)
    poller.restart()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(polledAt).toEqual([0, 10_000, 20_000, 30_000, 30_750])
    expect(askedAt).toEqual([])
  })

  test('is read at once if that is asked for, or it changes, while it is asked', async () => {
    const slowly = (_times: number, signal: AbortSignal) =>
      new Promise<boolean>((resolve, reject) => {
        setTimeout(() => resolve(true), 2_000)
        signal.addEventListener('abort', () => reject(new Error('aborted')))
      })
    for (const act of ['pollNow', 'restart'] as const) {
      const { polledAt, poller, abort } = asking([[]], slowly)
      const at = Date.now() - eg.now
      await vi.advanceTimersByTimeAsync(58_000)
      poller[act]()
      await vi.advanceTimersByTimeAsync(3_000)
      expect(polledAt).toEqual([at, at + 58_000])
      abort.abort()
    }
  })

  test('is read at a wake, whatever is made of the last list then', async () => {
    const { polledAt, seen, waker, poller, abort } = follow([[]], {
      onTaken: (_listed, _at, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')))
        }),
    })
    await vi.advanceTimersByTimeAsync(5_000)
    waker.wake()
    await vi.advanceTimersByTimeAsync(5_000)
    expect(polledAt).toEqual([0, 5_000])
    expect(seen).toHaveLength(2)
    abort.abort()
    await poller.done
  })

  test('that can’t even be asked has failed', async () => {
    const limited: Failure = { kind: 'rateLimited', retryAfterMs: 90_000 }
    const { polledAt, failures } = asking([[]], () => Promise.reject(new RequestFailed(limited)))
    await vi.advanceTimersByTimeAsync(140_000)
    expect(failures).toEqual([limited])
    expect(polledAt).toEqual([0])
    await vi.advanceTimersByTimeAsync(20_000)
    expect(polledAt).toHaveLength(2)
  })
})
