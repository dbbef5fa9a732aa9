import { Menu, nativeImage, Tray } from 'electron'
import { ask, inWords, type Probe, type Probes, settle } from './probe.ts'

/** Two by four pixels: opaque, half transparent and clear, no two rows alike. */
const small = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAAECAYAAACk7+45AAAAKElEQVR4nGM4kWL0n4mJ+T8Dl4hcAxMzkAECTCxAxv///x2YWJn/AwCyTwp1kQ+mygAAAABJRU5ErkJggg==',
  'base64',
)
const large = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAQAAAAICAYAAADeM14FAAAAQElEQVR4nBXIoQGEQBAEsNWnR49Go9Ff+3cFWRGTmfm/h1BmjiD0bEQQmo0KQrtxCUKvjVsQem88gtBn4ycI5QMY2D8hpz75kAAAAABJRU5ErkJggg==',
  'base64',
)
const icon = () => nativeImage.createFromBuffer(small)

const gestures = ['click', 'right-click', 'double-click', 'middle-click'] as const

/** Runs with an icon that the desktop has, destroyed afterwards. */
async function withTray<T>(use: (tray: Tray) => Promise<T> | T, image = icon()): Promise<T> {
  const tray = new Tray(image)
  try {
    await ask('new item')
    return await use(tray)
  } finally {
    if (!tray.isDestroyed()) tray.destroy()
  }
}

/** The signals it then sends, and the property that the desktop then sees. */
function told(act: (tray: Tray) => void, property: string): Promise<unknown> {
  return withTray(async (tray) => {
    await ask('heard')
    act(tray)
    const heard = await ask('heard')
    return [heard, await ask('property', property)]
  })
}

/** The events that the app gets for a user's gesture. */
function gesture(member: string, signature: string, ...body: unknown[]): Promise<unknown> {
  return withTray(async (tray) => {
    const seen: unknown[] = []
    for (const name of gestures)
      tray.on(name as 'click', (event: unknown) => seen.push([name, typeof event]))
    const result = await ask('call', member, signature, ...body).catch(inWords)
    await settle()
    return [result, seen]
  })
}

const clicked: unknown[] = []
const click = (item: Electron.MenuItem): void => void clicked.push(item.label)

const template: Electron.MenuItemConstructorOptions[] = [
  { label: 'Open', click },
  { label: 'Salt && pepper_mill', click },
  { type: 'separator' },
  { label: 'Off', enabled: false, click },
  { label: 'More', submenu: [{ label: 'Below', click }, { type: 'separator' }, { label: 'Last' }] },
]

function withMenu<T>(use: (tray: Tray) => Promise<T> | T): Promise<T> {
  return withTray((tray) => {
    tray.setContextMenu(Menu.buildFromTemplate(template))
    clicked.length = 0
    return use(tray)
  })
}

async function afterClick(...labels: string[]): Promise<unknown> {
  return withMenu(async () => {
    const result = await ask('click', ...labels).catch(inWords)
    await settle()
    return [result, [...clicked]]
  })
}

/** How many items the desktop got meanwhile. */
async function registered(run: () => Promise<void>): Promise<number> {
  const before = Number(await ask('count items'))
  await run()
  await settle()
  await settle()
  return Number(await ask('count items')) - before
}

const properties = Object.fromEntries<Probe>([
  ...[
    ...['Category', 'Id', 'Title', 'Status', 'WindowId', 'IconName', 'IconThemePath'],
    ...['IconPixmap', 'OverlayIconName', 'OverlayIconPixmap', 'AttentionIconName', 'ToolTip'],
    ...['AttentionIconPixmap', 'AttentionMovieName', 'ItemIsMenu', 'Menu', 'Nothing'],
  ].map((name): [string, Probe] => [
    `tray: its ${name}`,
    () => withTray(() => ask('property', name)),
  ]),
  ...['Version', 'TextDirection', 'Status', 'IconThemePath'].map((name): [string, Probe] => [
    `tray menu: its ${name}`,
    () => withMenu(() => ask('menu property', name)),
  ]),
])

export const trayProbes: Probes = {
  ...properties,
  'tray: its name on the bus': async () => {
    const tray = new Tray(icon())
    const item = (await ask('new item')) as string[]
    tray.destroy()
    return [item[0]?.replace(/\d+$/, 'NUMBER'), item[1]]
  },
  'tray: two of them': () =>
    withTray(async () => {
      const [first] = [Number(await ask('count items'))]
      return withTray(async () => Number(await ask('count items')) - first)
    }),
  'tray: an empty icon': () =>
    withTray(() => ask('property', 'IconPixmap'), nativeImage.createFromBuffer(Buffer.alloc(0))),
  'tray: an icon in two sizes': () => {
    const image = icon()
    image.addRepresentation({ scaleFactor: 2, buffer: large })
    return withTray(() => ask('property', 'IconPixmap'), image)
  },
  'tray setImage(): what is said, and the new icon': () =>
    told((tray) => tray.setImage(nativeImage.createFromBuffer(large)), 'IconPixmap'),
  'tray setImage(): the same once more': () => told((tray) => tray.setImage(icon()), 'IconPixmap'),
  'tray setToolTip(): what is said, and the new tip': () =>
    told((tray) => tray.setToolTip('3 down\n& more'), 'ToolTip'),
  'tray setToolTip(): the title': () => told((tray) => tray.setToolTip('3 down'), 'Title'),
  'tray: a click': () => gesture('Activate', 'ii', 10, 20),
  'tray: a click of the middle button': () => gesture('SecondaryActivate', 'ii', 10, 20),
  'tray: a click for its menu': () => gesture('ContextMenu', 'ii', 10, 20),
  'tray: the wheel': () => gesture('Scroll', 'is', 1, 'vertical'),
  'tray menu: none yet': () => withTray(() => ask('menu')),
  'tray menu: all of it': () => withMenu(() => ask('menu')),
  'tray menu: another one': () =>
    withMenu(async (tray) => {
      await ask('menu')
      await ask('heard')
      tray.setContextMenu(Menu.buildFromTemplate([{ label: 'Only' }]))
      const heard = (await ask('heard')) as string[]
      return [heard.includes('LayoutUpdated'), await ask('menu')]
    }),
  'tray menu: taken away': () =>
    withMenu(async (tray) => {
      tray.setContextMenu(null)
      return ask('menu').catch(inWords)
    }),
  'tray menu: an entry': () => afterClick('Open'),
  'tray menu: an entry with marks in its label': () => afterClick('Salt & pepper__mill'),
  'tray menu: an entry that is off': () => afterClick('Off'),
  'tray menu: an entry below another': () => afterClick('More', 'Below'),
  'tray menu: an entry that nobody listens to': () => afterClick('More', 'Last'),
  'tray destroy(): gone from the desktop': async () => {
    const tray = new Tray(icon())
    await ask('new item')
    const before = [await ask('is there'), tray.isDestroyed()]
    tray.destroy()
    let there: unknown = true
    for (const end = performance.now() + 60_000; there !== false && performance.now() < end; )
      there = await ask('is there')
    return [before, there, tray.isDestroyed()]
  },
  'tray destroy(): twice, and what is asked of it then': async () => {
    const tray = new Tray(icon())
    await ask('new item')
    tray.destroy()
    const tried = (run: () => void): string => {
      try {
        return String(run())
      } catch (error) {
        return inWords(error)
      }
    }
    return [
      tried(() => tray.destroy()),
      tried(() => tray.setImage(icon())),
      tried(() => tray.setToolTip('x')),
      tried(() => tray.setContextMenu(null)),
    ]
  },
  'tray: before there is a host': () =>
    registered(async () => {
      await ask('host', false)
      const tray = new Tray(icon())
      await settle()
      await ask('host', true)
      await settle()
      tray.destroy()
    }),
  'tray: before there is a watcher': () =>
    registered(async () => {
      await ask('watcher', false)
      const tray = new Tray(icon())
      await settle()
      await ask('watcher', true)
      await settle()
      tray.destroy()
    }),
  'tray: a host that goes and comes': () =>
    withTray(() =>
      registered(async () => {
        await ask('host', false)
        await ask('host', true)
      }),
    ),
  'tray: a watcher that goes and comes': () =>
    withTray(async () => {
      const before = Number(await ask('count items'))
      await ask('watcher', false)
      await ask('watcher', true)
      let count = before
      const late = performance.now() + 60_000
      while (count === before && performance.now() < late) count = Number(await ask('count items'))
      return [count - before, await ask('is there')]
    }),
}
