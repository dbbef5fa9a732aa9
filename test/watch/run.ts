/**
 * `npm run watch`: random projects, jobs, people, faults, sleeps and restarts, lived through by the
 * whole app at a clock that jumps, and judged by an oracle that knows what the services know. 200
 * days by default; `-- --days 5000` by hand. A `--seed` repeats its lives.
 */
import { fork } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { LifeReport, PartReport } from './part.ts'

const { values } = parseArgs({
  options: { days: { type: 'string', default: '200' }, seed: { type: 'string', default: '1' } },
})
const daysOfALife = 2
const lives = Math.max(2, Math.ceil(Number(values.days) / daysOfALife))
const first = Number(values.seed)
const half = Math.ceil(lives / 2)

const reports = await Promise.all([
  part(first, half, true),
  part(first + half, lives - half, false),
])
const all = reports.flatMap((report) => report?.lives ?? [])
const controls = reports.flatMap((report) => report?.controls ?? [])
const sum = (of: (life: LifeReport) => number): number =>
  all.reduce((total, life) => total + of(life), 0)
const missed = all.flatMap((life) => life.missed)
const doubled = all.flatMap((life) => life.doubled)
const greenSeconds = sum((life) => life.greenSeconds)
const worst = Math.max(0, ...all.map(({ worstRecovery }) => worstRecovery))
const failed = [
  ...(all.length === lives ? [] : [`${lives - all.length} lives ended without a report`]),
  ...(sum(({ flips }) => flips) > 0 ? [] : ['no check ever went down']),
  ...all.flatMap(({ bugs }) => bugs),
  ...missed.map((one) => `missed: ${one}`),
  ...doubled.map((one) => `doubled: ${one}`),
  ...all.flatMap(({ invented }) => invented.map((one) => `invented: ${one}`)),
  ...all.flatMap(({ green }) => green.map((one) => `falsely green: ${one}`)),
  ...all.flatMap(({ slow }) => slow.map((one) => `slow: ${one}`)),
  ...controls
    .filter(({ isCaught }) => !isCaught)
    .map(({ what }) => `control: ${what} is not caught`),
]
const bad = all.filter(({ bugs, missed: no, doubled: twice, invented, green, slow }) =>
  [bugs, no, twice, invented, green, slow].some(({ length }) => length > 0),
).length
for (const failure of failed.slice(0, 40)) say(`FAIL ${failure}`)
for (const { what, isCaught } of controls)
  say(`control: ${what} is ${isCaught ? 'caught' : 'MISSED'}`)
const folder = fileURLToPath(new URL('../../test-results/', import.meta.url))
mkdirSync(folder, { recursive: true })
const counts = {
  passed: all.length - bad + controls.filter(({ isCaught }) => isCaught).length,
  failed: Math.max(Number(failed.length > 0), bad),
}
writeFileSync(`${folder}watch.json`, `${JSON.stringify(counts)}\n`)
say(
  `watch: ${sum(({ days }) => days)} days, ${sum(({ flips }) => flips)} flips, ` +
    `${missed.length} missed, ${doubled.length} doubled, ${greenSeconds} s falsely green, ` +
    `recovery worst ${worst} s`,
)
process.exitCode = failed.length === 0 ? 0 : 1

/** Null: it ended without a report. */
function part(from: number, count: number, withControls: boolean): Promise<PartReport | null> {
  const file = fileURLToPath(new URL('part.ts', import.meta.url))
  const args = ['--from', `${from}`, '--lives', `${count}`, '--days', `${daysOfALife}`]
  const child = fork(file, [...args, ...(withControls ? ['--controls'] : [])])
  return new Promise((resolve) => {
    let report: PartReport | null = null
    // What the other process sends is what the end of `part.ts` says.
    child.on('message', (message) => {
      report = message as PartReport
    })
    child.once('close', () => resolve(report))
  })
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
