import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTrayIcon } from '../../../../src/main/desktop/tray/tray-icon.ts'
import type { TrayView } from '../../../../src/shared/core/views/tray-view.ts'

/** Electron's tray icons, in the order in which they were made. */
const electron = vi.hoisted(() => ({ made: [] as { tooltip: string; isDestroyed: boolean }[] }))

vi.mock('electron', () => {
  class Tray {
    tooltip = ''
    isDestroyed = false
    constructor() {
      electron.made.push(this)
    }
    on() {}
    setImage() {}
    setContextMenu() {}
    setToolTip(text: string) {
      this.tooltip = text
    }
    destroy() {
      this.isDestroyed = true
    }
  }
  return {
    Tray,
    Menu: { buildFromTemplate: () => ({}) },
    nativeImage: { createFromBuffer: () => ({ addRepresentation() {}, setTemplateImage() {} }) },
    nativeTheme: { on: () => undefined },
    screen: { on: () => undefined, getPrimaryDisplay: () => ({ scaleFactor: 1 }) },
  }
})

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  electron.made.length = 0
})

const view = (tooltip: string): TrayView => ({
  shape: 'good',
  count: 0,
  mark: 'none',
  hidden: false,
  quiet: false,
  tooltip,
  menu: [],
})

/** The icon on a desktop that has, or has not, registered it. */
function shown(hasOurs: boolean) {
  let found: (present: boolean) => void = () => undefined
  const onChange = (listener: typeof found): void => {
    found = listener
  }
  const icon = createTrayIcon({
    host: { onChange, hasOurs: async () => hasOurs },
    onAction: () => undefined,
    onClick: () => undefined,
  })
  return {
    show: (tooltip: string) => icon.show(view(tooltip)),
    host: async (present: boolean) => {
      found(present)
      await vi.advanceTimersByTimeAsync(1_000)
    },
  }
}

describe('the tray icon', () => {
  test('does not wait for the session bus', () => {
    shown(false).show('first')
    expect(electron.made).toMatchObject([{ tooltip: 'first', isDestroyed: false }])
  })

  test('stays if the tray has registered it', async () => {
    const { show, host } = shown(true)
    show('first')
    await host(true)
    expect(electron.made).toMatchObject([{ isDestroyed: false }])
  })

  test('is made again, with its current look, for a tray that has not registered it', async () => {
    const { show, host } = shown(false)
    show('first')
    show('second')
    await host(true)
    expect(electron.made).toMatchObject([
      { isDestroyed: true },
      { tooltip: 'second', isDestroyed: false },
    ])
  })

  test('stays if there is no tray, since an old panel may show it', async () => {
    const { show, host } = shown(false)
    show('first')
    await host(false)
    expect(electron.made).toMatchObject([{ isDestroyed: false }])
  })
})
