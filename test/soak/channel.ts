import type { Account } from '../../src/shared/core/account.ts'

/** Messages from the world to the measured process. */
export type FromWorld =
  | {
      readonly is: 'open'
      readonly accounts: readonly Account[]
      readonly keys: readonly (readonly [id: string, key: string])[]
    }
  | { readonly is: 'events'; readonly count: number }

/** Messages from the measured process to the world. */
export interface ToWorld {
  readonly is: 'end'
}
