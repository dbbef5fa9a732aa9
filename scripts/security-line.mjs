/**
 * What the security suites left in `test-results/security-<suite>.json`.
 *
 * @typedef {Record<string, number>} Report
 * @typedef {'html' | 'links' | 'notifications' | 'redirects' | 'canary' | 'scanner'} Suite
 * @typedef {Partial<Record<Suite, Report>>} Reports
 */

/** @type {readonly Suite[]} */
export const suites = ['html', 'links', 'notifications', 'redirects', 'canary', 'scanner']

/**
 * Each suite is to have tried this much, at least, let nothing through and found what its control
 * planted: a suite that tried nothing finds nothing either.
 *
 * @type {Record<Suite, { least: Report, none: string[] }>}
 */
const wanted = {
  html: { least: { vectors: 500, fuzzed: 10_000, control: 25 }, none: ['through'] },
  links: { least: { urls: 200, control: 20 }, none: ['through'] },
  notifications: { least: { vectors: 300, ways: 6, control: 6 }, none: ['through'] },
  redirects: { least: { combinations: 240, control: 5 }, none: ['through'] },
  canary: { least: { encodings: 6, places: 10, planted: 10 }, none: ['hits'] },
  scanner: { least: { checks: 40, control: 20 }, none: ['findings', 'errors'] },
}

/**
 * @param {Suite} suite
 * @param {Report | undefined} report
 * @returns {string[]}
 */
function faultsOf(suite, report) {
  if (report === undefined) return [`${suite}: no report; the suite did not run to its end`]
  const { least, none } = wanted[suite]
  const few = Object.entries(least).filter(([name, number]) => !((report[name] ?? 0) >= number))
  const some = none.filter((name) => report[name] !== 0)
  const missed = suite === 'canary' && report['found'] !== report['planted']
  return [
    ...few.map(([name, number]) => `${suite}: ${name} ${report[name] ?? 'missing'} of ${number}`),
    ...some.map((name) => `${suite}: ${name} ${report[name] ?? 'missing'}`),
    ...(missed ? [`${suite}: found ${report['found']} of ${report['planted']} planted`] : []),
  ]
}

/**
 * The closing line, and what is wrong by suite.
 *
 * @param {Reports} reports
 * @returns {{ line: string, faults: string[], failed: number }}
 */
export function securityOutcome(reports) {
  const faults = suites.map((suite) => faultsOf(suite, reports[suite]))
  const number = (/** @type {Suite} */ suite, /** @type {string} */ name) =>
    reports[suite]?.[name] ?? 0
  const sums = {
    vectors: number('html', 'vectors') + number('html', 'fuzzed'),
    urls: number('links', 'urls'),
    notifications: number('notifications', 'vectors'),
    redirects: number('redirects', 'combinations'),
  }
  const through = /** @type {const} */ (['html', 'links', 'notifications', 'redirects'])
    .map((suite) => number(suite, 'through'))
    .reduce((sum, one) => sum + one, 0)
  const tried = Object.entries(sums).map(([name, count]) => `${count} ${name}`)
  const canary = `canary ${number('canary', 'hits')} of ${number('canary', 'encodings')}`
  const scanner = `scanner ${number('scanner', 'findings') + number('scanner', 'errors')}`
  return {
    line: `security: ${tried.join(', ')}: ${through} through; ${canary}; ${scanner}`,
    faults: faults.flat(),
    failed: faults.filter((list) => list.length > 0).length,
  }
}
