import { lineThatMatters } from '../../src/shared/core/checks/line-that-matters.ts'
import { plainLines } from '../../src/shared/core/checks/output.ts'
import { filesOf, type Score } from './corpus.ts'

const leastRight = 0.95
/** What a reason never says. */
const success = /\b(?:success(?:ful(?:ly)?)?|succeeded|done|completed|finished)\b/i
const mark = '▶ '
/** Control characters, as the data files write them. */
const controls: Readonly<Record<string, string>> = {
  '␛': '\u001b',
  '␍': '\r',
  '␇': '\u0007',
  '␀': '\0',
}

interface Case {
  readonly name: string
  readonly output: string
  /** The lines of which any is right, as they are shown. */
  readonly right: readonly string[]
}

/**
 * Files of `reasons/` have cases, each after a line "=== name": what a job printed, with "▶ " in
 * front of each line that a person would pick.
 */
export function scoreReasons(choose: (output: string) => string | null = lineThatMatters): Score {
  const cases = [...filesOf('reasons').values()].flatMap(casesIn)
  const wrong = cases.filter(({ output, right }) => !isRight(choose(output) ?? '', right))
  return {
    words: `reasons: ${cases.length - wrong.length} of ${cases.length} right`,
    passed:
      cases.length - wrong.length >= leastRight * cases.length &&
      !wrong.some(({ output }) => success.test(choose(output) ?? '')),
    wrong: wrong.map(
      ({ name, output, right }) => `reason: ${name}: ${choose(output)} ← ${right[0]}`,
    ),
  }
}

function casesIn(text: string): Case[] {
  return text
    .split(/^=== /m)
    .slice(1)
    .map((block) => {
      const [name = '', ...lines] = block
        .replace(/[␛␍␇␀]/g, (sign) => controls[sign] ?? '')
        .trimEnd()
        .split('\n')
      const output = lines.map((line) => line.replace(mark, '')).join('\n')
      const marked = lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(2))
      return { name, output, right: marked.length > 0 ? marked : lines.slice(-2) }
    })
}

/** As it is shown, maybe cut, and maybe as one of the last two lines. */
function isRight(chosen: string, right: readonly string[]): boolean {
  const part = (line: string) => plain(line).slice(0, 120)
  return right.some(
    (line) => chosen.includes(part(line)) || (chosen !== '' && part(line).includes(chosen)),
  )
}

function plain(line: string): string {
  return plainLines(line)
    .join(' ')
    .replace(/^[\s│|]+/, '')
    .replace(/\s+/g, ' ')
    .trim()
}
