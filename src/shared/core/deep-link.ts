import { type Conversation, directConversation } from './chat/conversation.ts'
import { projectsOf } from './projects.ts'
import type { AppState } from './state.ts'
import { isPage, type Target } from './target.ts'

/** The scheme that the package registers with the system. */
const linkScheme = 'belfry:'

const longest = 2_048

type Accounts = Pick<AppState, 'accounts' | 'boards' | 'realms'>

/**
 * The address of a place, by ids that mean the same to everybody who sees the same project or realm;
 * null for a place that no link leads to.
 *
 *   belfry://check/<id of the check>
 *   belfry://chat/<host of the realm>/topic/<channel>/<topic>[/<message>]
 *   belfry://chat/<host of the realm>/direct/<people>[/<message>], whoever copied it among them
 *   belfry://view/<name>
 */
export function deepLink(
  { accounts, realms }: Pick<AppState, 'accounts' | 'realms'>,
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

/** For each of them “the others” are other people. */
function everybodyIn(others: readonly number[], me: number | null): readonly number[] {
  return [...new Set(me === null ? others : [...others, me])].sort((a, b) => a - b)
}

/** With its port; of an address as accounts have it. */
function hostOf(baseUrl: string): string {
  return /^https?:\/\/([^/]+)/.exec(baseUrl)?.[1] ?? ''
}

/** `wait`: an account that has not been read yet may have it. */
export type LinkResult =
  | { readonly to: Target }
  | { readonly refused: string; readonly wait: boolean }

const refused = (why: string, wait = false): LinkResult => ({ refused: why, wait })
const damaged = refused('This link is damaged, so nothing was opened.')
const unknown = refused('Belfry has no page that this link could open.')

/** Where a link that anybody may have written leads. It never does more than lead there. */
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

/** The parts of a path; null where it is not what somebody would encode. */
function decoded(path: string): readonly string[] | null {
  try {
    return path.split('/').map(decodeURIComponent)
  } catch {
    // A lone % or half a character.
    return null
  }
}

function checkAt(checkId: string, { accounts, boards }: Accounts): LinkResult {
  // Of two accounts of one project the one that is shown may be able to do more.
  for (const [accountId, board] of [...projectsOf({ accounts, boards }).boards, ...boards])
    if (board.checks.has(checkId)) return { to: { view: 'check', accountId, checkId } }
  const isReadingStill = accounts.some(
    ({ id, kind }) => kind === 'monitoring' && boards.get(id)?.freshness.readAt == null,
  )
  return refused('This link leads to a check of no project that is connected here.', isReadingStill)
}

function conversationAt(
  host: string,
  [kind = '', ...path]: readonly string[],
  { accounts, realms }: Accounts,
): LinkResult {
  const here = accounts.filter(
    (one) => one.kind === 'chat' && hostOf(one.baseUrl) === host.toLowerCase(),
  )
  if (here.length === 0) return refused('This link leads to a chat that is not connected here.')
  const read = conversationOf(kind, path)
  if (read === null) return damaged
  const { conversation, messageId } = read
  // Of two accounts of one chat each sees channels of its own.
  const account = here.find(({ id }) => {
    const realm = realms.get(id)
    return conversation.kind === 'topic'
      ? realm?.channels.has(conversation.channelId) === true
      : conversation.userIds.every((userId) => realm?.users.has(userId) === true)
  })
  if (account === undefined)
    return refused(
      `This link leads to a ${conversation.kind === 'topic' ? 'channel' : 'person'} that you can’t see in this chat.`,
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
