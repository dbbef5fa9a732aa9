import { afterEach, describe, expect, test, vi } from 'vitest'
import { VaultLocked } from '../../src/main/ports.ts'
import { memorySaved } from '../../src/main/storage/saved-files.ts'
import { openVault, type SecureStorage } from '../../src/main/storage/vault.ts'

afterEach(() => vi.useRealTimers())

/** A keyring that behaves: `v11` and the text turned around, or as the test has it go wrong. */
function keyring() {
  const state = {
    prefix: 'v11',
    available: true,
    error: null as Error | null,
    silent: false,
    stale: false,
    encrypted: 0,
  }
  const answer = <T>(value: () => T): Promise<T> => {
    if (state.silent) return new Promise(() => undefined)
    return state.error === null ? Promise.resolve().then(value) : Promise.reject(state.error)
  }
  const turned = (text: string): string => [...text].reverse().join('')
  const secure: SecureStorage = {
    available: () => answer(() => state.available),
    encrypt: (text) =>
      answer(() => {
        state.encrypted += 1
        return Buffer.from(state.prefix + turned(text))
      }),
    decrypt: (bytes) =>
      answer(() => {
        const text = Buffer.from(bytes).toString()
        if (!text.startsWith(state.prefix)) throw new Error('Error while decrypting the ciphertext')
        return { text: turned(text.slice(3)), stale: state.stale }
      }),
  }
  return { secure, state }
}

const key = 'canary-key-0123456789'

function setUp() {
  const saved = memorySaved()
  const ring = keyring()
  const open = (platform: NodeJS.Platform = 'linux') =>
    openVault({ secure: ring.secure, saved, platform })
  const onDisk = (): string => JSON.stringify(saved.read('keys'))
  return { ...ring, saved, open, onDisk }
}

describe('a vault with real protection', () => {
  test('gives a key back after a restart and never writes it in clear', async () => {
    const { open, onDisk } = setUp()
    const vault = await open()
    expect(vault.protection).toBe('os')
    await vault.put('a', key)
    expect(onDisk()).toContain('blob')
    expect(onDisk()).not.toContain(key)
    expect(onDisk()).not.toContain(Buffer.from(key).toString('base64'))
    expect(await (await open()).get('a')).toBe(key)
  })

  test('knows no key that it was not given', async () => {
    expect(await (await setUp().open()).get('a')).toBeNull()
  })

  test('forgets a key everywhere', async () => {
    const { open, onDisk } = setUp()
    const vault = await open()
    await vault.put('a', key)
    await vault.delete('a')
    expect(await vault.get('a')).toBeNull()
    expect(onDisk()).toBe('{}')
  })

  test("opens no blob that was made for another account's", async () => {
    const { open, saved } = setUp()
    await (await open()).put('a', key)
    const { a } = saved.read('keys') as { a: unknown }
    await saved.write('keys', { b: a })
    expect(await (await open()).get('b')).toBeNull()
  })

  test('is locked, and keeps the blob, while the keyring is temporarily unavailable', async () => {
    const { open, state, onDisk } = setUp()
    await (await open()).put('a', key)
    const before = onDisk()
    state.error = new Error('safeStorage is temporarily unavailable. Please try again.')
    const vault = await open()
    expect(vault.protection).toBe('os')
    await expect(vault.get('a')).rejects.toBeInstanceOf(VaultLocked)
    expect(onDisk()).toBe(before)
    state.error = null
    expect(await vault.get('a')).toBe(key)
  })

  test('is locked while the keyring does not answer, and does not hold up the start', async () => {
    const { open, state } = setUp()
    await (await open()).put('a', key)
    state.silent = true
    vi.useFakeTimers()
    const opening = open()
    await vi.advanceTimersByTimeAsync(3_000)
    const vault = await opening
    const asking = expect(vault.get('a')).rejects.toBeInstanceOf(VaultLocked)
    await vi.advanceTimersByTimeAsync(20_000)
    await asking
  })

  test('keeps a blob that it can not open when a new key comes', async () => {
    const { open, state, onDisk } = setUp()
    await (await open()).put('a', key)
    const [old] = /"blob":"([^"]+)"/.exec(onDisk())!.slice(1)
    state.prefix = 'v12'
    const vault = await open()
    expect(await vault.get('a')).toBeNull()
    await vault.put('a', 'new-key')
    expect(onDisk()).toContain(`"kept":["${old}"]`)
    expect(await (await open()).get('a')).toBe('new-key')
  })

  test('encrypts anew when the system has a newer key', async () => {
    const { open, state, onDisk } = setUp()
    await (await open()).put('a', key)
    state.stale = true
    const before = state.encrypted
    const vault = await open()
    expect(await vault.get('a')).toBe(key)
    // One probe at the start, one for the key.
    await vi.waitFor(() => expect(state.encrypted).toBe(before + 2))
    expect(onDisk()).not.toContain('kept')
  })

  test('does not take a key that it could not write', async () => {
    const { secure, open, saved } = setUp()
    await (await open()).put('a', key)
    const full = { ...saved, write: () => Promise.reject(new Error('ENOSPC')) }
    const vault = await openVault({ secure, saved: full, platform: 'linux' })
    await expect(vault.put('a', 'new-key')).rejects.toThrow('ENOSPC')
    expect(await vault.get('a')).toBe(key)
  })
})

describe('a vault without real protection', () => {
  test.each([
    ['the constant key of Linux', { prefix: 'v10' }],
    ['no secure storage', { available: false }],
    ['a broken one', { error: new Error('broken') }],
  ])('(%s) keeps keys for this session only', async (_kind, change) => {
    const { open, state, onDisk } = setUp()
    Object.assign(state, change)
    const vault = await open()
    expect(vault.protection).toBe('session')
    await vault.put('a', key)
    expect(await vault.get('a')).toBe(key)
    expect(onDisk()).toBe('null')
    expect(await (await open()).get('a')).toBeNull()
  })

  test('is another thing on macOS and Windows, where v10 is the real protection', async () => {
    const { open, state } = setUp()
    state.prefix = 'v10'
    expect((await open('darwin')).protection).toBe('os')
    expect((await open('win32')).protection).toBe('os')
  })
})
