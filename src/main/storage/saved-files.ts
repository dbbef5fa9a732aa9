import {
  chmodSync,
  copyFileSync,
  existsSync,
  promises,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import type { Saved } from '../base/ports.ts'
import {
  type BadFile,
  backupOf,
  besideNewer,
  copyAside,
  type Envelope,
  enveloped,
  isShortage,
  prepareFolder,
  putAside,
  readDocument,
  readEnvelope,
  syncFolder,
  temporaryOf,
  writeDocument,
} from './atomic-file.ts'
import { onDiskThread } from './disk-thread.ts'
import { maskStoredOnce } from './masked-files.ts'

/** A document that electron-store keeps. Opened only after its file was found to be sound. */
interface StoredDocument {
  set(envelope: Envelope): Promise<void> | void
}

/** Tells the user in words about a file that could not be read or written; null: that is over. */
export type ReportTrouble = (trouble: {
  readonly id: string
  readonly text: string | null
  /** What the disk refused to save; `text` is then the reason, and all are shown in one warning. */
  readonly unsaved?: string
}) => void

interface Options {
  readonly folder: string
  readonly onTrouble: ReportTrouble
  /** Opens electron-store's document in a file of this name; null for documents it does not keep. */
  readonly openStored: (
    name: string,
    fileName: string,
  ) => StoredDocument | null | Promise<StoredDocument | null>
  readonly now: () => number
}

/**
 * The user's documents on this computer. What people choose (settings, accounts) goes through
 * electron-store, whose writes are synchronous and so run on a thread of their own; what the app
 * keeps while it works (unsent text, notified state, keys) goes through asynchronous atomic files.
 * Both have the same format and get the same care: checked before opening, backed up before
 * replacing, set aside when damaged, left alone when a newer version wrote them.
 */
export class SavedFiles implements Saved {
  readonly #options: Options
  readonly #paths = new Map<string, string>()
  /** The file that a document was read from, where that is not its own: a backup. */
  readonly #readFrom = new Map<string, string>()
  /** Of each document, the last write that was asked for. */
  readonly #queues = new Map<string, Promise<void>>()
  readonly #inDoubt = new Set<string>()
  /** Whose file could be neither read nor set aside, until the next write succeeds. */
  readonly #leftThere = new Set<string>()
  /** Each file as this run wrote it, by `stampOf`. */
  readonly #asWritten = new Map<string, string | null>()
  /** The newest value of each document, in case its file is deleted while Belfry runs. */
  readonly #newest = new Map<string, unknown>()
  readonly files: NonNullable<Saved['files']>

  constructor(options: Options) {
    this.#options = options
    const { folder, now, onTrouble } = options
    prepareFolder(folder)
    maskStoredOnce(folder)
    this.files = {
      inDoubt: (name) => this.#inDoubt.has(name),
      hasNewer: (name) => this.#pathOf(name) !== join(folder, `${name}.json`),
      keepCopy: (name, why) => {
        const asideAs = copyAside(this.#readFrom.get(name) ?? this.#pathOf(name), now())
        const kept = asideAs === null ? 'No copy could be made.' : keptAs(asideAs)
        // Beside what is said of a file that was set aside, and of other copies.
        onTrouble({ id: `copy-${asideAs ?? name}`, text: `${why} ${kept}` })
      },
    }
  }

  write(name: string, value: unknown): Promise<void> {
    this.#newest.set(name, value)
    const before = this.#queues.get(name) ?? Promise.resolve()
    const done = before.then(() => this.#writeOne(name, value))
    // The queue continues after a refusal; whoever requested this write gets the error.
    this.#queues.set(
      name,
      done.catch(() => undefined),
    )
    return done
  }

  read(name: string): unknown {
    const value = this.#load(name)
    this.#newest.set(name, value)
    return value
  }

  #reportBad(bad: BadFile): void {
    this.#options.onTrouble({ id: `file-${bad.file.replace(/\.json/, '')}`, text: badWords(bad) })
  }

  /** Chosen on first use, for the whole run. */
  #pathOf(name: string): string {
    const known = this.#paths.get(name)
    if (known !== undefined) return known
    const own = join(this.#options.folder, `${name}.json`)
    const beside = besideNewer(own)
    if (beside !== null && !existsSync(beside))
      this.#options.onTrouble({ id: `file-${name}`, text: newerWords(name, basename(beside)) })
    const path = beside ?? own
    this.#paths.set(name, path)
    return path
  }

  #load(name: string): unknown {
    const path = this.#pathOf(name)
    const found = readDocument(path, this.#options.now(), (bad) => {
      this.#inDoubt.add(name)
      if (bad.asideAs === null) this.#leftThere.add(name)
      this.#reportBad(bad)
    })
    if (found?.from === 'file') return found.value
    if (found !== null) this.#readFrom.set(name, backupOf(path))
    // After a crash between the two renames of a write, only the backup exists and is the newest.
    // It is in doubt if a damaged file was set aside.
    if (found !== null && this.#wasPutAside(name)) this.#inDoubt.add(name)
    return found === null ? this.#beforeNewer(name) : found.value
  }

  #wasPutAside(name: string): boolean {
    return readdirSync(this.#options.folder).some((file) => file.startsWith(`${name}.corrupt-`))
  }

  /** This version's last document: the newer version kept it as its backup. */
  #beforeNewer(name: string): unknown {
    const path = backupOf(join(this.#options.folder, `${name}.json`))
    const backup = readEnvelope(path)
    if (backup.kind !== 'document') return null
    this.#readFrom.set(name, path)
    this.#inDoubt.add(name)
    return backup.value
  }

  /** Somebody deleted the folder while Belfry ran: all known documents are written to a new one. */
  #makeAnew(writing: string): void {
    prepareFolder(this.#options.folder)
    if (!existsSync(this.#options.folder)) return
    this.#options.onTrouble({ id: 'file-folder', text: anewWords })
    // A failure is reported with the next change.
    for (const [name, value] of this.#newest)
      if (name !== writing && value !== null) this.write(name, value).catch(() => undefined)
  }

  async #writeOne(name: string, value: unknown): Promise<void> {
    if (!existsSync(this.#options.folder)) this.#makeAnew(name)
    const path = this.#pathOf(name)
    if (this.#leftThere.has(name)) this.#setAside(path)
    const stored = await this.#openSound(name, path)
    if (stored === null) await writeDocument(path, value)
    else {
      backUp(path)
      await stored.set(enveloped(value))
      if (isHalf(path)) {
        putBack(path)
        throw Object.assign(new Error('not all of it was written'), { code: 'ENOSPC' })
      }
      await syncFolder(this.#options.folder)
    }
    // What was emptied is meant to be gone: kept messages, what belongs to the last account.
    if (isEmpty(value)) await promises.rm(backupOf(path), { force: true })
    this.#leftThere.delete(name)
    this.#asWritten.set(path, stampOf(path))
  }

  /** A file that can be read by now, as on a network disk, holds what this run never knew. */
  #setAside(path: string): void {
    if (readEnvelope(path).kind !== 'document') return
    const asideAs = putAside(path, this.#options.now())
    // If the disk refuses this, it refuses the write as well.
    if (asideAs !== null) this.#reportBad({ file: basename(path), why: 'unreadable', asideAs })
  }

  /**
   * electron-store throws on a file that is not JSON, so such a file is set aside first. Not for
   * want of file handles: until one is free, the file and its backup are all that a crash would
   * leave. A file that nobody touched since it was written is not read again: a megabyte of
   * messages would take 20 ms each time.
   */
  #openSound(name: string, path: string): StoredDocument | null | Promise<StoredDocument | null> {
    const stamp = stampOf(path)
    if (stamp === null || this.#asWritten.get(path) !== stamp) {
      const content = readEnvelope(path)
      if (content.kind === 'bad') {
        if (isShortage(content.error)) throw content.error
        this.#load(name)
      }
    }
    return this.#options.openStored(name, basename(path, '.json'))
  }
}

/** Differs once anybody has written the file or put another in its place; null if it can't be told. */
function stampOf(path: string): string | null {
  try {
    const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true })
    return `${ino} ${size} ${mtimeNs} ${ctimeNs}`
  } catch {
    return null
  }
}

/**
 * Makes a sound file the backup; a damaged one must not replace the last good one. Copied under
 * another name first: a kill in the middle of the copy would leave half a backup.
 */
function backUp(path: string): void {
  if (readEnvelope(path).kind !== 'document') return
  const temporary = temporaryOf(path)
  try {
    copyFileSync(path, temporary)
    chmodSync(temporary, 0o600)
    renameSync(temporary, backupOf(path))
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/**
 * electron-store's own writer (atomically) writes once, and takes what a nearly full disk took of
 * that for all of it. A part of a document is never a document.
 */
function isHalf(path: string): boolean {
  const content = readEnvelope(path)
  return content.kind === 'bad' && content.why === 'corrupt'
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

/** The last good copy takes the place of half a document; for that no room is needed. */
function putBack(path: string): void {
  if (existsSync(backupOf(path))) renameSync(backupOf(path), path)
  else rmSync(path)
}

const reasons = { unreadable: 'could not be read', corrupt: 'is damaged' }

function keptAs(asideAs: string): string {
  return `It was kept as ${asideAs} in Belfry’s folder.`
}

function badWords({ file, why, asideAs }: BadFile): string {
  const kept = asideAs === null ? 'It was left where it is.' : keptAs(asideAs)
  return `The file ${file} ${reasons[why]}. ${kept} Belfry uses the last good copy, if there is one.`
}

const anewWords =
  'Belfry’s folder was deleted while Belfry was running. It was created again with everything that Belfry still had in memory; the history so far is lost.'

function newerWords(name: string, beside: string): string {
  return `The file ${name}.json was written by a newer version of Belfry and is left untouched. This version keeps its own beside it, as ${beside}.`
}

/** Documents that last as long as the process: for the demo. */
export function memorySaved(): Saved {
  const documents = new Map<string, unknown>()
  return {
    read: (name) => structuredClone(documents.get(name) ?? null),
    write: async (name, value) => {
      documents.set(name, structuredClone(value))
    },
  }
}

/** What people choose; the app's own journal keeps the rest. */
const storedNames = new Set(['settings', 'accounts'])

/** The documents in this folder, those of `storedNames` kept by electron-store. */
export function openSaved(folder: string, onTrouble: ReportTrouble): Saved {
  return new SavedFiles({
    folder,
    onTrouble,
    now: Date.now,
    openStored: (name, fileName) =>
      storedNames.has(name)
        ? { set: (envelope) => onDiskThread({ do: 'store', folder, name: fileName, envelope }) }
        : null,
  })
}
