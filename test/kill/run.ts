/**
 * Kills the built app at random moments and checks what it left:
 * `node test/kill/run.ts [--rounds n] [--seed n] [--app folder]`.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { seededRandom } from '../../src/demo/answers.ts'
import { type LaneReport, runLane } from './lane.ts'
import { naiveLoss } from './naive.ts'
import { startTogether } from './together.ts'

const projectRoot = fileURLToPath(new URL('../..', import.meta.url))
/** On a quiet machine, one kill in 25 may lose it: so many without a loss can't be chance. */
const naiveKills = 500
const startsAtOnce = 10

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '500' },
    seed: { type: 'string' },
    app: { type: 'string', default: projectRoot },
  },
})
const rounds = Number(values.rounds)
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000))
write(`kill: ${rounds} rounds, seed ${seed} (repeat with --rounds ${rounds} --seed ${seed})`)

const lanes = await Promise.all(
  ['A', 'B'].map((name, lane) =>
    runLane({
      appFolder: values.app,
      name,
      rounds: Math.floor((rounds + 1 - lane) / 2),
      seed: seed * 2 + lane,
      onRound: (wrong) => wrong.forEach(write),
    }),
  ),
)
const lostAt = await naiveLoss(naiveKills, seededRandom(seed))
const together = await startTogether(values.app, startsAtOnce)
tell(lanes)
finish()

function tell(reports: readonly LaneReport[]): void {
  const total = (pick: (lane: LaneReport) => number): number =>
    reports.reduce((sum, lane) => sum + pick(lane), 0)
  const counted = (pick: (lane: LaneReport) => ReadonlyMap<string, number>): string =>
    [...new Set(reports.flatMap((lane) => [...pick(lane).keys()]))]
      .sort()
      .map((kind) => `${kind} ${total((lane) => pick(lane).get(kind) ?? 0)}`)
      .join(', ')
  write(`acknowledged: ${counted(({ acknowledged }) => acknowledged)}`)
  write(`killed at a request: ${counted(({ requests }) => requests)}`)
  write(
    `half-written files swept ${total(({ swept }) => swept)}, ended by SIGTERM ${total(({ terms }) => terms)}, ` +
      `slowest ${Math.round(Math.max(...reports.map(({ slowestTermMs }) => slowestTermMs)))} ms, ` +
      `a start takes ${Math.round(total(({ startMs }) => startMs) / reports.length)} ms`,
  )
  write(
    `notified: chat ${total(({ popUps }) => popUps.chat)}, down ${total(({ popUps }) => popUps.down)} ` +
      `(${total(({ popUps }) => popUps.repeatedDown)} repeated); sent ${total(({ sent }) => sent)} texts`,
  )
  write(`control: a writer in place lost its document at kill ${lostAt ?? 'none'} of ${naiveKills}`)
  write(`${startsAtOnce} starts at once, twice: ${together.length === 0 ? 'one lives' : 'WRONG'}`)
}

function finish(): void {
  const intact = lanes.reduce((sum, lane) => sum + lane.intact, 0)
  const others = [
    ...lanes.flatMap(({ wrong }) => wrong.filter((one) => one.includes('at the end'))),
    ...together,
    ...(lanes.some(({ popUps }) => popUps.chat > 0)
      ? []
      : ['nothing was notified, so nothing twice']),
    ...(lanes.some(({ requests }) => requests.size > 0) ? [] : ['no request was ever met']),
    ...(lostAt !== null ? [] : ['the control lost nothing, so that this run proves nothing']),
  ]
  for (const one of lanes.flatMap(({ notes }) => notes)) write(`note: ${one}`)
  for (const one of others) write(`kill: ${one}`)
  const failed = rounds - intact + others.length
  const folder = join(projectRoot, 'test-results')
  mkdirSync(folder, { recursive: true })
  const counts = { passed: intact, failed }
  writeFileSync(join(folder, 'kill.json'), `${JSON.stringify(counts)}\n`)
  write(`kill: ${intact} of ${rounds} intact`)
  process.exitCode = failed === 0 ? 0 : 1
}

function write(line: string): void {
  process.stdout.write(`${line}\n`)
}
