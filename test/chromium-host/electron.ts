/**
 * The main process's `electron` module, as far as the app uses it. Importing a missing part fails,
 * and a missing call throws with its name.
 */
import { app } from './app.ts'
import { BrowserWindow, webContents } from './browser-window.ts'
import { protocol } from './custom-protocol.ts'
import { ipcMain } from './ipc-main.ts'
import { Menu, MenuItem } from './menu.ts'
import { nativeImage } from './native-image.ts'
import { notStoodIn, standInObject } from './refuse.ts'
import { safeStorage } from './safe-storage.ts'
import {
  clipboard,
  dialog,
  globalShortcut,
  nativeTheme,
  powerMonitor,
  screen,
  session,
  shell,
} from './surroundings.ts'
import { Tray } from './tray.ts'

/** Imported for Windows and macOS; on Linux, the app itself speaks D-Bus. */
const Notification = notStoodIn('Notification')

const electron = standInObject('electron', {
  app,
  BrowserWindow,
  clipboard,
  dialog,
  globalShortcut,
  ipcMain,
  Menu,
  MenuItem,
  nativeImage,
  nativeTheme,
  Notification,
  powerMonitor,
  protocol,
  safeStorage,
  screen,
  session,
  shell,
  Tray,
  webContents,
})

export {
  app,
  BrowserWindow,
  clipboard,
  dialog,
  electron as default,
  electron as 'module.exports',
  ipcMain,
  Menu,
  MenuItem,
  Notification,
  nativeImage,
  nativeTheme,
  powerMonitor,
  protocol,
  safeStorage,
  screen,
  session,
  shell,
  Tray,
  webContents,
}
