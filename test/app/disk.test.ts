import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { documentRows } from '../../src/main/state/documents.ts'
import { Persister } from '../../src/main/storage/persister.ts'
import type { Account } from '../../src/shared/core/account.ts'
import { emptyMemory } from '../../src/shared/core/attention/memory.ts'
import { anyRule, defaultAttention } from '../../src/shared/core/attention/rules.ts'
import type { Conversation } from '../../src/shared/core/chat/conversation.ts'
import { type AppState, emptyState } from '../../src/shared/core/state.ts'
import { type RunningApp, startApp } from '../support/app.ts'
import * as eg from '../support/eg.ts'
import { fakeDisk } from '../support/fake-desktop.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const troubles = ({ desktop }: RunningApp): string[] =>
  desktop.window().troubles.map(({ text }) => text)
const accountOf = ({ app }: RunningApp, kind: Account['kind']): Account =>
  app.state.accounts.find((account) => account.kind === kind)!

async function connected(): Promise<RunningApp> {
  const it = await startApp()
  await it.app.commands.addAccount(it.world.newAccounts.chat)
  await pass(3_000)
  return it
}

function placeOf(it: RunningApp): { accountId: string; conversation: Conversation } {
  const { id: accountId } = accountOf(it, 'chat')
  const users = [...it.app.state.realms.get(accountId)!.users.values()]
  const ana = users.find(({ name }) => name.startsWith('Ana'))!
  return { accountId, conversation: { kind: 'direct', userIds: [ana.id] } }
}

describe('a disk that refuses to write', () => {
  test('is retried automatically, and the warning disappears when it works', async () => {
    const it = await connected()
    it.disk.full = true
    await expect(
      it.app.commands.saveDraft({ ...placeOf(it), text: 'precious' }),
    ).rejects.toMatchObject({ failure: { field: 'disk' } })
    await pass(200)
    expect(troubles(it).join()).toMatch(/^Can’t save the drafts.* \(disk full\)\./)
    expect([...it.app.state.drafts.values()]).toEqual(['precious'])
    it.disk.full = false
    expect(it.disk.documents.get('drafts') ?? '').not.toContain('precious')
    await pass(5_000)
    expect(it.disk.documents.get('drafts')).toContain('precious')
    expect(troubles(it)).toEqual([])
    await it.app.stop()
  })

  test('for hours is retried at most once a minute for each document', async () => {
    const it = await connected()
    it.disk.full = true
    let tries = 0
    const { write } = it.disk
    it.disk.write = (name, value) => {
      if (name === 'settings') tries += 1
      return write(name, value)
    }
    await expect(it.app.commands.updateSettings({ theme: 'dark' })).rejects.toThrow()
    await pass(60 * 60_000)
    expect(tries).toBeGreaterThan(50)
    expect(tries).toBeLessThan(70)
    it.disk.full = false
    await pass(60_000)
    expect(it.disk.documents.get('settings')).toContain('dark')
    await it.app.stop()
  })

  test('whose warning was dismissed warns again only if more is at stake', async () => {
    const it = await connected()
    it.disk.full = true
    await expect(it.app.commands.updateSettings({ theme: 'dark' })).rejects.toThrow()
    await pass(100)
    await it.app.commands.dismissTrouble({ id: 'disk' })
    await pass(10 * 60_000)
    expect(troubles(it).join()).not.toContain('settings')
    await expect(it.app.commands.updateSettings({ theme: 'light' })).rejects.toThrow()
    await pass(100)
    expect(troubles(it).join()).toContain('settings')
    await it.app.stop()
  })

  test('is reported in one warning that names what is still unsaved', async () => {
    const it = await connected()
    it.disk.full = true
    await expect(it.app.commands.updateSettings({ theme: 'dark' })).rejects.toThrow()
    it.app.unsaved('the history', 'disk full')
    await it.app.commands.saveDraft({ ...placeOf(it), text: 'precious' }).catch(() => undefined)
    await pass(200)
    expect(troubles(it)).toEqual([
      expect.stringContaining(
        'Can’t save the settings, the history, the drafts and 1 more (disk full).',
      ),
    ])
    it.disk.full = false
    await pass(10_000)
    expect(troubles(it)).toEqual([expect.stringContaining('Can’t save the history (disk full).')])
    it.app.unsaved('the history', null)
    expect(troubles(it)).toEqual([])
    await it.app.stop()
  })

  test.each([
    ['EROFS', 'read-only disk'],
    ['ENOENT', 'folder missing'],
    ['', 'unknown reason'],
  ])('for %s says why: %s', async (code, why) => {
    const it = await connected()
    it.disk.write = () => Promise.reject(Object.assign(new Error('refused'), { code }))
    await expect(it.app.commands.updateSettings({ theme: 'dark' })).rejects.toThrow()
    await pass(100)
    expect(troubles(it).join()).toContain(`Can’t save the settings (${why}).`)
  })

  test('is retried once more when the app quits', async () => {
    const it = await connected()
    it.disk.full = true
    await expect(it.app.commands.updateSettings({ theme: 'dark' })).rejects.toThrow()
    await pass(100)
    it.disk.full = false
    await it.app.stop()
    expect(it.disk.documents.get('settings')).toContain('dark')
    await pass(60 * 60_000)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('what one sent message writes to disk', () => {
  test('is the outbox once, not twice', async () => {
    const it = await connected()
    const written: string[] = []
    const { write } = it.disk
    it.disk.write = (name, value) => {
      if (name === 'outbox') written.push(JSON.stringify(value))
      return write(name, value)
    }
    await it.app.commands.sendMessage({ ...placeOf(it), text: 'once' })
    expect(written.filter((text) => text.includes('"queued"'))).toHaveLength(1)
    await it.app.stop()
  })
})

describe('the list of notices', () => {
  async function counted() {
    const it = await connected()
    await pass(20_000)
    const written: string[] = []
    const { write } = it.disk
    it.disk.write = (name, value) => {
      if (name === 'notices') written.push(JSON.stringify(value))
      return write(name, value)
    }
    const say = async (to: string, text: string): Promise<void> => {
      it.world.realm.controls.say({ from: 'Ana', to, text })
      await pass(500)
    }
    return { it, written, say }
  }

  test('is on disk within 10 s in one write, however many messages aren’t notified', async () => {
    const { it, written, say } = await counted()
    for (let n = 1; n <= 10; n += 1) await say('deploys > billing', `chatter ${n}`)
    // Events in quick succession are batched.
    await pass(3_000)
    expect(it.app.state.notices.slice(0, 10).map(({ outcome }) => outcome)).toEqual(
      Array.from({ length: 10 }, () => 'silent'),
    )
    expect(written).toEqual([])
    await pass(10_000)
    expect(written).toHaveLength(1)
    expect(written[0]).toContain('chatter 10')
    await it.app.stop()
  })

  test('is on disk at once after a notification', async () => {
    const { it, written, say } = await counted()
    await say('deploys > billing', 'chatter')
    await say('Ana', 'are you there?')
    expect(written).toHaveLength(1)
    expect(written[0]).toContain('chatter')
    expect(written[0]).toContain('are you there?')
    await it.app.stop()
  })

  test('is complete after a quit', async () => {
    const { it, written, say } = await counted()
    await say('deploys > billing', 'last words')
    expect(written).toEqual([])
    await it.app.stop()
    expect(written.join()).toContain('last words')
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('what may wait for the disk', () => {
  test('stops waiting once the app quits', async () => {
    const saved: string[] = []
    const silent = eg.notice({ outcome: 'silent' })
    let state: AppState = emptyState
    const persister = new Persister({
      rows: new Map(documentRows()),
      now: () => ({ state, memory: emptyMemory, runs: new Map() }),
      save: async ({ file }) => {
        saved.push(file)
      },
      awaited: 'notifiedState',
      unsaved: () => undefined,
    })
    const notify = (): void => {
      state = { ...state, notices: [{ ...silent }, ...state.notices] }
      void persister.persistChanged()
    }
    notify()
    expect(saved).toEqual([])
    persister.stop()
    expect(saved).toEqual(['notices'])
    notify()
    expect(saved).toEqual(['notices', 'notices'])
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a document from a backup', () => {
  const files = (doubtful: readonly string[], copied: string[]) => ({
    inDoubt: (name: string) => doubtful.includes(name),
    hasNewer: () => false,
    keepCopy: (name: string) => copied.push(name),
  })

  async function withQueued(): Promise<RunningApp> {
    const it = await connected()
    const message = {
      localId: 'm1',
      ...placeOf(it),
      text: 'maybe sent',
      queuedAt: Date.now(),
      state: 'queued',
      messageId: null,
      attempts: 0,
      afterMessageId: 0,
      fromNotification: false,
    }
    await it.app.stop()
    await it.disk.write('outbox', [message])
    return it
  }
  const arrived = (it: RunningApp): number =>
    it.world.realm.controls.messages().filter(({ content }) => content === 'maybe sent').length

  test('doesn’t send what may have been sent since: the user is asked', async () => {
    const it = await withQueued()
    const disk = Object.assign(it.disk, { files: files(['outbox'], []) })
    const again = await startApp({ world: it.world, vault: it.vault, disk })
    await pass(60_000)
    expect(again.app.state.outbox.map(({ state }) => state)).toEqual(['unconfirmed'])
    expect(arrived(it)).toBe(0)
    await again.app.stop()
  })

  test('differs from the newest one, from which it is sent', async () => {
    const it = await withQueued()
    const again = await startApp({ world: it.world, vault: it.vault, disk: it.disk })
    await pass(60_000)
    expect(arrived(it)).toBe(1)
    await again.app.stop()
  })

  test('of settings copies a rule that can’t be read, but nothing if an older version just had fewer', async () => {
    const copied: string[] = []
    const disk = Object.assign(fakeDisk(), { files: files([], copied) })
    const { late: _later, ...ways } = defaultAttention.ways
    await disk.write('settings', { theme: 'dark', attention: { ...defaultAttention, ways } })
    const it = await startApp({ disk })
    await it.app.stop()
    expect(copied).toEqual([])
    const rule = { ...anyRule, id: 'new', way: 'hologram' }
    await disk.write('settings', { attention: { ...defaultAttention, rules: [rule] } })
    const again = await startApp({ disk })
    expect(again.app.state.settings.attention).toEqual(defaultAttention)
    expect(copied).toEqual(['settings'])
    await again.app.stop()
  })

  test('of accounts that can’t be read copies their unsent text before that is overwritten', async () => {
    const it = await connected()
    await it.app.commands.saveDraft({ ...placeOf(it), text: 'precious' })
    await it.app.stop()
    await it.disk.write('accounts', [{ kind: 'of the future' }])
    const copied: string[] = []
    const disk = Object.assign(it.disk, { files: files([], copied) })
    const again = await startApp({ world: it.world, disk })
    expect(copied).toEqual(['accounts', 'drafts'])
    await again.app.stop()
    const sound = fakeDisk()
    const calm = await startApp({
      world: it.world,
      disk: Object.assign(sound, { files: files([], copied) }),
    })
    expect(copied).toHaveLength(2)
    await calm.app.stop()
  })

  test('with an unreadable message is copied, and the other messages are kept', async () => {
    const it = await withQueued()
    const queued = JSON.parse(it.disk.documents.get('outbox') ?? '[]') as object[]
    await it.disk.write('outbox', [{ ...queued[0], text: 7 }, ...queued])
    const copied: string[] = []
    const disk = Object.assign(it.disk, { files: files([], copied) })
    const again = await startApp({ world: it.world, vault: it.vault, disk })
    expect(copied).toEqual(['outbox'])
    await pass(60_000)
    expect(arrived(it)).toBe(1)
    await again.app.stop()
  })
})
