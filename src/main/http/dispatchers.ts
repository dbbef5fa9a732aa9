import type { LookupFunction } from 'node:net'
import type { buildConnector, Dispatcher, Pool } from 'undici'
import type { NetworkReason } from '../../shared/core/failure.ts'
import type { HttpRequest } from '../../shared/http.ts'
import { privateCode, publicLookup } from './private-address.ts'

/** A type only: the first request loads the module. */
type Undici = typeof import('undici')

export interface HttpOptions {
  /**
   * Returns a URL's proxy, `http://`, `https://` or `socks5://` with host and port, or null for none;
   * called before each request.
   */
  readonly proxyFor?: (url: string) => Promise<string | null>
  /** A connection to the proxy failed, so the next request may take another one. */
  readonly onUnreachableProxy?: (proxy: string) => void
  /** The system's authorities as PEM, trusted beside Node's own; asked again after sleep. */
  readonly extraCa?: () => readonly string[]
  /** Replaces the system's resolver. */
  readonly lookup?: LookupFunction
  /** How long connecting may take, to a host or through a proxy; 10 s by default. */
  readonly connectTimeoutMs?: number
  /** Ms of a clock that continues through sleep; without it, sleep goes unnoticed. */
  readonly monotonic?: () => number
}

interface Way {
  readonly dispatcher: Dispatcher
  readonly proxy: string | null
}

/** The proxy at `url` can't be reached, or refuses to let us through. */
export class ProxyFault extends Error {
  readonly url: string

  constructor(url: string) {
    super('the proxy does not let us through')
    this.url = url
  }
}

/** A smaller difference between the two clocks is not taken for sleep. */
const sleepGrainMs = 1_000

/** Undici's dispatchers: one for each combination of proxy, `publicOnly` and authority. */
export function createDispatchers(options: HttpOptions) {
  const { connectTimeoutMs = 10_000, monotonic = () => performance.now() } = options
  const made = new Map<string, Dispatcher>()
  const failed = new WeakSet<object>()
  const failedToProxy = new WeakSet<object>()
  const lookup = boundedLookup((...question) => {
    const ask = options.lookup ?? process.getBuiltinModule('node:dns').lookup
    ask(...question)
  }, monotonic)
  const sleptMs = (): number => monotonic() - performance.now()
  let knownSleepMs = sleptMs()

  /**
   * After sleep, closes idle connections: the timers that should have ended them stood still. They
   * are dead by now, and a request on one would wait until its deadline. Requests in flight go on.
   */
  function leaveIdle(): void {
    if (sleptMs() - knownSleepMs < sleepGrainMs) return
    knownSleepMs = sleptMs()
    // Requests in flight report their own failures.
    for (const dispatcher of made.values()) dispatcher.close().catch(() => undefined)
    made.clear()
  }

  return {
    async dispatcherFor(
      undici: Undici,
      { url, authority = '', publicOnly = false }: HttpRequest,
    ): Promise<Way> {
      const proxy = (await options.proxyFor?.(url)) ?? null
      leaveIdle()
      // Only requests that trust the same authorities share a connection.
      const name = `${proxy ?? ''} ${publicOnly} ${authority}`
      const existing = made.get(name)
      if (existing !== undefined) return { dispatcher: existing, proxy }
      const connector = (more: object): buildConnector.connector =>
        undici.buildConnector({ ...more, allowH2: false, timeout: connectTimeoutMs })
      const names = { lookup: publicOnly && proxy === null ? publicLookup(lookup) : lookup }
      const tls = () => ({ ...tlsOptions(options, authority), ...names })
      const dispatcher =
        proxy === null
          ? new undici.Agent({
              ...shared,
              connect: recordingErrors(
                direct(connector(names), () => connector(tls())),
                failed,
              ),
            })
          : proxyAgent(undici, {
              proxy,
              tls: tls(),
              connect: recordingErrors(withoutCode(connector(tls())), failedToProxy),
              failed,
              connectTimeoutMs,
            })
      made.set(name, dispatcher)
      return { dispatcher, proxy }
    },
    /** Whether the error came from connecting, before any of the request was sent. */
    failedConnecting: (error: unknown) => error instanceof Error && failed.has(error),
    /** Returns a `ProxyFault` if the proxy caused the error and not the server, else null. */
    proxyFault(error: unknown, proxy: string | null) {
      if (proxy === null || !(error instanceof Error)) return null
      const isUnreachable = failedToProxy.has(error)
      if (isUnreachable) options.onUnreachableProxy?.(proxy)
      const isRefusal = isRefusalOfProxy(error, proxy.startsWith(socks))
      return isUnreachable || isRefusal ? new ProxyFault(proxy) : null
    },
  }
}

const shared = {
  // Our own deadline covers connecting, headers and body; undici's never end a body that drips in.
  headersTimeout: 0,
  bodyTimeout: 0,
  allowH2: false,
  // Shorter than any usual server's: a POST on a connection that the server is just closing
  // would have an unknown outcome.
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 10_000,
}

const socks = 'socks5:'

type Tls = ReturnType<typeof tlsOptions>

function proxyAgent(
  { Pool, ProxyAgent, Socks5ProxyAgent }: Undici,
  given: {
    readonly proxy: string
    readonly tls: Tls
    readonly connect: buildConnector.connector
    readonly failed: WeakSet<object>
    readonly connectTimeoutMs: number
  },
): Dispatcher {
  const { proxy, tls, connect, failed, connectTimeoutMs } = given
  if (proxy.startsWith(socks))
    return new Socks5ProxyAgent(proxy, {
      connect,
      connectTimeout: connectTimeoutMs,
      requestTls: tls,
    })
  const toProxy = (more?: Pool.Options) =>
    new Pool(new URL(proxy).origin, { ...shared, connect, ...more })
  return new ProxyAgent({
    ...shared,
    connectTimeout: connectTimeoutMs,
    uri: proxy,
    requestTls: tls,
    proxyTls: tls,
    // The pool for CONNECT. Nothing else in undici ends a CONNECT that is never answered, not even
    // aborting its request.
    clientFactory: () => toProxy({ headersTimeout: connectTimeoutMs }),
    factory: (origin, own: Pool.Options) => {
      // Requests over plain http go to the proxy without a tunnel.
      if (String(origin) === new URL(proxy).href) return toProxy()
      const through = own.connect
      return typeof through === 'function'
        ? new Pool(origin, { ...own, connect: recordingErrors(through, failed) })
        : new Pool(origin, own)
    },
  })
}

/** Makes the secure connector when it is first needed: reading the system's authorities is slow. */
function direct(
  plain: buildConnector.connector,
  makeSecure: () => buildConnector.connector,
): buildConnector.connector {
  let made: buildConnector.connector | null = null
  const secure = (): buildConnector.connector => {
    made ??= makeSecure()
    return made
  }
  return (target, callback) => {
    const connect = target.protocol === 'https:' ? secure() : plain
    connect(target, callback)
  }
}

/** Drops an error's code: undici would retry forever on one that it considers recoverable. */
function withoutCode(connect: buildConnector.connector): buildConnector.connector {
  return (target, callback) => {
    connect(target, (...result) => {
      if (result[0] === null) callback(...result)
      else callback(new Error('no connection to the proxy'), null)
    })
  }
}

/** Adds the connector's errors to `failed`. */
function recordingErrors(
  connect: buildConnector.connector,
  failed: WeakSet<object>,
): buildConnector.connector {
  return (target, callback) => {
    connect(target, (...result) => {
      if (result[0] !== null) failed.add(result[0])
      callback(...result)
    })
  }
}

/** A name is looked up again beside a lookup older than this: its name server may have changed. */
const staleLookupMs = 5_000

/**
 * Allows two lookups in flight for a name; later callers share the newer one. A lookup can't be
 * cancelled: with a silent name server the system keeps trying for half a minute and runs only two
 * lookups at a time, so after a night of that a new one would queue behind thousands.
 */
function boundedLookup(lookup: LookupFunction, monotonic: () => number): LookupFunction {
  type Answer = Parameters<LookupFunction>[2]
  const asked = new Map<string, { readonly at: number; readonly answers: Answer[] }[]>()
  return (hostname, options, answer) => {
    const name = `${hostname} ${JSON.stringify(options)}`
    const questions = asked.get(name) ?? []
    const newest = questions.at(-1)
    const isStale = newest === undefined || monotonic() - newest.at >= staleLookupMs
    if (newest !== undefined && (!isStale || questions.length > 1)) {
      newest.answers.push(answer)
      return
    }
    const question = { at: monotonic(), answers: [answer] }
    asked.set(name, [...questions, question])
    lookup(hostname, options, (...found) => {
      const left = (asked.get(name) ?? []).filter((one) => one !== question)
      if (left.length > 0) asked.set(name, left)
      else asked.delete(name)
      for (const one of question.answers) one(...found)
    })
  }
}

function tlsOptions(options: HttpOptions, authority: string) {
  const { extraCa } = options
  // Loaded only when first needed: it costs as much as Node itself.
  const { getCACertificates } = process.getBuiltinModule('node:tls')
  const own = [...(extraCa?.() ?? []), ...(authority === '' ? [] : [authority])]
  return {
    ...(own.length > 0 && { ca: [...getCACertificates('default'), ...own] }),
  }
}

/** The body, sent or decoded, is larger than the request allowed. */
export class TooLarge extends Error {}

/**
 * Error codes of Node with OpenSSL. Electron links BoringSSL, whose `ERR_SSL_…` names differ, so
 * `reasonOf` matches those by pattern.
 */
const reasons: Readonly<Record<string, NetworkReason>> = {
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  EAI_FAIL: 'dns',
  EAI_NODATA: 'dns',
  EAI_NONAME: 'dns',
  ECONNREFUSED: 'refused',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  ECONNRESET: 'reset',
  ECONNABORTED: 'reset',
  EPIPE: 'reset',
  UND_ERR_SOCKET: 'reset',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'reset',
  // A truncated gzip body.
  Z_BUF_ERROR: 'reset',
  ENETUNREACH: 'offline',
  ENETDOWN: 'offline',
  EHOSTUNREACH: 'offline',
  EHOSTDOWN: 'offline',
  EADDRNOTAVAIL: 'offline',
  [privateCode]: 'privateNetwork',
  ERR_BUFFER_TOO_LARGE: 'tooLarge',
  UND_ERR_HEADERS_OVERFLOW: 'tooLarge',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tlsSelfSigned',
  SELF_SIGNED_CERT_IN_CHAIN: 'tlsUnknownAuthority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tlsUnknownAuthority',
  UNABLE_TO_GET_ISSUER_CERT: 'tlsUnknownAuthority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tlsUnknownAuthority',
  CERT_UNTRUSTED: 'tlsUnknownAuthority',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tlsWrongHost',
  HOSTNAME_MISMATCH: 'tlsWrongHost',
  CERT_HAS_EXPIRED: 'tlsExpired',
  CERT_NOT_YET_VALID: 'tlsExpired',
  // Node's code for errors that it has no name for, such as a key that is too short.
  UNSPECIFIED: 'tlsOther',
}

/** Why a request failed, from what undici, the sockets, TLS or zlib threw. */
export function reasonOf(error: unknown): NetworkReason {
  if (error instanceof TooLarge) return 'tooLarge'
  const code = codeOf(error)
  const known = reasons[code]
  if (known !== undefined) return known
  // The plain-text answer of a server without TLS is read as a malformed TLS record.
  if (/WRONG_VERSION|PACKET_LENGTH|UNKNOWN_PROTOCOL|HTTP_REQUEST/.test(code)) return 'tlsNotTls'
  // Undici gives a code to some of these only.
  if (error instanceof Error && error.name === 'HTTPParserError') return 'notHttp'
  if (/^(CERT_|ERR_SSL|ERR_TLS|EPROTO|CRL_|UNABLE_TO_|INVALID_CA)/.test(code)) return 'tlsOther'
  return 'unknown'
}

/**
 * Whether the proxy itself refused. Undici has codes for some cases; a refused `CONNECT` and a 407
 * show only in the message (`proxy-agent.js` of undici 8.12; see test/security/proxy.test.ts).
 */
function isRefusalOfProxy(error: unknown, isSocks: boolean): boolean {
  const words = error instanceof Error ? error.message : ''
  return (
    /^UND_ERR_(?:PRX_|SOCKS5)/.test(codeOf(error)) ||
    // The limits of each step to the tunnel. TLS in it has the same one.
    (isSocks && codeOf(error) === 'UND_ERR_CONNECT_TIMEOUT') ||
    // Only CONNECT has a headers timeout.
    codeOf(error) === 'UND_ERR_HEADERS_TIMEOUT' ||
    /^Proxy (?:response \(\d+\) !== 200|Authentication Required)/.test(words)
  )
}

/**
 * Whether TLS could not begin, so that nothing was sent, not even through a SOCKS proxy. Not so with
 * `tlsOther`: a record can break later.
 */
export function isHandshake(reason: NetworkReason): boolean {
  return /^tls/.test(reason) && reason !== 'tlsOther'
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return ''
  // If several addresses of a host failed, Node throws one error, which may have no code.
  if (error instanceof AggregateError && !('code' in error)) return codeOf(error.errors[0])
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}
