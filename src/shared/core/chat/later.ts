import * as v from 'valibot'
import type { AccountId } from '../account.ts'
import type { Failure } from '../failure.ts'
import { type Immutable, numberId } from '../schemas.ts'
import type { AppState } from '../state.ts'
import { codePointLength, sentText } from '../text-length.ts'
import type { ChatEvent } from './chat-event.ts'
import {
  type Conversation,
  conversationKey,
  conversationSchema,
  draftConversation,
  draftKey,
} from './conversation.ts'
import type { ChatLimits, Realm } from './realm.ts'

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

/**
 * Servers check once a minute for messages that are due, and send one twice if it is changed just
 * then: it may only be cancelled.
 */
export function isBeingSent({ at, failed }: ScheduledMessage, now: number): boolean {
  return !failed && at - now < 60_000 && now - at < 120_000
}

export interface Snippet {
  readonly id: number
  readonly title: string
  readonly content: string
}

/** Ids of items on the server that can't be read; null for an item without a readable id. */
export type Unreadable = readonly (number | null)[]

/** What the server keeps for later; a list is null if the server lacks the feature. */
export interface KeptForLater {
  readonly drafts: readonly ServerDraft[] | null
  readonly scheduled: readonly ScheduledMessage[] | null
  readonly snippets: readonly Snippet[] | null
  readonly unreadable: Readonly<Record<'drafts' | 'scheduled' | 'snippets', Unreadable>>
  /** Why the server refused some drafts, by `draftKey`: these are on this computer only. */
  readonly refused: readonly { readonly key: string; readonly failure: Failure }[]
}

export const nothingKept: KeptForLater = {
  drafts: null,
  scheduled: null,
  snippets: null,
  unreadable: { drafts: [], scheduled: [], snippets: [] },
  refused: [],
}

/** Applies an event that adds, changes or removes items of a list. */
export function keptAfter(
  later: KeptForLater,
  event: Extract<ChatEvent, { type: 'scheduled' | 'snippets' }>,
): KeptForLater {
  const { type, put, removed, unreadable } = event
  const gone = new Set<number | null>([...removed, ...unreadable, ...put.map(({ id }) => id)])
  const others = later.unreadable[type].filter((id) => !gone.has(id))
  return {
    ...later,
    [type]: later[type] && [...later[type].filter(({ id }) => !gone.has(id)), ...put],
    unreadable: { ...later.unreadable, [type]: [...others, ...unreadable] },
  }
}

/** Links the text typed in a conversation to a draft on the server. */
export const draftLinkSchema = v.object({
  conversation: conversationSchema,
  /** Null until the server has assigned one. */
  id: v.nullable(numberId),
  /** The text that both sides last agreed on. */
  base: v.string(),
  /** The text of a request without a response, '' for a deletion; null if there is none. */
  sent: v.nullable(v.string()),
})
export type DraftLink = Immutable<v.InferOutput<typeof draftLinkSchema>>

/** A conversation's text on this computer, and its link to the server. */
export interface LocalDraft {
  readonly conversation: Conversation
  readonly text: string
  readonly link: DraftLink | null
}

/** A request that brings the server up to date. */
export type DraftRequest =
  | { readonly does: 'create'; readonly text: string }
  | { readonly does: 'edit'; readonly id: number; readonly text: string }
  | { readonly does: 'delete'; readonly id: number }

export type MergedDraft = LocalDraft & { readonly request: DraftRequest | null }

/**
 * Merges one conversation's draft with the server's list. A change on one side goes to the other.
 * If both changed, both stay: the server's draft unchanged, and the text here as a new one. `own`:
 * the linked draft on the server; `others`: unlinked ones of this conversation. `isNews`: new to
 * this program in this form; only then may it fill an empty field.
 */
export function mergedDraft(
  local: LocalDraft,
  own: ServerDraft | undefined,
  others: readonly ServerDraft[],
  isNews: (draft: ServerDraft) => boolean,
): MergedDraft {
  const { link } = local
  if (own === undefined) {
    const isGone = link !== null && link.id !== null && link.sent === null
    return isGone && isSameDraft(local.text, link.base)
      ? { ...local, text: '', link: null, request: null }
      : withoutOwn(local, others, isNews)
  }
  const base = isSameDraft(own.content, link?.sent ?? '') ? own.content : (link?.base ?? null)
  if (isSameDraft(local.text, own.content)) return tied(local, own)
  if (base !== null && isSameDraft(local.text, base))
    return { ...tied(local, own), text: own.content, request: null }
  if (base !== null && isSameDraft(own.content, base)) return tied(local, own)
  return withoutOwn(local, [...others, own], isNews)
}

/** For a text that has no draft on the server, or no longer has one. */
function withoutOwn(
  local: LocalDraft,
  free: readonly ServerDraft[],
  isNews: (draft: ServerDraft) => boolean,
): MergedDraft {
  const { text, link, conversation } = local
  const typed = serverText(text)
  // The text of a creation that got no response.
  const sent = link?.id === null ? link.sent : null
  const same =
    free.find(({ content }) => typed !== '' && isSameDraft(content, typed)) ??
    free.find(({ content }) => sent !== null && isSameDraft(content, sent))
  if (same !== undefined) return tied(local, same)
  if (typed !== '')
    return {
      conversation,
      text,
      link: { conversation, id: null, base: '', sent: null },
      request: { does: 'create', text: typed },
    }
  const [newest] = free.filter(isNews).sort((a, b) => b.editedAt - a.editedAt)
  // A creation without a response may still arrive: with the link, it won't fill the field.
  return newest === undefined
    ? { ...local, link: sent === null ? null : link, request: null }
    : { ...tied(local, newest), text: newest.content, request: null }
}

/** Links the text to a draft on the server, which gets the text. */
function tied({ conversation, text }: LocalDraft, own: ServerDraft): MergedDraft {
  const { id, content } = own
  const typed = serverText(text)
  return {
    conversation,
    text,
    link: { conversation, id, base: content, sent: null },
    // A server draft without a recipient gets one by the edit.
    request:
      own.conversation !== null && isSameDraft(text, content)
        ? null
        : typed === ''
          ? { does: 'delete', id }
          : { does: 'edit', id, text: typed },
  }
}

/** A text as the server stores it. */
export function serverText(text: string): string {
  const sent = sentText(text)
  return sent.trim() === '' ? '' : sent
}

/** Since version 10, servers also trim white space at the start of a draft. */
function isSameDraft(one: string, other: string): boolean {
  return serverText(one).trimStart() === serverText(other).trimStart()
}

/** The request, unless the server would truncate the text. */
function fitting({ conversation, text, request }: MergedDraft, limits: ChatLimits) {
  const fits =
    codePointLength(serverText(text)) <= limits.messageLength &&
    (conversation.kind === 'direct' || codePointLength(conversation.topic) <= limits.topicLength)
  return fits || request?.does === 'delete' ? request : null
}

export type KeyedRequest = { readonly key: string; readonly conversation: Conversation } & {
  readonly request: DraftRequest
}

/** Merges all drafts of an account with the server's list, and returns the requests to send. */
export function withMergedDrafts(
  state: AppState,
  { accountId, limits, conversations, later }: Realm,
  isNews: (draft: ServerDraft) => boolean,
): { readonly state: AppState; readonly requests: readonly KeyedRequest[] } {
  const held = new Map((later.drafts ?? []).map((draft) => [draft.id, draft]))
  const ownKey = (key: string) => draftConversation(accountId, key) !== null
  const links = [...state.draftLinks].filter(([key]) => ownKey(key))
  const linked = new Set(links.map(([, { id }]) => id))
  const unlinked = Map.groupBy(
    [...held.values()].filter(({ id }) => !linked.has(id)),
    ({ conversation }) => conversation && draftKey(accountId, conversation),
  )
  // The current content of unreadable drafts is unknown: these stay unchanged on both sides.
  const isKnown = (key: string) =>
    !later.unreadable.drafts.includes(state.draftLinks.get(key)?.id ?? -1)
  const keys = new Set([
    ...links.map(([key]) => key),
    ...[...state.drafts.keys()].filter(ownKey),
    ...[...unlinked.keys()].filter((key) => key !== null),
  ])
  const drafts = new Map(state.drafts)
  const draftLinks = new Map(state.draftLinks)
  const requests: KeyedRequest[] = []
  for (const key of [...keys].filter(isKnown)) {
    const others = unlinked.get(key) ?? []
    const link = draftLinks.get(key) ?? null
    const conversation =
      link?.conversation ??
      conversations.get(key.slice(accountId.length + 1))?.conversation ??
      others[0]?.conversation ??
      draftConversation(accountId, key)
    if (conversation === null) continue
    const local = { conversation, text: drafts.get(key) ?? '', link }
    const merged = mergedDraft(local, held.get(link?.id ?? -1), others, isNews)
    put(drafts, key, merged.text || null)
    if (!isSameLink(link, merged.link)) put(draftLinks, key, merged.link)
    const request = fitting(merged, limits)
    if (request !== null) requests.push({ key, conversation, request })
    const own = held.get(merged.link?.id ?? -1)
    requests.push(...twinDeletions(conversation, own, request, others))
  }
  const isSame = sameEntries(drafts, state.drafts) && sameEntries(draftLinks, state.draftLinks)
  return { state: isSame ? state : { ...state, drafts, draftLinks }, requests }
}

/** Deletes duplicates, made by retrying a creation or by taking a draft: they would come back. */
function twinDeletions(
  conversation: Conversation,
  own: ServerDraft | undefined,
  request: DraftRequest | null,
  others: readonly ServerDraft[],
): readonly KeyedRequest[] {
  const text = request?.does === 'edit' ? request.text : own?.content
  return others
    .filter(({ id, content }) => id !== own?.id && content === text)
    .map(({ id }) => ({ key: `twin/${id}`, conversation, request: { does: 'delete', id } }))
}

/** Whether the server's list lacks a draft that a text here is linked to. */
export function lacksLinked({ draftLinks, realms }: AppState, accountId: AccountId): boolean {
  const { drafts, unreadable } = realms.get(accountId)?.later ?? nothingKept
  const there = new Set([...(drafts ?? []).map(({ id }) => id), ...unreadable.drafts])
  return [...draftLinks].some(
    ([key, { id }]) => id !== null && !there.has(id) && draftConversation(accountId, key) !== null,
  )
}

function isSameLink(one: DraftLink | null, other: DraftLink | null): boolean {
  if (one === null || other === null) return one === other
  return one.id === other.id && one.base === other.base && one.sent === other.sent
}

function put<Value>(map: Map<string, Value>, key: string, value: Value | null): void {
  if (value === null) map.delete(key)
  else map.set(key, value)
}

function sameEntries(
  one: ReadonlyMap<string, unknown>,
  other: ReadonlyMap<string, unknown>,
): boolean {
  return one.size === other.size && [...one].every(([key, value]) => other.get(key) === value)
}

/** A message that is being scheduled, until it is known whether the server has it. */
export const schedulingSchema = v.object({
  id: v.string(),
  accountId: v.string(),
  conversation: conversationSchema,
  text: v.string(),
  /** Epoch ms. */
  at: v.number(),
  triedAt: v.number(),
  /** Ids of the messages that were scheduled before, which can't be this one. */
  known: v.array(numberId),
})
export type Scheduling = Immutable<v.InferOutput<typeof schedulingSchema>>

/** A request that got no response is over by then: what it was to create exists or never will. */
export const surelyOverMs = 60_000

/** The message that this request scheduled, on a list read since; undefined if there is none. */
export function scheduledOf(
  { conversation, text, at, known }: Scheduling,
  list: readonly ScheduledMessage[],
): ScheduledMessage | undefined {
  return list.find(
    (one) =>
      !known.includes(one.id) &&
      one.at === at &&
      one.content === serverText(text) &&
      conversationKey(one.conversation) === conversationKey(conversation),
  )
}

export function withoutScheduling(state: AppState, id: string): AppState {
  return { ...state, scheduling: state.scheduling.filter((entry) => entry.id !== id) }
}

/** A status that Belfry clears at a set time, since the service has no expiry. */
export const statusEndSchema = v.object({
  text: v.string(),
  emoji: v.nullable(v.string()),
  /** Epoch ms. */
  until: v.number(),
})
export type StatusEnd = Immutable<v.InferOutput<typeof statusEndSchema>>

/** Unlinks the account's drafts: none of them is on the server any more. */
export function withoutDraftLinks(state: AppState, accountId: string): AppState {
  const links = [...state.draftLinks].map(([key, link]): [string, DraftLink] => [
    key,
    draftConversation(accountId, key) === null || link.id === null
      ? link
      : { ...link, id: null, base: '', sent: null },
  ])
  return links.every(([key, link]) => state.draftLinks.get(key) === link)
    ? state
    : { ...state, draftLinks: new Map(links) }
}

const lacks = {
  drafts: 'keep drafts: they stay on this computer',
  scheduled: 'send messages later: that needs version 7 or later',
  snippets: 'keep snippets: that needs version 10 or later',
} as const

/** Why there is no such list; null if there is one. */
export function lackOf({ server, later }: Realm, list: keyof typeof lacks): string | null {
  if (later[list] !== null) return null
  return server === null
    ? 'This account is not connected yet.'
    : `This server is too old to ${lacks[list]}.`
}

/** What a form edits. */
export type UnsavedForm = `message/${number}` | `scheduled/${number}` | `snippet/${number | 'new'}`

/** The key in `AppState.drafts` of unsaved input in a form. */
export function unsavedKey(accountId: AccountId, form: UnsavedForm): string {
  return `${accountId}/form/${form}`
}

const formKey = /^form\/(message|scheduled|snippet)\/(\d+)$/

/** Unsaved input in a form for an item that the server has, or had. */
export interface KeptForm {
  readonly form: UnsavedForm
  readonly of: 'message' | 'scheduled' | 'snippet'
  readonly id: number
  readonly kept: string
}

export function keptForms({ drafts }: AppState, accountId: AccountId): readonly KeptForm[] {
  return [...drafts].flatMap(([key, kept]): KeptForm[] => {
    if (!key.startsWith(`${accountId}/`)) return []
    const [, of, digits] = formKey.exec(key.slice(accountId.length + 1)) ?? []
    const id = Number(digits)
    return of === 'message' || of === 'scheduled' || of === 'snippet'
      ? [{ form: `${of}/${id}`, of, id, kept }]
      : []
  })
}

const fieldTexts = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.string()))

/** The changed fields, by name. */
export function unsavedFields(kept: string): Readonly<Record<string, string>> {
  return v.is(fieldTexts, kept) ? v.parse(fieldTexts, kept) : {}
}

/** The placeholders of a snippet, such as "{customer}", each once. */
export function snippetFields(content: string): readonly string[] {
  return [...new Set(Array.from(content.matchAll(/\{([^{}\n]{1,40})\}/g), ([, name = '']) => name))]
}

/** Fills in the placeholders; those without a value stay. */
export function filledSnippet(content: string, values: ReadonlyMap<string, string>): string {
  return content.replace(/\{([^{}\n]{1,40})\}/g, (whole, name: string) => values.get(name) || whole)
}
