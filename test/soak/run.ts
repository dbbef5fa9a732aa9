/**
 * `npm run soak`: the app for half an hour at 20 times the demo's event rate, with faults, and
 * whether anything grows. `--minutes N` or `--seconds N`, `--seed N`, `--plot` for the picture;
 * `--leak` keeps something of each event and must be caught.
 */
import { fork, spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { seeded } from '../support/seeded.ts'
import type { FromWorld, ToWorld } from './channel.ts'
import { type Drift, judge } from './judge.ts'
import { plot } from './plot.ts'
import { createSampler, type Sample } from './samples.ts'
import { startSoakApp, useApp } from './soak-app.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    seconds: { type: 'string' },
    seed: { type: 'string', default: '1' },
    leak: { type: 'boolean', default: false },
    plot: { type: 'boolean', default: false },
    rate: { type: 'string', default: '1' },
    without: { type: 'string', default: '' },
    samples: { type: 'string' },
  },
})
const seconds = Number(values.seconds ?? Number(values.minutes) * 60)
const isLong = seconds >= 600
const sampleEveryMs = isLong ? 10_000 : 1_000
const actEveryMs = 1_000
/** P6. */
const stallLimitMs = 200
const controlSeconds = 10
const leakedBytes = 20_000
const leaked: Leak[] = []
const forever = new AbortController()

const isControlCaught = values.leak || leakIsCaught()
const folder = mkdtempSync(join(tmpdir(), 'belfry-soak-'))
const samples = await soak().finally(() => rmSync(folder, { recursive: true, force: true }))
const drifts = judge(samples.taken, isLong)
report()

/** The same program, leaking: a judge that does not see that proves nothing. */
function leakIsCaught(): boolean {
  const self = fileURLToPath(import.meta.url)
  const args = ['--leak', '--seconds', String(controlSeconds), '--seed', values.seed]
  const { status, stdout } = spawnSync(process.execPath, [...process.execArgv, self, ...args], {
    encoding: 'utf8',
  })
  const grew = /^soak: leaking, (.*) grew$/m.exec(stdout)?.[1] ?? null
  const caught = status === 1 && grew !== null
  say(`control: a program that leaks is ${caught ? `caught: ${grew} grew` : 'MISSED'}`)
  return caught
}

async function soak() {
  say(`soak: ${seconds} s, seed ${values.seed}`)
  const chance = seeded(Number(values.seed))
  const worldFile = fileURLToPath(new URL('./world.ts', import.meta.url))
  const firstFault = isLong ? '40' : '6'
  const world = fork(worldFile, [values.seed, firstFault, values.rate], { execArgv: [] })
  const sampler = createSampler(folder)
  let events = 0
  const open = await new Promise<Extract<FromWorld, { is: 'open' }>>((resolve) => {
    world.on('message', (message: FromWorld) => {
      if (message.is === 'open') resolve(message)
      else events = message.count
    })
  })
  const keys = new Map(open.keys)
  const started = performance.now()
  const running = await startSoakApp({
    folder,
    accounts: open.accounts,
    keys,
    chance,
    without: values.without.split(','),
  })
  const taken: Sample[] = []
  const timers = [
    setInterval(
      () => keep(taken, sampler.take((performance.now() - started) / 1_000)),
      sampleEveryMs,
    ),
    setInterval(() => void useApp(running, chance), actEveryMs / Number(values.rate)),
    ...(values.leak ? [setInterval(leak, 100)] : []),
  ]
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
  for (const timer of timers) clearInterval(timer)
  for (const timer of leaked) clearInterval(timer.timer)
  await running.app.stop()
  world.send({ is: 'end' } satisfies ToWorld)
  await new Promise((resolve) => world.once('close', resolve))
  return { taken, events, bugs: running.bugs, shown: running.shown }
}

function keep(taken: Sample[], sample: Sample): void {
  taken.push(sample)
  if (values.samples !== undefined) appendFileSync(values.samples, `${JSON.stringify(sample)}\n`)
}

interface Leak {
  readonly timer: ReturnType<typeof setInterval>
  readonly bytes: Uint8Array
}

function leak(): void {
  const bytes = new Uint8Array(leakedBytes)
  leaked.push({ timer: setInterval(() => bytes.fill(1), 3_600_000), bytes })
  forever.signal.addEventListener('abort', () => bytes.fill(0))
}

function report(): void {
  const { taken, events, bugs, shown } = samples
  const longestStall = Math.round(Math.max(0, ...taken.map(({ stall }) => stall)))
  say('what          after warm-up       at the end    grown')
  for (const { of, unit, from, to, grown, flat } of drifts)
    say(
      `${of.padEnd(10)} ${number(from, unit)} ${number(to, unit)} ${share(grown).padStart(8)}` +
        (flat ? '' : '  GROWS'),
    )
  const last = taken.at(-1)
  say(`on disk ${last?.disk.toFixed(2)} MiB at the end`)
  say(`busy with one thing for ${longestStall} ms at most${longestStall > stallLimitMs ? '  STALLS' : ''}`)
  say(`${shown.patches} changes shown, ${shown.notices} pop-ups`)
  for (const bug of bugs.slice(0, 10)) say(`FAIL ${bug}`)
  if (values.plot) writeFileSync(pictureFile(), plot(taken))
  const grew = drifts.filter(({ flat }) => !flat).map(({ of }) => of)
  const failed = grew.length > 0 || bugs.length > 0 || !isControlCaught
  if (values.leak) say(`soak: leaking, ${grew.join(' ')} grew`)
  else say(closingLine(events))
  process.exitCode = failed ? 1 : 0
}

function closingLine(events: number): string {
  const length = values.seconds === undefined ? `${values.minutes} min` : `${values.seconds} s`
  const memory = drifts.find(({ of }) => of === 'rss')
  const counts = (['handles', 'timers', 'listeners'] as const).map((name) => {
    const found = drifts.find(({ of }) => of === name)
    return `${name} ${found?.flat === true ? 'flat' : 'GROW'}`
  })
  const memoryWords = memory === undefined ? 'memory not judged' : `memory ${share(memory.grown)}`
  return `soak: ${length}, ${events} events, ${[memoryWords, ...counts].join(', ')}`
}

function pictureFile(): string {
  return fileURLToPath(new URL('../../docs/pictures/soak.svg', import.meta.url))
}

function number(value: number, unit: Drift['unit']): string {
  return `${value.toFixed(1)}${unit}`.padStart(16)
}

function share(value: number): string {
  return `${value < 0 ? '' : '+'}${(value * 100).toFixed(1)} %`
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
