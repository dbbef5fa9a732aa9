import { fileURLToPath } from 'node:url'
import { findChromium } from '../../scripts/programs.mjs'

/** The fonts of the tests, on Linux: the same on every machine. */
export const testFonts = {
  FONTCONFIG_FILE: fileURLToPath(new URL('fonts.conf', import.meta.url)),
} as const

/**
 * Launch options for this machine's Chromium, the headless shell or a whole browser, if found; else
 * Playwright's own.
 */
export function chromiumLaunch(kind: Parameters<typeof findChromium>[0] = 'headless'): {
  executablePath?: string
  env: Record<string, string>
} {
  const executablePath = findChromium(kind)
  const own = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  const env = { ...Object.fromEntries(own), ...testFonts }
  return executablePath === undefined ? { env } : { executablePath, env }
}
