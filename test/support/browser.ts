import { existsSync } from 'node:fs'
import { chromium } from 'playwright'

const systemBrowsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Launch options for whichever Chromium this machine has: `$CHROMIUM_PATH`, Playwright's own, the system's. */
export function chromiumLaunch(): { executablePath?: string } {
  const chosen = process.env['CHROMIUM_PATH']
  if (chosen !== undefined && chosen !== '') return { executablePath: chosen }
  if (existsSync(chromium.executablePath())) return {}
  const system = systemBrowsers.find((path) => existsSync(path))
  return system === undefined ? {} : { executablePath: system }
}
