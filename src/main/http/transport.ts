/** A request as the client builds it: the one shape that crosses the seam to the network. */
export interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE'
  /** Absolute, always below the account's base address. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | null
  /** Called with how many bytes of a `Uint8Array` body were handed to the network so far. */
  readonly onSent?: (bytes: number) => void
  /** For the whole exchange, slow drips included. With `stallMs`: from when the body was sent. */
  readonly deadlineMs: number
  /**
   * For a large body, which may take an hour on a slow line: how long sending may stall. Only for a
   * `Uint8Array`.
   */
  readonly stallMs?: number
  /** Cap on the decoded body. */
  readonly maxBytes: number
  /** An earlier answer to the same request: where the same bytes come again, they are not unpacked again. */
  readonly before?: HttpReply | undefined
  /**
   * A name that leads into a private network fails with the reason `privateNetwork`, before anything
   * is sent. Behind a proxy, which resolves names itself, it does not.
   */
  readonly publicOnly?: boolean
  /** Certificates in PEM that are trusted for this request beside the transport's own. */
  readonly authority?: string
}

export interface HttpReply {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** The body as it came, where it came compressed. */
  readonly packed?: Uint8Array
}

/**
 * The one seam to the network: `http-transport.ts` (undici), the demo world, or a test's.
 * Rejects with `RequestFailed` of kind `network`; any HTTP status, 3xx included, is a reply.
 */
export type Transport = (request: HttpRequest, signal: AbortSignal) => Promise<HttpReply>
