import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { median } from '../judge.ts'
import type { Measurement, Numbers, Size } from '../measurement.ts'
import { type IdleApp, ofApp, openApp } from './app.ts'
import { writtenByFamily } from './processes.ts'

/** Turns in one start of the app; the results are their medians. */
const turns: Readonly<Record<Size, number>> = { full: 3, smoke: 1 }
/** Time after a start in which everything is read once and code is compiled. */
const startedMs: Readonly<Record<Size, number>> = { full: 6_000, smoke: 0 }
/** Until work that a new page started is done, or the process of a closed one is gone. */
const settleMs: Readonly<Record<Size, number>> = { full: 800, smoke: 100 }

/**
 * The app's own page with 200 checks and a realm, in its own window, on the Chromium host. A
 * recreated window is compared with one of the same size and preload, whose page, of the same
 * scheme, is a few words without a script: no app can open faster than Chromium and the host do.
 * One of those comes and goes before memory is first measured, since what Chromium keeps of its
 * first window is not the app's. The app shows its window once it is drawn, which a hidden page is
 * on Electron alone: here it starts to draw when it is loaded. Counts main and all processes of its
 * Chromium, without file-backed pages.
 */
export const keptWindow: Measurement = {
  name: 'window',
  rounds: 5,
  targets: [
    {
      goal: 'memory',
      what: 'PSS left by the window, all processes',
      of: ofApp('leftMb'),
      atMost: 6,
      unit: 'MB',
    },
    {
      goal: 'the window',
      what: 'show a kept window / make it again',
      of: ofApp('shownMs'),
      against: ofApp('openedMs'),
      atMost: 0.15,
    },
    {
      goal: 'the window',
      isGuard: true,
      what: 'make the window again / a blank one',
      of: ofApp('openedMs'),
      against: ofApp('blankMs'),
      atMost: 2.5,
    },
  ],
  open: (size) => openApp((app) => measured(app, size)),
}

async function measured(app: IdleApp, size: Size): Promise<Numbers> {
  await app.tell({ do: 'blank' })
  await wait(startedMs[size])
  const before = await memory(app, size)
  const { kept, left } = await cost(app, size, before)
  const times = { opened: [] as number[], shown: [] as number[], blank: [] as number[] }
  for (let turn = 0; turn < turns[size]; turn += 1) {
    times.blank.push(await app.tell({ do: 'blank' }))
    await wait(settleMs[size])
    times.opened.push(await app.tell({ do: 'open' }))
    await wait(settleMs[size])
    await app.tell({ do: 'hide' })
    await wait(settleMs[size])
    times.shown.push(await app.tell({ do: 'show' }))
    await app.tell({ do: 'destroy' })
    await wait(settleMs[size])
  }
  // A page that costs nothing did not exist.
  assert.ok(kept > left, 'a kept window takes memory')
  return {
    leftMb: left,
    keptMb: kept,
    openedMs: median(times.opened),
    shownMs: median(times.shown),
    blankMs: median(times.blank),
  }
}

/** The memory of the window while it is kept, and what is left once it is gone. */
async function cost(
  app: IdleApp,
  size: Size,
  before: number,
): Promise<{ kept: number; left: number }> {
  await app.tell({ do: 'open' })
  await wait(settleMs[size])
  await app.tell({ do: 'hide' })
  const kept = (await memory(app, size)) - before
  await app.tell({ do: 'destroy' })
  await wait(settleMs[size])
  return { kept, left: (await memory(app, size)) - before }
}

/** Memory after garbage collection. */
async function memory(app: IdleApp, size: Size): Promise<number> {
  await app.tell({ do: 'collect' })
  await wait(settleMs[size])
  return writtenByFamily(app.pid)
}
