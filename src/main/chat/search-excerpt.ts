import type { SearchHit } from '../../shared/contract.ts'
import { messageText } from './message-text.ts'

/** Characters before the first hit, and of the whole. */
const before = 60
const mostShown = 240

/** From Unicode's private use: what a message has of these is dropped. */
const opens = '\uE000'
const closes = '\uE001'

/**
 * The words around the first hit as one line, in parts. `html` is `match_content` of the chat API's "Get
 * messages", in which the service marks what was searched for by `<span class="highlight">`; without a
 * mark it is the beginning of the message.
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
  const from = first <= before ? 0 : text.indexOf(' ', first - before) + 1
  const cut = text.slice(from, from + mostShown)
  const whole = `${from > 0 ? '… ' : ''}${cut}${from + mostShown < text.length ? '…' : ''}`
  return whole
    .split(/(?=\uE000)|(?<=\uE001)/)
    .map((part) => ({ text: part.replace(/[\uE000\uE001]/g, ''), hit: part.startsWith(opens) }))
    .filter((part) => part.text !== '')
}
