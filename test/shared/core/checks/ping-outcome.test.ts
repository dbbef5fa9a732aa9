import { describe, expect, test } from 'vitest'
import { type PingOutcome, pingOutcomeText } from '../../../../src/shared/core/checks/ping.ts'

describe('the outcome of a ping', () => {
  const cases: readonly [PingOutcome, string][] = [
    [{ kind: 'recorded', as: 'fail', status: 'down' }, 'Recorded as a failure.'],
    [
      { kind: 'ignored', because: 'pausedManually', status: 'paused' },
      'Answered OK but ignored: the check is paused until somebody resumes it.',
    ],
    [{ kind: 'notLogged' }, 'Answered OK, but not in the check’s log yet.'],
    [{ kind: 'rateLimited' }, 'Dropped: too many pings in a short time.'],
    [
      { kind: 'refused', httpStatus: 409, message: 'ambiguous slug' },
      'Refused with 409: ambiguous slug.',
    ],
    [{ kind: 'refused', httpStatus: 403, message: '' }, 'Refused with 403.'],
  ]

  test.each(cases)('%o is worded "%s"', (outcome, text) => {
    expect(pingOutcomeText(outcome)).toBe(text)
  })
})
