import { type Conversation, directConversation } from '#shared/core/chat/conversation.ts'

/** A link that may be opened, with the host to show to the user. */
export interface MessageLink {
  readonly url: string
  /** "chat.example.org", or "mail to ana@example.org". */
  readonly host: string
}

/** As in `openLink` of main; checked here too so that nothing it refuses even looks like a link. */
const longestUrl = 2_048

/**
 * The full URL of a link in a message, or null for what must not be opened: a scheme other than
 * http, https and mailto, a user name or password, control characters. Root-relative URLs belong to
 * the realm that the message came from.
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

/** The place in the realm that a URL of its web app stands for. */
export interface NarrowPlace {
  readonly conversation: Conversation | { readonly kind: 'channel'; readonly channelId: number }
  readonly messageId: number | null
}

/**
 * Reads `…/#narrow/channel/10-ops/topic/db-backup/near/15` (chat API, "Permalinks into the web app"),
 * and `/with/15`, which stands for the topic of that message. Null for other URLs, for narrows to
 * more than one conversation, and for malformed ones.
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
  const near = Number.parseInt(terms.get('near') ?? terms.get('with') ?? '', 10)
  const conversation = topicOf(terms) ?? directOf(terms, me)
  if (conversation === null) return null
  return { conversation, messageId: Number.isSafeInteger(near) ? near : null }
}

function topicOf(terms: ReadonlyMap<string, string>): NarrowPlace['conversation'] | null {
  const channelId = Number.parseInt(terms.get('channel') ?? terms.get('stream') ?? '', 10)
  const topic = terms.get('topic') ?? terms.get('subject')
  if (!Number.isSafeInteger(channelId)) return null
  if (topic !== undefined) return { kind: 'topic', channelId, topic }
  // With another filter, it is a search.
  return terms.size === 1 ? { kind: 'channel', channelId } : null
}

function directOf(terms: ReadonlyMap<string, string>, me: number): Conversation | null {
  const ids = /^[\d,]+/.exec(terms.get('dm') ?? terms.get('pm-with') ?? '')?.[0]
  if (ids === undefined) return null
  const userIds = ids.split(',').map(Number)
  return userIds.every(Number.isSafeInteger) ? directConversation(userIds, me) : null
}

/** "db.20backup" → "db backup": percent-encoding with dots; null if it is malformed. */
function decodedOperand(operand: string): string | null {
  try {
    return decodeURIComponent(operand.replaceAll('.', '%'))
  } catch {
    // `decodeURIComponent` throws for malformed sequences, which the web app doesn't make.
    return null
  }
}
