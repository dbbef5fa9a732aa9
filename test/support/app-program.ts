import { chromium } from 'playwright'
import { findChromium, findElectron, standIn } from '../../scripts/programs.mjs'

/** What the end-to-end tests run the built app on. */
interface AppProgram {
  readonly path: string
  /** For its environment. */
  readonly env: Readonly<Record<string, string>>
}

/** Electron where its program was fetched, else the stand-in: the specs need not know which. */
export function appProgram(): AppProgram {
  const electron = findElectron()
  if (electron !== undefined) return { path: electron, env: {} }
  if (findChromium('headless') !== undefined) return { path: standIn, env: {} }
  return { path: standIn, env: { CHROMIUM_PATH: chromium.executablePath() } }
}
