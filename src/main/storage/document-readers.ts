import {
  array,
  boolean,
  fallback,
  type GenericSchema,
  literal,
  nullable,
  number,
  object,
  optional,
  picklist,
  pipe,
  record,
  safeParse,
  string,
  transform,
  tuple,
  union,
  unknown,
  variant,
} from 'valibot'
import type { Account, AccountId } from '../../shared/core/account.ts'
import { eventKinds } from '../../shared/core/attention/event.ts'
import type { AttentionMemory } from '../../shared/core/attention/memory.ts'
import type { Notice } from '../../shared/core/attention/notice.ts'
import type { OutboxMessage } from '../../shared/core/chat/outbox.ts'
import type { ToldMessages } from '../../shared/core/chat/realm.ts'
import type { CheckId, CheckStatus } from '../../shared/core/checks/check.ts'
import type { MissedFlips } from '../../shared/core/checks/missed-flips.ts'
import { ascending } from '../../shared/core/id-list.ts'
import type { Incident } from '../../shared/core/outages/incident.ts'
import { memoryDocument, readMemory, reasonParts } from './attention-documents.ts'
import { checkStatus, conversation, numberId, readable, target } from './document-parts.ts'

/** An account on disk: everything but the key, and but what only this run knows of the key. */
type SavedAccount = Account

/** `MissedFlips`, but for what was found. */
export type MissedMark = Pick<MissedFlips, 'since' | 'told'>

/** What was told, so that a restart neither repeats nor forgets. */
export interface Marks {
  readonly memory: AttentionMemory
  readonly boards: ReadonlyMap<AccountId, ReadonlyMap<CheckId, CheckStatus>>
  readonly missed: ReadonlyMap<AccountId, MissedMark>
  readonly realms: ReadonlyMap<AccountId, ToldMessages>
}

/** One that can't be read is not trusted: the account then says that its authority is unknown. */
const authority = fallback(
  optional(object({ pem: string(), name: string(), until: number() })),
  undefined,
)

const account = variant('kind', [
  object({
    kind: literal('monitoring'),
    id: string(),
    label: string(),
    baseUrl: string(),
    key: picklist(['present', 'missing', 'locked', 'rejected']),
    protection: picklist(['os', 'session', 'weak']),
    insecure: boolean(),
    demo: boolean(),
    authority,
    keyKind: picklist(['readWrite', 'readOnly', 'unknown']),
  }),
  object({
    kind: literal('chat'),
    id: string(),
    label: string(),
    baseUrl: string(),
    key: picklist(['present', 'missing', 'locked', 'rejected']),
    protection: picklist(['os', 'session', 'weak']),
    insecure: boolean(),
    demo: boolean(),
    authority,
    email: string(),
    images: fallback(boolean(), false),
  }),
])

const outboxMessage = object({
  localId: string(),
  accountId: string(),
  conversation,
  text: string(),
  queuedAt: number(),
  state: picklist(['queued', 'sending', 'sent', 'rejected', 'unconfirmed']),
  messageId: nullable(numberId),
  attempts: number(),
  afterMessageId: fallback(numberId, 0),
  notMessageIds: fallback(array(numberId), []),
  fromNotification: fallback(boolean(), false),
})

/**
 * By status, or as pairs of id and status. Both with the checks that were up in versions before this
 * one, which finds them up where none says otherwise.
 */
const told = union([
  pipe(
    record(checkStatus, array(string())),
    transform((ids) => toldMap(ids)),
  ),
  pipe(
    array(tuple([string(), checkStatus])),
    transform((pairs) => new Map(pairs.filter(([, one]) => one !== 'up'))),
  ),
])

const marks = object({
  boards: array(tuple([string(), told])),
  missed: array(
    tuple([
      string(),
      object({ since: nullable(number()), told: array(tuple([string(), number()])) }),
    ]),
  ),
  realms: array(
    tuple([
      string(),
      object({
        floor: number(),
        ids: pipe(
          array(numberId),
          transform((ids) => ascending(ids)),
        ),
      }),
    ]),
  ),
})

const notice = object({
  id: string(),
  kind: picklist([...eventKinds, 'digest']),
  accountId: string(),
  subject: string(),
  title: string(),
  body: string(),
  at: number(),
  target,
  sound: boolean(),
  outcome: fallback(picklist(['shown', 'tray', 'folded', 'silent']), 'shown'),
  reasons: fallback(array(reasonParts), []),
  lines: fallback(array(object({ text: string(), at: number(), target })), []),
})

export function readAccounts(document: unknown): SavedAccount[] {
  return readable(document, account)
}

/** Some of the document is no account that this version can read. */
export function hasUnreadableAccounts(document: unknown): boolean {
  if (document === null) return false
  return !Array.isArray(document) || readAccounts(document).length < document.length
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
    object({
      memory: optional(unknown()),
      boards: optional(unknown()),
      missed: optional(unknown()),
      realms: optional(unknown()),
    }),
    document,
  )
  const { memory, boards, missed, realms } = parts.success ? parts.output : {}
  return {
    memory: readMemory(memory),
    boards: new Map(readable(boards, marks.entries.boards.item)),
    missed: new Map(
      readable(missed, marks.entries.missed.item).map(([accountId, { since, told }]) => [
        accountId,
        { since, told: new Map(told) },
      ]),
    ),
    realms: new Map(readable(realms, marks.entries.realms.item)),
  }
}

/** Maps as lists of pairs, which JSON keeps; a project's checks by their few statuses. */
export function marksDocument(all: Marks): unknown {
  return {
    memory: memoryDocument(all.memory),
    boards: [...all.boards].map(([accountId, statuses]) => [accountId, idsByStatus(statuses)]),
    missed: [...all.missed].map(([accountId, mark]) => [
      accountId,
      { since: mark.since, told: [...mark.told] },
    ]),
    realms: [...all.realms],
  }
}

type IdsByStatus = Partial<Record<CheckStatus, string[]>>

/** Thousands may be paused, and are written whenever one changes: a list of ids takes a third of the time. */
function idsByStatus(statuses: ReadonlyMap<string, CheckStatus>): IdsByStatus {
  const ids: IdsByStatus = {}
  // Going through it by pairs makes one of each.
  statuses.forEach((one, id) => {
    ids[one] ??= []
    ids[one].push(id)
  })
  return ids
}

function toldMap(ids: IdsByStatus): Map<string, CheckStatus> {
  return new Map(
    checkStatus.options
      .filter((one) => one !== 'up')
      .flatMap((one) => (ids[one] ?? []).map((id): [string, CheckStatus] => [id, one])),
  )
}

const incident: GenericSchema<unknown, Incident> = object({
  accountId: string(),
  checkId: string(),
  chatId: string(),
  conversation,
  messageId: nullable(numberId),
  since: number(),
  told: checkStatus,
  toldAt: number(),
})

export function readIncidents(document: unknown): Incident[] {
  return readable(document, incident)
}
