import type { Verdict } from './judge.ts'
import type { Target } from './measurement.ts'

/** The verdicts as a table in Markdown: docs/performance.md has it as it was printed. */
export function table(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map((verdict) => {
    const { target, value, against, result, isMet } = verdict
    const unit = target.unit === undefined ? '' : ` ${target.unit}`
    const compared =
      target.against === undefined || against === null
        ? '–'
        : `${number(against)}${unit} ${target.against.contender}`
    const ratio = against === null ? '–' : number(result)
    const cells = [target.goal, target.what, number(value) + unit, compared, ratio]
    return [...cells, limit(target), isMet ? 'met' : '**short**'].join(' | ')
  })
  const head = ['goal', 'what', 'here', 'against', 'ratio', 'target', '']
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
