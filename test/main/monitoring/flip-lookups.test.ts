import { describe, expect, test } from 'vitest'
import type { Plan } from '../../support/flip-service.ts'
import { flipTrial } from '../../support/flip-trial.ts'
import { type Seeded, seeded } from '../../support/seeded.ts'

const day = 86_400
const midnight = Date.UTC(2026, 10, 20) / 1000

function randomPlan(seed: Seeded): Plan {
  const kind = seed.pick<Plan['kind']>(['period', 'cron', 'onCalendar'])
  const every = seed.pick([60, 300, 900, 3600, day])
  if (kind === 'period') return { kind, seconds: every }
  // Steps of some minutes begin with the hour; only OnCalendar has seconds.
  const from = every < 3600 ? 0 : seed.whole(0, every / 60 - 1) * 60
  const seconds = kind === 'onCalendar' && seed.chance(0.5) ? 30 : 0
  return { kind, every, from: midnight + from + seconds }
}

async function trials(restarts: 'none' | 'clean' | 'crash', dropsFailures = false) {
  const sum = { outages: 0, looks: 0, polls: 0 }
  const missed: string[] = []
  const doubled: string[] = []
  const invented: string[] = []
  for (let n = 0; n < count; n += 1) {
    const seed = seeded(n)
    const plan = randomPlan(seed)
    const pollSeconds = seed.pick([15, 30, 60, 60, 300, 300, 900, 3600])
    const failing = seed.pick([0, 0, 0.3])
    const result = await flipTrial(seed, { pollSeconds, plan, failing, restarts, dropsFailures })
    sum.outages += result.outages
    sum.looks += result.looks
    sum.polls += result.polls
    const words = (one: string) => `#${n} ${JSON.stringify(plan)} every ${pollSeconds} s: ${one}`
    missed.push(...result.missed.map(words))
    doubled.push(...result.doubled.map(words))
    invented.push(...result.invented.map(words))
  }
  return { ...sum, missed, doubled, invented }
}

/** For more trials by hand: `TRIALS=2000`. */
const count = Number(process.env['TRIALS'] ?? 60)

/** All schedules, reads every 15 s to 1 h, replies and looks that are late or fail. */
describe('each outage between two reads', { timeout: 600_000 }, () => {
  test.each(['none', 'clean'] as const)(
    'is notified exactly once, with restarts: %s',
    async (restarts) => {
      const { missed, doubled, invented, outages } = await trials(restarts)
      expect({ missed, doubled, invented }).toEqual({ missed: [], doubled: [], invented: [] })
      expect(outages).toBeGreaterThan(4 * count)
    },
  )

  test('is notified at least once if a crash lost the last ten seconds', async () => {
    const { missed, invented } = await trials('crash')
    expect({ missed, invented }).toEqual({ missed: [], invented: [] })
  })

  test('would sometimes be missed if only passed deadlines were looked into (control)', async () => {
    const { missed, outages } = await trials('none', true)
    expect(missed.length).toBeGreaterThan(outages / 50)
  })
})
