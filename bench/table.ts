import type { Verdict } from './judge.ts'
import type { Target } from './measurement.ts'

/** The verdicts as a table in Markdown: docs/performance.md has it as it was printed. */
export function table(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map((one) => {
    const { target, value, against, result, isMet } = one
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
    return [...cells, asked || '–', asked === '' ? '' : verdict].join(' | ')
  })
  const head = ['for', 'what', 'here', 'against', 'ratio', 'asked', '']
  return [head.join(' | '), head.map(() => '---').join(' | '), ...rows]
    .map((row) => `| ${row} |`)
    .join('\n')
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

/** A page with the table of the last run in the place that is kept for it. */
export function withTable(page: string, text: string): string {
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from < 0 || to < from) throw new Error(`the page has no ${begin} … ${end}`)
  return `${page.slice(0, from + begin.length)}\n${text}\n${page.slice(to)}`
}
