import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Written into every file, so that a later version can tell what it reads. */
const formatVersion = 1

/** What a file held: `bad` is anything that is not a document of this version. */
export type FileContent =
  | { readonly kind: 'none' }
  | { readonly kind: 'document'; readonly value: unknown }
  | { readonly kind: 'bad'; readonly why: 'unreadable' | 'corrupt' | 'newer' }

/** The shape on disk: `{ "version": 1, "value": … }`. */
export interface Envelope {
  readonly version: number
  readonly value: unknown
}

export function enveloped(value: unknown): Envelope {
  return { version: formatVersion, value }
}

/**
 * Ours alone, whatever the umask. Half-written files of a process that was killed are swept: they
 * are copies of the content (write-file-atomic and conf leave theirs behind, measured).
 */
export function prepareFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  try {
    chmodSync(folder, 0o700)
    for (const file of readdirSync(folder))
      if (/^[a-z]+\.json\.tmp-\w+$/.test(file)) rmSync(join(folder, file), { force: true })
  } catch (error) {
    // A folder that someone made read-only still serves for reading; writing tells the user.
    if (!isRefusedByDisk(error)) throw error
  }
}

export function readEnvelope(path: string): FileContent {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    return isMissing(error) ? { kind: 'none' } : { kind: 'bad', why: 'unreadable' }
  }
  try {
    const parsed: unknown = JSON.parse(text)
    if (!isEnvelope(parsed)) return { kind: 'bad', why: 'corrupt' }
    if (parsed.version > formatVersion) return { kind: 'bad', why: 'newer' }
    return { kind: 'document', value: parsed.value }
  } catch {
    // Half a file, an empty one, NULs after a power cut: whatever it is, it is no JSON.
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

/**
 * Reads a document; one that can't be read is put aside (never deleted) and its backup takes its
 * place. `onBad` gets the name under which it was put aside, or null when even that was refused.
 */
export function readDocument(
  path: string,
  now: number,
  onBad: (bad: { why: 'unreadable' | 'corrupt' | 'newer'; asideAs: string | null }) => void,
): FileContent {
  const content = readEnvelope(path)
  if (content.kind === 'document') return content
  if (content.kind === 'bad') onBad({ why: content.why, asideAs: putAside(path, now) })
  const backup = readEnvelope(backupOf(path))
  return backup.kind === 'document' ? backup : { kind: 'none' }
}

export function backupOf(path: string): string {
  return `${path}.bak`
}

function putAside(path: string, now: number): string | null {
  const stamp = new Date(now).toISOString().replaceAll(':', '-')
  const aside = join(dirname(path), `${basename(path, '.json')}.corrupt-${stamp}.json`)
  try {
    renameSync(path, aside)
    return basename(aside)
  } catch {
    // A read-only disk: the file stays where it is, and stays safe for the same reason.
    return null
  }
}

/**
 * Replaces a document so that a crash at any moment leaves the old one or the new one: a new file,
 * written through to the disk (fsync), takes the place of the old one, which becomes the backup.
 * Mode 0600 from the first byte. Rejects, with the old one in place, when the disk refuses.
 */
export async function writeDocument(path: string, value: unknown): Promise<void> {
  const temporary = `${path}.tmp-${crypto.randomUUID().slice(0, 8)}`
  try {
    const file = await open(temporary, 'wx', 0o600)
    try {
      // The umask may take rights away, but a mode that is asked for explicitly stands.
      await file.chmod(0o600)
      await file.writeFile(JSON.stringify(enveloped(value)))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(path, backupOf(path)).catch((error: unknown) => {
      if (!isMissing(error)) throw error
    })
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {
      // Swept at the next start; the error that matters is the one that brought us here.
    })
    throw error
  }
  await syncFolder(dirname(path))
}

/** Without this the new name itself may be lost in a power cut. Windows knows no such thing. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

function isMissing(error: unknown): boolean {
  return errorCode(error) === 'ENOENT'
}

function isRefusedByDisk(error: unknown): boolean {
  return ['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error))
}
