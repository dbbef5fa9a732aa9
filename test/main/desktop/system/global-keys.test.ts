import type { EventEmitter } from 'node:events'
import dbus from '@homebridge/dbus-native'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createGlobalKeys } from '../../../../src/main/desktop/system/global-keys.ts'
import { openSessionBus } from '../../../../src/main/desktop/system/session-bus.ts'
import {
  type GlobalAction,
  type GlobalKeys,
  keysProblem,
} from '../../../../src/shared/core/settings.ts'
import { startDesktop } from '../../../support/session-bus.ts'

const electron = vi.hoisted(() => ({
  held: new Map<string, () => void>(),
  taken: new Set<string>(),
}))
vi.mock(import('electron'), () => ({
  globalShortcut: {
    register: (keys: string, act: () => void) => {
      if (electron.taken.has(keys)) return false
      electron.held.set(keys, act)
      return true
    },
    unregisterAll: () => electron.held.clear(),
  } as never,
}))

const closing: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const keysOf = (chosen: Partial<GlobalKeys>): GlobalKeys => ({
  board: null,
  reply: null,
  message: null,
  ...chosen,
})

interface Message {
  readonly sender: string
}

interface RawBus {
  readonly connection: EventEmitter & { end(): void; message(message: object): void }
  requestName(name: string, flags: number, reply: (error: unknown) => void): void
  exportInterface(object: object, path: string, description: object): void
}

const library = dbus as unknown as { createClient(options: { busAddress: string }): RawBus }
const portalPath = '/org/freedesktop/portal/desktop'

/** A portal that binds keys by their ids. `answer`: its user's answer, 0 for yes. */
async function startPortal(address: string, { answer = 0, knowsKeys = true } = {}) {
  const bus = library.createClient({ busAddress: address })
  bus.connection.on('error', () => undefined)
  closing.push(() => bus.connection.end())
  const calls: string[] = []
  const bound = new Map<string, Record<string, unknown>>()
  const sessions: { readonly of: string; readonly handle: string }[] = []
  const plain = (entries: unknown): Record<string, unknown> =>
    Object.fromEntries(
      (entries as [string, [unknown, [unknown]]][]).map(([name, [, [value]]]) => [name, value]),
    )
  const signal = (to: string, path: string, name: string, signature: string, body: unknown[]) => {
    const at = name.lastIndexOf('.')
    bus.connection.message({
      type: 4,
      serial: 900 + calls.length + bound.size,
      destination: to,
      path,
      interface: name.slice(0, at),
      member: name.slice(at + 1),
      signature,
      body,
    })
  }
  const pathOf = (kind: string, call: Message, token: unknown): string =>
    `${portalPath}/${kind}/${call.sender.slice(1).replaceAll('.', '_')}/${String(token)}`
  const respond = (call: Message, token: unknown, code: number, results: unknown[]): string => {
    const request = pathOf('request', call, token)
    signal(call.sender, request, 'org.freedesktop.portal.Request.Response', 'ua{sv}', [
      code,
      results,
    ])
    return request
  }
  /** Each gets the arguments of the call, then the message itself. */
  const methods = {
    Register: () => void calls.push('Register'),
    CreateSession: (options: unknown, call: Message) => {
      calls.push('CreateSession')
      const { handle_token: token, session_handle_token: session } = plain(options)
      const handle = pathOf('session', call, session)
      sessions.push({ of: call.sender, handle })
      return respond(call, token, 0, [['session_handle', ['s', handle]]])
    },
    BindShortcuts: (...[, wanted, , options, call]: unknown[]) => {
      calls.push('BindShortcuts')
      bound.clear()
      if (answer === 0)
        for (const [id, about] of wanted as [string, unknown][]) bound.set(id, plain(about))
      return respond(call as Message, plain(options)['handle_token'], answer, [])
    },
  }
  const unknown = () =>
    Object.assign(new Error('no such interface'), {
      dbusName: 'org.freedesktop.DBus.Error.UnknownMethod',
    })
  bus.exportInterface(methods, portalPath, {
    name: 'org.freedesktop.host.portal.Registry',
    methods: { Register: ['sa{sv}', ''] },
    signals: {},
  })
  bus.exportInterface(knowsKeys ? methods : { CreateSession: unknown }, portalPath, {
    name: 'org.freedesktop.portal.GlobalShortcuts',
    methods: { CreateSession: ['a{sv}', 'o'], BindShortcuts: ['oa(sa{sv})sa{sv}', 'o'] },
    signals: {},
  })
  await new Promise<void>((resolve, reject) => {
    bus.requestName('org.freedesktop.portal.Desktop', 0, (error) =>
      error === null ? resolve() : reject(new Error('the name is taken')),
    )
  })
  const press = (id: string, session = sessions.at(-1)?.handle ?? '') => {
    const activated = 'org.freedesktop.portal.GlobalShortcuts.Activated'
    for (const { of } of sessions.slice(-1))
      signal(of, portalPath, activated, 'osta{sv}', [session, id, 0, []])
  }
  return { calls, bound, press }
}

async function onWayland(start: Parameters<typeof startPortal>[1] | null = {}) {
  const desktop = await startDesktop({ notifications: false, watcher: false })
  closing.push(() => desktop.stop())
  const portal = start === null ? null : await startPortal(desktop.address, start)
  const pressed: GlobalAction[] = []
  const keys = createGlobalKeys({
    openBus: () => openSessionBus(desktop.address),
    environment: { WAYLAND_DISPLAY: 'wayland-0' },
    onKey: (name) => pressed.push(name),
  })
  closing.push(() => keys.stop())
  return { keys, pressed, portal }
}

describe('global keys', () => {
  test.each([
    ['Ctrl+Alt+B', true],
    ['Super+Space', true],
    ['Ctrl+Shift+F5', true],
    ['F13', true],
    ['Ctrl+Alt+Shift+Super+9', true],
    ['B', false],
    ['Ctrl+C', false],
    ['Alt+F4', false],
    ['Shift+A', false],
    ['F5', false],
    ['Alt+Ctrl+B', false],
    ['Ctrl+Alt', false],
    ['Ctrl+Alt+', false],
    ['Ctrl+Alt+ß', false],
    ['Ctrl+Alt+F25', false],
    ['CommandOrControl+B', false],
    ['', false],
  ])('may be %s: %s', (keys, may) => {
    const problem = keysProblem(keys)
    expect(problem === null).toBe(may)
    if (problem !== null) expect(problem).toContain(keys)
  })

  test('are registered and released, and keys that are taken are named', async () => {
    const pressed: GlobalAction[] = []
    const keys = createGlobalKeys({
      openBus: () => Promise.reject(new Error('not asked')),
      environment: {},
      onKey: (name) => pressed.push(name),
    })
    electron.taken.add('Ctrl+Alt+T')
    expect(await keys.take(keysOf({ board: 'Ctrl+Alt+B', message: 'Super+N' }))).toBeNull()
    for (const act of electron.held.values()) act()
    expect(pressed).toEqual(['board', 'message'])
    expect(await keys.take(keysOf({ board: 'Ctrl+Alt+T' }))).toBe(
      'Ctrl+Alt+T is taken by another program. Choose other keys.',
    )
    expect(await keys.take(keysOf({ board: 'Ctrl+C' }))).toContain('Other programs use “Ctrl+C”')
    expect(await keys.take(keysOf({ board: 'Super+B', reply: 'Super+B' }))).toBe(
      'Super+B can’t do two things.',
    )
    expect(await keys.take(keysOf({}))).toBeNull()
    expect([...electron.held]).toEqual([])
  })
})

describe('global keys on Wayland', () => {
  test('are bound by the portal if the user agrees', async () => {
    const { keys, pressed, portal } = await onWayland()
    expect(await keys.take(keysOf({ board: 'Ctrl+Alt+B', reply: 'Super+Space' }))).toBeNull()
    expect(portal?.calls).toEqual(['Register', 'CreateSession', 'BindShortcuts'])
    expect(Object.fromEntries(portal?.bound ?? [])).toEqual({
      board: { description: 'Open board', preferred_trigger: 'CTRL+ALT+b' },
      reply: { description: 'Quick reply', preferred_trigger: 'LOGO+space' },
    })
    portal?.press('board', `${portalPath}/session/1_1/another`)
    portal?.press('nonsense')
    portal?.press('reply')
    portal?.press('board')
    await expect.poll(() => pressed).toEqual(['reply', 'board'])
    expect(await keys.take(keysOf({ message: 'Ctrl+Alt+F1' }))).toBeNull()
    expect([...(portal?.bound.keys() ?? [])]).toEqual(['message'])
    portal?.press('message')
    await expect.poll(() => pressed).toEqual(['reply', 'board', 'message'])
  })

  test('report that the user refused, or that the desktop offers none to apps', async () => {
    const refusing = await onWayland({ answer: 1 })
    expect(await refusing.keys.take(keysOf({ board: 'Ctrl+Alt+B' }))).toMatch(/keys was declined/)
    for (const without of [null, { knowsKeys: false }] as const) {
      const { keys } = await onWayland(without)
      expect(await keys.take(keysOf({ board: 'Ctrl+Alt+B' }))).toMatch(/xdg-open belfry:\/\/view/)
      expect(await keys.take(keysOf({}))).toBeNull()
    }
  })

  test('are not requested if none are set', async () => {
    const keys = createGlobalKeys({
      openBus: () => Promise.reject(new Error('asked')),
      environment: { XDG_SESSION_TYPE: 'wayland' },
      onKey: () => undefined,
    })
    expect(await keys.take(keysOf({}))).toBeNull()
    expect(await keys.take(keysOf({ board: 'Super+B' }))).toMatch(/did not say/)
  })
})
