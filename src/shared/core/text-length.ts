/** Length as the server counts it, in code points: "👍" counts as one. */
export function codePointLength(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** Cuts to at most `most` UTF-16 units, with a final "…", without splitting a surrogate pair. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/** White space as Python strips it, which differs slightly from JavaScript. */
function isBlank(sign: string): boolean {
  return /\p{White_Space}/u.test(sign) || (sign >= '\u{1c}' && sign <= '\u{1f}')
}

/**
 * A message as the server sees it before checking its length: without NUL, which it refuses,
 * leading newlines and trailing white space (chat API, "POST /messages").
 */
export function sentText(text: string): string {
  const kept = text.replaceAll('\0', '').replace(/^\n+/, '')
  let end = kept.length
  while (end > 0 && isBlank(kept.charAt(end - 1))) end -= 1
  return kept.slice(0, end)
}

/** A text as the server stores it. */
export function serverText(text: string): string {
  const sent = sentText(text)
  return sent.trim() === '' ? '' : sent
}

/** What a chat server takes at most. */
export interface ChatLimits {
  /** In code points; the server silently truncates longer text. */
  readonly messageLength: number
  readonly topicLength: number
  /** The largest upload, in MiB; absent if the server doesn't say. */
  readonly uploadMib?: number
}

/** False for text that the server would refuse as empty or silently cut with "200 OK". */
export function fitsMessage(text: string, limits: ChatLimits): boolean {
  const length = codePointLength(sentText(text))
  return sentText(text).trim() !== '' && length <= limits.messageLength
}

/**
 * A message's HTML: enough for 10,000 characters, the default limit, of code in colours. Only
 * formulas can be longer; the rest of them is left to the browser.
 */
export const htmlMaxLength = 192 * 1024
