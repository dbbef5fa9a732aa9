import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import { keyName } from '../../src/main/accounts/connections.ts'
import { type Transport, VaultLocked } from '../../src/main/base/ports.ts'
import { defaultAttention } from '../../src/shared/core/attention/rules.ts'
import { type NetworkReason, RequestFailed } from '../../src/shared/core/failure.ts'
import { type RunningApp, startApp } from '../support/app.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

beforeEach(() => {
  vi.useFakeTimers({ now: new Date(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

/** Two projects without any check down, on hosts that can be cut off. */
async function watching(kinds: readonly ('web' | 'ops' | 'chat')[] = ['web', 'ops']) {
  const world = createWorld({ now: Date.now, seed: 1, lively: false })
  for (const name of ['web', 'ops'] as const)
    world[name].controls.rewrite((record) => ({ ...record, status: 'up', started: false }))
  const cut = new Map<string, NetworkReason>()
  const transport: Transport = async (request, signal) => {
    const { host } = new URL(request.url)
    const reason = () => cut.get(host) ?? cut.get('all')
    const before = reason()
    const reply = before === undefined ? await world.transport(request, signal) : null
    // An answer that was under way doesn't arrive either.
    const why = before ?? reason()
    if (reply !== null && why === undefined) return reply
    throw new RequestFailed({ kind: 'network', reason: why ?? 'offline', host, reached: 'no' })
  }
  const it = await startApp({ world, transport })
  for (const kind of kinds) await it.app.commands.addAccount(world.newAccounts[kind])
  await pass(3 * second)
  it.desktop.notices.length = 0
  return Object.assign(it, { cut })
}

const hostOf = ({ app }: RunningApp, at: number) => new URL(app.state.accounts[at]!.baseUrl).host
const label = ({ app }: RunningApp, at: number) => app.state.accounts[at]!.label
const titles = ({ desktop }: RunningApp) => desktop.notices.map(({ title }) => title)

describe('an account that can’t be read', () => {
  test('for ten minutes is reported once, and the notification is withdrawn when it can be read again', async () => {
    const it = await watching()
    it.cut.set(hostOf(it, 0), 'refused')
    await pass(10 * minute)
    expect(titles(it)).toEqual([])
    await pass(2 * minute)
    expect(titles(it)).toEqual([`${label(it, 0)} is unreachable`])
    expect(it.desktop.notices[0]).toMatchObject({ kind: 'trouble', target: { view: 'accounts' } })
    expect(it.desktop.notices[0]?.body).toMatch(
      /^Since 14:2\d: .* You won’t hear about checks that go down meanwhile\.$/,
    )
    await pass(2 * hour)
    expect(it.desktop.notices).toHaveLength(1)
    it.cut.clear()
    await pass(minute)
    expect(it.desktop.withdrawn).toContain(it.desktop.notices[0]!.subject)
    await it.app.stop()
  })

  test('is reported after the delay that is set, and by the rules', async () => {
    const it = await watching()
    await it.app.commands.updateSettings({ blindMinutes: 30 })
    it.cut.set(hostOf(it, 0), 'refused')
    await pass(29 * minute)
    expect(titles(it)).toEqual([])
    await pass(3 * minute)
    expect(titles(it)).toHaveLength(1)
    it.cut.clear()
    await pass(minute)
    await it.app.commands.updateSettings({
      attention: { ...defaultAttention, ways: { ...defaultAttention.ways, trouble: 'nothing' } },
    })
    it.cut.set(hostOf(it, 0), 'refused')
    await pass(hour)
    expect(titles(it)).toHaveLength(1)
    await it.app.stop()
  })

  test('is reported if it is a chat, too', async () => {
    const it = await watching(['web', 'chat'])
    it.cut.set(hostOf(it, 1), 'timeout')
    await pass(15 * minute)
    expect(titles(it)).toEqual([`${label(it, 1)} is unreachable`])
    expect(it.desktop.notices[0]?.body).toContain('You won’t hear about new messages')
    await it.app.stop()
  })

  test('is reported during quiet hours if one of its checks may be', async () => {
    const it = await watching()
    const [tag] = [...it.app.state.boards.values()]
      .flatMap(({ checks }) => [...checks.values()])
      .flatMap(({ tags }) => tags)
    const quietHours = {
      ...defaultAttention.quietHours,
      enabled: true,
      windows: [{ days: [0, 1, 2, 3, 4, 5, 6], from: '00:00', to: '00:00' }],
    }
    await it.app.commands.updateSettings({ attention: { ...defaultAttention, quietHours } })
    it.cut.set(hostOf(it, 0), 'refused')
    await pass(15 * minute)
    expect(titles(it)).toEqual([])
    it.cut.clear()
    await pass(minute)
    await it.app.commands.updateSettings({
      attention: { ...defaultAttention, quietHours: { ...quietHours, exceptTags: [tag!] } },
    })
    it.cut.set(hostOf(it, 0), 'refused')
    await pass(15 * minute)
    expect(titles(it)).toEqual([`${label(it, 0)} is unreachable`])
    await it.app.stop()
  })
})

describe('an account without a key', () => {
  /** Restarts the app without the key of its first account. */
  async function startedWithout(how: 'locked' | 'missing', kinds?: readonly ['web', 'ops']) {
    const it = await watching(kinds ?? ['web'])
    const lost = keyName(it.app.state.accounts[0]!)
    const lock = { isOn: true }
    const get = it.vault.get.bind(it.vault)
    vi.spyOn(it.vault, 'get').mockImplementation(async (name) => {
      if (!lock.isOn || name !== lost) return get(name)
      if (how === 'locked') throw new VaultLocked()
      return null
    })
    return Object.assign(await it.restart(), { lock, cut: it.cut })
  }

  test.each([
    ['locked', 'the keyring is locked'],
    ['missing', 'its key is missing'],
  ] as const)('since the start (%s) is reported once after ten minutes', async (how, why) => {
    const it = await startedWithout(how)
    await pass(9 * minute)
    expect(titles(it)).toEqual([])
    await pass(2 * hour)
    expect(titles(it)).toEqual([`${label(it, 0)} is unreachable`])
    expect(it.desktop.notices[0]?.body).toMatch(
      new RegExp(
        `^Since 14:2\\d: ${why}\\. You won’t hear about checks that go down meanwhile\\.$`,
      ),
    )
    await it.app.stop()
  })

  test('has its notification withdrawn when the keyring is unlocked', async () => {
    const it = await startedWithout('locked')
    await pass(15 * minute)
    it.lock.isOn = false
    await pass(2 * minute)
    expect(it.desktop.withdrawn).toContain(it.desktop.notices[0]!.subject)
    await it.app.stop()
  })

  test('is not reported again when the computer was offline meanwhile', async () => {
    const it = await startedWithout('locked', ['web', 'ops'])
    await pass(hour)
    it.cut.set('all', 'dns')
    await pass(hour)
    it.cut.clear()
    await pass(hour)
    expect(titles(it)).toEqual([`${label(it, 0)} is unreachable`, 'This computer is offline'])
    expect(it.desktop.withdrawn).not.toContain(it.desktop.notices[0]!.subject)
    await it.app.stop()
  })
})

describe('an account that briefly can’t be read while another one has long been unreachable', () => {
  test('is no reason to call the computer offline', async () => {
    const it = await watching()
    it.cut.set(hostOf(it, 0), 'refused')
    await pass(2 * hour)
    expect(titles(it)).toEqual([`${label(it, 0)} is unreachable`])
    it.cut.set(hostOf(it, 1), 'timeout')
    await it.app.commands.refresh({ accountId: null })
    await pass(500)
    it.cut.delete(hostOf(it, 1))
    await pass(hour)
    expect(titles(it)).toEqual([`${label(it, 0)} is unreachable`])
    await it.app.stop()
  })
})

describe('a clock', () => {
  test.each([3 * hour, -8 * hour, -40 * 24 * hour])(
    'that is set by %i ms after a failed read brings the alarm neither early nor late',
    async (ms) => {
      const it = await watching(['web'])
      it.cut.set(hostOf(it, 0), 'refused')
      await it.app.commands.refresh({ accountId: null })
      await pass(3 * second)
      vi.setSystemTime(Date.now() + ms)
      await pass(9 * minute)
      expect(titles(it)).toEqual([])
      await pass(3 * minute)
      expect(titles(it)).toEqual([`${label(it, 0)} is unreachable`])
      await it.app.stop()
    },
  )

  test('that stops for a minute now and then doesn’t put the alarm off for ever', async () => {
    const it = await watching(['web'])
    it.cut.set(hostOf(it, 0), 'refused')
    const { now } = performance
    let slept = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + slept)
    for (let times = 0; times < 4; times += 1) {
      await pass(4 * minute)
      slept += minute
      vi.setSystemTime(Date.now() + minute)
    }
    expect(titles(it)).toEqual([`${label(it, 0)} is unreachable`])
    vi.restoreAllMocks()
    await it.app.stop()
  })
})

describe('a computer without a network', () => {
  test('is one event for all accounts, and none remains when it is back', async () => {
    const it = await watching(['web', 'ops', 'chat'])
    it.cut.set('all', 'dns')
    await pass(2 * hour)
    expect(titles(it)).toEqual(['This computer is offline'])
    it.cut.clear()
    await pass(minute)
    expect(it.desktop.withdrawn).toContain(it.desktop.notices[0]!.subject)
    expect(titles(it)).toHaveLength(1)
    await it.app.stop()
  })

  test('is shown only on the icon during quiet hours', async () => {
    const it = await watching()
    await it.app.commands.updateSettings({
      attention: {
        ...defaultAttention,
        quietHours: {
          ...defaultAttention.quietHours,
          enabled: true,
          windows: [{ days: [0, 1, 2, 3, 4, 5, 6], from: '14:00', to: '18:00' }],
        },
      },
    })
    it.cut.set('all', 'offline')
    await pass(2 * hour)
    expect(titles(it)).toEqual([])
    it.cut.clear()
    await pass(4 * hour)
    expect(titles(it)).toEqual([])
    await it.app.stop()
  })

  test('doesn’t count the time it slept', async () => {
    const it = await watching()
    it.cut.set('all', 'offline')
    await pass(2 * minute)
    vi.setSystemTime(Date.now() + 8 * hour)
    const { now } = performance
    vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 8 * hour)
    it.app.wake()
    await pass(7 * minute)
    expect(titles(it)).toEqual([])
    await pass(4 * minute)
    expect(titles(it)).toEqual(['This computer is offline'])
    vi.restoreAllMocks()
    await it.app.stop()
  })
})
