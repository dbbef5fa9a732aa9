/**
 * `npm run watch`: lives of the whole app on a clock that jumps, judged by what a person was shown
 * (`lives.ts`), and longer ones judged by what reached the attention engine (`steps.ts`). 5 and 200
 * days by default; `-- --days 300 --steps 0` by hand. A `--seed` repeats its lives; `--lives 1 --seed 13`
 * lives one of them again, and nothing else.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { livesADay, runLives } from './lives.ts'
import { runSteps } from './steps.ts'

const { values } = parseArgs({
  options: {
    days: { type: 'string' },
    steps: { type: 'string', default: '200' },
    lives: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
})
const seed = Number(values.seed)
const isAll = values.lives === undefined
const lives = isAll ? Math.ceil(Number(values.days ?? 5) * livesADay) : Number(values.lives)
const stepDays = Number(values.steps)
const shown = await runLives(lives, seed, isAll, say)
const steps = isAll && stepDays > 0 ? await runSteps(stepDays, seed, say) : null
if (steps !== null) say(steps.line)
const folder = fileURLToPath(new URL('../../test-results/', import.meta.url))
mkdirSync(folder, { recursive: true })
const counts = {
  passed: shown.passed + (steps?.passed ?? 0),
  failed: shown.failed + (steps?.failed ?? 0),
}
writeFileSync(`${folder}watch.json`, `${JSON.stringify(counts)}\n`)
say(shown.line)
process.exitCode = counts.failed === 0 ? 0 : 1

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
