/**
 * The reports of a security suite, `test-results/security-<suite>.json`, one for each host it ran on.
 *
 * @typedef {Record<string, number>} Report
 * @typedef {'html' | 'links' | 'notifications' | 'redirects' | 'commands' | 'answers' | 'cost' | 'canary' | 'advisories' | 'scanner'} Suite
 * @typedef {Partial<Record<Suite, readonly Report[]>>} Reports
 */

/**
 * Each suite must have tried at least this much, let nothing through and found what its control
 * planted: a suite that tries nothing finds nothing either. `most` limits measurements, such as
 * `mainMs` and `windowMs`, the longest time that main and the window were blocked.
 *
 * @type {Record<Suite, { least: Report, none: string[], most?: Report }>}
 */
const wanted = {
  html: { least: { vectors: 500, fuzzed: 10_000, control: 25 }, none: ['through'] },
  links: { least: { urls: 200, control: 20 }, none: ['through'] },
  notifications: { least: { vectors: 300, ways: 6, control: 6 }, none: ['through'] },
  redirects: { least: { combinations: 240, control: 5 }, none: ['through'] },
  commands: {
    least: { commands: 400_000, control: 40, floodControlMs: 100 },
    none: ['through'],
    most: { mainMs: 100 },
  },
  answers: { least: { answers: 80, control: 1 }, none: [], most: { mainMs: 50, turnMs: 200 } },
  cost: {
    least: { messages: 50, vectors: 500, control: 4 },
    none: ['through'],
    // On Electron, its test allows main half of that; the stand-in sends to the window in
    // JavaScript.
    most: { mainMs: 100, turnMs: 200, windowMs: 200 },
  },
  canary: { least: { encodings: 8, places: 10, planted: 10 }, none: ['hits'] },
  advisories: { least: { packages: 100, advisories: 30, control: 4 }, none: ['known'] },
  scanner: { least: { checks: 40, control: 20 }, none: ['findings', 'errors'] },
}

/** @type {readonly Suite[]} */
export const suites = /** @type {Suite[]} */ (Object.keys(wanted))

/** End-to-end suites, which write a report for each host. @type {readonly Suite[]} */
export const endToEndSuites = ['canary', 'cost']

/**
 * @param {Suite} suite
 * @param {readonly Report[]} reports
 * @returns {string[]}
 */
function faultsOf(suite, reports) {
  if (reports.length === 0) return [`${suite}: no report; the suite did not finish`]
  return reports.flatMap((report) => faultsIn(suite, report))
}

/**
 * @param {Suite} suite
 * @param {Report} report
 * @returns {string[]}
 */
function faultsIn(suite, report) {
  const { least, none, most = {} } = wanted[suite]
  const few = Object.entries(least).filter(([name, number]) => !((report[name] ?? 0) >= number))
  const many = Object.entries(most).filter(
    ([name, number]) => !((report[name] ?? Number.POSITIVE_INFINITY) <= number),
  )
  const some = none.filter((name) => report[name] !== 0)
  const missed = suite === 'canary' && report['found'] !== report['planted']
  return [
    ...[...few, ...many].map(
      ([name, number]) => `${suite}: ${name} ${report[name] ?? 'missing'} of ${number}`,
    ),
    ...some.map((name) => `${suite}: ${name} ${report[name] ?? 'missing'}`),
    ...(missed ? [`${suite}: found ${report['found']} of ${report['planted']} planted`] : []),
  ]
}

/**
 * The closing line, and the faults by suite.
 *
 * @param {Reports} reports
 * @returns {{ line: string, faults: string[], failed: number }}
 */
export function securityOutcome(reports) {
  const faults = suites.map((suite) => faultsOf(suite, reports[suite] ?? []))
  /** The same attempts on two hosts count once, with the worse outcome. */
  const number = (/** @type {Suite} */ suite, /** @type {string} */ name) =>
    Math.max(0, ...(reports[suite] ?? []).map((report) => report[name] ?? 0))
  const worst = (/** @type {string} */ name) =>
    Math.round(Math.max(...suites.map((suite) => number(suite, name))))
  const sums = {
    vectors: number('html', 'vectors') + number('html', 'fuzzed'),
    urls: number('links', 'urls'),
    notifications: number('notifications', 'vectors'),
    redirects: number('redirects', 'combinations'),
    commands: number('commands', 'commands'),
  }
  const through = suites.map((suite) => number(suite, 'through')).reduce((sum, one) => sum + one, 0)
  const tried = Object.entries(sums).map(([name, count]) => `${count} ${name}`)
  const canary = `canary ${number('canary', 'hits')} of ${number('canary', 'encodings')}`
  return {
    line: `security: ${tried.join(', ')}: ${through} through; ${canary}; worst main ${worst('mainMs')} ms, worst window ${worst('windowMs')} ms`,
    faults: faults.flat(),
    failed: faults.filter((list) => list.length > 0).length,
  }
}
