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

let catchUp = (): void => undefined

/** Typed calls into main: `await call.refresh({ accountId: null })`. The state shows what they did once they answer. */
export const call = new Proxy({} as Calls, {
  get: (_none, name) => async (input: unknown) => {
    const result = await window.bridge.call(name as CommandName, input)
    catchUp()
    return result
  },
})

/**
 * Follows main's state: all of it first, then the changes. `applyNow` is called before an answer is
 * given: the changes that main made for it came earlier. Returns a function that stops it.
 */
export function follow(listener: (patch: Patch) => void, applyNow: () => void): () => void {
  catchUp = applyNow
  let parts: Patch[] = []
  return window.bridge.follow((part, isLast) => {
    parts.push(part)
    // Half a board would be a lie.
    if (!isLast) return
    const patch = parts.flat()
    parts = []
    listener(patch)
  })
}
