import type { NetworkReason } from '../../shared/core/failure.ts'

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
  // Node's code for all that it has no name for, such as a key that is too short.
  UNSPECIFIED: 'tlsOther',
}

/** Why a request could not be done, from what undici, the sockets, TLS or zlib threw. */
export function reasonOf(error: unknown): NetworkReason {
  if (error instanceof TooLarge) return 'tooLarge'
  const code = codeOf(error)
  const known = reasons[code]
  if (known !== undefined) return known
  // What a server without TLS answers to a TLS greeting is read as a broken TLS record.
  if (/WRONG_VERSION|PACKET_LENGTH|UNKNOWN_PROTOCOL|HTTP_REQUEST/.test(code)) return 'tlsNotTls'
  if (/^(CERT_|ERR_SSL|ERR_TLS|EPROTO|CRL_|UNABLE_TO_|INVALID_CA)/.test(code)) return 'tlsOther'
  return 'unknown'
}

/**
 * Whether the proxy itself said no. Undici has codes for some of that; a refused `CONNECT` and a 407
 * it tells by words only (`proxy-agent.js` of undici 8.12, held by test/security/proxy.test.ts).
 */
export function isRefusalOfProxy(error: unknown): boolean {
  const words = error instanceof Error ? error.message : ''
  return (
    codeOf(error).startsWith('UND_ERR_PRX_') ||
    /^Proxy (?:response \(\d+\) !== 200|Authentication Required)/.test(words)
  )
}

/** These happen only before a request is written. `tlsOther` is not among them: a record can break later. */
export function isConnecting(reason: NetworkReason): boolean {
  if (reason === 'proxy') return true
  return reason === 'dns' || reason === 'refused' || (/^tls/.test(reason) && reason !== 'tlsOther')
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return ''
  // Where several addresses of a host were tried, Node throws all errors as one without a code.
  if (error instanceof AggregateError && !('code' in error)) return codeOf(error.errors[0])
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}
