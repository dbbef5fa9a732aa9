import type { Account, AccountId, AccountsSlice } from './account.ts'
import { type Conversation, directConversation } from './chat/conversation.ts'
import { narrowPlace } from './chat/narrow-link.ts'
import type { RealmsSlice } from './chat/realm.ts'
import type { ChecksSlice } from './checks/board.ts'
import { type ParsedUrl, parsedUrl } from './parsed-url.ts'
import { isPage, type Target } from './target.ts'

/** The package registers this scheme with the system. */
const linkScheme = 'belfry:'

/** Characters of a link, or of a pasted address. */
const longest = 2_048

type Accounts = AccountsSlice & ChecksSlice & RealmsSlice

/**
 * The link to a place, made of ids that are the same for everybody with access to the project or
 * realm; null for a place that can't be linked to.
 *
 *   belfry://check/<id of the check>
 *   belfry://chat/<host of the realm>/topic/<channel>/<topic>[/<message>]
 *   belfry://chat/<host of the realm>/direct/<people>[/<message>], including the sender of the link
 *   belfry://view/<name>
 */
export function deepLink(
  { accounts, realms }: AccountsSlice & RealmsSlice,
  target: Target,
): string | null {
  if (target.view === 'check' || target.view === 'discuss' || target.view === 'timeline')
    return `${linkScheme}//check/${encodeURIComponent(target.checkId)}`
  if (target.view === 'conversation') {
    const account = accounts.find(({ id }) => id === target.accountId)
    if (account === undefined) return null
    const { conversation, messageId } = target
    const me = realms.get(account.id)?.me?.id ?? null
    const place =
      conversation.kind === 'topic'
        ? ['topic', conversation.channelId, encodeURIComponent(conversation.topic.toWellFormed())]
        : ['direct', everybodyIn(conversation.userIds, me).join(',')]
    const parts = [hostOf(account.baseUrl), ...place, ...(messageId === null ? [] : [messageId])]
    return `${linkScheme}//chat/${parts.join('/')}`
  }
  return isPage(target.view) ? `${linkScheme}//view/${target.view}` : null
}

/** Includes this user, since a conversation's `userIds` leave out its own reader. */
function everybodyIn(others: readonly number[], me: number | null): readonly number[] {
  return [...new Set(me === null ? others : [...others, me])].sort((a, b) => a - b)
}

/** Host and port of an account's base address. */
function hostOf(baseUrl: string): string {
  return /^https?:\/\/([^/]+)/.exec(baseUrl)?.[1] ?? ''
}

/** `wait`: an account that has not been read yet may have the target. */
export type LinkResult =
  | { readonly to: Target }
  | { readonly refused: string; readonly wait: boolean }

/** Where an address leads, or the message whose place the chat has to be asked for. */
type AddressResult =
  | LinkResult
  | { readonly message: { readonly accountId: AccountId; readonly messageId: number } }

const refused = (why: string, wait = false): LinkResult => ({ refused: why, wait })
const damaged = refused('This link is damaged, so nothing was opened.')
const unknown = refused('Belfry has no page that this link could open.')

/** Where a link leads. Anybody may have written it, so it must never do more than navigate. */
export function readDeepLink(text: string, state: Accounts): LinkResult {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
  if (text.length > longest || /[\u0000-\u0020\u007f-\u009f\\]/u.test(text)) return damaged
  const parts = /^belfry:\/\/([a-z]+)\/([^?#]+)$/.exec(text)
  if (parts === null) return damaged
  const [, kind = '', path = ''] = parts
  const names = decoded(path)
  if (names === null) return damaged
  const [first = '', ...rest] = names
  if (kind === 'view') return rest.length === 0 && isPage(first) ? { to: { view: first } } : unknown
  if (kind === 'check') return rest.length === 0 ? checkAt(first, state) : unknown
  return kind === 'chat' ? conversationAt(first, rest, state) : unknown
}

/** Whether a text may be the address of a page: of Belfry, or of a service's website. */
export function isAddress(text: string): boolean {
  return /^(?:belfry|https?):\/\/\S+$/i.test(text.trim())
}

/**
 * Where a pasted address leads: a link of Belfry's own, or the page of a check or conversation on
 * the website of a connected service, however it was copied.
 */
export function readAddress(
  pasted: string,
  state: Accounts,
  uniqueKeyOf: (uuid: string) => string,
): AddressResult {
  const text = pasted.trim()
  if (/^belfry:/i.test(text)) return readDeepLink(text, state)
  const url = parsedUrl(text)
  if (url === null || text.length > longest) return damaged
  const here = state.accounts.filter(({ baseUrl }) => isBelow(url, baseUrl))
  if (here.length === 0) return refused(`Belfry isn’t connected to ${url.host}.`)
  const found = here.map((account) =>
    account.kind === 'monitoring'
      ? checkOnSite(url, account.id, state, uniqueKeyOf)
      : narrowed(url, account, state),
  )
  return (
    found.find((one) => one !== null && !('refused' in one)) ??
    found.find((one) => one !== null) ??
    unknown
  )
}

function isBelow({ origin, pathname }: ParsedUrl, baseUrl: string): boolean {
  const base = parsedUrl(baseUrl)
  return base?.origin === origin && pathname.startsWith(base.pathname.replace(/\/$/, ''))
}

/** `…/checks/<uuid>/details/`, or `…/cloaked/<unique key>/` of somebody with a read-only key. */
function checkOnSite(
  { pathname }: ParsedUrl,
  accountId: AccountId,
  { boards }: Accounts,
  uniqueKeyOf: (uuid: string) => string,
): LinkResult | null {
  const [, uuid] = /\/checks\/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\//i.exec(pathname) ?? []
  const [, key] = /\/cloaked\/([\da-f]{40})\//i.exec(pathname) ?? []
  const checkId = uuid === undefined ? key?.toLowerCase() : uniqueKeyOf(uuid)
  if (checkId === undefined) return null
  const board = boards.get(accountId)
  if (board?.checks.has(checkId) === true) return { to: { view: 'check', accountId, checkId } }
  return refused(
    'This address leads to a check in a project that isn’t connected.',
    board?.freshness.readAt == null,
  )
}

function narrowed(
  url: ParsedUrl,
  { id, baseUrl }: Account,
  { realms }: Accounts,
): AddressResult | null {
  const realm = realms.get(id)
  const place = narrowPlace(url.href, baseUrl, realm?.me?.id ?? -1)
  if (place === null) return null
  const { conversation, messageId } = place
  if (conversation === null)
    return messageId === null ? null : { message: { accountId: id, messageId } }
  if (conversation.kind === 'channel') return { to: { view: 'chat', list: 'channels' } }
  const isSeen =
    conversation.kind === 'topic'
      ? realm?.channels.has(conversation.channelId) === true
      : conversation.userIds.every((userId) => realm?.users.has(userId) === true)
  if (!isSeen) return refused(notSeen(conversation), realm?.freshness.readAt == null)
  return {
    to: { view: 'conversation', accountId: id, conversation, messageId, fromLink: true },
  }
}

function notSeen({ kind }: Conversation): string {
  return `This link leads to a ${kind === 'topic' ? 'channel' : 'person'} that you can’t see in this chat.`
}

/** The decoded segments of a path; null if it isn't validly encoded. */
function decoded(path: string): readonly string[] | null {
  try {
    return path.split('/').map(decodeURIComponent)
  } catch {
    // A lone % or part of a UTF-8 sequence.
    return null
  }
}

function checkAt(checkId: string, { accounts, boards }: Accounts): LinkResult {
  for (const [accountId, board] of boards)
    if (board.checks.has(checkId)) return { to: { view: 'check', accountId, checkId } }
  const isReadingStill = accounts.some(
    ({ id, kind }) => kind === 'monitoring' && boards.get(id)?.freshness.readAt == null,
  )
  return refused('This link leads to a check in a project that isn’t connected.', isReadingStill)
}

function conversationAt(
  host: string,
  [kind = '', ...path]: readonly string[],
  { accounts, realms }: Accounts,
): LinkResult {
  const here = accounts.filter(
    (one) => one.kind === 'chat' && hostOf(one.baseUrl) === host.toLowerCase(),
  )
  if (here.length === 0) return refused('This link leads to a chat that isn’t connected.')
  const read = conversationOf(kind, path)
  if (read === null) return damaged
  const { conversation, messageId } = read
  // Two accounts in one realm may see different channels.
  const account = here.find(({ id }) => {
    const realm = realms.get(id)
    return conversation.kind === 'topic'
      ? realm?.channels.has(conversation.channelId) === true
      : conversation.userIds.every((userId) => realm?.users.has(userId) === true)
  })
  if (account === undefined)
    return refused(
      notSeen(conversation),
      here.some(({ id }) => realms.get(id)?.freshness.readAt == null),
    )
  const me = realms.get(account.id)?.me?.id
  const seen =
    conversation.kind === 'direct' && me !== undefined
      ? directConversation(conversation.userIds, me)
      : conversation
  const place = { accountId: account.id, conversation: seen, messageId, fromLink: true }
  return { to: { view: 'conversation', ...place } }
}

function conversationOf(
  kind: string,
  path: readonly string[],
): { readonly conversation: Conversation; readonly messageId: number | null } | null {
  const [first = '', ...more] = path
  const ids = first.split(',').map(idOf)
  const rest = kind === 'topic' ? more.slice(1) : more
  const message = rest[0] === undefined ? null : idOf(rest[0])
  if (rest.length > 1 || Number.isNaN(message) || ids.some(Number.isNaN)) return null
  if (kind === 'direct' && ids.length <= 1_000)
    return { conversation: { kind: 'direct', userIds: ids }, messageId: message }
  const [channelId, topic] = [ids[0], more[0]]
  if (kind !== 'topic' || ids.length !== 1 || channelId === undefined) return null
  if (topic === undefined || topic.length > 1_000) return null
  return { conversation: { kind: 'topic', channelId, topic }, messageId: message }
}

/** NaN for anything but a plain number. */
function idOf(text: string): number {
  const id = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(id) ? id : Number.NaN
}
