/** Traffic under faults, in accelerated time: a process of its own, like the matrix. */
import { parseArgs } from 'node:util'
import { hurry } from './fast-time.ts'

/** The final report of this process. */
export interface TrafficReport {
  readonly runs: number
  readonly inbound: { readonly lost: number; readonly doubled: number }
  readonly sends: { readonly lost: number; readonly doubled: number; readonly unconfirmed: number }
  readonly failed: readonly string[]
}

const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '5' }, seed: { type: 'string', default: '1' } },
})
const seeds = Array.from({ length: Number(values.seeds) }, (_, n) => Number(values.seed) + n)
const log = (line: string) => process.stdout.write(`${line}\n`)
hurry(10)
// Imported after `hurry`, since these may keep a reference to a timer function.
const { runInbound } = await import('./inbound.ts')
const { runSends } = await import('./sends.ts')
const [inbound, sends] = await Promise.all([runInbound({ seeds, log }), runSends({ seeds, log })])
const report: TrafficReport = {
  runs: inbound.runs + sends.runs,
  inbound,
  sends,
  failed: [...inbound.failed, ...sends.failed],
}
process.send?.(report, () => process.exit(0))
