import { parsedUrl } from '../parsed-url.ts'
import { type Conversation, directConversation } from './conversation.ts'

/** The place in the realm that a URL of its web app stands for. */
export interface NarrowPlace {
  /** Null: that of the message, which isn't `null` then. */
  readonly conversation:
    | Conversation
    | { readonly kind: 'channel'; readonly channelId: number }
    | null
  readonly messageId: number | null
}

/** Said of a link's message that can't be found. */
export const messageGoneWords = 'That message is gone, or you can’t see it.'

/**
 * Reads `…/#narrow/channel/10-ops/topic/db-backup/near/15` (chat API, "Permalinks into the web app"),
 * and `/with/15`, which stands for the topic of that message. A message in a feed or a search, such
 * as `…/#narrow/is/starred/near/15`, is a place too. Null for other URLs, for narrows to several
 * conversations, and for malformed ones.
 */
export function narrowPlace(url: string, baseUrl: string, me: number): NarrowPlace | null {
  const parsed = parsedUrl(url)
  if (parsed === null || parsed.origin !== parsedUrl(baseUrl)?.origin) return null
  const parts = parsed.hash.replace(/^#\/?/, '').split('/')
  if (parts[0] !== 'narrow') return null
  const terms = new Map<string, string>()
  for (let at = 1; at + 1 < parts.length; at += 2) {
    const operand = decodedOperand(parts[at + 1] ?? '')
    if (operand === null) return null
    terms.set(parts[at] ?? '', operand)
  }
  const near = messageTerms.map((name) => terms.get(name)).find(Boolean)
  const id = Number.parseInt(near ?? '', 10)
  const messageId = Number.isSafeInteger(id) && id > 0 ? id : null
  const conversation = topicOf(terms) ?? directOf(terms, me)
  return conversation === null && messageId === null ? null : { conversation, messageId }
}

/** Filters that name a message. */
const messageTerms = ['near', 'with', 'id']

function topicOf(terms: ReadonlyMap<string, string>): NarrowPlace['conversation'] | null {
  const channelId = Number.parseInt(terms.get('channel') ?? terms.get('stream') ?? '', 10)
  const topic = terms.get('topic') ?? terms.get('subject')
  if (!Number.isSafeInteger(channelId)) return null
  if (topic !== undefined) return { kind: 'topic', channelId, topic }
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
