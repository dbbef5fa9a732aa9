import type { MenuItemConstructorOptions, Task } from 'electron'

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
