import { once } from 'node:events'
import {
  clipboard,
  globalShortcut,
  Menu,
  nativeImage,
  nativeTheme,
  powerMonitor,
  safeStorage,
  screen,
  session,
  shell,
} from 'electron'
import {
  ask,
  inPage,
  inWords,
  type Probe,
  type Probes,
  record,
  settle,
  until,
  withPage,
} from './probe.ts'

/** A two-by-two picture of opaque pixels: 8-bit RGBA. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAYAAABytg0kAAAAEUlEQVR4nGP4z8DwH4QZYAwAR8oH+WdZbrcAAAAASUVORK5CYII=',
  'base64',
)

/** The programs and addresses that the system was asked to open. */
async function opening(address: string): Promise<unknown> {
  const before = ((await ask('opened')) as string[]).length
  const outcome = await shell.openExternal(address).then(() => 'opened', inWords)
  if (outcome !== 'opened') return outcome
  let opened: string[] = []
  await until('it was opened', async () => {
    opened = (await ask('opened')) as string[]
    return opened.length > before
  })
  return opened.slice(before)
}

/** The theme as main and the page see it after the change. */
function themed(source: 'dark' | 'light' | 'system'): Promise<unknown> {
  return withPage(async (window) => {
    const seen = record({ theme: nativeTheme }, ['updated'])
    const look = () => inPage(window, "matchMedia('(prefers-color-scheme: dark)').matches")
    try {
      nativeTheme.themeSource = source
      const atOnce = [nativeTheme.themeSource, nativeTheme.shouldUseDarkColors]
      await settle()
      return [atOnce, await look(), seen.length > 0]
    } finally {
      nativeTheme.themeSource = 'system'
      nativeTheme.removeAllListeners('updated')
    }
  })
}

async function copied(...texts: string[]): Promise<string> {
  for (const text of texts) await clipboard.writeText(text)
  return clipboard.readText()
}

/** Encrypts a text, changes the bytes, and decrypts them again. */
async function sealed(text: string, change = (bytes: Buffer): Buffer => bytes): Promise<unknown> {
  const bytes = await safeStorage.encryptStringAsync(text)
  return safeStorage.decryptStringAsync(change(bytes))
}

const kept: Readonly<Record<string, Probe>> = {
  'can it': () => safeStorage.isAsyncEncryptionAvailable(),
  'which one': () => safeStorage.getSelectedStorageBackend(),
  'a text there and back': () => sealed('a key with ünïcode'),
  'an empty text': () => sealed(''),
  'what it looks like': async () =>
    (await safeStorage.encryptStringAsync('a')).subarray(0, 3).toString(),
  'the same twice is not the same': async () => {
    const [one, other] = [
      await safeStorage.encryptStringAsync('a'),
      await safeStorage.encryptStringAsync('a'),
    ]
    return one.equals(other)
  },
  'what was cut short': () => sealed('a key', (bytes) => bytes.subarray(0, -1)),
  'what was changed': () =>
    sealed('a key', (bytes) =>
      Buffer.concat([bytes.subarray(0, -1), Buffer.from([(bytes.at(-1) ?? 0) ^ 1])]),
    ),
  'what is none': () => safeStorage.decryptStringAsync(Buffer.from('garbage')),
  'what is nothing': () => safeStorage.decryptStringAsync(Buffer.alloc(0)),
  'what another keyring has sealed': () =>
    sealed('a', (bytes) => Buffer.concat([Buffer.from('v11'), bytes.subarray(3)])),
}

/** What the app asks of the computer around its windows. */
export const desktopProbes: Probes = {
  'surroundings: the primary display': () => {
    const { bounds, workArea, scaleFactor } = screen.getPrimaryDisplay()
    return [bounds.x, bounds.y, bounds.width > 0, workArea.width <= bounds.width, scaleFactor]
  },
  'surroundings: the display of some bounds': () =>
    screen.getDisplayMatching({ x: 0, y: 0, width: 10, height: 10 }).id ===
    screen.getPrimaryDisplay().id,
  'surroundings: a key for every program': () => {
    const key = 'Ctrl+Alt+Shift+F7'
    const took = globalShortcut.register(key, () => undefined)
    const has = globalShortcut.isRegistered(key)
    const again = globalShortcut.register(key, () => undefined)
    globalShortcut.unregisterAll()
    return [took, has, again, globalShortcut.isRegistered(key)]
  },
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
  'clipboard: a text there and back': () => copied('one'),
  'clipboard: the last one counts': () => copied('one', 'two ünïcode\n🙂'),
  'clipboard: an empty text': () => copied('one', ''),
  'clipboard: writing is a promise': () =>
    Object.prototype.toString.call(clipboard.writeText('one')),
  'open: a page': () => opening('https://example.org/a?b=c&d=%20#e'),
  'open: a page without TLS': () => opening('http://example.org/'),
  'open: a mail address': () => opening('mailto:a@example.org?subject=x'),
  'open: what the system refuses': () => opening('https://refused.example/'),
  'open: an invalid address': () => opening('no address'),
  'open: nothing': () => opening(''),
  'theme: at first': () => [typeof nativeTheme.shouldUseDarkColors, nativeTheme.themeSource],
  'theme: dark': () => themed('dark'),
  'theme: light': () => themed('light'),
  'theme: the system’s': () => themed('system'),
  'theme: in a page that opens later': async () => {
    nativeTheme.themeSource = 'dark'
    const seen = await themed('dark')
    return [seen, await themed('system')]
  },
  'theme: no event for the same one again': async () => {
    const seen = record({ theme: nativeTheme }, ['updated'])
    nativeTheme.themeSource = 'system'
    await settle()
    nativeTheme.removeAllListeners('updated')
    return seen
  },
  'theme: an unknown one': () => Reflect.set(nativeTheme, 'themeSource', 'green'),
  'power: what a spec says': () => {
    const seen = record({ power: powerMonitor }, ['resume', 'unlock-screen', 'shutdown'])
    for (const name of ['resume', 'unlock-screen', 'shutdown']) powerMonitor.emit(name)
    for (const name of ['resume', 'unlock-screen', 'shutdown'])
      powerMonitor.removeAllListeners(name as 'resume')
    return seen
  },
  'power: what the system says': async () => {
    const names = ['suspend', 'resume', 'shutdown'] as const
    const seen = record({ power: powerMonitor }, names)
    // One after the other, as on a computer: Electron may report signals that arrive together in
    // any order.
    for (const [member, value, name] of [
      ['PrepareForSleep', true, 'suspend'],
      ['PrepareForSleep', false, 'resume'],
      ['PrepareForShutdown', true, 'shutdown'],
    ] as const) {
      const heard = once(powerMonitor, name)
      await ask('logind', member, value)
      await heard
    }
    for (const name of names) powerMonitor.removeAllListeners(name as 'resume')
    return [...new Set(seen)]
  },
  ...Object.fromEntries(Object.entries(kept).map(([name, run]) => [`storage: ${name}`, run])),
  'download: prevented': () =>
    withPage(async (window) => {
      const seen: unknown[] = []
      const refuse = (event: Electron.Event, item?: Electron.DownloadItem): void => {
        seen.push([typeof event, item === undefined])
        event.preventDefault()
      }
      session.defaultSession.on('will-download', refuse)
      await inPage(
        window,
        "((link) => { link.href = 'other.html'; link.download = 'a.txt'; link.click() })(document.createElement('a'))",
      )
      await until('it was asked', () => seen.length > 0)
      await settle()
      session.defaultSession.off('will-download', refuse)
      return [seen.length, window.webContents.getURL()]
    }, 'free.html'),
}
