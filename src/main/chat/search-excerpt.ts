import type { SearchHit } from '../../shared/contract.ts'
import { cut } from '../../shared/core/text-length.ts'
import { messageText } from './message-text.ts'

/** Characters before the first hit, and in total. */
const before = 60
const mostShown = 240

/** Private-use characters; those in a message are removed first. */
const opens = '\uE000'
const closes = '\uE001'

/**
 * The words around the first hit as one line, in parts. `html` is `match_content` of the chat API's
 * "Get messages", in which the service marks hits with `<span class="highlight">`. Without any, the
 * result is the beginning of the message.
 */
export function markedParts(html: string): SearchHit['parts'] {
  const [start = '', ...marked] = html
    .replace(/[\uE000\uE001]/g, '')
    .split('<span class="highlight">')
  const withMarks = marked.map((piece) => {
    const end = piece.indexOf('</span>')
    return end === -1 ? piece : `${opens}${piece.slice(0, end)}${closes}${piece.slice(end + 7)}`
  })
  const text = messageText(start + withMarks.join(''))
    .replace(/\s+/g, ' ')
    .trim()
  const first = Math.max(0, text.indexOf(opens))
  const from = first <= before ? 0 : wordStart(text, first - before, first)
  const whole = `${from > 0 ? '… ' : ''}${cut(text.slice(from), mostShown)}`
  return whole
    .split(/(?=\uE000)|(?<=\uE001)/)
    .map((part) => ({ text: part.replace(/[\uE000\uE001]/g, ''), hit: part.startsWith(opens) }))
    .filter((part) => part.text !== '')
}

/** The first start of a word in this range, or of a character: not all text has spaces. */
function wordStart(text: string, from: number, to: number): number {
  const start = text.indexOf(' ', from) + 1
  if (start > 0 && start <= to) return start
  return /^[\udc00-\udfff]/.test(text.slice(from, from + 1)) ? from + 1 : from
}
