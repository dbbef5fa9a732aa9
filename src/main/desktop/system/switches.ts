import type { App } from 'electron'

/**
 * What Chromium and Node would do for whoever starts us with these: open the window to a debugger,
 * run what they are told, send requests elsewhere, take the walls down between page and computer.
 * Electron's fuses turn off Node's own (`--inspect`); the rest is Chromium's, which reads them at
 * `ready`.
 */
export const refusedSwitches = [
  'remote-debugging-port',
  'remote-debugging-pipe',
  'remote-debugging-address',
  'remote-allow-origins',
  'inspect',
  'inspect-brk',
  'inspect-port',
  'js-flags',
  'load-extension',
  'no-sandbox',
  'disable-gpu-sandbox',
  'no-zygote',
  'disable-web-security',
  'disable-site-isolation-trials',
  'allow-file-access-from-files',
  'allow-running-insecure-content',
  'unsafely-treat-insecure-origin-as-secure',
  'host-rules',
  'host-resolver-rules',
  'proxy-server',
  'proxy-pac-url',
  'auth-server-whitelist',
  'auth-server-allowlist',
  'log-net-log',
  'ssl-key-log-file',
  'renderer-cmd-prefix',
  'utility-cmd-prefix',
  'gpu-launcher',
  'browser-subprocess-path',
  'single-process',
] as const

/**
 * Takes them off the command line before `ready`. Only from the packaged app: from a checkout,
 * developers debug and tests drive the windows by just these.
 */
export function refuseSwitches(app: Pick<App, 'isPackaged' | 'commandLine'>): void {
  if (!app.isPackaged) return
  for (const name of refusedSwitches) app.commandLine.removeSwitch(name)
}
