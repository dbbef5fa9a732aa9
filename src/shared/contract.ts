import type { AccountId } from './core/account.ts'
import type { AttentionSettings } from './core/attention/rules.ts'
import type { Scope, Silence, Until } from './core/attention/silence.ts'
import type { AttentionTrial } from './core/attention/trial.ts'
import type { Conversation } from './core/chat/conversation.ts'
import type { CheckDetails, CheckId } from './core/checks/check.ts'
import type { HistoryEntry } from './core/checks/history.ts'
import type { PingByHand, PingForm, PingOutcome } from './core/checks/ping.ts'
import type { Result } from './core/failure.ts'
import type { Patch } from './core/patch.ts'
import type { SettingsChange } from './core/settings.ts'
import type { Target } from './core/target.ts'

/** What the account forms send. The key goes in here and never comes out again. */
export type NewAccount =
  | {
      readonly kind: 'monitoring'
      readonly label: string
      readonly baseUrl: string
      readonly key: string
      /** The user agreed to send the key over plain http to this server. */
      readonly allowHttp: boolean
      /** A file with the authority of the server's certificate, where no system knows that. */
      readonly authorityFileId?: string | undefined
    }
  | {
      readonly kind: 'chat'
      readonly baseUrl: string
      readonly email: string
      readonly key: string
      readonly allowHttp: boolean
      readonly authorityFileId?: string | undefined
    }

/** What trying a key told, for the form to put in words. Failures come as `Failure`. */
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

/**
 * Runs any operation of the catalogue, by its name. A check may be named by its id wherever the
 * operation asks for its uuid: main puts that in its place.
 */
interface Run {
  readonly accountId: AccountId
  readonly operation: string
  readonly params: Readonly<Record<string, unknown>>
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
 * Everything a window can ask of the main process. To add a command: a line here, a schema in
 * `command-inputs.ts`, a function in one of main's `…-commands.ts`.
 */
export interface Commands {
  /** Tries a key and tells what it opens. Nothing is saved. */
  tryAccount(input: NewAccount): Promise<AccountReport>
  /** Tries the key and, if it works, saves the account and starts to follow it. */
  addAccount(input: NewAccount): Promise<{ accountId: AccountId; report: AccountReport }>
  replaceKey(input: { accountId: AccountId; key: string }): Promise<AccountReport>
  renameAccount(input: { accountId: AccountId; label: string }): Promise<void>
  /** Trusts the certificates in a chosen file for this account's origin; null: the system's alone. */
  setAuthority(input: { accountId: AccountId; fileId: string | null }): Promise<void>
  /** Whether the pictures in an account's messages may be fetched from its realm. */
  setImages(input: { accountId: AccountId; images: boolean }): Promise<void>
  /** A picture of a message as a `data:` address; null where its realm has none. Refused while off. */
  loadImage(input: { accountId: AccountId; path: string }): Promise<string | null>
  /** Forgets account, key, unsent text and marks. */
  removeAccount(input: { accountId: AccountId }): Promise<void>
  /**
   * Whether keys may be on disk where no keyring protects them. Taken back, those that are there are
   * deleted from it.
   */
  allowWeakStorage(input: { allowed: boolean }): Promise<void>
  exploreDemo(input: Record<string, never>): Promise<void>
  leaveDemo(input: Record<string, never>): Promise<void>
  /** Reads all accounts now, or one. */
  refresh(input: { accountId: AccountId | null }): Promise<void>
  run(input: Run): Promise<unknown>
  /** What `run` would send, with `$KEY` where the key would stand. Nothing is sent. */
  previewRequest(input: Run): Promise<RequestPreview>
  /** All that the service said last of a check, its ping address too: for its page, while somebody looks at it. */
  checkDetails(input: { accountId: AccountId; checkId: CheckId }): Promise<CheckDetails>
  /** Sends a ping to the check's own address, without the key, and tells what came of it. */
  pingCheck(input: PingByHand & { accountId: AccountId; checkId: string }): Promise<PingOutcome>
  /** Puts the ping address on the clipboard, so that it needn't be shown. */
  copyPingAddress(input: { accountId: AccountId; checkId: string; form: PingForm }): Promise<void>
  /** Fetches the newest messages of a conversation into the state, or those before the oldest loaded. */
  loadConversation(input: Place & { older: boolean }): Promise<void>
  saveDraft(input: Place & { text: string }): Promise<void>
  /** Puts the text into the outbox (and on disk) and returns; how it goes on is seen in `outbox`. */
  sendMessage(input: Place & { text: string }): Promise<void>
  resendMessage(input: { localId: string }): Promise<void>
  /** Takes a rejected or unconfirmed message out of the outbox, its text back to the composer if asked. */
  discardMessage(input: { localId: string; keepText: boolean }): Promise<void>
  markRead(input: Place): Promise<void>
  setReaction(input: {
    accountId: AccountId
    messageId: number
    name: string
    code: string
    type: string
    present: boolean
  }): Promise<void>
  /** Lets the user choose a file of this computer; null when they don't. The window learns no path. */
  chooseFile(input: Record<string, never>): Promise<ChosenFile | null>
  /** Sends a chosen file; how it goes on is seen in `uploads`. When done, the draft of `place` links it. */
  startUpload(input: {
    accountId: AccountId
    fileId: string
    place: Conversation | null
    /** Default by size. */
    by?: 'multipart' | 'tus' | undefined
  }): Promise<{ id: string }>
  /** Stops an upload; one that ended is taken off the list. */
  cancelUpload(input: { id: string }): Promise<void>
  /** What happened to an account, or to one check or conversation of it (`Notice.subject`): the newest 500, ascending. */
  history(input: {
    accountId: AccountId
    subject?: string | undefined
    /** Epoch ms. */
    from: number
  }): Promise<readonly HistoryEntry[]>
  /** Keeps the unsent report on a check as it was typed; empty forgets it. */
  saveReport(input: { accountId: AccountId; checkId: string; text: string }): Promise<void>
  /**
   * Posts a report or update on a check. Looks first whether somebody did already: then nothing is
   * sent unless `anyway`.
   */
  postReport(input: {
    accountId: AccountId
    checkId: string
    place: Place
    text: string
    anyway: boolean
  }): Promise<ReportOutcome>
  /** Somebody else reported it: later changes are offered as updates to their conversation. */
  joinReport(input: {
    accountId: AccountId
    checkId: string
    place: Place
    messageId: number
  }): Promise<void>
  updateSettings(input: SettingsChange): Promise<void>
  /** Keeps something quiet: a check, tag, project, conversation, channel, or everything. */
  silence(input: {
    how: Silence['how']
    scope: Scope
    until: Until
    /** Puts 👀 on the chat messages of the outage, so that others' Belfry is quiet as well. */
    tellOthers?: boolean | undefined
  }): Promise<{
    id: string
    /** The others were told; false where no message of the outage is known, or none took it. */
    told: boolean
  }>
  /** Ends one, and takes its 👀 back. */
  endSilence(input: { id: string }): Promise<void>
  /** Undoes `endSilence`, or what a newer one replaced, as long as Belfry runs. */
  restoreSilence(input: { id: string }): Promise<void>
  /** What the last seven days would have been like with other rules. Nothing is changed. */
  tryAttention(input: { attention: AttentionSettings }): Promise<AttentionTrial>
  clearNotices(input: Record<string, never>): Promise<void>
  /** Shows one, and tells which way it went, what that way can do, and whether the system holds it back. */
  testNotification(input: Record<string, never>): Promise<NotificationTest>
  dismissTrouble(input: { id: string }): Promise<void>
  /** Opens an http, https or mailto address in the user's own program, after the checks of main. */
  openLink(input: { url: string }): Promise<void>
  /** Opens the web page of a check, project or conversation. */
  openWeb(input: { target: Target }): Promise<void>
  copyText(input: { text: string }): Promise<void>
  hideWindow(input: Record<string, never>): Promise<void>
  /**
   * Which view the window shows, null while it is hidden: the board open makes polls more frequent.
   * A page that takes the place of one that crashed or was let go begins at `place`. While it
   * `holdsInput`, something typed that only this page has, a hidden window is not let go.
   */
  showing(input: {
    view: string | null
    place?: Target | undefined
    holdsInput?: boolean | undefined
  }): Promise<void>
}

export type CommandName = keyof Commands

/** What the preload puts on `window.bridge`: the window's whole world outside itself. */
export interface Bridge {
  call(name: CommandName, input: unknown): Promise<Result<unknown>>
  /** The first patch is the whole state; each later one what changed. Returns the way to stop. */
  follow(listener: (patch: Patch) => void): () => void
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
