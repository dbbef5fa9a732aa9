/** Lives of `npm run watch`, one after the other, in a process of its own with virtual time. */
import { seeded } from '../support/seeded.ts'
import { judge, type Verdict } from './judge.ts'
import { makeLife } from './life.ts'
import { VirtualTime } from './virtual-time.ts'
import { type Spoilt, watchLife } from './watch.ts'

export interface LifeReport extends Verdict {
  readonly seed: number
  readonly days: number
  readonly bugs: readonly string[]
}

export interface Control {
  readonly what: string
  readonly isCaught: boolean
}

/** What `run.ts` sends: the seed and length of a life, or which control to try. */
export type Job = { readonly seed: number; readonly days: number } | Spoilt

/** The answer to a job. */
export type JobReport = LifeReport | Control

/** Each kind of failure, caused on purpose: a judge that misses one proves nothing. */
const controls: Readonly<Record<Spoilt, [string, (report: LifeReport) => boolean]>> = {
  noFlips: ['a service that forgets its flips', ({ missed }) => missed.length > 0],
  echo: ['an app that says everything twice', ({ doubled }) => doubled.length > 0],
  invent: ['an app that makes up outages', ({ invented }) => invented.length > 0],
  green: ['an icon that is always green', ({ greenSeconds }) => greenSeconds > 0],
  slow: ['an app that is slow to come back', ({ slow }) => slow.length > 0],
}

// Notifications give times in the computer's time zone.
process.env['TZ'] = 'UTC'
const time = new VirtualTime()
time.install()

process.on('message', (job: Job) => {
  const done = typeof job === 'string' ? control(job) : live(job.seed, job.days)
  void done.then((report: JobReport) => process.send?.(report))
})

async function live(
  seed: number,
  length: number,
  spoilt: Spoilt | null = null,
): Promise<LifeReport> {
  const chance = seeded(seed)
  const life = makeLife(chance.part('life'), length)
  const watched = await watchLife(time, life, chance, spoilt)
  return { seed, days: length, bugs: watched.bugs, ...judge(life, watched) }
}

async function control(spoilt: Spoilt): Promise<Control> {
  const [what, isFound] = controls[spoilt]
  let isCaught = false
  for (let seed = 1; seed <= 5 && !isCaught; seed += 1)
    isCaught = isFound(await live(seed, 1, spoilt))
  return { what, isCaught }
}
