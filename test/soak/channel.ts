import type { Account } from '../../src/shared/core/account.ts'

/** What the world tells the process that is measured. */
export type FromWorld =
  | {
      readonly is: 'open'
      readonly accounts: readonly Account[]
      readonly keys: readonly (readonly [id: string, key: string])[]
    }
  | { readonly is: 'events'; readonly count: number }

/** What the world is told. */
export interface ToWorld {
  readonly is: 'end'
}
