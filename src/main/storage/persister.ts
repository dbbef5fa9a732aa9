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
  /** It also contains the time of the last read: explicit writes happen even if no part changed. */
  readonly holdsTime?: true
}

/** Keeps documents on disk as they are now: writes what changes, and retries what the disk refused. */
export function createPersister<Name extends string, All, Of extends Persisted<All>>(parts: {
  rows: ReadonlyMap<Name, Of>
  now: () => All
  /** Resolves once it is on disk; rejects when the disk refuses. */
  save: (row: Of, all: All) => Promise<void>
  /** The document that `persistChanged` waits for. */
  awaited: Name
  unsaved: ReturnType<typeof createDiskWarning>
}) {
  const { rows, now } = parts
  const seen = new Map([...rows].map(([name, row]) => [name, row.parts(now())]))
  /** The last value handed to the disk, so that each value is written only once, whoever asks. */
  const handed = new Map<
    Name,
    { readonly parts: readonly unknown[]; readonly done: Promise<void> }
  >()
  const retries = new Map<Name, Retry>()
  const deferred = new Map<Name, ReturnType<typeof setTimeout>>()
  let awaited = Promise.resolve()
  let stopped = false

  function rowOf(name: Name): Of {
    const row = rows.get(name)
    if (row === undefined) throw new Error(`no document is called ${name}`)
    return row
  }

  /** Resolves once the document is on disk as it is now; rejects when the disk refuses. */
  function persist(name: Name): Promise<void> {
    const row = rowOf(name)
    const all = now()
    const made = row.parts(all)
    const before = handed.get(name)
    if (before !== undefined && row.holdsTime !== true && isSameList(before.parts, made))
      return before.done
    const one = { parts: made, done: parts.save(row, all) }
    handed.set(name, one)
    one.done.catch(() => {
      if (handed.get(name) === one) handed.delete(name)
    })
    return one.done
  }

  async function persistInBackground(name: Name, isRetry = false): Promise<void> {
    const { words } = rowOf(name)
    try {
      await persist(name)
      retries.get(name)?.worked()
      retries.delete(name)
      parts.unsaved(words, null)
    } catch (error) {
      // A retry does not repeat a dismissed warning; the next change that could be lost does.
      if (!isRetry) parts.unsaved(words, refusalWords(error))
      const retry =
        retries.get(name) ?? createRetry(() => void persistInBackground(name, true), retryMs)
      retries.set(name, retry)
      if (!stopped) retry.failed()
    }
  }

  function persistDebounced(name: Name): void {
    if (deferred.has(name)) return
    const timer = setTimeout(() => {
      deferred.delete(name)
      void persistInBackground(name)
    }, debounceMs)
    deferred.set(name, timer)
  }

  return {
    persist,
    /**
     * Writes in the background what has changed since the last call; failures are reported and
     * retried until they succeed. Resolves when the awaited document is on disk, or its write has
     * failed.
     */
    persistChanged() {
      const all = now()
      for (const [name, row] of rows) {
        const before = seen.get(name) ?? []
        const after = row.parts(all)
        if (isSameList(before, after)) continue
        seen.set(name, after)
        // While the app is quitting, no timer would fire for a deferred write.
        if (!stopped && row.mayWait?.(before, after) === true) {
          persistDebounced(name)
          continue
        }
        const written = persistInBackground(name)
        if (name === parts.awaited) awaited = written
      }
      return awaited
    },
    /** Writes all documents now, even those that seem to be on disk. */
    persistAll() {
      handed.clear()
      for (const name of rows.keys()) void persistInBackground(name)
    },
    /** Writes what was deferred and retries what failed, one last time. */
    stop() {
      stopped = true
      for (const [name, timer] of deferred) {
        clearTimeout(timer)
        void persistInBackground(name)
      }
      deferred.clear()
      for (const [name, retry] of retries) {
        retry.stop()
        void persistInBackground(name, true)
      }
    },
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
