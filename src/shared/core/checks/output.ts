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
 * The line of an output that says most: the first that looks like an error, else the last. One line
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
  const known = new Set(['', ...plainLines(earlier).map(withoutDigits)])
  return (line) => plainLines(line).some((one) => !known.has(withoutDigits(one)))
}

/** What the service keeps of an output, in bytes, unless its operator set another limit. */
const keptBytes = 10_000

/** Whether an output is as long as the service keeps; its last character may have been cut in two. */
export function isCutOff(output: string): boolean {
  let missing = keptBytes
  for (const sign of output) missing -= bytesOf(sign.codePointAt(0) ?? 0)
  return missing === 0 || (output.endsWith('\uFFFD') && missing > 0 && missing <= 2)
}

/** In UTF-8; what stands for a byte that is no text is that one byte. */
function bytesOf(codePoint: number): number {
  if (codePoint < 0x80 || codePoint === 0xfffd) return 1
  if (codePoint < 0x800) return 2
  return codePoint < 0x10000 ? 3 : 4
}

/** "exit status 3": the API does not return it, and many jobs print it. Null where the output does not say. */
export function exitStatusIn(output: string): number | null {
  const said = /\bexit(?:ed)?(?: with)?(?: status| code)?(?: of)?[ :=]{1,3}(\d{1,3})\b/gi
  const last = [...output.slice(-mostSearched).matchAll(said)].at(-1)?.[1]
  return last === undefined || Number(last) > 255 ? null : Number(last)
}

/** A line of two outputs beside each other: in both, only in the earlier one, or only in the later one. */
export interface ComparedLine {
  readonly side: 'both' | 'earlier' | 'later'
  readonly line: string
}

/** Lines of each output that are compared: the work grows with their product. */
export const mostCompared = 1_000

/** The fewest changed lines that make the later output of the earlier one; as for `isNewTo`, digits don't count. */
export function compareOutputs(earlier: string, later: string): readonly ComparedLine[] {
  const [a, b] = [linesToCompare(earlier), linesToCompare(later)]
  const [keysA, keysB] = [a.map(withoutDigits), b.map(withoutDigits)]
  const common = commonCounts(keysA, keysB)
  const sideAt = (i: number, j: number): ComparedLine['side'] => {
    if (i === a.length) return 'later'
    if (j === b.length) return 'earlier'
    if (keysA[i] === keysB[j]) return 'both'
    return common(i + 1, j) >= common(i, j + 1) ? 'earlier' : 'later'
  }
  const lines: ComparedLine[] = []
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const side = sideAt(i, j)
    lines.push({ side, line: (side === 'earlier' ? a[i] : b[j]) ?? '' })
    if (side !== 'later') i += 1
    if (side !== 'earlier') j += 1
  }
  return lines
}

function linesToCompare(output: string): readonly string[] {
  return plainLines(output.slice(0, mostSearched)).slice(0, mostCompared)
}

/** How many lines `a` from place i on and `b` from place j on have in common, in the same order. */
function commonCounts(a: readonly string[], b: readonly string[]) {
  const width = b.length + 1
  const counts = new Uint16Array((a.length + 1) * width)
  const at = (i: number, j: number): number => counts[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      counts[i * width + j] =
        a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  return at
}

function withoutDigits(line: string): string {
  return line.trim().replace(/\d+/g, '0')
}
