import { afterEach, describe, expect, test, vi } from 'vitest'
import { openSessionBus, type SessionBus } from '../../../../src/main/desktop/system/session-bus.ts'
import { createLauncherBadge } from '../../../../src/main/desktop/tray/tray-icon.ts'
import { type FakeDesktop, startDesktop } from '../../../support/session-bus.ts'

vi.mock(import('electron'), () => ({}))

const path = '/org/belfry/Belfry/LauncherEntry'
const started: { desktop: FakeDesktop; buses: SessionBus[] }[] = []

afterEach(async () => {
  for (const { desktop, buses } of started.splice(0)) {
    for (const bus of buses) bus.close()
    await desktop.stop()
  }
})

/** A launcher on a real bus, and the badge updates that it receives. */
async function launcher() {
  const desktop = await startDesktop({ watcher: false, notifications: false })
  const buses: SessionBus[] = []
  started.push({ desktop, buses })
  const open = async (): Promise<SessionBus> => {
    const bus = await openSessionBus(desktop.address)
    buses.push(bus)
    return bus
  }
  const heard: unknown[] = []
  let wake = (): void => undefined
  const listening = await open()
  listening.onSignal(
    { path, interface: 'com.canonical.Unity.LauncherEntry', member: 'Update', from: null },
    (body) => {
      heard.push(plain(body))
      wake()
    },
  )
  // Answered only after the bus has added the match rule.
  await listening.hasOwner('org.freedesktop.DBus')
  const until = async (count: number): Promise<void> => {
    while (heard.length < count)
      await new Promise<void>((resolve) => {
        wake = resolve
      })
  }
  return { badge: createLauncherBadge(open), heard, until, buses }
}

/** Variants come as `[signature tree, [value]]`, 64-bit numbers as objects. */
function plain([uri, properties]: readonly unknown[]): unknown {
  const named = (properties as [string, [unknown, [unknown]]][]).map(([name, variant]) => [
    name,
    name === 'count' ? Number(variant[1][0]) : variant[1][0],
  ])
  return [uri, Object.fromEntries(named)]
}

const said = (count: number, visible = count > 0): unknown => [
  'application://org.belfry.Belfry.desktop',
  { count, 'count-visible': visible },
]

describe('the badge of a launcher', () => {
  test('announces each new count once, and is removed at the end', async () => {
    const { badge, heard, until } = await launcher()
    badge.show(0)
    badge.show(2)
    badge.show(2)
    badge.show(11)
    await until(2)
    expect(heard).toEqual([said(2), said(11)])
    badge.clear()
    badge.show(3)
    await until(3)
    expect(heard).toEqual([said(2), said(11), said(0)])
  })

  test('continues over a new connection when the bus has ended the first', async () => {
    const { badge, heard, until, buses } = await launcher()
    badge.show(1)
    await until(1)
    buses[1]!.close()
    badge.show(2)
    await until(2)
    expect(heard).toEqual([said(1), said(2)])
    expect(buses).toHaveLength(3)
  })
})
