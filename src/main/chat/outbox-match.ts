import { type ConversationKey, conversationKey } from '../../shared/core/chat/conversation.ts'
import type { Message } from '../../shared/core/chat/message.ts'
import type { OutboxMessage } from '../../shared/core/chat/outbox.ts'
import { sentText } from '../../shared/core/text-length.ts'

/** Servers cut times to whole seconds, and clocks that are set by the network differ by less than this. */
export const clockSlackMs = 10_000

export interface MatchOptions {
  /** Server clock minus ours. */
  readonly serverOffsetMs?: number
  /** Ids that other outbox messages were found to be: the same text twice is two messages. */
  readonly claimed?: ReadonlySet<number>
  /** Where its conversation went, when the topic was renamed or resolved. */
  readonly movedTo?: ConversationKey | null
}

/**
 * The id of the message that an unconfirmed one turned out to be, or null: the first own message of
 * its conversation, not older than it, that says the same.
 *
 * Servers give back what they rendered and not what was typed, so that letters and digits are
 * compared, without what Markdown makes of the rest. Where rendering changes those too (a time, an
 * emoji alone), this says null and the user decides: wrongly "not sent" costs a look, wrongly "sent"
 * would lose a message.
 */
export function wasSent(
  outboxMessage: Pick<
    OutboxMessage,
    'conversation' | 'text' | 'queuedAt' | 'afterMessageId' | 'notMessageIds'
  >,
  messages: readonly Message[],
  me: number,
  { serverOffsetMs = 0, claimed = new Set(), movedTo = null }: MatchOptions = {},
): number | null {
  const key = conversationKey(outboxMessage.conversation)
  const notBefore = outboxMessage.queuedAt + serverOffsetMs - clockSlackMs
  const candidates = messages.filter(
    ({ id, senderId, sentAt, ...message }) =>
      senderId === me &&
      (message.key === key || message.key === movedTo) &&
      id > outboxMessage.afterMessageId &&
      sentAt >= notBefore &&
      !claimed.has(id) &&
      !outboxMessage.notMessageIds?.includes(id),
  )
  const ids = candidates
    .filter((message) => saysTheSame(outboxMessage.text, message))
    .map(({ id }) => id)
  return ids.length === 0 ? null : Math.min(...ids)
}

function saysTheSame(typed: string, message: Message): boolean {
  const source = sentText(typed)
  // A history may also be fetched unrendered.
  if (source === message.html.trim() || squeezed(source) === squeezed(message.text)) return true
  const expected = lettersOf(plainSource(source))
  const seen = lettersOf(withoutEmojiNames(message.text))
  if (expected === '') return false
  // What a server adds to a text that it cut: "\n[message truncated]".
  const cut = /^(.+)messagetruncated$/.exec(seen)?.[1]
  return seen === expected || (cut !== undefined && expected.startsWith(cut))
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function lettersOf(text: string): string {
  return text.normalize('NFC').replace(/[^\p{L}\p{N}]/gu, '')
}

/** `:smile:` is drawn as a character or an image. */
function withoutEmojiNames(text: string): string {
  return text.replace(/:[\w+-]+:/g, '')
}

/** Markdown without the letters that rendering takes away. */
function plainSource(source: string): string {
  return withoutEmojiNames(
    source
      .replace(/^\/me\s/, '')
      // A code block's language.
      .replace(/^(```+|~~~+)[ \t]*[\w+#.-]+[ \t]*$/gm, '')
      // A mention's user id, a link to a topic's message id.
      .replace(/([@#]_?\*\*[^*\n]*?)[|@]\d+\*\*/g, '$1')
      // A link's address.
      .replace(/\[([^\]\n]*)\]\([^)\s]*\)/g, '$1'),
  )
}
