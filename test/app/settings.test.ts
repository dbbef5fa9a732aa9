import { object, optional, picklist } from 'valibot'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import { createCommandHandler } from '../../src/main/desktop/window/command-handler.ts'
import { anyRule, defaultAttention } from '../../src/shared/core/attention/rules.ts'
import type * as Original from '../../src/shared/core/settings.ts'
import { defaultSettings, type SettingsChange } from '../../src/shared/core/settings.ts'
import { type RunningApp, startApp } from '../support/app.ts'

/** Adds a setting: one entry of the schema, and nothing else. */
vi.mock('../../src/shared/core/settings.ts', async (importOriginal) => {
  const original = await importOriginal<typeof Original>()
  const volume = optional(picklist(['low', 'high']), 'low')
  const entries = { ...original.settingsSchema.entries, volume }
  return { ...original, ...original.settingsOf(object(entries)) }
})

const window = ({ app }: RunningApp) =>
  createCommandHandler(
    () => app.commands,
    () => undefined,
  )

/** A new value for every setting. */
const changed: Required<SettingsChange> = {
  theme: 'dark',
  density: 'compact',
  loginAsked: true,
  boardSeenAt: 1_700_000_000_000,
  noticesSeenAt: 1_700_000_000_000,
  globalKeys: { board: 'Ctrl+Alt+B', reply: null, message: null },
  zoom: 125,
  pollSeconds: 120,
  sparesBattery: true,
  blindMinutes: 25,
  selfWatch: { accountId: 'a', checkId: 'c' },
  attention: {
    ...defaultAttention,
    afterMinutes: 10,
    rules: [{ ...anyRule, id: 'r', kinds: ['down'], tag: 'prod', way: 'banner' }],
  },
  discuss: [
    { id: 'd', accountId: null, tag: 'prod', checkId: null, chatId: 'c', channelId: 1, topic: 't' },
  ],
  sounds: false,
  noticeText: 'titles',
  groupBy: 'tag',
  views: [{ name: 'prod', key: '1', filter: '#prod', groupBy: 'status', sortBy: 'name' }],
  iconView: 'prod',
  hideNames: true,
  sortBy: 'lastPing',
  pins: [{ accountId: 'a', checkId: 'c' }],
  undoSendSeconds: 10,
  showAsActive: true,
  keepMessages: true,
  sendKey: 'ctrlEnter',
  markReadOnOpen: false,
  recentSearches: ['disk full'],
  recentPalette: ['check/a'],
}

test('a setting added to the schema has its default, and survives a closed window, the disk and a restart', async () => {
  const it = await startApp()
  expect(it.app.state.settings).toMatchObject({ volume: 'low' })
  expect(await window(it)('updateSettings', { volume: 'deafening' })).toMatchObject({
    ok: false,
    failure: { kind: 'invalid', field: 'volume' },
  })
  expect(await window(it)('updateSettings', { volume: 'high' })).toMatchObject({ ok: true })
  expect(it.desktop.window().settings).toMatchObject({ volume: 'high' })
  expect(it.disk.documents.get('settings')).toContain('"volume":"high"')
  const again = await it.restart()
  expect(again.app.state.settings).toEqual({ ...defaultSettings, volume: 'high' })
  await again.app.stop()
})

test('every setting survives a closed window, the disk and a restart', async () => {
  const it = await startApp()
  for (const [name, value] of Object.entries(changed))
    expect(await window(it)('updateSettings', { [name]: value })).toMatchObject({ ok: true })
  const again = await it.restart()
  expect(again.app.state.settings).toEqual({ ...defaultSettings, ...changed })
  await again.app.stop()
})

test('a setting that can’t be read falls back to its default, and affects no other', async () => {
  const it = await startApp()
  for (const name of [...Object.keys(changed), 'volume']) {
    const onDisk = { ...changed, volume: 'high', weakStorage: true }
    await it.disk.write('settings', { ...onDisk, [name]: { of: 'the future' } })
    const again = await startApp({ disk: it.disk })
    const { [name]: fallback } = defaultSettings as unknown as Record<string, unknown>
    expect(again.app.state.settings).toEqual({ ...onDisk, [name]: fallback })
    await again.app.stop()
  }
  await it.app.stop()
})

test('the consent to unprotected keys can’t be changed by a window as a setting', async () => {
  const it = await startApp()
  await window(it)('updateSettings', { weakStorage: true })
  expect(it.app.state.settings.weakStorage).toBe(false)
  await it.app.stop()
})

test('global shortcuts are registered again at each start; those taken are refused, with a message', async () => {
  const it = await startApp()
  const board = { board: 'Ctrl+Alt+B', reply: null, message: null }
  it.desktop.keysOfOthers = ['Super+T']
  await window(it)('updateSettings', { globalKeys: board })
  expect(
    await window(it)('updateSettings', { globalKeys: { ...board, reply: 'Super+T' } }),
  ).toMatchObject({ ok: false, failure: { field: 'globalKeys', message: 'Super+T is taken.' } })
  expect(it.desktop.keys).toEqual(board)
  expect(it.app.state.settings.globalKeys).toEqual(board)
  await it.disk.write('settings', { globalKeys: { ...board, reply: 'Super+T' } })
  const again = await startApp({ disk: it.disk })
  expect(again.desktop.keys).toEqual({ ...board, reply: 'Super+T' })
  await again.app.stop()
  await it.app.stop()
})

/** A project whose reads are counted, under fake timers. */
async function startWatching() {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const world = createWorld({ now: Date.now, seed: 1, lively: false })
  let reads = 0
  const it = await startApp({
    world,
    transport: (request, signal) => {
      if (request.url.endsWith('/checks/')) reads += 1
      return world.transport(request, signal)
    },
  })
  onTestFinished(() => it.app.stop())
  return {
    ...it,
    world,
    /** How often it is read in so many seconds. */
    async readsIn(seconds: number) {
      reads = 0
      await vi.advanceTimersByTimeAsync(seconds * 1_000)
      return reads
    },
    freshness: () => [...it.app.state.boards.values()].map(({ freshness }) => freshness),
  }
}

test('a shorter interval applies to the wait that is under way', async () => {
  const { app, world, readsIn } = await startWatching()
  await app.commands.updateSettings({ pollSeconds: 900 })
  await app.commands.addAccount(world.newAccounts.web)
  await readsIn(60)
  expect(await readsIn(120)).toBe(0)
  await app.commands.updateSettings({ pollSeconds: 30 })
  expect(await readsIn(120)).toBeGreaterThanOrEqual(4)
})

test('on battery, a project is read half as often if that is chosen, and green for no longer than that', async () => {
  const { app, world, desktop, readsIn, freshness } = await startWatching()
  desktop.battery = true
  await app.commands.updateSettings({ pollSeconds: 15 })
  await app.commands.addAccount(world.newAccounts.web)
  expect(await readsIn(60)).toBeGreaterThanOrEqual(4)
  expect(freshness()).toMatchObject([{ intervalMs: 15_000 }])
  await app.commands.updateSettings({ sparesBattery: true })
  await readsIn(15)
  expect(freshness()).toMatchObject([{ intervalMs: 30_000 }])
  expect(await readsIn(60)).toBeLessThanOrEqual(3)
  desktop.battery = false
  await readsIn(30)
  expect(freshness()).toMatchObject([{ intervalMs: 15_000 }])
})

test('on battery, nothing is read less often while a check of any project is down', async () => {
  const { app, world, desktop, readsIn, freshness } = await startWatching()
  desktop.battery = true
  await app.commands.updateSettings({ pollSeconds: 40, sparesBattery: true })
  await app.commands.addAccount(world.newAccounts.web)
  await readsIn(5)
  expect(freshness()).toMatchObject([{ intervalMs: 80_000 }])
  await app.commands.addAccount(world.newAccounts.ops)
  await readsIn(80)
  expect(app.state.boards.get(app.state.accounts[1]?.id ?? '')?.counts.down).toBeGreaterThan(0)
  expect(freshness()).toMatchObject([{ intervalMs: 40_000 }, { intervalMs: 30_000 }])
})

test('a wait that was doubled on battery ends when that is no longer wanted', async () => {
  const { app, world, desktop, readsIn } = await startWatching()
  desktop.battery = true
  await app.commands.updateSettings({ pollSeconds: 900, sparesBattery: true })
  await app.commands.addAccount(world.newAccounts.web)
  await readsIn(60)
  await app.commands.updateSettings({ sparesBattery: false })
  expect(await readsIn(5)).toBe(1)
})
