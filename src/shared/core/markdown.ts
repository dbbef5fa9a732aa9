import { withoutSecrets } from './secrets.ts'
import { visibleName } from './visible-text.ts'

/*
 * Words by others (names, outputs, messages) in a text that leaves for a chat or a ticket. Secrets are
 * masked before anything is cut, and an @ is separated from what follows, so that nobody is mentioned
 * even where a backslash means nothing.
 */

/** Words as one line of Markdown: no list, heading, link, mention, emoji, formula or code. */
export function wordsInMarkdown(text: string): string {
  return (
    oneLine(text)
      .replace(/[\\`*_[\]<>#|~&$!]/g, '\\$&')
      .replace(/^[-+=:]/, '\\$&')
      .replace(/^(\d{1,9})([.)])/, '$1\\$2')
      .replaceAll('](', ']\\(')
      // Addresses and bare domain names.
      .replace(/(?<!\\)(?::(?=\/)|\.(?=\p{L}))/gu, '\\$&')
      // `:smile:`.
      .replace(/:(?=[\w+-]+:)/g, ':\u200b')
  )
}

/** Code points of a name that are shown. */
const longestName = 200

/** A name as a code span, in which a chat finds no mention, emphasis or link. */
export function nameInMarkdown(name: string): string {
  const line = oneLine(visibleName(name).replaceAll('`', 'ʼ'))
  return `\`${[...(line || '?')].slice(0, longestName).join('')}\``
}

/** Within emoji and words of some languages; without it, they would be others. */
const joiner = /^[\u200c\u200d]$/

function oneLine(text: string): string {
  return withoutSecrets(text)
    .replace(/[\p{C}\s]+/gu, (gap) => (joiner.test(gap) ? gap : ' '))
    .trim()
    .replaceAll('@', '@\u200b')
}
