import { stripVTControlCharacters } from 'node:util'

/**
 * The result of a suite. `skipped` has the name of each skipped test with its reason, `failures`
 * the name of each failed one with the first lines of the reason, if known.
 *
 * @typedef {{ passed: number, failed: number, skipped: string[], failures: string[] }} Count
 */

/**
 * Vitest's JSON report.
 *
 * @typedef {{ status: string, fullName: string, failureMessages?: string[] }} VitestResult
 * @typedef {{ name: string, status: string, assertionResults: VitestResult[] }} VitestFile
 * @typedef {{ testResults: VitestFile[] }} VitestReport
 */

/**
 * @param {VitestReport} report
 * @returns {Count}
 */
export function countVitest({ testResults }) {
  const results = testResults.flatMap((file) => file.assertionResults)
  const skipped = results.filter(({ status }) => status !== 'passed' && status !== 'failed')
  // A file that does not load has no test results, but counts as failed.
  const broken = testResults.filter(
    (file) =>
      file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'),
  )
  const failed = results.filter(({ status }) => status === 'failed')
  return {
    passed: results.filter(({ status }) => status === 'passed').length,
    failed: failed.length + broken.length,
    failures: [
      ...failed.map(({ fullName, failureMessages = [] }) => withReason(fullName, failureMessages)),
      ...broken.map(({ name }) => name),
    ],
    skipped: skipped.map(({ fullName, status }) => `${fullName} (${status})`),
  }
}

/**
 * The report that our own programs write. `skipped`: what could not be tried, and why.
 *
 * @param {{ passed: number, failed: number, skipped?: string[] }} report
 * @returns {Count}
 */
export function countProgram({ passed, failed, skipped = [] }) {
  return { passed, failed, skipped, failures: [] }
}

/**
 * Playwright's JSON report.
 *
 * @typedef {{ errors: { message?: string }[] }} PlaywrightResult
 * @typedef {{ status: string, annotations: { type: string, description?: string }[], results?: PlaywrightResult[] }} PlaywrightTest
 * @typedef {{ title: string, tests: PlaywrightTest[] }} Spec
 * @typedef {{ specs?: Spec[], suites?: Suite[] }} Suite
 * @typedef {{ suites: Suite[], errors: unknown[] }} PlaywrightReport
 */

/**
 * `known`: tests of what the host can't do, which count as neither passed nor skipped.
 *
 * @param {PlaywrightReport} report
 * @returns {Count & { known: string[] }}
 */
export function countPlaywright({ suites, errors }) {
  const all = specsOf({ suites }).flatMap(({ title, tests }) =>
    tests.map((test) => ({ title, ...test })),
  )
  const isKnown = (/** @type {PlaywrightTest} */ { annotations }) =>
    annotations.some(({ type }) => type === 'known')
  const left = all.filter(({ status }) => status === 'skipped')
  const skipped = left.filter((test) => !isKnown(test))
  const passed = all.filter(({ status }) => status === 'expected').length
  // A flaky test, which passed on a retry, does not count as passed.
  const failed = all.filter(({ status }) => status !== 'expected' && status !== 'skipped')
  return {
    passed,
    failed: failed.length + errors.length,
    failures: failed.map(({ title, results = [] }) => {
      const reasons = results.flatMap((result) => result.errors)
      return withReason(
        title,
        reasons.map(({ message = '' }) => message),
      )
    }),
    skipped: skipped.map(({ title, annotations }) => `${title} (${reasonOf(annotations)})`),
    known: left.filter(isKnown).map(({ title }) => title),
  }
}

/**
 * The result of the end-to-end tests on one host.
 *
 * @param {string} host
 * @param {ReturnType<typeof countPlaywright>} count
 */
export function laneLine(host, { passed, failed, known }) {
  return `${host}: ${passed} passed, ${failed} failed, ${known.length} known`
}

/**
 * @param {Suite} suite
 * @returns {Spec[]}
 */
function specsOf({ specs = [], suites = [] }) {
  return [...specs, ...suites.flatMap(specsOf)]
}

/**
 * @param {string} name
 * @param {readonly string[]} reasons
 */
function withReason(name, reasons) {
  const lines = reasons.flatMap((reason) => stripVTControlCharacters(reason).split('\n'))
  const said = lines.filter((line) => line.trim() !== '').slice(0, 8)
  return [name, ...said.map((line) => `    ${line}`)].join('\n')
}

/** @param {PlaywrightTest['annotations']} annotations */
function reasonOf(annotations) {
  return annotations.find(({ type }) => type === 'skip')?.description ?? 'no reason given'
}

/**
 * The closing line, which CI reads: everything that ran.
 *
 * @param {readonly Count[]} counts
 */
export function closingLine(counts) {
  const sum = (/** @type {(count: Count) => number} */ of) =>
    counts.reduce((total, count) => total + of(count), 0)
  const skipped = sum((count) => count.skipped.length)
  const line = `${sum(({ passed }) => passed)} passed, ${sum(({ failed }) => failed)} failed`
  return skipped === 0 ? line : `${line}, ${skipped} skipped`
}
