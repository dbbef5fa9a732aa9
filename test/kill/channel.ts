import type { Result } from '../../src/shared/core/failure.ts'
import type { Patch } from '../../src/shared/core/patch.ts'

/** From the harness to a life of the app: what its page would ask. */
export interface Question {
  readonly id: number
  readonly name: string
  readonly input: unknown
}

/** From a life of the app to the harness. */
export type Told =
  | { readonly kind: 'patch'; readonly patch: Patch }
  | { readonly kind: 'reply'; readonly id: number; readonly result: Result<unknown> }

/** The parent may be gone, or may have ended the channel; then nobody is told. */
export function tellParent(told: Told): void {
  if (process.connected) process.send?.(told)
}
