/**
 * A change of a check's status, as history tells it. Flips are for drawing the past: a flip that is
 * not to up may be to down, paused or new, and one for a timeout is dated back to the moment the
 * deadline passed. What a check is now, only its status says.
 */
export interface Flip {
  /** Epoch ms by the server's clock, whole seconds. */
  readonly at: number
  readonly up: boolean
}
