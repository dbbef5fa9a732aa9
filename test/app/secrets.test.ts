import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openVault, type SecureStorage } from '../../src/main/storage/vault.ts'
import type { Account } from '../../src/shared/core/account.ts'
import { type RunningApp, startApp } from '../support/app.ts'
import { type FakeDisk, fakeDisk } from '../support/fake-desktop.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const account = ({ app }: RunningApp): Account => app.state.accounts[0]!

/** A computer whose keyring can be locked, swapped and removed, across restarts of the app. */
function computer() {
  const disk = fakeDisk()
  const ring = { prefix: 'v11', backend: 'gnome_libsecret', locked: false, silent: false, asked: 0 }
  const answer = async <T>(value: () => T): Promise<T> => {
    if (ring.silent) await new Promise(() => undefined)
    if (ring.locked) throw new Error('safeStorage is temporarily unavailable. Please try again.')
    return value()
  }
  const secure: SecureStorage = {
    available: async () => true,
    encrypt: (text) =>
      answer(() => Buffer.from(ring.prefix + Buffer.from(text).toString('base64'))),
    decrypt: (bytes) => {
      ring.asked += 1
      return answer(() => {
        const text = Buffer.from(bytes).toString()
        if (!text.startsWith(ring.prefix) && !text.startsWith('v10')) throw new Error('bad key')
        return { text: Buffer.from(text.slice(3), 'base64').toString(), stale: false }
      })
    },
    backend: () => ring.backend,
  }
  const start = async (before?: RunningApp): Promise<RunningApp> => {
    await before?.app.stop()
    const settings = disk.read('settings') as { weakStorage?: boolean } | null
    const vault = await openVault({
      secure,
      saved: disk,
      platform: 'linux',
      weakAllowed: settings?.weakStorage ?? false,
    })
    return startApp({ disk, vault, ...(before === undefined ? {} : { world: before.world }) })
  }
  return { disk, ring, start }
}

async function withAccount(it: RunningApp): Promise<RunningApp> {
  await it.app.commands.addAccount(it.world.newAccounts.ops)
  await pass(1_000)
  return it
}

describe('a locked keyring', () => {
  test('leaves the app usable, and is asked again automatically, ever less often', async () => {
    const { ring, start } = computer()
    const first = await withAccount(await start())
    ring.locked = true
    const it = await start(first)
    await pass(100)
    expect(account(it).key).toBe('locked')
    await it.app.commands.addAccount(it.world.newAccounts.web)
    await pass(1_000)
    expect(it.app.state.accounts[1]).toMatchObject({ key: 'present', protection: 'session' })
    ring.asked = 0
    await pass(10 * 60_000)
    expect(ring.asked).toBeGreaterThan(8)
    expect(ring.asked).toBeLessThan(20)
    ring.locked = false
    await pass(60_000)
    expect(account(it).key).toBe('present')
    await it.app.stop()
  })

  test.each([
    ['a click', (it: RunningApp) => it.app.commands.refresh({ accountId: account(it).id })],
    ['waking and unlocking', async (it: RunningApp) => it.app.wake()],
  ])('is asked again at once after %s', async (_kind, act) => {
    const { ring, start } = computer()
    const first = await withAccount(await start())
    ring.locked = true
    const it = await start(first)
    await pass(10 * 60_000)
    expect(account(it).key).toBe('locked')
    ring.locked = false
    await act(it)
    await pass(1_100)
    expect(account(it).key).toBe('present')
    await it.app.stop()
  })
})

describe('a keyring that never answers', () => {
  test('says nothing any more of an account whose key was entered anew meanwhile', async () => {
    const { ring, start } = computer()
    const first = await withAccount(await start())
    ring.locked = true
    const it = await start(first)
    await pass(100)
    ring.silent = true
    await pass(15_000)
    expect(account(it).key).toBe('locked')
    const { key } = it.world.newAccounts.ops
    let isReplaced = false
    void it.app.commands.replaceKey({ accountId: account(it).id, key }).then(() => {
      isReplaced = true
    })
    await pass(25_000)
    expect(isReplaced).toBe(true)
    const seen = new Set<string>()
    for (let second = 0; second < 30; second += 1) {
      seen.add(account(it).key)
      await pass(1_000)
    }
    expect([...seen]).toEqual(['present'])
    await it.app.stop()
  })
})

describe('a keyring that was replaced', () => {
  test('makes the account ask for its key, with the reason, and keeps what was saved', async () => {
    const { ring, start } = computer()
    const first = await withAccount(await start())
    Object.assign(ring, { prefix: 'v12', backend: 'kwallet5' })
    const it = await start(first)
    await pass(1_000)
    expect(account(it)).toMatchObject({
      key: 'missing',
      keyLoss: { why: 'otherKeyring', savedWith: 'gnome_libsecret' },
    })
    Object.assign(ring, { prefix: 'v11', backend: 'gnome_libsecret' })
    const back = await start(it)
    await pass(1_000)
    expect(account(back).key).toBe('present')
    expect(account(back).keyLoss).toBeUndefined()
    await back.app.stop()
  })

  test('takes a new key, and the account stops mentioning the old one', async () => {
    const { ring, start } = computer()
    const first = await withAccount(await start())
    Object.assign(ring, { prefix: 'v10', backend: 'basic_text' })
    const it = await start(first)
    await pass(1_000)
    const { key } = it.world.newAccounts.ops
    await it.app.commands.replaceKey({ accountId: account(it).id, key })
    await pass(1_000)
    expect(account(it)).toMatchObject({ key: 'present', protection: 'session' })
    expect(account(it).keyLoss).toBeUndefined()
    await it.app.stop()
  })
})

describe('the key of an account that was removed', () => {
  /** As a crash leaves it that comes after the account was removed and before its key was. */
  async function crashed(damage: (disk: FakeDisk) => void) {
    const { disk, start } = computer()
    const it = await withAccount(await start())
    await it.app.commands.addAccount(it.world.newAccounts.web)
    const [keys = '', id] = [disk.documents.get('keys'), account(it).id]
    await it.app.commands.removeAccount({ accountId: id })
    expect(disk.documents.get('keys')).not.toContain(id)
    const other = JSON.stringify({ ...(JSON.parse(keys) as object), another: { blob: 'djEx' } })
    disk.documents.set('keys', other)
    damage(disk)
    const again = await start(it)
    await pass(1_000)
    return { again, hasKey: () => disk.documents.get('keys')?.includes(id) === true, disk }
  }

  test('is deleted by the next start where a crash left it, and no other one', async () => {
    const { again, hasKey, disk } = await crashed(() => undefined)
    expect(hasKey()).toBe(false)
    expect(account(again).key).toBe('present')
    expect(disk.documents.get('keys')).toContain('another')
    await again.app.stop()
  })

  test.each<[string, (disk: FakeDisk) => void]>([
    ['are gone', ({ documents }) => documents.delete('accounts')],
    ['can only be read in part', ({ documents }) => documents.set('accounts', '[{}]')],
    [
      'are a newer version’s as well',
      (disk) =>
        Object.assign(disk, {
          files: { inDoubt: () => false, hasNewer: () => true, keepCopy: () => undefined },
        }),
    ],
  ])('stays where the accounts %s, which may know it', async (_what, damage) => {
    const { again, hasKey } = await crashed(damage)
    expect(hasKey()).toBe(true)
    await again.app.stop()
  })
})

describe('without a keyring', () => {
  test('keys are on disk only with consent, and removed when it is withdrawn', async () => {
    const { ring, disk, start } = computer()
    ring.prefix = 'v10'
    const first = await withAccount(await start())
    expect(account(first).protection).toBe('session')
    expect(disk.documents.get('keys')).toBeUndefined()
    await first.app.commands.allowWeakStorage({ allowed: true })
    expect(account(first).protection).toBe('weak')
    expect(first.app.state.environment.protection).toBe('weak')

    const second = await start(first)
    await pass(1_000)
    expect(account(second)).toMatchObject({ key: 'present', protection: 'weak' })
    expect(second.app.state.settings.weakStorage).toBe(true)
    await second.app.commands.allowWeakStorage({ allowed: false })
    expect(account(second)).toMatchObject({ key: 'present', protection: 'session' })
    expect(disk.documents.get('keys')).toBe('{}')

    const third = await start(second)
    await pass(1_000)
    expect(account(third).key).toBe('missing')
    await third.app.stop()
  })

  test('consent that can’t be saved doesn’t count', async () => {
    const { ring, disk, start } = computer()
    ring.prefix = 'v10'
    const it = await withAccount(await start())
    disk.full = true
    await expect(it.app.commands.allowWeakStorage({ allowed: true })).rejects.toMatchObject({
      failure: { kind: 'invalid', field: 'disk' },
    })
    expect(it.app.state.settings.weakStorage).toBe(false)
    expect(account(it)).toMatchObject({ key: 'present', protection: 'session' })
    disk.full = false
    await pass(60_000)
    expect(disk.documents.get('keys') ?? '{}').toBe('{}')
    await it.app.stop()
  })

  test('keys move into a keyring that appears later, and the account says so', async () => {
    const { ring, disk, start } = computer()
    ring.prefix = 'v10'
    const first = await withAccount(await start())
    await first.app.commands.allowWeakStorage({ allowed: true })
    ring.prefix = 'v11'
    const it = await start(first)
    await pass(1_000)
    expect(disk.documents.get('keys')).not.toContain('weak')
    await it.app.stop()
  })
})
