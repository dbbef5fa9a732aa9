import type { Account } from './account.ts'
import type { Failure, NetworkReason } from './failure.ts'
import { atClockWords, durationWords } from './time.ts'

/** A failure in three short sentences. All but the first may be empty. */
export interface FailureWords {
  /** What happened. */
  readonly what: string
  /** What it means for the user. */
  readonly meaning: string
  /** What to do. */
  readonly action: string
}

/** Statuses sent, often by a proxy, while the server is being restarted or upgraded. */
const unavailable: ReadonlySet<number> = new Set([502, 503, 504])

function serverFaultWords(httpStatus: number): string {
  const what = unavailable.has(httpStatus) ? 'is not available now' : 'has an internal error'
  return `The server ${what} (${httpStatus}).`
}

/** What happened, what it means and what to do. */
export function failureWords(failure: Failure): FailureWords {
  switch (failure.kind) {
    case 'network':
      return networkWords(failure.reason, failure.host)
    case 'serverFault':
      return {
        what: serverFaultWords(failure.httpStatus),
        meaning: 'Nothing is wrong with the key or the address.',
        action: 'Try again later, or ask its administrator.',
      }
    case 'rateLimited':
      return {
        what: 'The server is rate-limiting Belfry.',
        meaning: '',
        action:
          failure.retryAfterMs === null
            ? 'Try again in a minute.'
            : `Try again in ${durationWords(Math.max(1_000, failure.retryAfterMs))}.`,
      }
    case 'badKey':
      return {
        what: refusalWords(failure),
        meaning: failure.message === '' ? 'It may be mistyped or revoked.' : '',
        action: 'Copy the key again from its settings.',
      }
    case 'readOnlyKey':
      return {
        what: 'This key can only read.',
        meaning: 'The server does not let it change anything.',
        action: 'Replace it with a read-write key to do this.',
      }
    case 'refused':
      return {
        what: saidWords(failure.message) ?? refusedWords(failure.httpStatus),
        meaning: '',
        action: '',
      }
    case 'invalid':
      return { what: failure.message, meaning: '', action: '' }
    case 'malformed':
      return malformedWords(failure.what, failure.where)
  }
}

/** Why what the user knows by its name can't be reached; null if that isn't what failed. */
export function unreachableWords(failure: Failure): string | null {
  if (failure.kind !== 'network') return null
  const { reason } = failure
  if (reason === 'offline' || reason === 'tooLarge' || reason === 'proxy') return null
  return `unreachable (${reasons[reason].why})`
}

/** The same for a background read, which is retried at `nextAt` whatever the server asked for. */
export function readingWords(failure: Failure, nextAt: number | null, now: number): FailureWords {
  const words = failureWords(failure)
  if (failure.kind !== 'rateLimited') return words
  const action =
    nextAt === null
      ? 'Belfry will keep trying.'
      : `Belfry tries again ${atClockWords(nextAt, now)}.`
  return { ...words, action }
}

/** Why a missing key has to be entered again. */
export function missingKeyWords({ keyLoss }: Pick<Account, 'keyLoss'>): string {
  return keyLoss === undefined
    ? 'The key was kept only until Belfry quit'
    : 'The saved key can’t be used'
}

/** Why the key was rejected: the server's own words, or `otherwise` if it gave none. */
export function refusalWords(
  failure: Failure | null | undefined,
  otherwise = 'The server rejected the key.',
): string {
  return (failure?.kind === 'badKey' ? saidWords(failure.message) : null) ?? otherwise
}

/** Longer text from a server is cut. */
const longestSaid = 500

/** Quotes the server, so that its words can't pass for Belfry's own. Null if it said nothing. */
function saidWords(message: string): string | null {
  const said = message
    .replace(/[\p{C}\u2028\u2029\s]+/gu, ' ')
    .trim()
    .slice(0, longestSaid)
  if (said === '') return null
  return `The server says “${said}”${/[.!?]$/.test(said) ? '' : '.'}`
}

/** For a refusal without a message from the server. */
function refusedWords(httpStatus: number): string {
  if (httpStatus === 404) return 'The server found nothing there (404): it may have been deleted.'
  if (httpStatus === 405) return 'The server does not have this operation (405).'
  if (httpStatus === 403) return 'The server does not allow this with this key (403).'
  return `The server refused (${httpStatus}).`
}

export function failureSentence(failure: Failure): string {
  return inOneLine(failureWords(failure))
}

export function inOneLine({ what, meaning, action }: FailureWords): string {
  return [what, meaning, action].filter((part) => part !== '').join(' ')
}

interface ReasonWords {
  /** For the parentheses after "Can’t reach hc.example.org". */
  readonly why: string
  readonly meaning: string
  readonly action: string
}

const notPrivate = 'Nothing was sent: the connection would not be private.'

const reasons: Record<Exclude<NetworkReason, 'offline' | 'tooLarge' | 'proxy'>, ReasonWords> = {
  dns: {
    why: 'no server by that name',
    meaning: '',
    action: 'Check the address and the connection.',
  },
  refused: {
    why: 'connection refused',
    meaning: 'Nothing answers at this address.',
    action: 'Check the address and the port.',
  },
  timeout: { why: 'it timed out', meaning: '', action: 'Try again in a moment.' },
  reset: {
    why: 'the connection was lost',
    meaning: '',
    // Many servers close the connection when plain http reaches a TLS port.
    action: 'Try again in a moment. If it keeps happening, check the address (http or https).',
  },
  privateNetwork: {
    why: 'it resolves to a private address',
    meaning: 'Nothing was sent.',
    action: 'Check the address.',
  },
  tlsSelfSigned: {
    why: 'its certificate is self-signed',
    meaning: notPrivate,
    action: 'Check with its administrator, then give Belfry the certificate file under Accounts.',
  },
  tlsUnknownAuthority: {
    why: 'its certificate comes from an unknown authority',
    meaning: notPrivate,
    action: 'Check with its administrator, then give Belfry its certificate file under Accounts.',
  },
  tlsWrongHost: {
    why: 'its certificate is for another name',
    meaning: notPrivate,
    action: 'Check the address, or ask its administrator.',
  },
  tlsExpired: {
    why: 'its certificate has expired, or is not valid yet',
    meaning: notPrivate,
    action: 'Check the clock of this computer, or ask its administrator to renew it.',
  },
  tlsNotTls: {
    why: 'it does not speak https',
    meaning: notPrivate,
    action: 'Check the port, or whether the address begins with http.',
  },
  tlsOther: {
    why: 'no secure connection',
    meaning: notPrivate,
    action: 'Ask its administrator.',
  },
  notHttp: {
    why: 'its answer is not HTTP',
    meaning: 'Something else may answer at this port.',
    action: 'Check the address (http or https) and the port.',
  },
  unknown: { why: 'the connection failed', meaning: '', action: 'Check the connection.' },
}

function networkWords(reason: NetworkReason, host: string): FailureWords {
  if (reason === 'offline')
    return {
      what: 'This computer is offline.',
      meaning: '',
      action: 'Belfry will keep trying.',
    }
  if (reason === 'tooLarge')
    return {
      what: `The response from ${host} is too large for Belfry.`,
      meaning: 'It was not read.',
      action: 'Check that the address is the right one.',
    }
  if (reason === 'proxy')
    return {
      what: `The proxy ${host} does not let Belfry through.`,
      meaning: 'The server itself was not reached.',
      action:
        'Check the proxy in this computer’s network settings, or ask its administrator. Belfry can’t send it a password.',
    }
  const { why, meaning, action } = reasons[reason]
  return { what: `Can’t reach ${host} (${why}).`, meaning, action }
}

/** A captive portal (hotel, train) answers in place of the server, with a page or a redirect. */
const logInWords =
  'If this network requires a login, open a web page in a browser and log in there.'

function malformedWords(
  what: Extract<Failure, { kind: 'malformed' }>['what'],
  where: string,
): FailureWords {
  switch (what) {
    case 'html':
      return {
        what: 'The response is a web page instead of data.',
        meaning: 'Something else answers at this address, or a login page is in the way.',
        action: `Check the address. ${logInWords}`,
      }
    case 'noSuchPath':
      return {
        what: 'The server does not have this operation (404).',
        meaning: 'It may be too old for it, or something else answers at this address.',
        action: `Check the version of the server. ${logInWords}`,
      }
    case 'redirect':
      return {
        what: `The server redirects to another address${where === '' ? '' : `, ${where}`}.`,
        meaning: 'The key was not sent there.',
        action: `Use that address if the server moved. ${logInWords}`,
      }
    case 'login':
      return {
        what: 'This network requires a login.',
        meaning: 'The server was not reached.',
        action: 'Open a web page in a browser and log in there.',
      }
    case 'unauthorized':
      return {
        what: 'A proxy or another server answered with 401.',
        meaning: 'The service itself did not reject the key.',
        action: `Belfry will keep trying. ${logInWords}`,
      }
    case 'cached':
      return {
        what: 'The list of checks came from a cache and may be old.',
        meaning: 'A proxy answers in place of the service.',
        action: 'Belfry is asking again.',
      }
    case 'shrunk':
      return {
        what: 'Many checks are suddenly missing from the list.',
        meaning: 'It may be incomplete.',
        action: 'Belfry is asking again.',
      }
    case 'deep':
      return {
        what: 'The response is nested too deeply.',
        meaning: 'That isn’t how this service responds.',
        action: 'Check that the address is the right one.',
      }
    case 'many':
      return {
        what: `The response has too many items${where === '' ? '' : ` (at ${where})`}.`,
        meaning: 'None of it was used.',
        action: 'Check that the address is the right one.',
      }
    case 'json':
    case 'shape':
      return {
        what: `Unexpected response${where === '' ? '' : ` (at ${where})`}.`,
        meaning: 'That isn’t how this service responds.',
        action: 'Check the address, and the version of the server.',
      }
  }
}
