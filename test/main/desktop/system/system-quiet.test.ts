import { afterEach, describe, expect, test, vi } from 'vitest'
import { openSessionBus, type SessionBus } from '../../../../src/main/desktop/system/session-bus.ts'
import {
  createScreenLock,
  createSystemQuiet,
} from '../../../../src/main/desktop/system/system-quiet.ts'
import { type QuietDesktop, startQuietDesktop } from '../../../support/quiet-desktop.ts'
import { until } from '../../../support/session-bus.ts'

const closing: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function desktop(): Promise<QuietDesktop> {
  const started = await startQuietDesktop()
  closing.push(() => started.stop())
  return started
}

function watch(
  address: string | null | (() => string | null),
  gnomeBannersOff = async () => false,
) {
  const heard: boolean[] = []
  const openBus = () => openSessionBus(typeof address === 'function' ? address() : address)
  const quiet = createSystemQuiet({ openBus, gnomeBannersOff })
  quiet.onChange((on) => heard.push(on))
  closing.push(() => quiet.stop())
  return { quiet, heard }
}

describe("the system's do-not-disturb", () => {
  test.each(['inhibited', 'paused', 'xfce'] as const)(
    'is read and followed where the desktop calls it %s',
    async (way) => {
      const it = await desktop()
      await it.set(way, true)
      await it.serve(way)
      const { quiet, heard } = watch(it.address)
      await until(() => quiet.on())
      await it.set(way, false)
      await until(() => !quiet.on())
      await it.set(way, true)
      await until(() => heard.length > 2)
      expect(heard).toEqual([true, false, true])
    },
  )

  test('is read from GNOME’s settings, and again each time they change', async () => {
    const it = await desktop()
    let isOff = true
    let asked = 0
    await it.serve('gnome')
    const { quiet } = watch(it.address, async () => {
      asked += 1
      return isOff
    })
    await until(() => quiet.on())
    isOff = false
    it.dconfChanged('/org/gnome/desktop/interface/')
    it.dconfChanged('/org/gnome/desktop/notifications/show-banners')
    await until(() => !quiet.on())
    expect(asked).toBe(2)
  })

  test('ends when the daemon that reported it goes, and is read again from the next', async () => {
    const it = await desktop()
    await it.set('inhibited', true)
    await it.serve('inhibited')
    const { quiet } = watch(it.address)
    await until(() => quiet.on())
    await it.leave('inhibited')
    await until(() => !quiet.on())
    await it.serve('inhibited')
    await until(() => quiet.on())
    expect(quiet.on()).toBe(true)
  })

  test('is not requested from programs that are not running', async () => {
    const it = await desktop()
    let asked = 0
    await it.serve('inhibited')
    const { quiet } = watch(it.address, async () => {
      asked += 1
      return true
    })
    await it.set('inhibited', true)
    await until(() => quiet.on())
    await it.set('inhibited', false)
    await until(() => !quiet.on())
    expect(asked).toBe(0)
  })

  test('is off without a bus, and when the bus dies', async () => {
    expect(watch(null).quiet.on()).toBe(false)
    const it = await startQuietDesktop()
    await it.set('paused', true)
    await it.serve('paused')
    const { quiet, heard } = watch(it.address)
    await until(() => quiet.on())
    await it.stop()
    await until(() => !quiet.on())
    expect(heard).toEqual([true, false])
  })

  test('is read again from the bus that replaces a dead one', async () => {
    const died = await desktop()
    const next = await desktop()
    for (const it of [died, next]) {
      await it.set('paused', true)
      await it.serve('paused')
    }
    const addresses = [died.address, next.address]
    const { quiet } = watch(() => addresses.shift() ?? null)
    await until(() => quiet.on())
    await died.stop()
    await until(() => !quiet.on())
    await until(() => quiet.on())
    await next.set('paused', false)
    await until(() => !quiet.on())
    expect(addresses).toEqual([])
  })
})

/** A bus that can end, whose screen saver and login1 report whether the screen is locked. */
function lockingBus(owner: string, locked: () => boolean) {
  const ends: (() => void)[] = []
  const open = async (): Promise<SessionBus> => ({
    name: ':1.1',
    call: async ({ member }) => {
      if (member === 'GetSession') return ['/session']
      return member === 'GetActive' ? [locked()] : [[[{ type: 'v', child: [] }], [locked()]]]
    },
    emit: () => undefined,
    onSignal: () => undefined,
    hasOwner: async (name) => name === owner,
    onOwner: () => undefined,
    onEnd: (listener) => ends.push(listener),
    close: () => undefined,
  })
  return {
    open,
    end: () => {
      for (const end of ends.splice(0)) end()
    },
  }
}

describe('the lock of the screen', () => {
  const none = async (): Promise<SessionBus> => {
    throw new Error('no bus')
  }

  test.each([
    { bus: 'session', owner: 'org.freedesktop.ScreenSaver' },
    { bus: 'system', owner: 'org.freedesktop.login1' },
  ])('is read again after the $bus bus was restarted', async ({ bus, owner }) => {
    vi.useFakeTimers()
    closing.push(() => void vi.useRealTimers())
    let isLocked = false
    const it = lockingBus(owner, () => isLocked)
    const lock = createScreenLock({
      openBus: bus === 'session' ? it.open : none,
      openSystemBus: bus === 'system' ? it.open : none,
    })
    closing.push(() => lock.stop())
    await vi.advanceTimersByTimeAsync(0)
    expect(lock.on()).toBe(false)
    isLocked = true
    it.end()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(lock.on()).toBe(true)
  })
})
