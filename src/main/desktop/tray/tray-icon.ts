import {
  app,
  type BrowserWindow,
  Menu,
  type MenuItemConstructorOptions,
  nativeImage,
  nativeTheme,
  screen,
  Tray,
} from 'electron'
import type { TrayAction, TrayMenuItem } from '../../../shared/core/views/tray.ts'
import type { TrayLook, TrayView } from '../../../shared/core/views/tray-view.ts'
import { appId } from '../system/computer.ts'
import type { SessionBus } from '../system/session-bus.ts'
import { png } from './drawing.ts'
import type { TrayHost } from './tray-host.ts'
import { type TrayTheme, trayImage } from './tray-image.ts'

/** Linux panels cache menus and receive them as a whole; nobody reads them more often than this. */
const menuIntervalMs = 1_000

/** An icon has registered this long after the tray was found. */
const registersMs = 1_000

/** Scales besides 1 that get their own drawing. On Linux, Electron passes on only the largest. */
const scales = { linux: [], darwin: [2], win32: [1.25, 1.5, 1.75, 2, 2.5, 3, 4] } as const

/**
 * The tray icon, created with the first view: whether there is a tray is known only when the
 * session bus has answered, a fifth of the start later. An icon that Electron creates without a
 * tray is of the old kind, which only old panels show, so it is created again when a tray appears
 * that does not list it.
 */
export function createTrayIcon(parts: {
  readonly host: Pick<TrayHost, 'onChange' | 'hasOurs'>
  readonly onAction: (action: TrayAction) => void
  /** A left click. */
  readonly onClick: () => void
}) {
  let latest: TrayView | null = null
  let item: ReturnType<typeof createItem> | null = null
  const show = (): void => {
    if (latest === null) return
    item ??= createItem(parts.onAction, parts.onClick)
    item.show(latest)
  }
  const register = async (): Promise<void> => {
    if (item === null || (await parts.host.hasOurs())) return
    item.end()
    item = null
    show()
  }
  parts.host.onChange((present) => {
    if (present) setTimeout(() => void register(), registersMs)
  })
  nativeTheme.on('updated', show)
  screen.on('display-metrics-changed', show)
  return {
    show: (view: TrayView) => {
      latest = view
      show()
    },
  }
}

function createItem(onAction: (action: TrayAction) => void, onClick: () => void) {
  let tray: Tray | null = null
  let menu: Menu | null = null
  const shown = { image: '', tooltip: '', menu: '' }
  const setMenu = atMostEvery(menuIntervalMs, (items: readonly TrayMenuItem[]) => {
    menu = Menu.buildFromTemplate(items.map((entry) => menuItem(entry, onAction)))
    // On macOS an item with a menu opens it on the left click, which is meant for the board.
    if (process.platform !== 'darwin') tray?.setContextMenu(menu)
  })
  const changed = (what: keyof typeof shown, value: string): boolean => {
    if (shown[what] === value) return false
    shown[what] = value
    return true
  }
  const show = (view: TrayView): void => {
    const theme = trayTheme()
    const imageChanged = changed('image', imageKey(view, theme))
    if (tray === null) {
      tray = new Tray(imageOf(view, theme))
      tray.on('click', onClick)
      if (process.platform === 'darwin')
        tray.on('right-click', () => tray?.popUpContextMenu(menu ?? undefined))
    } else if (imageChanged) tray.setImage(imageOf(view, theme))
    if (changed('tooltip', view.tooltip)) tray.setToolTip(view.tooltip)
    if (changed('menu', JSON.stringify(view.menu))) setMenu(view.menu)
  }
  return {
    show,
    end: () => {
      tray?.destroy()
      tray = null
    },
  }
}

/** What the drawing depends on: everything above 9 looks alike. */
function imageKey(look: TrayLook, theme: TrayTheme): string {
  const { shape, count, mark, hidden, quiet } = look
  return JSON.stringify([shape, Math.min(count, 10), mark, hidden, quiet, theme, baseSize()])
}

/** Images by what they show: a check that goes up and down is drawn once. */
const drawn = new Map<string, Electron.NativeImage>()
const maxDrawn = 64

function imageOf(look: TrayLook, theme: TrayTheme): Electron.NativeImage {
  const key = imageKey(look, theme)
  const known = drawn.get(key)
  if (known !== undefined) return known
  if (drawn.size >= maxDrawn) drawn.clear()
  const image = draw(look, theme)
  drawn.set(key, image)
  return image
}

function trayTheme(): TrayTheme {
  if (process.platform === 'darwin') return 'template'
  // A Linux panel's colour can't be queried; most are dark, and the light drawing has a dark rim.
  if (process.platform === 'linux') return 'dark'
  return nativeTheme.shouldUseDarkColors ? 'dark' : 'light'
}

/** Pixels at 100 %. On Linux, the size of most panels, or of those at twice the scale. */
function baseSize(): number {
  if (process.platform !== 'linux') return 16
  return screen.getPrimaryDisplay().scaleFactor > 1.25 ? 48 : 22
}

function draw(look: TrayLook, theme: TrayTheme): Electron.NativeImage {
  const platform =
    process.platform === 'darwin' || process.platform === 'win32' ? process.platform : 'linux'
  const image = drawnAt(scales[platform], baseSize(), look, theme)
  if (theme === 'template') image.setTemplateImage(true)
  return image
}

function drawnAt(
  otherScales: readonly number[],
  base: number,
  look: TrayLook,
  theme: TrayTheme,
): Electron.NativeImage {
  const at = (scale: number): Buffer =>
    Buffer.from(png(trayImage(look, Math.round(base * scale), theme)))
  const image = nativeImage.createFromBuffer(at(1), { scaleFactor: 1 })
  for (const scaleFactor of otherScales)
    image.addRepresentation({ scaleFactor, buffer: at(scaleFactor) })
  return image
}

function menuItem(
  item: TrayMenuItem,
  onAction: (action: TrayAction) => void,
): MenuItemConstructorOptions {
  if ('separator' in item) return { type: 'separator' }
  // A single & would underline the next letter of somebody's check.
  const label = item.label.replaceAll('&', '&&')
  if ('submenu' in item)
    return { label, submenu: item.submenu.map((entry) => menuItem(entry, onAction)) }
  const { action } = item
  return {
    label,
    enabled: action !== null,
    ...(action === null ? {} : { click: () => onAction(action) }),
  }
}

export function createBadge(parts: {
  readonly platform: NodeJS.Platform
  readonly window: () => BrowserWindow | null
  readonly openBus: () => Promise<SessionBus>
}): Badge {
  if (parts.platform === 'darwin') return changing((count) => void app.setBadgeCount(count))
  if (parts.platform === 'win32') return overlayBadge(parts.window)
  return createLauncherBadge(parts.openBus)
}

/** Windows draws a small picture over a window's button, so each new window needs its own. */
function overlayBadge(window: () => BrowserWindow | null): Badge {
  let shown: { readonly window: BrowserWindow; readonly count: number } | null = null
  const show = (count: number): void => {
    const current = window()
    if (current === null) return
    if (shown?.window === current ? shown.count === count : count === 0) return
    shown = { window: current, count }
    current.setOverlayIcon(count === 0 ? null : overlay(count), count === 0 ? '' : `${count} down`)
  }
  return { show, clear: () => show(0) }
}

function overlay(count: number): Electron.NativeImage {
  const look = { shape: 'down', count, mark: 'none', hidden: false, quiet: false } as const
  return drawnAt([1.25, 1.5, 2, 3], 16, look, 'light')
}

/**
 * Runs at once, then at most once per interval, the last time with the last value. For what is slow
 * on the desktop but requested often, such as a new tray menu.
 */
export function atMostEvery<T>(intervalMs: number, run: (value: T) => void): (value: T) => void {
  let timer: ReturnType<typeof setTimeout> | null = null
  let next: { value: T } | null = null
  const rest = (): void => {
    timer = null
    if (next === null) return
    const { value } = next
    next = null
    go(value)
  }
  const go = (value: T): void => {
    timer = setTimeout(rest, intervalMs)
    run(value)
  }
  return (value) => {
    if (timer === null) go(value)
    else next = { value }
  }
}

const appUri = `application://${appId}.desktop`
const update = {
  path: '/org/belfry/Belfry/LauncherEntry',
  interface: 'com.canonical.Unity.LauncherEntry',
  member: 'Update',
} as const

/** The count of the tray icon, on the dock, the taskbar's button or the launcher's icon. */
export interface Badge {
  /** How many are down; 0 removes the number. Does nothing when nothing changed. */
  show(count: number): void
  /** Before the app ends: otherwise the number would stay on the launcher. */
  clear(): void
}

function changing(set: (count: number) => void): Badge {
  let shown = 0
  let cleared = false
  const show = (count: number): void => {
    if (cleared || shown === count) return
    shown = count
    set(count)
  }
  return {
    show,
    clear: () => {
      show(0)
      cleared = true
    },
  }
}

/**
 * The count on the app's icon in launchers that support `com.canonical.Unity.LauncherEntry` (Dash
 * to Dock, Plasma, Plank): a broadcast signal. A bus that ended is reopened with the next number.
 */
export function createLauncherBadge(openBus: () => Promise<SessionBus>): Badge {
  let bus: Promise<SessionBus | null> | null = null
  const opened = (): Promise<SessionBus | null> => {
    bus ??= openBus().then(
      (made) => {
        made.onEnd(() => {
          bus = null
        })
        return made
      },
      () => {
        // Without a session bus no launcher listens; the next number tries again.
        bus = null
        return null
      },
    )
    return bus
  }
  return changing((count) => {
    void opened().then((made) => made?.emit(update, 'sa{sv}', [appUri, propertiesOf(count)]))
  })
}

function propertiesOf(count: number): readonly unknown[] {
  return [
    ['count', ['x', count]],
    ['count-visible', ['b', count > 0]],
  ]
}
