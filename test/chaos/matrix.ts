/** A process of the matrix: its share of the scenarios, many at once, in accelerated time. */
import { parseArgs } from 'node:util'
import { hurry, watchStalls } from './fast-time.ts'
import type { MatrixReport } from './matrix-report.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
    share: { type: 'string', default: '1/1' },
    only: { type: 'string', default: '' },
    speed: { type: 'string', default: '10' },
    together: { type: 'string', default: '14' },
  },
})

const unhandled: string[] = []
process.on('unhandledRejection', (error) => unhandled.push(`unhandled rejection: ${String(error)}`))
process.on('uncaughtException', (error) => unhandled.push(`uncaught: ${error.stack ?? ''}`))

const stalls = watchStalls()
hurry(Number(values.speed))
// Imported after `hurry`, since these may keep a reference to a timer function.
const { runMatrix } = await import('./matrix-run.ts')
// Otherwise the first request loads it, which isn't the app's own stall: a bundle includes it.
await import('undici')
stalls.reset()
const [share = 1, of = 1] = values.share.split('/').map(Number)
const report: MatrixReport = await runMatrix({
  seeds: Number(values.seeds),
  firstSeed: Number(values.seed),
  share,
  of,
  only: values.only,
  together: Number(values.together),
  stalls,
  unhandled,
})
if (process.send === undefined) {
  const { outcomes: _outcomes, ...rest } = report
  process.stdout.write(`${JSON.stringify(rest, null, 2)}\n`)
  process.exit(0)
} else process.send(report, () => process.exit(0))
