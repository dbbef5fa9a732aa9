import type { CheckStatus } from './check.ts'

export type PingSignal = 'success' | 'start' | 'fail' | 'log' | 'exitStatus'

/** A ping that a person sends. */
export interface PingByHand {
  readonly signal: PingSignal
  /** 0 to 255 with the signal `exitStatus`, else null. */
  readonly exitStatus: number | null
  /** A UUID that ties a start to its end. */
  readonly runId: string | null
  readonly body: string
}

/**
 * What became of a ping that a person sent. "OK" alone says little: servers answer it to pings that
 * they ignore, so the check and its log are read afterwards.
 */
export type PingOutcome =
  /** `as` is what the log says: keywords can make another signal of it. */
  | {
      readonly kind: 'recorded'
      readonly as: 'success' | 'start' | 'fail' | 'log'
      readonly status: CheckStatus
    }
  /** Answered OK and logged, but nothing came of it. */
  | {
      readonly kind: 'ignored'
      readonly because: 'pausedManually' | 'keywords' | 'unknown'
      readonly status: CheckStatus
    }
  /** Answered OK, but the check's log does not have it. */
  | { readonly kind: 'notLogged' }
  /** Answered OK; the check could not be read afterwards. */
  | { readonly kind: 'unconfirmed' }
  /** Dropped: too many pings. Hosted services say so with 200 and other words, or with 429. */
  | { readonly kind: 'rateLimited' }
  /** 404: the check is gone. */
  | { readonly kind: 'notFound' }
  /** 409, and whatever else was refused, in the server's words. */
  | { readonly kind: 'refused'; readonly httpStatus: number; readonly message: string }

/** The outcome as a sentence. */
export function pingOutcomeText(outcome: PingOutcome): string {
  switch (outcome.kind) {
    case 'recorded':
      return `Recorded as ${signalWords[outcome.as]}.`
    case 'ignored':
      return `Answered OK but ignored: ${reasonWords[outcome.because]}.`
    case 'notLogged':
      return 'Answered OK, but it is not in the log of the check yet.'
    case 'unconfirmed':
      return 'Answered OK. The check could not be read to see what came of it.'
    case 'rateLimited':
      return 'Dropped: too many pings in a short time.'
    case 'notFound':
      return 'The check is no longer there.'
    case 'refused':
      return `Refused with ${outcome.httpStatus}${outcome.message && `: ${outcome.message}`}.`
  }
}

const signalWords = {
  success: 'a success',
  start: 'a start',
  fail: 'a failure',
  log: 'a log entry',
} as const

const reasonWords = {
  pausedManually: 'the check is paused until somebody resumes it',
  keywords: 'its body has none of the keywords',
  unknown: 'the server does not say why',
} as const
