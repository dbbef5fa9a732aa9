import { promises } from 'node:fs'
import { basename } from 'node:path'
import { type BrowserWindow, dialog } from 'electron'
import { invalid } from '../../../shared/core/failure.ts'
import type { LocalFile } from '../../ports.ts'

/** Far more than any file that is read whole has. */
const mostBytes = 1_000_000

/** The system's own dialog. A folder or file that disappeared meanwhile counts as none chosen. */
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

export async function readChosenFile(window: BrowserWindow | null): Promise<string | null> {
  const file = await chooseFile(window)
  if (file === null) return null
  if (file.size > mostBytes) throw invalid('file', 'This file is too large.')
  return promises.readFile(file.path, 'utf8').catch(() => {
    throw invalid('file', 'This file could not be read.')
  })
}

export async function saveFile(
  window: BrowserWindow | null,
  name: string,
  text: string,
): Promise<boolean> {
  const options = { title: 'Save as', defaultPath: name }
  const { canceled, filePath } = await (window === null
    ? dialog.showSaveDialog(options)
    : dialog.showSaveDialog(window, options))
  if (canceled || filePath === '') return false
  await promises.writeFile(filePath, text, { mode: 0o600 }).catch(() => {
    throw invalid('file', 'The file could not be written there. Choose another folder.')
  })
  return true
}
