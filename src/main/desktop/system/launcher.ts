import type { EventEmitter } from 'node:events'
import type { Dock, MenuItemConstructorOptions, Task } from 'electron'

/** What a right click on the app's icon offers: the actions of the menu entry in the Linux packages. */
const pages = [
  ['Checks', 'checks'],
  ['Chat', 'chat'],
  ['New Message', 'newMessage'],
  ['Notifications', 'notices'],
] as const

function linkTo(view: string): string {
  return `belfry://view/${view}`
}

/** The menu of the icon in the dock of macOS. */
export function dockMenu(open: (link: string) => void): MenuItemConstructorOptions[] {
  return pages.map(([label, view]) => ({ label, click: () => open(linkTo(view)) }))
}

/** The jump list of Windows, which starts `program`. Chromium takes nothing after `--` for a switch. */
export function jumpListTasks(program: string): Task[] {
  return pages.map(([title, view]) => ({
    program,
    arguments: `-- ${linkTo(view)}`,
    title,
    description: '',
    iconPath: program,
    iconIndex: 0,
  }))
}

/**
 * Shows the icon in the dock of macOS while a window is: without one, Belfry is in the menu bar
 * alone.
 */
export function showInDock(dock: Pick<Dock, 'show' | 'hide'>, app: Pick<EventEmitter, 'on'>): void {
  const hide = (): void => dock.hide()
  hide()
  app.on('browser-window-created', (_event, window: Pick<EventEmitter, 'on'>) => {
    window.on('show', () => void dock.show())
    window.on('hide', hide)
    window.on('closed', hide)
  })
}
