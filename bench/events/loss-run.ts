/**
 * A client whose queue the server forgets again and again while messages come: how long it takes
 * from the error that it is gone to the first message of the next queue, and how many requests.
 */
import assert from 'node:assert/strict'
import { report } from '../child.ts'
import { median } from '../judge.ts'
import type { Numbers } from '../measurement.ts'
import { followAsApp, messagesIn } from './app-loop.ts'
import { clockwork } from './clockwork.ts'
import { followRaw } from './raw-loop.ts'
import { ask, sentSoFar } from './server-acts.ts'

const [contender = '', base = '', cycles = ''] = process.argv.slice(2)
/** Messages sent while no queue exists. */
const missed = 5
/** Messages between two losses, each in its own answer: they show that the queue works. */
const between = 16

interface Moment {
  readonly at: number
  readonly requests: number
}

let requests = 0
/** Messages since the last loss, or since `reach` was called. */
let heard = 0
let wanted = 0
let arrived: (moment: Moment) => void = () => undefined
let lostAt: Moment = { at: 0, requests: 0 }
let missedAt = 0

report(contender === 'raw' ? await runRaw() : await runApp())

function moment(): Moment {
  return { at: performance.now(), requests }
}

function hear(count: number): void {
  const before = heard
  heard += count
  if (before < missed && heard >= missed) missedAt = performance.now()
  if (before < wanted && heard >= wanted) arrived(moment())
}

function reach(count: number): Promise<Moment> {
  heard = 0
  wanted = count
  return new Promise((resolve) => {
    arrived = resolve
  })
}

function onRequest(): void {
  requests += 1
}

function onLost(): void {
  lostAt = moment()
}

/** It never gets what came while it had no queue. */
async function runRaw(): Promise<Numbers> {
  void followRaw(base, { onEvent: () => hear(1), onLost, onRequest })
  return measured(1)
}

async function runApp(): Promise<Numbers> {
  const seen = new Set<number>()
  const app = await followAsApp(
    base,
    {
      onPatch: (patch) => {
        const fresh = [...messagesIn(patch)].filter(({ id }) => !seen.has(id))
        for (const { id } of fresh) seen.add(id)
        hear(fresh.length)
      },
      onNotice: () => undefined,
      onRequest,
      onReply: ({ status }) => {
        if (status === 400) onLost()
      },
    },
    clockwork(),
  )
  const numbers = await measured(missed + 1)
  const lostMessages = (await sentSoFar(base)) - seen.size
  assert.equal(app.realm().messages.size, seen.size)
  await app.stop()
  return { ...numbers, lostMessages }
}

/** `after`: with this many messages, the first one of the new queue has arrived. */
async function measured(after: number): Promise<Numbers> {
  const untilNext: number[] = []
  const untilMissed: number[] = []
  const asked: number[] = []
  for (let n = 0; n < Number(cycles); n += 1) {
    await ask(base, 'polled')
    for (let one = 0; one < between; one += 1) {
      const came = reach(1)
      await ask(base, 'pace?count=1&ms=0')
      await came
      await ask(base, 'polled')
    }
    const next = reach(after)
    await ask(base, `lose?missed=${missed}`)
    const then = await next
    untilNext.push(then.at - lostAt.at)
    untilMissed.push(missedAt - lostAt.at)
    asked.push(then.requests - lostAt.requests)
  }
  return {
    msUntilNext: median(untilNext),
    ...(after > 1 ? { msUntilMissed: median(untilMissed) } : {}),
    requests: median(asked),
  }
}
