/** `ignored`: logged, but it changed nothing (paused with manual resume, a GET to a POST-only check, a filter). */
export type PingKind = 'success' | 'start' | 'fail' | 'log' | 'ignored' | 'unknown'

/** A signal from a job, as the service logged it. */
export interface Ping {
  /** Running number within the check, from 1. Has gaps after pruning; null on very old rows. */
  readonly n: number | null
  readonly kind: PingKind
  /** The kind as the server wrote it, for kinds we do not know. */
  readonly rawKind: string
  /** Epoch ms by the server's clock. */
  readonly at: number
  /** `http`, `https` or `email`. */
  readonly scheme: string
  readonly remoteAddress: string | null
  /** As received; empty for e-mail. */
  readonly method: string
  readonly userAgent: string
  /** Ties a start to its end; null when the job sent none. */
  readonly runId: string | null
  /** A body was kept: it can be read by `n`. */
  readonly hasBody: boolean
  /** Two decimals; null when the ping did not end a measured run, or the server did not say. */
  readonly durationSeconds: number | null
}
