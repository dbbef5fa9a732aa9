/**
 * Runs a day of 10,000 events through the attention engine, and checks it against a simple oracle
 * and against the exact notifications of the last time (`day.json`, updated by `--update`). `npm
 * run attention`.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { type Step, step } from '../../src/shared/core/attention/engine.ts'
import type { Notice } from '../../src/shared/core/attention/notice.ts'
import { makeDay } from './day.ts'
import { drive, type Told } from './drive.ts'
import { faultsOf } from './oracle.ts'

// Notifications give times in the computer's time zone.
process.env['TZ'] = 'UTC'

const seed = 20_260_317
/** Three about checks and three about everything else in ten seconds, as the engine promises. */
const popUpsInTenSeconds = 6
const goldenFile = new URL('day.json', import.meta.url)
const resultsFolder = new URL('../../test-results/', import.meta.url)

let passed = 0
const failures: string[] = []

function hold(what: string, faults: readonly string[]): void {
  if (faults.length === 0) passed += 1
  else failures.push(`${what}: ${faults.length}, such as ${faults.slice(0, 5).join('; ')}`)
}

/** One notice as a line: when, its kind, its text, and how many it stands for. */
function lineOf({ at, notice }: Told['popUps'][number]): string {
  const { kind, sound, title, body, lines } = notice
  const time = new Date(at).toISOString().slice(8, 19)
  return [
    `${time} ${kind}${sound ? ' with sound' : ''}`,
    title,
    body,
    ...(lines.length > 0 ? [`${lines.length} lines`] : []),
  ].join(' | ')
}

/** Our engine with changed pop-ups. */
function spoilt(change: (notice: Notice, count: number) => readonly Notice[]): typeof step {
  let count = 0
  return (memory, happened, context, now): Step => {
    const made = step(memory, happened, context, now)
    const popUps = made.popUps.flatMap((notice) => {
      count += 1
      return change(notice, count)
    })
    return { ...made, popUps }
  }
}

async function golden(told: Told): Promise<readonly string[]> {
  const lines = told.popUps.map(lineOf)
  if (process.argv.includes('--update')) {
    await writeFile(goldenFile, `${JSON.stringify(lines, null, 2)}\n`)
    return []
  }
  // Written by the lines above.
  const known = JSON.parse(await readFile(goldenFile, 'utf8')) as readonly string[]
  const at = lines.findIndex((line, i) => line !== known[i])
  if (at < 0 && known.length === lines.length) return []
  const differs = at < 0 ? lines.length : at
  return [`notice ${differs} is “${lines[differs] ?? ''}”, was “${known[differs] ?? ''}”`]
}

const began = performance.now()
const day = makeDay(seed)
const told = drive(day)
const tookMs = Math.round(performance.now() - began)
const faults = faultsOf(day, told)
const { missed, doubled, stormMax, soundMax } = faults
hold('decided once, with a reason', faults.undecided)
hold('missed', missed)
hold('doubled', doubled)
hold('pop-ups in ten seconds', stormMax > popUpsInTenSeconds ? [`${stormMax}`] : [])
hold('sounds in ten seconds', soundMax > 1 ? [`${soundMax}`] : [])
hold('the same notices as before', await golden(told))
const dropping = faultsOf(
  day,
  drive(
    day,
    spoilt((notice, count) => (count % 7 === 0 ? [] : [notice])),
  ),
)
hold('an engine that drops is caught', dropping.missed.length > 0 ? [] : ['it was not'])
const doubling = faultsOf(
  day,
  drive(
    day,
    spoilt((notice, count) =>
      count % 50 === 0 ? [notice, { ...notice, id: `${notice.id}/again` }] : [notice],
    ),
  ),
)
hold('an engine that doubles is caught', doubling.doubled.length > 0 ? [] : ['it was not'])

await mkdir(resultsFolder, { recursive: true })
const result = JSON.stringify({ passed, failed: failures.length }, null, 2)
await writeFile(new URL('attention.json', resultsFolder), `${result}\n`)
for (const failure of failures) process.stderr.write(`attention: ${failure}\n`)
process.stdout.write(`attention: seed ${day.seed}, replayed in ${tookMs} ms\n`)
process.stdout.write(
  `attention: ${day.events.length} events, ${told.popUps.length} notices, ` +
    `${missed.length} missed, ${doubled.length} doubled, storm max ${stormMax}\n`,
)
process.exitCode = failures.length === 0 ? 0 : 1
