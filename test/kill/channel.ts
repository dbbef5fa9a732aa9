import type { Result } from '../../src/shared/core/failure.ts'
import type { Patch } from '../../src/shared/core/patch.ts'

/** A command from the harness to the app, as if from its page. */
export interface Question {
  readonly id: number
  readonly name: string
  readonly input: unknown
}

/** A message from the app to the harness. */
export type Told =
  | { readonly kind: 'patch'; readonly patch: Patch }
  | { readonly kind: 'reply'; readonly id: number; readonly result: Result<unknown> }

/** Does nothing if the parent is gone or has closed the channel. */
export function tellParent(told: Told): void {
  if (process.connected) process.send?.(told)
}
