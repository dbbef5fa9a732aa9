import type { NotificationTest } from '../../shared/contract.ts'
import type { Account, AccountId, KeyLoss, KeyProtection } from '../../shared/core/account.ts'
import type { Notice } from '../../shared/core/attention/notice.ts'
import type { HistoryEntry, HistoryFilter } from '../../shared/core/checks/history.ts'
import type { ComputerFacts } from '../../shared/core/diagnosis.ts'
import type { Patch } from '../../shared/core/patch.ts'
import type { GlobalKeys } from '../../shared/core/settings.ts'
import type { TrayView } from '../../shared/core/views/tray-view.ts'
import type { HttpReply, HttpRequest } from '../../shared/http.ts'

/**
 * What `App` needs from the computer. `desktop/` implements it with Electron,
 * `test/support/fake-desktop.ts` in memory.
 */
export interface Desktop {
  showTray(view: TrayView): void
  pushPatch(patch: Patch): void
  /** Never blocks and never throws: a missing daemon costs the pop-up, not the app. */
  notify(notice: Notice): void
  /** Shows it in place of the one about the same subject, if that is still on the screen. */
  replace(notice: Notice): void
  /** Removes a notification that no longer applies, if it is still on the screen. */
  withdraw(subject: string): void
  /** How the last notification was shown, once known; after a while, how the next one would be. */
  notifiedBy(): Promise<NotifiedBy>
  /** Whether the system's own do-not-disturb is on, as far as that can be determined. */
  systemQuiet(): boolean
  /** Calls the listener each time `systemQuiet` changes. */
  onSystemQuiet(listener: (quiet: boolean) => void): void
  /** As far as that can be determined. */
  screenLocked(): boolean
  /** As far as that can be determined; the first call may come too early to know. */
  onBattery(): boolean
  showWindow(): void
  hideWindow(): void
  /** Sets the zoom in percent, for the current window and later ones. */
  setZoom(percent: number): void
  /** http, https and mailto only; throws `RequestFailed` of kind `invalid` for anything else. */
  openLink(url: string): Promise<void>
  copyText(text: string): void
  /**
   * Asks the user in a system dialog, which no window can draw or answer; true for `yes`. While one
   * is open, further questions are answered with no.
   */
  ask(question: Question): Promise<boolean>
  /** Shows the system's file dialog in front of the window; null if the user cancels. */
  chooseFile(title?: string): Promise<LocalFile | null>
  /** The same, for any number of files. */
  chooseFiles(): Promise<readonly LocalFile[]>
  /** The text of a file that the user chooses in the same dialog; null if they cancel. */
  readChosenFile(): Promise<string | null>
  /**
   * Writes text where the user says; false if they cancel. Throws `RequestFailed` if that fails.
   */
  saveFile(name: string, text: string): Promise<boolean>
  facts(): Promise<ComputerFacts>
  /** The content of all log files. */
  logs(): Promise<string>
  quit(): void
  /** Registers these global keys and releases all others. Resolves with why it failed, or null. */
  takeKeys(keys: GlobalKeys): Promise<string | null>
  startsAtLogin(): Promise<boolean>
  /** Throws `RequestFailed` if the system refuses. */
  setStartsAtLogin(on: boolean): Promise<void>
}

/** Plain text. `yes` is a verb, the label of the button. */
export interface Question {
  readonly message: string
  readonly detail: string
  readonly yes: string
}

export type NotifiedBy = Omit<NotificationTest, 'systemQuiet'>

/** A file on this computer that the user chose. */
export interface LocalFile {
  readonly path: string
  readonly name: string
  /** Bytes. */
  readonly size: number
}

/** Files to be uploaded, kept across restarts. Writes throw `RequestFailed` if the disk refuses. */
export interface KeptFiles {
  /** Appends a piece to the file with this id; the first piece creates it. */
  append(id: string, name: string, bytes: Uint8Array): Promise<LocalFile>
  keep(id: string, file: LocalFile): Promise<void>
  /** Null if nothing was kept or the file has changed since. */
  find(id: string): Promise<LocalFile | null>
  /** Null if it can no longer be read. */
  content(file: LocalFile): Promise<Uint8Array | null>
  /** Removes all files except those with these ids. */
  sweep(ids: ReadonlySet<string>): Promise<void>
}

/** The saved keys. Only `accounts/connections.ts` may read them back. */
export interface Vault {
  /** How a new key would be kept: `os` only after real protection was seen to work. */
  readonly protection: KeyProtection
  /** Resolves with how the key is kept now: in memory if the keyring doesn't accept it. */
  put(id: AccountId, key: string): Promise<KeyProtection>
  /**
   * Null if there is none. Throws `VaultLocked` while the keyring is locked; the key stays saved.
   */
  get(id: AccountId): Promise<string | null>
  delete(id: AccountId): Promise<void>
  /**
   * Deletes the keys of all other accounts from the disk; a copy is kept if one of `wanted` is
   * missing, whose name may have been damaged.
   */
  keepOnly(isKnown: (id: AccountId) => boolean, wanted: readonly AccountId[]): Promise<void>
  /** How this key is kept; if there is none, how a new one would be. */
  protectionOf(id: AccountId): KeyProtection
  /** Why `get` found no key although one was saved; otherwise null. */
  lossOf(id: AccountId): KeyLoss | null
  /**
   * Sets whether unprotected keys may be stored on disk. When that is revoked, those on disk are
   * deleted there and kept in memory for this session.
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
  /** Absent where documents are not stored in files. */
  readonly files?: {
    /** It may be old: it came from a backup, or could not be read since all files were bad. */
    inDoubt(name: string): boolean
    /** A newer version of Belfry has a document of this name of its own, which was not read. */
    hasNewer(name: string): boolean
    /** Keeps a copy of a partly unusable file, and tells the user `why` and where it is. */
    keepCopy(name: string, why: string): void
  }
}

/**
 * What happened, kept for weeks and bounded in size. The app can work without it, so it never
 * throws or blocks; what can't be written is reported as trouble.
 */
export interface History {
  add(entries: readonly HistoryEntry[]): void
  /** Ascending by time. */
  entries(filter: HistoryFilter): readonly HistoryEntry[]
  /** Deletes everything about a removed account. */
  forget(accountId: AccountId): void
  /** Makes everything about an account be about another one. */
  rename(from: AccountId, to: AccountId): void
  /** Resolves when everything added so far is safely on disk, or could not be put there. */
  settled(): Promise<void>
  close(): void
}

/** Small files that tell other programs of this user how everything stands. */
export interface StatusFolder {
  /**
   * Replaces these files, each as a whole, and later calls come after earlier ones. Never throws: a
   * file that can't be replaced is removed, so that nobody believes the old one.
   */
  write(files: Readonly<Record<string, string>>): void
  /** Removes all files; nothing is written afterwards. */
  close(): Promise<void>
}

/** Time and randomness as dependencies, so that tests control both. */
export interface Clock {
  /** Epoch ms of the wall clock, which users and time servers may set forward or back. */
  now(): number
  /** Ms since an arbitrary moment, never set back: for waiting and for measuring durations. */
  monotonic(): number
  /** In [0, 1). */
  random(): number
}

/**
 * The only access to the network: `http-transport.ts` (undici), the demo world, or a test's fake.
 * Rejects with `RequestFailed` of kind `network`; any HTTP status, 3xx included, is a reply.
 */
export type Transport = (request: HttpRequest, signal: AbortSignal) => Promise<HttpReply>

/** The simulated services behind “Explore the demo”: no sockets, and nothing is stored. */
export interface Demo {
  readonly transport: Transport
  readonly vault: Vault
  readonly accounts: readonly Account[]
  /** Runs the demo world until the returned function is called. */
  start(): () => void
}
