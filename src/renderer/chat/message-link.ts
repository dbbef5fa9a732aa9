import type { Conversation } from '#shared/core/chat/conversation.ts'
import { directConversation } from '#shared/core/chat/conversation.ts'
import { asciiHost, namedSites } from './named-sites.ts'

/** A link that may be opened, with the host that the user is shown. */
export interface MessageLink {
  readonly url: string
  /** "chat.example.org", or "mail to ana@example.org". */
  readonly host: string
}

/** As `openLink` in main allows it; asked here first so that nothing else even looks like a link. */
const longestUrl = 2_048

/**
 * The full address of a link in a message, or null for what must not be opened: another scheme than
 * http, https and mailto, a name or password in it, control characters. Root-relative addresses
 * belong to the realm that the message came from.
 */
export function messageLink(href: string, baseUrl: string): MessageLink | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  if (href === '' || href.length > longestUrl || /[\u0000-\u001f\u007f]/.test(href)) return null
  const url = URL.parse(href, `${baseUrl}/`)
  if (url === null || url.href.length > longestUrl) return null
  if (url.protocol === 'mailto:') return { url: url.href, host: `mail to ${url.pathname}` }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return null
  if (url.username !== '' || url.password !== '' || url.host === '') return null
  return { url: url.href, host: url.host }
}

/**
 * True where the text of a link names another site than the one that it leads to: the oldest trick with
 * links. "www." in front makes no difference.
 */
export function namesAnotherHost(text: string, { url }: MessageLink): boolean {
  const target = URL.parse(url)
  if (target === null) return false
  const host = target.protocol === 'mailto:' ? afterAt(target.pathname) : target.hostname
  const plain = plainHost(asciiHost(host))
  return namedSites(text, url).some((named) => plainHost(named) !== plain)
}

function afterAt(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1)
}

function plainHost(host: string): string {
  return host.replace(/^www\./, '')
}

/** A place in the realm that an address of its web app stands for. */
export interface NarrowPlace {
  readonly conversation: Conversation
  readonly messageId: number | null
}

/**
 * Reads `…/#narrow/channel/10-ops/topic/db-backup/near/15` (chat API, "Permalinks into the web app").
 * Null for other addresses, for narrows that are no single conversation, and for malformed ones.
 */
export function narrowPlace(url: string, baseUrl: string, me: number): NarrowPlace | null {
  const parsed = URL.parse(url)
  if (parsed === null || parsed.origin !== URL.parse(baseUrl)?.origin) return null
  const parts = parsed.hash.replace(/^#\/?/, '').split('/')
  if (parts[0] !== 'narrow') return null
  const terms = new Map<string, string>()
  for (let at = 1; at + 1 < parts.length; at += 2) {
    const operand = decodedOperand(parts[at + 1] ?? '')
    if (operand === null) return null
    terms.set(parts[at] ?? '', operand)
  }
  const near = Number.parseInt(terms.get('near') ?? '', 10)
  const conversation = topicOf(terms) ?? directOf(terms, me)
  if (conversation === null) return null
  return { conversation, messageId: Number.isSafeInteger(near) ? near : null }
}

function topicOf(terms: ReadonlyMap<string, string>): Conversation | null {
  const channelId = Number.parseInt(terms.get('channel') ?? terms.get('stream') ?? '', 10)
  const topic = terms.get('topic') ?? terms.get('subject')
  return Number.isSafeInteger(channelId) && topic !== undefined
    ? { kind: 'topic', channelId, topic }
    : null
}

function directOf(terms: ReadonlyMap<string, string>, me: number): Conversation | null {
  const ids = /^[\d,]+/.exec(terms.get('dm') ?? terms.get('pm-with') ?? '')?.[0]
  if (ids === undefined) return null
  const userIds = ids.split(',').map(Number)
  return userIds.every(Number.isSafeInteger) ? directConversation(userIds, me) : null
}

/** "db.20backup" → "db backup": percent encoding with dots; null when it is malformed. */
function decodedOperand(operand: string): string | null {
  try {
    return decodeURIComponent(operand.replaceAll('.', '%'))
  } catch {
    // `decodeURIComponent` throws for malformed sequences: then it is no narrow of ours.
    return null
  }
}
