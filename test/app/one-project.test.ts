import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import { keyName } from '../../src/main/accounts/connections.ts'
import type { Transport } from '../../src/main/base/ports.ts'
import { memoryVault } from '../../src/main/storage/vault.ts'
import type { Notice } from '../../src/shared/core/attention/notice.ts'
import { defaultAttention } from '../../src/shared/core/attention/rules.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'
import { fieldsOf } from '../../src/shared/core/schemas.ts'
import { trayView } from '../../src/shared/core/views/tray-view.ts'
import type { HttpReply } from '../../src/shared/http.ts'
import { type RunningApp, startApp } from '../support/app.ts'
import { failureOf } from '../support/failures.ts'
import { fakeDisk } from '../support/fake-desktop.ts'
import { seeded } from '../support/seeded.ts'

const second = 1_000
const minute = 60 * second

beforeEach(() => {
  vi.useFakeTimers({ now: new Date(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = async (ms: number) => {
  await vi.advanceTimersByTimeAsync(ms)
}
const aMinute = () => pass(minute)
const { web } = createWorld({ now: Date.now, seed: 1, lively: false })
const keys = { readOnly: web.table.readOnlyKey ?? '', readWrite: web.table.readWriteKey } as const
type Twin = keyof typeof keys

const { ids, typed } = (() => {
  const { newAccounts } = createWorld({ now: Date.now, seed: 1, lively: false })
  if (newAccounts.web.kind !== 'monitoring') throw new Error('the project is no project')
  const ids = { readOnly: crypto.randomUUID(), readWrite: crypto.randomUUID() } as const
  return { ids, typed: newAccounts.web }
})()

/** A world with one project; each of its keys can be refused, fail, or get nothing new. */
function project() {
  const world = createWorld({ now: Date.now, seed: 1, lively: false })
  setInterval(() => world.tick(), 5 * second)
  const refused = new Set<Twin>()
  const broken = new Set<Twin>()
  const frozen = new Set<Twin>()
  const lists = new Map<string, HttpReply>()
  const transport: Transport = async (request, signal) => {
    const key = request.headers['x-api-key'] ?? ''
    const of = (some: ReadonlySet<Twin>) => [...some].some((twin) => keys[twin] === key)
    if (of(broken)) return { status: 500, headers: {}, body: new Uint8Array() }
    if (of(refused)) {
      const body = new TextEncoder().encode('{"error": "wrong api key"}')
      return { status: 401, headers: { 'content-type': 'application/json' }, body }
    }
    const isList = request.url.endsWith('/checks/')
    const last = lists.get(key)
    if (isList && of(frozen) && last !== undefined)
      return { ...last, headers: { ...last.headers, date: new Date().toUTCString() } }
    const reply = await world.transport(request, signal)
    if (isList) lists.set(key, reply)
    return reply
  }
  const { controls } = world.web
  const first = controls.names()[0]!
  return {
    ...{ world, transport, refused, broken, frozen, first },
    ping: (kind: 'success' | 'fail') => controls.ping(first, kind),
    goDown: () => controls.goDown(first),
    recover: () => controls.recover(first),
  }
}
type Project = ReturnType<typeof project>

function account(twin: Twin) {
  const { accounts } = createWorld({ now: Date.now, seed: 1 })
  const web = accounts.find(({ id }) => id === 'demo-web')!
  return { ...web, id: ids[twin], label: twin, keyKind: twin, demo: false }
}

/** The app with accounts that it has had from the beginning. */
async function having(twins: readonly Twin[], { world, transport }: Project) {
  const [disk, vault] = [fakeDisk(), memoryVault()]
  await disk.write('accounts', twins.map(account))
  for (const twin of twins) await vault.put(keyName(account(twin)), keys[twin])
  const it = await startApp({ world, transport, disk, vault })
  await pass(2 * minute)
  return it
}

/**
 * What an older version has left on disk after it ran with both keys for a while: it noted what each
 * of them read, and notified the user of what the better one did.
 */
async function oldVersion(
  order: readonly Twin[],
  it: Project,
  story: (app: RunningApp) => Promise<void>,
  change: (app: RunningApp) => Promise<unknown> = async () => undefined,
) {
  const better = await having(['readWrite'], it)
  await change(better)
  const lesser = await having(['readOnly'], it)
  await story(better)
  await Promise.all([better.app.stop(), lesser.app.stop()])
  const disk = fakeDisk()
  for (const [name, text] of better.disk.documents) disk.documents.set(name, text)
  const [marks, others] = [better, lesser].map((app) => fieldsOf(app.disk.read('marks')))
  const lists = (name: string) => [marks, others].flatMap((one) => listOf(one?.[name]))
  await disk.write('marks', { ...marks, boards: lists('boards'), missed: lists('missed') })
  await disk.write(
    'looks',
    [better, lesser].flatMap((app) => listOf(app.disk.read('looks'))),
  )
  await disk.write('accounts', order.map(account))
  const vault = memoryVault()
  for (const twin of order) await vault.put(keyName(account(twin)), keys[twin])
  const { world, transport } = it
  const told = better.desktop.notices
  return { told, disk, vault, start: () => startApp({ world, transport, disk, vault }) }
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const kinds = (notices: readonly Notice[]) =>
  notices.filter(({ kind }) => kind !== 'trouble').map(({ kind }) => kind)
const labels = ({ app }: RunningApp) => app.state.accounts.map(({ label }) => label)
const icon = ({ app }: RunningApp) => {
  const { shape, count } = trayView(app.state, Date.now())
  return { shape, count }
}
/** `TRIALS=60` for a release. */
const trials = Number(process.env['TRIALS'] ?? 4)
const orders = [
  ['readWrite', 'readOnly'],
  ['readOnly', 'readWrite'],
] as const

describe.each(orders)('two keys of one project, from an older version (%s, %s)', (...order) => {
  test('become one account at the first start that reads both, which says so once', async () => {
    const it = project()
    const old = await oldVersion(order, it, aMinute)
    const app = await old.start()
    await pass(minute)
    expect(labels(app)).toEqual(['readWrite'])
    expect(app.app.state.notices[0]).toMatchObject({
      title: '“readOnly” is now part of “readWrite”',
      target: { view: 'accounts' },
    })
    expect(icon(app)).toEqual({ shape: 'good', count: 0 })
    expect(await old.vault.get(keyName(account('readOnly')))).toBeNull()
    for (const [name, text] of app.disk.documents)
      if (name !== 'notices') expect(`${name} ${text}`).not.toContain(ids.readOnly)
    const again = await app.restart()
    await pass(2 * minute)
    expect([again.desktop.notices, again.bugs, app.bugs]).toEqual([[], [], []])
    it.goDown()
    await pass(2 * minute)
    expect(again.desktop.notices.map(({ kind, accountId }) => [kind, accountId])).toEqual([
      ['down', ids.readWrite],
    ])
    await again.app.stop()
  })

  test.each(['readOnly', 'readWrite'] as const)(
    'report an outage once that only %s had read before the start',
    async (reader) => {
      const it = project()
      const old = await oldVersion(order, it, async () => {
        it.frozen.add(reader === 'readOnly' ? 'readWrite' : 'readOnly')
        it.goDown()
        await pass(minute)
        it.frozen.clear()
      })
      const app = await old.start()
      await pass(3 * minute)
      expect(kinds([...old.told, ...app.desktop.notices])).toEqual(['down'])
      expect(icon(app)).toEqual({ shape: 'down', count: 1 })
      it.recover()
      await pass(3 * minute)
      expect(kinds([...old.told, ...app.desktop.notices])).toEqual(['down', 'recovered'])
      await app.app.stop()
    },
  )

  test.each(['readOnly', 'readWrite'] as const)(
    'are one for the user even while %s can’t be read, and joined once it can',
    async (late) => {
      const it = project()
      const old = await oldVersion(order, it, aMinute)
      it.goDown()
      it.broken.add(late)
      const app = await old.start()
      await pass(3 * minute)
      expect(kinds(app.desktop.notices)).toEqual(['down'])
      expect(labels(app)).toHaveLength(2)
      it.broken.clear()
      await pass(3 * minute)
      expect(labels(app)).toEqual(['readWrite'])
      expect(icon(app)).toEqual({ shape: 'down', count: 1 })
      it.recover()
      await pass(3 * minute)
      expect(kinds(app.desktop.notices)).toEqual(['down', 'recovered'])
      expect(app.bugs).toEqual([])
      await app.app.stop()
    },
  )

  test('ask the user about the one that can’t be read for a day', async () => {
    const it = project()
    const old = await oldVersion(order, it, aMinute, ({ app }) =>
      app.commands.updateSettings({ pollSeconds: 3_600 }),
    )
    it.refused.add('readWrite')
    const app = await old.start()
    await pass(23 * 60 * minute)
    const asking = () => app.app.state.troubles.filter(({ id }) => id.startsWith('same/'))
    expect(asking()).toEqual([])
    await pass(2 * 60 * minute)
    expect(asking()).toMatchObject([
      { text: expect.stringMatching(/^“readWrite” could not be read for a day\./) as string },
    ])
    it.refused.clear()
    await pass(61 * minute)
    expect([labels(app), asking()]).toEqual([['readWrite'], []])
    await app.app.stop()
  })
})

/** Outages just before a quit, at any moment between the reads of both keys. */
describe('an outage within a minute of a restart, with two keys from an older version', () => {
  const holds = {
    none: {},
    brief: { afterMinutes: 5 },
    'do not disturb that ends while off': {},
  } as const

  test.each(Object.keys(holds) as (keyof typeof holds)[])(
    'is told once (held: %s)',
    async (hold) => {
      for (let seed = 1; seed <= trials; seed += 1) {
        const draw = seeded(seed)
        const it = project()
        const attention = { ...defaultAttention, ...holds[hold] }
        const old = await oldVersion(
          draw.chance(0.5) ? orders[0] : orders[1],
          it,
          async () => {
            await pass(draw.whole(0, 60) * second)
            it.goDown()
            await pass(draw.whole(0, 60) * second)
          },
          async ({ app }) => {
            await app.commands.updateSettings({ attention })
            if (hold === 'do not disturb that ends while off')
              await app.commands.silence({
                how: 'mute',
                scope: { of: 'everything' },
                until: { kind: 'time', at: Date.now() + 5 * minute },
              })
            await pass(draw.whole(0, 60) * second)
          },
        )
        if (hold === 'do not disturb that ends while off') await pass(5 * minute)
        const app = await old.start()
        await pass(12 * second)
        for (let at = 0; at < 7 * 60; at += 1) {
          expect(icon(app).shape, `seed ${seed}`).toBe('down')
          await pass(second)
        }
        const titles = () =>
          [...old.told, ...app.desktop.notices]
            .filter(({ kind }) => kind !== 'trouble')
            .map(({ title }) => title)
        expect(titles(), `seed ${seed}`).toEqual([`${it.first} is down`])
        it.recover()
        await pass(2 * minute)
        expect(titles(), `seed ${seed}`).toEqual([`${it.first} is down`, `${it.first} is up again`])
        expect([labels(app), app.bugs]).toEqual([['readWrite'], []])
        await app.app.stop()
      }
    },
  )
})

describe('a key of a project that is already connected', () => {
  const connected = async (kind: Twin) => {
    const it = await startApp()
    const { accountId } = await it.app.commands.addAccount({
      ...typed,
      label: 'web',
      key: keys[kind],
    })
    await pass(3 * second)
    return Object.assign(it, { accountId })
  }
  /** The same world, at another address as well. */
  const elsewhere = 'https://other.example'
  const restartedWith = async (it: RunningApp, isDown: () => boolean = () => false) => {
    await it.app.stop()
    const { world, disk, vault } = it
    const transport: Transport = (request, signal) => {
      if (isDown() && request.url.startsWith(typed.baseUrl))
        throw new RequestFailed({ kind: 'network', reason: 'refused', host: 'h', reached: 'no' })
      const url = request.url.replace(elsewhere, typed.baseUrl)
      return world.transport({ ...request, url }, signal)
    }
    const again = await startApp({ world, disk, vault, transport })
    await pass(3 * second)
    return again
  }

  test.each([
    ['readOnly', 'readWrite'],
    ['readWrite', 'readOnly'],
    ['readWrite', 'readWrite'],
  ] as const)('is not added (%s, then %s)', async (first, second) => {
    const it = await connected(first)
    const { accountId } = it
    for (const app of [it, await it.restart()]) {
      const added = await app.app.commands.addAccount({ ...typed, label: '', key: keys[second] })
      expect(added).toMatchObject({ accountId, alike: { isSure: true } })
      expect(app.app.state.accounts).toHaveLength(1)
      await app.app.stop()
    }
  })

  test('can be used instead, and the account keeps all that it has', async () => {
    const it = await connected('readOnly')
    const { accountId } = it
    const { addAccount, silence } = it.app.commands
    const scope = { of: 'project', accountId } as const
    await silence({ how: 'mute', scope, until: { kind: 'ever' } })
    const input = { ...typed, label: 'other', key: keys.readWrite, instead: accountId }
    const used = await addAccount(input)
    expect([used.accountId, used.alike]).toEqual([accountId, undefined])
    await pass(3 * second)
    const again = await it.restart()
    await pass(3 * second)
    const { accounts, silences, boards } = again.app.state
    expect(accounts).toMatchObject([{ id: accountId, label: 'web', keyKind: 'readWrite' }])
    expect([
      silences.length,
      [...boards.values()][0]?.checks.values().next().value?.writable,
    ]).toEqual([1, true])
    await again.app.stop()
  })

  test('is recognised at another address of its server, by the addresses of its checks', async () => {
    const it = await connected('readOnly')
    const again = await restartedWith(it)
    const input = { ...typed, baseUrl: elsewhere, key: keys.readWrite }
    const { accountId } = it
    expect(await again.app.commands.addAccount(input)).toMatchObject({
      ...{ accountId, alike: { isSure: true } },
    })
    await again.app.stop()
  })

  test('goes on at the new address of a server whose old one is gone, if the user says so', async () => {
    const it = await connected('readOnly')
    const again = await restartedWith(it, () => true)
    const { accountId } = it
    const { addAccount } = again.app.commands
    const input = { ...typed, baseUrl: elsewhere, key: keys.readWrite }
    expect(await addAccount(input)).toMatchObject({ accountId, alike: { isSure: false } })
    await addAccount({ ...input, instead: accountId })
    await pass(3 * second)
    expect(again.app.state.accounts).toMatchObject([
      { id: accountId, label: 'web', baseUrl: elsewhere, keyKind: 'readWrite' },
    ])
    expect(again.app.state.boards.get(accountId)?.freshness.failure).toBeNull()
    const old = keyName({ id: accountId, baseUrl: typed.baseUrl })
    expect(await again.vault.get(old)).toBeNull()
    await again.app.stop()
  })

  test('is added where that server may be another one, if the user says so', async () => {
    const it = await connected('readOnly')
    const again = await restartedWith(it, () => true)
    const input = { ...typed, baseUrl: elsewhere, key: keys.readWrite, instead: null }
    expect((await again.app.commands.addAccount(input)).alike).toBeUndefined()
    expect(again.app.state.accounts).toHaveLength(2)
    await again.app.stop()
  })

  test('does not become the key of another account', async () => {
    const it = await connected('readOnly')
    const { accountId } = await it.app.commands.addAccount(it.world.newAccounts.ops)
    const [web, ops] = [typed.baseUrl, it.world.newAccounts.ops.baseUrl]
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
