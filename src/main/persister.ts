import type { AttentionMemory } from '../shared/core/attention/memory.ts'
import type { AppState } from '../shared/core/state.ts'
import {
  type DocumentName,
  documentOf,
  documentRows,
  documents,
  type Kept,
  type StoredDocument,
} from './documents.ts'
import { createRetry, type Journal, type Retry } from './storage/journal.ts'

const isSame = (some: readonly unknown[], others: readonly unknown[]): boolean =>
  some.length === others.length && some.every((one, at) => one === others[at])

/** A disk that refused is retried after this, then less and less often. */
const retryMs = { firstMs: 5_000, longestMs: 60_000 }
const debounceMs = 10_000

/** Keeps the documents on disk. `onRefused` and `onSaved` are given a trouble's id. */
export function createPersister(parts: {
  get: () => AppState
  memory: () => AttentionMemory
  journal: Pick<Journal, 'save'>
  onRefused: (id: string, text: string) => void
  onSaved: (id: string) => void
}) {
  const now = (): Kept => ({ state: parts.get(), memory: parts.memory() })
  const seen = new Map(documentRows().map(([name, row]) => [name, row.parts(now())]))
  /** What was handed to the disk last, so that a value is written once, whoever asks for it. */
  const handed = new Map<
    DocumentName,
    { readonly parts: readonly unknown[]; readonly done: Promise<void> }
  >()
  const retries = new Map<DocumentName, Retry>()
  const deferred = new Map<DocumentName, ReturnType<typeof setTimeout>>()
  let notified = Promise.resolve()
  let stopped = false

  /** Resolves once the document is on disk as it is now; rejects when the disk refuses. */
  function persist(name: DocumentName): Promise<void> {
    const row: StoredDocument = documents[name]
    const kept = now()
    const made = row.parts(kept)
    const before = handed.get(name)
    if (before !== undefined && row.holdsTime !== true && isSame(before.parts, made))
      return before.done
    const one = { parts: made, done: parts.journal.save(row.file, documentOf(row, kept)) }
    handed.set(name, one)
    one.done.catch(() => {
      if (handed.get(name) === one) handed.delete(name)
    })
    return one.done
  }

  async function persistInBackground(name: DocumentName, isRetry = false): Promise<void> {
    const { file, words } = documents[name]
    try {
      await persist(name)
      retries.get(name)?.worked()
      retries.delete(name)
      parts.onSaved(`disk-${file}`)
    } catch (error) {
      // Whoever dismissed the warning has read it; the next change that could be lost warns again.
      if (!isRetry) parts.onRefused(`disk-${file}`, diskWords(words, error))
      const retry =
        retries.get(name) ?? createRetry(() => void persistInBackground(name, true), retryMs)
      retries.set(name, retry)
      if (!stopped) retry.failed()
    }
  }

  function persistDebounced(name: DocumentName): void {
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
     * Writes in the background what has changed since the last call: what is refused is reported, and
     * tried again by itself until it works. Resolves when the notified state is on disk, or was refused.
     */
    persistChanged() {
      const kept = now()
      for (const [name, row] of documentRows()) {
        const before = seen.get(name) ?? []
        const after = row.parts(kept)
        if (isSame(before, after)) continue
        seen.set(name, after)
        // Once the app is quitting, no timer would fire for what was deferred.
        if (!stopped && row.mayWait?.(before, after) === true) {
          persistDebounced(name)
          continue
        }
        const written = persistInBackground(name)
        if (name === 'notifiedState') notified = written
      }
      return notified
    },
    /** All of them now, those too that seem to be on disk. */
    persistAll() {
      handed.clear()
      for (const [name] of documentRows()) void persistInBackground(name)
    },
    /** Writes what was deferred, tries once more what was refused, and then no more. */
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

const refusalWords: Readonly<Record<string, string>> = {
  ENOSPC: 'disk full',
  EDQUOT: 'disk quota used up',
  EROFS: 'read-only disk',
  EACCES: 'no permission',
  EPERM: 'no permission',
}

function diskWords(words: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'
  const why = Object.hasOwn(refusalWords, code) ? refusalWords[code] : code
  return `Can't save ${words} (${why}). Belfry keeps running and trying; a restart before that would lose the latest changes. Check the free space and permissions of your home folder.`
}
