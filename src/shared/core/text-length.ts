import type { ChatLimits } from './chat/realm.ts'

/** Length as the server counts it: code points, so that "👍" is one and not two. */
export function codePointLength(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** At most so many UTF-16 units, ending in "…" where it is longer: half an emoji is a sign that no font has. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/** What Python cuts, which is not quite what JavaScript does. */
function isBlank(sign: string): boolean {
  return /\p{White_Space}/u.test(sign) || (sign >= '\u{1c}' && sign <= '\u{1f}')
}

/**
 * What the server makes of a message before it counts: NUL is refused, newlines in front and white
 * space behind are cut (chat API, "POST /messages"). Everything else is the writer's own.
 */
export function sentText(text: string): string {
  const kept = text.replaceAll('\0', '').replace(/^\n+/, '')
  let end = kept.length
  while (end > 0 && isBlank(kept.charAt(end - 1))) end -= 1
  return kept.slice(0, end)
}

/** False for what the server would refuse as empty or, worse, cut silently with "200 OK". */
export function fitsMessage(text: string, limits: ChatLimits): boolean {
  const length = codePointLength(sentText(text))
  return sentText(text).trim() !== '' && length <= limits.messageLength
}
