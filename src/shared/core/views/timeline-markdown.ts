import { type Check, checkName } from '../checks/check.ts'
import { withoutSecrets } from '../outages/without-secrets.ts'
import type { TimelineLine } from './timeline.ts'

/**
 * A timeline as Markdown, for a post-mortem: in UTC, since its readers sit in many zones. What
 * others wrote stands as text: none of it becomes a heading, a link or a mention, and no ping
 * address or key goes along.
 */
export function timelineMarkdown(
  check: Check,
  project: string,
  lines: readonly TimelineLine[],
): string {
  const shown = newest(lines)
  const out = [
    `# Timeline of ${escaped(checkName(check))}`,
    '',
    `${escaped(project)}, times in UTC.`,
  ]
  if (shown.length < lines.length)
    out.push('', `${lines.length - shown.length} earlier lines are left out.`)
  let day = ''
  for (const line of shown) {
    const at = new Date(line.at).toISOString()
    if (at.slice(0, 10) !== day) {
      day = at.slice(0, 10)
      out.push('', `## ${day}`, '')
    }
    out.push(...linesOf(line))
  }
  return withoutSecrets(`${out.join('\n')}\n`)
}

/** The clipboard's command takes 100,000 characters; the newest lines tell most. */
const longest = 90_000

function newest(lines: readonly TimelineLine[]): readonly TimelineLine[] {
  let length = 0
  const from = lines.findLastIndex((line) => {
    length += linesOf(line).join('\n').length + 1
    return length > longest
  })
  return lines.slice(from + 1)
}

function linesOf(line: TimelineLine): string[] {
  const time = new Date(line.at).toISOString().slice(11, 19)
  const quoted = line.detail === null ? [] : quote(line.detail)
  return [`- ${time} ${mark(line, escaped(line.text))}`, ...quoted]
}

function mark({ kind }: TimelineLine, words: string): string {
  if (kind === 'flip') return `**${words}**`
  return kind === 'message' ? `**${words}** wrote:` : words
}

/** Of longer messages the rest is in the chat. */
const longestQuote = 2_000

function quote(text: string): string[] {
  const signs = [...text]
  const shown = signs.length > longestQuote ? `${signs.slice(0, longestQuote).join('')}…` : text
  return shown.split('\n').map((line) => `  > ${escaped(line)}`)
}

function escaped(text: string): string {
  return text
    .replace(/[^\P{C}\n]/gu, ' ')
    .replace(/[\\`*_[\]<>#|~]/g, '\\$&')
    .replaceAll('@', '@\u200b')
}
