import { Menu, nativeImage, screen, session } from 'electron'
import { inPage, type Probes, withPage } from './probe.ts'

/** One opaque pixel by four: 8-bit RGBA, rows without a filter. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAYAAABytg0kAAAAEUlEQVR4nGP4z8DwH4QZYAwAR8oH+WdZbrcAAAAASUVORK5CYII=',
  'base64',
)

/** What the app asks of the computer around its windows. */
export const desktopProbes: Probes = {
  'surroundings: the primary display': () => {
    const { bounds, workArea, scaleFactor } = screen.getPrimaryDisplay()
    return [bounds.x, bounds.y, bounds.width > 0, workArea.width <= bounds.width, scaleFactor]
  },
  'surroundings: the display of some bounds': () =>
    screen.getDisplayMatching({ x: 0, y: 0, width: 10, height: 10 }).id ===
    screen.getPrimaryDisplay().id,
  'surroundings: no proxy for this computer': () =>
    session.defaultSession.resolveProxy('http://127.0.0.1:9/'),
  'surroundings: what a page may': async () => {
    session.defaultSession.setPermissionCheckHandler(() => false)
    session.defaultSession.setPermissionRequestHandler((_contents, _name, answer) => answer(false))
    return withPage((window) =>
      inPage(
        window,
        `(async () => {
          const names = ['geolocation', 'notifications', 'camera', 'microphone', 'midi']
          return Promise.all(names.map(async (name) => (await navigator.permissions.query({ name })).state))
        })()`,
      ),
    )
  },
  'image: of a PNG': () => {
    const image = nativeImage.createFromBuffer(picture)
    return [image.isEmpty(), nativeImage.createFromBuffer(Buffer.from('no')).isEmpty()]
  },
  'image: the bytes of a PNG it was made of': () => {
    const png = nativeImage.createFromBuffer(picture).toPNG()
    return [png.subarray(1, 4).toString(), png.readUInt32BE(16), png.readUInt32BE(20)]
  },
  'image: another size added': () => {
    const image = nativeImage.createFromBuffer(picture, { scaleFactor: 1 })
    image.addRepresentation({ scaleFactor: 2, buffer: picture })
    return image.isEmpty()
  },
  'menu: an item by default': () => {
    const [item] = Menu.buildFromTemplate([{ label: 'One' }]).items
    return [item?.label, item?.type, item?.enabled, item?.submenu ?? null]
  },
  'menu: a separator, a submenu, a disabled item': () =>
    Menu.buildFromTemplate([
      { type: 'separator' },
      { label: 'More', submenu: [{ label: 'Below' }] },
      { label: 'Off', enabled: false },
    ]).items.map(({ label, type, enabled, submenu }) => [
      ...[label, type, enabled],
      submenu?.items.map((item) => item.label) ?? null,
    ]),
  'menu: an item with nothing to show': () => Menu.buildFromTemplate([{}]).items.length,
  'menu: a click': () => {
    const seen: unknown[] = []
    const menu = Menu.buildFromTemplate([
      { label: 'One', click: (item) => seen.push(item.label) },
      { label: 'Off', enabled: false, click: (item) => seen.push(item.label) },
    ])
    for (const item of menu.items) Reflect.apply(item.click, item, [])
    return seen
  },
  'menu: without a list': () => Reflect.apply(Menu.buildFromTemplate, Menu, ['x']) as unknown,
}
