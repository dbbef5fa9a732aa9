/**
 * Hands a bug to the process's own handler for uncaught errors, which logs it, where the code that
 * met it heals itself and goes on.
 */
export function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error
  })
}
