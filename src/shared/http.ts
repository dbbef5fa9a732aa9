/** A request as passed to main's `Transport`, which the demo world also answers. */
export interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE'
  /** Absolute. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | null
  /** Called with how many bytes of a `Uint8Array` body have been handed to the network so far. */
  readonly onSent?: (bytes: number) => void
  /** For the whole exchange, slow drips included. With `stallMs`: from when the body was sent. */
  readonly deadlineMs: number
  /** How long sending a large `Uint8Array` body, which may take an hour, may stall. */
  readonly stallMs?: number
  /** Cap on the decoded body. */
  readonly maxBytes: number
  /** An earlier reply to the same request: if the same bytes come again, its body is reused. */
  readonly before?: HttpReply | undefined
  /**
   * Fails with the reason `privateNetwork`, before anything is sent, if the name resolves to a
   * private address. Has no effect behind a proxy, which resolves names itself.
   */
  readonly publicOnly?: boolean
  /** PEM certificates to trust for this request in addition to the transport's own. */
  readonly authority?: string
}

export interface HttpReply {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** The body before decoding, if it was compressed. */
  readonly packed?: Uint8Array
}
