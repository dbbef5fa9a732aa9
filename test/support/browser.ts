import { findChromium } from '../../scripts/programs.mjs'

/**
 * Launch options for whichever Chromium this machine has, the shell or a whole browser; Playwright finds its
 * own by itself.
 */
export function chromiumLaunch(kind: Parameters<typeof findChromium>[0] = 'headless'): {
  executablePath?: string
} {
  const executablePath = findChromium(kind)
  return executablePath === undefined ? {} : { executablePath }
}
