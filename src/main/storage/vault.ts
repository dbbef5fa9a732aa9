import type { AccountId, KeyLoss, KeyProtection } from '../../shared/core/account.ts'
import type { Saved, Vault } from '../ports.ts'
import { answered, opened, type SecureStorage, waited } from './keyring.ts'
import { createRetry } from './retry.ts'
import { type Blob, keysDocument, prefixOf, readKeys, type SavedKey } from './saved-keys.ts'

/** The start waits no longer than this to learn how keys are protected here. */
const probeMs = 3_000
/** A keyring that did not take a key is asked again after this, then ever more rarely. */
const retryMs = { firstMs: 1_000, longestMs: 60_000 }

interface Options {
  readonly secure: SecureStorage
  readonly saved: Saved
  readonly platform: NodeJS.Platform
  /** By which a keyring files what it keeps: another name finds nothing. */
  readonly appName?: string
  /** The user agreed to have keys on disk where nothing protects them. */
  readonly weakAllowed?: boolean
  /** A key is kept in another way now than when it was put. */
  readonly onChange?: () => void
}

/**
 * Keys in the system's secure storage where that really protects them; elsewhere in memory for this
 * session only, or on disk if the user agreed to that. A key never reaches the disk in clear, and a
 * blob that can't be opened is never deleted nor overwritten: a locked keyring looks much like a
 * lost one.
 */
export async function openVault(options: Options): Promise<Vault> {
  const vault = new SystemVault(options)
  await Promise.race([vault.probe(), waited(probeMs)])
  return vault
}

class SystemVault implements Vault {
  readonly #secure: SecureStorage
  readonly #saved: Saved
  readonly #platform: NodeJS.Platform
  readonly #appName: string
  readonly #keys: Map<AccountId, SavedKey>
  readonly #inMemory = new Map<AccountId, string>()
  readonly #losses = new Map<AccountId, KeyLoss>()
  readonly #onChange: () => void
  /** Keys that are not what the disk holds for them: the keyring did not take them. */
  readonly #onlyInMemory = new Set<AccountId>()
  readonly #retry = createRetry(() => void this.#keepAll(), retryMs)
  #weakAllowed: boolean
  #isProtecting: boolean
  /** The disk may still hold what was taken out. */
  #isUnscrubbed = false

  constructor(options: Options) {
    const { secure, saved, platform, appName = 'Belfry', weakAllowed = false } = options
    this.#onChange = options.onChange ?? ignored
    this.#secure = secure
    this.#saved = saved
    this.#platform = platform
    this.#appName = appName
    this.#weakAllowed = weakAllowed
    const { keys, bad } = readKeys(saved.read('keys'))
    this.#keys = keys
    if (bad)
      saved.files?.keepCopy(
        'keys',
        'Some of the saved keys could not be read, so their accounts ask for them again.',
      )
    // Such blobs are only ever written under real protection: having some means that it was here.
    this.#isProtecting = [...keys.values()].some(({ weak }) => !weak)
  }

  get protection(): KeyProtection {
    if (this.#isProtecting) return 'os'
    return this.#weakAllowed ? 'weak' : 'session'
  }

  /** Learns whether the keyring protects, and takes what was never agreed to off the disk. */
  async probe(): Promise<void> {
    if (!this.#weakAllowed) await this.#dropWeak().catch(ignored)
    const before = this.#isProtecting
    try {
      if (!(await this.#secure.available())) return
      this.#isProtecting = this.#isProtected(await this.#secure.encrypt('probe'))
      // A keyring that was slow may tell after the start went on without it.
      if (this.#isProtecting !== before) this.#onChange()
    } catch {
      // Locked or out of order now, which says nothing about what it is when it works.
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
    const found = await opened(this.#secure, id, entry.blob)
    if (found === null) {
      this.#losses.set(id, this.#lossOf(entry))
      return null
    }
    this.#inMemory.set(id, found.key)
    this.#losses.delete(id)
    // Not waited for and allowed to fail: the blob that was just read is still good.
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

  /** What so far is in memory only is offered to the keyring again. */
  async #keepAll(): Promise<void> {
    for (const id of [...this.#onlyInMemory]) {
      const key = this.#inMemory.get(id)
      if (key !== undefined) await this.#keep(id, key).catch(() => this.#retry.failed())
    }
    if (this.#isUnscrubbed) await this.#scrub().catch(ignored)
    this.#onChange()
  }

  /** As well as can be had; where the disk is no place for it, the key stays in memory. */
  async #keep(id: AccountId, key: string): Promise<void> {
    const bytes = await this.#encrypted(id, key)
    const weak = bytes !== null && !this.#isProtected(bytes)
    if (bytes === null || (weak && !this.#weakAllowed)) {
      this.#onlyInMemory.add(id)
      // One that can't protect now won't learn to; one that did not answer may.
      if (bytes === null) this.#retry.failed()
      return
    }
    await this.#store(id, bytes, weak, await this.#unread(id))
    this.#onlyInMemory.delete(id)
    this.#retry.worked()
  }

  /** Encrypted anew with what protects better now; the old blob goes once the new one is written. */
  async #improve(id: AccountId, key: string, { kept }: SavedKey): Promise<void> {
    const bytes = await this.#encrypted(id, key)
    if (bytes === null || !this.#isProtected(bytes)) return
    await this.#store(id, bytes, false, kept)
    this.#onChange()
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
    this.#keys.set(id, { blob, ...this.#here(), weak, kept })
    try {
      // What nothing protected is not left in the backup either.
      await (before?.weak === true && !weak ? this.#scrub() : this.#save())
    } catch (error) {
      if (before === undefined) this.#keys.delete(id)
      else this.#keys.set(id, before)
      throw error
    }
  }

  /** Null where the keyring does not do it now, for whatever reason. */
  async #encrypted(id: AccountId, key: string): Promise<Uint8Array | null> {
    try {
      if (!(await answered(this.#secure.available()))) return null
      return await answered(this.#secure.encrypt(JSON.stringify({ account: id, key })))
    } catch {
      // Locked, gone or broken: none of it is a reason not to work with the key meanwhile.
      return null
    }
  }

  /** The blobs that a new key must not destroy: those that nothing could read so far. */
  async #unread(id: AccountId): Promise<readonly Blob[]> {
    const entry = this.#keys.get(id)
    if (entry === undefined) return []
    const readable = await opened(this.#secure, id, entry.blob).catch(() => null)
    if (readable !== null) return entry.kept
    const { blob, backend, app } = entry
    return [...entry.kept, { blob, backend, app }]
  }

  async #dropWeak(): Promise<void> {
    const weak = [...this.#keys].filter(([, entry]) => entry.weak)
    for (const [id, entry] of weak) {
      const found = this.#inMemory.has(id)
        ? null
        : await opened(this.#secure, id, entry.blob).catch(() => null)
      if (found !== null) this.#inMemory.set(id, found.key)
      if (this.#inMemory.has(id)) this.#onlyInMemory.add(id)
      this.#keys.delete(id)
    }
    if (weak.length > 0) await this.#scrub()
  }

  #save(): Promise<void> {
    return this.#saved.write('keys', keysDocument(this.#keys))
  }

  /** Twice, so that the backup does not hold either what was taken out. */
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
    return { backend: this.#secure.backend?.() ?? null, app: this.#appName }
  }

  #lossOf(entry: SavedKey): KeyLoss {
    const { backend, app } = this.#here()
    const differs =
      (entry.backend !== null && entry.backend !== backend) ||
      (entry.app !== null && entry.app !== app) ||
      // The keyring's own mark where now there is no keyring.
      (this.#platform === 'linux' && prefixOf(entry) !== 'v10' && !this.#isProtecting)
    return { why: differs ? 'otherKeyring' : 'damaged', savedWith: entry.backend }
  }

  /**
   * Chromium's mark for "encrypted with a constant" is no protection at all. On Linux the
   * asynchronous API says "available" even then (electron, browser_process_impl.cc), so the
   * ciphertext is looked at. Elsewhere the same three letters stand for the system's own protection.
   */
  #isProtected(bytes: Uint8Array): boolean {
    const blob = Buffer.from(bytes.subarray(0, 3)).toString('base64')
    return this.#platform !== 'linux' || prefixOf({ blob }) !== 'v10'
  }
}

function ignored(): void {
  // What could not be written is still as it was, and is tried again with the next write.
}

/** Keys that live as long as the process: for the demo. */
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
    protectionOf: () => 'session',
    lossOf: () => null,
    allowWeak: async () => undefined,
  }
}
