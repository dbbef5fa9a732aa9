import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  promises,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Written into every file, so that a later version knows what it reads. */
const formatVersion = 1

/**
 * What a file holds: `bad` if it is no document, `newer` if this version can't read it. `error`:
 * what the system said.
 */
export type FileContent =
  | { readonly kind: 'none' }
  | { readonly kind: 'document'; readonly value: unknown }
  | { readonly kind: 'newer' }
  | { readonly kind: 'bad'; readonly why: 'unreadable' | 'corrupt'; readonly error?: unknown }

/** A file that was set aside, or (`asideAs` null) that the disk did not let us set aside. */
export interface BadFile {
  readonly file: string
  readonly why: 'unreadable' | 'corrupt'
  readonly asideAs: string | null
}

/** Bytes; V8's longest string is not much longer. */
const largestFile = 256 * 1024 * 1024

/** The shape on disk: `{ "version": 1, "value": … }`. */
export interface Envelope {
  readonly version: number
  readonly value: unknown
}

export function enveloped(value: unknown): Envelope {
  return { version: formatVersion, value }
}

/** `drafts.json`, `drafts.v1.json`, their backups (`.bak`) and copies set aside (`.corrupt-…`). */
const ownFile = /^[a-z][a-zA-Z]*(?:\.[\w-]+)*\.json(?:\.bak)?$/
/** Half-written files, ours and those of electron-store, which are named alike. */
const orphan = /^[a-z][a-zA-Z]*(\.v\d+)?\.json\.tmp-\w+$/

/**
 * Makes everything readable by the owner alone, whatever the umask and whoever copied files here.
 * Removes half-written files of a killed process: they contain copies of the content
 * (write-file-atomic and conf leave theirs behind, measured).
 */
export function prepareFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    chmodSync(folder, 0o700)
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (orphan.test(entry.name)) rmSync(path, { force: true })
      else if (entry.isFile() && ownFile.test(entry.name)) chmodSync(path, 0o600)
    }
  } catch (error) {
    // A read-only or failing disk can still be read; the first write reports it to the user.
    if (errorCode(error) === '') throw error
  }
}

export function readEnvelope(path: string): FileContent {
  let text: string
  try {
    const about = statSync(path)
    // Reading a pipe or a device would never end.
    if (!about.isFile() || about.size > largestFile) return { kind: 'bad', why: 'unreadable' }
    text = readFileSync(path, 'utf8')
  } catch (error) {
    return isMissing(error) ? { kind: 'none' } : { kind: 'bad', why: 'unreadable', error }
  }
  try {
    const parsed: unknown = JSON.parse(text)
    if (!isEnvelope(parsed)) return { kind: 'bad', why: 'corrupt' }
    if (parsed.version > formatVersion) return { kind: 'newer' }
    return { kind: 'document', value: parsed.value }
  } catch {
    // Half a file, an empty one, NULs after a power cut: none of it is JSON.
    return { kind: 'bad', why: 'corrupt' }
  }
}

function isEnvelope(parsed: unknown): parsed is Envelope {
  return (
    typeof parsed === 'object' &&
    parsed !== null &&
    'version' in parsed &&
    typeof parsed.version === 'number' &&
    'value' in parsed
  )
}

/** A document, from its own file or, if that was missing or bad, from the backup. */
interface FoundDocument {
  readonly value: unknown
  readonly from: 'file' | 'backup'
}

/**
 * Reads a document. An unreadable file is set aside (never deleted) and its backup takes its place;
 * an unreadable backup is set aside as well. Null when neither holds anything.
 */
export function readDocument(
  path: string,
  now: number,
  onBad: (bad: BadFile) => void,
): FoundDocument | null {
  for (const file of [path, backupOf(path)]) {
    const content = readEnvelope(file)
    if (content.kind === 'document')
      return { value: content.value, from: file === path ? 'file' : 'backup' }
    if (content.kind === 'bad') {
      const asideAs = isShortage(content.error) ? null : putAside(file, now)
      onBad({ file: basename(file), why: content.why, asideAs })
    }
  }
  return null
}

export function backupOf(path: string): string {
  return `${path}.bak`
}

/**
 * Where this version keeps a document whose file was written by a newer one: beside it, so that the
 * newer version finds its own file unchanged. Null when there is no newer file.
 */
export function besideNewer(path: string): string | null {
  const main = readEnvelope(path).kind
  const isNewer =
    main === 'newer' || (main !== 'document' && readEnvelope(backupOf(path)).kind === 'newer')
  return isNewer ? path.replace(/\.json$/, `.v${formatVersion}.json`) : null
}

let temporaries = 0

/**
 * The name of a file until it is complete, unique to this process and this write. Not random:
 * `crypto` takes 5 ms to load, and documents are written while the app starts.
 */
export function temporaryOf(path: string): string {
  temporaries += 1
  return `${path}.tmp-${process.pid}_${temporaries}`
}

/** An unused name: files set aside earlier are never replaced. */
function asideOf(path: string, now: number): string {
  const name = basename(path)
    .replace(/\.json$/, '')
    .replace(/\.json\.bak$/, '.bak')
  const stamp = new Date(now).toISOString().replaceAll(':', '-')
  const free = (count: number): string => {
    const more = count === 0 ? '' : `-${count}`
    const aside = join(dirname(path), `${name}.corrupt-${stamp}${more}.json`)
    return existsSync(aside) ? free(count + 1) : aside
  }
  return free(0)
}

/** Renames a file that is not to be used; null when the disk refused. */
export function putAside(path: string, now: number): string | null {
  try {
    const aside = asideOf(path, now)
    renameSync(path, aside)
    return basename(aside)
  } catch {
    // On a read-only disk the file stays where it is, which keeps it safe too.
    return null
  }
}

/** Copies a partly unusable file; null when the disk refused. */
export function copyAside(path: string, now: number): string | null {
  try {
    const aside = asideOf(path, now)
    copyFileSync(path, aside, constants.COPYFILE_EXCL)
    chmodSync(aside, 0o600)
    return basename(aside)
  } catch {
    // Full or read-only: the caller reports that there is no copy.
    return null
  }
}

/**
 * Replaces a document so that a crash at any moment leaves either the old or the new one: a new
 * file, flushed to the disk (fsync), takes the place of the old one, which becomes the backup. Mode
 * 0600 from the first byte. Rejects, with the old document in place, when the disk refuses.
 */
export async function writeDocument(path: string, value: unknown): Promise<void> {
  const temporary = temporaryOf(path)
  try {
    const file = await promises.open(temporary, 'wx', 0o600)
    try {
      // The umask may remove permissions, but an explicitly set mode stands.
      await file.chmod(0o600)
      await file.writeFile(JSON.stringify(enveloped(value)))
      await file.sync()
    } finally {
      await file.close()
    }
    await promises.rename(path, backupOf(path)).catch((error: unknown) => {
      if (!isMissing(error)) throw error
    })
    await promises.rename(temporary, path).catch(async (error: unknown) => {
      await promises.rename(backupOf(path), path).catch(() => {
        // It stays the backup and is read from there.
      })
      throw error
    })
  } catch (error) {
    await promises.rm(temporary, { force: true }).catch(() => {
      // Removed at the next start; the error that brought us here matters more.
    })
    throw error
  }
  await syncFolder(dirname(path))
}

/**
 * Replaces a file at a path that the user chose; if the disk refuses, the old file stays. For a
 * symbolic link, its target is replaced, not the link.
 */
export async function replaceFile(chosen: string, text: string): Promise<void> {
  const path = await promises.realpath(chosen).catch(() => chosen)
  const temporary = temporaryOf(path)
  try {
    await promises.writeFile(temporary, text, { flag: 'wx', mode: 0o600, flush: true })
    await promises.rename(temporary, path)
  } catch (error) {
    await promises.rm(temporary, { force: true }).catch(() => undefined)
    throw error
  }
}

/**
 * Without this, a power cut may lose the rename. Where it is not supported (Windows, some network
 * disks), that is ignored.
 */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await promises.open(folder, 'r')
  try {
    await handle.sync()
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP', 'ENOSYS'].includes(errorCode(error))) throw error
  } finally {
    await handle.close()
  }
}

/** The system's error code, such as `ENOSPC`; '' for errors that did not come from the system. */
function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** Out of file handles or memory: this says nothing about the file. */
export function isShortage(error: unknown): boolean {
  return ['EMFILE', 'ENFILE', 'ENOMEM'].includes(errorCode(error))
}

function isMissing(error: unknown): boolean {
  return errorCode(error) === 'ENOENT'
}

const refusals: Readonly<Record<string, string>> = {
  ENOSPC: 'disk full',
  EDQUOT: 'disk quota used up',
  EROFS: 'read-only disk',
  EACCES: 'no permission',
  EPERM: 'no permission',
  EIO: 'disk error',
  ENOENT: 'folder missing',
}

/** Why the disk refused, in words for the user. */
export function refusalWords(error: unknown): string {
  const code = errorCode(error)
  return (Object.hasOwn(refusals, code) ? refusals[code] : code) || 'unknown reason'
}
