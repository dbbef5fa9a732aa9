import { isSameList } from '../../shared/core/identity.ts'
import { firstOf, listWords } from '../../shared/core/wording.ts'
import { refusalWords } from './atomic-file.ts'
import { createRetry, type Retry } from './journal.ts'

/** A failed write is retried after `firstMs`, then at growing intervals. */
const retryMs = { firstMs: 5_000, longestMs: 60_000 }
const debounceMs = 10_000

/** When a document is written, and what of everything there is (`All`). */
export interface Persisted<All> {
  /** What a restart would lose if the disk refuses, in words for the user. */
  readonly words: string
  /** The document is written when one of these changes, compared by `===`. */
  readonly parts: (all: All) => readonly unknown[]
  /** Whether a crash may lose a change, which is then written with those of the next 10 s. */
  readonly mayWait?:
    | ((before: readonly unknown[], after: readonly unknown[]) => boolean)
    | undefined
  /** Another document, without whose changes this one would mislead the next start: written first. */
  readonly after?: string | undefined
  /** It also contains the time of the last read: explicit writes happen even if no part changed. */
  readonly holdsTime?: true
}

interface PersisterParts<Name, All, Of> {
  rows: ReadonlyMap<Name, Of>
  now: () => All
  /** Resolves once it is on disk; rejects when the disk refuses. */
  save: (row: Of, all: All) => Promise<void>
  /** The document that `persistChanged` waits for. */
  awaited: Name
  unsaved: ReturnType<typeof createDiskWarning>
}

/** Keeps documents on disk as they are now: writes what changes, and retries what the disk refused. */
export class Persister<Name extends string, All, Of extends Persisted<All>> {
  readonly #parts: PersisterParts<Name, All, Of>
  /** What each document was made of when it was last looked at. */
  readonly #seen: Map<Name, readonly unknown[]>
  /** The last value handed to the disk, so that each value is written only once, whoever asks. */
  readonly #handed = new Map<
    Name,
    { readonly parts: readonly unknown[]; readonly done: Promise<void> }
  >()
  readonly #retries = new Map<Name, Retry>()
  readonly #deferred = new Map<Name, ReturnType<typeof setTimeout>>()
  #awaited = Promise.resolve(true)
  #stopped = false

  constructor(parts: PersisterParts<Name, All, Of>) {
    this.#parts = parts
    const { rows, now } = parts
    this.#seen = new Map([...rows].map(([name, row]) => [name, row.parts(now())]))
  }

  /** Resolves once the document is on disk as it is now; rejects when the disk refuses. */
  persist(name: Name): Promise<void> {
    return this.#persist(name, this.#rowOf(name).holdsTime === true)
  }

  #persist(name: Name, evenIfSame = false): Promise<void> {
    const all = this.#parts.now()
    const made = this.#rowOf(name).parts(all)
    const before = this.#handed.get(name)
    if (before !== undefined && !evenIfSame && isSameList(before.parts, made)) return before.done
    const one = { parts: made, done: this.#save(name, all, made) }
    this.#handed.set(name, one)
    one.done.catch(() => {
      if (this.#handed.get(name) === one) this.#handed.delete(name)
    })
    return one.done
  }

  #save(name: Name, all: All, made: readonly unknown[]): Promise<void> {
    const { rows, save } = this.#parts
    const row = this.#rowOf(name)
    const first = [...rows.keys()].find((one) => one === row.after)
    if (first === undefined) return save(row, all)
    return this.#persist(first).then(() => {
      const newest = this.#handed.get(name)
      return newest === undefined || newest.parts === made ? save(row, all) : newest.done
    })
  }

  /**
   * Writes in the background what has changed since the last call; failures are reported and
   * retried until they succeed. Resolves when the last write of the awaited document has ended:
   * whether it is on disk.
   */
  persistChanged(): Promise<boolean> {
    const all = this.#parts.now()
    for (const [name, row] of this.#parts.rows) {
      const before = this.#seen.get(name) ?? []
      const after = row.parts(all)
      if (isSameList(before, after)) continue
      this.#seen.set(name, after)
      // While the app is quitting, no timer would fire for a deferred write.
      if (!this.#stopped && row.mayWait?.(before, after) === true) {
        this.#persistDebounced(name)
        continue
      }
      void this.#persistInBackground(name)
    }
    return this.#awaited
  }

  /** Writes all documents now, even those that seem to be on disk. */
  persistAll(): void {
    this.#handed.clear()
    for (const name of this.#parts.rows.keys()) void this.#persistInBackground(name)
  }

  /** Writes what was deferred and retries what failed, one last time. */
  stop(): void {
    this.#stopped = true
    for (const [name, timer] of this.#deferred) {
      clearTimeout(timer)
      void this.#persistInBackground(name)
    }
    this.#deferred.clear()
    for (const [name, retry] of this.#retries) {
      retry.stop()
      void this.#persistInBackground(name, true)
    }
  }

  #rowOf(name: Name): Of {
    const row = this.#parts.rows.get(name)
    if (row === undefined) throw new Error(`no document is called ${name}`)
    return row
  }

  #persistInBackground(name: Name, isRetry = false): Promise<boolean> {
    const written = this.#isPersisted(name, isRetry)
    if (name === this.#parts.awaited) this.#awaited = written
    return written
  }

  async #isPersisted(name: Name, isRetry: boolean): Promise<boolean> {
    const { words } = this.#rowOf(name)
    try {
      await this.#persist(name)
      this.#retries.get(name)?.worked()
      this.#retries.delete(name)
      this.#parts.unsaved(words, null)
      return true
    } catch (error) {
      // A retry does not repeat a dismissed warning; the next change that could be lost does.
      if (!isRetry) this.#parts.unsaved(words, refusalWords(error))
      const retry =
        this.#retries.get(name) ??
        createRetry(() => void this.#persistInBackground(name, true), retryMs)
      this.#retries.set(name, retry)
      if (!this.#stopped) retry.failed()
      return false
    }
  }

  #persistDebounced(name: Name): void {
    if (this.#deferred.has(name)) return
    const timer = setTimeout(() => {
      this.#deferred.delete(name)
      void this.#persistInBackground(name)
    }, debounceMs)
    this.#deferred.set(name, timer)
  }
}

/** Documents named in the warning. */
const mostNamed = 3

/**
 * Reports what the disk refused to save, and why, all in one warning: a full disk refuses everything.
 * A null reason: it has been saved.
 */
export function createDiskWarning(parts: {
  isShown: (id: string) => boolean
  trouble: (id: string, text: string | null) => void
}): (what: string, why: string | null) => void {
  const id = 'disk'
  /** What was refused since the warning was last dismissed, with the reason. */
  const refused = new Map<string, string>()
  return (what, why) => {
    const isShown = parts.isShown(id)
    if (!isShown) refused.clear()
    if (why !== null) refused.set(what, why)
    else if (!refused.delete(what)) return
    parts.trouble(id, refused.size === 0 ? null : warningOf(refused))
  }
}

function warningOf(refused: ReadonlyMap<string, string>): string {
  const whys = listWords([...new Set(refused.values())])
  return `Can’t save ${firstOf([...refused.keys()], mostNamed)} (${whys}). Belfry keeps running and retrying; a restart before a retry works would lose the latest changes. Check the free space and permissions of your home folder.`
}
