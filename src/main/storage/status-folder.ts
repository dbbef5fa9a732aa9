import { promises } from 'node:fs'
import { join } from 'node:path'
import type { StatusFolder } from '../base/ports.ts'
import { temporaryOf } from './atomic-file.ts'

/** What may be in the folder: the status, answers to commands, and what a killed process left of them. */
const ours = /^(status(\.json)?|answer-\d+)(\.tmp-\w+)?$/

/**
 * Opens the folder of the status files, which is made when something is first written: in
 * `runtime`, the user's folder for files of the present session, or else in `userData`.
 */
export function openStatusFolder(
  runtime: string | null,
  userData: string,
  note: (what: string) => void,
): StatusFolder {
  let folder: Promise<string> | null = null
  let next: Readonly<Record<string, string>> = {}
  let isWriting = false
  let isClosed = false
  let hasFailed = false
  let done = Promise.resolve()

  async function place(): Promise<string> {
    const own = runtime === null ? null : await prepared(join(runtime, 'belfry'))
    const found = own ?? (await prepared(join(userData, 'status')))
    if (found === null) throw new Error('no folder of our own')
    return found
  }

  async function writeAll(): Promise<void> {
    while (Object.keys(next).length > 0) {
      const files = Object.entries(next)
      next = {}
      try {
        // Found anew after a failure: the session's folder may come and go.
        folder ??= place()
        const path = await folder
        const puts = await Promise.allSettled(
          files.map(([name, text]) => put(join(path, name), text)),
        )
        for (const one of puts) if (one.status === 'rejected') throw one.reason
        hasFailed = false
      } catch (error) {
        failed(error)
      }
    }
    isWriting = false
  }

  function failed(error: unknown): void {
    folder = null
    if (hasFailed) return
    hasFailed = true
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    note(`could not be written: ${code}`)
  }

  return {
    write(files) {
      if (isClosed) return
      next = { ...next, ...files }
      if (isWriting) return
      isWriting = true
      done = writeAll()
    },
    async close() {
      isClosed = true
      await done
      await folder?.then(empty).catch(() => undefined)
    },
  }
}

/** Replaces a file as a whole; if that fails, rejects, and there is no file any more. */
async function put(path: string, text: string): Promise<void> {
  const temporary = temporaryOf(path)
  try {
    await promises.writeFile(temporary, text, { flag: 'wx', mode: 0o600 })
    await promises.rename(temporary, path)
  } catch (error) {
    for (const file of [temporary, path])
      await promises.rm(file, { force: true }).catch(() => undefined)
    throw error
  }
}

/** Makes the folder and removes what an earlier run left in it; null if it can't be ours alone. */
async function prepared(folder: string): Promise<string | null> {
  try {
    await promises.mkdir(folder, { mode: 0o700 }).catch(() => undefined)
    // Neither a link, nor a folder that another user made first.
    const about = await promises.lstat(folder)
    const isOurs = process.getuid === undefined || about.uid === process.getuid()
    if (!about.isDirectory() || !isOurs) return null
    await promises.chmod(folder, 0o700)
    await empty(folder)
    return folder
  } catch {
    return null
  }
}

async function empty(folder: string): Promise<void> {
  const names = await promises.readdir(folder)
  // What can't be removed can't be replaced either, which is then reported.
  for (const name of names.filter((one) => ours.test(one)))
    await promises.rm(join(folder, name), { force: true }).catch(() => undefined)
}
