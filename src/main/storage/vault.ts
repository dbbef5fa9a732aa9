import { array, type GenericSchema, object, optional, record, safeParse, string } from 'valibot'
import type { AccountId } from '../../shared/core/account.ts'
import { type Saved, type Vault, VaultLocked } from '../ports.ts'

/** The system's secure storage: Electron's safeStorage in its asynchronous form, or a test's. */
export interface SecureStorage {
  available(): Promise<boolean>
  encrypt(text: string): Promise<Uint8Array>
  /** `stale`: the system's key has changed since, and the text should be encrypted anew. */
  decrypt(bytes: Uint8Array): Promise<{ text: string; stale: boolean }>
}

interface SavedKey {
  /** Base64 of the ciphertext. */
  readonly blob: string
  /** Earlier blobs that could not be decrypted: a keyring that comes back may still open them. */
  readonly kept?: readonly string[] | undefined
}

const savedKeys: GenericSchema<unknown, Record<string, SavedKey>> = record(
  string(),
  object({ blob: string(), kept: optional(array(string())) }),
)

/** A key and whose it is, encrypted together: a blob moved to another account opens nothing. */
const boundKey = object({ account: string(), key: string() })

const keptLimit = 3

/** A keyring that waits for its password answers late or never; the app does not wait with it. */
const keyringDeadlineMs = 20_000
/** The start waits no longer than this to learn how keys are protected here. */
const probeMs = 3_000

/**
 * Chromium's mark for "encrypted with a constant", which is no protection at all. On Linux the
 * asynchronous API says "available" even then (electron, browser_process_impl.cc), so the ciphertext
 * is looked at. Elsewhere the same three letters stand for the system's own protection.
 */
function isProtected(bytes: Uint8Array, platform: NodeJS.Platform): boolean {
  return platform !== 'linux' || Buffer.from(bytes.subarray(0, 3)).toString('latin1') !== 'v10'
}

interface Options {
  readonly secure: SecureStorage
  readonly saved: Saved
  readonly platform: NodeJS.Platform
}

/**
 * Keys in the system's secure storage where that really protects them; elsewhere in memory for this
 * session only. A key never reaches the disk in clear, and a blob that can't be decrypted is never
 * deleted nor overwritten: a locked keyring looks much like a lost one.
 */
export async function openVault({ secure, saved, platform }: Options): Promise<Vault> {
  const document = safeParse(savedKeys, saved.read('keys') ?? {})
  const blobs = new Map(document.success ? Object.entries(document.output) : [])
  const inMemory = new Map<AccountId, string>()
  // Blobs are only ever written under real protection: having some means that it was here.
  let protection: Vault['protection'] = blobs.size > 0 ? 'os' : 'session'
  const probe = protectionOf(secure, platform, protection).then((found) => {
    protection = found
  })
  await Promise.race([probe, waited(probeMs)])

  const save = (): Promise<void> => saved.write('keys', Object.fromEntries(blobs))

  const keep = async (id: AccountId, key: string, old: readonly string[]): Promise<void> => {
    const bytes = await answered(secure.encrypt(JSON.stringify({ account: id, key })))
    if (!isProtected(bytes, platform)) return
    const before = blobs.get(id)
    const kept = old.slice(-keptLimit)
    const blob = Buffer.from(bytes).toString('base64')
    blobs.set(id, kept.length === 0 ? { blob } : { blob, kept })
    try {
      await save()
    } catch (error) {
      if (before === undefined) blobs.delete(id)
      else blobs.set(id, before)
      throw error
    }
  }

  /** The blobs that a new key must not destroy: those that nothing could read so far. */
  const unread = async (id: AccountId): Promise<readonly string[]> => {
    const entry = blobs.get(id)
    if (entry === undefined) return []
    const kept = entry.kept ?? []
    const readable = await opened(secure, id, entry.blob).catch(() => null)
    return readable === null ? [...kept, entry.blob] : kept
  }

  return {
    get protection() {
      return protection
    },
    put: async (id, key) => {
      if (protection === 'os') await keep(id, key, await unread(id))
      inMemory.set(id, key)
    },
    get: async (id) => {
      const known = inMemory.get(id)
      if (known !== undefined) return known
      const entry = blobs.get(id)
      if (entry === undefined) return null
      const found = await opened(secure, id, entry.blob)
      if (found === null) return null
      inMemory.set(id, found.key)
      // Not waited for and allowed to fail: the blob that was just read is still good.
      if (found.stale) void keep(id, found.key, entry.kept ?? []).catch(() => undefined)
      return found.key
    },
    delete: async (id) => {
      inMemory.delete(id)
      if (blobs.delete(id)) await save()
    },
  }
}

/** Null: this blob is not to be opened, now or later. Throws `VaultLocked` when later may be better. */
async function opened(
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

async function protectionOf(
  secure: SecureStorage,
  platform: NodeJS.Platform,
  otherwise: Vault['protection'],
): Promise<Vault['protection']> {
  try {
    if (!(await secure.available())) return otherwise
    return isProtected(await secure.encrypt('probe'), platform) ? 'os' : 'session'
  } catch {
    // Locked or out of order now, which says nothing about what it is when it works.
    return otherwise
  }
}

function waited(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
  })
}

async function answered<T>(question: Promise<T>): Promise<T> {
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

/** Keys that live as long as the process: for the demo. */
export function memoryVault(): Vault {
  const keys = new Map<AccountId, string>()
  return {
    protection: 'session',
    put: async (id, key) => {
      keys.set(id, key)
    },
    get: async (id) => keys.get(id) ?? null,
    delete: async (id) => {
      keys.delete(id)
    },
  }
}
