import { Parser } from 'htmlparser2'
import { readPlainHtml } from './plain-html.ts'
import { textElement } from './text-element.ts'
import { TextReader } from './text-reader.ts'

/** A message may have 10,000 code points; rendered code grows some twenty-fold. More is not read. */
const htmlMaxLength = 400_000

/**
 * A rendered message as plain text, for notifications, previews and search: by the web app's rules for
 * notifications (chat-api, section 5). Emoji become characters, formulas their TeX source; quotes
 * collapse unless there is nothing else; what a spoiler hides stays hidden. Never throws.
 *
 * The result is text and not HTML: it may well hold `<b>` because somebody typed it, and has to be
 * escaped by whoever shows it where markup counts.
 */
export function messageText(html: string): string {
  const reader = new TextReader()
  const isRead = html.length <= htmlMaxLength && readPlainHtml(html, reader)
  return isRead ? reader.result() : parsedText(html)
}

/** The same by a parser that knows all of HTML, which takes two to three times as long. */
export function parsedText(html: string): string {
  const reader = new TextReader()
  const parser = new Parser({
    onopentag: (name, attributes) => {
      if (!reader.open(textElement(name, attributes))) parser.pause()
    },
    onclosetag: () => reader.close(),
    // Line feeds and tabs are the only control characters that belong in a text.
    ontext: (text) => reader.text(text.replace(/[^\P{Cc}\n\t]/gu, ' ')),
  })
  parser.end(html.slice(0, htmlMaxLength))
  return reader.result()
}
