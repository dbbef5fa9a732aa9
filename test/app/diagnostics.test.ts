import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { findings, reportText } from '../../src/shared/core/views/findings.ts'
import { type RunningApp, startApp } from '../support/app.ts'
import { failureOf } from '../support/failures.ts'
import { found, needlesOf } from '../support/secret-search.ts'

let running: RunningApp

beforeEach(async () => {
  vi.useFakeTimers({ now: Date.parse('2026-03-17T14:00:00Z') })
  running = await startApp()
  const { ops, chat } = running.world.newAccounts
  await running.app.commands.addAccount(ops)
  await running.app.commands.addAccount(chat)
  await vi.advanceTimersByTimeAsync(5_000)
})
afterEach(async () => {
  const stopped = running.app.stop()
  await vi.advanceTimersByTimeAsync(5_000)
  await stopped
  vi.useRealTimers()
})

describe('the diagnostics', () => {
  test('have the last requests of each account, by the operation’s path', async () => {
    const { exchanges } = await running.app.commands.diagnose({ thorough: false })
    const [ops = '', chat = ''] = running.app.state.accounts.map(({ id }) => id)
    expect(exchanges.get(ops)).toContainEqual(
      expect.objectContaining({ method: 'GET', path: '/api/v3/checks/', outcome: 200, left: 59 }),
    )
    expect(exchanges.get(chat)?.map(({ path }) => path)).toContain('/api/v1/register')
  })

  test('name a realm’s server, whether it can be read or not', async () => {
    const says = async (): Promise<readonly string[]> => {
      const diagnostics = await running.app.commands.diagnose({ thorough: false })
      return findings(running.app.state, diagnostics, Date.now()).map((finding) => finding.says)
    }
    const level = 'Server 13.0-dev, feature level 512.'
    expect((await says()).find((text) => text.endsWith(level))).toContain('Updated 5 s ago')
    running.world.realm.controls.revokeKey()
    await vi.advanceTimersByTimeAsync(300_000)
    expect((await says()).find((text) => text.endsWith(level))).toContain('Invalid API key')
  })

  test('never hold more than 30 requests per account, newest first', async () => {
    const [ops = ''] = running.app.state.accounts.map(({ id }) => id)
    for (let poll = 0; poll < 40; poll += 1) await vi.advanceTimersByTimeAsync(61_000)
    const { exchanges } = await running.app.commands.diagnose({ thorough: false })
    const times = (exchanges.get(ops) ?? []).map(({ at }) => at)
    expect(times).toHaveLength(30)
    expect(times).toEqual([...times].sort((one, other) => other - one))
  })

  test('say what is wrong with the disk and a server, and what to do', async () => {
    running.disk.full = true
    const diagnostics = await running.app.commands.diagnose({ thorough: true })
    const { facts } = diagnostics
    const state = running.app.state
    const bad = findings(
      state,
      { ...diagnostics, facts: { ...facts, tray: false, notifiedBy: 'nobody' } },
      Date.now(),
    )
    const wrong = bad.filter((finding) => finding.state !== 'ok')
    expect(wrong.map(({ name }) => name)).toEqual(['Tray icon', 'Notifications', 'Disk', 'Locale'])
    expect(wrong.every(({ todo }) => todo !== '')).toBe(true)
  })

  test('write to the disk each time they check it', async () => {
    const takes = async () => (await running.app.commands.diagnose({ thorough: true })).disk
    expect(await takes()).toBe(true)
    running.disk.full = true
    expect(await takes()).toBe(false)
    running.disk.full = false
    expect(await takes()).toBe(true)
  })
})

describe('a report', () => {
  test('names no account, server, person, check or message, and holds no key', async () => {
    const saved = running.app.commands.saveDiagnostics({})
    await vi.advanceTimersByTimeAsync(2_000)
    await saved
    const [{ text } = { text: '' }] = running.desktop.saves
    const { state } = running.app
    const names = state.accounts.flatMap((account) => [
      account.label,
      new URL(account.baseUrl).host,
      ...(account.kind === 'chat' ? [account.email] : []),
    ])
    const checks = [...state.boards.values()].flatMap(({ checks: all }) =>
      [...all.values()].flatMap(({ id, name }) => [id, name]),
    )
    const people = [...state.realms.values()].flatMap(({ users: all }) =>
      [...all.values()].map(({ name }) => name),
    )
    const words = [...names, ...checks, ...people].filter((word) => word.length > 3)
    expect(words.length).toBeGreaterThan(20)
    expect(words.filter((word) => text.includes(word))).toEqual([])
    const keys = [running.world.newAccounts.ops.key, running.world.newAccounts.chat.key]
    expect(keys.flatMap((key) => found(needlesOf(key), text))).toEqual([])
    expect(text).toMatch(/\[ok\] Account 1 \(monitoring\): Updated/)
    expect(text).toMatch(/Account 2 \(chat\): Updated .* Server 13\.0, feature level 512\./)
    expect(text).toMatch(/GET \/api\/v3\/checks\/ 200 \d+ ms \d+ B, \d+ left/)
  })
})

test('a report says what was read for it, even about a server that only just failed', async () => {
  running.world.realm.controls.revokeKey()
  const saved = running.app.commands.saveDiagnostics({})
  await vi.advanceTimersByTimeAsync(10_500)
  expect(await saved).toBe(true)
  const [{ text } = { text: '' }] = running.desktop.saves
  expect(text).toMatch(/Account 1 \(monitoring\): Updated just now/)
  expect(text).toMatch(/\[failed\] Account 2 \(chat\)/)
})

test('the clock doesn’t claim to agree with a server before one was read', async () => {
  const [ops = '', chat = ''] = running.app.state.accounts.map(({ id }) => id)
  const diagnostics = await running.app.commands.diagnose({ thorough: false })
  const says = (): string | undefined =>
    findings(running.app.state, diagnostics, Date.now()).find(({ name }) => name === 'Clock')?.says
  expect(says()).toBe('The clock agrees with the servers.')
  await running.app.commands.removeAccount({ accountId: ops })
  expect(running.app.state.realms.get(chat)?.freshness.readAt).not.toBeNull()
  expect(says()).toMatch(/^Compared with a server’s/)
})

test('a report gives only a version’s digits, since its builder may have put their name in it', async () => {
  const { state } = running.app
  const diagnostics = await running.app.commands.diagnose({ thorough: false })
  const reported = (version: string) => {
    const realms = [...state.realms].map(
      ([id, realm]) => [id, { ...realm, server: { version, featureLevel: 372 } }] as const,
    )
    return reportText({ ...state, realms: new Map(realms) }, diagnostics, Date.now(), '')
  }
  expect(reported('10.2-acme+3')).toContain('Server 10.2, feature level 372.')
  expect(reported('10.2-acme+3')).not.toContain('acme')
  expect(reported('acme 10.2')).toContain('Feature level 372.')
  expect(reported('acme 10.2')).not.toContain('acme')
})

describe('the settings as a file', () => {
  const rule = {
    id: 'one',
    kinds: [],
    tag: null,
    checkId: null,
    channelId: null,
    topic: null,
    senderId: null,
    way: 'tray' as const,
    afterMinutes: null,
  }

  const discussed = { id: 'two', tag: null, checkId: null, channelId: 1, topic: 'outages' }

  async function exported(): Promise<string> {
    const { settings, accounts } = running.app.state
    const [ops, chat] = accounts
    const exceptPeople = [{ accountId: ops?.id ?? '', userId: 9 }]
    const attention = {
      ...settings.attention,
      quietHours: { ...settings.attention.quietHours, exceptPeople },
      rules: [{ ...rule, accountId: ops?.id ?? null }],
    }
    const discuss = [{ ...discussed, accountId: ops?.id ?? null, chatId: chat?.id ?? '' }]
    await running.app.commands.updateSettings({ theme: 'dark', attention, discuss })
    await running.app.commands.exportSettings({})
    return running.desktop.saves.at(-1)?.text ?? ''
  }

  test('can be restored on another computer, with their rules about the same accounts', async () => {
    const text = await exported()
    const other = await startApp({ world: running.world })
    await other.app.commands.addAccount(running.world.newAccounts.ops)
    await other.app.commands.addAccount(running.world.newAccounts.chat)
    // As an editor on Windows saves it.
    other.desktop.texts.push(`\ufeff${text}`)
    expect(await other.app.commands.importSettings({})).toMatchObject({ strangers: 0 })
    const { settings, accounts } = other.app.state
    expect(settings.theme).toBe('dark')
    expect(settings.attention.rules[0]?.accountId).toBe(accounts[0]?.id)
    const [except] = settings.attention.quietHours.exceptPeople
    expect(except).toEqual({ accountId: accounts[0]?.id, userId: 9 })
    expect(accounts[0]?.id).not.toBe(running.app.state.accounts[0]?.id)
    const stopped = other.app.stop()
    await vi.advanceTimersByTimeAsync(5_000)
    await stopped
  })

  test('report which rules are about accounts that don’t exist here, and can be undone', async () => {
    const text = await exported()
    const other = await startApp({ world: running.world })
    const before = other.app.state.settings
    other.desktop.texts.push(text)
    const taken = await other.app.commands.importSettings({})
    // One is the person who gets through in quiet hours, one is about two accounts.
    expect(taken?.strangers).toBe(3)
    await other.app.commands.updateSettings(taken?.before ?? {})
    expect(other.app.state.settings).toEqual(before)
    await other.app.stop()
  })

  test('can be undone even with a full disk, which is reported as a problem', async () => {
    const text = await exported()
    const before = running.app.state.settings
    await running.app.commands.updateSettings({ theme: 'light' })
    running.desktop.texts.push(text)
    running.disk.full = true
    const taken = await running.app.commands.importSettings({})
    await vi.advanceTimersByTimeAsync(100)
    expect(running.app.state.settings.theme).toBe(before.theme)
    expect(taken?.before.theme).toBe('light')
    expect(running.app.state.troubles.map((one) => one.text).join()).toContain('the settings')
    running.disk.full = false
  })

  test('hold no key', async () => {
    const text = await exported()
    const keys = [running.world.newAccounts.ops.key, running.world.newAccounts.chat.key]
    expect(keys.flatMap((key) => found(needlesOf(key), text))).toEqual([])
    expect(Object.keys((JSON.parse(text) as { settings: object }).settings)).not.toContain(
      'weakStorage',
    )
  })

  test.each([
    ['no JSON', 'it is not JSON'],
    ['{}', 'belfry is not as expected'],
    ['{"belfry":2,"settings":{},"more":[]}', 'written by a newer version of Belfry'],
    ['{"belfry":1,"settings":{"theme":"pink"},"accounts":[]}', 'settings.theme is not as expected'],
  ])('are refused when they are %s', async (text, why) => {
    running.desktop.texts.push(text)
    const before = running.app.state.settings
    const failure = await failureOf(running.app.commands.importSettings({}))
    expect(failure.kind).toBe('invalid')
    expect(JSON.stringify(failure)).toContain(why)
    expect(running.app.state.settings).toBe(before)
  })
})
