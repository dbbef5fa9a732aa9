/**
 * `npm run bench`: how fast and how light the app's own modules are, compared with bounds and peers
 * in the same run. Prints the table of results and updates bench/results.json and
 * bench/README.md with it. `--only poll,board` runs only these measurements, `--rounds 3` sets
 * the number of rounds; `--compare <commit>` takes turns with another commit; `--smoke` runs everything once, as small as possible, and judges nothing (a
 * part of `npm test`).
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { compare } from './compare.ts'
import { judge, summary } from './judge.ts'
import { machine, machineWords } from './machine.ts'
import type { Measurement, Target } from './measurement.ts'
import { measurements } from './measurements.ts'
import { measure } from './round.ts'
import { type Taken, table, withTable } from './table.ts'

const { values } = parseArgs({
  options: {
    compare: { type: 'string' },
    only: { type: 'string', default: '' },
    rounds: { type: 'string' },
    smoke: { type: 'boolean', default: false },
  },
})
const size = values.smoke ? 'smoke' : 'full'
const wanted = values.only === '' ? null : values.only.split(',')
const unknown = wanted?.filter((name) => !measurements.some((one) => one.name === name)) ?? []
if (unknown.length > 0) {
  const names = measurements.map(({ name }) => name).join(', ')
  throw new Error(`no measurement named ${unknown.join(', ')}; there are ${names}`)
}
const chosen = measurements.filter(({ name, notInSmoke }) =>
  wanted === null ? !(values.smoke && notInSmoke === true) : wanted.includes(name),
)
const roundsOf = ({ rounds }: Measurement): number => Number(values.rounds ?? rounds)
if (values.compare !== undefined) {
  compare(values.compare, chosen, roundsOf)
  process.exit()
}
const taken: Record<string, Taken> = {}
const failed: string[] = []
const unmeasured: Target[] = []
for (const measurement of chosen) await run(measurement)
const verdicts = Object.values(taken).flatMap((one) => one.verdicts)

if (values.smoke) {
  const folder = fileURLToPath(new URL('../test-results/', import.meta.url))
  const passed = verdicts.length
  mkdirSync(folder, { recursive: true })
  const report = { passed, failed: failed.length }
  writeFileSync(`${folder}bench.json`, `${JSON.stringify(report)}\n`)
  say(`bench: ${passed} numbers measured, ${failed.length} measurements failed`)
} else {
  keepResults()
  say(table(Object.values(taken)))
  for (const { target, result } of verdicts.filter(({ isMet }) => !isMet))
    say(`short: ${target.goal} ${target.what}: ${result.toPrecision(3)}`)
  for (const { goal, what } of unmeasured) say(`short: ${goal} ${what}: not measured`)
  if (failed.length > 0) say(`as before in the table, since they failed: ${failed.join(', ')}`)
  say(`bench: ${summary(verdicts, unmeasured)}`)
}
process.exitCode = failed.length > 0 || verdicts.some((one) => !values.smoke && !one.isMet) ? 1 : 0

/** A failed measurement, whose work was wrong, does not stop the others. */
async function run(measurement: Measurement): Promise<void> {
  const { name } = measurement
  const rounds = values.smoke ? 1 : roundsOf(measurement)
  const startedAt = performance.now()
  try {
    const done = await measure(measurement, size, rounds, () => process.stderr.write('.'))
    const verdicts = measurement.targets.map((target) => judge(target, done))
    taken[name] = { at: new Date().toISOString(), machine: machine(), rounds: done, verdicts }
    say(` ${name}: ${rounds} rounds in ${Math.round((performance.now() - startedAt) / 1_000)} s`)
  } catch (error) {
    failed.push(name)
    unmeasured.push(...measurement.targets)
    say(` ${name} FAILED: ${error instanceof Error ? error.stack : String(error)}`)
  }
}

/** Keeps the earlier result, with its date, of whatever was not measured now. */
function keepResults(): void {
  const file = new URL('results.json', import.meta.url)
  const before = JSON.parse(readFileSync(file, 'utf8')) as Record<string, Taken>
  const all = measurements.flatMap(({ name }) => {
    const last = taken[name] ?? before[name]
    return last === undefined ? [] : [[name, last] as const]
  })
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(all), null, 1)}\n`)
  const page = new URL('README.md', import.meta.url)
  const text = `${machineWords()}\n\n${table(all.map(([, last]) => last))}`
  writeFileSync(page, withTable(readFileSync(page, 'utf8'), text))
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
