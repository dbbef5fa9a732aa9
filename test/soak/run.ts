/**
 * `npm run soak`: runs the app for half an hour at 20 times the demo's event rate, with faults, and
 * checks that nothing grows or stalls. Options: `--minutes N` or `--seconds N`, `--seed N`,
 * `--plot` for the picture; `--leak` keeps something of each event and must be caught. To find out
 * what grows: `--rate N` for N times as much of everything, `--without history,disk` keeps these in
 * memory, `--samples file` writes a line of JSON for each sample.
 */
import { fork, spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { busyFor, slowness } from '../support/busy.ts'
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
const sampleEveryMs = isLong ? 10_000 : values.leak ? 500 : 1_000
const leastSamples = 10
const actEveryMs = 1_000
/** Promise P6. */
const stallLimitMs = 200
const controlSeconds = 10
const leakedBytes = 300_000
/** What must be detected in a program that leaks and stalls. */
const mustBeSeen = ['external', 'timers', 'listeners', 'STALLS'] as const
/** Far above the limit, since a computer's pace varies between the stall and its judgement. */
const controlStallMs = 1_000
const leakedAtOnce = 10
const leaked: Leak[] = []
const forever = new AbortController()

const isControlCaught = values.leak || leakIsCaught()
const folder = mkdtempSync(join(tmpdir(), 'belfry-soak-'))
const samples = await soak().finally(() => rmSync(folder, { recursive: true, force: true }))
const drifts = judge(samples.taken, isLong || values.leak)
report()

/** Runs the same program with a leak and a stall: a judge that misses those proves nothing. */
function leakIsCaught(): boolean {
  const self = fileURLToPath(import.meta.url)
  const args = ['--leak', '--seconds', String(controlSeconds), '--seed', values.seed]
  const { status, stdout } = spawnSync(process.execPath, [...process.execArgv, self, ...args], {
    encoding: 'utf8',
  })
  const seen = /^soak: leaking, (.*)$/m.exec(stdout)?.[1] ?? 'nothing'
  const isSeen = mustBeSeen.every((word) => seen.split(' ').includes(word))
  const caught = status === 1 && isSeen
  say(`control: a program that leaks is ${caught ? 'caught' : 'MISSED'}: ${seen}`)
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
    ...(values.leak ? [setTimeout(busyFor, 1_000, controlStallMs * slowness())] : []),
  ]
  const ended = Promise.withResolvers<void>()
  // A busy computer takes longer for the required number of samples.
  const end = () => (taken.length < leastSamples ? setTimeout(end, sampleEveryMs) : ended.resolve())
  setTimeout(end, seconds * 1_000)
  await ended.promise
  for (const timer of timers) clearInterval(timer)
  for (const timer of leaked) clearInterval(timer.timer)
  running.isOver = true
  await running.app.stop()
  world.send({ is: 'end' } satisfies ToWorld)
  await new Promise((resolve) => world.once('close', resolve))
  return { taken, events, bugs: running.bugs, shown: running.shown }
}

function keep(taken: Sample[], sample: Sample): void {
  taken.push(sample)
  if (values.leak) for (let n = 0; n < leakedAtOnce; n += 1) leak()
  if (values.samples !== undefined) appendFileSync(values.samples, `${JSON.stringify(sample)}\n`)
}

interface Leak {
  readonly timer: ReturnType<typeof setInterval>
  readonly bytes: Uint8Array
}

function leak(): void {
  const bytes = new Uint8Array(leakedBytes).fill(1)
  leaked.push({ timer: setInterval(() => bytes.fill(2), 3_600_000), bytes })
  forever.signal.addEventListener('abort', () => bytes.fill(0))
}

function report(): void {
  const { taken, events, bugs, shown } = samples
  // Normalised to a computer of the usual pace.
  const longestStall = Math.round(Math.max(0, ...taken.map(({ stall }) => stall)) / slowness())
  say('what              at first    after warm-up       at the end    grown   allowed')
  for (const { of, unit, first, from, to, grown, flat, share: allowed } of drifts)
    say(
      `${of.padEnd(9)} ${[first, from, to].map((value) => number(value, unit)).join(' ')}` +
        ` ${share(grown).padStart(8)} ${share(allowed).padStart(9)}${flat ? '' : '  FAIL'}`,
    )
  const last = taken.at(-1)
  say(
    `on disk ${last?.disk.toFixed(1)} MiB at the end, ${last?.database.toFixed(1)} of them history; ` +
      `of the memory ${last?.anonymous.toFixed(0)} MiB have no file behind them`,
  )
  const highest = taken.reduce((one, other) => (other.rssBefore > one.rssBefore ? other : one))
  say(
    `between collections at most ${highest.rssBefore.toFixed(0)} MiB, ` +
      `${highest.young.toFixed(0)} of them V8's for young objects`,
  )
  const stalls = longestStall > stallLimitMs
  say(`busy with one thing for ${longestStall} ms at most (P6: 200)${stalls ? '  FAIL' : ''}`)
  say(`${shown.patches} changes shown, ${shown.notices} pop-ups`)
  for (const bug of bugs.slice(0, 10)) say(`FAIL ${bug}`)
  if (values.plot) writeFileSync(pictureFile(), plot(taken))
  const grew = drifts.filter(({ flat }) => !flat).map(({ of }) => of)
  const failed = grew.length > 0 || bugs.length > 0 || stalls || !isControlCaught
  if (values.leak) say(`soak: leaking, ${[...grew, ...(stalls ? ['STALLS'] : [])].join(' ')}`)
  else say(closingLine(events, stalls))
  process.exitCode = failed ? 1 : 0
}

/** Bad news is in capitals. */
function closingLine(events: number, stalls: boolean): string {
  const length = values.seconds === undefined ? `${values.minutes} min` : `${values.seconds} s`
  const words = (['handles', 'timers', 'listeners', 'files'] as const).map(
    (name) => `${name} ${isFlat(name) ? 'flat' : 'GROW'}`,
  )
  const memory = drifts.find(({ of }) => of === 'rss')
  const memoryWords =
    memory === undefined
      ? 'memory not judged'
      : `memory ${share(memory.grown)}${isFlat('rss', 'heap', 'external') ? '' : ' GROWS'}`
  const others = [
    ...(stalls ? ['main STALLS'] : []),
    ...(samples.bugs.length > 0 ? [`${samples.bugs.length} BUGS`] : []),
    ...(isControlCaught ? [] : ['control MISSED']),
  ]
  return `soak: ${length}, ${events} events, ${[memoryWords, ...words, ...others].join(', ')}`
}

function isFlat(...names: readonly (keyof Sample)[]): boolean {
  return drifts.every(({ of, flat }) => flat || !names.includes(of))
}

function pictureFile(): string {
  return fileURLToPath(new URL('../../docs/pictures/soak.svg', import.meta.url))
}

function number(value: number, unit: Drift['unit']): string {
  return `${value.toFixed(1)}${unit}`.padStart(16)
}

function share(value: number): string {
  return `${value < 0 ? '' : '+'}${(value * 100).toFixed(1)}%`
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
