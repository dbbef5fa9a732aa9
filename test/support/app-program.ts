import { chromium } from 'playwright'
import { findChromium, findElectron, standIn } from '../../scripts/programs.mjs'

/** What the end-to-end tests run the built app on. */
interface AppProgram {
  readonly on: 'electron' | 'stand-in'
  readonly path: string
  /** For its environment. */
  readonly env: Readonly<Record<string, string>>
}

/**
 * The Electron that `scripts/e2e.mjs` chose, the stand-in where it chose none; else Electron where its
 * program was fetched. The specs need not know which.
 */
export function appProgram(): AppProgram {
  const electron = process.env['BELFRY_E2E_ELECTRON'] ?? findElectron() ?? ''
  if (electron !== '') return { on: 'electron', path: electron, env: {} }
  if (findChromium('headless') !== undefined) return { on: 'stand-in', path: standIn, env: {} }
  return { on: 'stand-in', path: standIn, env: { CHROMIUM_PATH: chromium.executablePath() } }
}
