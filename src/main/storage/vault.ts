import * as v from 'valibot'
import type { AccountId, KeyLoss, KeyProtection } from '../../shared/core/account.ts'
import { type Immutable, inPart, jsonIn, readable } from '../../shared/core/schemas.ts'
import { counted } from '../../shared/core/wording.ts'
import { type Saved, type Vault, VaultLocked } from '../base/ports.ts'
import { createRetry } from './journal.ts'
import { counter, leftOutWords } from './left-out.ts'

/** The start waits at most this long to learn how keys are protected here. */
const probeMs = 3_000
/** Delays before offering a key again to a keyring that did not take it. */
const retryMs = { firstMs: 1_000, longestMs: 60_000 }

interface Options {
  readonly secure: SecureStorage
  readonly saved: Saved
  readonly platform: NodeJS.Platform
  /** The name under which a keyring files its entries: another name finds nothing. */
  readonly appName?: string
  /** The user agreed to store keys on disk where nothing protects them. */
  readonly weakAllowed?: boolean
  /** Called when the way a key is kept has changed since it was put. */
  readonly onChange?: () => void
}

/**
 * Keeps keys in the system's secure storage where that really protects them; otherwise in memory
 * for this session only, or on disk if the user agreed. A key never reaches the disk in clear, and
 * a blob that can't be opened is never deleted or overwritten: a locked keyring looks much like a
 * lost one.
 */
export async function openVault(options: Options): Promise<Vault> {
  const vault = new SystemVault(options)
  await Promise.race([vault.probe(), waited(probeMs)])
  return vault
}

class SystemVault implements Vault {
  readonly #options: Options
  readonly #keys: Map<AccountId, SavedKey>
  readonly #inMemory = new Map<AccountId, string>()
  readonly #losses = new Map<AccountId, KeyLoss>()
  /** Keys that differ from what the disk holds, because the keyring did not take them. */
  readonly #onlyInMemory = new Set<AccountId>()
  readonly #retry = createRetry(() => void this.#keepAll(), retryMs)
  #weakAllowed: boolean
  #isProtecting: boolean
  /** The disk may still hold a removed key. */
  #isUnscrubbed = false

  constructor(options: Options) {
    const { saved, weakAllowed = false } = options
    this.#options = options
    this.#weakAllowed = weakAllowed
    const lost = counter()
    const document = saved.read('keys') ?? {}
    const keys = readable(inPart(v.record(v.string(), savedKey)), document, {}, lost.add)
    this.#keys = new Map(Object.entries(keys))
    if (lost.count() > 0) {
      this.#keepCopy(leftOutWords(lost.count(), 'the saved keys'))
      // Or each start would find and report the same again.
      void this.#save().catch(ignored)
    }
    // Blobs that are not `weak` are only written under real protection: so there was a keyring.
    this.#isProtecting = [...this.#keys.values()].some(({ weak }) => !weak)
  }

  get protection(): KeyProtection {
    if (this.#isProtecting) return 'os'
    return this.#weakAllowed ? 'weak' : 'session'
  }

  /** Finds out whether the keyring protects keys, and removes from the disk what was never agreed to. */
  async probe(): Promise<void> {
    if (!this.#weakAllowed) await this.#dropWeak().catch(ignored)
    const before = this.#isProtecting
    try {
      if (!(await this.#options.secure.available())) return
      this.#isProtecting = this.#isProtected(await this.#options.secure.encrypt('probe'))
      // A slow keyring may answer after the start went on without it.
      if (this.#isProtecting !== before) this.#options.onChange?.()
    } catch {
      // Locked or out of order now, which says nothing about how it protects keys when it works.
    }
  }

  async put(id: AccountId, key: string): Promise<KeyProtection> {
    await this.#keep(id, key)
    this.#inMemory.set(id, key)
    this.#losses.delete(id)
    return this.protectionOf(id)
  }

  async get(id: AccountId): Promise<string | null> {
    const known = this.#inMemory.get(id)
    if (known !== undefined) return known
    const entry = this.#keys.get(id)
    if (entry === undefined) return null
    const isSame = this.#unchanged(id)
    const found = await opened(this.#options.secure, id, entry.blob)
    if (!isSame()) return this.get(id)
    if (found === null) {
      this.#losses.set(id, this.#lossOf(entry))
      return null
    }
    this.#inMemory.set(id, found.key)
    this.#losses.delete(id)
    // Not awaited and allowed to fail: the blob just read is still good.
    if (found.stale || (entry.weak && this.#isProtecting))
      void this.#improve(id, found.key, entry).catch(ignored)
    return found.key
  }

  async delete(id: AccountId): Promise<void> {
    this.#inMemory.delete(id)
    this.#onlyInMemory.delete(id)
    this.#losses.delete(id)
    if (this.#keys.delete(id)) await this.#scrub()
  }

  async keepOnly(isKnown: (id: AccountId) => boolean, wanted: readonly AccountId[]): Promise<void> {
    const others = [...this.#keys.keys()].filter((id) => !isKnown(id))
    // One of them may be the missing one, whose name was damaged.
    if (others.length > 0 && wanted.some((id) => !this.#keys.has(id)))
      this.#keepCopy(`${counted(others.length, 'saved key')} could not be matched to an account.`)
    for (const id of others) this.#keys.delete(id)
    if (others.length > 0) await this.#scrub()
  }

  #keepCopy(why: string): void {
    const asked = 'An account without its key asks for it again.'
    this.#options.saved.files?.keepCopy('keys', `${why} ${asked}`)
  }

  protectionOf(id: AccountId): KeyProtection {
    if (this.#onlyInMemory.has(id)) return 'session'
    const entry = this.#keys.get(id)
    if (entry === undefined) return this.#inMemory.has(id) ? 'session' : this.protection
    return entry.weak ? 'weak' : 'os'
  }

  lossOf(id: AccountId): KeyLoss | null {
    return this.#losses.get(id) ?? null
  }

  async allowWeak(allowed: boolean): Promise<void> {
    this.#weakAllowed = allowed
    await (allowed ? this.#keepAll() : this.#dropWeak())
  }

  /** Returns whether the key was neither removed nor replaced since: a keyring may take its time. */
  #unchanged(id: AccountId): () => boolean {
    const [key, entry] = [this.#inMemory.get(id), this.#keys.get(id)]
    return () => this.#inMemory.get(id) === key && this.#keys.get(id) === entry
  }

  /** Offers the keys that are only in memory to the keyring again. */
  async #keepAll(): Promise<void> {
    for (const id of [...this.#onlyInMemory]) {
      const key = this.#inMemory.get(id)
      if (key === undefined) continue
      await this.#keep(id, key, this.#unchanged(id)).catch(() => this.#retry.failed())
    }
    if (this.#isUnscrubbed) await this.#scrub().catch(ignored)
    this.#options.onChange?.()
  }

  /** Stores the key as safely as possible; if the disk is no place for it, it stays in memory. */
  async #keep(id: AccountId, key: string, isWanted = (): boolean => true): Promise<void> {
    const bytes = await this.#encrypted(id, key)
    if (!isWanted()) return
    const weak = bytes !== null && !this.#isProtected(bytes)
    if (bytes === null || (weak && !this.#weakAllowed)) {
      this.#onlyInMemory.add(id)
      // A keyring that can't protect now never will; one that did not answer may.
      if (bytes === null) this.#retry.failed()
      return
    }
    const kept = await this.#unread(id)
    if (!isWanted()) return
    await this.#store(id, bytes, weak, kept)
    this.#onlyInMemory.delete(id)
    if (this.#onlyInMemory.size === 0 && !this.#isUnscrubbed) this.#retry.worked()
  }

  /** Re-encrypted if better protection is available now; the old blob goes once the new one is written. */
  async #improve(id: AccountId, key: string, { kept }: SavedKey): Promise<void> {
    const isSame = this.#unchanged(id)
    const bytes = await this.#encrypted(id, key)
    if (bytes === null || !this.#isProtected(bytes) || !isSame()) return
    await this.#store(id, bytes, false, kept)
    this.#options.onChange?.()
  }

  async #store(
    id: AccountId,
    bytes: Uint8Array,
    weak: boolean,
    kept: readonly Blob[],
  ): Promise<void> {
    if (!weak) this.#isProtecting = true
    const before = this.#keys.get(id)
    const blob = Buffer.from(bytes).toString('base64')
    const entry = { blob, ...this.#here(), weak, kept }
    this.#keys.set(id, entry)
    try {
      // An unprotected key must not remain in the backup either.
      await (before?.weak === true && !weak ? this.#scrub() : this.#save())
    } catch (error) {
      if (this.#keys.get(id) !== entry) throw error
      if (before === undefined) this.#keys.delete(id)
      else this.#keys.set(id, before)
      throw error
    }
  }

  /** Null if the keyring can't do it now, for whatever reason. */
  async #encrypted(id: AccountId, key: string): Promise<Uint8Array | null> {
    try {
      if (!(await answered(this.#options.secure.available()))) return null
      return await answered(this.#options.secure.encrypt(JSON.stringify({ account: id, key })))
    } catch {
      // Locked, gone or broken: the key can still be used from memory.
      return null
    }
  }

  /** The blobs that a new key must not destroy: those that nothing could read so far. */
  async #unread(id: AccountId): Promise<readonly Blob[]> {
    const entry = this.#keys.get(id)
    if (entry === undefined) return []
    const readable = await opened(this.#options.secure, id, entry.blob).catch(() => null)
    if (readable !== null) return entry.kept
    const { blob, backend, app } = entry
    return [...entry.kept, { blob, backend, app }]
  }

  async #dropWeak(): Promise<void> {
    const weak = [...this.#keys].filter(([, entry]) => entry.weak)
    for (const [id, entry] of weak) {
      const found = this.#inMemory.has(id)
        ? null
        : await opened(this.#options.secure, id, entry.blob).catch(() => null)
      // Removed or replaced meanwhile.
      if (this.#keys.get(id) !== entry) continue
      if (found !== null) this.#inMemory.set(id, found.key)
      if (this.#inMemory.has(id)) this.#onlyInMemory.add(id)
      this.#keys.delete(id)
    }
    if (weak.length > 0) await this.#scrub()
  }

  #save(): Promise<void> {
    return this.#options.saved.write('keys', keysDocument(this.#keys))
  }

  /** Written twice, so that the backup does not hold the removed key either. */
  async #scrub(): Promise<void> {
    this.#isUnscrubbed = true
    try {
      await this.#save()
      await this.#save()
      this.#isUnscrubbed = false
    } catch (error) {
      this.#retry.failed()
      throw error
    }
  }

  #here(): Pick<Blob, 'backend' | 'app'> {
    return {
      backend: this.#options.secure.backend?.() ?? null,
      app: this.#options.appName ?? 'Belfry',
    }
  }

  #lossOf(entry: SavedKey): KeyLoss {
    const { backend, app } = this.#here()
    const differs =
      (entry.backend !== null && entry.backend !== backend) ||
      (entry.app !== null && entry.app !== app) ||
      // It has a keyring's prefix, but there is no keyring now.
      (this.#options.platform === 'linux' && prefixOf(entry) !== 'v10' && !this.#isProtecting)
    return { why: differs ? 'otherKeyring' : 'damaged', savedWith: entry.backend }
  }

  /**
   * Chromium's prefix for “encrypted with a constant” means no protection at all. On Linux the
   * asynchronous API says “available” even then (electron, browser_process_impl.cc), so we look at
   * the ciphertext. Elsewhere the same three letters stand for the system's own protection.
   */
  #isProtected(bytes: Uint8Array): boolean {
    const blob = Buffer.from(bytes.subarray(0, 3)).toString('base64')
    return this.#options.platform !== 'linux' || prefixOf({ blob }) !== 'v10'
  }
}

function ignored(): void {
  // What could not be written is unchanged, and is retried with the next write.
}

/** Keys that last as long as the process: for the demo. */
export function memoryVault(): Vault {
  const keys = new Map<AccountId, string>()
  return {
    protection: 'session',
    put: async (id, key) => {
      keys.set(id, key)
      return 'session'
    },
    get: async (id) => keys.get(id) ?? null,
    delete: async (id) => {
      keys.delete(id)
    },
    keepOnly: async () => undefined,
    protectionOf: () => 'session',
    lossOf: () => null,
    allowWeak: async () => undefined,
  }
}

/** The system's secure storage: Electron's safeStorage in its asynchronous form, or a test's. */
export interface SecureStorage {
  available(): Promise<boolean>
  encrypt(text: string): Promise<Uint8Array>
  /** `stale`: the system's key has changed since, and the text should be re-encrypted. */
  decrypt(bytes: Uint8Array): Promise<{ text: string; stale: boolean }>
  /** The keyring's name where the system has several; else null. */
  backend?(): string | null
}

/** A key and its owner, encrypted together: a blob moved to another account opens nothing. */
const boundKey = v.object({ account: v.string(), key: v.string() })

/** A keyring waiting for its password answers late or never; the app does not wait longer. */
const keyringDeadlineMs = 20_000

/** Null: this blob can't be opened now or later. Throws `VaultLocked` when retrying may help. */
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
  const bound = v.safeParse(boundKey, jsonIn(text))
  return bound.success && bound.output.account === id ? { key: bound.output.key, stale } : null
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

/** A ciphertext, and what is needed to explain later why it can't be opened. */
const blobSchema = v.object({
  /** Base64. Its first three bytes show how it was encrypted: see `prefixOf`. */
  blob: v.string(),
  /** Electron's name of the keyring; null where the system has only one, or it was not recorded. */
  backend: v.optional(v.nullable(v.string()), null),
  /** The program's name, under which a keyring files its entries. */
  app: v.optional(v.nullable(v.string()), null),
})
type Blob = Immutable<v.InferOutput<typeof blobSchema>>

/** The first documents had bare ciphertexts in `kept`, and nothing recorded beside them. */
const bareBlob = v.pipe(
  v.string(),
  v.transform((blob): Blob => ({ blob, backend: null, app: null })),
)

/** What the disk holds for one key. */
const savedKey = v.object({
  ...blobSchema.entries,
  /** On disk without protection, with consent. */
  weak: v.optional(v.boolean(), false),
  /** Earlier blobs that could not be opened: if the keyring comes back, it may still open them. */
  kept: v.optional(v.array(v.union([blobSchema, bareBlob])), []),
})
type SavedKey = Immutable<v.InferOutput<typeof savedKey>>

/** Earlier blobs that are kept for each key. */
const keptLimit = 3

/** As written to disk: empty fields are left out. */
function keysDocument(keys: ReadonlyMap<string, SavedKey>): unknown {
  return Object.fromEntries(
    [...keys].map(([name, { weak, kept, ...own }]) => [
      name,
      {
        ...own,
        ...(weak ? { weak } : {}),
        ...(kept.length === 0 ? {} : { kept: kept.slice(-keptLimit) }),
      },
    ]),
  )
}

/** Chromium's prefix for its encryption: on Linux, `v10` is a constant key, `v11` the keyring's. */
function prefixOf({ blob: text }: Pick<Blob, 'blob'>): string {
  return Buffer.from(text.slice(0, 4), 'base64').toString('latin1')
}
