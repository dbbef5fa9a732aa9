import {
  array,
  boolean,
  fallback,
  type GenericSchema,
  integer,
  literal,
  nullable,
  number,
  object,
  optional,
  picklist,
  pipe,
  safeParse,
  string,
  tuple,
  unknown,
  variant,
} from 'valibot'
import type { Account, AccountId } from '../../shared/core/account.ts'
import type { CheckId, CheckStatus } from '../../shared/core/check.ts'
import type { Notice } from '../../shared/core/notice.ts'
import type { OutboxMessage } from '../../shared/core/outbox.ts'
import type { ToldMessages } from '../../shared/core/realm.ts'
import { defaultSettings, type Settings } from '../../shared/core/settings.ts'

/** An account on disk: everything but the key, and but what only this run knows of the key. */
export type SavedAccount = Account

/** What was told, so that a restart neither repeats nor forgets. */
export interface Marks {
  readonly boards: ReadonlyMap<AccountId, ReadonlyMap<CheckId, CheckStatus>>
  readonly realms: ReadonlyMap<AccountId, ToldMessages>
}

const id = pipe(number(), integer())

const account = variant('kind', [
  object({
    kind: literal('monitoring'),
    id: string(),
    label: string(),
    baseUrl: string(),
    key: picklist(['present', 'missing', 'locked', 'rejected']),
    protection: picklist(['os', 'session']),
    insecure: boolean(),
    demo: boolean(),
    keyKind: picklist(['readWrite', 'readOnly', 'unknown']),
  }),
  object({
    kind: literal('chat'),
    id: string(),
    label: string(),
    baseUrl: string(),
    key: picklist(['present', 'missing', 'locked', 'rejected']),
    protection: picklist(['os', 'session']),
    insecure: boolean(),
    demo: boolean(),
    email: string(),
  }),
])

const conversation = variant('kind', [
  object({ kind: literal('topic'), channelId: id, topic: string() }),
  object({ kind: literal('direct'), userIds: array(id) }),
])

const outboxMessage = object({
  localId: string(),
  accountId: string(),
  conversation,
  text: string(),
  queuedAt: number(),
  state: picklist(['queued', 'sending', 'sent', 'rejected', 'unconfirmed']),
  messageId: nullable(id),
  attempts: number(),
  afterMessageId: fallback(id, 0),
  fromNotification: fallback(boolean(), false),
})

const status = picklist(['new', 'up', 'grace', 'down', 'paused', 'unknown'])

const marks = object({
  boards: array(tuple([string(), array(tuple([string(), status]))])),
  realms: array(tuple([string(), object({ floor: number(), ids: array(id) })])),
})

const target = variant('view', [
  object({ view: picklist(['checks', 'chat', 'notices', 'accounts', 'settings']) }),
  object({ view: literal('check'), accountId: string(), checkId: string() }),
  object({ view: literal('editCheck'), accountId: string(), checkId: nullable(string()) }),
  object({
    view: literal('conversation'),
    accountId: string(),
    conversation,
    messageId: nullable(id),
  }),
  object({ view: literal('replaceKey'), accountId: string() }),
])

const notice = object({
  id: string(),
  kind: picklist(['down', 'recovered', 'mention', 'direct', 'message', 'account']),
  accountId: string(),
  subject: string(),
  title: string(),
  body: string(),
  at: number(),
  target,
  canReply: boolean(),
  sound: boolean(),
})

const settings = object({
  theme: fallback(picklist(['system', 'light', 'dark']), defaultSettings.theme),
  pollSeconds: fallback(pipe(number(), integer()), defaultSettings.pollSeconds),
  notifyDown: fallback(boolean(), defaultSettings.notifyDown),
  notifyRecovered: fallback(boolean(), defaultSettings.notifyRecovered),
  notifyChat: fallback(boolean(), defaultSettings.notifyChat),
  sounds: fallback(boolean(), defaultSettings.sounds),
  groupBy: fallback(picklist(['project', 'tag', 'none']), defaultSettings.groupBy),
  sendKey: fallback(picklist(['enter', 'ctrlEnter']), defaultSettings.sendKey),
  markReadOnOpen: fallback(boolean(), defaultSettings.markReadOnOpen),
  recentPalette: fallback(array(string()), defaultSettings.recentPalette),
})

/** The items that can be read: one bad entry of an older or newer version never costs the others. */
function readable<T>(list: unknown, schema: GenericSchema<unknown, T>): T[] {
  const items = safeParse(array(unknown()), list)
  if (!items.success) return []
  return items.output.flatMap((item) => {
    const read = safeParse(schema, item)
    return read.success ? [read.output] : []
  })
}

export function readAccounts(document: unknown): SavedAccount[] {
  return readable(document, account)
}

export function readSettings(document: unknown): Settings {
  const read = safeParse(settings, document ?? {})
  return read.success ? read.output : defaultSettings
}

export function readDrafts(document: unknown): ReadonlyMap<string, string> {
  return new Map(readable(document, tuple([string(), string()])))
}

export function readOutbox(document: unknown): OutboxMessage[] {
  return readable(document, outboxMessage).map((message) => ({ ...message, failure: null }))
}

export function readNotices(document: unknown): Notice[] {
  return readable(document, notice)
}

export function readMarks(document: unknown): Marks {
  const parts = safeParse(
    object({ boards: optional(unknown()), realms: optional(unknown()) }),
    document,
  )
  const { boards, realms } = parts.success ? parts.output : {}
  return {
    boards: new Map(
      readable(boards, marks.entries.boards.item).map(([accountId, told]) => [
        accountId,
        new Map(told),
      ]),
    ),
    realms: new Map(readable(realms, marks.entries.realms.item)),
  }
}

/** Maps as lists of pairs, which JSON keeps. */
export function marksDocument(told: Marks): unknown {
  return {
    boards: [...told.boards].map(([accountId, statuses]) => [accountId, [...statuses]]),
    realms: [...told.realms],
  }
}
