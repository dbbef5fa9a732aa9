import { afterEach, describe, expect, test, vi } from 'vitest'
import { VaultLocked } from '../../../src/main/base/ports.ts'
import { memorySaved } from '../../../src/main/storage/saved-files.ts'
import { openVault, type SecureStorage } from '../../../src/main/storage/vault.ts'

afterEach(() => vi.useRealTimers())

/** A keyring that works (`v11` and the text reversed) unless the test makes it fail. */
function keyring() {
  const state = {
    prefix: 'v11',
    available: true,
    error: null as Error | null,
    silent: false,
    stale: false,
    encrypted: 0,
    backend: 'gnome_libsecret',
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
    backend: () => state.backend,
    decrypt: (bytes) =>
      answer(() => {
        const text = Buffer.from(bytes).toString()
        // Chromium decrypts what its constant key encrypted with any keyring.
        if (!text.startsWith(state.prefix) && !text.startsWith('v10'))
          throw new Error('Error while decrypting the ciphertext')
        return { text: turned(text.slice(3)), stale: state.stale }
      }),
  }
  return { secure, state }
}

const key = 'canary-key-0123456789'

function setUp() {
  const memory = memorySaved()
  const ring = keyring()
  const disk = { full: false, written: [] as string[] }
  const saved: typeof memory = {
    ...memory,
    write: (name, value) => {
      if (disk.full) return Promise.reject(new Error('ENOSPC'))
      disk.written.push(JSON.stringify(value))
      return memory.write(name, value)
    },
  }
  const open = (platform: NodeJS.Platform = 'linux', more: { weakAllowed?: boolean } = {}) =>
    openVault({ secure: ring.secure, saved, platform, ...more })
  const onDisk = (): string => JSON.stringify(saved.read('keys'))
  return { ...ring, disk, saved, open, onDisk }
}

describe('a vault with real protection', () => {
  test('returns a key after a restart, and never writes it in plain text', async () => {
    const { open, onDisk, disk } = setUp()
    const vault = await open()
    expect(vault.protection).toBe('os')
    await vault.put('a', key)
    expect(onDisk()).toContain('blob')
    expect(onDisk()).not.toContain(key)
    expect(onDisk()).not.toContain(Buffer.from(key).toString('base64'))
    expect(await (await open()).get('a')).toBe(key)
    await new Promise(setImmediate)
    expect(disk.written).toHaveLength(1)
  })

  test('has no key that it was not given', async () => {
    const vault = await setUp().open()
    expect(await vault.get('a')).toBeNull()
    expect([vault.protectionOf('a'), vault.lossOf('a')]).toEqual(['os', null])
  })

  test('has a key that it read once even if the keyring is locked later', async () => {
    const { open, state } = setUp()
    await (await open()).put('a', key)
    const vault = await open()
    await vault.get('a')
    state.available = false
    expect(await vault.get('a')).toBe(key)
  })

  test('forgets a key everywhere', async () => {
    const { open, onDisk } = setUp()
    const vault = await open()
    await vault.put('a', key)
    await vault.delete('a')
    expect(await vault.get('a')).toBeNull()
    expect(onDisk()).toBe('{}')
  })

  test('forgets a key even where the disk refused that at first', async () => {
    vi.useFakeTimers()
    const { open, onDisk, disk } = setUp()
    const vault = await open()
    await vault.put('a', key)
    disk.full = true
    await expect(vault.delete('a')).rejects.toThrow('ENOSPC')
    await vi.advanceTimersByTimeAsync(1_000)
    expect(onDisk()).toContain('blob')
    disk.full = false
    await vi.advanceTimersByTimeAsync(2_000)
    // The last document, and the one before it, which is the backup.
    expect(disk.written.slice(-2)).toEqual(['{}', '{}'])
  })

  test('does not keep the key that a new one replaced', async () => {
    const { open, onDisk } = setUp()
    await (await open()).put('a', key)
    await (await open()).put('a', 'new-key')
    expect(onDisk()).not.toContain('kept')
  })

  test('decrypts no blob made for another account', async () => {
    const { open, saved } = setUp()
    await (await open()).put('a', key)
    const { a } = saved.read('keys') as { a: unknown }
    await saved.write('keys', { b: a })
    expect(await (await open()).get('b')).toBeNull()
  })

  test.each([
    ['says so', { error: new Error('safeStorage is temporarily unavailable. Please try again.') }],
    ['is not there', { available: false }],
  ])('is locked, and keeps the blob, while the keyring %s', async (_kind, change) => {
    const { open, state, onDisk } = setUp()
    await (await open()).put('a', key)
    const before = onDisk()
    Object.assign(state, change)
    const vault = await open()
    expect(vault.protection).toBe('os')
    await expect(vault.get('a')).rejects.toBeInstanceOf(VaultLocked)
    expect(onDisk()).toBe(before)
    Object.assign(state, { error: null, available: true })
    expect(await vault.get('a')).toBe(key)
  })

  test('is locked while the keyring does not answer, and does not delay the start', async () => {
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

  test("keeps a blob that it can't decrypt when a new key is entered", async () => {
    const { open, state, onDisk } = setUp()
    await (await open()).put('a', key)
    const [old] = /"blob":"([^"]+)"/.exec(onDisk())!.slice(1)
    state.prefix = 'v12'
    const vault = await open()
    expect(await vault.get('a')).toBeNull()
    expect(vault.lossOf('a')).not.toBeNull()
    await vault.put('a', 'new-key')
    expect(vault.lossOf('a')).toBeNull()
    expect(onDisk()).toContain(`"kept":[{"blob":"${old}"`)
    expect(await (await open()).get('a')).toBe('new-key')
  })

  test("keeps a blob that it can't decrypt just now when a new key is entered", async () => {
    const { open, saved, secure, onDisk } = setUp()
    await (await open()).put('a', key)
    const [old] = /"blob":"([^"]+)"/.exec(onDisk())!.slice(1)
    const locked = {
      ...secure,
      decrypt: () => Promise.reject(new Error('temporarily unavailable')),
    }
    const vault = await openVault({ secure: locked, saved, platform: 'linux' })
    await vault.put('a', 'new-key')
    expect(onDisk()).toContain(`"kept":[{"blob":"${old}"`)
  })

  test('re-encrypts when the system has a newer key', async () => {
    const { open, state, onDisk } = setUp()
    await (await open()).put('a', key)
    state.stale = true
    const before = state.encrypted
    const vault = await open()
    expect(await vault.get('a')).toBe(key)
    // One probe at the start, one for the key.
    await expect.poll(() => state.encrypted).toBe(before + 2)
    expect(onDisk()).not.toContain('kept')
  })

  test('does not accept a key that it could not write', async () => {
    const { open, disk, saved } = setUp()
    await (await open()).put('a', key)
    disk.full = true
    const vault = await open()
    for (const id of ['a', 'b']) await expect(vault.put(id, 'new-key')).rejects.toThrow('ENOSPC')
    expect([await vault.get('a'), await vault.get('b')]).toEqual([key, null])
    disk.full = false
    await vault.put('c', 'other-key')
    expect(Object.keys(saved.read('keys') as object)).toEqual(['a', 'c'])
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

  test('is not assumed for v10 on macOS and Windows, where that is the real protection', async () => {
    const { open, state } = setUp()
    state.prefix = 'v10'
    expect((await open('darwin')).protection).toBe('os')
    expect((await open('win32')).protection).toBe('os')
  })
})

describe('a keyring that fails', () => {
  test('does not stop a new key from working for the session, and the old blob stays', async () => {
    const { open, state, onDisk } = setUp()
    await (await open()).put('a', key)
    const before = onDisk()
    state.error = new Error('no such keyring')
    const vault = await open()
    expect(await vault.put('a', 'new-key')).toBe('session')
    expect(vault.protectionOf('a')).toBe('session')
    expect(await vault.get('a')).toBe('new-key')
    expect(onDisk()).toBe(before)
  })

  test('saves the keys it missed once it works again, and reports that', async () => {
    vi.useFakeTimers()
    const { saved, secure, state, open, disk } = setUp()
    state.error = new Error('safeStorage is temporarily unavailable. Please try again.')
    const changes: string[] = []
    const vault = await openVault({
      secure,
      saved,
      platform: 'linux',
      onChange: () => changes.push(vault.protectionOf('a')),
    })
    expect(await vault.put('a', key)).toBe('session')
    await vi.advanceTimersByTimeAsync(100_000)
    expect([vault.protection, vault.protectionOf('a')]).toEqual(['session', 'session'])
    state.error = null
    // Now it is the disk that does not take it.
    disk.full = true
    await vi.advanceTimersByTimeAsync(60_000)
    expect(vault.protectionOf('a')).toBe('session')
    disk.full = false
    await vi.advanceTimersByTimeAsync(60_000)
    expect([vault.protection, vault.protectionOf('a')]).toEqual(['os', 'os'])
    expect(changes.at(-1)).toBe('os')
    expect(vi.getTimerCount()).toBe(0)
    expect(await (await open()).get('a')).toBe(key)
  })

  test('gets them all, whichever it takes first', async () => {
    vi.useFakeTimers()
    const { state, open, onDisk } = setUp()
    const vault = await open()
    state.available = false
    await vault.put('a', key)
    state.available = true
    // Taken before the first key is offered again.
    await vault.put('b', 'other-key')
    expect([vault.protectionOf('a'), vault.protectionOf('b')]).toEqual(['session', 'os'])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(vault.protectionOf('a')).toBe('os')
    expect(Object.keys(JSON.parse(onDisk()) as object)).toEqual(['b', 'a'])
  })

  test.each([
    ['another keyring', { prefix: 'v12', backend: 'kwallet5' }, 'otherKeyring'],
    ['no keyring', { prefix: 'v10', backend: 'basic_text' }, 'otherKeyring'],
    ['the same one, which can’t decrypt it', { prefix: 'v12' }, 'damaged'],
  ])('and is now %s is named, and the blob is kept', async (_kind, change, why) => {
    const { open, state, onDisk } = setUp()
    await (await open()).put('a', key)
    const before = onDisk()
    Object.assign(state, change)
    const vault = await open()
    expect(await vault.get('a')).toBeNull()
    expect(vault.lossOf('a')).toEqual({ why, savedWith: 'gnome_libsecret' })
    expect(onDisk()).toBe(before)
    Object.assign(state, { prefix: 'v11', backend: 'gnome_libsecret' })
    for (const again of [vault, await open()]) {
      expect(await again.get('a')).toBe(key)
      expect(again.lossOf('a')).toBeNull()
    }
  })

  test('because the app was renamed is also reported', async () => {
    const { open, state, secure, saved } = setUp()
    await (await open()).put('a', key)
    state.prefix = 'v12'
    const vault = await openVault({ secure, saved, platform: 'linux', appName: 'belfry-dev' })
    expect(await vault.get('a')).toBeNull()
    expect(vault.lossOf('a')?.why).toBe('otherKeyring')
  })

  test('is used when it answers after the app started without it', async () => {
    vi.useFakeTimers()
    const { secure, saved } = setUp()
    const late = Promise.withResolvers<boolean>()
    let changes = 0
    const opening = openVault({
      secure: { ...secure, available: () => late.promise },
      saved,
      platform: 'linux',
      onChange: () => {
        changes += 1
      },
    })
    await vi.advanceTimersByTimeAsync(3_000)
    const vault = await opening
    expect(vault.protection).toBe('session')
    late.resolve(true)
    await vi.advanceTimersByTimeAsync(0)
    expect([vault.protection, changes]).toEqual(['os', 1])
  })

  test('leaves three old blobs and no more', async () => {
    const { open, state, saved } = setUp()
    for (const prefix of ['v11', 'v12', 'v13', 'v14', 'v15']) {
      state.prefix = prefix
      await (await open()).put('a', `key of ${prefix}`)
    }
    const { a } = saved.read('keys') as { a: { kept: { blob: string }[] } }
    const kept = a.kept.map(({ blob }) => Buffer.from(blob, 'base64').toString().slice(0, 3))
    expect(kept).toEqual(['v12', 'v13', 'v14'])
  })

  test("leaves the old blob in place if the new one can't be written", async () => {
    const { open, state, onDisk, disk } = setUp()
    await (await open()).put('a', key)
    const before = onDisk()
    state.stale = true
    disk.full = true
    expect(await (await open()).get('a')).toBe(key)
    await new Promise(setImmediate)
    expect(onDisk()).toBe(before)
    state.stale = false
    expect(await (await open()).get('a')).toBe(key)
  })
})

describe('a keyring that answers late', () => {
  const turn = (): Promise<void> => new Promise(setImmediate)

  /** `holdUp` returns a function that lets the next such question be answered after all. */
  async function late({ saved, secure }: ReturnType<typeof setUp>, weakAllowed = false) {
    const gates = new Map<'encrypt' | 'decrypt', Promise<void>>()
    const passed = async (which: 'encrypt' | 'decrypt'): Promise<void> => {
      const gate = gates.get(which)
      gates.delete(which)
      await gate
    }
    const slow: SecureStorage = {
      ...secure,
      encrypt: (text) => passed('encrypt').then(() => secure.encrypt(text)),
      decrypt: (bytes) => passed('decrypt').then(() => secure.decrypt(bytes)),
    }
    return {
      vault: await openVault({ secure: slow, saved, platform: 'linux', weakAllowed }),
      holdUp: (which: 'encrypt' | 'decrypt') => {
        const gate = Promise.withResolvers<void>()
        gates.set(which, gate.promise)
        return async () => {
          // The positive control: it has been asked.
          expect(gates.has(which)).toBe(false)
          gate.resolve()
          await turn()
        }
      },
    }
  }

  /** A key that only waits for the keyring, which is being asked again, or about the key it replaces. */
  async function putOff(it: ReturnType<typeof setUp>, about: 'encrypt' | 'decrypt') {
    if (about === 'decrypt') await (await it.open()).put('a', 'older-key')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { vault, holdUp } = await late(it)
    it.state.available = false
    await vault.put('a', key)
    it.state.available = true
    const answer = holdUp(about)
    await vi.advanceTimersByTimeAsync(1_000)
    return { vault, answer }
  }

  const questions = ['encrypt', 'decrypt'] as const

  test.each(questions)('keeps no key that was removed while it waited for %s', async (question) => {
    const it = setUp()
    const { vault, answer } = await putOff(it, question)
    await vault.delete('a')
    await answer()
    expect(it.onDisk()).not.toContain('blob')
  })

  test('loses no new key to the consent that was withdrawn from the old one', async () => {
    const it = setUp()
    it.state.prefix = 'v10'
    await (await it.open('linux', { weakAllowed: true })).put('a', key)
    it.state.prefix = 'v11'
    const { vault, holdUp } = await late(it, true)
    const answer = holdUp('decrypt')
    const withdrawn = vault.allowWeak(false)
    await turn()
    await vault.put('a', 'new-key')
    await answer()
    await withdrawn
    expect([await vault.get('a'), await (await it.open()).get('a')]).toEqual(['new-key', 'new-key'])
  })

  test('keeps no key that was removed while it was encrypted anew', async () => {
    const it = setUp()
    await (await it.open()).put('a', key)
    it.state.stale = true
    const { vault, holdUp } = await late(it)
    const answer = holdUp('encrypt')
    await vault.get('a')
    await vault.delete('a')
    await answer()
    expect(it.onDisk()).toBe('{}')
  })

  test('gives back no key that was removed while it was read', async () => {
    const it = setUp()
    await (await it.open()).put('a', key)
    const { vault, holdUp } = await late(it)
    const answer = holdUp('decrypt')
    const asked = vault.get('a')
    await turn()
    await vault.delete('a')
    await answer()
    expect([await asked, await vault.get('a')]).toEqual([null, null])
  })

  test('does not take the old key for the new one', async () => {
    const it = setUp()
    await (await it.open()).put('a', key)
    it.state.stale = true
    const { vault, holdUp } = await late(it)
    const answer = holdUp('decrypt')
    const asked = vault.get('a')
    await turn()
    await vault.put('a', 'new-key')
    await answer()
    expect([await asked, await vault.get('a')]).toEqual(['new-key', 'new-key'])
    expect(await (await it.open()).get('a')).toBe('new-key')
  })

  test.each(questions)('puts no old key in the place of the new one after %s', async (question) => {
    const it = setUp()
    const { vault, answer } = await putOff(it, question)
    await vault.put('a', 'new-key')
    await answer()
    expect([await vault.get('a'), vault.protectionOf('a')]).toEqual(['new-key', 'os'])
    expect(await (await it.open()).get('a')).toBe('new-key')
  })
})

describe('storage without protection', () => {
  const weakly = { weakAllowed: true }

  test('is used with consent only, and what is there is marked', async () => {
    const { open, state, onDisk } = setUp()
    state.prefix = 'v10'
    const vault = await open()
    expect(await vault.put('a', key)).toBe('session')
    expect(onDisk()).toBe('null')
    await vault.allowWeak(true)
    expect([vault.protection, vault.protectionOf('a')]).toEqual(['weak', 'weak'])
    expect(onDisk()).toContain('"weak":true')
    expect(await (await open('linux', weakly)).get('a')).toBe(key)
  })

  test('is emptied when the consent is withdrawn, including the backup, and the key keeps working', async () => {
    const { open, state, disk, onDisk } = setUp()
    state.prefix = 'v10'
    const vault = await open('linux', weakly)
    await vault.put('a', key)
    await vault.allowWeak(false)
    // The last document, and the one before it, which is the backup.
    expect(disk.written.slice(-2)).toEqual(['{}', '{}'])
    expect(vault.protectionOf('a')).toBe('session')
    expect(await vault.get('a')).toBe(key)
    await vault.allowWeak(true)
    expect(onDisk()).toContain('"weak":true')
  })

  test('is emptied at the start if the consent was withdrawn just before the app ended', async () => {
    const { open, state, onDisk } = setUp()
    state.prefix = 'v10'
    await (await open('linux', weakly)).put('a', key)
    expect(await (await open()).get('a')).toBe(key)
    expect(onDisk()).toBe('{}')
  })

  test('is emptied without consent even if the keyring does not decrypt just now', async () => {
    const { open, state, onDisk } = setUp()
    state.prefix = 'v10'
    await (await open('linux', weakly)).put('a', key)
    state.error = new Error('temporarily unavailable')
    await open()
    expect(onDisk()).toBe('{}')
  })

  test('remains marked when the system has a newer key that does not protect either', async () => {
    const { open, state, disk } = setUp()
    state.prefix = 'v10'
    await (await open('linux', weakly)).put('a', key)
    state.stale = true
    const vault = await open('linux', weakly)
    expect(await vault.get('a')).toBe(key)
    await new Promise(setImmediate)
    expect([vault.protectionOf('a'), disk.written.length]).toEqual(['weak', 1])
  })

  test('is replaced by a keyring as soon as there is one', async () => {
    const { open, state, onDisk, disk } = setUp()
    state.prefix = 'v10'
    await (await open('linux', weakly)).put('a', key)
    state.prefix = 'v11'
    const vault = await open('linux', weakly)
    expect(await vault.get('a')).toBe(key)
    await expect.poll(() => vault.protectionOf('a')).toBe('os')
    expect(onDisk()).not.toContain('weak')
    // Nor does the backup.
    await expect.poll(() => disk.written.length).toBe(3)
    expect(disk.written.slice(1).join()).not.toContain(Buffer.from('v10').toString('base64'))
    expect(await (await open()).get('a')).toBe(key)
  })

  test('does not replace what a keyring keeps', async () => {
    const { open, state, saved } = setUp()
    await (await open()).put('a', key)
    state.prefix = 'v10'
    const vault = await open('linux', weakly)
    await vault.put('a', 'entered without a keyring')
    const { a } = saved.read('keys') as { a: { kept: { blob: string }[] } }
    expect(a.kept.map(({ blob }) => Buffer.from(blob, 'base64').toString().slice(0, 3))).toEqual([
      'v11',
    ])
  })
})

describe('a damaged document of keys', () => {
  test('loses only its unreadable accounts, and is copied first, once', async () => {
    const { open, saved, secure } = setUp()
    const vault = await open()
    for (const id of ['a', 'b']) await vault.put(id, `key of ${id}`)
    const document = saved.read('keys') as Record<string, unknown>
    await saved.write('keys', { ...document, b: { blob: 7 }, c: null })
    const copied: string[] = []
    const files = {
      inDoubt: () => false,
      hasNewer: () => false,
      keepCopy: (name: string) => copied.push(name),
    }
    const again = await openVault({ secure, saved: { ...saved, files }, platform: 'linux' })
    expect(copied).toEqual(['keys'])
    expect(await Promise.all(['a', 'b', 'c'].map((id) => again.get(id)))).toEqual([
      'key of a',
      null,
      null,
    ])
    await openVault({ secure, saved: { ...saved, files }, platform: 'linux' })
    expect(copied).toEqual(['keys'])
  })

  test('is copied before a key goes whose name may be the damaged one of an account', async () => {
    const { open, saved, secure, disk } = setUp()
    const vault = await open()
    for (const id of ['a', 'b']) await vault.put(id, `key of ${id}`)
    const { a, b } = saved.read('keys') as Record<string, unknown>
    await saved.write('keys', { a, c: b })
    const copied: string[] = []
    const files = {
      inDoubt: () => false,
      hasNewer: () => false,
      keepCopy: (name: string) => copied.push(name),
    }
    const again = await openVault({ secure, saved: { ...saved, files }, platform: 'linux' })
    await again.keepOnly((id) => id !== 'c', ['a'])
    expect(copied).toEqual([])
    await saved.write('keys', { a, c: b })
    const third = await openVault({ secure, saved: { ...saved, files }, platform: 'linux' })
    await third.keepOnly((id) => id !== 'c', ['a', 'b'])
    expect(copied).toEqual(['keys'])
    expect(await third.get('a')).toBe('key of a')
    // The last document, and the one before it, which is the backup.
    for (const text of disk.written.slice(-2)) expect(text).not.toContain('"c":')
  })

  test('from the first version is read, including earlier blobs', async () => {
    const { open, saved } = setUp()
    await (await open()).put('a', key)
    const { a } = saved.read('keys') as { a: { blob: string } }
    await saved.write('keys', { a: { blob: a.blob, kept: ['b2xkZXI='] } })
    const vault = await open()
    expect(await vault.get('a')).toBe(key)
    await vault.put('b', 'key of b')
    expect(await (await open()).get('a')).toBe(key)
    expect(saved.read('keys')).toMatchObject({ a: { kept: [{ blob: 'b2xkZXI=' }] } })
  })

  test.each([
    ['v11', 'v12', 'damaged'],
    ['v11', 'v10', 'otherKeyring'],
    ['v10', 'v10', 'damaged'],
  ])(
    'from the first version, encrypted as %s where it is %s now, is taken for %s',
    async (then, now, why) => {
      const { open, saved, state } = setUp()
      const blob = Buffer.from(`${then}of another account`).toString('base64')
      await saved.write('keys', { a: { blob } })
      state.prefix = now
      const vault = await open()
      expect(await vault.get('a')).toBeNull()
      expect(vault.lossOf('a')).toEqual({ why, savedWith: null })
    },
  )
})
