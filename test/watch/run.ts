/**
 * `npm run watch`: random projects, jobs, people, faults, sleeps and restarts, lived through by the
 * whole app on a clock that jumps, and judged by an oracle that knows what the services know. 200
 * days by default; `-- --days 5000` by hand. A `--seed` repeats its lives. `-- --lives 30` judges
 * what is shown instead (`lives.ts`); it doesn't gate `npm test` yet.
 */
import { fork } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { runLives } from './lives.ts'
import type { Control, Job, JobReport, LifeReport } from './part.ts'

const { values } = parseArgs({
  options: {
    days: { type: 'string', default: '200' },
    lives: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
})
if (values.lives !== undefined) {
  const bad = await runLives(Number(values.lives), Number(values.seed), say)
  process.exit(bad === 0 ? 0 : 1)
}
const daysOfALife = 2
const lives = Math.max(2, Math.ceil(Number(values.days) / daysOfALife))
const first = Number(values.seed)
const seeds = Array.from({ length: lives }, (_, n) => first + n)
const mistakes = ['noFlips', 'echo', 'invent', 'green', 'slow'] as const
const jobs: Job[] = [...mistakes, ...seeds.map((seed) => ({ seed, days: daysOfALife }))]
const all: LifeReport[] = []
const controls: Control[] = []
await Promise.all([part(), part()])
const sum = (of: (life: LifeReport) => number): number =>
  all.reduce((total, life) => total + of(life), 0)
const isCaught = (control: Control): boolean => control.isCaught
const missed = sum((life) => life.missed.length)
const doubled = sum((life) => life.doubled.length)
const worst = Math.max(0, ...all.map(({ worstRecovery }) => worstRecovery))
const bad = all.filter((life) => failuresOf(life).length > 0).length
const failed = [
  ...(all.length === lives ? [] : [`${lives - all.length} lives ended without a report`]),
  ...(controls.length === mistakes.length ? [] : [`${controls.length} controls were tried`]),
  ...(sum(({ flips }) => flips) > 0 ? [] : ['no check ever went down']),
]
for (const failure of failed) say(`FAIL ${failure}`)
const folder = fileURLToPath(new URL('../../test-results/', import.meta.url))
mkdirSync(folder, { recursive: true })
const counts = {
  passed: all.length - bad + controls.filter(isCaught).length,
  failed: bad + failed.length + controls.filter((control) => !isCaught(control)).length,
}
writeFileSync(`${folder}watch.json`, `${JSON.stringify(counts)}\n`)
say(
  `watch: ${sum(({ days }) => days)} days, ${sum(({ flips }) => flips)} flips, ` +
    `${missed} missed, ${doubled} doubled, ${sum((life) => life.greenSeconds)} s falsely green, ` +
    `recovery worst ${worst} s`,
)
process.exitCode = counts.failed === 0 ? 0 : 1

/** Takes jobs, in a process of its own, until none is left; prints failures as they are found. */
function part(): Promise<void> {
  const child = fork(fileURLToPath(new URL('part.ts', import.meta.url)))
  const next = (): void => {
    const job = jobs.shift()
    if (job === undefined) child.disconnect()
    else child.send(job)
  }
  return new Promise((resolve) => {
    child.on('message', (message) => {
      // The type is what `part.ts` sends.
      const report = message as JobReport
      if ('what' in report) {
        controls.push(report)
        say(`control: ${report.what} is ${report.isCaught ? 'caught' : 'MISSED'}`)
      } else {
        all.push(report)
        for (const failure of failuresOf(report)) say(`FAIL ${failure}`)
      }
      next()
    })
    child.once('exit', () => resolve())
    next()
  })
}

function failuresOf(life: LifeReport): string[] {
  const named = { missed: life.missed, doubled: life.doubled, invented: life.invented }
  return Object.entries({ ...named, 'falsely green': life.green, slow: life.slow })
    .flatMap(([what, found]) => found.map((one) => `${what}: ${one}`))
    .concat(life.bugs)
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
