import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { app, Menu } from 'electron'
import type { Asked } from '../shared/core/attention/asked.ts'
import { readSettings } from '../shared/core/settings.ts'
import type { Environment } from '../shared/core/state.ts'
import { setLocale } from '../shared/core/wording.ts'
import { keyName } from './accounts/connections.ts'
import { App } from './app.ts'
import { createBeat } from './base/beat.ts'
import type { Clock, Demo, History, Saved, Vault } from './base/ports.ts'
import { type Computer, createDesktop, registerAppScheme } from './desktop/desktop.ts'
import {
  appId,
  createClock,
  dataFolder,
  isInUse,
  leaveNoMemoryBehind,
  readArguments,
  refuseSwitches,
  sessionFolder,
  startAfterwards,
  watchNetwork,
  watchTimeZone,
} from './desktop/system/computer.ts'
import {
  onWake,
  quitWhenAsked,
  systemProxy,
  systemStorage,
} from './desktop/system/electron-system.ts'
import { dockMenu, jumpListTasks, showInDock } from './desktop/system/launcher.ts'
import { holdLinks } from './desktop/system/links.ts'
import {
  hidingKeys,
  type LogFile,
  logBug,
  logTo,
  noLog,
  note,
  openLogFile,
} from './desktop/system/log.ts'
import { guardPages } from './desktop/window/ipc.ts'
import { createHttpTransport } from './http/http-transport.ts'
import { replaceFile } from './storage/atomic-file.ts'
import { openHistory } from './storage/history-database.ts'
import { openKeptFiles, temporaryFiles } from './storage/kept-files.ts'
import { memoryHistory } from './storage/memory-history.ts'
import { memorySaved, openSaved, type ReportTrouble } from './storage/saved-files.ts'
import { openStatusFolder } from './storage/status-folder.ts'
import { memoryVault, openVault } from './storage/vault.ts'

/** How long quitting waits for writes still in progress. */
const flushMs = 1_000
/** The exit code of what can't be had now, as in sysexits.h. */
const unavailable = 69
/** Interval between two steps of the demo world. */
const demoTickMs = 1_000

leaveNoMemoryBehind()
const isStartedAnew = refuseSwitches(app, process)
const args = readArguments(process.argv)
const clock: Clock = createClock()
let afterBug = (): void => undefined
const links = holdLinks(args.link)
let beginsHidden = args.hidden
let isEnding = false
/** A script gets no answer while Belfry starts or ends, and says so. */
let ask = (_asked: Asked): void => undefined
let showWindow = (): void => {
  beginsHidden = false
}
/** Always null in a production build, which contains none of this. */
const devServer = import.meta.env.DEV ? (process.env['ELECTRON_RENDERER_URL'] ?? null) : null

app.setName('Belfry')
const userData = dataFolder(args, app.getPath('appData'))
try {
  mkdirSync(userData, { recursive: true, mode: 0o700 })
  chmodSync(userData, 0o700)
} catch (error) {
  // A read-only disk, say: Belfry can still watch, and its first write reports it to the user.
  logBug('user data', error)
}
app.setPath('userData', userData)

if (isStartedAnew) app.exit()
// Acquired before anything is opened: two writers to one folder would undo each other's work.
else if (app.requestSingleInstanceLock() || !isInUse(userData)) begin()
else app.quit()

/** A command is for a Belfry that runs: there was one when it was typed. */
function begin(): void {
  if (args.asked === null) run()
  else app.exit(unavailable)
}

function run(): void {
  registerAppScheme()
  app.enableSandbox()
  if (process.platform === 'win32') app.setAppUserModelId(appId)
  guardPages(app, devServer)
  // Without a listener Electron would quit; the tray keeps running without a window.
  app.on('window-all-closed', () => undefined)
  // Electron would show a dialog for each; Belfry logs them and keeps watching.
  process.on('uncaughtException', (error) => survive('uncaught', error))
  process.on('unhandledRejection', (reason) => survive('unhandled', reason))
  // macOS delivers links as events, not as arguments.
  app.on('open-url', (event, url) => {
    event.preventDefault()
    links.open(url)
  })
  // Registered before the start, which takes seconds if it waits for a keyring.
  app.on('second-instance', (_event, argv) => {
    const { link, hidden, asked } = readArguments(argv)
    if (asked !== null) ask(asked)
    // The second process has exited already, so nobody would be watching.
    else if (isEnding) startAfterwards(app, argv.slice(1), process.env)
    else if (link !== null) links.open(link)
    else if (!hidden) showWindow()
  })
  app.whenReady().then(start).catch(fail)
}

/** Logs an uncaught error and writes all documents again. */
function survive(where: string, error: unknown): void {
  logBug(where, error)
  try {
    afterBug()
  } catch (again) {
    logBug('after a bug', again)
  }
}

async function start(): Promise<void> {
  quitWhenAsked()
  const log = args.demo ? noLog : openLogFile(join(userData, 'logs'))
  logTo((line) => log.add(line))
  const { electron = '', node = '' } = process.versions
  note(
    'start',
    `Belfry ${app.getVersion()}, Electron ${electron}, Node ${node}, ${process.platform}`,
  )
  Menu.setApplicationMenu(null)
  if (process.platform === 'darwin' && app.dock !== undefined) showInDock(app.dock, app)
  let report: ReportTrouble = (trouble) => early.push(trouble)
  const early: Parameters<ReportTrouble>[0][] = []
  let onKeys = (): void => undefined
  const { saved, vault, history } = await openStorage({
    onTrouble: (trouble) => report(trouble),
    onKeys: () => onKeys(),
  })
  const desktop = createDesktop({
    asked: () => belfry,
    saved,
    logs: () => log.text(),
    replaceFile,
    preload: join(import.meta.dirname, '../preload/index.cjs'),
    icon: join(import.meta.dirname, '../../resources/icon.png'),
    pageFolder: join(import.meta.dirname, '../renderer'),
    devServer,
  })
  const monotonic = () => clock.monotonic()
  const proxy = systemProxy(monotonic)
  const http = createHttpTransport({
    ...proxy,
    extraCa: () => process.getBuiltinModule('node:tls').getCACertificates('system'),
    monotonic,
  })
  const transport = hidingKeys(http)
  // The demo has its own: at its start, the app deletes those that belong to none of its uploads.
  const files = args.demo ? temporaryFiles() : openKeptFiles(join(userData, 'files'))
  const tell = (what: string): void => note('status files', what)
  const beat = createBeat((error) => logBug('beat', error))
  const parts = {
    desktop,
    ...(args.demo ? {} : { statusFolder: openStatusFolder(sessionFolder(args), userData, tell) }),
    begin: desktop.shown,
    vault,
    saved,
    history,
    files,
    transport,
    clock,
    beat,
    openDemo,
    onBug: logBug,
    note,
  }
  const around = { environment: environment(vault), proxyFor: (url: string) => proxy.proxyFor(url) }
  const belfry: App = new App({ ...parts, ...around })
  // Includes what went wrong before there was an app to show it.
  report = ({ id, text, unsaved }) =>
    unsaved === undefined ? belfry.trouble(id, text) : belfry.unsaved(unsaved, text)
  early.forEach(report)
  onKeys = () => belfry.keysChanged()
  onWake(() => {
    note('computer', 'awake or unlocked')
    belfry.wake()
  })
  watchNetwork(beat, () => {
    note('network', 'addresses changed')
    belfry.wake()
  })
  watchTimeZone(beat, () => {
    note('computer', 'time zone changed')
    belfry.wake()
  })
  afterBug = () => belfry.afterBug()
  showWindow = () => desktop.showWindow()
  ask = (asked) => {
    if (!isEnding) void belfry.asked(asked)
  }
  // Elsewhere the package registers the scheme. Chromium takes nothing after `--` for a switch.
  if (process.platform === 'win32' && app.isPackaged) {
    app.setAsDefaultProtocolClient('belfry', process.execPath, ['--'])
    // One with a folder of its own beside the usual one would not be what they open.
    if (!args.demo && args.userData === null) app.setUserTasks(jumpListTasks(process.execPath))
  }
  if (process.platform === 'darwin')
    app.dock?.setMenu(Menu.buildFromTemplate(dockMenu((link) => links.open(link))))
  app.on('activate', showWindow)
  endWell(belfry, desktop, log)
  await belfry.start()
  desktop.present(beginsHidden)
  links.openWith((url) => belfry.openDeepLink(url))
}

async function openStorage(parts: {
  onTrouble: ReportTrouble
  onKeys: () => void
}): Promise<{ saved: Saved; vault: Vault; history: History }> {
  if (args.demo) return { saved: memorySaved(), vault: memoryVault(), history: memoryHistory() }
  const saved = openSaved(join(userData, 'data'), parts.onTrouble)
  const vault = await openVault({
    secure: systemStorage,
    saved,
    platform: process.platform,
    appName: app.getName(),
    weakAllowed: readSettings(saved.read('settings')).weakStorage,
    onChange: parts.onKeys,
  })
  const history = openHistory({
    file: join(userData, 'data', 'history.db'),
    now: Date.now,
    onTrouble: parts.onTrouble,
  })
  return { saved, vault, history }
}

/** Loaded on demand: most runs never need it. */
async function openDemo(): Promise<Demo> {
  const { createWorld } = await import('../demo/world.ts')
  const world = createWorld({ now: Date.now, seed: Math.floor(Math.random() * 2 ** 31) })
  const vault = memoryVault()
  for (const account of world.accounts)
    await vault.put(keyName(account), world.keys.get(account.id) ?? '')
  const start = (): (() => void) => {
    const timer = setInterval(() => world.tick(), demoTickMs)
    return () => clearInterval(timer)
  }
  return { transport: world.transport, accounts: world.accounts, vault, start }
}

function environment({ protection }: Vault): Environment {
  const systemLocale = localeOfFormats()
  setLocale(systemLocale)
  return {
    systemLocale,
    protection,
    demo: args.demo,
    version: app.getVersion(),
    standIn: process.versions['chromium-host'] !== undefined,
  }
}

/** On Linux, formats may follow another locale than the language, which is all Electron reports. */
function localeOfFormats(): string {
  if (process.platform !== 'linux') return app.getSystemLocale()
  const { LC_ALL, LC_TIME, LANG } = process.env
  return [LC_ALL, LC_TIME, LANG].find((name) => name !== undefined && name !== '') ?? ''
}

/** Delays quitting until everything is written, by a second at most. */
function endWell(belfry: App, desktop: Computer, log: LogFile): void {
  let end: 'far' | 'near' | 'now' = 'far'
  app.on('before-quit', (event) => {
    isEnding = true
    desktop.close()
    if (end === 'now') return
    event.preventDefault()
    if (end === 'near') return
    end = 'near'
    note('quit', 'begins')
    const stopped = belfry.stop(desktop.typed()).catch((error: unknown) => logBug('stop', error))
    const flushed = stopped.then(() => log.settled())
    const late = new Promise((resolve) => {
      setTimeout(resolve, flushMs)
    })
    void Promise.race([flushed, late]).then(() => {
      end = 'now'
      // Not from within this event: a quit that the system started is still in progress then and
      // would discard this one.
      setImmediate(() => app.quit())
    })
  })
}

function fail(error: unknown): void {
  logBug('start', error)
  app.exit(1)
}
