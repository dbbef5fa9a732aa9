/**
 * `npm run chaos`: every row of the fault table, by the matrix here or by the test that proves it
 * elsewhere, and traffic under faults. `--seeds 100` before a release; `--seed` repeats a run.
 */
import { fork } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { chaosCases } from './cases.ts'
import { missingOf, rows } from './held.ts'
import type { MatrixReport } from './matrix-report.ts'
import type { Lasts } from './scenario.ts'
import type { TrafficReport } from './traffic.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
  },
})
const seeds = Number(values.seeds)
const firstSeed = Number(values.seed)
/** The longest that a turn of main's event loop may compute (goal G19). */
const stallLimitMs = 200

const list = Array.from({ length: seeds }, (_, n) => firstSeed + n)
say(`chaos: seeds ${list.join(' ')}`)
const startedAt = Date.now()
const shared = ['--seeds', String(seeds), '--seed', String(firstSeed)]
// All at once: their time waits for them, so this only costs seconds.
const [one, other, traffic] = await Promise.all([
  part<MatrixReport>('./matrix.ts', [...shared, '--share', '1/2']),
  part<MatrixReport>('./matrix.ts', [...shared, '--share', '2/2']),
  part<TrafficReport>('./traffic.ts', shared),
])
const matrices = [one, other].filter((report) => report !== null)

const failures = [
  ...(matrices.length === 2 ? [] : ['a part of the matrix ended without a report']),
  ...(traffic === null ? ['the traffic ended without a report'] : traffic.failed),
  ...matrices.flatMap(({ unhandled }) => unhandled),
  ...matrices
    .filter(({ longestStallMs }) => longestStallMs > stallLimitMs)
    .map(({ longestStallMs }) => `P6: main computed for ${Math.round(longestStallMs)} ms in a row`),
  ...matrices
    .flatMap(({ controls }) => controls)
    .filter(({ caught }) => !caught)
    .map(({ name, by }) => `control: ${name} was not caught by ${by}`),
]
const outcomes = matrices.flatMap((report) => report.outcomes)
const survived = rows.filter((row) => isHeld(row))
for (const failure of failures) say(`FAIL ${failure}`)
for (const { controls, longestStallMs } of matrices) {
  for (const { name, by, caught } of controls)
    say(`control: ${name} is ${caught ? 'caught' : 'MISSED'} by ${by}`)
  say(`main computed for ${Math.round(longestStallMs)} ms in a row at most`)
}

const bad = outcomes.filter(({ broken }) => broken.length > 0).length
const failed = failures.length + bad + (rows.length - survived.length)
const passed = outcomes.length - bad + survived.length + (traffic?.runs ?? 0)
const resultFolder = fileURLToPath(new URL('../../test-results/', import.meta.url))
mkdirSync(resultFolder, { recursive: true })
writeFileSync(`${resultFolder}chaos.json`, `${JSON.stringify({ passed, failed })}\n`)
const { inbound, sends } = traffic ?? {
  inbound: { lost: '?', doubled: '?' },
  sends: { lost: '?', doubled: '?', unconfirmed: '?' },
}
say(`${outcomes.length} scenarios in ${Math.round((Date.now() - startedAt) / 1_000)} s`)
say(
  `chaos: faults ${survived.length} of ${rows.length} survived, ` +
    `inbound lost ${inbound.lost} doubled ${inbound.doubled}, ` +
    `sends lost ${sends.lost} doubled ${sends.doubled} unconfirmed ${sends.unconfirmed}`,
)
process.exitCode = failed > 0 ? 1 : 0

/** Whether its tests exist, and all of its scenarios ran and kept every promise. */
function isHeld(row: (typeof rows)[number]): boolean {
  const mine = outcomes.filter(({ fault }) => fault === row.fault)
  const cases = chaosCases.filter(({ fault }) => fault === row.fault)
  // Once per seed, and once for ten minutes.
  const expected = cases.length * seeds + cases.filter(({ harmless }) => harmless !== true).length
  const missing = missingOf(row, new Set(chaosCases.map(({ fault }) => fault)))
  const broken = mine.filter((outcome) => outcome.broken.length > 0).length
  const held = missing.length === 0 && broken === 0 && mine.length === expected
  const scenarios = expected === 0 ? '' : `, ${mine.length - broken} of ${expected} scenarios`
  const recovered = (['short', 'long'] as const).map((lasts) => worstRecovery(mine, lasts)).join('')
  say(`${held ? 'ok  ' : 'FAIL'} ${row.fault.padEnd(3)} ${row.what}${scenarios}${recovered}`)
  for (const place of row.by)
    say(`         ${place}${missing.includes(place) ? ' IS NOT THERE' : ''}`)
  return held
}

/** The slowest recovery and its limit; empty if there are no scenarios. */
function worstRecovery(all: typeof outcomes, lasts: Lasts): string {
  const [worst] = all
    .filter((one) => one.lasts === lasts)
    .sort((one, other) => other.recoveredS / other.limitS - one.recoveredS / one.limitS)
  if (worst === undefined) return ''
  const { recoveredS, limitS } = worst
  return `, well ${recoveredS.toFixed(1)} of ${limitS} s after ${lasts === 'long' ? '10 min' : '45 s'}`
}

/** Runs a file in its own process, with its time accelerated. Null: it gave no report. */
function part<T>(file: string, args: readonly string[]): Promise<T | null> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, {
    // Many apps share one process, and so its threads for writing files and unpacking responses.
    env: { ...process.env, UV_THREADPOOL_SIZE: '32' },
  })
  return new Promise((resolve) => {
    let report: T | null = null
    // The type is determined by the last lines of that file.
    child.on('message', (message) => {
      report = message as T
    })
    child.once('close', () => resolve(report))
  })
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
