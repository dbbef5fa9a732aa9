import type { AttentionMemory } from '../shared/core/attention/memory.ts'
import type { Board } from '../shared/core/checks/board.ts'
import type { AppState } from '../shared/core/state.ts'
import { type MissedMark, marksDocument } from './storage/document-readers.ts'
import { createRetry, type Journal, type Retry } from './storage/journal.ts'

/** A disk that refused is tried again by itself after this, then ever more rarely. */
const retryMs = { firstMs: 5_000, longestMs: 60_000 }
/** Of what may be lost in a crash. */
const soonMs = 10_000

/** What is kept on disk, and what of the state each document holds: nothing of a demo. */
const documents = {
  incidents: (state: AppState) =>
    realOnes(state, state.incidents, ({ accountId, chatId }) => [accountId, chatId]),
  // Everything and tags belong to nobody: they stay.
  silences: (state: AppState) =>
    realOnes(state, state.silences, ({ scope }) => ('accountId' in scope ? [scope.accountId] : [])),
  outageMessages: (state: AppState) =>
    realOnes(state, state.outageMessages, ({ accountId, projectId }) => [accountId, projectId]),
  accounts: (state: AppState) =>
    state.accounts.filter(({ demo }) => !demo).map(({ keyLoss: _ofThisRun, ...rest }) => rest),
  settings: (state: AppState) => state.settings,
  drafts: (state: AppState) => realOnes(state, [...state.drafts], ([key]) => [key]),
  outbox: (state: AppState) =>
    realOnes(state, state.outbox, ({ accountId }) => [accountId]).map(
      ({ failure: _failure, ...rest }) => rest,
    ),
  notices: (state: AppState) => realOnes(state, state.notices, ({ accountId }) => [accountId]),
  // In one with what was told: an event that waits to be told is told, or waits, whatever happens.
  marks(state: AppState, memory: AttentionMemory) {
    const boards = realOnes(state, [...state.boards], ([id]) => [id])
    const realms = realOnes(state, [...state.realms], ([id]) => [id])
    return marksDocument({
      memory,
      boards: new Map(
        boards.flatMap(([id, { told }]) => (told === null ? [] : [[id, told] as const])),
      ),
      missed: new Map(
        boards.flatMap(([id, board]) =>
          board.told === null ? [] : [[id, missedMark(board)] as const],
        ),
      ),
      realms: new Map(
        realms.flatMap(([id, { told }]) => (told === null ? [] : [[id, told] as const])),
      ),
    })
  },
} satisfies Record<string, (state: AppState, memory: AttentionMemory) => unknown>

/** Everything is known up to the last read, but for what is still to be looked at. */
function missedMark({ missed, freshness, serverOffsetMs }: Board): MissedMark {
  const { readAt } = freshness
  const { since, told } = missed
  return { since: since ?? (readAt === null ? null : readAt + serverOffsetMs), told }
}

export type DocumentName = keyof typeof documents

/** Those of no demo. `keysOf` gives ids of accounts, or what starts with one. */
function realOnes<T>(
  { accounts }: AppState,
  all: readonly T[],
  keysOf: (one: T) => readonly string[],
): readonly T[] {
  const demos = accounts.filter(({ demo }) => demo)
  if (demos.length === 0) return all
  const isOfDemo = (key: string): boolean =>
    demos.some(({ id }) => key === id || key.startsWith(`${id}/`))
  return all.filter((one) => !keysOf(one).some(isOfDemo))
}

export interface Keeper {
  /** Resolves once the document is on disk as it is now; rejects when the disk refuses. */
  keep(name: DocumentName): Promise<void>
  /** In the background: what is refused is told, and tried again by itself until it works. */
  keepLater(name: DocumentName): Promise<void>
  /** In the background too, together with what changes in the next 10 s: it may be lost in a crash. */
  keepSoon(name: DocumentName): void
  /** All of them now, those too that seem to be on disk. */
  keepAll(): void
  /** What waits is kept now; what was refused is tried once more, and then no more. */
  stop(): void
}

/** Keeps the documents of the state on disk. `onRefused` and `onKept` are told a trouble's id. */
export function createKeeper(parts: {
  get: () => AppState
  memory: () => AttentionMemory
  journal: Pick<Journal, 'save'>
  onRefused: (id: string, text: string) => void
  onKept: (id: string) => void
}): Keeper {
  /** What was handed to the disk last, so that one value is written once whoever asks for it. */
  const handed = new Map<DocumentName, { readonly part: unknown; readonly done: Promise<void> }>()
  const retries = new Map<DocumentName, Retry>()
  const soon = new Map<DocumentName, ReturnType<typeof setTimeout>>()
  let stopped = false

  function keep(name: DocumentName): Promise<void> {
    const state = parts.get()
    const part = name === 'marks' ? null : state[name]
    const before = handed.get(name)
    if (before !== undefined && part !== null && before.part === part) return before.done
    const one = { part, done: parts.journal.save(name, documents[name](state, parts.memory())) }
    handed.set(name, one)
    one.done.catch(() => {
      if (handed.get(name) === one) handed.delete(name)
    })
    return one.done
  }

  async function keepLater(name: DocumentName, isRetry = false): Promise<void> {
    try {
      await keep(name)
      retries.get(name)?.worked()
      retries.delete(name)
      parts.onKept(`disk-${name}`)
    } catch (error) {
      // Who dismissed the warning has read it; the next change that is at stake warns again.
      if (!isRetry) parts.onRefused(`disk-${name}`, diskWords(name, error))
      const retry = retries.get(name) ?? createRetry(() => void keepLater(name, true), retryMs)
      retries.set(name, retry)
      if (!stopped) retry.failed()
    }
  }

  return {
    keep,
    keepLater: (name) => keepLater(name),
    keepSoon(name) {
      if (soon.has(name)) return
      // What comes while the app ends finds nobody who would wake up for it.
      if (stopped) return void keepLater(name)
      const timer = setTimeout(() => {
        soon.delete(name)
        void keepLater(name)
      }, soonMs)
      soon.set(name, timer)
    },
    keepAll() {
      handed.clear()
      for (const name of Object.keys(documents)) void keepLater(name as DocumentName) // its own keys
    },
    stop() {
      stopped = true
      for (const [name, timer] of soon) {
        clearTimeout(timer)
        void keepLater(name)
      }
      soon.clear()
      for (const [name, retry] of retries) {
        retry.stop()
        void keepLater(name, true)
      }
    },
  }
}

/** What is lost, in the user's words. */
const documentWords: Readonly<Record<DocumentName, string>> = {
  incidents: 'what was posted about outages',
  silences: 'what is snoozed',
  outageMessages: 'which messages tell of outages',
  accounts: 'the accounts',
  settings: 'the settings',
  drafts: 'drafts',
  outbox: 'the messages to send',
  notices: 'the notices',
  marks: 'what was told already',
}

const refusalWords: Readonly<Record<string, string>> = {
  ENOSPC: 'disk full',
  EDQUOT: 'disk quota used up',
  EROFS: 'read-only disk',
  EACCES: 'no permission',
  EPERM: 'no permission',
}

function diskWords(name: DocumentName, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'
  const why = Object.hasOwn(refusalWords, code) ? refusalWords[code] : code
  return `Can't save ${documentWords[name]} (${why}). Belfry goes on and tries again; until then a restart would lose it. Check the space and rights of your home folder.`
}
