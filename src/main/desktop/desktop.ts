import { promises } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { app, type BrowserWindow, dialog, Notification, protocol, session } from 'electron'
import type { Commands } from '../../shared/contract.ts'
import { type Notice, ownNotice } from '../../shared/core/attention/notice.ts'
import { draftDelayMs } from '../../shared/core/chat/drafts.ts'
import { invalid } from '../../shared/core/failure.ts'
import type { Patch } from '../../shared/core/patch.ts'
import type { GlobalAction } from '../../shared/core/settings.ts'
import type { AppState } from '../../shared/core/state.ts'
import type { TrayAction } from '../../shared/core/views/tray.ts'
import type { Desktop, LocalFile, Question, Saved } from '../base/ports.ts'
import { DbusNotifier } from './notifications/dbus-notifier.ts'
import { createElectronNotifier } from './notifications/electron-notifier.ts'
import type { NotificationActions, Notifier } from './notifications/notifier.ts'
import { createFallbackNotifier, createNotifySend } from './notifications/program-notifier.ts'
import {
  computerFacts,
  electronBattery,
  followScreenLock,
  renewLoginEntry,
  setStartsAtLogin,
  startsAtLogin,
} from './system/electron-system.ts'
import { createGlobalKeys } from './system/global-keys.ts'
import { copyText, openLink } from './system/links.ts'
import { logBug, note } from './system/log.ts'
import { openSessionBus, sessionBusAddress } from './system/session-bus.ts'
import {
  createBattery,
  createScreenLock,
  createSystemQuiet,
  gnomeBannersOff,
  neverQuiet,
  type SystemQuiet,
  systemBusAddress,
} from './system/system-quiet.ts'
import { isFirstHint, showWhenUnreachable, trayIsThere, watchTrayHost } from './tray/tray-host.ts'
import { createBadge, createTrayIcon } from './tray/tray-icon.ts'
import {
  answerAppRequest,
  appHome,
  appScheme,
  readAppFiles,
  safePage,
  safePagePath,
} from './window/app-files.ts'
import { createCommandHandler } from './window/command-handler.ts'
import { denyPermissions, listenToWindows } from './window/ipc.ts'
import { Windows } from './window/windows.ts'

/** Input takes less than this to get from the page to main. */
const handOverMs = 100

/** Nothing waits longer than this for the tray icon or for what the window's page draws first. */
const longestShowMs = 10_000

/** What the computer reports to the app, and asks of it. */
interface Asked {
  readonly commands: Commands
  readonly state: AppState
  /** The whole state, as a window's first patch. */
  windowFollows(): Patch
  windowShown(visible: boolean): void
  windowCrashed(): void
  /** The window has input that exists only in its page. */
  windowHoldsInput(): boolean
  noticeClicked(notice: Notice): void
  noticeReplied(notice: Notice, text: string): Promise<void>
  noticeAction(notice: Notice, action: string): Promise<void>
  /** The file to play with a notice; null: the system's sound. */
  soundFile(notice: Notice): Promise<string | null>
  trayAction(action: TrayAction): void
  /** A problem that the user should know about, shown until they dismiss it. */
  trouble(id: string, text: string): void
}

export interface Computer extends Desktop {
  /** Shows the window, unless `hidden` is given and there is a tray. */
  present(hidden: boolean): void
  /**
   * Resolves once the window's page has said what it shows, or, hidden, once the tray icon is
   * known; ten seconds after `present` at the latest.
   */
  readonly shown: Promise<void>
  /** Hides the window; resolves when main has received everything that was typed and seen in it. */
  typed(): Promise<void>
  /** Call before the app ends. */
  close(): void
}

/**
 * Call before `ready`: Chromium treats the page's scheme like https, without any exemption, and
 * caches its compiled scripts.
 */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: appScheme, privileges: { standard: true, secure: true, codeCache: true } },
  ])
}

/** Everything the app uses of the computer, created once Electron is ready. */
export function createDesktop(parts: {
  readonly asked: () => Asked
  readonly saved: Saved
  /** The content of all log files. */
  readonly logs: () => Promise<string>
  /** Writes a file; if the disk refuses, rejects and leaves the old file as it is. */
  readonly replaceFile: (path: string, text: string) => Promise<void>
  readonly preload: string
  readonly icon: string
  /** The built page's folder. */
  readonly pageFolder: string
  readonly devServer: string | null
}): Computer {
  const { asked, devServer } = parts
  const page = devServer ?? `${appHome}index.html`
  // Electron creates the session when it is first used, and the tray icon comes first.
  let isServed = false
  const serve = (): void => {
    if (isServed) return
    isServed = true
    if (devServer === null) serveApp(parts.pageFolder)
    denyPermissions(session.defaultSession)
  }
  const shown = Promise.withResolvers<void>()
  const openBus = () => openSessionBus(sessionBusAddress(process.env))
  const host = process.platform === 'linux' ? watchTrayHost(openBus) : trayIsThere
  const windows = new Windows({
    ...parts,
    page,
    // Served with the built page only; the dev server has none.
    safePage: devServer === null ? new URL(safePagePath, appHome).href : null,
    hasTray: () => host.present(),
    serve,
    firstPatch: () => asked().windowFollows(),
    state: () => asked().state,
    onVisible: (visible) => asked().windowShown(visible),
    onCrash: () => asked().windowCrashed(),
    onClosedToTray: () => {
      if (isFirstHint(parts.saved, 'closed', logBug)) notifier.notify(closedNotice(Date.now()))
    },
    holdsInput: () => asked().windowHoldsInput(),
    logBug,
  })
  const handle = createCommandHandler(() => asked().commands, logBug)
  const handler: typeof handle = (name, input) => {
    // A page's first words once it has drawn what it got.
    if (name === 'showing') shown.resolve()
    return handle(name, input)
  }
  listenToWindows({ windows, page, handler })
  host.onChange((there) => note('tray', there ? 'shown' : 'none'))
  const tray = createTrayIcon({
    host,
    onAction: (action) => asked().trayAction(action),
    onClick: () => {
      if (windows.isInFront()) windows.hide()
      else asked().trayAction({ do: 'show' })
    },
  })
  showWhenUnreachable({
    host,
    saved: parts.saved,
    present: () => {
      if (windows.current()?.isVisible() !== true) windows.show()
    },
    trouble: (id, text) => asked().trouble(id, text),
    dismiss: (id) => void asked().commands.dismissTrouble({ id }),
    logBug,
  })
  const badge = createBadge({ platform: process.platform, window: windows.current, openBus })
  const notifier = notifierOf(asked)
  const quiet =
    process.platform === 'linux' ? createSystemQuiet({ openBus, gnomeBannersOff }) : neverQuiet

  // Not before what the user waits for.
  void shown.promise
    .then(renewLoginEntry)
    .catch((error: unknown) => logBug('start at login', error))

  const openSystemBus = () => openSessionBus(systemBusAddress(process.env))
  const keys = createGlobalKeys({
    openBus,
    environment: process.env,
    onKey: (name) => asked().trayAction(keyActions[name]),
  })
  const lock =
    process.platform === 'linux' ? createScreenLock({ openBus, openSystemBus }) : followScreenLock()
  let battery: Pick<SystemQuiet, 'on' | 'stop'> | null = null

  return {
    showTray: (view) => {
      tray.show(view)
      badge.show(view.count)
    },
    pushPatch: (patch) => windows.push(patch),
    notify: (notice) => notifier.notify(notice),
    replace: (notice) => notifier.replace(notice),
    withdraw: (subject) => notifier.withdraw(subject),
    notifiedBy: () => notifier.settled().then(() => notifier.delivery()),
    systemQuiet: () => quiet.on(),
    onSystemQuiet: (listener) => quiet.onChange(listener),
    screenLocked: lock.on,
    onBattery: () => {
      // Most users never ask.
      battery ??= process.platform === 'linux' ? createBattery(openSystemBus) : electronBattery
      return battery.on()
    },
    showWindow: () => windows.show(),
    hideWindow: () => windows.hide(),
    setZoom: (percent) => windows.setZoom(percent),
    openLink,
    copyText,
    ask: oneAtATime((question) => ask(windows.current(), question)),
    ...fileDialogs(windows.current, parts.replaceFile),
    facts: async () => {
      await notifier.settled()
      return computerFacts({
        openBus,
        tray: host.present(),
        notifiedBy: notifier.delivery(),
        systemQuiet: quiet.on(),
      })
    },
    logs: parts.logs,
    quit: () => app.quit(),
    takeKeys: (wanted) => keys.take(wanted),
    startsAtLogin,
    setStartsAtLogin,
    present: (hidden) => {
      setTimeout(shown.resolve, longestShowMs)
      // After the tray icon, which is created at the end of the turn.
      setImmediate(hidden ? serve : () => windows.show())
      void host.settled.then(() => {
        if (!hidden) return
        shown.resolve()
        if (!host.present()) windows.show()
      })
    },
    shown: shown.promise,
    typed: async () => {
      const window = windows.current()
      if (window === null) return
      // Also for one that is hidden: its page may just be handing over what was typed last.
      await pause(draftDelayMs + handOverMs)
      // It then says what was looked at; once it closes, nothing can be written any more.
      if (!window.isDestroyed()) window.hide()
      await pause(handOverMs)
    },
    close: () => {
      windows.letGo()
      host.stop()
      badge.clear()
      notifier.stop()
      keys.stop()
      quiet.stop()
      lock.stop()
      battery?.stop()
    },
  }
}

/** The notifier, whose clicks and replies go to the app. */
function notifierOf(asked: () => Asked): ReturnType<typeof createNotifier> {
  const soundFile = async (notice: Notice) =>
    asked()
      .soundFile(notice)
      .catch((error: unknown) => {
        logBug('sound of a notification', error)
        return null
      })
  return createNotifier(soundFile, {
    onOpen: (notice) => asked().noticeClicked(notice),
    onReplyText: (notice, text) => {
      asked()
        .noticeReplied(notice, text)
        .catch((error: unknown) => logBug('reply from a notification', error))
    },
    onAct: (notice, action) => {
      asked()
        .noticeAction(notice, action)
        .catch((error: unknown) => logBug('button of a notification', error))
    },
  })
}

function fileDialogs(
  window: () => BrowserWindow | null,
  replaceFile: (path: string, text: string) => Promise<void>,
): Pick<Desktop, 'chooseFile' | 'chooseFiles' | 'readChosenFile' | 'saveFile'> {
  return {
    chooseFile: (title) => chooseFile(window(), title),
    chooseFiles: () => chooseFiles(window()),
    readChosenFile: () => readChosenFile(window()),
    saveFile: async (name, text) => {
      const path = await placeToSave(window(), name)
      if (path === null) return false
      await replaceFile(path, text).catch(() => {
        throw invalid('file', 'The file could not be written there. Choose another folder.')
      })
      return true
    },
  }
}

const keyActions: Readonly<Record<GlobalAction, TrayAction>> = {
  board: { do: 'open', target: { view: 'checks' } },
  reply: { do: 'quickReply' },
  message: { do: 'open', target: { view: 'newMessage' } },
}

/** Shown when the window is first closed: where it is, how to quit, and how to start at login. */
function closedNotice(now: number): Notice {
  const words = {
    subject: 'closed',
    title: 'Belfry is still watching',
    body: 'Its icon in the tray brings the window back; Quit is in the icon’s menu. Click here for the settings.',
    target: { view: 'settings' },
  } as const
  return ownNotice(words, now)
}

function serveApp(folder: string): void {
  const files = new Map([...readAppFiles(folder), [safePagePath, safePage()]])
  protocol.handle(appScheme, ({ method, url }) => answerAppRequest(files, method, url))
}

/** Enter and Escape mean no: a compromised window may open this while the user is typing. */
async function ask(
  window: BrowserWindow | null,
  { message, detail, yes }: Question,
): Promise<boolean> {
  const options = {
    type: 'question' as const,
    title: 'Belfry',
    message,
    detail,
    buttons: ['Cancel', yes],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
  }
  const { response } = await (window?.isVisible() === true
    ? dialog.showMessageBox(window, options)
    : dialog.showMessageBox(options))
  return response === 1
}

function oneAtATime(run: (question: Question) => Promise<boolean>): Desktop['ask'] {
  let isOpen = false
  return async (question) => {
    if (isOpen) return false
    isOpen = true
    return run(question).finally(() => {
      isOpen = false
    })
  }
}

/** The best notifier that this computer has. */
function createNotifier(soundFile: Asked['soundFile'], actions: NotificationActions): Notifier {
  const fallback = createFallbackNotifier((options, done) => {
    // The last resort, which few computers ever need.
    import('node-notifier').then(
      ({ default: nodeNotifier }) => nodeNotifier.notify(options, done),
      done,
    )
  }, process.platform)
  if (process.platform === 'linux')
    return new DbusNotifier({
      actions,
      soundFile,
      openBus: () => openSessionBus(sessionBusAddress(process.env)),
      fallback: createNotifySend(process.env, fallback),
    })
  return Notification.isSupported() ? createElectronNotifier(actions, fallback) : fallback
}

/** Bytes; far more than any file that is read whole. */
const mostBytes = 1_000_000

async function chooseFile(
  window: BrowserWindow | null,
  title = 'Choose a file',
): Promise<LocalFile | null> {
  const [file = null] = await chooseFiles(window, title, ['openFile'])
  return file
}

/** Shows the system's file dialog. */
async function chooseFiles(
  window: BrowserWindow | null,
  title = 'Choose files',
  properties: ('openFile' | 'multiSelections')[] = ['openFile', 'multiSelections'],
): Promise<readonly LocalFile[]> {
  const options = { title, properties }
  const { canceled, filePaths } = await (window === null
    ? dialog.showOpenDialog(options)
    : dialog.showOpenDialog(window, options))
  if (canceled) return []
  return Promise.all(
    filePaths.map(async (path) => {
      const name = basename(path)
      const { size } = await promises.stat(path).catch(() => {
        throw invalid('file', `${name} could not be read.`)
      })
      return { path, name, size }
    }),
  )
}

async function readChosenFile(window: BrowserWindow | null): Promise<string | null> {
  const file = await chooseFile(window)
  if (file === null) return null
  if (file.size > mostBytes) throw invalid('file', 'This file is too large.')
  return promises.readFile(file.path, 'utf8').catch(() => {
    throw invalid('file', 'This file could not be read.')
  })
}

/** Null if the user cancels. */
async function placeToSave(window: BrowserWindow | null, name: string): Promise<string | null> {
  const options = { title: 'Save as', defaultPath: name }
  const { canceled, filePath } = await (window === null
    ? dialog.showSaveDialog(options)
    : dialog.showSaveDialog(window, options))
  return canceled || filePath === '' ? null : filePath
}
