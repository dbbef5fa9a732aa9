import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { openSessionBus } from '../../../../src/main/desktop/system/session-bus.ts'
import { createBattery } from '../../../../src/main/desktop/system/system-quiet.ts'
import { startQuietDesktop } from '../../../support/quiet-desktop.ts'
import { until } from '../../../support/session-bus.ts'

const closing: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

function watch(address: string | null) {
  const battery = createBattery(() => openSessionBus(address))
  closing.push(() => battery.stop())
  return battery
}

describe('whether the computer runs on battery', () => {
  test('is read from UPower and followed, and no longer believed once that is gone', async () => {
    const it = await startQuietDesktop()
    closing.push(() => it.stop())
    await it.set('upower', true)
    await it.serve('upower')
    const battery = watch(it.address)
    await until(() => battery.on())
    await it.set('upower', false)
    await until(() => !battery.on())
    await it.set('upower', true)
    await until(() => battery.on())
    await it.leave('upower')
    await until(() => !battery.on())
  })

  test('is followed even if UPower comes after Belfry', async () => {
    const it = await startQuietDesktop()
    closing.push(() => it.stop())
    const battery = watch(it.address)
    await it.set('upower', true)
    await it.serve('upower')
    await until(() => battery.on())
  })

  test('is unknown, and so false, without a system bus', async () => {
    const battery = watch(null)
    await turn()
    expect(battery.on()).toBe(false)
  })
})
