import assert from 'node:assert/strict'
import type { Browser, Page } from 'playwright'
import { median, percentile } from '../judge.ts'
import type { Measurement, Numbers, Size, Target } from '../measurement.ts'
import { servePages } from '../pages.ts'
import type {} from './drive.ts'
import { busiestRenderer, privateBytes } from './private-memory.ts'

interface Amount {
  readonly checks: number
  readonly turns: number
  readonly frames: number
}

const amounts: Readonly<Record<Size, Amount>> = {
  full: { checks: 10_000, turns: 5, frames: 120 },
  smoke: { checks: 500, turns: 1, frames: 10 },
}

/** A frame takes 16.7 ms at 60 Hz; above this, one was missed. */
const lateMs = 20
/** The list may miss this many more frames than the bound. */
const lateAllowed = 3
const typed = 'nightly-etl-host1'

const appears = `board of 10,000 checks appears`
const patched = `10,000 changed checks in one patch, to the layout`
const memory = `private memory of the window process`

/**
 * The app's board with 10,000 checks, fed with patches as main makes them. The bound is a list
 * handwritten for this page, with the same fields of the same rows in the same styles; the ordinary
 * way is a Preact list of all rows.
 */
export const board: Measurement = {
  name: 'board',
  rounds: 5,
  targets: [
    compared('the board', appears, 'mountMs', 'vanilla', 1.5),
    compared('the board', patched, 'applyMs', 'vanilla', 2),
    { ...compared('the board', patched, 'applyMs', 'preact-full', 0.06), isGuard: true },
    compared('the board', 'scroll by 10 rows a frame: busy, p95', 'busyP95Ms', 'vanilla', 1.5),
    {
      goal: 'the board',
      what: `frames over ${lateMs} ms, against the bound's and ${lateAllowed} more`,
      of: { contender: 'app', number: 'lateFrames' },
      against: { contender: 'vanilla', number: 'lateFramesAllowed' },
      atMost: 1,
      unit: 'frames',
    },
    {
      goal: 'the board',
      what: 'places without a row while scrolling',
      of: { contender: 'app', number: 'blanks' },
      atMost: 0,
    },
    compared('memory', memory, 'privateMb', 'vanilla', 1.25),
    { ...compared('memory', memory, 'privateMb', 'preact-full', 0.25), isGuard: true },
    {
      goal: 'a keystroke',
      what: 'keystroke in the filter to the layout of what it found',
      of: { contender: 'app', number: 'filterMs' },
      atMost: 16,
      unit: 'ms',
    },
  ],
  async open(size) {
    const pages = await servePages({
      app: new URL('app.tsx', import.meta.url),
      vanilla: new URL('vanilla.ts', import.meta.url),
      'preact-full': new URL('preact-full.tsx', import.meta.url),
    })
    const amount = amounts[size]
    const agree = agreement()
    const listed = async (name: string) => {
      const page = await pages.open(name)
      const numbers = await changed(page, amount, agree)
      return { page, numbers, memory: () => settledMemory(page, pages.browser) }
    }
    return {
      contenders: {
        vanilla: async () => {
          const { page, numbers, memory } = await listed('vanilla')
          const all = { ...numbers, ...(await scrolled(page, amount, agree)), ...(await memory()) }
          await page.context().close()
          return all
        },
        app: async () => {
          const { page, numbers, memory } = await listed('app')
          const all = { ...numbers, ...(await scrolled(page, amount, agree)), ...(await memory()) }
          const filter = await filtered(page)
          await page.context().close()
          return { ...all, ...filter }
        },
        'preact-full': async () => {
          const { page, numbers, memory } = await listed('preact-full')
          const all = { ...numbers, ...(await memory()) }
          await page.context().close()
          return all
        },
      },
      close: () => pages.close(),
    }
  },
}

function compared(
  goal: string,
  what: string,
  number: string,
  contender: string,
  atMost: number,
): Target {
  const unit = number.endsWith('Mb') ? 'MB' : 'ms'
  const against = { contender, number }
  return { goal, what, of: { contender: 'app', number }, against, atMost, unit }
}

/** Asserts that all contenders show the same rows in all rounds as the first one did. */
type Agree = (moment: string, rows: readonly string[]) => void

function agreement(): Agree {
  const seen = new Map<string, readonly string[]>()
  return (moment, rows) => {
    assert.ok(rows.length > 9, `${moment}: only ${rows.length} rows in sight`)
    assert.deepEqual(rows, seen.get(moment) ?? rows, moment)
    seen.set(moment, rows)
  }
}

async function changed(page: Page, amount: Amount, agree: Agree): Promise<Numbers> {
  const mountMs = await page.evaluate((count) => window.bench.mount(count), amount.checks)
  const first = await rowsOf(page)
  agree('after the first answer', first)
  const turns = await page.evaluate((count) => window.bench.apply(count), amount.turns)
  const rows = await rowsOf(page)
  assert.notDeepEqual(rows, first)
  agree('after the changes', rows)
  return { mountMs, applyMs: median(turns) }
}

async function scrolled(page: Page, { frames }: Amount, agree: Agree): Promise<Numbers> {
  const { busy, gaps, blanks, px } = await page.evaluate((n) => window.bench.scroll(n), frames)
  assert.equal(px, frames * 320)
  agree('after scrolling', await rowsOf(page))
  const lateFrames = gaps.filter((ms) => ms > lateMs).length
  const lateFramesAllowed = lateFrames + lateAllowed
  return { busyP95Ms: percentile(busy, 0.95), lateFrames, lateFramesAllowed, blanks }
}

/** Types a name that matches first 10,000, then 2,000, then a few checks. */
async function filtered(page: Page): Promise<Numbers> {
  const strokes = await page.evaluate(
    (text) => window.bench.type('input[type="search"]', text),
    typed,
  )
  const rows = await rowsOf(page)
  assert.ok(rows.length > 0)
  assert.ok(rows.every((row) => row.startsWith(typed)))
  return { filterMs: median(strokes), filterWorstMs: Math.max(...strokes) }
}

function rowsOf(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => window.bench.rows())
}

/** Measured after one more update and garbage collection: what the page keeps, not its garbage. */
async function settledMemory(page: Page, browser: Browser): Promise<Numbers> {
  await page.evaluate(() => window.bench.apply(1))
  await page.evaluate(() => window.bench.forget())
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.enable')
  for (let n = 0; n < 2; n += 1) await session.send('HeapProfiler.collectGarbage')
  await session.detach()
  return { privateMb: privateBytes(await busiestRenderer(browser)) / 2 ** 20 }
}
