import { Menu, type MenuItemConstructorOptions, nativeImage, nativeTheme, Tray } from 'electron'
import type { TrayAction, TrayMenuItem, TrayView } from '../../shared/core/tray.ts'
import { atMostEvery } from './pace.ts'
import { png } from './png.ts'
import { type TrayTheme, trayImage } from './tray-image.ts'

/** Menus are cached by Linux panels and set as a whole; more often than this nobody reads them. */
const menuIntervalMs = 1_000

/** Pixels at 100 %, and the scales for which the desktop may want its own drawing. */
const sizes = {
  linux: { base: 22, scales: [1, 2] },
  darwin: { base: 16, scales: [1, 2] },
  win32: { base: 16, scales: [1, 1.25, 1.5, 2, 3] },
} as const

export interface TrayIcon {
  show(view: TrayView): void
}

/**
 * The tray icon, one for the life of the process: on Linux a second one would be a lesser kind of
 * item. Made once `settled` says that a tray was found or that waiting is over.
 */
export function createTrayIcon(parts: {
  readonly settled: Promise<void>
  readonly onAction: (action: TrayAction) => void
}): TrayIcon {
  let latest: TrayView | null = null
  let item: TrayItem | null = null
  const show = (): void => {
    if (latest !== null) item?.(latest)
  }
  void parts.settled.then(() => {
    item = createItem(parts.onAction)
    show()
  })
  nativeTheme.on('updated', show)
  return {
    show: (view) => {
      latest = view
      show()
    },
  }
}

type TrayItem = (view: TrayView) => void

function createItem(onAction: (action: TrayAction) => void): TrayItem {
  let tray: Tray | null = null
  let menu: Menu | null = null
  const shown = { image: '', tooltip: '', menu: '' }
  const setMenu = atMostEvery(menuIntervalMs, (items: readonly TrayMenuItem[]) => {
    menu = Menu.buildFromTemplate(items.map((entry) => menuItem(entry, onAction)))
    // On macOS an item with a menu opens it on the left click, which is for the board.
    if (process.platform !== 'darwin') tray?.setContextMenu(menu)
  })
  const changed = (what: keyof typeof shown, value: string): boolean => {
    if (shown[what] === value) return false
    shown[what] = value
    return true
  }
  return (view) => {
    const theme = trayTheme()
    const imageChanged = changed('image', [view.shape, view.count, view.mark, theme].join(' '))
    if (tray === null) {
      tray = new Tray(imageOf(view, theme))
      tray.on('click', () => onAction({ do: 'show' }))
      if (process.platform === 'darwin')
        tray.on('right-click', () => tray?.popUpContextMenu(menu ?? undefined))
    } else if (imageChanged) tray.setImage(imageOf(view, theme))
    if (changed('tooltip', view.tooltip)) tray.setToolTip(view.tooltip)
    if (changed('menu', JSON.stringify(view.menu))) setMenu(view.menu)
  }
}

function trayTheme(): TrayTheme {
  if (process.platform === 'darwin') return 'template'
  // A Linux panel's colour can't be asked; most are dark, and the light drawing has a dark rim.
  if (process.platform === 'linux') return 'dark'
  return nativeTheme.shouldUseDarkColors ? 'dark' : 'light'
}

function imageOf(view: TrayView, theme: TrayTheme): Electron.NativeImage {
  const platform =
    process.platform === 'darwin' || process.platform === 'win32' ? process.platform : 'linux'
  const { base, scales } = sizes[platform]
  const drawn = (scale: number): Buffer => Buffer.from(png(trayImage(view, base * scale, theme)))
  const image = nativeImage.createFromBuffer(drawn(1), { scaleFactor: 1 })
  for (const scale of scales)
    if (scale !== 1) image.addRepresentation({ scaleFactor: scale, buffer: drawn(scale) })
  if (theme === 'template') image.setTemplateImage(true)
  return image
}

function menuItem(
  item: TrayMenuItem,
  onAction: (action: TrayAction) => void,
): MenuItemConstructorOptions {
  if ('separator' in item) return { type: 'separator' }
  const { action } = item
  return {
    // One & would underline the next letter, in the name of somebody's check.
    label: item.label.replaceAll('&', '&&'),
    enabled: action !== null,
    ...(action === null ? {} : { click: () => onAction(action) }),
  }
}
