import { withoutSecrets } from '../secrets.ts'

/** Characters of an output in which an error is looked for. */
const mostSearched = 100_000
/** Characters of a line that are looked at. */
const mostOfLine = 1_000
/** Code points of the line that is shown. */
const longestLine = 160

/**
 * What a job sent along, as lines of plain text: without the colours of a terminal, control
 * characters, and characters that turn the direction of what follows.
 */
export function plainLines(output: string): readonly string[] {
  return (
    output
      // Colours of a terminal, then all else that is no text.
      .replace(new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[A-Za-z]`, 'g'), '')
      .replace(/\r\n?|\u2028|\u2029/g, '\n')
      .replace(/[^\P{C}\n\t]/gu, '')
      .trimEnd()
      .split('\n')
      .filter((line, index) => index > 0 || line.trim() !== '')
  )
}

/**
 * The line of an output that tells most: the first that looks like an error, else the last. One line
 * of plain text, at most 160 characters, without secrets; null where there is no text.
 */
export function lineThatMatters(output: string): string | null {
  const error = shortLines(output.slice(0, mostSearched)).find(looksLikeError)
  return error ?? shortLines(output.slice(-mostSearched)).at(-1) ?? null
}

function shortLines(output: string): string[] {
  return plainLines(output)
    .map((line) => cut(withoutSecrets(line.trim().slice(0, mostOfLine).replace(/\s+/g, ' '))))
    .filter((line) => line !== '')
}

function cut(line: string): string {
  if (line.length <= longestLine) return line
  const signs = [...line]
  return signs.length <= longestLine ? line : `${signs.slice(0, longestLine - 1).join('')}…`
}

const errorWords =
  /\b(?:\w*error|\w*exception|fatal|fail(?:ed|ure|s)?|panic(?:ked)?|critical|(?:permission|access) denied|refused|time(?:d )?out|abort(?:ed|ing)?|killed|segmentation fault|no such file|(?:command )?not found|can(?:not|[’']t)|could(?: not|n[’']t)|unable to|out of memory|no space left|(?:status|code):? [1-9]\d*)\b/i
/** "0 errors", "no failures", "errors: 0": what says that there were none. */
const noError =
  /\b(?:0|no|zero|without)(?: \w+)? (?:errors?|failures?|failed|exceptions?)\b|\b(?:errors?|failures?|failed|exceptions?)\s*[:=]\s*0\b/gi
/** A step of a stack trace names code, and not what went wrong. */
const stackLine = /^(?:File "|at |raise |throw )/

function looksLikeError(line: string): boolean {
  return errorWords.test(line.replace(noError, '')) && !stackLine.test(line)
}

/**
 * Tells of a line whether an earlier output did not have it; one that differs in digits alone, as
 * times and counts do, is the same.
 */
export function isNewTo(earlier: string): (line: string) => boolean {
  const plain = (line: string): string => line.trim().replace(/\d+/g, '0')
  const known = new Set(plainLines(earlier).map(plain))
  return (line) => plainLines(line).some((one) => plain(one) !== '' && !known.has(plain(one)))
}
