import { Parser } from 'htmlparser2'
import { textElement } from './text-element.ts'
import { TextReader } from './text-reader.ts'

/** Tags, attributes and pieces of text of a message; coloured code of 10,000 characters has some 15,000. */
const mostPieces = 50_000

/**
 * A rendered message as plain text, for notifications, previews and search: by the web app's rules for
 * notifications (chat-api, section 5). Emoji become characters, formulas their TeX source; quotes
 * collapse unless there is nothing else; what a spoiler hides stays hidden. Never throws. The work
 * grows with the length of the HTML and no faster, and ends where nobody would read on.
 *
 * The result is text and not HTML: it may well hold `<b>` because somebody typed it, and has to be
 * escaped by whoever shows it where markup counts.
 */
export function messageText(html: string): string {
  const reader = new TextReader()
  let pieces = 0
  const count = (): void => {
    pieces += 1
    if (pieces > mostPieces || reader.isFull()) parser.pause()
  }
  const parser = new Parser({
    onopentag(name, attributes) {
      reader.open(textElement(name, attributes))
      count()
    },
    onattribute: count,
    onclosetag: () => reader.close(),
    ontext(text) {
      reader.text(text)
      count()
    },
  })
  parser.end(html)
  return reader.result()
}
