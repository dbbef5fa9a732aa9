import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import type { Transport } from '../../src/main/base/ports.ts'
import { type RunningApp, startApp } from '../support/app.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25) })
})
afterEach(() => {
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

/** A bug, none of the failures that loops handle. */
const bug = () => new TypeError('a bug')

/** The app with all three accounts; a request for which `harm` is true meets a bug of ours. */
async function connected() {
  const world = createWorld({ now: Date.now, seed: 1, lively: false })
  const around = { harm: (_url: string): boolean => false, asked: [] as string[] }
  const transport: Transport = (request, signal) => {
    around.asked.push(request.url)
    if (around.harm(request.url)) throw bug()
    return world.transport(request, signal)
  }
  const it = await startApp({ world, transport })
  const { ops, web, chat } = world.newAccounts
  for (const account of [ops, web, chat]) await it.app.commands.addAccount(account)
  await pass(3_000)
  return Object.assign(it, { around })
}

const checkNamed = (it: RunningApp, name: string) =>
  it.app.state.accounts
    .map(({ id }) => it.app.state.boards.get(id))
    .flatMap((board) => [...(board?.checks.values() ?? [])])
    .find((check) => check.name === name)

describe('an account whose loop meets a bug', () => {
  test('is restarted, and the others are read as if nothing had happened', async () => {
    const it = await connected()
    const { ops, web } = it.world.newAccounts
    it.around.harm = (url) => url.startsWith(ops.baseUrl)
    await pass(60_000)
    expect(it.bugs.length).toBeGreaterThan(0)
    const before = it.around.asked.length
    await pass(120_000)
    const asked = it.around.asked.slice(before)
    expect(asked.some((url) => url.startsWith(web.baseUrl))).toBe(true)
    expect(asked.filter((url) => url.startsWith(ops.baseUrl)).length).toBeLessThanOrEqual(14)
    it.world.realm.controls.say({ from: 'Boris', to: 'Boris', text: 'still there?' })
    await pass(1_000)
    expect(it.desktop.notices.map(({ body }) => body)).toContain('still there?')
    it.around.harm = () => false
    it.world.ops.controls.goDown('cert-renew')
    it.world.tick()
    await pass(45_000)
    expect(checkNamed(it, 'cert-renew')?.status).toBe('down')
    await it.app.stop()
  })

  test('doesn’t affect the checks if it is a chat, and recovers', async () => {
    const it = await connected()
    const { chat } = it.world.newAccounts
    it.around.harm = (url) => url.startsWith(chat.baseUrl)
    it.world.realm.controls.say({ from: 'Boris', to: 'Boris', text: 'meanwhile' })
    await pass(60_000)
    it.world.ops.controls.goDown('cert-renew')
    it.world.tick()
    await pass(35_000)
    expect(it.desktop.notices.map(({ title }) => title)).toContain('cert-renew is down')
    it.around.harm = () => false
    await pass(120_000)
    const told = it.desktop.notices.filter(({ body }) => body.includes('meanwhile'))
    expect(told).toHaveLength(1)
    await it.app.stop()
  })
})

describe('a part of the desktop that throws', () => {
  test.each(['pushPatch', 'showTray', 'notify'] as const)(
    'at %s is reported as a bug; the state and everything else that shows it carry on',
    async (part) => {
      const it = await connected()
      const shown = { trays: it.desktop.trays.length }
      it.desktop[part] = () => {
        throw bug()
      }
      it.world.ops.controls.goDown('cert-renew')
      it.world.tick()
      await pass(35_000)
      expect(checkNamed(it, 'cert-renew')?.status).toBe('down')
      expect(it.app.state.notices[0]?.title).toBe('cert-renew is down')
      if (part !== 'notify')
        expect(it.desktop.notices.map(({ title }) => title)).toEqual(['cert-renew is down'])
      if (part !== 'showTray') expect(it.desktop.trays.length).toBeGreaterThan(shown.trays)
      expect(it.bugs.length).toBeGreaterThan(0)
      it.world.ops.controls.recover('cert-renew')
      await pass(70_000)
      expect(checkNamed(it, 'cert-renew')?.status).toBe('up')
      await it.app.stop()
    },
  )

  test('at withdraw is reported as a bug, and what was read elsewhere is still read here', async () => {
    const it = await connected()
    const { controls } = it.world.realm
    const unread = () =>
      [...it.app.state.realms.values()].flatMap(({ conversations }) =>
        [...conversations.values()].flatMap((conversation) => conversation.unread),
      )
    const id = controls.say({ from: 'Boris', to: 'Boris', text: 'seen?' })
    await pass(1_000)
    expect(unread()).toContain(id)
    it.desktop.withdraw = () => {
      throw bug()
    }
    controls.readElsewhere('all')
    await pass(1_000)
    expect(it.bugs.length).toBeGreaterThan(0)
    expect(unread()).toEqual([])
    await it.app.stop()
  })
})

describe('one bad item', () => {
  test('hides none of the others', async () => {
    const it = await connected()
    const [account] = it.app.state.accounts
    const before = it.app.state.boards.get(account?.id ?? '')?.checks.size ?? 0
    const { transport } = it.world
    const replaced: Transport = async (request, signal) => {
      const reply = await transport(request, signal)
      if (!request.url.endsWith('/checks/')) return reply
      const list = JSON.parse(new TextDecoder().decode(reply.body)) as { checks: unknown[] }
      list.checks.splice(1, 0, { name: 7 }, null, 'x')
      return { ...reply, body: new TextEncoder().encode(JSON.stringify(list)) }
    }
    await it.app.stop()
    const again = await startApp({ ...it, transport: replaced })
    await pass(3_000)
    const board = again.app.state.boards.get(account?.id ?? '')
    expect(board?.checks.size).toBe(before)
    expect(board?.unreadable).toBe(3)
    await again.app.stop()
  })
})
