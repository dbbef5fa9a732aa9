import type { Saved } from '../ports.ts'
import { onDiskThread } from './disk-thread.ts'
import { createSaved, type TellTrouble } from './saved-files.ts'

/** What people choose; the app's own journal keeps the rest. */
const storedNames = new Set(['settings', 'accounts'])

/** The documents in this folder, those of `storedNames` kept by electron-store. */
export function openSaved(folder: string, onTrouble: TellTrouble): Saved {
  return createSaved({
    folder,
    onTrouble,
    now: Date.now,
    openStored: (name, fileName) =>
      storedNames.has(name)
        ? { set: (envelope) => onDiskThread({ do: 'store', folder, name: fileName, envelope }) }
        : null,
  })
}
