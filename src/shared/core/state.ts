import type { AccountsSlice, Freshness, KeyProtection } from './account.ts'
import type { AttentionSlice } from './attention/attention-slice.ts'
import { movedBy } from './attention/silence.ts'
import type { ChatSlice } from './chat/chat-slice.ts'
import type { ChecksSlice } from './checks/board.ts'
import type { OutagesSlice } from './outages/incident.ts'
import { defaultSettings, type SettingsSlice } from './settings.ts'
import type { Target } from './target.ts'
import type { TroublesSlice } from './trouble.ts'

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
 *
 * Each domain has a slice, and functions on it; only what is computed from all of them knows this.
 */
export interface AppState
  extends AccountsSlice,
    ChecksSlice,
    ChatSlice,
    OutagesSlice,
    AttentionSlice,
    SettingsSlice,
    TroublesSlice {
  /** Where the window was asked to go; `times` counts, as the same place twice is two requests. */
  readonly target: { readonly to: Target; readonly times: number }
  readonly environment: Environment
  /** The pings to the check that watches Belfry itself. */
  readonly selfWatch: {
    /** Epoch ms of the last one that the server accepted; null: none yet. */
    readonly pingedAt: number | null
    /** Why no ping is sent; null if nothing is wrong. */
    readonly problem: string | null
  }
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
  planned: [],
  reminders: [],
  ownSounds: new Map(),
  programs: new Map(),
  dependencies: [],
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

/**
 * The state after this computer's clock was set by `setMs` (negative: back), until everything is
 * read again a moment later.
 *
 * If it was set back, the times of reads and silences move with it: otherwise old data would count as
 * fresh again, and a snooze go on, for as long as the clock was moved. If it was set forward they stay,
 * and the data counts as old: an unnoticed suspend looks just the same, and then the data is old. The
 * difference to the server's clock stays as well, or the last read would seem to be earlier by `setMs`.
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
          serverOffsetMs: board.serverOffsetMs - setBack,
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
  const { readAt, seenAt, nextAt, failedAt } = freshness
  const setBack = Math.min(0, setMs)
  return {
    ...freshness,
    readAt: readAt === null ? null : readAt + setBack,
    ...(seenAt === undefined ? {} : { seenAt: seenAt + setBack }),
    failedAt: failedAt === null ? null : failedAt + setBack,
    nextAt: nextAt === null ? null : nextAt + setMs,
  }
}
