import type { CommandInput } from './command-inputs.ts'
import type { AccountId } from './core/account.ts'
import type { AttentionTrial } from './core/attention/trial.ts'
import type { Conversation } from './core/chat/conversation.ts'
import type { Emoji } from './core/chat/message.ts'
import type { CheckDetails } from './core/checks/check.ts'
import type { HistoryEntry } from './core/checks/history.ts'
import type { PingOutcome } from './core/checks/ping.ts'
import type { Finding } from './core/checks/weekly-look.ts'
import type { Diagnostics } from './core/diagnosis.ts'
import type { Result } from './core/failure.ts'
import type { Patch } from './core/patch.ts'
import type { SettingsChange } from './core/settings.ts'

/** What the account forms send. The key goes in here and never comes out again. */
export type NewAccount = CommandInput<'addAccount'>

/** What trying a key found out, for the form to put into words. Failures come as `Failure`. */
export type AccountReport =
  | {
      readonly kind: 'monitoring'
      readonly baseUrl: string
      readonly keyKind: 'readWrite' | 'readOnly' | 'unknown'
      readonly checks: number
      readonly unreadable: number
    }
  | {
      readonly kind: 'chat'
      /** The canonical address that the server named. */
      readonly baseUrl: string
      readonly realmName: string
      /** A `data:` image fetched by main, or null. */
      readonly realmIcon: string | null
      readonly userName: string
      readonly email: string
    }

/** A conversation of one account. */
export interface Place {
  readonly accountId: AccountId
  readonly conversation: Conversation
}

/** A message that matched, as text in parts: those that were searched for are `hit`. */
export interface SearchHit {
  readonly messageId: number
  readonly conversation: Conversation
  readonly senderId: number
  readonly senderName: string
  /** Epoch ms. */
  readonly sentAt: number
  readonly parts: readonly { readonly text: string; readonly hit: boolean }[]
}

interface SearchPage {
  readonly hits: readonly SearchHit[]
  /** There are no older ones. */
  readonly isComplete: boolean
}

/** A request as it would go out, but for the key. */
export interface RequestPreview {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** For a POSIX shell; the key comes from `$KEY` there. */
  readonly curl: string
}

/** A file that the user chose, under a name that only main can turn into its path. */
interface ChosenFile {
  readonly fileId: string
  readonly name: string
  /** Bytes. */
  readonly size: number
}

/** What came of a report: it is on its way, or one was there already. */
export type ReportOutcome =
  | { readonly kind: 'sent' }
  | {
      readonly kind: 'posted'
      /** Who; null: this account itself. */
      readonly by: string | null
      /** Null while ours is on its way. */
      readonly messageId: number | null
      /** Epoch ms. */
      readonly at: number
    }

/** How a test notification went. */
export interface NotificationTest {
  /** 'D-Bus', 'Electron', 'notify-send', 'node-notifier', or 'nobody' when it got nowhere. */
  readonly by: string
  /** What the daemon says it can do; empty where none says so. */
  readonly capabilities: readonly string[]
  /** The system's own do-not-disturb is on. */
  readonly systemQuiet: boolean
}

/**
 * Everything a window can ask of the main process, and what it gets. To add a command: a line here, a
 * schema in `command-inputs.ts`, a function in one of main's `…-commands.ts`.
 */
interface Replies {
  /** Tries a key and reports what it opens. Nothing is saved. */
  tryAccount: Promise<AccountReport>
  /** Tries the key and, if it works, saves the account and starts to follow it. */
  addAccount: Promise<{ accountId: AccountId; report: AccountReport }>
  replaceKey: Promise<AccountReport>
  renameAccount: Promise<void>
  /** Trusts the certificates in a chosen file for this account's origin; null: the system's alone. */
  setAuthority: Promise<void>
  /** Whether the pictures in an account's messages may be fetched from its realm. */
  setImages: Promise<void>
  /** A picture of a message as a `data:` address; null where its realm has none. Refused while off. */
  loadImage: Promise<string | null>
  /** The names of all Unicode emoji that an account's server accepts. */
  emojiNames: Promise<readonly Emoji[]>
  /** Forgets the account, its key, unsent text and notified state. */
  removeAccount: Promise<void>
  /**
   * Whether keys may be on disk where no keyring protects them. When this is taken back, those that are
   * there are deleted from it.
   */
  allowWeakStorage: Promise<void>
  exploreDemo: Promise<void>
  leaveDemo: Promise<void>
  /** Reads all accounts now, or one. */
  refresh: Promise<void>
  /** Ms until the request budget lets a change of this project through, as things are. */
  changeWait: Promise<number>
  /**
   * Runs any operation of the catalogue, by its name. A check may be named by its id wherever the
   * operation asks for its uuid: main puts that in its place.
   */
  run: Promise<unknown>
  /** What `run` would send, with `$KEY` where the key would stand. Nothing is sent. */
  previewRequest: Promise<RequestPreview>
  /** All that the service said last of a check, its ping address too: for its page, while somebody looks at it. */
  checkDetails: Promise<CheckDetails>
  /**
   * Creates a check, once: where no answer comes, the list shows whether it is there, and nothing is
   * sent again. Rejects with the first failure where the list does not have it, or can't be read.
   */
  createCheck: Promise<CheckDetails>
  /** The picture of a badge as a `data:` address; null where the account's own server has none there. */
  loadBadge: Promise<string | null>
  /** Sends a ping to the check's own address, without the key. */
  pingCheck: Promise<PingOutcome>
  /** Puts the ping address on the clipboard, so that it needn't be shown. */
  copyPingAddress: Promise<void>
  /** Fetches the newest messages of a conversation into the state, or those before the oldest loaded. */
  loadConversation: Promise<void>
  /** Up to 50 messages that match, oldest first, the newest of all or those around or before one. */
  searchMessages: Promise<SearchPage>
  saveDraft: Promise<void>
  takeDraft: Promise<void>
  /**
   * Has the server send a text later, once: where no answer comes, its list shows whether it has it. Rejects
   * with the first failure where the list does not say so either; `scheduling` then keeps the question.
   */
  scheduleMessage: Promise<{ readonly id: number; readonly at: number }>
  /**
   * Its text, or the one given, comes back as a draft first. `send`: and is sent at once, unless nobody
   * can tell whether the message was sent or cancelled.
   */
  cancelScheduled: Promise<void>
  forgetScheduling: Promise<void>
  /** What was typed in a form and not saved, as JSON; empty: nothing. */
  saveForm: Promise<void>
  /** Empty text without emoji clears it. `until`: Belfry clears it then; null: nobody does. */
  setStatus: Promise<void>
  /** Puts the text into the outbox (and on disk) and returns; how it goes on is seen in `outbox`. */
  sendMessage: Promise<void>
  resendMessage: Promise<void>
  /** Takes a rejected or unconfirmed message out of the outbox, its text back to the composer if asked. */
  discardMessage: Promise<void>
  markRead: Promise<void>
  setReaction: Promise<void>
  /** Lets the user choose a file of this computer; null when they don't. The window learns no path. */
  chooseFile: Promise<ChosenFile | null>
  /** The same for any number of files. */
  chooseFiles: Promise<readonly ChosenFile[]>
  /** Takes a piece of a file of which the window has the content alone. */
  putFile: Promise<ChosenFile>
  /** A chosen file as a `data:` address; null where it is no picture, or too large a one. */
  thumbnail: Promise<string | null>
  /** Sends a chosen file; how it goes on is seen in `uploads`. When done, the draft of `place` links it. */
  startUpload: Promise<{ id: string }>
  /** Uploads again what failed; what the server has already is not sent twice. */
  retryUpload: Promise<void>
  /** Stops an upload; one that ended is taken off the list. */
  cancelUpload: Promise<void>
  /** What happened to an account, or to one check or conversation of it: the newest 500, ascending. */
  history: Promise<readonly HistoryEntry[]>
  /** What the list and the history of the last week say against checks. */
  weeklyLook: Promise<readonly Finding[]>
  /** Keeps the unsent report on a check as it was typed; empty forgets it. */
  saveReport: Promise<void>
  /**
   * Posts a report or update on a check. Looks first whether somebody did already: then nothing is
   * sent unless `anyway`.
   */
  postReport: Promise<ReportOutcome>
  /** Somebody else reported it: later changes are offered as updates to their conversation. */
  joinReport: Promise<void>
  updateSettings: Promise<void>
  /** Keeps something quiet: a check, tag, project, conversation, channel, or everything. */
  silence: Promise<{
    id: string
    /** The others see it; false where no message of the outage is known, or none took it. */
    reacted: boolean
  }>
  /** Ends one, and takes its 👀 back. */
  endSilence: Promise<void>
  /** Undoes `endSilence`, or what a newer one replaced, as long as Belfry runs. */
  restoreSilence: Promise<void>
  /** What the last seven days would have been like with other rules. Nothing is changed. */
  tryAttention: Promise<AttentionTrial>
  clearNotices: Promise<void>
  /** Shows one, and reports which way it went, what that way can do, and whether the system holds it back. */
  testNotification: Promise<NotificationTest>
  dismissTrouble: Promise<void>
  /** How Belfry and this computer are; `thorough` reads all accounts and tries the disk as well. */
  diagnose: Promise<Diagnostics>
  /** Writes all of it, with the log, to a file that the user names; false when they name none. */
  saveDiagnostics: Promise<boolean>
  /** Settings and rules, without keys, to a file that the user names; false when they name none. */
  exportSettings: Promise<boolean>
  /**
   * Takes such a file that the user chooses; null when they choose none. `before`: what undoes it;
   * `strangers`: rules about accounts that are not here.
   */
  importSettings: Promise<{ before: SettingsChange; strangers: number } | null>
  /** Opens an http, https or mailto address in the user's own program, after the checks of main. */
  openLink: Promise<void>
  /** Opens the web page of a check, project or conversation. */
  openWeb: Promise<void>
  copyText: Promise<void>
  hideWindow: Promise<void>
  quit: Promise<void>
  /** Whether the system starts Belfry at login, hidden: its user may have changed that elsewhere. */
  startsAtLogin: Promise<boolean>
  setStartsAtLogin: Promise<void>
  /** Which view the window shows, null while it is hidden: the board open makes polls more frequent. */
  showing: Promise<void>
}

export type CommandName = keyof Replies

export type Commands = {
  readonly [Name in CommandName]: (input: CommandInput<Name>) => Replies[Name]
}

/** What the preload puts on `window.bridge`: the window's whole world outside itself. */
export interface Bridge {
  call(name: CommandName, input: unknown): Promise<Result<unknown>>
  /**
   * The first patch is the whole state; each later one what changed. A large one comes in parts, of
   * which only the last completes it. Returns the way to stop.
   */
  follow(listener: (part: Patch, isLast: boolean) => void): () => void
}

/** IPC channel names; the only place where they are written. */
export const channels = {
  command: 'command',
  follow: 'follow',
  patch: 'patch',
  /** Main asks whether the page still runs, and the page says so. */
  ping: 'ping',
  pong: 'pong',
} as const
