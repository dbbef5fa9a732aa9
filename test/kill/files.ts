import { createDecipheriv } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { backupOf, readEnvelope } from '../../src/main/storage/atomic-file.ts'

/** What is in the app's folder between two lives. */
export interface Found {
  /** Sentences about files that aren't as they should be. */
  readonly wrong: readonly string[]
  /** Half-written files, which the next start sweeps. */
  readonly temporary: readonly string[]
}

const isTemporary = (name: string): boolean => name.includes('.tmp-')

export function lookAtFiles(userData: string): Found {
  const folder = join(userData, 'data')
  const wrong: string[] = []
  const mode = (path: string): number => statSync(path).mode & 0o777
  for (const path of [userData, folder])
    if (mode(path) !== 0o700) wrong.push(`${path} has the mode ${mode(path).toString(8)}`)
  const names = readdirSync(folder)
  for (const name of names) {
    const path = join(folder, name)
    if (mode(path) !== 0o600) wrong.push(`${name} has the mode ${mode(path).toString(8)}`)
    if (name.includes('corrupt-')) wrong.push(`${name} was put aside`)
    const isDocument = name.endsWith('.json') || name.endsWith('.bak')
    if (!isDocument || isTemporary(name)) continue
    const content = readEnvelope(path)
    if (content.kind !== 'document') wrong.push(`${name} is no document`)
  }
  return { wrong, temporary: names.filter(isTemporary) }
}

/** Files of an earlier life that are still there. */
export function stillThere(userData: string, names: readonly string[]): string[] {
  return names.filter((name) => existsSync(join(userData, 'data', name)))
}

/** Like the app, uses the backup if a kill between a write's two renames left only that. */
export function documentAt(userData: string, name: string): unknown {
  const path = join(userData, 'data', `${name}.json`)
  const content = readEnvelope(path)
  if (content.kind === 'document') return content.value
  const backup = readEnvelope(backupOf(path))
  return backup.kind === 'document' ? backup.value : null
}

const prefixBytes = 3
const nonceBytes = 12
const tagBytes = 16

/** Decrypts a blob of the stand-in's keyring (`chromium-host/safe-storage.ts`); throws if torn. */
export function unsealed(userData: string, blob: string): string {
  const sealed = Buffer.from(blob, 'base64')
  if (sealed.toString('latin1', 0, prefixBytes) !== 'v11')
    throw new Error('not sealed by a keyring')
  const body = prefixBytes + nonceBytes
  const key = readFileSync(join(userData, 'host-keyring'))
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(prefixBytes, body))
  decipher.setAuthTag(sealed.subarray(-tagBytes))
  return decipher.update(sealed.subarray(body, -tagBytes)).toString('utf8') + decipher.final('utf8')
}
