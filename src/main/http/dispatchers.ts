import type { LookupFunction } from 'node:net'
import type { buildConnector, Dispatcher, Pool } from 'undici'
import type { NetworkReason } from '../../shared/core/failure.ts'
import { privateCode, publicLookup } from './private-address.ts'
import type { HttpRequest } from './transport.ts'

/** Loaded when the first request asks for it. */
type Undici = typeof import('undici')

export interface HttpOptions {
  /** The proxy for an address, `http://host:port`, or null for none; asked before each request. */
  readonly proxyFor?: (url: string) => Promise<string | null>
  /** Authorities to trust beside Node's own, as PEM: the system's store. Asked at the first request, and after sleep. */
  readonly extraCa?: () => readonly string[]
  /** In place of the system's name service. */
  readonly lookup?: LookupFunction
  /** How long connecting may take, to a host or through a proxy; 10 s where it is not given. */
  readonly connectTimeoutMs?: number
  /** Ms of a clock that continues through sleep; where it is not given, sleep goes unnoticed. */
  readonly monotonic?: () => number
}

interface Way {
  readonly dispatcher: Dispatcher
  readonly proxy: string | null
}

interface Dispatchers {
  dispatcherFor(undici: Undici, request: HttpRequest): Promise<Way>
  /** Whether connecting failed: nothing of the request was sent. */
  failedConnecting(error: unknown): boolean
  /** The error as the proxy's own, if it is: the server had no part in it. */
  proxyFault(error: unknown, proxy: string | null): ProxyFault | null
}

/** The proxy at `url` can't be reached, or refused. */
export class ProxyFault extends Error {
  readonly url: string

  constructor(url: string) {
    super('the proxy does not let us through')
    this.url = url
  }
}

/** What two clocks may differ by without any sleep. */
const sleepGrainMs = 1_000

/** Undici's dispatchers, one for each proxy and each set of trusted authorities. */
export function createDispatchers(options: HttpOptions): Dispatchers {
  const { connectTimeoutMs = 10_000, monotonic = () => performance.now() } = options
  const made = new Map<string, Dispatcher>()
  const failed = new WeakSet<object>()
  const failedToProxy = new WeakSet<object>()
  const lookup = bounded((...question) => {
    const ask = options.lookup ?? process.getBuiltinModule('node:dns').lookup
    ask(...question)
  }, monotonic)
  const sleptMs = (): number => monotonic() - performance.now()
  let knownSleepMs = sleptMs()

  /**
   * An idle connection ends by a timer, which stands still while the computer sleeps: by the end of that
   * it is dead, and a request on it would wait until its deadline. Requests under way go on.
   */
  function leaveIdle(): void {
    if (sleptMs() - knownSleepMs < sleepGrainMs) return
    knownSleepMs = sleptMs()
    // Their requests fail or succeed by themselves.
    for (const dispatcher of made.values()) dispatcher.close().catch(() => undefined)
    made.clear()
  }

  return {
    async dispatcherFor(undici, { url, authority = '', publicOnly = false }) {
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
              connect: noting(
                direct(connector(names), () => connector(tls())),
                failed,
              ),
            })
          : proxyAgent(undici, {
              proxy,
              tls: tls(),
              connect: noting(plainly(connector(tls())), failedToProxy),
              failed,
              connectTimeoutMs,
            })
      made.set(name, dispatcher)
      return { dispatcher, proxy }
    },
    failedConnecting: (error) => error instanceof Error && failed.has(error),
    proxyFault(error, proxy) {
      if (proxy === null || !(error instanceof Error)) return null
      return failedToProxy.has(error) || isRefusalOfProxy(error) ? new ProxyFault(proxy) : null
    },
  }
}

const shared = {
  // Our own deadline covers connecting, headers and body; undici's never end a body that drips.
  headersTimeout: 0,
  bodyTimeout: 0,
  allowH2: false,
  // Shorter than any usual server's: a POST on a connection that the server is just closing
  // would have an unknown outcome.
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 10_000,
}

type Tls = ReturnType<typeof tlsOptions>

function proxyAgent(
  { Pool, ProxyAgent }: Undici,
  given: {
    readonly proxy: string
    readonly tls: Tls
    readonly connect: buildConnector.connector
    readonly failed: WeakSet<object>
    readonly connectTimeoutMs: number
  },
): Dispatcher {
  const { proxy, tls, connect, failed, connectTimeoutMs } = given
  const toProxy = (more?: Pool.Options) =>
    new Pool(new URL(proxy).origin, { ...shared, connect, ...more })
  return new ProxyAgent({
    ...shared,
    connectTimeout: connectTimeoutMs,
    uri: proxy,
    requestTls: tls,
    proxyTls: tls,
    // The connections that tunnels go through, and those of requests over plain http. Undici has no
    // other end for a CONNECT that is never answered, not even when its request is given up.
    clientFactory: () => toProxy({ headersTimeout: connectTimeoutMs }),
    factory: (origin, own: Pool.Options) => {
      if (String(origin) === new URL(proxy).href) return toProxy()
      const through = own.connect
      return typeof through === 'function'
        ? new Pool(origin, { ...own, connect: noting(through, failed) })
        : new Pool(origin, own)
    },
  })
}

/** Reading the system's authorities takes long, so it waits until a connection needs them. */
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

/** Without its code: a pool keeps retrying where it recognises the reason. */
function plainly(connect: buildConnector.connector): buildConnector.connector {
  return (target, callback) => {
    connect(target, (...result) => {
      if (result[0] === null) callback(...result)
      else callback(new Error('no connection to the proxy'), null)
    })
  }
}

/** Remembers the errors of a connector. */
function noting(
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

/** A name whose question is older than this is asked for once more: its server may be another by now. */
const staleLookupMs = 5_000

/**
 * Two questions for one name at most are under way; who comes later shares the newer one. A name service
 * that is silent can't be left alone: the system goes on asking for half a minute, answers two questions
 * at a time, and after a night of them a new one would wait for thousands.
 */
function bounded(lookup: LookupFunction, monotonic: () => number): LookupFunction {
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
  // Loaded by the first address that needs it: it costs as much as Node itself.
  const { getCACertificates } = process.getBuiltinModule('node:tls')
  const own = [...(extraCa?.() ?? []), ...(authority === '' ? [] : [authority])]
  return {
    ...(own.length > 0 && { ca: [...getCACertificates('default'), ...own] }),
  }
}

/** The body, sent or decoded, is larger than the request allowed. */
export class TooLarge extends Error {}

/**
 * Codes as Node with OpenSSL gives them. Electron links BoringSSL, whose `ERR_SSL_…` names differ,
 * so those are told apart by pattern below.
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
  // A gzip body that ends too soon.
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
  // Node's code for whatever it has no name for, such as a key that is too short.
  UNSPECIFIED: 'tlsOther',
}

/** Why a request failed, from what undici, the sockets, TLS or zlib threw. */
export function reasonOf(error: unknown): NetworkReason {
  if (error instanceof TooLarge) return 'tooLarge'
  const code = codeOf(error)
  const known = reasons[code]
  if (known !== undefined) return known
  // What a server without TLS answers to a TLS greeting is read as a broken TLS record.
  if (/WRONG_VERSION|PACKET_LENGTH|UNKNOWN_PROTOCOL|HTTP_REQUEST/.test(code)) return 'tlsNotTls'
  // Undici has a code for some of these only.
  if (error instanceof Error && error.name === 'HTTPParserError') return 'notHttp'
  if (/^(CERT_|ERR_SSL|ERR_TLS|EPROTO|CRL_|UNABLE_TO_|INVALID_CA)/.test(code)) return 'tlsOther'
  return 'unknown'
}

/**
 * Whether the proxy itself said no. Undici has codes for some of that; a refused `CONNECT` and a 407
 * it reports by words only (`proxy-agent.js` of undici 8.12, held by test/security/proxy.test.ts).
 */
function isRefusalOfProxy(error: unknown): boolean {
  const words = error instanceof Error ? error.message : ''
  return (
    codeOf(error).startsWith('UND_ERR_PRX_') ||
    // No other request than CONNECT has a limit for these.
    codeOf(error) === 'UND_ERR_HEADERS_TIMEOUT' ||
    /^Proxy (?:response \(\d+\) !== 200|Authentication Required)/.test(words)
  )
}

/** These happen only before a request is written. `tlsOther` is not among them: a record can break later. */
export function isConnecting(reason: NetworkReason): boolean {
  if (reason === 'proxy' || reason === 'privateNetwork') return true
  return reason === 'dns' || reason === 'refused' || (/^tls/.test(reason) && reason !== 'tlsOther')
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return ''
  // Where several addresses of a host were tried, Node throws all errors as one without a code.
  if (error instanceof AggregateError && !('code' in error)) return codeOf(error.errors[0])
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}
