import * as v from 'valibot'
import {
  type Account,
  type AccountId,
  accountById,
  accountSchema,
} from '../../shared/core/account.ts'
import { emptyMemory, memoryOf } from '../../shared/core/attention/memory.ts'
import { noticeSchema } from '../../shared/core/attention/notice.ts'
import { outageMessageSchema } from '../../shared/core/attention/outage-messages.ts'
import { noRuns } from '../../shared/core/attention/runs/usual-runs.ts'
import { keptSilenceSchema, savedSilence } from '../../shared/core/attention/silence.ts'
import { filtered } from '../../shared/core/attention/silences-update.ts'
import { draftLinkSchema } from '../../shared/core/chat/drafts.ts'
import { afterRestart, type OutboxMessage, outboxSchema } from '../../shared/core/chat/outbox.ts'
import { statusEndSchema } from '../../shared/core/chat/own-status.ts'
import { emptyRealm } from '../../shared/core/chat/realm.ts'
import { withRealm } from '../../shared/core/chat/realm-update.ts'
import { schedulingSchema } from '../../shared/core/chat/scheduled.ts'
import { type Upload, uploadSchema, uploadsAfterRestart } from '../../shared/core/chat/upload.ts'
import { emptyBoard, nothingMissed, withBoard } from '../../shared/core/checks/board.ts'
import { withMissed } from '../../shared/core/checks/board-update.ts'
import type { CheckId } from '../../shared/core/checks/check.ts'
import { readAtOf, snapshotsOf, withSavedLookups } from '../../shared/core/checks/missed-flips.ts'
import { incidentSchema } from '../../shared/core/outages/incident.ts'
import { readableItems } from '../../shared/core/schemas.ts'
import { readSettings, type Settings } from '../../shared/core/settings.ts'
import { type AppState, type Environment, emptyState, showsDemo } from '../../shared/core/state.ts'
import { lastBoardOf } from '../../shared/core/views/last-board.ts'
import type { Saved } from '../base/ports.ts'
import { lastBoardSchema } from '../storage/last-board-schema.ts'
import { counter, leftOutWords } from '../storage/left-out.ts'
import {
  lookupsDocument,
  type NotifiedState,
  notifiedStateDocument,
  readLookups,
  readNotifiedState,
} from '../storage/notified-state.ts'
import {
  dependenciesRow,
  ownSoundsRow,
  plannedRow,
  programsRow,
  remindersRow,
} from './attention-documents.ts'
import { messagesDocument } from './messages-document.ts'
import { readParts, runsDocument } from './runs-document.ts'
import { type Kept, listDocument, type StoredDocument, strangersAmong } from './stored-document.ts'

/** Parts of the state that a restart resets: they have no document. */
type BeginsAnew = keyof Pick<AppState, 'target' | 'environment' | 'selfWatch' | 'troubles'>
/** No document of their own: `notifiedState`, `looks`, `lastBoards` and `messages` hold some of them. */
type InOthers = keyof Pick<AppState, 'boards' | 'realms'>

/** Everything kept on disk, one row for each document; all else is derived from these rows. */
export const documents = {
  // First, because reading the others drops items of unknown accounts.
  accounts: listDocument('accounts', {
    words: 'the accounts',
    item: v.pipe(
      accountSchema,
      // Belfry never writes accounts that fail these checks; a tampered file may contain them.
      v.check(({ demo, baseUrl }) => !demo && /^https?:\/\/[^\s@\\]+$/.test(baseUrl)),
      v.check(({ baseUrl }) => URL.canParse(baseUrl)),
      // Only the vault knows whether the key exists; until it is asked, the key counts as present.
      v.transform(
        (account): Account =>
          account.key === 'rejected' ? account : { ...account, key: 'present' },
      ),
    ),
    accountsOf: ({ id }) => [id],
    saved: ({ keyLoss: _ofThisRun, ...rest }) => rest,
  }),
  settings: {
    words: 'the settings',
    file: 'settings',
    parts: ({ state }) => [state.settings],
    write: ({ state: { settings } }, isIn) => withPins(settings, isIn),
    read: ({ state, memory }, document) => {
      const lost = counter()
      const settings = readSettings(document ?? {}, lost.add)
      return { state: { ...state, settings }, memory, unreadable: lost.count() }
    },
    without: (state, gone) => ({
      ...state,
      settings: withPins(state.settings, (id) => id !== gone),
    }),
  },
  drafts: listDocument('drafts', {
    words: 'the drafts',
    isPrecious: true,
    item: v.tuple([v.string(), v.string()]),
    accountsOf: ([key]) => [key.split('/')[0] ?? ''],
  }),
  draftLinks: listDocument('draftLinks', {
    words: 'which drafts the server has',
    after: 'drafts',
    item: v.tuple([v.string(), draftLinkSchema]),
    accountsOf: ([key]) => [key.split('/')[0] ?? ''],
  }),
  scheduling: listDocument('scheduling', {
    words: 'the messages to schedule',
    item: schedulingSchema,
    accountsOf: ({ accountId }) => [accountId],
  }),
  statusEnds: listDocument('statusEnds', {
    words: 'when your status ends',
    item: v.tuple([v.string(), statusEndSchema]),
    accountsOf: ([id]) => [id],
  }),
  outbox: listDocument('outbox', {
    words: 'the messages to send',
    isPrecious: true,
    item: v.pipe(
      outboxSchema,
      v.transform((message): OutboxMessage => ({ ...message, failure: null })),
    ),
    accountsOf: ({ accountId }) => [accountId],
    saved: ({ failure: _failure, ...rest }) => rest,
    restored: (messages, isInDoubt) => afterRestart(isInDoubt ? messages.map(doubted) : messages),
  }),
  uploads: listDocument('uploads', {
    words: 'the files to upload',
    after: 'drafts',
    item: v.pipe(
      uploadSchema,
      v.transform((upload): Upload => ({ ...upload, failure: null })),
    ),
    accountsOf: ({ accountId }) => [accountId],
    saved: ({ failure: _failure, ...rest }) => rest,
    restored: uploadsAfterRestart,
    // Upload progress is not worth a write of its own.
    mayWait: ({ state, sent }) => state === 'sending' && sent > 0,
  }),
  silences: listDocument('silences', {
    words: 'what is snoozed',
    after: 'notifiedState',
    item: keptSilenceSchema,
    // Silences of everything or of a tag belong to no account, so they stay.
    accountsOf: ({ scope }) => ('accountId' in scope ? [scope.accountId] : []),
    within: (silence, isIn) =>
      filtered(silence, ({ scope }) => !('accountId' in scope) || isIn(scope.accountId)),
    saved: savedSilence,
  }),
  planned: plannedRow,
  reminders: remindersRow,
  dependencies: dependenciesRow,
  ownSounds: ownSoundsRow,
  programs: programsRow,
  incidents: listDocument('incidents', {
    words: 'what was posted about outages',
    item: incidentSchema,
    accountsOf: ({ accountId, chatId }) => [accountId, chatId],
  }),
  outageMessages: listDocument('outageMessages', {
    words: 'which messages report outages',
    after: 'silences',
    item: outageMessageSchema,
    accountsOf: ({ accountId, projectId }) => [accountId, projectId],
  }),
  notices: listDocument('notices', {
    words: 'the notifications',
    item: noticeSchema,
    accountsOf: ({ accountId }) => [accountId],
    // Otherwise each silent message would rewrite all 500 notices.
    mayWait: ({ outcome }) => outcome === 'silent',
  }),
  // Includes the attention memory: even after a crash, an event is either notified or still
  // waiting.
  notifiedState: {
    words: 'which notifications were already sent',
    file: 'marks',
    parts: ({ state, memory, runs }) => [
      memory,
      ...[...runs].flatMap(([id, { notifiedUpTo }]) => [id, notifiedUpTo]),
      ...[...state.boards].flatMap(([id, { notified, missed }]) => [
        id,
        notified,
        missed.notifiedUpTo,
      ]),
      ...[...state.realms].flatMap(([id, { notified }]) => [id, notified]),
    ],
    holdsTime: true,
    write: ({ state, memory, runs }, isIn) => {
      const boards = [...state.boards].flatMap(([id, board]) =>
        isIn(id) && board.notified !== null ? [{ id, board, notified: board.notified }] : [],
      )
      return notifiedStateDocument({
        memory: showsDemo(state) ? memoryOf(memory, isIn) : memory,
        boards: new Map(boards.map(({ id, notified }) => [id, notified])),
        runs: new Map(
          [...runs].flatMap(([id, { notifiedUpTo }]) => (isIn(id) ? [[id, notifiedUpTo]] : [])),
        ),
        missed: new Map(
          boards.map(({ id, board }) => [id, { ...board.missed, since: readAtOf(board) }]),
        ),
        realms: new Map(
          [...state.realms].flatMap(([id, { notified }]) =>
            isIn(id) && notified !== null ? [[id, notified] as const] : [],
          ),
        ),
      })
    },
    read: ({ state }, document, isInDoubt) => {
      const lost = counter()
      const read = readNotifiedState(document, lost.add)
      const boards = new Map(read.boards)
      // Checks without an entry count as up: an alarm may be repeated, but none is lost.
      if (isInDoubt || lost.count() > 0)
        for (const { id } of state.accounts) if (!boards.has(id)) boards.set(id, new Map())
      const notified = { ...read, boards }
      return {
        // For all accounts at once: a write before the last is connected must not leave any out.
        state: state.accounts.reduce((before, { id }) => withPlaceFor(before, id, notified), state),
        memory: notified.memory,
        runs: new Map(
          [...read.runs].flatMap(([id, notifiedUpTo]) =>
            accountById(state, id) === null ? [] : [[id, { ...noRuns, notifiedUpTo }]],
          ),
        ),
        unreadable: lost.count(),
        orphans: strangersAmong(state, read.boards, read.realms, read.runs),
      }
    },
    without: (state, gone) => ({
      ...state,
      boards: new Map([...state.boards].filter(([id]) => id !== gone)),
      realms: new Map([...state.realms].filter(([id]) => id !== gone)),
    }),
  },
  // Large and soon out of date; after a crash, an older one costs lookups and may list an outage
  // twice.
  looks: {
    words: 'what was last seen of each check',
    file: 'looks',
    parts: ({ state }) => readParts(state, ({ missed, notified }) => [missed.found, notified]),
    mayWait: () => true,
    holdsTime: true,
    write: ({ state }, isIn) =>
      [...state.boards].flatMap(([id, board]) =>
        isIn(id) && board.notified !== null
          ? [
              [
                id,
                lookupsDocument({ snapshots: snapshotsOf(board), pending: board.missed.pending }),
              ],
            ]
          : [],
      ),
    read: ({ state, memory }, document) => {
      const lost = counter()
      let restoredState = state
      const all = readLookups(document ?? [], lost.add)
      for (const [id, saved] of all)
        restoredState = withMissed(restoredState, id, ({ missed }) =>
          withSavedLookups(missed, saved),
        )
      const orphans = strangersAmong(state, all)
      return { state: restoredState, memory, unreadable: lost.count(), orphans }
    },
    without: (state) => state,
  },
  // After `notifiedState`, which has what was notified.
  runs: runsDocument,
  // For the window alone, and only until the first read.
  lastBoards: {
    words: 'the checks as last seen',
    file: 'boards',
    parts: ({ state }) => readParts(state),
    mayWait: () => true,
    holdsTime: true,
    write: ({ state }, isIn) =>
      [...state.boards].flatMap(([id, board]) => {
        const isPinned = (checkId: CheckId) =>
          state.settings.pins.some((pin) => pin.accountId === id && pin.checkId === checkId)
        const last = isIn(id) ? lastBoardOf(board, isPinned) : null
        return last === null ? [] : [[id, last]]
      }),
    read: ({ state, memory }, document) => {
      const lost = counter()
      const boards = new Map(state.boards)
      const all = readableItems(lastBoardSchema, document ?? [], lost.add)
      for (const [id, last] of all) {
        const board = boards.get(id)
        if (board !== undefined) boards.set(id, { ...board, last })
      }
      const orphans = strangersAmong(state, all)
      return { state: { ...state, boards }, memory, unreadable: lost.count(), orphans }
    },
    without: (state) => state,
  },
  // After `notifiedState`, which creates the realms.
  messages: messagesDocument,
} satisfies Record<Exclude<keyof AppState, BeginsAnew | InOthers>, StoredDocument> &
  Record<string, StoredDocument>

export type DocumentName = keyof typeof documents

export const documentRows = (): [DocumentName, StoredDocument][] =>
  // `Object.entries` gives its keys the type `string`.
  Object.entries(documents) as [DocumentName, StoredDocument][]

/** In an old copy, queued messages may have been sent since, and Belfry never sends twice. */
function doubted(message: OutboxMessage): OutboxMessage {
  return message.state === 'queued' ? { ...message, state: 'unconfirmed' } : message
}

/** Adds an empty board or realm for an account without one. `notified`: null for a new account. */
export function withPlaceFor(
  state: AppState,
  id: AccountId,
  notified: NotifiedState | null,
): AppState {
  const account = accountById(state, id)
  if (account?.kind === 'monitoring' && !state.boards.has(id)) {
    const missed = { ...nothingMissed, ...notified?.missed.get(id) }
    return withBoard(state, emptyBoard(id, notified?.boards.get(id) ?? null, missed))
  }
  if (account?.kind === 'chat' && !state.realms.has(id))
    return withRealm(state, emptyRealm(id, notified?.realms.get(id) ?? null))
  return state
}

/**
 * Reads all documents at the start. A file that is partly unusable is copied before it is written
 * without that part (`mended`). `areAccountsSure` and `areUploadsSure`: these are all that there
 * are, so what they don't name is not in use.
 */
export function restored(
  saved: Saved,
  environment: Environment,
): Kept & {
  readonly areAccountsSure: boolean
  readonly areUploadsSure: boolean
  readonly mended: readonly DocumentName[]
} {
  let kept: Kept = {
    ...{ state: { ...emptyState, environment }, memory: emptyMemory, runs: new Map() },
  }
  let areAccountsLost = false
  let areAccountsSure = false
  let areUploadsSure = true
  const mended: DocumentName[] = []
  for (const [name, row] of documentRows()) {
    const { file } = row
    const document = saved.read(file)
    const isInDoubt = saved.files?.inDoubt(file) === true
    const { unreadable = 0, orphans = 0, ...made } = row.read(kept, document, isInDoubt)
    kept = { ...kept, ...made }
    const isLost = isInDoubt || unreadable > 0
    const isWhole = !isLost && saved.files?.hasNewer(file) !== true
    if (name === 'accounts') {
      areAccountsLost = isLost
      areAccountsSure = isWhole && document !== null
    }
    // Uploads of accounts that are lost are left out.
    if (name === 'accounts' || name === 'uploads') areUploadsSure &&= isWhole
    const why = whyCopied(row, { unreadable, orphans, areAccountsLost })
    if (why !== null) saved.files?.keepCopy(file, why)
    // Lost accounts may be back at the next start, and find their texts where they were. The rest of
    // a removed one is there if the run ended before the disk let it go.
    const isMended = why !== null && (unreadable > 0 || !areAccountsLost)
    if (isMended || (orphans > 0 && areAccountsSure)) mended.push(name)
  }
  return { ...kept, areAccountsSure, areUploadsSure, mended }
}

/** What of a document is not used, in words for the user; null: nothing. */
function whyCopied(
  { file, words, isPrecious }: StoredDocument,
  not: { unreadable: number; orphans: number; areAccountsLost: boolean },
): string | null {
  const remedy = file === 'accounts' ? ' Add what is missing again under Accounts.' : ''
  if (not.unreadable > 0) return `${leftOutWords(not.unreadable, words)}${remedy}`
  if (isPrecious !== true || not.orphans === 0) return null
  const which = not.areAccountsLost ? 'could not be read' : 'Belfry doesn’t have'
  return `Some of ${words} belong to accounts that ${which}.`
}

function withPins(settings: Settings, isIn: (id: AccountId) => boolean): Settings {
  return { ...settings, pins: settings.pins.filter(({ accountId }) => isIn(accountId)) }
}
