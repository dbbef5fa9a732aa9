import type { AccountId } from './account.ts'

/** One request of an account as the diagnostics show it: nothing of it names anything or anybody. */
export interface Exchange {
  /** Epoch ms. */
  readonly at: number
  readonly method: string
  /** As the operation declares it, `/api/v3/checks/{uuid}`: nothing is filled in. */
  readonly path: string
  /** HTTP status; or why there was none, as a kind or reason of `Failure`. */
  readonly outcome: number | string
  readonly ms: number
  /** Of the answer, as it was read. */
  readonly bytes: number
  /** Requests that this key may still send in this minute; null where nothing counts them. */
  readonly left: number | null
}

/** What the computer says about itself. */
export interface ComputerFacts {
  readonly versions: readonly (readonly [name: string, value: string])[]
  /** Null where the system has none. */
  readonly sessionBus: boolean | null
  readonly tray: boolean
  /** How the last notification went, or the next one will. */
  readonly notifiedBy: string
  readonly capabilities: readonly string[]
  readonly systemQuiet: boolean
  /** Electron's name of the keyring, such as `gnome_libsecret`; null: it has no name here. */
  readonly keyring: string | null
}

/** What the window shows, and what a report is made from. */
export interface Diagnostics {
  readonly facts: ComputerFacts
  /** The disk took what was written just now; null: it was not asked. */
  readonly disk: boolean | null
  /** The last requests of each account, newest first. */
  readonly exchanges: ReadonlyMap<AccountId, readonly Exchange[]>
}

export function exchangeLine({ at, method, path, outcome, ms, bytes, left }: Exchange): string {
  const budget = left === null ? '' : `, ${left} left`
  return `${new Date(at).toISOString()} ${method} ${path} ${outcome} ${Math.round(ms)} ms ${bytes} B${budget}`
}
