import ansiRegex from 'ansi-regex'
import { withoutSecrets } from '../secrets.ts'

const terminalCodes = ansiRegex()

/** Characters of an output that are looked at. */
const mostSearched = 100_000

/**
 * A job's output as lines of plain text, without terminal codes, control characters, and
 * characters that change the direction of the text.
 */
export function plainLines(output: string): readonly string[] {
  return (
    output
      .replace(terminalCodes, '')
      // What a terminal overwrites, as a progress meter, is lines of its own.
      .replace(/\r\n?|\u2028|\u2029/g, '\n')
      .replace(/[^\P{C}\n\t]/gu, '')
      .trimEnd()
      .split('\n')
      .filter((line, index) => index > 0 || line.trim() !== '')
  )
}

/** The same, for everybody. Masked before anything is cut: half a secret is not recognised. */
export function linesToShare(output: string): readonly string[] {
  const lines = plainLines(output)
  return lines.length === 0 ? [] : withoutSecrets(lines.join('\n')).split('\n')
}

/**
 * Returns a function that says whether a line is not in an earlier output. Lines that differ only
 * in digits, as in times and counts, are the same.
 */
export function isNewTo(earlier: string): (line: string) => boolean {
  const known = new Set(['', ...plainLines(earlier.slice(0, mostSearched)).map(withoutDigits)])
  return (line) => plainLines(line).some((one) => !known.has(withoutDigits(one)))
}

/** How many bytes of an output the service keeps, unless its operator set another limit. */
const keptBytes = 10_000

/** Whether an output has the length that the service cuts at, maybe within a character. */
export function isCutOff(output: string): boolean {
  if (output.length > keptBytes) return false
  let missing = keptBytes
  for (const sign of output) missing -= bytesOf(sign.codePointAt(0) ?? 0)
  return missing === 0 || (output.endsWith('\uFFFD') && missing > 0 && missing <= 2)
}

/** In UTF-8; U+FFFD counts as the one invalid byte that it replaces. */
function bytesOf(codePoint: number): number {
  if (codePoint < 0x80 || codePoint === 0xfffd) return 1
  if (codePoint < 0x800) return 2
  return codePoint < 0x10000 ? 3 : 4
}

/** From "exit status 3", which many jobs print; the API does not return it. Null if not found. */
export function exitStatusIn(output: string): number | null {
  const said = /\bexit(?:ed)?(?: with)?(?: status| code)?(?: of)?[ :=]{1,3}(\d{1,3})\b/gi
  const last = [...output.slice(-mostSearched).matchAll(said)].at(-1)?.[1]
  return last === undefined || Number(last) > 255 ? null : Number(last)
}

/** A line of a diff: in both outputs, only in the earlier one, or only in the later one. */
export interface ComparedLine {
  readonly side: 'both' | 'earlier' | 'later'
  readonly line: string
}

/** Lines of each output that are compared: the work grows with their product. */
export const mostCompared = 1_000

/** A minimal diff of two outputs by lines, ignoring digits as `isNewTo` does. */
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

/** The length of the longest common subsequence of `a` from i on and `b` from j on. */
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
