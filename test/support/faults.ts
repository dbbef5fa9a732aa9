/** What can go wrong between the app and a server; plain data, so that a run can print it. */
export type Fault =
  /** Answered by something in between. `forwarded`: the server did the work nevertheless. */
  | {
      readonly kind: 'status'
      readonly status: number
      readonly retryAfter?: string
      readonly body?: string
      /** Like a proxy that requires a login of its own. */
      readonly basic?: true
      readonly forwarded?: boolean
    }
  /** Reset before a byte was forwarded: the server saw nothing. */
  | { readonly kind: 'resetBefore' }
  /** The server did the work; the client got a reset and no byte. */
  | { readonly kind: 'resetAfter' }
  | { readonly kind: 'resetInHeaders' }
  /** `at`: bytes of the body that still arrive; half of it if left out. The same below. */
  | { readonly kind: 'resetInBody'; readonly at?: number }
  | { readonly kind: 'cutLength'; readonly at?: number }
  | { readonly kind: 'cutChunk'; readonly at?: number }
  /** Neither length nor chunks: a cut answer looks complete. */
  | { readonly kind: 'cutPlain'; readonly at?: number }
  /** No byte until the client gives up. `forwarded`: the server does the work nevertheless. */
  | { readonly kind: 'hang'; readonly forwarded: boolean }
  /** Forwards the request to the server, then is silent in both directions and never closes. */
  | { readonly kind: 'halfOpen' }
  /** One byte per `everyMs`. */
  | { readonly kind: 'slowHeaders'; readonly everyMs: number }
  | { readonly kind: 'slowBody'; readonly everyMs: number }
  | { readonly kind: 'latency'; readonly ms: number }
  | { readonly kind: BodyFaultKind }
  /** A valid answer that is not what was requested. */
  | { readonly kind: 'wrongJson'; readonly json: string }
  | { readonly kind: 'hugeBody'; readonly bytes: number }
  /** `bytes`: decoded. */
  | { readonly kind: 'gzipBomb'; readonly bytes: number }
  | { readonly kind: 'stackedEncodings'; readonly times: number }
  | { readonly kind: 'deepNesting'; readonly depth: number }
  /** A hotel's login page, in the ways such networks show one. */
  | { readonly kind: 'captivePortal'; readonly by: 200 | 302 | 307 | 511 }
  /** Repeats the first answer to this request, with its current age. */
  | { readonly kind: 'cached' }
  /** The server forgot the event queue. */
  | { readonly kind: 'queueGone' }

/** The server's own answer with a changed body: see `fault-bodies.ts`. */
export type BodyFaultKind =
  | 'truncatedJson'
  | 'invalidJson'
  | 'bom'
  | 'nan'
  | 'duplicateKeys'
  | 'proto'
  | 'loneSurrogates'
  | 'duplicatedEvents'
  | 'reorderedEvents'
  | 'unknownEvents'
  | 'emptyList'
  | 'partialList'

export type FaultKind = Fault['kind']
