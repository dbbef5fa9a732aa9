import { findChromium } from '../../scripts/programs.mjs'

/** Launch options for whichever Chromium this machine has; Playwright finds its own by itself. */
export function chromiumLaunch(): { executablePath?: string } {
  const executablePath = findChromium('headless')
  return executablePath === undefined ? {} : { executablePath }
}
