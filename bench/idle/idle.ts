import { spawn } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import type { Measurement, Numbers, Size } from '../measurement.ts'
import { type IdleApp, ofApp, openApp, type Place } from './app.ts'
import { cpuMs, pss } from './processes.ts'
import type { WorldCounts } from './world.ts'

/**
 * The goal is about ten minutes; `BENCH_IDLE_MINUTES=10 npm run bench -- --only idle` measures
 * them.
 */
const minutes = Number(process.env['BENCH_IDLE_MINUTES'] ?? 1.5)
const measuredMs: Readonly<Record<Size, number>> = { full: minutes * 60_000, smoke: 500 }
/** Time after a start in which everything is read once and code is compiled. */
const settleMs: Readonly<Record<Size, number>> = { full: 30_000, smoke: 0 }
/** Long enough for a bare Node to be up. */
const bareMs = 1_000

/**
 * The built app on the Chromium host with 200 checks and a lively realm, its window opened once and
 * hidden: what its main process costs while nobody looks. The host's own code in that process (the
 * stand-in for Electron, and Node's type stripping) counts as the app's.
 */
export const idle: Measurement = {
  name: 'idle',
  rounds: 1,
  targets: [
    { goal: 'idle', what: 'CPU of main, hidden', of: ofApp('cpuPercent'), atMost: 0.3, unit: '%' },
    {
      goal: 'memory',
      what: 'PSS of main over bare Node',
      of: ofApp('pssOverNode'),
      atMost: 60,
      unit: 'MB',
    },
    {
      goal: 'idle',
      what: 'requests a minute of one key',
      of: ofApp('requestsAMinute'),
      atMost: 3,
    },
  ],
  open: (size) => openApp((app, place) => measured(app, place, size)),
}

async function measured(app: IdleApp, place: Place, size: Size): Promise<Numbers> {
  await app.tell({ do: 'open' })
  await app.tell({ do: 'hide' })
  await wait(settleMs[size])
  await place.world.ask('count')
  const cpuBefore = cpuMs(app.pid)
  const from = performance.now()
  await wait(measuredMs[size])
  const ms = performance.now() - from
  const cpu = cpuMs(app.pid) - cpuBefore
  // What `world.ts` answers with.
  const { most } = (await place.world.ask('count')) as WorldCounts
  const over = await overBareNode(app.pid)
  return {
    cpuPercent: (cpu / ms) * 100,
    pssOverNode: over.mb,
    pss: over.own,
    requestsAMinute: size === 'smoke' ? most : most / (ms / 60_000),
  }
}

/** Both are measured while both run, since shared memory is divided among its users. */
async function overBareNode(pid: number): Promise<{ own: number; mb: number }> {
  const bare = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' })
  await wait(bareMs)
  const own = pss(pid)
  const mb = own - pss(bare.pid ?? 0)
  bare.kill()
  return { own, mb }
}
