import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import { keyName } from '../../src/main/accounts/connections.ts'
import type { HttpReply, Transport } from '../../src/main/http/transport.ts'
import { memoryVault } from '../../src/main/storage/vault.ts'
import { anyRule, defaultAttention } from '../../src/shared/core/attention/rules.ts'
import { projectsOf } from '../../src/shared/core/projects.ts'
import type { Target } from '../../src/shared/core/target.ts'
import { trayView } from '../../src/shared/core/views/tray-view.ts'
import { type RunningApp, startApp } from '../support/app.ts'
import { failureOf } from '../support/failures.ts'
import { fakeDisk } from '../support/fake-desktop.ts'

const second = 1_000
const minute = 60 * second

beforeEach(() => {
  vi.useFakeTimers({ now: new Date(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const { web } = createWorld({ now: Date.now, seed: 1, lively: false })
const keys = { readOnly: web.table.readOnlyKey ?? '', readWrite: web.table.readWriteKey } as const
type Twin = keyof typeof keys

/** What an older version left on disk: one project, connected once with each kind of key. */
async function connectedTwice(order: readonly Twin[]) {
  const [disk, vault] = [fakeDisk(), memoryVault()]
  const accounts = order.map((label) => ({
    ...createWorld({ now: Date.now, seed: 1 }).accounts.find(({ id }) => id === 'demo-web')!,
    ...{ id: label, label, keyKind: label, demo: false },
  }))
  await disk.write('accounts', accounts)
  for (const account of accounts) await vault.put(keyName(account), keys[account.label])
  return { disk, vault }
}

/** One project without problems, connected once with each kind of key; each can be refused. */
async function added(order: readonly Twin[], isEmpty = false) {
  const world = createWorld({ now: Date.now, seed: 1, lively: false })
  setInterval(() => world.tick(), second)
  const bad = new Set<string>()
  const broken = new Set<string>()
  const around = { isEmpty }
  /** Lists as last read, and the keys that get nothing newer. */
  const lists = new Map<string, HttpReply>()
  const frozen = new Set<string>()
  const transport: Transport = async (request, signal) => {
    const key = request.headers['x-api-key'] ?? ''
    const isList = request.url.endsWith('/checks/')
    const last = lists.get(key)
    if (isList && frozen.has(key) && last !== undefined)
      return { ...last, headers: { ...last.headers, date: new Date().toUTCString() } }
    if (broken.has(key)) return { status: 500, headers: {}, body: new Uint8Array() }
    if (!bad.has(key)) {
      const reply = await world.transport(request, signal)
      if (isList) lists.set(key, reply)
      return isList && around.isEmpty
        ? { ...reply, body: new TextEncoder().encode('{"checks": []}') }
        : reply
    }
    const body = new TextEncoder().encode('{"error": "wrong api key"}')
    return { status: 401, headers: { 'content-type': 'application/json' }, body }
  }
  const it = await startApp({ world, transport, ...(await connectedTwice(order)) })
  await pass(2 * minute)
  it.desktop.notices.length = 0
  const goDown = () => world.web.controls.goDown(world.web.controls.names()[0]!)
  const recover = () => world.web.controls.recover(world.web.controls.names()[0]!)
  const refuse = (twin: Twin) => bad.add(keys[twin])
  const accept = (twin: Twin) => bad.delete(keys[twin])
  const breakReads = (twin: Twin) => broken.add(keys[twin])
  const mendReads = (twin: Twin) => broken.delete(keys[twin])
  const freeze = (twin: Twin) => frozen.add(keys[twin])
  const thaw = () => frozen.clear()
  const controls = { goDown, recover, refuse, accept, breakReads, mendReads, freeze, thaw }
  return Object.assign(it, { transport, around, ...controls })
}

const labels = ({ app }: RunningApp) =>
  [...projectsOf(app.state).boards.keys()].map(
    (id) => app.state.accounts.find((account) => account.id === id)?.label,
  )
const kinds = ({ desktop }: RunningApp) => desktop.notices.map(({ kind }) => kind)
const icon = ({ app }: RunningApp) => {
  const { shape, count } = trayView(app.state, Date.now())
  return { shape, count }
}
const idOf = ({ app }: RunningApp, label: Twin) =>
  app.state.accounts.find((account) => account.label === label)!.id

describe.each([
  ['the better key first', ['readWrite', 'readOnly']],
  ['the better key last', ['readOnly', 'readWrite']],
] as const)('a project that was added twice, %s', (_name, order) => {
  test('is counted and reported once, through the account with the better key', async () => {
    const it = await added(order)
    expect(labels(it)).toEqual(['readWrite'])
    expect(icon(it)).toEqual({ shape: 'good', count: 0 })
    it.goDown()
    await pass(2 * minute)
    expect(kinds(it)).toEqual(['down'])
    expect(it.desktop.notices[0]?.accountId).toBe(idOf(it, 'readWrite'))
    expect(icon(it)).toEqual({ shape: 'down', count: 1 })
    it.recover()
    await pass(2 * minute)
    expect(kinds(it)).toEqual(['down', 'recovered'])
    await it.app.stop()
  })

  test('is reviewed once a week through that account', async () => {
    const it = await added(order)
    const accountId = idOf(it, 'readWrite')
    const fields = { name: 'unused', timeout: 3_600, grace: 3_600 }
    await it.app.commands.createCheck({ accountId, fields })
    await pass(2 * minute)
    const found = await it.app.commands.weeklyLook({})
    const unused = found.filter(({ name, kind }) => name === 'unused' && kind === 'neverPinged')
    expect(unused.map((one) => one.accountId)).toEqual([accountId])
    await it.app.stop()
  })

  test('that was empty before has its first outage reported once', async () => {
    const it = await added(order, true)
    expect(labels(it)).toHaveLength(2)
    it.goDown()
    it.around.isEmpty = false
    await pass(2 * minute)
    expect(labels(it)).toEqual(['readWrite'])
    expect(kinds(it)).toEqual(['down'])
    await it.app.stop()
  })

  test('has an outage during a restart reported once', async () => {
    const it = await added(order)
    await it.app.stop()
    it.goDown()
    const again = await startApp({
      world: it.world,
      vault: it.vault,
      disk: it.disk,
      transport: it.transport,
    })
    await pass(3 * minute)
    expect(kinds(again)).toEqual(['down'])
    expect(icon(again)).toEqual({ shape: 'down', count: 1 })
    await again.app.stop()
  })

  test.each([
    ['readWrite', 'up'],
    ['readOnly', 'up'],
    ['readWrite', 'down'],
    ['readOnly', 'down'],
  ] as const)(
    'has an outage before a start reported once if %s can be read 4 s later (%s)',
    async (late, status) => {
      const it = await added(order)
      const { controls } = it.world.web
      const ping = (kind: 'success' | 'fail') => controls.ping(controls.names()[0]!, kind)
      if (status === 'down') ping('fail')
      await pass(2 * minute)
      await it.app.stop()
      if (status === 'up') ping('fail')
      await pass(5 * second)
      ping('success')
      await pass(5 * second)
      if (status === 'down') ping('fail')
      it.breakReads(late)
      const { world, vault, disk, transport } = it
      const again = await startApp({ world, vault, disk, transport })
      await pass(4 * second)
      it.mendReads(late)
      await pass(6 * minute)
      expect(kinds(again)).toEqual(status === 'up' ? ['missed'] : ['recovered', 'down'])
      await again.app.stop()
    },
  )

  test('is watched through the other key while the better one is refused', async () => {
    const it = await added(order)
    it.goDown()
    await pass(2 * minute)
    it.refuse('readWrite')
    await pass(2 * minute)
    expect(labels(it)).toEqual(['readOnly'])
    expect(icon(it)).toEqual({ shape: 'down', count: 1 })
    // The refused key is reported; nothing is repeated.
    expect(kinds(it)).toEqual(['down', 'trouble'])
    it.recover()
    await pass(2 * minute)
    expect(kinds(it)).toEqual(['down', 'trouble', 'recovered'])
    expect(icon(it).shape).toBe('key')
    it.goDown()
    await pass(2 * minute)
    expect(kinds(it)).toEqual(['down', 'trouble', 'recovered', 'down'])
    it.accept('readWrite')
    await it.app.commands.refresh({ accountId: null })
    await pass(2 * minute)
    expect(labels(it)).toEqual(['readWrite'])
    expect(kinds(it)).toEqual(['down', 'trouble', 'recovered', 'down'])
    expect(icon(it)).toEqual({ shape: 'down', count: 1 })
    await it.app.stop()
  })
})

test('two projects on one server count as two', async () => {
  const world = createWorld({
    now: Date.now,
    seed: 1,
    lively: false,
  })
  const it = await startApp({ world })
  await it.app.commands.addAccount(world.newAccounts.web)
  await it.app.commands.addAccount(world.newAccounts.ops)
  await pass(3 * second)
  const { accounts, boards } = it.app.state
  const [first] = accounts
  const moved = accounts.map((account) => ({ ...account, baseUrl: first!.baseUrl }))
  const shown = projectsOf({ accounts: moved, boards })
  expect([...shown.boards.keys()]).toEqual(accounts.map(({ id }) => id))
  expect(shown.boards).toBe(boards)
  await it.app.stop()
})

test('an outage that only the lesser key can read is reported in time', async () => {
  const it = await added(['readWrite', 'readOnly'])
  it.breakReads('readWrite')
  await pass(2 * minute)
  it.goDown()
  await pass(2 * minute)
  expect(kinds(it)).toContain('down')
  await it.app.stop()
})

test('what was acknowledged through one account is acknowledged through the other', async () => {
  const it = await added(['readOnly', 'readWrite'])
  it.goDown()
  await pass(2 * minute)
  const [board] = projectsOf(it.app.state).boards.values()
  const down = [...(board?.checks.values() ?? [])].find(({ status }) => status === 'down')
  await it.app.commands.silence({
    how: 'acknowledge',
    scope: { of: 'check', accountId: idOf(it, 'readWrite'), checkId: down!.id },
    until: { kind: 'change' },
  })
  expect(icon(it)).toEqual({ shape: 'silenced', count: 0 })
  it.refuse('readWrite')
  await pass(3 * minute)
  expect(labels(it)).toEqual(['readOnly'])
  expect(icon(it).count).toBe(0)
  await it.app.stop()
})

test('pins, and the check that watches Belfry, stay when one account is removed', async () => {
  const it = await added(['readWrite', 'readOnly'])
  const [first, other] = [idOf(it, 'readWrite'), idOf(it, 'readOnly')]
  const [checkId = '', both = ''] = [...it.app.state.boards.get(first)!.checks.keys()]
  await it.app.commands.updateSettings({
    pins: [
      { accountId: first, checkId },
      { accountId: first, checkId: both },
      { accountId: other, checkId: both },
    ],
    selfWatch: null,
  })
  await it.app.commands.updateSettings({ selfWatch: { accountId: first, checkId } }).catch(() => {
    throw new Error('it can’t be pinged')
  })
  const removed = it.app.commands.removeAccount({ accountId: first })
  await pass(second)
  await removed
  const { pins, selfWatch } = it.app.state.settings
  expect(pins).toEqual([
    { accountId: other, checkId },
    { accountId: other, checkId: both },
  ])
  expect(selfWatch).toEqual({ accountId: other, checkId })
  await it.app.stop()
})

describe('a key of a project that is already connected', () => {
  const refusal =
    'This is already connected, as “web”. To use this key instead, choose Replace key under Accounts.'
  const connected = async (kind: Twin) => {
    const it = await startApp()
    const typed = it.world.newAccounts.web
    if (typed.kind !== 'monitoring') throw new Error('the project is no project')
    await it.app.commands.addAccount({ ...typed, label: 'web', key: keys[kind] })
    await pass(3 * second)
    return Object.assign(it, { typed })
  }

  test.each([
    ['readOnly', 'readWrite'],
    ['readWrite', 'readOnly'],
    ['readWrite', 'readWrite'],
  ] as const)('is refused with the way to use it instead (%s, then %s)', async (first, second) => {
    const it = await connected(first)
    const { addAccount } = it.app.commands
    expect(await failureOf(addAccount({ ...it.typed, label: '', key: keys[second] }))).toEqual({
      kind: 'invalid',
      field: 'key',
      message: refusal,
    })
    const again = await it.restart()
    expect(
      await failureOf(again.app.commands.addAccount({ ...it.typed, key: keys[second] })),
    ).toMatchObject({ field: 'key' })
    expect(again.app.state.accounts).toHaveLength(1)
    await again.app.stop()
  })

  test('is recognised at another address of its server, by the addresses of its checks', async () => {
    const it = await connected('readOnly')
    const transport: Transport = (request, signal) => {
      const url = request.url.replace('https://other.example', it.typed.baseUrl)
      return it.world.transport({ ...request, url }, signal)
    }
    const { world, disk, vault } = it
    await it.app.stop()
    const again = await startApp({ world, disk, vault, transport })
    await pass(3 * second)
    const moved = { ...it.typed, baseUrl: 'https://other.example' }
    expect(
      await failureOf(again.app.commands.addAccount({ ...moved, key: keys.readWrite })),
    ).toMatchObject({ message: refusal })
    await again.app.stop()
  })

  test('does not become the key of another account', async () => {
    const it = await connected('readOnly')
    const { accountId } = await it.app.commands.addAccount(it.world.newAccounts.ops)
    const [web, ops] = [it.typed.baseUrl, it.world.newAccounts.ops.baseUrl]
    const transport: Transport = (request, signal) =>
      it.world.transport(
        request.headers['x-api-key'] === keys.readWrite
          ? { ...request, url: request.url.replace(ops, web) }
          : request,
        signal,
      )
    const { world, disk, vault } = it
    await it.app.stop()
    const again = await startApp({ world, disk, vault, transport })
    await pass(3 * second)
    expect(
      await failureOf(again.app.commands.replaceKey({ accountId, key: keys.readWrite })),
    ).toMatchObject({ message: 'This key belongs to what is already connected as “web”.' })
    await again.app.stop()
  })
})

describe('an outage that only one of two keys had read before a restart', () => {
  test.each([
    [['readWrite', 'readOnly'], 'readOnly'],
    [['readWrite', 'readOnly'], 'readWrite'],
    [['readOnly', 'readWrite'], 'readOnly'],
    [['readOnly', 'readWrite'], 'readWrite'],
  ] as const)('is reported once (%s; read by %s)', async (order, reader) => {
    const it = await added(order)
    it.freeze(reader === 'readOnly' ? 'readWrite' : 'readOnly')
    it.goDown()
    await pass(minute)
    const { world, vault, disk, transport } = it
    await it.app.stop()
    it.thaw()
    const again = await startApp({ world, vault, disk, transport })
    await pass(3 * minute)
    expect([...kinds(it), ...kinds(again)]).toEqual(['down'])
    expect(icon(again)).toEqual({ shape: 'down', count: 1 })
    again.world.web.controls.recover(again.world.web.controls.names()[0]!)
    await pass(3 * minute)
    expect([...kinds(it), ...kinds(again)]).toEqual(['down', 'recovered'])
    await again.app.stop()
  })
})

describe('a project in trouble that another account takes over', () => {
  const rules = (it: RunningApp, change: Partial<typeof defaultAttention>) =>
    it.app.commands.updateSettings({ attention: { ...defaultAttention, ...change } })
  const repeating = { rules: [{ ...anyRule, id: 'r', kinds: ['down' as const], repeatMinutes: 5 }] }
  const inTime = (ms: number) => ({ kind: 'time', at: Date.now() + ms }) as const
  const remove = (it: RunningApp, label: Twin) =>
    it.app.commands.removeAccount({ accountId: idOf(it, label) })
  const titles = ({ desktop }: RunningApp) => desktop.notices.map(({ title }) => title)
  /** Snoozes the check that is down, through the better key. */
  async function snoozed(it: RunningApp) {
    const [board] = projectsOf(it.app.state).boards.values()
    const down = [...(board?.checks.values() ?? [])].find(({ status }) => status === 'down')!
    await it.app.commands.silence({
      how: 'snooze',
      scope: { of: 'check', accountId: idOf(it, 'readWrite'), checkId: down.id },
      until: inTime(15 * minute),
    })
    return down
  }

  describe('since the first one was removed', () => {
    test('is reported if it stays down for long enough', async () => {
      const it = await added(['readWrite', 'readOnly'])
      await rules(it, { afterMinutes: 10 })
      it.goDown()
      await pass(3 * minute)
      await remove(it, 'readWrite')
      await pass(20 * minute)
      expect(kinds(it)).toEqual(['down'])
      expect(it.desktop.notices[0]?.target).toMatchObject({ accountId: idOf(it, 'readOnly') })
      await it.app.stop()
    })

    test('is in the digest after do not disturb', async () => {
      const it = await added(['readWrite', 'readOnly'])
      const scope = { of: 'everything' } as const
      await it.app.commands.silence({ how: 'mute', scope, until: inTime(30 * minute) })
      it.goDown()
      await pass(3 * minute)
      await remove(it, 'readWrite')
      await pass(30 * minute)
      expect(titles(it)).toEqual([expect.stringContaining(' is down')])
      await it.app.stop()
    })

    test('is in the digest after its maintenance', async () => {
      const it = await added(['readWrite', 'readOnly'])
      const scope = { of: 'project', accountId: idOf(it, 'readWrite') } as const
      await it.app.commands.silence({ how: 'maintenance', scope, until: inTime(30 * minute) })
      it.goDown()
      await pass(3 * minute)
      await remove(it, 'readWrite')
      await pass(20 * minute)
      expect(titles(it)).toEqual([])
      await pass(10 * minute)
      expect(titles(it)).toEqual(['Maintenance of readWrite is over'])
      await it.app.stop()
    })

    test('is repeated until someone has seen it', async () => {
      const it = await added(['readWrite', 'readOnly'])
      await rules(it, repeating)
      it.goDown()
      await pass(2 * minute)
      await remove(it, 'readWrite')
      await pass(14 * minute)
      expect(it.desktop.notices.map(({ again }) => again)).toEqual([undefined, 1, 2, 3])
      await it.app.stop()
    })

    test('is reported again when its snooze is over', async () => {
      const it = await added(['readWrite', 'readOnly'])
      it.goDown()
      await pass(2 * minute)
      const { name } = await snoozed(it)
      await remove(it, 'readWrite')
      await pass(20 * minute)
      expect(titles(it)).toEqual([`${name} is down`, `${name} is still down`])
      expect(it.app.state.silences).toEqual([])
      await it.app.stop()
    })
  })

  describe('since the first one can’t be read', () => {
    test('and recovers before it was down for long enough isn’t reported', async () => {
      const it = await added(['readWrite', 'readOnly'])
      await rules(it, { afterMinutes: 10 })
      it.goDown()
      await pass(3 * minute)
      it.breakReads('readWrite')
      await pass(2 * minute)
      expect(labels(it)).toEqual(['readOnly'])
      it.recover()
      await pass(8 * minute)
      expect(titles(it)).toEqual([])
      await it.app.stop()
    })

    test('and recovers is neither repeated nor left on the screen', async () => {
      const it = await added(['readWrite', 'readOnly'])
      await rules(it, repeating)
      it.goDown()
      await pass(2 * minute)
      it.refuse('readWrite')
      await pass(2 * minute)
      it.recover()
      await pass(20 * minute)
      expect(kinds(it)).toEqual(['down', 'trouble', 'recovered'])
      expect(it.desktop.withdrawn).toContain(it.desktop.notices[0]?.subject)
      await it.app.stop()
    })

    test('stays in maintenance', async () => {
      const it = await added(['readWrite', 'readOnly'])
      const scope = { of: 'project', accountId: idOf(it, 'readWrite') } as const
      await it.app.commands.silence({ how: 'maintenance', scope, until: inTime(60 * minute) })
      it.breakReads('readWrite')
      await pass(2 * minute)
      it.goDown()
      await pass(2 * minute)
      expect(titles(it)).toEqual([])
      await it.app.stop()
    })

    test('is reported again when its snooze is over', async () => {
      const it = await added(['readWrite', 'readOnly'])
      it.goDown()
      await pass(2 * minute)
      const { name } = await snoozed(it)
      it.breakReads('readWrite')
      await pass(20 * minute)
      expect(titles(it)).toContain(`${name} is still down`)
      await it.app.stop()
    })

    test('isn’t repeated once its page was opened, under either account', async () => {
      const it = await added(['readWrite', 'readOnly'])
      await rules(it, repeating)
      it.goDown()
      await pass(2 * minute)
      it.breakReads('readWrite')
      await pass(2 * minute)
      const target = it.desktop.notices[0]?.target as Extract<Target, { view: 'check' }>
      expect(target.accountId).toBe(idOf(it, 'readWrite'))
      await it.app.commands.showing({ view: 'check', place: target })
      it.desktop.notices.length = 0
      await pass(8 * minute)
      expect(titles(it)).toEqual([])
      await it.app.stop()
    })
  })
})
