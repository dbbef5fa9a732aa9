import { type BusConnection, hasSessionBus, openBus } from './bus.ts'
import type { Menu } from './menu.ts'
import { putMenuOnBus } from './menu-on-bus.ts'
import type { NativeImage } from './native-image.ts'
import { refuseDestroyed } from './preventable.ts'
import { standIn } from './refuse.ts'
import { running } from './running.ts'

const watcher = 'org.kde.StatusNotifierWatcher'
const properties = 'org.freedesktop.DBus.Properties'
const itemInterface = 'org.kde.StatusNotifierItem'
const itemPath = '/StatusNotifierItem'
const menuPath = '/com/canonical/dbusmenu'

const text = 's'
const pixmaps = 'a(iiay)'

const description = {
  name: itemInterface,
  methods: {
    Activate: ['ii', ''],
    SecondaryActivate: ['ii', ''],
    ContextMenu: ['ii', ''],
    Scroll: ['is', ''],
  },
  signals: { NewIcon: [], NewTitle: [], NewToolTip: [], NewStatus: [text] },
  properties: {
    Category: text,
    Id: text,
    Title: text,
    Status: text,
    WindowId: 'u',
    IconPixmap: pixmaps,
    OverlayIconName: text,
    OverlayIconPixmap: pixmaps,
    AttentionIconName: text,
    AttentionIconPixmap: pixmaps,
    AttentionMovieName: text,
    ToolTip: `(s${pixmaps}ss)`,
    ItemIsMenu: 'b',
    Menu: 'o',
  },
} as const

type Pixmap = readonly [width: number, height: number, argb: Buffer]

function iconPixmaps(image: NativeImage): Pixmap[] {
  const { width, height, argb } = image.pixels()
  return [[width, height, argb]]
}

/** A variant as the library reads it. */
const isTrue = (value: unknown): boolean => (value as [unknown, [unknown]])[1][0] === true

/** An item's paths are fixed, so each item needs its own connection. */
let trays = 0

/**
 * A StatusNotifierItem on the session bus, like Electron's tray on Linux; without a bus, nothing.
 */
export class Tray extends standIn('Tray') {
  #menu: Menu | null = null
  #destroyed = false
  #menuChanged: () => void = () => undefined
  readonly #bus: BusConnection | undefined
  readonly #item

  constructor(image: NativeImage) {
    super()
    if (!running.ready) throw new Error('Cannot create Tray before app is ready')
    trays += 1
    this.#item = {
      Category: 'ApplicationStatus',
      Id: `chrome_status_icon_${trays}`,
      Title: '',
      Status: 'Active',
      WindowId: 0,
      IconPixmap: iconPixmaps(image),
      OverlayIconName: '',
      OverlayIconPixmap: [],
      AttentionIconName: '',
      AttentionIconPixmap: [],
      AttentionMovieName: '',
      ToolTip: ['', [], '', ''] as unknown[],
      ItemIsMenu: false,
      Menu: menuPath,
      Activate: () => void this.emit('click', {}),
      SecondaryActivate: () => undefined,
      ContextMenu: () => undefined,
      Scroll: () => undefined,
    }
    if (!hasSessionBus()) return
    const bus = openBus()
    this.#bus = bus
    bus.publish(this.#item, itemPath, description)
    this.#menuChanged = putMenuOnBus(bus, menuPath, () => this.#menu)
    void this.#register(bus)
  }

  /**
   * Like Electron, asks once: without a host now, there will never be an item. With one, it
   * registers again whenever the watcher comes back.
   */
  async #register(bus: BusConnection): Promise<void> {
    const ask = (iface: string, member: string, ...body: readonly string[]) =>
      bus.ask({
        destination: watcher,
        path: '/StatusNotifierWatcher',
        interface: iface,
        member,
        signature: text.repeat(body.length),
        body,
      })
    const register = async (): Promise<void> => {
      try {
        await ask(watcher, 'RegisterStatusNotifierItem', bus.name())
      } catch {
        // The desktop's tray has gone.
      }
    }
    const host = ask(properties, 'Get', watcher, 'IsStatusNotifierHostRegistered')
    const hasHost = await host.then(isTrue, () => false)
    if (!hasHost || this.#destroyed) return
    bus.onOwner(watcher, () => void register())
    await register()
  }

  setImage(image: NativeImage): void {
    this.#item.IconPixmap = iconPixmaps(image)
    this.#bus?.signal(itemPath, itemInterface, 'NewIcon')
  }

  setToolTip(tip: string): void {
    // The title stays empty.
    this.#item.ToolTip = ['', [], tip, '']
    this.#menuChanged()
    this.#bus?.signal(itemPath, itemInterface, 'NewToolTip')
  }

  destroy(): void {
    this.#destroyed = true
    this.#bus?.close()
  }

  setContextMenu(menu: Menu | null): void {
    this.#menu = menu
    this.#menuChanged()
  }

  isDestroyed(): boolean {
    return this.#destroyed
  }
}

refuseDestroyed(Tray, ['destroy'], () => new Error('Tray is destroyed'))
