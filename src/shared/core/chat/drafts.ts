import * as v from 'valibot'
import type { AccountId } from '../account.ts'
import { withEntry } from '../identity.ts'
import { type Immutable, numberId } from '../schemas.ts'
import { type ChatLimits, codePointLength, serverText } from '../text-length.ts'
import {
  type Conversation,
  conversationKey,
  conversationOf,
  conversationSchema,
} from './conversation.ts'
import { nothingKept, type ServerDraft } from './kept-for-later.ts'
import { followed, type Place } from './places.ts'
import type { Realm, RealmsSlice } from './realm.ts'

/** How long a window may hold a typed draft or report before main gets it and writes it to disk. */
export const draftDelayMs = 200

/** The key of a conversation's unsent text in `drafts`. */
export function draftKey(accountId: AccountId, conversation: Conversation): string {
  return `${accountId}/${conversationKey(conversation)}`
}

export function draftOf(state: DraftsSlice, { accountId, conversation }: Place): string {
  return state.drafts.get(draftKey(accountId, conversation)) ?? ''
}

export function withDraft<State extends DraftsSlice>(
  state: State,
  place: Place,
  text: string,
): State {
  if (draftOf(state, place) === text) return state
  const key = draftKey(place.accountId, place.conversation)
  const next = { ...state, drafts: withEntry(state.drafts, key, text || null) }
  const link = state.draftLinks.get(key)
  if (text === '')
    return link?.id === null && link.sent === null
      ? { ...next, draftLinks: withEntry(state.draftLinks, key, null) }
      : next
  if (link !== undefined) return next
  // The key has the topic in lower case; this keeps it as it was typed.
  const begun = { conversation: place.conversation, id: null, base: '', sent: null }
  return { ...next, draftLinks: withEntry(state.draftLinks, key, begun) }
}

/**
 * Replaces the draft `over` with `text`, unless it was edited meanwhile. It may stand below another
 * draft now: where its topic was moved, or if a message came back.
 */
export function withDraftOver<State extends DraftsSlice & RealmsSlice>(
  state: State,
  place: Place,
  over: string,
  text: string,
): State {
  const at = followed(state, place)
  const all = draftOf(state, at)
  const isBelow = over !== '' && all.endsWith(`\n\n${over}`)
  return all === over || isBelow ? withDraft(state, at, withEndTyped(all, over, text)) : state
}

/**
 * Joins two unsent texts for one field as paragraphs. A text that the other already contains is not
 * repeated: the program may have ended when it was in two places.
 */
export function joinTexts(first: string, second: string): string {
  const holds = (one: string, other: string): boolean =>
    `\n\n${one}\n\n`.includes(`\n\n${other}\n\n`)
  if (second === '' || holds(first, second)) return first
  return first === '' || holds(second, first) ? second : `${first}\n\n${second}`
}

/** Replaces a draft's end `over`, typed in a field at a moved topic's old place, with `typed`. */
export function withEndTyped(all: string, over: string, typed: string): string {
  if (all === over) return typed
  const end = `\n\n${over}`
  return joinTexts(over !== '' && all.endsWith(end) ? all.slice(0, -end.length) : all, typed)
}

/** The conversation of a draft's key; null if the key is another account's or no conversation's. */
export function draftConversation(accountId: AccountId, key: string): Conversation | null {
  return key.startsWith(`${accountId}/`) ? conversationOf(key.slice(accountId.length + 1)) : null
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

/** Unsent texts as a part of the app's state. */
export interface DraftsSlice {
  /** By `draftKey`. */
  readonly drafts: ReadonlyMap<string, string>
  /** Their copies on the servers, by the same keys. */
  readonly draftLinks: ReadonlyMap<string, DraftLink>
}

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
export function withMergedDrafts<State extends DraftsSlice>(
  state: State,
  { accountId, limits, conversations, later }: Realm,
  isNews: (draft: ServerDraft) => boolean,
): { readonly state: State; readonly requests: readonly KeyedRequest[] } {
  const onServer = new Map((later.drafts ?? []).map((draft) => [draft.id, draft]))
  const ownKey = (key: string) => draftConversation(accountId, key) !== null
  const links = [...state.draftLinks].filter(([key]) => ownKey(key))
  const linked = new Set(links.map(([, { id }]) => id))
  const unlinked = Map.groupBy(
    [...onServer.values()].filter(({ id }) => !linked.has(id)),
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
    const merged = mergedDraft(local, onServer.get(link?.id ?? -1), others, isNews)
    put(drafts, key, merged.text || null)
    if (!isSameLink(link, merged.link)) put(draftLinks, key, merged.link)
    const request = fitting(merged, limits)
    if (request !== null) requests.push({ key, conversation, request })
    const own = onServer.get(merged.link?.id ?? -1)
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
export function lacksLinked(
  { draftLinks, realms }: DraftsSlice & RealmsSlice,
  accountId: AccountId,
): boolean {
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

/** Unlinks the account's drafts: none of them is on the server any more. */
export function withoutDraftLinks<State extends DraftsSlice>(
  state: State,
  accountId: string,
): State {
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
