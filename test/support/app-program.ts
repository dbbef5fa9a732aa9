import { rm } from 'node:fs/promises'
import { chromium } from 'playwright'
import { findChromium, findElectron, standIn } from '../../scripts/programs.mjs'

/** What the end-to-end tests run the built app on. */
interface AppProgram {
  readonly on: 'electron' | 'stand-in'
  readonly path: string
  /** Whether it is Electron in the version that the app is built for. */
  readonly isOwn: boolean
  /** Additions to its environment. */
  readonly env: Readonly<Record<string, string>>
}

/**
 * The Electron that `scripts/e2e.mjs` chose, or the stand-in if it chose none; without that script,
 * Electron if it was fetched. The specs need not know which.
 */
export function appProgram(): AppProgram {
  const own = findElectron()
  const electron = process.env['BELFRY_E2E_ELECTRON'] ?? own ?? ''
  if (electron !== '') return { on: 'electron', path: electron, isOwn: electron === own, env: {} }
  const env: Record<string, string> =
    findChromium('headless') === undefined ? { CHROMIUM_PATH: chromium.executablePath() } : {}
  return { on: 'stand-in', path: standIn, isOwn: false, env }
}

/** Deletes a folder of the app, whose processes may still be exiting and write to it. */
export function removeData(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 20 })
}
