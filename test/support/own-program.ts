import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder that only this user can change, as long as the test runs. */
export async function ownFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'belfry-program-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A script of the user's own, as the file dialog gives it. */
export async function ownScript(text: string, name = 'lamp.sh', mode = 0o700) {
  const path = join(await ownFolder(), name)
  await writeFile(path, text)
  await chmod(path, mode)
  return { path, name: basename(path), size: text.length }
}

export async function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '')
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
