/** A share of the lives of `npm run watch`, in a process of its own with virtual time. */
import { parseArgs } from 'node:util'
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

/** Sent one by one, as each is finished. */
export type PartReport = LifeReport | Control

const { values } = parseArgs({
  options: {
    from: { type: 'string', default: '1' },
    lives: { type: 'string', default: '1' },
    days: { type: 'string', default: '2' },
    controls: { type: 'boolean', default: false },
  },
})
const from = Number(values.from)
const days = Number(values.days)
// Notifications give times in the computer's time zone.
process.env['TZ'] = 'UTC'
const time = new VirtualTime()
time.install()

for (let seed = from; seed < from + Number(values.lives); seed += 1) report(await live(seed, days))
if (values.controls) await controls(report)

function report(one: PartReport): void {
  process.send?.(one)
}

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

/** Each kind of failure, caused on purpose: a judge that misses one proves nothing. */
async function controls(done: (control: Control) => void): Promise<void> {
  const caught: readonly [string, Spoilt, (report: LifeReport) => boolean][] = [
    ['a service that forgets its flips', 'noFlips', ({ missed }) => missed.length > 0],
    ['an app that says everything twice', 'echo', ({ doubled }) => doubled.length > 0],
    ['an app that makes up outages', 'invent', ({ invented }) => invented.length > 0],
    ['an icon that is always green', 'green', ({ greenSeconds }) => greenSeconds > 0],
    ['an app that is slow to come back', 'slow', ({ slow }) => slow.length > 0],
  ]
  for (const [what, spoilt, isFound] of caught) {
    let isCaught = false
    for (let seed = 1; seed <= 5 && !isCaught; seed += 1)
      isCaught = isFound(await live(seed, 1, spoilt))
    done({ what, isCaught })
  }
}
