import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { retryDelayMs } from '../../../src/main/http/retry-delay.ts'
import type { Failure } from '../../../src/shared/core/failure.ts'

const gone: Failure = { kind: 'network', reason: 'refused', host: 'h', reached: 'no' }
const limited: Failure = { kind: 'rateLimited', retryAfterMs: null }
const page: Failure = { kind: 'malformed', what: 'shape', where: 'checks' }
const most = 0.999_999

describe('the retry delay after failures in a row', () => {
  test.each([
    ['of the network grows to 25 s', gone, [1, 2, 3, 4, 5, 6, 50], [1, 2, 4, 8, 16, 25, 25]],
    ['of our own code grows to 25 s', null, [1, 2, 3, 6, 7, 50], [1, 2, 4, 25, 25, 25]],
    ['that read nonsense grows to 25 s', page, [1, 2, 8, 50], [1, 2, 25, 25]],
    ['of too many requests grows to 25 s', limited, [1, 2, 3, 9], [10, 20, 25, 25]],
  ])('%s', (_name, failure, counts, seconds) => {
    const delays = counts.map((count) => retryDelayMs(failure, count, most))
    expect(delays.map((ms) => Math.round(ms / 1_000))).toEqual(seconds)
  })

  test.each(['login', 'html', 'redirect', 'unauthorized'] as const)(
    'behind a login page (%s) grows to 25 s',
    (what) => {
      const portal: Failure = { kind: 'malformed', what, where: '' }
      expect(Math.round(retryDelayMs(portal, 50, most) / 1_000)).toBe(25)
    },
  )

  test('is never close to zero', () => {
    expect(retryDelayMs(gone, 1, 0)).toBe(500)
    expect(retryDelayMs(gone, 9, 0)).toBe(12_500)
    expect(retryDelayMs(limited, 1, 0)).toBe(8_000)
  })

  test('stays at a second after timeouts', () => {
    const silent: Failure = { kind: 'network', reason: 'timeout', host: 'h', reached: 'maybe' }
    expect(retryDelayMs(silent, 9, 0)).toBe(500)
    expect(retryDelayMs(silent, 9, most)).toBe(1_000)
  })

  test('is the requested Retry-After and a little more', () => {
    const asked: Failure = { kind: 'rateLimited', retryAfterMs: 30_000 }
    expect(retryDelayMs(asked, 5, 0)).toBe(30_000)
    expect(retryDelayMs(asked, 5, most)).toBe(30_500)
  })

  test('is five minutes at most if the server requests more', () => {
    expect(retryDelayMs({ kind: 'rateLimited', retryAfterMs: 7_200_000 }, 1, 0)).toBe(300_000)
  })

  test('stays within its bounds for any sequence of failures', () => {
    const failure: fc.Arbitrary<Failure> = fc.oneof(
      fc.constantFrom(gone, limited, page),
      fc.constant<Failure>({ kind: 'serverFault', httpStatus: 503 }),
      fc.constant<Failure>({ kind: 'refused', httpStatus: 400, code: 'X', message: '' }),
      fc
        .integer({ min: 1_000, max: 86_400_000 })
        .map((retryAfterMs): Failure => ({ kind: 'rateLimited', retryAfterMs })),
    )
    const draw = fc.double({ min: 0, max: most, noNaN: true })
    fc.assert(
      fc.property(failure, fc.integer({ min: 0, max: 10_000 }), draw, (cause, count, random) => {
        const ms = retryDelayMs(cause, count, random)
        expect(ms).toBeGreaterThanOrEqual(500)
        expect(ms).toBeLessThanOrEqual(5 * 60_000 + 500)
      }),
      { seed: 7, numRuns: 2_000 },
    )
  })

  test('is a quarter of an hour if the key is refused', () => {
    const refused: Failure = { kind: 'badKey', httpStatus: 401, message: '' }
    expect(retryDelayMs(refused, 1, 0)).toBe(15 * 60_000)
    expect(retryDelayMs(refused, 99, most)).toBe(15 * 60_000 + 5_000)
  })
})
