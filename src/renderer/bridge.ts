import type { Bridge, CommandName, Commands } from '#shared/contract.ts'
import type { Result } from '#shared/core/failure.ts'
import type { Patch } from '#shared/core/patch.ts'

declare global {
  interface Window {
    readonly bridge: Bridge
  }
}

/** The commands, as a window calls them: failures are values. */
export type Calls = {
  readonly [Name in CommandName]: (
    input: Parameters<Commands[Name]>[0],
  ) => Promise<Result<Awaited<ReturnType<Commands[Name]>>>>
}

/** Typed calls into main: `await call.refresh({ accountId: null })`. */
export const call = new Proxy({} as Calls, {
  get: (_none, name) => (input: unknown) => window.bridge.call(name as CommandName, input),
})

/** Follows main's state: all of it first, then the changes. Returns a function that stops it. */
export function follow(listener: (patch: Patch) => void): () => void {
  return window.bridge.follow(listener)
}
