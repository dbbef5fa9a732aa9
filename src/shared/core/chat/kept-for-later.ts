import type { Failure } from '../failure.ts'
import type { Conversation } from './conversation.ts'

/** A draft on the server. */
export interface ServerDraft {
  readonly id: number
  /** Null if it has no recipient yet. */
  readonly conversation: Conversation | null
  readonly content: string
  /** Epoch ms. */
  readonly editedAt: number
}

export interface ScheduledMessage {
  readonly id: number
  readonly conversation: Conversation
  readonly content: string
  /** Epoch ms. */
  readonly at: number
  /** It was due, and the server could not send it. */
  readonly failed: boolean
}

export interface Snippet {
  readonly id: number
  readonly title: string
  readonly content: string
}

/** A reminder of a message, which the server sends as a direct message when it is due. */
export interface ServerReminder {
  readonly id: number
  readonly messageId: number
  /** Where the message was when the reminder was set; null if the server's words don't tell. */
  readonly conversation: Conversation | null
  /** What the message said then. */
  readonly text: string
  /** What the user wrote to it, in another client; '' for none, null if the server's words don't tell. */
  readonly note: string | null
  /** Epoch ms. */
  readonly at: number
  /** It was due, and the server could not send it. */
  readonly failed: boolean
}

/** The placeholders of a snippet, such as "{customer}", each once. */
export function snippetFields(content: string): readonly string[] {
  return [...new Set(Array.from(content.matchAll(/\{([^{}\n]{1,40})\}/g), ([, name = '']) => name))]
}

/** Fills in the placeholders; those without a value stay. */
export function filledSnippet(content: string, values: ReadonlyMap<string, string>): string {
  return content.replace(/\{([^{}\n]{1,40})\}/g, (whole, name: string) => values.get(name) || whole)
}

/** Ids of items on the server that can't be read; null for an item without a readable id. */
export type Unreadable = readonly (number | null)[]

/** What the server keeps for later; a list is null if the server lacks the feature. */
export interface KeptForLater {
  readonly drafts: readonly ServerDraft[] | null
  readonly scheduled: readonly ScheduledMessage[] | null
  readonly snippets: readonly Snippet[] | null
  readonly reminders: readonly ServerReminder[] | null
  readonly unreadable: Readonly<
    Record<'drafts' | 'scheduled' | 'snippets' | 'reminders', Unreadable>
  >
  /** Why the server refused some drafts, by `draftKey`: these are on this computer only. */
  readonly refused: readonly { readonly key: string; readonly failure: Failure }[]
}

export const nothingKept: KeptForLater = {
  drafts: null,
  scheduled: null,
  snippets: null,
  reminders: null,
  unreadable: { drafts: [], scheduled: [], snippets: [], reminders: [] },
  refused: [],
}

const lacks = {
  drafts: 'keep drafts: they stay on this computer',
  scheduled: 'send messages later: that needs version 7 or later',
  snippets: 'keep snippets: that needs version 10 or later',
} as const

/** Why there is no such list; null if there is one. */
export function lackOf(
  { server, later }: { readonly server: object | null; readonly later: KeptForLater },
  list: keyof typeof lacks,
): string | null {
  if (later[list] !== null) return null
  return server === null
    ? 'This account is not connected yet.'
    : `This server is too old to ${lacks[list]}.`
}
