import type { AttentionEvent, CheckEvent, MessageEvent } from './event.ts'

/** A monitoring bot writes within seconds of the flip that our next poll sees, or the other way round. */
export const sameEventMs = 120_000

/**
 * Whether a flip and a chat message tell of one thing: the message is a bot's, names the check and says
 * DOWN or UP. The monitoring service's own Zulip integration writes the topic `NAME is DOWN` and the
 * line `NAME is DOWN (reason).`; other bots word it much alike.
 */
export function isSameEvent(one: AttentionEvent, other: AttentionEvent): boolean {
  if (Math.abs(one.at - other.at) > sameEventMs) return false
  if (one.of === 'check' && other.of === 'message') return tellsOf(other, one)
  if (one.of === 'message' && other.of === 'check') return tellsOf(one, other)
  return false
}

function tellsOf(message: MessageEvent, check: CheckEvent): boolean {
  if (!message.isBot || check.kind === 'late' || check.kind === 'missed') return false
  // Somebody is spoken to by name: that is more than the news of a check.
  if (message.kind === 'mention' || message.kind === 'direct') return false
  const state = check.kind === 'down' ? 'down' : 'up'
  return [message.topic ?? '', message.text].some((text) => names(text, check.name, state))
}

/** The name as a word of its own, and the state after it in the same line. */
function names(text: string, name: string, state: 'down' | 'up'): boolean {
  const wanted = name.toLowerCase()
  if (wanted === '') return false
  for (const line of text.toLowerCase().split('\n')) {
    for (let at = line.indexOf(wanted); at >= 0; at = line.indexOf(wanted, at + 1)) {
      const before = line[at - 1] ?? ' '
      const rest = line.slice(at + wanted.length)
      if (isWordPart(before) || isWordPart(rest[0] ?? ' ')) continue
      if (new RegExp(`\\b${state}\\b`, 'u').test(rest)) return true
    }
  }
  return false
}

/** A hyphen counts: `db` is not `db-backup`. */
function isWordPart(character: string): boolean {
  return /[\p{L}\p{N}_-]/u.test(character)
}
