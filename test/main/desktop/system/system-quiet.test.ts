import { afterEach, describe, expect, test } from 'vitest'
import { openSessionBus } from '../../../../src/main/desktop/system/session-bus.ts'
import { createSystemQuiet } from '../../../../src/main/desktop/system/system-quiet.ts'
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

function watch(address: string | null, gnomeBannersOff = async () => false) {
  const heard: boolean[] = []
  const quiet = createSystemQuiet({ openBus: () => openSessionBus(address), gnomeBannersOff })
  quiet.onChange((on) => heard.push(on))
  closing.push(() => quiet.stop())
  return { quiet, heard }
}

describe('the do-not-disturb of the system', () => {
  test.each(['inhibited', 'paused', 'xfce'] as const)(
    'is read and followed where the desktop tells it as %s',
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

  test('is read from GNOME’s settings, again each time they change', async () => {
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

  test('is over when the daemon that told it goes, and read again from the next', async () => {
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

  test('is not asked of programs that are not there', async () => {
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
})
