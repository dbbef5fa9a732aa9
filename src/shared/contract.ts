import type { CommandInput, CommandName } from './command-inputs.ts'
import type { AccountId } from './core/account.ts'
import type { ProgramTrial } from './core/attention/programs/program.ts'
import type { AttentionTrial } from './core/attention/trial.ts'
import type { Conversation } from './core/chat/conversation.ts'
import type { Emoji } from './core/chat/message.ts'
import type { CheckDetails } from './core/checks/check.ts'
import type { HistoryEntry } from './core/checks/history.ts'
import type { PingOutcome } from './core/checks/ping.ts'
import type { Finding } from './core/checks/weekly-look.ts'
import type { LinkResult } from './core/deep-link.ts'
import type { Diagnostics } from './core/diagnosis.ts'
import type { Result } from './core/failure.ts'
import type { OutageList } from './core/outages/outage-list.ts'
import type { Patch } from './core/patch.ts'
import type { SettingsChange } from './core/settings.ts'

/** What the account forms send. The key enters main here and is never returned. */
export type NewAccount = CommandInput<'addAccount'>

/** What a successful try of a key found. Failures come as `Failure`. */
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

export interface AddedAccount {
  readonly accountId: AccountId
  readonly report: AccountReport
  /** If set, nothing was saved, since the account with this id seems to be the same. */
  readonly alike?: { readonly isSure: boolean }
}

/** A message that matched. Its text comes in parts; the matching ones are `hit`. */
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

/** A request as it would be sent, without the key. */
export interface RequestPreview {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** For a POSIX shell; the key comes from `$KEY` there. */
  readonly curl: string
}

/** A file that the user chose. Only main can turn `fileId` into its path. */
interface ChosenFile {
  readonly fileId: string
  readonly name: string
  /** Bytes. */
  readonly size: number
}

/** What became of a report: it is being sent, or one was there already. */
export type ReportOutcome =
  | { readonly kind: 'sent' }
  | {
      readonly kind: 'posted'
      /** The sender's name; null: this account itself. */
      readonly by: string | null
      /** Null while ours is still being sent. */
      readonly messageId: number | null
      /** Epoch ms. */
      readonly at: number
    }

/** How a test notification went. */
export interface NotificationTest {
  /** 'D-Bus', 'Electron', 'notify-send', 'node-notifier', or 'nobody' if nothing could show it. */
  readonly by: string
  /** The notification daemon's capabilities; empty if it reports none. */
  readonly capabilities: readonly string[]
  /** The system's own do-not-disturb is on. */
  readonly systemQuiet: boolean
}

/** `isEarlierLeft`: the server still has an earlier one of the same message. */
export type ReminderSet = (
  | { readonly by: 'belfry'; readonly id: string }
  | { readonly by: 'server'; readonly id: number }
) & {
  readonly isEarlierLeft: boolean
  /** The earlier ones that were removed. */
  readonly replaced: readonly ReplacedReminder[]
}

export interface ReplacedReminder {
  readonly by: 'belfry' | 'server'
  /** Epoch ms. */
  readonly at: number
  readonly note: string
}

/**
 * Everything a window can ask of the main process, and the replies. To add a command: a line here,
 * a schema in `command-inputs.ts`, a function in one of main's `…-commands.ts`.
 */
interface Replies {
  /** Tries a key and reports what it gives access to. Nothing is saved. */
  tryAccount: Promise<AccountReport>
  /**
   * Tries the key and, if it works, saves the account and starts its loops; or, where an account is
   * connected to the same already, does with it what `instead` says.
   */
  addAccount: Promise<AddedAccount>
  replaceKey: Promise<AccountReport>
  renameAccount: Promise<void>
  /** Trusts a chosen file's CA certificates for this account's origin; null: only the system's. */
  setAuthority: Promise<void>
  /** Sets whether the pictures in an account's messages may be fetched from its realm. */
  setImages: Promise<void>
  /**
   * Sets how often a project's whole list is read at least, if its badge is asked in between; null:
   * each poll reads it.
   */
  setWholeReads: Promise<void>
  /** A picture in a message as a `data:` URL; null if the realm has none. Refused while off. */
  loadImage: Promise<string | null>
  /** The names of all Unicode emoji that an account's server accepts. */
  emojiNames: Promise<readonly Emoji[]>
  /** Forgets the account, its key, unsent text and notified state. */
  removeAccount: Promise<void>
  /**
   * Sets whether keys may be kept on disk where no keyring protects them. Turning it off deletes
   * those that are there.
   */
  allowWeakStorage: Promise<void>
  exploreDemo: Promise<void>
  leaveDemo: Promise<void>
  /** Reads all accounts now, or only the given one. */
  refresh: Promise<void>
  /** Ms until the request budget allows a change to this project. */
  changeWait: Promise<number>
  /**
   * Runs any operation of the catalogue, by its name. Where the operation asks for a check's uuid,
   * its id will do: main replaces it.
   */
  run: Promise<unknown>
  /** What `run` would send, with `$KEY` in place of the key. Nothing is sent. */
  previewRequest: Promise<RequestPreview>
  /** Everything in the service's last answer about a check, including its ping address. */
  checkDetails: Promise<CheckDetails>
  /**
   * Creates a check without ever sending the request twice: if no answer comes, it looks for the
   * check in the list, and rejects with the original failure if it isn't there or the list can't be
   * read.
   */
  createCheck: Promise<CheckDetails>
  /** A badge as a `data:` URL; null if the account's own server has none at this address. */
  loadBadge: Promise<string | null>
  /** Sends a ping to the check's own address, without the key. */
  pingCheck: Promise<PingOutcome>
  /** Copies the ping address to the clipboard, so that it never has to be displayed. */
  copyPingAddress: Promise<void>
  /** Loads a conversation's newest messages, or those before the oldest loaded, into the state. */
  loadConversation: Promise<void>
  /** Loads messages missing in a conversation's gap, from one of its edges on. */
  loadGap: Promise<void>
  /**
   * Loads a message with those around it, wherever it is by now, and returns its conversation; null
   * if there is no such message for this user.
   */
  showMessage: Promise<Conversation | null>
  /** Up to 50 matches, oldest first: the newest ones, or those around or before a given message. */
  searchMessages: Promise<SearchPage>
  saveDraft: Promise<void>
  takeDraft: Promise<void>
  /**
   * Schedules a message without ever sending the request twice: if no answer comes, it looks for
   * the message in the server's list. If that doesn't settle it either, it rejects with the
   * original failure, and the entry stays in `scheduling`.
   */
  scheduleMessage: Promise<{ readonly id: number; readonly at: number }>
  /**
   * First saves its text, or the one given, as a draft. `send`: then sends that at once, unless it
   * is unknown whether the scheduled message was sent or cancelled.
   */
  cancelScheduled: Promise<void>
  forgetScheduling: Promise<void>
  /** Keeps a form's unsaved input, as JSON; an empty text forgets it. */
  saveForm: Promise<void>
  /** Empty text without emoji clears it. `until`: when Belfry clears it; null: never. */
  setStatus: Promise<void>
  /** Puts the text into the outbox (and on disk) and returns; `outbox` shows its progress. */
  sendMessage: Promise<void>
  resendMessage: Promise<void>
  /** Removes a rejected or unconfirmed message; `keepText` returns its text to the composer. */
  discardMessage: Promise<void>
  /**
   * Reminds the user of a message, once: by the chat server if it keeps reminders, else by this
   * Belfry. It never sends the request twice: if no answer comes, it looks for the reminder in the
   * server's list, and rejects with the original failure if that doesn't settle it.
   */
  remindOf: Promise<ReminderSet>
  forgetReminder: Promise<void>
  markRead: Promise<void>
  setReaction: Promise<void>
  /** Lets the user choose a file; null if they cancel. The window never learns the path. */
  chooseFile: Promise<ChosenFile | null>
  /** Lets the user choose any number of files. */
  chooseFiles: Promise<readonly ChosenFile[]>
  /** Takes a chunk of a file whose path the window doesn't have, only the content. */
  putFile: Promise<ChosenFile>
  /** A chosen file as a `data:` URL; null if it isn't a picture or is too large. */
  thumbnail: Promise<string | null>
  /** Uploads a chosen file (progress: `uploads`), then links it in the draft of `place`. */
  startUpload: Promise<{ id: string }>
  /** Resumes a failed upload without resending what the server already has. */
  retryUpload: Promise<void>
  /** Stops an upload, or removes one that ended from the list. */
  cancelUpload: Promise<void>
  /** History of an account, or of one of its checks or conversations: the newest 500, ascending. */
  history: Promise<readonly HistoryEntry[]>
  /** The outages of all projects that lasted at some time since `from`, and what is not known. */
  outages: Promise<OutageList>
  /** Problems with checks, found in the list and in the history of the last week. */
  weeklyLook: Promise<readonly Finding[]>
  /** Keeps the unsent report on a check; an empty text forgets it. */
  saveReport: Promise<void>
  /**
   * Posts a report or update on a check. If somebody already has, sends nothing unless `anyway`.
   */
  postReport: Promise<ReportOutcome>
  /** Follows somebody else's report: later changes are offered as updates in its conversation. */
  joinReport: Promise<void>
  updateSettings: Promise<void>
  /** Silences a check, many, a tag, project, conversation, channel, or everything. */
  silence: Promise<{
    id: string
    /** How many of the outages' chat messages 👀 was added to. */
    reacted: number
  }>
  /** Sets the reason of a silence, or of a single check of one (`eachSilence`); empty: none. */
  noteSilence: Promise<void>
  /** Ends silences, or single checks of one (`eachSilence`), and removes their 👀. */
  endSilence: Promise<void>
  /** Restores what was ended during this run. */
  restoreSilence: Promise<void>
  /** Plans a maintenance that begins by itself. */
  planMaintenance: Promise<{ id: string }>
  /** What is planned doesn't begin any more; what has begun goes on. */
  cancelPlanned: Promise<void>
  /** Keeps checks quiet while another is down. */
  addDependency: Promise<{ id: string }>
  removeDependency: Promise<void>
  /** Ends a silence set during this run, and restores those that it replaced. */
  undoSilence: Promise<void>
  /** What the given rules would have done in the last seven days. Changes nothing. */
  tryAttention: Promise<AttentionTrial>
  clearNotices: Promise<void>
  /** Undoes the last `clearNotices`, as long as Belfry runs. */
  restoreNotices: Promise<void>
  /** Shows a test notification, with the sound of a kind if one is given, and reports how it was shown. */
  testNotification: Promise<NotificationTest>
  /** Makes a file that the user chooses the sound of a kind. */
  chooseSound: Promise<void>
  useSystemSound: Promise<void>
  /** Whether notifications can have sounds of the user's own here. */
  playsOwnSounds: Promise<boolean>
  /** Lets the user choose a program for rules to name; null if they cancel. */
  chooseProgram: Promise<{ id: string } | null>
  /** Runs a program with an example. */
  tryProgram: Promise<ProgramTrial>
  /** Rules that name it run nothing then. */
  forgetProgram: Promise<void>
  dismissTrouble: Promise<void>
  /** Diagnoses Belfry and this computer; `thorough` also reads all accounts and tests the disk. */
  diagnose: Promise<Diagnostics>
  /** Writes the diagnostics and the log to a file the user chooses; false if they cancel. */
  saveDiagnostics: Promise<boolean>
  /** Writes settings and rules, without keys, to a file the user chooses; false if they cancel. */
  exportSettings: Promise<boolean>
  /**
   * Imports a file the user chooses; null if they cancel. `before` undoes it; `strangers` counts
   * the rules about accounts that don't exist here, `programs` those that ran a program there.
   */
  importSettings: Promise<{ before: SettingsChange; strangers: number; programs: number } | null>
  /** Opens an http, https or mailto address in the default program, once main has checked it. */
  openLink: Promise<void>
  /** Where a pasted address leads: a link of Belfry's own, or a page on a service's website. */
  whereLeads: Promise<LinkResult>
  /** Opens the web page of a check, project or conversation. */
  openWeb: Promise<void>
  copyText: Promise<void>
  hideWindow: Promise<void>
  quit: Promise<void>
  /** Whether the system starts Belfry at login; this can be changed outside of Belfry. */
  startsAtLogin: Promise<boolean>
  setStartsAtLogin: Promise<void>
  /** Reports the view that is shown, null while hidden: an open board is polled more often. */
  showing: Promise<void>
}

/** Each reply needs a schema of its command, and each schema a command in app.ts: else nothing compiles. */
export type Commands = {
  readonly [Name in keyof Replies]: (input: CommandInput<Name>) => Replies[Name]
}

/** What the preload puts on `window.bridge`, the window's only connection to main. */
export interface Bridge {
  call(name: CommandName, input: unknown): Promise<Result<unknown>>
  /**
   * The first patch is the whole state, later ones are changes. A large one comes in parts, and
   * only the last part completes it. Returns a function that unsubscribes.
   */
  follow(listener: (part: Patch, isLast: boolean) => void): () => void
}

/** IPC channel names. */
export const channels = {
  command: 'command',
  follow: 'follow',
  patch: 'patch',
  /** Main's check that the page still responds. */
  ping: 'ping',
  pong: 'pong',
} as const
