import type { AttentionMemory } from '../shared/core/attention/memory.ts'
import type { Board } from '../shared/core/board.ts'
import type { AppState } from '../shared/core/state.ts'
import { type MissedMark, marksDocument } from './storage/documents.ts'
import type { Journal } from './storage/journal.ts'
import { createRetry, type Retry } from './storage/retry.ts'

/** A disk that refused is tried again by itself after this, then ever more rarely. */
const retryMs = { firstMs: 5_000, longestMs: 60_000 }

/** What is kept on disk, and what of the state each document holds. */
const documents = {
  incidents: (state: AppState) =>
    state.incidents.filter(
      ({ accountId, chatId }) => !ofDemo(state, accountId) && !ofDemo(state, chatId),
    ),
  silences: (state: AppState) => state.silences.filter((silence) => !isOfDemo(state, silence)),
  outageMessages: (state: AppState) =>
    state.outageMessages.filter(
      ({ accountId, projectId }) => !ofDemo(state, accountId) && !ofDemo(state, projectId),
    ),
  accounts: (state: AppState) =>
    state.accounts.filter(({ demo }) => !demo).map(({ keyLoss: _ofThisRun, ...rest }) => rest),
  settings: (state: AppState) => state.settings,
  drafts: (state: AppState) => [...state.drafts].filter(([key]) => !ofDemo(state, key)),
  outbox: (state: AppState) =>
    state.outbox
      .filter(({ accountId }) => !ofDemo(state, accountId))
      .map(({ failure: _failure, ...rest }) => rest),
  notices: (state: AppState) => state.notices.filter(({ accountId }) => !ofDemo(state, accountId)),
  // In one with what was told: an event that waits to be told is told, or waits, whatever happens.
  marks: (state: AppState, memory: AttentionMemory) =>
    marksDocument({
      memory,
      boards: new Map(
        [...state.boards].flatMap(([id, { told }]) =>
          told === null || ofDemo(state, id) ? [] : [[id, told] as const],
        ),
      ),
      missed: new Map(
        [...state.boards].flatMap(([id, board]) =>
          board.told === null || ofDemo(state, id) ? [] : [[id, missedMark(board)] as const],
        ),
      ),
      realms: new Map(
        [...state.realms].flatMap(([id, { told }]) =>
          told === null || ofDemo(state, id) ? [] : [[id, told] as const],
        ),
      ),
    }),
} satisfies Record<string, (state: AppState, memory: AttentionMemory) => unknown>

/** Everything is known up to the last read, but for what is still to be looked at. */
function missedMark({ missed, freshness, serverOffsetMs }: Board): MissedMark {
  const { readAt } = freshness
  const { since, told } = missed
  return { since: since ?? (readAt === null ? null : readAt + serverOffsetMs), told }
}

export type DocumentName = keyof typeof documents

/** `key` is an account's id, or starts with one. */
function ofDemo(state: AppState, key: string): boolean {
  return state.accounts.some(({ id, demo }) => demo && (key === id || key.startsWith(`${id}/`)))
}

/** Everything and tags belong to nobody: they stay. */
function isOfDemo(state: AppState, { scope }: AppState['silences'][number]): boolean {
  return 'accountId' in scope && ofDemo(state, scope.accountId)
}

export interface Keeper {
  /** Resolves once the document is on disk as it is now; rejects when the disk refuses. */
  keep(name: DocumentName): Promise<void>
  /** In the background: what is refused is told, and tried again by itself until it works. */
  keepLater(name: DocumentName): Promise<void>
  /** The same for all of them, those too that seem to be on disk. */
  keepAll(): void
  /** What was refused is tried once more, and then no more. */
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
    keepAll() {
      handed.clear()
      for (const name of Object.keys(documents)) void keepLater(name as DocumentName) // its own keys
    },
    stop() {
      stopped = true
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
