import type { Round, Verdict } from './judge.ts'
import type { machine } from './machine.ts'
import type { Target } from './measurement.ts'

/** The last run of a measurement. */
export interface Taken {
  /** ISO 8601. */
  readonly at: string
  readonly machine: ReturnType<typeof machine>
  readonly rounds: readonly Round[]
  readonly verdicts: readonly Verdict[]
}

/** The verdicts as a Markdown table, which is also part of bench/README.md. */
export function table(all: readonly Taken[]): string {
  const rows = all.flatMap(({ at, rounds, verdicts }) =>
    verdicts.map((one) => row(one, `${at.slice(0, 10)}, ${rounds.length}`)),
  )
  const head = ['for', 'what', 'here', 'against', 'ratio', 'asked', '', 'day, rounds']
  return [head.join(' | '), head.map(() => '---').join(' | '), ...rows]
    .map((cells) => `| ${cells} |`)
    .join('\n')
}

function row({ target, value, against, result, isMet }: Verdict, taken: string): string {
  const unit = target.unit === undefined ? '' : target.unit === '%' ? '%' : ` ${target.unit}`
  const compared =
    target.against === undefined || against === null
      ? '–'
      : `${number(against)}${unit} ${target.against.contender}`
  const ratio = against === null ? '–' : number(result)
  const cells = [target.goal, target.what, number(value) + unit, compared, ratio]
  const asked = limit(target)
  const good = target.isGuard === true ? 'holds' : 'met'
  const verdict = isMet ? good : '**short**'
  return [...cells, asked || '–', asked === '' ? '' : verdict, taken].join(' | ')
}

function limit({ atMost, atLeast }: Target): string {
  const limits = [
    ...(atMost === undefined ? [] : [`≤ ${number(atMost)}`]),
    ...(atLeast === undefined ? [] : [`≥ ${number(atLeast)}`]),
  ]
  return limits.join(', ')
}

function number(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 })
}

const begin = '<!-- npm run bench -->'
const end = '<!-- end -->'

/** Returns the page with the table of the last run between its markers. */
export function withTable(page: string, text: string): string {
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from < 0 || to < from) throw new Error(`the page has no ${begin} … ${end}`)
  return `${page.slice(0, from + begin.length)}\n${text}\n${page.slice(to)}`
}
