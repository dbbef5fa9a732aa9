import type { CommandName } from '#shared/command-inputs.ts'
import type { Bridge, Commands } from '#shared/contract.ts'
import type { Result } from '#shared/core/failure.ts'
import type { Patch } from '#shared/core/patch.ts'

declare global {
  interface Window {
    readonly bridge: Bridge
  }
}

/** The commands as a window calls them: a failure is a returned value, not an exception. */
export type Calls = {
  readonly [Name in CommandName]: (
    input: Parameters<Commands[Name]>[0],
  ) => Promise<Result<Awaited<ReturnType<Commands[Name]>>>>
}

let catchUp = (): void => undefined

/**
 * Typed calls into main: `await call.refresh({ accountId: null })`. Once a call resolves, the state
 * shows what it did.
 */
export const call = new Proxy({} as Calls, {
  get: (_none, name) => async (input: unknown) => {
    const result = await window.bridge.call(name as CommandName, input)
    catchUp()
    return result
  },
})

/**
 * Follows main's state: all of it first, then its changes. Calls `applyNow` before a call resolves,
 * since the changes that main made for it have arrived by then. Returns a function that stops it.
 */
export function follow(listener: (patch: Patch) => void, applyNow: () => void): () => void {
  catchUp = applyNow
  let parts: Patch[] = []
  return window.bridge.follow((part, isLast) => {
    parts.push(part)
    // Only a whole patch: half a board would be misleading.
    if (!isLast) return
    const patch = parts.flat()
    parts = []
    listener(patch)
  })
}
