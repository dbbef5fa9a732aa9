import type { Chromium } from './cdp.ts'

/** The handler of a custom scheme, as for Electron's `protocol.handle`. */
export type SchemeHandler = (request: Request) => Response | Promise<Response>

/** The one app that runs in this process. */
export const running = {
  /** `app.commandLine`: the command line's switches without their dashes. */
  switches: new Map<string, string>(),
  /** Schemes of `protocol.registerSchemesAsPrivileged`. */
  schemes: new Set<string>(),
  handlers: new Map<string, SchemeHandler>(),
  /** The folder with the app's package.json. */
  appPath: '',
  name: 'Electron',
  version: '0.0.0',
  theme: 'system' as 'system' | 'light' | 'dark',
  ready: false,
  exiting: false,
  chromium: undefined as Chromium | undefined,
}

/** With this variable and a display, the windows are real ones of full Chromium. */
export const headed = process.env['BELFRY_HOST_HEADED'] === '1'

export function chromium(): Chromium {
  if (running.chromium === undefined) throw new Error('chromium host: the app is not ready')
  return running.chromium
}
