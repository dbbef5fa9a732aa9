import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { app } from './app.ts'
import { keyringLock } from './keyring-lock.ts'
import { standInObject } from './refuse.ts'
import { running } from './running.ts'

const prefixBytes = 3
const nonceBytes = 12
const tagBytes = 16

/**
 * `--password-store=gnome-libsecret` simulates a keyring, with its key in a file. Anything else
 * behaves like a Linux desktop without one: the async API still says "available" and encrypts with
 * a constant key, which only the prefix `v10` reveals.
 */
function hasKeyring(): boolean {
  return running.switches.get('password-store') === 'gnome-libsecret'
}

/**
 * The message is Electron's (electron_api_safe_storage.cc), by which alone an app knows the state.
 */
function refuseIfLocked(): void {
  if (hasKeyring() && existsSync(join(app.getPath('userData'), keyringLock)))
    throw new Error('Encryption is temporarily unavailable. Please try again.')
}

function keyOf(prefix: string): Buffer {
  if (prefix === 'v10') return Buffer.alloc(32, 'peanuts')
  const file = join(app.getPath('userData'), 'host-keyring')
  if (!existsSync(file)) writeFileSync(file, randomBytes(32), { mode: 0o600 })
  return readFileSync(file)
}

function encrypt(text: string): Buffer {
  const prefix = hasKeyring() ? 'v11' : 'v10'
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', keyOf(prefix), nonce)
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.from(prefix), nonce, body, cipher.getAuthTag()])
}

function decrypt(sealed: Buffer): string {
  const prefix = sealed.toString('latin1', 0, prefixBytes)
  if (prefix !== 'v10' && !hasKeyring()) throw new Error('Error while decrypting the ciphertext')
  const body = prefixBytes + nonceBytes
  const key = keyOf(prefix)
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(prefixBytes, body))
  decipher.setAuthTag(sealed.subarray(-tagBytes))
  return decipher.update(sealed.subarray(body, -tagBytes)).toString('utf8') + decipher.final('utf8')
}

/** Electron's `safeStorage`, its async part. */
export const safeStorage = standInObject('safeStorage', {
  getSelectedStorageBackend: () => (hasKeyring() ? 'gnome_libsecret' : 'basic_text'),
  isAsyncEncryptionAvailable: () => Promise.resolve(running.ready),
  // Async, since failures must reject, not throw.
  encryptStringAsync: async (text: string) => {
    refuseIfLocked()
    return encrypt(text)
  },
  decryptStringAsync: async (sealed: Buffer) => {
    refuseIfLocked()
    return { result: decrypt(sealed), shouldReEncrypt: false }
  },
})
