import { withoutSecrets } from '../secrets.ts'
import { withoutPiles } from '../visible-text.ts'
import { plainLines } from './output.ts'
import { isAnnouncement, type ReadLine, weightOf } from './output-lines.ts'

/** Characters of an output that are searched, at its beginning and at its end. */
const mostSearched = 100_000
/** Characters of a line that are looked at. */
const mostOfLine = 500
/** Code points of the line that is shown. */
const longestLine = 160
/** What Node.js says before each reason that is no error; with it, the reason would be cut off. */
const preamble =
  /This error originated either by throwing inside of an async function without a catch block, or by rejecting a promise which was not handled with \.catch\(\)\. /

/**
 * The line of an output that says why the job failed, by the structure of logs: the last exception
 * of a trace, else the first error, else the first warning, else the last two lines. Plain text, at
 * most 160 characters, with secrets masked; null if there is no text.
 */
export function lineThatMatters(output: string): string | null {
  const isLong = output.length > 2 * mostSearched
  const head = linesIn(isLong ? upToLine(output.slice(0, mostSearched)) : output)
  const tail = isLong ? linesIn(fromLine(output.slice(-mostSearched))) : head
  const found = mostTelling(head) ?? (isLong ? mostTelling(tail) : null)
  if (found !== null) return cut(shown(found))
  const last = tail
    .map(shown)
    .filter((line) => line !== '')
    .slice(-2)
  return last.length === 0 ? null : cut(last.join(' · '))
}

/** Without the line that is cut: half a secret is not recognised. The same text if it is one line. */
function upToLine(text: string): string {
  const end = text.lastIndexOf('\n')
  return end === -1 ? text : text.slice(0, end)
}

function fromLine(text: string): string {
  return text.slice(text.indexOf('\n') + 1)
}

/** Masked before anything is cut. */
function linesIn(output: string): readonly string[] {
  return withoutSecrets(plainLines(output).join('\n'))
    .split('\n')
    .map((line) => line.slice(0, mostOfLine).trimEnd())
}

function shown(line: string): string {
  return withoutPiles(line)
    .replace(/^[\s│|╷╵]+/, '')
    .replace(preamble, '')
    .replace(/\s+/g, ' ')
    .trim()
}

function mostTelling(lines: readonly string[]): string | null {
  let best: { readonly line: string; readonly weight: number } | null = null
  let before: ReadLine | null = null
  for (const [at, text] of lines.entries()) {
    const read = weightOf(text, before)
    before = read
    const isBetter =
      best === null || read.weight > best.weight || (read.isLater && read.weight === best.weight)
    const next = lines[at + 1]?.trim() ?? ''
    // Source that is quoted, with the place marked below it.
    const isQuoted = /^[~^]+$/.test(next)
    if (read.weight === 0 || !isBetter || isQuoted) continue
    // "The following error occurred:" announces the line that says it.
    const line = isAnnouncement(text) && next !== '' ? innermost(lines, at + 1) : text
    best = { line, weight: read.weight }
  }
  return best?.line ?? null
}

/** The last of the causes below a line, each behind a ">", as Gradle writes them; without one, that line. */
function innermost(lines: readonly string[], at: number): string {
  const below = lines.slice(at + 1)
  const end = below.findIndex((line) => !/^\s*> \S/.test(line))
  const cause = below[(end === -1 ? below.length : end) - 1]
  return (cause?.trim().replace(/^> /, '') ?? lines[at]?.trim()) || ''
}

function cut(line: string): string {
  if (line.length <= longestLine) return line
  const signs = [...line]
  return signs.length <= longestLine ? line : `${signs.slice(0, longestLine - 1).join('')}…`
}
