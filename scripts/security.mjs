/**
 * Runs the security suites and the scanner, and sums up what they tried and what got through.
 *
 *   node scripts/security.mjs           everything
 *   node scripts/security.mjs collect   only the scanner; the suites have just run as part of the tests
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runNpm } from './machine.mjs'
import { projectRoot } from './programs.mjs'
import { hasRealElectron } from './real-electron.mjs'
import { installScanner, scanBadExample, scanBundle, scanSources } from './scanner.mjs'
import { securityOutcome, suites } from './security-line.mjs'

const results = join(projectRoot, 'test-results')
const suiteLimitMs = 15 * 60_000
const auditLimitMs = 60_000
const collects = process.argv[2] === 'collect'

const unitFiles = [
  ...['test/security', 'test/fuzz', 'test/preload.test.ts', 'test/architecture.test.ts'],
  ...['test/main/desktop/notifications/hostile', 'test/main/desktop/window'],
  ...['test/main/desktop/system', 'test/main/storage/vault', 'test/app/secrets'],
  ...['test/app/images', 'test/app/storm', 'test/app/destinations', 'test/shared/core/zuliprc'],
  ...['test/renderer/hostile', 'test/renderer/chat/hostile', 'test/renderer/chat/link-question'],
  ...['test/renderer/chat/long-messages', 'test/renderer/chat/message-math'],
  ...['test/renderer/board/description', 'test/renderer/board/long-output'],
  ...['test/app/job-secrets', 'test/corpora', 'test/shared/core/secrets'],
  ...['test/shared/core/settings', 'test/shared/core/checks/weekly-look'],
]
const endToEndFiles = ['costly', 'windows', 'canary', 'secrets', 'notifications', 'own-programs']

/** @type {{ ranges: { package: string, why: string, harmless?: string }[] }} */
const { ranges: listed } = JSON.parse(
  readFileSync(join(projectRoot, 'test', 'security', 'min-versions.json'), 'utf8'),
)

mkdirSync(results, { recursive: true })
if (!collects) for (const suite of suites) removeReports(suite)
removeReports('scanner')
const ran = collects || runSuites()
await runScanner()
const audited = audit()
const reports = Object.fromEntries(
  suites.map((suite) => [
    suite,
    reportsOf(suite)
      .filter((file) => existsSync(file))
      .map((file) => JSON.parse(readFileSync(file, 'utf8'))),
  ]),
)
const { line, faults, failed } = securityOutcome(reports)
for (const fault of faults) write(`failed: ${fault}\n`)
const alsoFailed = [ran, audited].filter((passed) => !passed).length
const counts = { passed: suites.length - failed, failed: failed + alsoFailed }
writeFileSync(join(results, 'security.json'), `${JSON.stringify(counts)}\n`)
write(`${line}\n`)
process.exitCode = counts.failed > 0 ? 1 : 0

/** @param {string} suite */
function reportOf(suite) {
  return join(results, `security-${suite}.json`)
}

/** The end-to-end tests on Electron have a separate folder. @param {string} suite */
function reportsOf(suite) {
  return [reportOf(suite), join(results, 'on-electron', `security-${suite}.json`)]
}

/** @param {string} suite */
function removeReports(suite) {
  for (const file of reportsOf(suite)) rmSync(file, { force: true })
}

function runSuites() {
  const hosts = hasRealElectron ? ['stand-in', 'electron'] : ['stand-in']
  const e2e = join(projectRoot, 'scripts', 'e2e.mjs')
  const passed = [
    run('vitest', ['run', '--config', 'test/vitest.config.ts', ...unitFiles]),
    run('electron-vite', ['build']),
    ...hosts.map((host) => run('node', [e2e, '--on', host, ...endToEndFiles])),
  ]
  return passed.every(Boolean)
}

/**
 * Asks the package registry for advisories about the lockfile. If it has no data, only the dated list
 * counts, which the suites have compared with the lockfile. Returns false if there is an advisory.
 */
function audit() {
  const { stdout } = runNpm(['audit', '--json', '--package-lock-only'], { timeout: auditLimitMs })
  const known = namesIn(String(stdout))
  if (known === null) {
    write(
      'advisories: the registry has no data; test/security/min-versions.json was used instead\n',
    )
    return true
  }
  for (const name of known) write(`failed: the registry has an advisory about ${name}\n`)
  return known.length === 0
}

/**
 * The packages with an advisory that is not known to be harmless; null if npm got no data.
 *
 * @param {string} answer
 * @returns {string[] | null}
 */
function namesIn(answer) {
  try {
    const { vulnerabilities } = JSON.parse(answer)
    if (vulnerabilities === undefined) return null
    const names = Object.keys(vulnerabilities)
    return names.filter((name) => !isHarmless(name, vulnerabilities))
  } catch {
    // npm ended without an answer.
    return null
  }
}

/**
 * Whether its advisories are all listed with the reason why they don't matter here, and so are those of the
 * packages that it has them from.
 *
 * @param {string} name
 * @param {Record<string, { via?: (string | { url?: string })[] }>} all
 * @returns {boolean}
 */
function isHarmless(name, all) {
  const via = all[name]?.via ?? []
  return (
    via.length > 0 &&
    via.every((one) =>
      typeof one === 'string'
        ? one !== name && isHarmless(one, all)
        : listed.some(
            ({ package: own, why, harmless }) =>
              own === name && harmless && why.includes(one.url?.split('/').at(-1) ?? '-'),
          ),
    )
  )
}

/** Scans src, and out, which must be built. Prints what it finds. */
async function runScanner() {
  try {
    installScanner()
    const outcomes = [scanSources(), await scanBundle()]
    const findings = outcomes.flatMap((outcome) => outcome.findings)
    const errors = outcomes.flatMap((outcome) => outcome.errors)
    for (const { id, file, line: at, sample } of findings)
      write(`scanner: ${id} ${file}:${at} ${sample}\n`)
    for (const { file, message } of errors) write(`scanner: cannot read ${file}: ${message}\n`)
    const report = {
      findings: findings.length,
      errors: errors.length,
      checks: Math.min(...outcomes.map(({ checks }) => checks)),
      control: await scanBadExample(),
    }
    writeFileSync(reportOf('scanner'), `${JSON.stringify(report)}\n`)
  } catch (error) {
    write(`scanner: ${error instanceof Error ? error.message : String(error)}\n`)
  }
}

/**
 * @param {string} program
 * @param {string[]} args
 */
function run(program, args) {
  const { status } = spawnSync(join(projectRoot, 'node_modules', '.bin', program), args, {
    cwd: projectRoot,
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: suiteLimitMs,
    shell: process.platform === 'win32',
  })
  return status === 0
}

/** @param {string} text */
function write(text) {
  process.stdout.write(text)
}
