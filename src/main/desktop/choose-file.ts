import { promises } from 'node:fs'
import { basename } from 'node:path'
import { type BrowserWindow, dialog } from 'electron'
import type { LocalFile } from '../ports.ts'

/** The system's own dialog. A folder or a file that went away meanwhile counts as none chosen. */
export async function chooseFile(window: BrowserWindow | null): Promise<LocalFile | null> {
  const options = { title: 'Choose a file', properties: ['openFile' as const] }
  const { canceled, filePaths } = await (window === null
    ? dialog.showOpenDialog(options)
    : dialog.showOpenDialog(window, options))
  const [path] = filePaths
  if (canceled || path === undefined) return null
  const { size } = await promises.stat(path)
  return { path, name: basename(path), size }
}
