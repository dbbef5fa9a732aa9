import type { NotificationTest } from '../shared/contract.ts'
import type { AccountId, KeyLoss, KeyProtection } from '../shared/core/account.ts'
import type { Notice } from '../shared/core/attention/notice.ts'
import type { CheckId } from '../shared/core/checks/check.ts'
import type { Flip, HistoryEntry, HistoryFilter } from '../shared/core/checks/history.ts'
import type { ComputerFacts } from '../shared/core/diagnosis.ts'
import type { Patch } from '../shared/core/patch.ts'
import type { GlobalKeys } from '../shared/core/settings.ts'
import type { TrayView } from '../shared/core/views/tray-view.ts'

/** What `App` asks of the computer. `desktop/` does it with Electron, `test/support/fake-desktop.ts` in memory. */
export interface Desktop {
  showTray(view: TrayView): void
  pushPatch(patch: Patch): void
  /** Never blocks and never throws: a missing daemon costs the pop-up, not the app. */
  notify(notice: Notice): void
  /** Takes back a notification that no longer holds, if it is still on the screen. */
  withdraw(subject: string): void
  /** Which way the last notification went, once it is known; or, if that was a while ago, the next one would. */
  notifiedBy(): Promise<NotifiedBy>
  /** The system's own do-not-disturb is on, as far as it can be known. */
  systemQuiet(): boolean
  /** Told each time `systemQuiet` changes. */
  onSystemQuiet(listener: (quiet: boolean) => void): void
  /** As far as it can be known. */
  screenLocked(): boolean
  showWindow(): void
  hideWindow(): void
  /** Percent: how large everything in the window is, now and from now on. */
  setZoom(percent: number): void
  /** http, https and mailto only; throws `RequestFailed` of kind `invalid` for anything else. */
  openLink(url: string): Promise<void>
  copyText(text: string): void
  /**
   * Asks the user by a dialog of the system's, which no window can draw or answer; true for `yes`. One
   * at a time: while it is open, other questions are answered with no.
   */
  ask(question: Question): Promise<boolean>
  /** The system's own dialog, in front of the window; null when the user chose none. */
  chooseFile(): Promise<LocalFile | null>
  /** The same for any number of them. */
  chooseFiles(): Promise<readonly LocalFile[]>
  /** The text of a file that the user chooses in the same way; null when they chose none. */
  readChosenFile(): Promise<string | null>
  /** Writes a text to where the user says; false when they don't. Throws `RequestFailed` if it can't be written. */
  saveFile(name: string, text: string): Promise<boolean>
  facts(): Promise<ComputerFacts>
  /** All that the log files hold. */
  logs(): Promise<string>
  quit(): void
  /**
   * Takes these keys from the whole desktop, and releases all others. Resolves with why it could not,
   * in words; null: it did.
   */
  takeKeys(keys: GlobalKeys): Promise<string | null>
  startsAtLogin(): Promise<boolean>
  /** Throws `RequestFailed` where the system does not take it. */
  setStartsAtLogin(on: boolean): Promise<void>
}

/** Plain text. `yes` is a verb, as on a button. */
export interface Question {
  readonly message: string
  readonly detail: string
  readonly yes: string
}

export type NotifiedBy = Omit<NotificationTest, 'systemQuiet'>

/** A file of this computer that the user pointed at. */
export interface LocalFile {
  readonly path: string
  readonly name: string
  /** Bytes. */
  readonly size: number
}

/** Files that are still to be uploaded, kept across restarts. They throw `RequestFailed` when the disk refuses. */
export interface KeptFiles {
  /** Adds a piece to a file of this id, which begins with the first. */
  append(id: string, name: string, bytes: Uint8Array): Promise<LocalFile>
  keep(id: string, file: LocalFile): Promise<void>
  /** Null where nothing was kept, or it is no longer what it was. */
  find(id: string): Promise<LocalFile | null>
  /** Null where it can't be read any more. */
  content(file: LocalFile): Promise<Uint8Array | null>
  /** Removes all but these. */
  sweep(ids: ReadonlySet<string>): Promise<void>
}

/** Keys, on their way in. Reading them back is for `accounts/connections.ts` alone. */
export interface Vault {
  /** How a new key would be kept: `os` when real protection was seen to work. */
  readonly protection: KeyProtection
  /** Resolves with how the key is kept now: in memory where the keyring doesn't take it. */
  put(id: AccountId, key: string): Promise<KeyProtection>
  /** Null: there is none. Throws `VaultLocked` when the keyring is locked for now; the blob stays. */
  get(id: AccountId): Promise<string | null>
  delete(id: AccountId): Promise<void>
  /** How this key is kept; of none, how one would be. */
  protectionOf(id: AccountId): KeyProtection
  /** Why `get` found no key although one was saved; null when none was. */
  lossOf(id: AccountId): KeyLoss | null
  /**
   * Whether keys that nothing protects may be on disk all the same. Taken back, those that are there
   * are deleted from it, and kept in memory for this session.
   */
  allowWeak(allowed: boolean): Promise<void>
}

export class VaultLocked extends Error {}

/** Small JSON documents that survive a restart. */
export interface Saved {
  /** Null when there is none. A corrupt file is set aside and reported through `onTrouble`; its backup is read, or null. */
  read(name: string): unknown
  /** Resolves when it is safely on disk; atomic, 0600. Rejects on a full or read-only disk. */
  write(name: string, value: unknown): Promise<void>
  /** What only real files can answer; absent where there are none. */
  readonly files?: {
    /** What was read came from a backup, or nothing did since all files were bad: it may be old. */
    inDoubt(name: string): boolean
    /** Keeps a copy of a file of which a part could not be used, and reports to the user `why` and where. */
    keepCopy(name: string, why: string): void
  }
}

/**
 * What happened, kept for weeks and bounded in size: nothing that the app needs to go on, so it
 * never throws and never holds anything up. What can't be written is reported as trouble.
 */
export interface History {
  add(entries: readonly HistoryEntry[]): void
  /** Flips as the server returns them; one that is known already is not kept twice. */
  addFlips(accountId: AccountId, checkId: CheckId, flips: readonly Flip[]): void
  /** Ascending by time. */
  entries(filter: HistoryFilter): readonly HistoryEntry[]
  /** Ascending by time. */
  flips(accountId: AccountId, checkId: CheckId, from: number): readonly Flip[]
  /** Everything of an account that was removed. */
  forget(accountId: AccountId): void
  /** Resolves when everything added so far is safely on disk, or could not be put there. */
  settled(): Promise<void>
  close(): void
}

/** Time and chance as arguments, so that tests own both. */
export interface Clock {
  /** Epoch ms by the wall clock, which people and time servers set forward and back. */
  now(): number
  /** Ms since some moment, never set back: for every span that is waited or compared. */
  monotonic(): number
  /** In [0, 1). */
  random(): number
}
