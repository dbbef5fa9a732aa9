import { afterEach, expect, test } from 'vitest'
import { DbusNotifier } from '../../src/main/desktop/notifications/dbus-notifier.ts'
import type { Notifier } from '../../src/main/desktop/notifications/notifier.ts'
import {
  type BusCall,
  openSessionBus,
  type SessionBus,
} from '../../src/main/desktop/system/session-bus.ts'
import { watchTrayHost } from '../../src/main/desktop/tray/tray-host.ts'
import * as eg from '../support/eg.ts'
import { type FakeDesktop, startDesktop, until } from '../support/session-bus.ts'

const closing: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const nobody: Notifier = {
  notify: () => undefined,
  replace: () => undefined,
  withdraw: () => undefined,
  delivery: () => ({ by: 'nobody', capabilities: [] }),
  settled: () => Promise.resolve(),
  stop: () => undefined,
}

/** A notification on a private desktop, and what the app heard about it. */
async function shown() {
  const desktop = await startDesktop({
    notifications: { capabilities: ['actions', 'inline-reply'] },
  })
  closing.push(() => desktop.stop())
  const heard: string[] = []
  const notifier = new DbusNotifier({
    actions: {
      onOpen: () => heard.push('open'),
      onReplyText: (_notice, text) => heard.push(`reply ${text.length}`),
      onAct: (_notice, key) => heard.push(`act ${key}`),
    },
    openBus: () => openSessionBus(desktop.address),
    fallback: nobody,
  })
  closing.push(notifier.stop)
  notifier.notify(eg.notice())
  await notifier.settled()
  const [{ id } = { id: 0 }] = desktop.notifications.all
  return { desktop, notifier, heard, id }
}

/** The daemon’s signal arrives after everything that was sent before it. */
async function told({ desktop, heard, id }: { desktop: FakeDesktop; heard: string[]; id: number }) {
  desktop.press(id, 'default')
  await until(() => heard.includes('open'))
  return heard
}

test('signals from another program in the name of the notification daemon are ignored', async () => {
  const it = await shown()
  await it.desktop.lie('ActionInvoked', 'us', [it.id, 'reply'])
  await it.desktop.lie('NotificationReplied', 'us', [it.id, 'yes, restart it'])
  await it.desktop.lie('NotificationClosed', 'uu', [it.id, 2])
  for (const id of [0, it.id + 1, 4_294_967_295])
    await it.desktop.lie('ActionInvoked', 'us', [id, 'default'])
  // If a liar had closed it, this press would be ignored.
  expect(await told(it)).toEqual(['open'])
})

test('the daemon’s own signals are heard: the control of the test above', async () => {
  const it = await shown()
  it.desktop.reply(it.id, 'yes, restart it')
  await until(() => it.heard.length > 0)
  expect(it.heard).toEqual(['reply 15'])
})

test('a daemon with another owner has no say about its predecessor’s notifications', async () => {
  const it = await shown()
  await it.desktop.dropNotifications()
  await it.desktop.serveNotifications()
  it.notifier.notify({ ...eg.notice(), subject: 'another', id: 'another' })
  await it.notifier.settled()
  it.desktop.press(it.id + 1_000, 'default')
  expect(it.heard).toEqual([])
})

test('a reply of ten million characters is ignored', async () => {
  const it = await shown()
  it.desktop.press(it.id, 'no such key')
  it.desktop.press(it.id, '__proto__')
  const bus = it.desktop
  bus.reply(it.id, 'x'.repeat(10_000_000))
  it.notifier.notify({ ...eg.notice(), subject: 'next', id: 'next' })
  await it.notifier.settled()
  const next = it.desktop.notifications.all.at(-1)?.id ?? 0
  expect(await told({ ...it, id: next })).not.toContainEqual(expect.stringMatching(/^reply/))
})

test('a tray watcher that never stops signalling is asked once at a time', async () => {
  const desktop = await startDesktop({ notifications: false })
  closing.push(() => desktop.stop())
  let calls = 0
  const openBus = async (): Promise<SessionBus> => {
    const bus = await openSessionBus(desktop.address)
    const call = bus.call.bind(bus)
    return Object.assign(bus, {
      call: (request: BusCall) => {
        calls += 1
        return call(request)
      },
    })
  }
  const host = watchTrayHost(openBus)
  closing.push(host.stop)
  await host.settled
  expect(host.present()).toBe(true)
  const before = calls
  for (let at = 0; at < 5_000; at += 1) desktop.setHost(at % 2 === 1)
  desktop.setHost(false)
  await until(() => calls > before)
  await until(() => !host.present())
  expect(calls - before).toBeLessThan(500)
})

test('signals from another program in the name of the tray’s watcher are ignored', async () => {
  const desktop = await startDesktop({ notifications: false })
  closing.push(() => desktop.stop())
  let calls = 0
  const bus = await openSessionBus(desktop.address)
  const call = bus.call.bind(bus)
  Object.assign(bus, {
    call: (request: BusCall) => {
      calls += 1
      return call(request)
    },
  })
  const host = watchTrayHost(async () => bus)
  closing.push(host.stop)
  await host.settled
  const before = calls
  await desktop.lie('StatusNotifierHostUnregistered', '', [], 'org.kde.StatusNotifierWatcher')
  await bus.hasOwner('org.freedesktop.DBus')
  // Our own question; the host asked nothing.
  expect(calls).toBe(before + 1)
  expect(host.present()).toBe(true)
})
