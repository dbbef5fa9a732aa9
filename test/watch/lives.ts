/**
 * Lives of eight hours in which everything varies that can change what a person is shown, judged by
 * what that person was shown (`oracle.ts`). Each part of the work runs in a process of its own.
 */
import { seeded } from '../support/seeded.ts'
import { inTwo } from './jobs.ts'
import { type Findings, judgeWhole } from './oracle.ts'
import { makePlans } from './plan.ts'
import { VirtualTime } from './virtual-time.ts'
import { liveWhole, type Planted } from './whole.ts'

const hoursOfALife = 8
export const livesADay = 24 / hoursOfALife

/** Each kind of finding, caused on purpose: an oracle that misses one proves nothing. */
const controls: Readonly<Record<Planted, [string, (report: Report) => boolean]>> = {
  lost: ['an app that loses pop-ups', ({ missed }) => missed.length > 0],
  doubled: ['an app that says everything twice', ({ doubled }) => doubled.length > 0],
  untrue: ['an app that says the opposite', ({ untrue }) => untrue.length > 0],
  green: ['an icon that is green without reason', ({ greenSeconds }) => greenSeconds > 0],
  noFlips: ['a service that forgets its flips', ({ missed }) => missed.length > 0],
  slow: ['an app that is slow to come back', ({ slow }) => slow.length > 0],
  seldom: [
    'an app that asks for counts for too long',
    ({ missed }) => missed.some((one) => one.includes('no list was read')),
  ],
}
/** A life may give no occasion for a mistake. */
const mostTries = 40

interface Job {
  readonly seed: number
  readonly planted: Planted | null
}

interface Report extends Job, Findings {
  readonly bugs: readonly string[]
}

/** How many lives, and controls, were as they should be; and the last line. */
export interface LivesReport {
  readonly passed: number
  readonly failed: number
  readonly line: string
}

export async function runLives(
  many: number,
  first: number,
  hasControls: boolean,
  say: (line: string) => void,
): Promise<LivesReport> {
  const planted = hasControls ? (Object.keys(controls) as Planted[]) : []
  const jobs: Job[] = [
    ...planted.map((one) => ({ seed: first, planted: one })),
    ...Array.from({ length: many }, (_, at) => ({ seed: first + at, planted: null })),
  ]
  const all: Report[] = []
  const caught = new Set<Planted>()
  let bad = 0
  const takeLife = (report: Report): void => {
    all.push(report)
    const { missed, doubled, untrue, green, slow, bugs } = report
    const failures = findings({ missed, doubled, untrue, 'falsely green': green, slow, bug: bugs })
    for (const failure of failures) say(`FAIL ${failure}`)
    if (failures.length > 0) bad += 1
  }
  const takeControl = (report: Report, mistake: Planted): void => {
    const [what, isFound] = controls[mistake]
    const isCaught = isFound(report)
    if (isCaught) caught.add(mistake)
    const isLast = report.seed - first >= mostTries - 1
    if (isCaught || isLast) say(`control: ${what} is ${isCaught ? 'caught' : 'MISSED'}`)
    else jobs.unshift({ seed: report.seed + 1, planted: mistake })
  }
  const take = (report: Report): void => {
    if (report.planted === null) takeLife(report)
    else takeControl(report, report.planted)
  }
  await inTwo(new URL(import.meta.url), jobs, take)
  const sum = (of: (life: Report) => number): number =>
    all.reduce((total, life) => total + of(life), 0)
  const flips = sum((life) => life.flips)
  const lost = many - all.length
  if (lost > 0) say(`FAIL ${lost} lives ended without a report`)
  if (flips === 0) say('FAIL no check ever went down')
  return {
    passed: all.length - bad + caught.size,
    failed: bad + lost + Number(flips === 0) + planted.length - caught.size,
    line:
      `watch: ${Math.round(all.length / livesADay)} days, ${flips} flips, ` +
      `${sum(({ missed }) => missed.length)} missed, ${sum(({ doubled }) => doubled.length)} doubled, ` +
      `${sum(({ untrue }) => untrue.length)} untrue, ${sum(({ greenSeconds }) => greenSeconds)} s falsely green, ` +
      `recovery worst ${Math.max(0, ...all.map(({ worstRecovery }) => worstRecovery))} s`,
  }
}

function findings(all: Readonly<Record<string, readonly string[]>>): string[] {
  return Object.entries(all).flatMap(([what, found]) => found.map((one) => `${what}: ${one}`))
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
