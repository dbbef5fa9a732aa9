import { app, powerMonitor, safeStorage, session } from 'electron'
import { firstProxy } from './computer.ts'

/** Calls when the computer is there again: awake, or unlocked by its user. */
export function onWake(wake: () => void): void {
  powerMonitor.on('resume', wake)
  powerMonitor.on('unlock-screen', wake)
}

const endSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/**
 * Quits, and so writes everything, when the computer asks for it: by a signal (a logout, a terminal that
 * closes, a service manager), or because the system is about to go down, which is then asked for the
 * moment that writing takes (Linux and macOS only).
 */
export function quitWhenAsked(): void {
  // Ours for as long as the app runs. Electron's own handlers end with the first listener for these
  // that anyone adds, and a package that electron-store brings along (when-exit) adds one to each: it
  // sends the signal again once it was called, which kills a process that no longer listens.
  for (const signal of endSignals) process.on(signal, () => app.quit())
  powerMonitor.on('shutdown', (event?: { preventDefault(): void }) => {
    event?.preventDefault()
    app.quit()
  })
}

/** A proxy script that hangs must not hang every request with it. */
const resolveLimitMs = 3_000

/** The system's proxy for an address, as the browser would choose it (settings, PAC); null for none. */
export async function systemProxy(url: string): Promise<string | null> {
  const late = new Promise<string>((resolve) => {
    setTimeout(() => resolve('DIRECT'), resolveLimitMs).unref()
  })
  return firstProxy(await Promise.race([session.defaultSession.resolveProxy(url), late]))
}

/** Electron's safeStorage, as `storage/vault.ts` wants it. Only its asynchronous half: the other blocks on a locked wallet, and goes in 46. */
export const systemStorage = {
  available: (): Promise<boolean> => safeStorage.isAsyncEncryptionAvailable(),
  encrypt: (text: string): Promise<Uint8Array> => safeStorage.encryptStringAsync(text),
  decrypt: async (bytes: Uint8Array): Promise<{ text: string; stale: boolean }> => {
    const { result, shouldReEncrypt } = await safeStorage.decryptStringAsync(Buffer.from(bytes))
    return { text: result, stale: shouldReEncrypt }
  },
  /** Of the synchronous half, which goes; while it is there it names the keyring all the same. */
  backend: (): string | null =>
    process.platform === 'linux' && 'getSelectedStorageBackend' in safeStorage
      ? safeStorage.getSelectedStorageBackend()
      : null,
}
