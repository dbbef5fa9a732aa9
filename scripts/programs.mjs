/**
 * Finds the programs that can show the app. Plain JavaScript: setup.mjs runs it on an old Node too.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The project's folder, with a trailing separator. */
export const projectRoot = fileURLToPath(new URL('..', import.meta.url))

/** Debian's actual programs: /usr/bin/chromium is a wrapper that adds its own switches. */
const chromiums = {
  headless: ['/usr/lib/chromium/chromium-headless-shell'],
  headed: [
    '/usr/lib/chromium/chromium',
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
  ],
}

/**
 * The Chromium of this machine: `$CHROMIUM_PATH`, else the system's. `headless` prefers the
 * headless shell, where a window has exactly the requested size.
 *
 * @param {'headless' | 'headed'} kind
 * @returns {string | undefined}
 */
export function findChromium(kind) {
  const chosen = process.env['CHROMIUM_PATH'] ?? ''
  if (chosen !== '') return chosen
  const wanted = kind === 'headed' ? [] : chromiums.headless
  return [...wanted, ...chromiums.headed].find((path) => existsSync(path))
}

/**
 * Electron's own program, if it was fetched. Does not import the package to find out, which would
 * download it.
 *
 * @returns {string | undefined}
 */
export function findElectron() {
  const folder = join(projectRoot, 'node_modules', 'electron')
  try {
    const path = join(folder, 'dist', readFileSync(join(folder, 'path.txt'), 'utf8').trim())
    return existsSync(path) ? path : undefined
  } catch {
    // install.js writes path.txt last: without it, the program is incomplete.
    return undefined
  }
}

/** The stand-in's "Electron executable". */
export const standIn = join(projectRoot, 'test', 'chromium-host', 'electron')
