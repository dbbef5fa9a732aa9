/**
 * A minimal `electron` module for the built app; its cost counts as the app's. Returns nothing for
 * whatever the app asks of the computer, except what the start depends on.
 */
const nothing: unknown = new Proxy(class {}, {
  // Not a thenable: awaiting it must not wait for ever.
  get: (_target, name) => (name === 'then' ? undefined : nothing),
  apply: () => nothing,
  construct: () => new Proxy({}, { get: () => nothing }),
})

/** Like `nothing`, but with these parts. */
function partly(parts: object): unknown {
  return new Proxy(parts, {
    get: (_target, name): unknown => (name in parts ? Reflect.get(parts, name) : nothing),
  })
}

export const app = partly({
  isPackaged: true,
  commandLine: partly({}),
  getName: () => 'Belfry',
  getVersion: () => '0.1.0',
  getPath: () => '/nowhere',
  requestSingleInstanceLock: () => true,
  whenReady: async () => undefined,
  exit: (code: number) => process.exit(code),
})

export const safeStorage = partly({
  isAsyncEncryptionAvailable: async () => true,
  encryptStringAsync: async (text: string) => Buffer.from(`v11${text}`),
  decryptStringAsync: async (bytes: Buffer) => ({
    result: bytes.toString('utf8', 3),
    shouldReEncrypt: false,
  }),
  getSelectedStorageBackend: () => 'gnome_libsecret',
})

export const session = partly({
  defaultSession: partly({ resolveProxy: async () => 'DIRECT' }),
})

export const BrowserWindow = nothing
export const Menu = nothing
export const Notification = nothing
export const Tray = nothing
export const clipboard = nothing
export const dialog = nothing
export const ipcMain = nothing
export const nativeImage = nothing
export const nativeTheme = nothing
export const powerMonitor = nothing
export const protocol = nothing
export const screen = partly({
  getDisplayMatching: () => ({ workArea: { x: 0, y: 0, width: 1_920, height: 1_080 } }),
  getPrimaryDisplay: () => ({ workArea: { x: 0, y: 0, width: 1_920, height: 1_080 } }),
})
export const shell = nothing
const electron = partly({ app })

export { electron as default }
