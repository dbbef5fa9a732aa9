import { promises } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { app } from 'electron'
import { invalid } from '../../../shared/core/failure.ts'

/** As the package's menu entry is called: desktops show both as one. */
const entryName = 'org.belfry.Belfry.desktop'

/** XDG's folder of what a desktop starts at login. */
function entryPath(): string {
  const { XDG_CONFIG_HOME: configured = '' } = process.env
  const config = configured === '' ? join(homedir(), '.config') : configured
  return join(config, 'autostart', entryName)
}

/** Whether the system starts Belfry at login; desktops let their user change it, too. */
export async function startsAtLogin(): Promise<boolean> {
  if (process.platform !== 'linux') return app.getLoginItemSettings(loginItem).openAtLogin
  const text = await promises.readFile(entryPath(), 'utf8').catch(() => null)
  return text !== null && !/^(Hidden=true|X-GNOME-Autostart-enabled=false)$/m.test(text)
}

/** Without a window, into the tray. Throws `RequestFailed` where that can't be written. */
export async function setStartsAtLogin(on: boolean): Promise<void> {
  if (process.platform !== 'linux')
    return app.setLoginItemSettings({ ...loginItem, openAtLogin: on })
  const path = entryPath()
  const change = on
    ? promises
        .mkdir(join(path, '..'), { recursive: true, mode: 0o700 })
        .then(() => promises.writeFile(`${path}.new`, autostartEntry(startCommand())))
        // Whole or not at all: a session manager may read it at any moment.
        .then(() => promises.rename(`${path}.new`, path))
    : promises.rm(path, { force: true })
  await change.catch(() => {
    throw invalid('autostart', `Belfry can’t write ${entryName} in the autostart folder.`)
  })
}

const loginItem = { args: ['--hidden'] }

/** An AppImage has its program in a folder that is gone after a restart. In a checkout the app is an argument. */
function startCommand(): readonly string[] {
  const program = process.env['APPIMAGE'] ?? process.execPath
  return app.isPackaged ? [program, '--hidden'] : [program, app.getAppPath(), '--hidden']
}

/** The program comes first; with it gone, desktops skip the entry. */
export function autostartEntry(command: readonly string[]): string {
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Belfry',
    'Comment=Watch cron-job checks and a team chat from the tray',
    'Icon=org.belfry.Belfry',
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
