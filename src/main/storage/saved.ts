import type { Saved } from '../ports.ts'
import { createSaved, type TellTrouble } from './saved-files.ts'

/** What people choose; the app's own journal keeps the rest. */
const storedNames = new Set(['settings', 'accounts'])

/** The documents in this folder, those of `storedNames` kept by electron-store. */
export function openSaved(folder: string, onTrouble: TellTrouble): Saved {
  return createSaved({
    folder,
    onTrouble,
    now: Date.now,
    openStored: async (name, fileName) => {
      if (!storedNames.has(name)) return null
      // With its schemas it is a tenth of all code: loaded on the first choice, not at the start.
      const { default: ElectronStore } = await import('electron-store')
      // Its defaults would be world-readable, and would erase a file that it can't parse.
      const store = new ElectronStore<Record<string, unknown>>({
        cwd: folder,
        name: fileName,
        configFileMode: 0o600,
        clearInvalidConfig: false,
        accessPropertiesByDotNotation: false,
      })
      return {
        set: (envelope) => {
          store.store = { ...envelope }
        },
      }
    },
  })
}
