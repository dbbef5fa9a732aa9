import type { Account, AccountId, Freshness, KeyProtection } from './account.ts'
import type { Notice } from './attention/notice.ts'
import type { OutageMessage } from './attention/outage-messages.ts'
import { type KeptSilence, movedBy } from './attention/silence.ts'
import type { DraftLink, Scheduling, StatusEnd } from './chat/later.ts'
import type { OutboxMessage } from './chat/outbox.ts'
import type { Realm } from './chat/realm.ts'
import type { Upload } from './chat/upload.ts'
import type { Board } from './checks/board.ts'
import { invalid } from './failure.ts'
import type { Incident } from './outages/incident.ts'
import { defaultSettings, type Settings } from './settings.ts'
import type { Target } from './target.ts'

/** Facts about the computer that the windows need. */
export interface Environment {
  /** How a new key would be kept here; unless it is `os`, the account forms say so. */
  readonly protection: KeyProtection
  /** `--demo`: the whole app runs on demo data. */
  readonly demo: boolean
  readonly version: string
  /** The app runs on the system's Chromium because Electron could not be downloaded. */
  readonly standIn: boolean
  /** The locale of the system's formats: "de-DE", "de_DE.UTF-8"; empty if unknown. */
  readonly systemLocale: string
}

/**
 * Everything the app knows, as one value in main; the tray, the notifications and the windows are
 * computed from it. Plain data, all readonly, no keys. Maps rather than records: copying one for a
 * change takes a tenth of the time and keeps the order, and structured clone supports them.
 */
export interface AppState {
  readonly accounts: readonly Account[]
  readonly boards: ReadonlyMap<AccountId, Board>
  readonly realms: ReadonlyMap<AccountId, Realm>
  readonly outbox: readonly OutboxMessage[]
  /** In the order they were started. */
  readonly uploads: readonly Upload[]
  /** Unsent text by `draftKey`. */
  readonly drafts: ReadonlyMap<string, string>
  /** The drafts' copies on the servers, by the same keys. */
  readonly draftLinks: ReadonlyMap<string, DraftLink>
  /** Messages not yet confirmed as scheduled. */
  readonly scheduling: readonly Scheduling[]
  readonly statusEnds: ReadonlyMap<AccountId, StatusEnd>
  /** Where the window was asked to go; `times` counts, as the same place twice is two requests. */
  readonly target: { readonly to: Target; readonly times: number }
  /** Newest first, bounded. */
  readonly notices: readonly Notice[]
  readonly settings: Settings
  /** Snoozed, acknowledged, muted, and do not disturb. */
  readonly silences: readonly KeptSilence[]
  /** The chat messages that report outages. */
  readonly outageMessages: readonly OutageMessage[]
  /** Outages discussed in the chat, newest first, bounded. */
  readonly incidents: readonly Incident[]
  readonly environment: Environment
  /** The pings to the check that watches Belfry itself. */
  readonly selfWatch: {
    /** Epoch ms of the last one that the server accepted; null: none yet. */
    readonly pingedAt: number | null
    /** Why no ping is sent; null if nothing is wrong. */
    readonly problem: string | null
  }
  /**
   * Sentences for the user about local problems, such as a full disk; newest last. `to`: the page
   * where the user can do something about it.
   */
  readonly troubles: readonly { readonly id: string; readonly text: string; readonly to?: Target }[]
}

export const emptyState: AppState = {
  accounts: [],
  boards: new Map(),
  realms: new Map(),
  outbox: [],
  uploads: [],
  drafts: new Map(),
  draftLinks: new Map(),
  scheduling: [],
  statusEnds: new Map(),
  target: { to: { view: 'checks' }, times: 0 },
  notices: [],
  settings: defaultSettings,
  silences: [],
  incidents: [],
  outageMessages: [],
  environment: {
    protection: 'session',
    demo: false,
    version: '0.0.0',
    standIn: false,
    systemLocale: '',
  },
  selfWatch: { pingedAt: null, problem: null },
  troubles: [],
}

/** Whether any demo data is shown; the windows then say so. */
export function showsDemo(state: AppState): boolean {
  return state.accounts.some(({ demo }) => demo)
}

export function accountById(
  { accounts }: Pick<AppState, 'accounts'>,
  id: AccountId,
): Account | null {
  return accounts.find((account) => account.id === id) ?? null
}

/** The state with one account changed; the same state if the account is gone. */
export function withAccount(
  state: AppState,
  id: AccountId,
  change: (account: Account) => Account,
): AppState {
  if (accountById(state, id) === null) return state
  return { ...state, accounts: state.accounts.map((one) => (one.id === id ? change(one) : one)) }
}

/** The account that a command is about; throws if it has been removed. */
export function known(state: AppState, id: AccountId): Account {
  const account = accountById(state, id)
  if (account === null) throw invalid('account', 'This account is gone.')
  return account
}

/** The state with a trouble shown until it is dismissed; null: it is over. The same if nothing changes. */
export function withTrouble(
  state: AppState,
  id: string,
  text: string | null,
  to?: Target,
): AppState {
  const { troubles } = state
  const known = troubles.findIndex((one) => one.id === id)
  if ((troubles[known]?.text ?? null) === text) return state
  const made = text === null ? [] : [{ id, text, ...(to && { to }) }]
  const at = known === -1 ? troubles.length : known
  return { ...state, troubles: troubles.toSpliced(at, known === -1 ? 0 : 1, ...made) }
}

/** The freshness of an account's data; null if it has no board or realm yet. */
export function freshnessOf(state: AppState, accountId: AccountId): Freshness | null {
  return (state.boards.get(accountId) ?? state.realms.get(accountId))?.freshness ?? null
}

/**
 * The state after this computer's clock was set by `setMs` (negative: back), until everything is
 * read again a moment later.
 *
 * If it was set back, the times of reads and silences move with it: otherwise old data would count as
 * fresh again, and a snooze go on, for as long as the clock was moved. If it was set forward they stay,
 * and the data counts as old: an unnoticed suspend looks just the same, and then the data is old.
 */
export function withClockSet(state: AppState, setMs: number): AppState {
  const setBack = Math.min(0, setMs)
  return {
    ...state,
    silences: setBack === 0 ? state.silences : state.silences.map((one) => movedBy(one, setBack)),
    boards: new Map(
      [...state.boards].map(([id, board]) => [
        id,
        {
          ...board,
          freshness: shifted(board.freshness, setMs),
          serverOffsetMs: board.serverOffsetMs - setMs,
        },
      ]),
    ),
    realms: new Map(
      [...state.realms].map(([id, realm]) => [
        id,
        { ...realm, freshness: shifted(realm.freshness, setMs) },
      ]),
    ),
  }
}

function shifted(freshness: Freshness, setMs: number): Freshness {
  const { readAt, nextAt, failedAt } = freshness
  const setBack = Math.min(0, setMs)
  return {
    ...freshness,
    readAt: readAt === null ? null : readAt + setBack,
    failedAt: failedAt === null ? null : failedAt + setBack,
    nextAt: nextAt === null ? null : nextAt + setMs,
  }
}
