import {
  boolean,
  type InferOutput,
  literal,
  maxLength,
  nullable,
  object,
  optional,
  picklist,
  pipe,
  string,
  variant,
} from 'valibot'
import { accountKinds } from './account.ts'
import { conversationSchema } from './chat/conversation.ts'
import { type Immutable, idSchema, numberId } from './schemas.ts'

/**
 * Pages that open without parameters. `attention`: the notification rules; `newMessage`: the chat,
 * asking whom to write to; `later`: drafts, scheduled messages and snippets; `maintenance`: the
 * checks, asking what and for how long.
 */
const pages = [
  'checks',
  'newMessage',
  'later',
  'maintenance',
  'notices',
  'accounts',
  'settings',
  'attention',
  'diagnostics',
  'weekly',
] as const

export const isPage = (name: string): name is (typeof pages)[number] | 'chat' =>
  name === 'chat' || (pages as readonly string[]).includes(name)

/** The chat's lists, in the order of their keys; without one, it shows recent conversations. */
export const chatLists = ['direct', 'channels', 'mentions', 'followed', 'starred'] as const
export type ChatListName = (typeof chatLists)[number]

const check = { accountId: idSchema, checkId: idSchema }

/** Where a click leads. */
export const targetSchema = variant('view', [
  object({ view: literal('chat'), list: optional(picklist(chatLists)) }),
  object({ view: picklist(pages) }),
  object({ view: literal('check'), ...check }),
  /** A check's form. `checkId` null: a new check, as a copy of `cloneOf` if that is given. */
  object({
    view: literal('editCheck'),
    accountId: idSchema,
    checkId: nullable(idSchema),
    cloneOf: optional(idSchema),
  }),
  object({ view: literal('importChecks'), accountId: idSchema }),
  /** The report on a check, ready to be sent. */
  object({ view: literal('discuss'), ...check }),
  /** The check's page with its timeline open. */
  object({ view: literal('timeline'), ...check }),
  object({
    view: literal('conversation'),
    accountId: idSchema,
    conversation: conversationSchema,
    messageId: nullable(numberId),
    /** Opened by somebody else's link, so nothing is marked as read. */
    fromLink: optional(boolean()),
  }),
  /** Messages that match a search; `accountId` null: in the first chat. */
  object({
    view: literal('search'),
    accountId: nullable(idSchema),
    query: pipe(string(), maxLength(1_000)),
  }),
  /** The outages of all projects that match a filter; it may name a day. */
  object({ view: literal('outages'), query: optional(pipe(string(), maxLength(200))) }),
  object({ view: literal('addAccount'), kind: picklist(accountKinds) }),
  object({ view: literal('replaceKey'), accountId: idSchema }),
])
export type Target = Immutable<InferOutput<typeof targetSchema>>
