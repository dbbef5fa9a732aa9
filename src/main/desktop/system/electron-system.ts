import { promises } from 'node:fs'
import { homedir, release, type as systemType } from 'node:os'
import { join } from 'node:path'
import { app, powerMonitor, safeStorage, session } from 'electron'
import type { ComputerFacts } from '../../../shared/core/diagnosis.ts'
import { invalid } from '../../../shared/core/failure.ts'
import type { NotifiedBy } from '../../base/ports.ts'
import { appId, createProxyChoice, readArguments } from './computer.ts'
import type { SessionBus } from './session-bus.ts'

/** Calls back when the computer is available again: awake, or unlocked by its user. */
export function onWake(wake: () => void): void {
  powerMonitor.on('resume', wake)
  powerMonitor.on('unlock-screen', wake)
}

const endSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/**
 * Quits, and so writes everything, when the computer asks for it: by a signal (a logout, a closing
 * terminal, a service manager), or because the system is about to shut down, which is then asked to
 * wait for the writes (Linux and macOS only).
 */
export function quitWhenAsked(): void {
  // These stay for as long as the app runs. Electron's own handlers end with the first listener
  // that anyone adds, and a dependency of electron-store (when-exit) adds one for each signal: it
  // sends the signal again once it was called, which kills a process that no longer listens.
  for (const signal of endSignals) process.on(signal, () => app.quit())
  powerMonitor.on('shutdown', (event?: { preventDefault(): void }) => {
    event?.preventDefault()
    app.quit()
  })
}

/** A hanging proxy script must not block every request. */
const resolveLimitMs = 3_000

/** The system's proxy for an address, as the browser would choose it (settings, PAC); null for none. */
export function systemProxy(monotonic: () => number) {
  const choice = createProxyChoice(monotonic)
  return {
    async proxyFor(url: string): Promise<string | null> {
      const late = new Promise<string>((resolve) => {
        setTimeout(() => resolve('DIRECT'), resolveLimitMs).unref()
      })
      return choice.from(await Promise.race([session.defaultSession.resolveProxy(url), late]))
    },
    onUnreachableProxy: (proxy: string) => choice.unreachable(proxy),
  }
}

/** Whether the screen is locked, on Windows and macOS. */
export function followScreenLock(): { on(): boolean; stop(): void } {
  let locked = powerMonitor.getSystemIdleState(1) === 'locked'
  const lock = () => {
    locked = true
  }
  const unlock = () => {
    locked = false
  }
  powerMonitor.on('lock-screen', lock)
  powerMonitor.on('unlock-screen', unlock)
  return {
    on: () => locked,
    stop: () => powerMonitor.off('lock-screen', lock).off('unlock-screen', unlock),
  }
}

/** Whether the computer runs on battery, on Windows and macOS. */
export const electronBattery = {
  on: (): boolean => powerMonitor.onBatteryPower,
  stop: (): void => undefined,
}

/**
 * Electron's safeStorage for `storage/vault.ts`. Only the asynchronous half: the other blocks on a
 * locked wallet, and is removed in Electron 46.
 */
export const systemStorage = {
  available: (): Promise<boolean> => safeStorage.isAsyncEncryptionAvailable(),
  encrypt: (text: string): Promise<Uint8Array> => safeStorage.encryptStringAsync(text),
  decrypt: async (bytes: Uint8Array): Promise<{ text: string; stale: boolean }> => {
    const { result, shouldReEncrypt } = await safeStorage.decryptStringAsync(Buffer.from(bytes))
    return { text: result, stale: shouldReEncrypt }
  },
  /** From the synchronous half, which is going away; while it exists, it still names the keyring. */
  backend: (): string | null =>
    process.platform === 'linux' && 'getSelectedStorageBackend' in safeStorage
      ? safeStorage.getSelectedStorageBackend()
      : null,
}

/** What this computer says about itself now. Never throws. */
export async function computerFacts(parts: {
  readonly openBus: () => Promise<SessionBus>
  readonly tray: boolean
  readonly notifiedBy: NotifiedBy
  readonly systemQuiet: boolean
}): Promise<ComputerFacts> {
  const { tray, notifiedBy, systemQuiet } = parts
  const { by, capabilities } = notifiedBy
  const { XDG_CURRENT_DESKTOP: desktop = '', XDG_SESSION_TYPE: session = '' } = process.env
  const { electron = '', chrome = '', node = '' } = process.versions
  const versions = [
    ['Belfry', app.getVersion()],
    ['Electron', electron],
    ['Chromium', chrome],
    ['Node', node],
    ['System', `${systemType()} ${release()} ${process.arch}`],
    ['Desktop', `${desktop} ${session}`.trim()],
  ] as const
  const sessionBus = process.platform === 'linux' ? await hasBus(parts.openBus) : null
  return {
    versions: versions.filter(([, value]) => value !== ''),
    sessionBus,
    tray,
    notifiedBy: by,
    capabilities,
    systemQuiet,
    keyring: systemStorage.backend(),
  }
}

async function hasBus(openBus: () => Promise<SessionBus>): Promise<boolean> {
  const bus = await openBus().catch(() => null)
  bus?.close()
  return bus !== null
}

/** Named like the package's menu entry, so that desktops show both as one. */
const entryName = `${appId}.desktop`

/** The entry in XDG's autostart folder. */
function entryPath(): string {
  const { XDG_CONFIG_HOME: configured = '' } = process.env
  const config = configured === '' ? join(homedir(), '.config') : configured
  return join(config, 'autostart', entryName)
}

/** Whether the system starts Belfry at login; users can change that in their desktop too. */
export async function startsAtLogin(): Promise<boolean> {
  if (process.platform !== 'linux') return app.getLoginItemSettings(loginItem()).openAtLogin
  const text = await promises.readFile(entryPath(), 'utf8').catch(() => null)
  return text !== null && !/^(Hidden=true|X-GNOME-Autostart-enabled=false)$/m.test(text)
}

/** Login starts it in the tray, without a window. Throws `RequestFailed` if that can't be set. */
export async function setStartsAtLogin(on: boolean): Promise<void> {
  if (process.platform !== 'linux')
    return app.setLoginItemSettings({ ...loginItem(), openAtLogin: on })
  const path = entryPath()
  const change = on
    ? promises
        .mkdir(join(path, '..'), { recursive: true, mode: 0o700 })
        .then(() => promises.writeFile(`${path}.new`, autostartEntry(startCommand())))
        // Atomic, since a session manager may read it at any moment.
        .then(() => promises.rename(`${path}.new`, path))
    : promises.rm(path, { force: true })
  await change.catch(() => {
    throw invalid('autostart', `Belfry can’t write ${entryName} in the autostart folder.`)
  })
}

/**
 * Points the entry to this program if its own is gone, as after an update to another file or
 * folder: the desktop would start nothing and say nothing.
 */
export async function renewLoginEntry(): Promise<void> {
  if (process.platform !== 'linux' || !(await startsAtLogin())) return
  const text = await promises.readFile(entryPath(), 'utf8')
  const program = /^TryExec=(\/.+)$/m.exec(text)?.[1]?.replaceAll('\\\\', '\\')
  if (program === undefined) return
  const isThere = await promises.access(program).then(
    () => true,
    () => false,
  )
  if (!isThere) await setStartsAtLogin(true)
}

/** Passes on the data folder that this process was given: another one has other accounts. */
function loginItem() {
  const { userData } = readArguments(process.argv)
  return { args: [...(userData === null ? [] : [`--user-data=${userData}`]), '--hidden'] }
}

/**
 * The program of an AppImage is in a folder that is gone after a restart. In a checkout the app is
 * an argument.
 */
function startCommand(): readonly string[] {
  const program = process.env['APPIMAGE'] ?? process.execPath
  return [program, ...(app.isPackaged ? [] : [app.getAppPath()]), ...loginItem().args]
}

/** `command` starts with the program; once that is missing, desktops skip the entry. */
export function autostartEntry(command: readonly string[]): string {
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Belfry',
    'Comment=Watch cron-job checks and a team chat from the tray',
    `Icon=${appId}`,
    `Exec=${command.map(quoted).join(' ')}`,
    `TryExec=${escaped(command[0] ?? '')}`,
    'Terminal=false',
    '',
  ].join('\n')
}

/** By the rules of the desktop entry specification, which escapes twice. */
function quoted(argument: string): string {
  return escaped(`"${argument.replaceAll(/["`$\\]/g, '\\$&').replaceAll('%', '%%')}"`)
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}
