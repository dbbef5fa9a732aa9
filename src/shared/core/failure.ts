/** Why a connection failed. The `tls…` reasons each need a different action from the user. */
export type NetworkReason =
  | 'dns'
  | 'refused'
  | 'timeout'
  | 'reset'
  | 'offline'
  | 'tooLarge'
  | 'proxy'
  | 'privateNetwork'
  | 'tlsSelfSigned'
  | 'tlsUnknownAuthority'
  | 'tlsWrongHost'
  | 'tlsExpired'
  | 'tlsNotTls'
  | 'tlsOther'
  | 'notHttp'
  | 'unknown'

/**
 * Everything that can go wrong with a request, as plain data: main throws it inside `RequestFailed`
 * and sends it across IPC. It never contains a key, a header, a body or an address with a query.
 *
 * | kind        | loops                                    | the user sees                            |
 * |-------------|------------------------------------------|------------------------------------------|
 * | network     | back off; waking from sleep ends the wait | age of the data                          |
 * | serverFault | back off                                 | the same, with the status                |
 * | rateLimited | wait `retryAfterMs`, at most 5 min       | nothing, unless it was their own action  |
 * | badKey      | retry after 15 min, or on request        | the account asks for a new key           |
 * | readOnlyKey | –                                        | the action says that the key can't do it |
 * | refused     | by `code`                                | the server's words, if they acted        |
 * | invalid     | –                                        | the field and its limit                  |
 * | malformed   | back off                                 | "unexpected response", never the body    |
 */
export type Failure =
  /**
   * `reached: 'no'` means that the server certainly did not process the request. `host` is the
   * server, or for `proxy` the proxy that refused the connection.
   */
  | { kind: 'network'; reason: NetworkReason; host: string; reached: 'no' | 'maybe' }
  | { kind: 'serverFault'; httpStatus: number }
  | { kind: 'rateLimited'; retryAfterMs: number | null }
  /** The service itself refuses the key or the account. `message`: its own words, may be empty. */
  | { kind: 'badKey'; httpStatus: number; message: string }
  | { kind: 'readOnlyKey' }
  | { kind: 'refused'; httpStatus: number; code: string; message: string }
  | { kind: 'invalid'; field: string; message: string }
  /**
   * `html` is a page from a captive portal or another program; `noSuchPath` a page with status 404;
   * `login` a network that requires a login (511); `unauthorized` a 401 that isn't the service's
   * own; `deep` and `many` are JSON beyond our limits; `cached` and `shrunk` are lists of checks
   * that can't be trusted. `where` is a path such as `checks.3.name`, for `redirect` the target's
   * origin.
   */
  | {
      kind: 'malformed'
      what:
        | 'html'
        | 'noSuchPath'
        | 'redirect'
        | 'login'
        | 'unauthorized'
        | 'json'
        | 'shape'
        | 'deep'
        | 'many'
        | 'cached'
        | 'shrunk'
      where: string
    }

/** A code for logs and reports, without the host and the server's own words. */
export function failureCode(failure: Failure): string {
  const detail =
    failure.kind === 'network'
      ? failure.reason
      : failure.kind === 'malformed'
        ? failure.what
        : 'httpStatus' in failure
          ? String(failure.httpStatus)
          : ''
  return detail === '' ? failure.kind : `${failure.kind} ${detail}`
}

/** The only expected error of a request. Anything else thrown is a bug. */
export class RequestFailed extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(`request failed: ${failure.kind}`)
    this.name = 'RequestFailed'
    this.failure = failure
  }
}

/** A command's outcome across IPC, where a thrown error would lose everything but its message. */
export type Result<T> = { ok: true; value: T } | { ok: false; failure: Failure }

/** An error about one input field. */
export function invalid(field: string, message: string): RequestFailed {
  return new RequestFailed({ kind: 'invalid', field, message })
}

/** A response that can't have come from the service, or can't be used. */
export function malformed(
  what: Extract<Failure, { kind: 'malformed' }>['what'],
  where = '',
): RequestFailed {
  return new RequestFailed({ kind: 'malformed', what, where })
}

/** Whether the server may have processed the request although no proper answer came. */
export function mayHaveHappened(failure: Failure): boolean {
  if (failure.kind === 'network') return failure.reached === 'maybe'
  return failure.kind === 'serverFault' || failure.kind === 'malformed'
}
