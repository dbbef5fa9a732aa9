import { describe, expect, test } from 'vitest'
import type { Failure, NetworkReason } from '../../../src/shared/core/failure.ts'
import {
  failureSentence,
  failureWords,
  readingWords,
} from '../../../src/shared/core/failure-words.ts'

const reasons: NetworkReason[] = [
  'dns',
  'refused',
  'timeout',
  'reset',
  'offline',
  'tooLarge',
  'proxy',
  'tlsSelfSigned',
  'tlsUnknownAuthority',
  'tlsWrongHost',
  'tlsExpired',
  'tlsNotTls',
  'tlsOther',
  'notHttp',
  'unknown',
]

const failures: Failure[] = [
  ...reasons.map((reason) => ({
    kind: 'network' as const,
    reason,
    host: 'hc.example.org',
    reached: 'no' as const,
  })),
  { kind: 'serverFault', httpStatus: 502 },
  { kind: 'rateLimited', retryAfterMs: 20_000 },
  { kind: 'badKey', httpStatus: 401, message: '' },
  { kind: 'badKey', httpStatus: 401, message: 'Account is deactivated' },
  { kind: 'readOnlyKey' },
  { kind: 'refused', httpStatus: 403, code: '', message: '' },
  { kind: 'malformed', what: 'html', where: '' },
  { kind: 'malformed', what: 'noSuchPath', where: '' },
  { kind: 'refused', httpStatus: 405, code: 'BAD_REQUEST', message: '' },
  { kind: 'malformed', what: 'redirect', where: '' },
  { kind: 'malformed', what: 'redirect', where: 'https://portal.example' },
  { kind: 'malformed', what: 'login', where: '' },
  { kind: 'malformed', what: 'unauthorized', where: '' },
  { kind: 'malformed', what: 'cached', where: 'checks' },
  { kind: 'malformed', what: 'shrunk', where: 'checks' },
  { kind: 'malformed', what: 'deep', where: '' },
  { kind: 'malformed', what: 'many', where: 'checks' },
  { kind: 'malformed', what: 'shape', where: 'checks.3.name' },
]

describe('the words of a failure', () => {
  test('do not call a restart of the server an internal error', () => {
    const whatOf = (httpStatus: number) => failureWords({ kind: 'serverFault', httpStatus }).what
    expect(whatOf(500)).toBe('The server has an internal error (500).')
    for (const httpStatus of [502, 503, 504])
      expect(whatOf(httpStatus)).toBe(`The server is not available now (${httpStatus}).`)
  })

  test.each(failures)('for %o are whole sentences that say what happened', (failure) => {
    const { what, meaning, action } = failureWords(failure)
    expect(what).not.toBe('')
    for (const sentence of [what, meaning, action].filter((part) => part !== ''))
      expect(sentence).toMatch(/^[A-Z][^!]*\.$/)
  })

  test('differ for each TLS problem, since each calls for something else', () => {
    const whats = failures.map((failure) => failureWords(failure).what)
    expect(new Set(whats).size).toBe(whats.length)
  })

  test('name the server, the reason, and what to do', () => {
    expect(
      failureSentence({
        kind: 'network',
        reason: 'tlsExpired',
        host: 'hc.example.org',
        reached: 'no',
      }),
    ).toBe(
      'Can’t reach hc.example.org (its certificate has expired, or is not valid yet). Nothing was sent: the connection would not be private. Check the clock of this computer, or ask its administrator to renew it.',
    )
  })

  test('say when a rate-limited request may be tried again, or when Belfry reads again', () => {
    const limited: Failure = { kind: 'rateLimited', retryAfterMs: 2 * 3_600_000 }
    expect(failureWords(limited).action).toBe('Try again in 2 h.')
    const now = Date.parse('2026-03-17T09:41:00Z')
    const action = (nextAt: number | null) => readingWords(limited, nextAt, now).action
    expect(action(now + 300_000)).toMatch(/^Belfry tries again at \d\d:46\.$/)
    expect(action(null)).toBe('Belfry will keep trying.')
    const offline: Failure = { kind: 'serverFault', httpStatus: 502 }
    expect(readingWords(offline, now, now)).toEqual(failureWords(offline))
  })

  test('quote the server where it refused', () => {
    const failure = {
      kind: 'refused',
      httpStatus: 400,
      code: 'BAD',
      message: 'Topic is locked',
    } as const
    expect(failureSentence(failure)).toBe('The server says “Topic is locked”.')
  })
})
