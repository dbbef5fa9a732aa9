import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { openSessionBus } from '../../../../src/main/desktop/system/session-bus.ts'
import {
  createScreenLock,
  systemBusAddress,
} from '../../../../src/main/desktop/system/system-quiet.ts'
import { startQuietDesktop } from '../../../support/quiet-desktop.ts'
import { until } from '../../../support/session-bus.ts'

const closing: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

function watch(address: string | null) {
  const openBus = () => openSessionBus(address)
  const lock = createScreenLock({ openBus, openSystemBus: openBus })
  closing.push(() => lock.stop())
  return lock
}

describe('the lock state of the screen', () => {
  test.each(['saver', 'logind'] as const)('is read from %s and followed', async (way) => {
    const it = await startQuietDesktop()
    closing.push(() => it.stop())
    await it.set(way, true)
    await it.serve(way)
    const lock = watch(it.address)
    await until(() => lock.on())
    await it.set(way, false)
    await until(() => !lock.on())
    await it.set(way, true)
    await until(() => lock.on())
    await it.leave(way)
    await until(() => !lock.on())
  })

  test('is followed even if systemd comes after Belfry', async () => {
    const it = await startQuietDesktop()
    closing.push(() => it.stop())
    const refused = Promise.withResolvers<void>()
    const openBus = async () => {
      const bus = await openSessionBus(it.address)
      const call = bus.call.bind(bus)
      return Object.assign(bus, {
        call: (message: Parameters<typeof call>[0]) =>
          call(message).catch((error: unknown) => {
            refused.resolve()
            throw error
          }),
      })
    }
    const lock = createScreenLock({ openBus: () => openSessionBus(null), openSystemBus: openBus })
    closing.push(() => lock.stop())
    await refused.promise
    await it.set('logind', true)
    await it.serve('logind')
    await until(() => lock.on())
    await it.set('logind', false)
    await until(() => !lock.on())
  })

  test('is unlocked if there is no bus', async () => {
    const lock = watch(null)
    await turn()
    expect(lock.on()).toBe(false)
  })

  test('comes from the screen saver if there is no system bus', async () => {
    const it = await startQuietDesktop()
    closing.push(() => it.stop())
    await it.serve('saver')
    const lock = createScreenLock({
      openBus: () => openSessionBus(it.address),
      openSystemBus: () => openSessionBus(null),
    })
    closing.push(() => lock.stop())
    await it.set('saver', true)
    await until(() => lock.on())
    await it.set('saver', false)
    await until(() => !lock.on())
  })

  test('is requested from systemd on the system bus, at its usual or configured address', () => {
    expect(systemBusAddress({})).toBe('unix:path=/run/dbus/system_bus_socket')
    expect(systemBusAddress({ DBUS_SYSTEM_BUS_ADDRESS: 'unix:path=/x' })).toBe('unix:path=/x')
  })
})
