/**
 * `npm run watch -- --lives 30 --seed 1`: lives of eight hours in which everything varies that can
 * change what a person is shown, judged by what that person was shown (`oracle.ts`).
 */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { seeded } from '../support/seeded.ts'
import { type Findings, judgeWhole } from './oracle.ts'
import { makePlans } from './plan.ts'
import { VirtualTime } from './virtual-time.ts'
import { liveWhole, type Planted } from './whole.ts'

const hoursOfALife = 8
const plantings: readonly Planted[] = ['lost', 'doubled', 'untrue', 'green']

interface Job {
  readonly seed: number
  readonly planted: Planted | null
}

interface Report extends Job, Findings {
  readonly bugs: readonly string[]
}

/** Lives many lives; returns how many were not as they should be. */
export async function runLives(many: number, first: number, say: (line: string) => void) {
  const jobs: Job[] = [
    ...plantings.map((planted) => ({ seed: first, planted })),
    ...Array.from({ length: many }, (_, at) => ({ seed: first + at, planted: null })),
  ]
  const all: Report[] = []
  let bad = 0
  const take = (report: Report): void => {
    if (report.planted === null) {
      all.push(report)
      const failures = failuresOf(report)
      for (const failure of failures) say(`FAIL ${failure}`)
      if (failures.length > 0) bad += 1
      return
    }
    const isCaught = report[caughtAs[report.planted]].length > 0
    say(`control: ${report.planted} is ${isCaught ? 'caught' : 'MISSED'}`)
    if (!isCaught) bad += 1
  }
  await Promise.all([part(jobs, take), part(jobs, take)])
  const sum = (of: (life: Report) => number): number =>
    all.reduce((total, life) => total + of(life), 0)
  if (all.length < many) bad += 1
  say(
    `watch: ${Math.round((all.length * hoursOfALife) / 24)} days, ${sum(({ flips }) => flips)} flips, ` +
      `${sum(({ missed }) => missed.length)} missed, ${sum(({ doubled }) => doubled.length)} doubled, ` +
      `${sum(({ untrue }) => untrue.length)} untrue, ${sum(({ greenSeconds }) => greenSeconds)} s falsely green, ` +
      `recovery worst ${Math.max(0, ...all.map(({ worstRecovery }) => worstRecovery))} s`,
  )
  return bad
}

const caughtAs = { lost: 'missed', doubled: 'doubled', untrue: 'untrue', green: 'green' } as const

function failuresOf({ missed, doubled, untrue, green, slow, bugs }: Report): string[] {
  return Object.entries({
    missed,
    doubled,
    untrue,
    'falsely green': green,
    slow,
    bug: bugs,
  }).flatMap(([what, found]) => found.map((one) => `${what}: ${one}`))
}

function part(jobs: Job[], take: (report: Report) => void): Promise<void> {
  const child = fork(fileURLToPath(import.meta.url), ['part'])
  const next = (): void => {
    const job = jobs.shift()
    if (job === undefined) child.disconnect()
    else child.send(job)
  }
  return new Promise((resolve) => {
    child.on('message', (message) => {
      // The type is what the part below sends.
      take(message as Report)
      next()
    })
    child.once('exit', () => resolve())
    next()
  })
}

async function live(time: VirtualTime, { seed, planted }: Job): Promise<Report> {
  const chance = seeded(seed)
  const plans = makePlans(chance.part('plans'), seed, hoursOfALife)
  const whole = await liveWhole(time, plans, chance, planted)
  return { seed, planted, bugs: whole.bugs, ...judgeWhole(plans, whole) }
}

if (process.argv[2] === 'part') {
  const time = new VirtualTime()
  time.install()
  process.on('message', (job: Job) => {
    void live(time, job).then((report) => process.send?.(report))
  })
}
