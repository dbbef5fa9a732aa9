import type { AccountId } from './account.ts'

/** One request of an account as the diagnostics show it, without anything identifying. */
export interface Exchange {
  /** Epoch ms. */
  readonly at: number
  readonly method: string
  /** The operation's path template, such as `/api/v3/checks/{uuid}`. */
  readonly path: string
  /** HTTP status, or if there was none, the kind or reason of the `Failure`. */
  readonly outcome: number | string
  readonly ms: number
  /** Size of the decoded response. */
  readonly bytes: number
  /** Requests left to this key in this minute; null if there is no limit. */
  readonly left: number | null
}

/** Facts about this computer. */
export interface ComputerFacts {
  readonly versions: readonly (readonly [name: string, value: string])[]
  /** Null on systems without one. */
  readonly sessionBus: boolean | null
  readonly tray: boolean
  /** How the last notification was shown, or how the next one will be. */
  readonly notifiedBy: string
  readonly capabilities: readonly string[]
  readonly systemQuiet: boolean
  /** Electron's name of the keyring, such as `gnome_libsecret`; null where it has none. */
  readonly keyring: string | null
}

/** What the diagnostics page shows and the saved report contains. */
export interface Diagnostics {
  readonly facts: ComputerFacts
  /** Whether a test write to disk succeeded; null: not tried. */
  readonly disk: boolean | null
  /** The last requests of each account, newest first. */
  readonly exchanges: ReadonlyMap<AccountId, readonly Exchange[]>
}

export function exchangeLine({ at, method, path, outcome, ms, bytes, left }: Exchange): string {
  const budget = left === null ? '' : `, ${left} left`
  return `${new Date(at).toISOString()} ${method} ${path} ${outcome} ${Math.round(ms)} ms ${bytes} B${budget}`
}
