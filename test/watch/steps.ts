/**
 * Random projects, jobs, people, faults, sleeps and restarts of two days each, of which the judge
 * knows what the services know: every outage has to reach the attention engine once. With jobs that
 * flap several times a second and reads up to an hour apart, beside the lives of `lives.ts`.
 */
import { inTwo } from './jobs.ts'
import type { Control, Job, JobReport, LifeReport } from './part.ts'

const daysOfALife = 2
const mistakes = ['noFlips', 'echo', 'invent', 'green', 'slow'] as const

export async function runSteps(days: number, first: number, say: (line: string) => void) {
  const lives = Math.max(2, Math.ceil(days / daysOfALife))
  const seeds = Array.from({ length: lives }, (_, n) => first + n)
  const jobs: Job[] = [...mistakes, ...seeds.map((seed) => ({ seed, days: daysOfALife }))]
  const all: LifeReport[] = []
  const controls: Control[] = []
  const take = (report: JobReport): void => {
    if ('what' in report) {
      controls.push(report)
      say(`control of the steps: ${report.what} is ${report.isCaught ? 'caught' : 'MISSED'}`)
      return
    }
    all.push(report)
    for (const failure of failuresOf(report)) say(`FAIL steps: ${failure}`)
  }
  await inTwo(new URL('part.ts', import.meta.url), jobs, take)
  const sum = (of: (life: LifeReport) => number): number =>
    all.reduce((total, life) => total + of(life), 0)
  const caught = controls.filter(({ isCaught }) => isCaught).length
  const bad = all.filter((life) => failuresOf(life).length > 0).length
  const flips = sum((life) => life.flips)
  if (all.length < lives) say(`FAIL steps: ${lives - all.length} lives ended without a report`)
  if (flips === 0) say('FAIL steps: no check ever went down')
  const passed = all.length - bad + caught
  return {
    passed,
    failed: lives + mistakes.length - passed + Number(flips === 0),
    line:
      `steps: ${sum((life) => life.days)} days, ${flips} flips, ` +
      `${sum(({ missed }) => missed.length)} missed, ${sum(({ doubled }) => doubled.length)} doubled`,
  }
}

function failuresOf(life: LifeReport): string[] {
  const named = { missed: life.missed, doubled: life.doubled, invented: life.invented }
  return Object.entries({ ...named, 'falsely green': life.green, slow: life.slow })
    .flatMap(([what, found]) => found.map((one) => `${what}: ${one}`))
    .concat(life.bugs)
}
