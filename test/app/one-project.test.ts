import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import { keyName } from '../../src/main/accounts/connections.ts'
import type { HttpReply, Transport } from '../../src/main/http/transport.ts'
import { memoryVault } from '../../src/main/storage/vault.ts'
import type { Notice } from '../../src/shared/core/attention/notice.ts'
import { fieldsOf } from '../../src/shared/core/schemas.ts'
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
  const [better, lesser] = [await having(['readWrite'], it), await having(['readOnly'], it)]
  await change(better)
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

describe('a key of a project that is already connected', () => {
  const refusal =
    'This is already connected, as “web”. To use this key instead, choose Replace key under Accounts.'
  const connected = async (kind: Twin) => {
    const it = await startApp()
    await it.app.commands.addAccount({ ...typed, label: 'web', key: keys[kind] })
    await pass(3 * second)
    return it
  }

  test.each([
    ['readOnly', 'readWrite'],
    ['readWrite', 'readOnly'],
    ['readWrite', 'readWrite'],
  ] as const)('is refused with the way to use it instead (%s, then %s)', async (first, second) => {
    const it = await connected(first)
    const { addAccount } = it.app.commands
    expect(await failureOf(addAccount({ ...typed, label: '', key: keys[second] }))).toEqual({
      kind: 'invalid',
      field: 'key',
      message: refusal,
    })
    const again = await it.restart()
    expect(
      await failureOf(again.app.commands.addAccount({ ...typed, key: keys[second] })),
    ).toMatchObject({ field: 'key' })
    expect(again.app.state.accounts).toHaveLength(1)
    await again.app.stop()
  })

  test('is recognised at another address of its server, by the addresses of its checks', async () => {
    const it = await connected('readOnly')
    const transport: Transport = (request, signal) => {
      const url = request.url.replace('https://other.example', typed.baseUrl)
      return it.world.transport({ ...request, url }, signal)
    }
    const { world, disk, vault } = it
    await it.app.stop()
    const again = await startApp({ world, disk, vault, transport })
    await pass(3 * second)
    const moved = { ...typed, baseUrl: 'https://other.example' }
    expect(
      await failureOf(again.app.commands.addAccount({ ...moved, key: keys.readWrite })),
    ).toMatchObject({ message: refusal })
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
