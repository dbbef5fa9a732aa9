import { object, safeParse, string } from 'valibot'
import type { AccountId } from '../../shared/core/account.ts'
import { VaultLocked } from '../ports.ts'

/** The system's secure storage: Electron's safeStorage in its asynchronous form, or a test's. */
export interface SecureStorage {
  available(): Promise<boolean>
  encrypt(text: string): Promise<Uint8Array>
  /** `stale`: the system's key has changed since, and the text should be encrypted anew. */
  decrypt(bytes: Uint8Array): Promise<{ text: string; stale: boolean }>
  /** The keyring's name where the system knows several; else null. */
  backend?(): string | null
}

/** A key and whose it is, encrypted together: a blob moved to another account opens nothing. */
const boundKey = object({ account: string(), key: string() })

/** A keyring that waits for its password answers late or never; the app does not wait with it. */
const keyringDeadlineMs = 20_000

/** Null: this blob is not to be opened, now or later. Throws `VaultLocked` when later may be better. */
export async function opened(
  secure: SecureStorage,
  id: AccountId,
  blob: string,
): Promise<{ key: string; stale: boolean } | null> {
  let text: string
  let stale: boolean
  try {
    if (!(await answered(secure.available()))) throw new VaultLocked('no secure storage now')
    ;({ text, stale } = await answered(secure.decrypt(Buffer.from(blob, 'base64'))))
  } catch (error) {
    if (error instanceof VaultLocked) throw error
    // Electron: "… temporarily unavailable. Please try again."
    if (error instanceof Error && /temporarily/i.test(error.message))
      throw new VaultLocked('the keyring is locked')
    return null
  }
  const bound = safeParse(boundKey, parsed(text))
  return bound.success && bound.output.account === id ? { key: bound.output.key, stale } : null
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Decrypted to something that is not ours.
    return null
  }
}

export function waited(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
  })
}

export async function answered<T>(question: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new VaultLocked('the keyring does not answer')),
    keyringDeadlineMs,
  )
  try {
    return await Promise.race([question, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
