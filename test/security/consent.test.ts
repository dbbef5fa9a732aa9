import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import { memoryVault } from '../../src/main/storage/vault.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'
import type { HttpReply, HttpRequest } from '../../src/shared/http.ts'
import { startApp } from '../support/app.ts'
import { failureOf } from '../support/failures.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

/** The app, its requests, and a set of names that resolve to a private address. */
async function watched(pingBase?: string) {
  const world = createWorld({ now: Date.now, seed: 1, lively: false })
  const own = `${world.bases.ops}/ping/`
  /** Puts this ping URL into every response. */
  const rewritten = (reply: HttpReply): HttpReply => {
    const text = new TextDecoder().decode(reply.body).replaceAll(own, pingBase ?? own)
    return { ...reply, body: new TextEncoder().encode(text) }
  }
  const sent: HttpRequest[] = []
  const inside = new Set<string>()
  const it = await startApp({
    world,
    vault: memoryVault(),
    transport: async (request, signal) => {
      const { host } = new URL(request.url)
      if (request.publicOnly === true && inside.has(host))
        throw new RequestFailed({ kind: 'network', reason: 'privateNetwork', host, reached: 'no' })
      sent.push(request)
      if (Object.values(world.bases).some((base) => new URL(base).host === host))
        return rewritten(await world.transport(request, signal))
      return { status: 200, headers: {}, body: new TextEncoder().encode('OK') }
    },
  })
  const asked = () => it.desktop.questions.splice(0).map((one) => `${one.message}\n${one.detail}`)
  return { ...it, sent, inside, asked, commands: it.app.commands }
}

const evil = {
  kind: 'monitoring',
  baseUrl: 'https://evil.example',
  key: 'what-a-window-would-like-to-tell',
  allowHttp: false,
  label: '',
} as const

test('the removal of an account is asked about by main, with what is lost', async () => {
  const it = await watched()
  const { accountId } = await it.commands.addAccount(it.world.newAccounts.chat)
  const conversation = { kind: 'direct', userIds: [1] } as const
  await it.commands.saveDraft({ accountId, conversation, text: 'half a thought' })
  it.asked()
  it.desktop.agrees = false
  expect(await failureOf(it.commands.removeAccount({ accountId }))).toMatchObject({
    field: 'accountId',
  })
  expect(it.asked()).toEqual([
    expect.stringMatching(
      /^Remove .*\?\nBelfry forgets its key, its notification history and 1 unsent text\. /,
    ),
  ])
  expect(it.app.state.accounts.map(({ id }) => id)).toContain(accountId)
  it.desktop.agrees = true
  await it.commands.removeAccount({ accountId })
  expect(it.app.state.accounts).toEqual([])
  await it.app.stop()
})

describe('an address given by a window', () => {
  test.each(['tryAccount', 'addAccount'] as const)(
    'gets nothing by %s until the user agrees in a dialog of main’s',
    async (command) => {
      const it = await watched()
      it.desktop.agrees = false
      for (const baseUrl of ['https://evil.example', 'http://evil.example', '127.0.0.1:6379'])
        expect(
          await failureOf(it.commands[command]({ ...evil, baseUrl, allowHttp: true })),
        ).toMatchObject({ kind: 'invalid', field: 'baseUrl' })
      expect(it.sent).toEqual([])
      const [https, http, loopback] = it.asked()
      expect(https).toMatch(/^Connect to https:\/\/evil\.example\?\n/)
      expect(https).not.toMatch(/plain http/i)
      expect(http).toMatch(/Plain http: everyone/)
      expect(loopback).toMatch(/^Connect to http:\/\/127\.0\.0\.1:6379\?/)
      it.desktop.agrees = true
      await failureOf(it.commands[command](evil))
      expect(it.sent.length).toBeGreaterThan(0)
      await it.app.stop()
    },
  )

  test('is asked about once, until an account is added with it', async () => {
    const it = await watched()
    const { ops } = it.world.newAccounts
    await failureOf(it.commands.tryAccount({ ...ops, key: 'wrong' }))
    await it.commands.tryAccount(ops)
    const { accountId } = await it.commands.addAccount(ops)
    expect(it.asked()).toHaveLength(1)
    await it.commands.replaceKey({ accountId, key: ops.key })
    expect(it.asked()).toEqual([])
    await it.commands.addAccount(ops)
    expect(it.asked()).toHaveLength(1)
    await it.app.stop()
  })

  test('is marked in the dialog if its name looks like another one', async () => {
    const it = await watched()
    await failureOf(it.commands.tryAccount({ ...evil, baseUrl: 'https://hеalthchecks.io' }))
    expect(it.asked()[0]).toMatch(
      /^Connect to https:\/\/xn--.*\n.*\n.*letters that look like other letters/,
    )
    await it.app.stop()
  })

  test('accepts at most twenty keys a minute', async () => {
    const it = await watched()
    const tries = Array.from({ length: 50 }, (_, at) =>
      failureOf(it.commands.tryAccount({ ...evil, key: `key-${at}` })),
    )
    const refused = (await Promise.all(tries)).filter(
      (failure) => 'message' in failure && /Too many keys/.test(failure.message),
    )
    expect(refused).toHaveLength(30)
    await vi.advanceTimersByTimeAsync(60_001)
    expect(await failureOf(it.commands.tryAccount(evil))).not.toMatchObject({ field: 'key' })
    await it.app.stop()
  })
})

test('keys go to disk without protection only if the user agrees in a dialog of main’s', async () => {
  const it = await watched()
  it.desktop.agrees = false
  await failureOf(it.commands.allowWeakStorage({ allowed: true }))
  expect(it.app.state.settings.weakStorage).toBe(false)
  expect(it.asked()).toHaveLength(1)
  it.desktop.agrees = true
  await it.commands.allowWeakStorage({ allowed: true })
  expect(it.app.state.settings.weakStorage).toBe(true)
  // Withdrawing the consent harms nobody.
  it.asked()
  await it.commands.allowWeakStorage({ allowed: false })
  expect(it.asked()).toEqual([])
  await it.app.stop()
})

test('the demo needs no confirmation', async () => {
  const it = await watched()
  await it.commands.exploreDemo({})
  expect(it.asked()).toEqual([])
  expect(it.app.state.accounts.length).toBeGreaterThan(0)
  await it.app.stop()
})

/** An app with a project whose server gives this ping URL, and a function that pings it. */
async function pinging(pingBase?: string) {
  const it = await watched(pingBase)
  const { accountId } = await it.commands.addAccount(it.world.newAccounts.ops)
  await vi.advanceTimersByTimeAsync(3_000)
  it.asked()
  it.sent.length = 0
  const checks = [...it.app.state.boards.get(accountId)!.checks.values()]
  const checkId = checks.find(({ name }) => name === 'db-backup')!.id
  const ping = () => {
    const rest = { signal: 'log', exitStatus: null, runId: null, body: '' } as const
    return it.commands.pingCheck({ accountId, checkId, ...rest })
  }
  const pings = () => it.sent.splice(0).filter(({ method }) => method === 'POST')
  const byOperation = () =>
    it.commands.run({ accountId, operation: 'pingLog', params: { uuid: checkId } })
  return { ...it, accountId, checkId, ping, pings, byOperation }
}

/** Each base is followed by the UUID, which used to be the only requirement. */
const elsewhere: readonly string[] = [
  'http://127.0.0.1:6379/',
  'http://[::1]:9200/',
  'http://169.254.169.254/latest/meta-data/',
  'http://192.168.1.1/reboot/',
  'http://localhost:11434/',
  'https://evil.example/ping/',
  'https://hc-ping.com/',
  'https://hc-ping.com:8443/',
]

describe('a ping URL given by the server', () => {
  test.each(elsewhere)(
    'on another origin gets nothing unless the user agrees: %s',
    async (base) => {
      const it = await pinging(base)
      const { origin } = new URL(base)
      it.desktop.agrees = false
      expect(await failureOf(it.ping())).toMatchObject({ kind: 'invalid' })
      expect(await failureOf(it.byOperation())).toMatchObject({ kind: 'invalid' })
      expect(it.pings()).toEqual([])
      const questions = it.asked()
      expect(questions).toHaveLength(2)
      for (const question of questions) expect(question).toContain(`Send pings to ${origin}?`)
      it.desktop.agrees = true
      await it.ping()
      await it.ping()
      expect(it.asked()).toHaveLength(1)
      expect(it.pings()).toHaveLength(2)
      const again = await it.restart()
      expect(again.app.state.accounts[0]).toMatchObject({ pingOrigins: [{ origin }] })
      await again.app.stop()
    },
  )

  test('on another port of the same host counts as another origin', async () => {
    const it = await pinging('https://ops.demo.invalid:8443/ping/')
    it.desktop.agrees = false
    await failureOf(it.ping())
    expect(it.asked()).toHaveLength(1)
    expect(it.pings()).toEqual([])
    await it.app.stop()
  })

  test('on the account’s own origin needs no confirmation: the control of the tests above', async () => {
    const it = await pinging()
    await it.ping()
    expect(it.asked()).toEqual([])
    expect(it.pings()).toHaveLength(1)
    await it.app.stop()
  })

  test('may be private if it was when confirmed, and must be confirmed again if it becomes private', async () => {
    const it = await pinging('https://ping.example/')
    it.inside.add('ping.example')
    await it.ping()
    expect(it.asked()).toHaveLength(1)
    await it.ping()
    expect(it.asked()).toEqual([])
    await it.app.stop()

    const other = await pinging('https://ping.example/')
    await other.ping()
    other.asked()
    other.pings()
    other.inside.add('ping.example')
    other.desktop.agrees = false
    await failureOf(other.ping())
    expect(other.asked()[0]).toMatch(/now resolves to a private one/)
    expect(other.pings()).toEqual([])
    other.desktop.agrees = true
    await other.ping()
    expect(other.asked()).toHaveLength(1)
    await other.ping()
    expect(other.asked()).toEqual([])
    expect(other.pings()).toHaveLength(2)
    await other.app.stop()
  })

  test('is never confirmed for Belfry’s own pings, which report what is missing', async () => {
    const it = await pinging('https://ping.example/')
    it.desktop.agrees = false
    const selfWatch = { accountId: it.accountId, checkId: it.checkId }
    await failureOf(it.commands.updateSettings({ selfWatch }))
    expect(it.app.state.settings.selfWatch).toBeNull()
    it.desktop.agrees = true
    await it.commands.updateSettings({ selfWatch })
    await vi.advanceTimersByTimeAsync(3 * 60_000)
    expect(it.pings().length).toBeGreaterThan(0)
    it.asked()
    it.inside.add('ping.example')
    await vi.advanceTimersByTimeAsync(5 * 60_000)
    expect(it.pings()).toEqual([])
    expect(it.asked()).toEqual([])
    expect(it.app.state.selfWatch.problem).toMatch(/consent/)
    await it.app.stop()
  })
})

test('the demo next to real accounts gets no real key, and leaves none of its own', async () => {
  const it = await watched()
  const { ops } = it.world.newAccounts
  const vault = memoryVault()
  const put = vi.spyOn(vault, 'put')
  const real = await startApp({ world: it.world, vault, disk: it.disk })
  await real.app.commands.exploreDemo({})
  const demo = real.app.state.accounts.filter((account) => account.demo)
  expect(demo.length).toBeGreaterThan(0)
  put.mockClear()
  for (const { id, baseUrl } of demo) {
    await failureOf(real.app.commands.replaceKey({ accountId: id, key: ops.key }))
    await failureOf(real.app.commands.setAuthority({ accountId: id, fileId: 'none' }))
    expect(new URL(baseUrl).hostname).toMatch(/\.invalid$/)
  }
  expect(put).not.toHaveBeenCalled()
  await real.app.commands.leaveDemo({})
  expect(real.app.state.accounts).toEqual([])
  expect([...real.app.state.boards.keys()]).toEqual([])
  await Promise.all([it.app.stop(), real.app.stop()])
  expect([...it.disk.documents.values()].join('\n')).not.toContain('demo-')
})
