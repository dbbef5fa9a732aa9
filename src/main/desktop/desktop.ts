import { app, protocol } from 'electron'
import type { Commands } from '../../shared/contract.ts'
import type { Notice } from '../../shared/core/notice.ts'
import type { Patch } from '../../shared/core/patch.ts'
import type { TrayAction } from '../../shared/core/tray.ts'
import type { Desktop, Saved } from '../ports.ts'
import { answerAppRequest, appHome, appScheme, readAppFiles } from './app-files.ts'
import { chooseFile } from './choose-file.ts'
import { createDoor } from './command-door.ts'
import { denyPermissions } from './guards.ts'
import { listenToWindows } from './ipc.ts'
import { copyText, openLink } from './links.ts'
import { logBug } from './log.ts'
import { createNotifier } from './notifications/create-notifier.ts'
import { openSessionBus, sessionBusAddress } from './session-bus.ts'
import { createTrayIcon } from './tray.ts'
import { trayIsThere, watchTrayHost } from './tray-host.ts'
import { createWindows, type Windows } from './windows.ts'

/** What the computer tells and asks the app. */
export interface Asked {
  readonly commands: Commands
  /** The whole state, as a window's first patch. */
  windowFollows(): Patch
  windowShown(visible: boolean): void
  noticeClicked(notice: Notice): void
  noticeReplied(notice: Notice, text: string): Promise<void>
  trayAction(action: TrayAction): void
}

export interface Computer extends Desktop {
  /** The window in front, or, while there is no tray, at least in the task bar. */
  present(hidden: boolean): void
  /** Before the app ends. */
  close(): void
}

/** Before `ready`: the page's scheme is like https to the browser, with no way around anything. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: appScheme, privileges: { standard: true, secure: true } },
  ])
}

/** Everything of the computer that the app uses, made once Electron is ready. */
export function createDesktop(parts: {
  readonly asked: () => Asked
  readonly saved: Saved
  readonly preload: string
  readonly icon: string
  /** The built page's folder. */
  readonly pageFolder: string
  readonly devServer: string | null
}): Computer {
  const { asked, devServer } = parts
  const page = devServer ?? `${appHome}index.html`
  if (devServer === null) serveApp(parts.pageFolder)
  denyPermissions()

  const openBus = () => openSessionBus(sessionBusAddress(process.env))
  const host = process.platform === 'linux' ? watchTrayHost(openBus) : trayIsThere
  const windows: Windows = createWindows({
    ...parts,
    page,
    hasTray: host.present,
    firstPatch: () => asked().windowFollows(),
    onVisible: (visible) => asked().windowShown(visible),
    logBug,
  })
  listenToWindows({ windows, page, door: createDoor(() => asked().commands, logBug) })
  const tray = createTrayIcon({
    settled: host.settled,
    onAction: (action) => asked().trayAction(action),
  })
  const notifier = createNotifier({
    onOpen: (notice) => asked().noticeClicked(notice),
    onReply: (notice) => asked().noticeClicked(notice),
    onReplyText: (notice, text) => {
      asked()
        .noticeReplied(notice, text)
        .catch((error: unknown) => logBug('reply from a notification', error))
    },
  })

  return {
    showTray: tray.show,
    pushPatch: windows.push,
    notify: notifier.notify,
    withdraw: notifier.withdraw,
    notifiedBy: () => notifier.settled().then(notifier.by),
    showWindow: windows.show,
    hideWindow: windows.hide,
    openLink,
    copyText,
    chooseFile: () => chooseFile(windows.current()),
    quit: () => app.quit(),
    present: (hidden) => {
      if (!hidden) windows.show()
      else
        void host.settled.then(() => {
          if (!host.present()) windows.show()
        })
    },
    close: () => {
      windows.letGo()
      notifier.stop()
    },
  }
}

function serveApp(folder: string): void {
  const files = readAppFiles(folder)
  protocol.handle(appScheme, ({ method, url }) => answerAppRequest(files, method, url))
}
