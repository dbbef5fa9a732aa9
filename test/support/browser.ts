import { findChromium } from '../../scripts/programs.mjs'

/**
 * Launch options for this machine's Chromium, the headless shell or a whole browser, if found; else
 * Playwright's own.
 */
export function chromiumLaunch(kind: Parameters<typeof findChromium>[0] = 'headless'): {
  executablePath?: string
} {
  const executablePath = findChromium(kind)
  return executablePath === undefined ? {} : { executablePath }
}
