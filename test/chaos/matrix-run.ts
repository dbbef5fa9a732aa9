import { RequestFailed } from '../../src/shared/core/failure.ts'
import type { HttpReply } from '../../src/shared/http.ts'
import { busyFor } from '../support/busy.ts'
import type { ChaosCase } from './cases.ts'
import { chaosCases } from './cases.ts'
import type { StallWatch } from './fast-time.ts'
import type { MatrixReport } from './matrix-report.ts'
import type { Broken } from './promises.ts'
import type { Sabotage } from './rig.ts'
import { type Lasts, type Outcome, play } from './scenario.ts'

interface Plan {
  readonly seeds: number
  readonly firstSeed: number
  /** This process's share of the scenarios: 1 of 2, 2 of 2. */
  readonly share: number
  readonly of: number
  /** Runs only cases whose `row name` contains this. */
  readonly only: string
  readonly together: number
  readonly stalls: StallWatch
  readonly unhandled: readonly string[]
}

export async function runMatrix(plan: Plan): Promise<MatrixReport> {
  const isStallSeen = stallIsSeen(plan.stalls)
  const outcomes: Outcome[] = []
  const seeds = Array.from({ length: plan.seeds }, (_, n) => plan.firstSeed + n)
  const cases = chaosCases.filter(
    ({ fault, name }) => plan.only === '' || `${fault} ${name}`.includes(plan.only),
  )
  // Ordered by seed, so that the costly faults are spread.
  const long = cases
    .filter(({ harmless }) => harmless !== true)
    .map((one) => ({ one, seed: plan.firstSeed, lasts: 'long' as Lasts }))
  const short = seeds.flatMap((seed) =>
    cases.map((one) => ({ one, seed, lasts: 'short' as Lasts })),
  )

  // The long ones first, so that none is left running alone at the end.
  const todo = [...long, ...short].filter((_, n) => n % plan.of === plan.share - 1)
  await inTurns(todo, plan.together, async ({ one, seed, lasts }) => {
    const outcome = await play(one, seed, { lasts })
    outcomes.push(outcome)
    say(outcome)
  })
  const longestStallMs = plan.stalls.longestMs()
  const controls = plan.share === 1 && plan.only === '' ? await runControls(plan.firstSeed) : []
  return {
    outcomes,
    controls: [
      ...controls,
      { name: 'an app that computes for 300 ms', caught: await isStallSeen, by: 'P6' },
    ],
    longestStallMs,
    unhandled: plan.unhandled,
  }
}

function say({ fault, name, seed, struck, lasts, broken, recoveredS }: Outcome): void {
  const word = broken.length === 0 ? 'ok  ' : 'FAIL'
  const recovered = `well after ${recoveredS.toFixed(1)} s`
  process.stdout.write(
    `${word} ${fault} seed ${seed}${lasts === 'long' ? ', ten minutes' : ''}: ${name} (${struck.join(', ')}), ${recovered}\n`,
  )
  for (const { promise, what } of broken) process.stdout.write(`       ${promise}: ${what}\n`)
}

async function inTurns<T>(
  list: readonly T[],
  together: number,
  act: (one: T) => Promise<void>,
): Promise<void> {
  const left = [...list]
  const worker = async (n: number) => {
    // Starting is the most expensive part, so starts are staggered.
    await new Promise((resolve) => setTimeout(resolve, n * 2_000))
    for (let next = left.shift(); next !== undefined; next = left.shift()) await act(next)
  }
  await Promise.all(Array.from({ length: together }, (_, n) => worker(n)))
}

/** Tries the watch before it is trusted, and then resets it. */
async function stallIsSeen(stalls: StallWatch): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  busyFor(300)
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  const isSeen = stalls.longestMs() > 200
  stalls.reset()
  return isSeen
}

/** Apps broken in one way each: a matrix that passes them proves nothing. */
async function runControls(seed: number): Promise<MatrixReport['controls']> {
  const control = (on: 'ops' | 'chat', kind: 'resetAfter' | 'resetBefore'): ChaosCase => ({
    fault: 'control',
    name: `control on ${on}`,
    on: [on],
    weather: () => ({ kind }),
  })
  const broken: { name: string; one: ChaosCase; by: Broken['promise']; sabotage: Sabotage }[] = [
    {
      name: 'an app that takes an old answer for a new one',
      one: control('ops', 'resetBefore'),
      by: 'P5',
      sabotage: withOldAnswers,
    },
    {
      name: 'an app that takes a failed poll of the chat for an empty one',
      one: control('chat', 'resetBefore'),
      by: 'P5',
      sabotage: withEmptyPolls,
    },
    {
      name: 'an app that sends again in doubt',
      one: control('chat', 'resetAfter'),
      by: 'P2',
      sabotage: withBlindRetries,
    },
    {
      name: 'an app that drops messages',
      one: control('chat', 'resetAfter'),
      by: 'P3',
      sabotage: withoutMessages,
    },
    {
      name: 'an app that comes back a minute late',
      one: control('ops', 'resetBefore'),
      by: 'G6',
      sabotage: withLongBackOff,
    },
  ]
  return Promise.all(
    broken.map(async ({ name, one, by, sabotage }) => {
      const outcome = await play(one, seed, { sabotage })
      return { name, by, caught: outcome.broken.some(({ promise }) => promise === by) }
    }),
  )
}

const withOldAnswers: Sabotage = (real) => {
  const old = new Map<string, HttpReply>()
  return async (request, signal) => {
    try {
      const reply = await real(request, signal)
      old.set(request.url, reply)
      return reply
    } catch (error) {
      const reply = old.get(request.url)
      if (reply === undefined || request.method !== 'GET') throw error
      // With a new date, from which the app would otherwise see how old it is.
      return { ...reply, headers: { ...reply.headers, date: new Date(Date.now()).toUTCString() } }
    }
  }
}

const withEmptyPolls: Sabotage = (real) => async (request, signal) => {
  try {
    return await real(request, signal)
  } catch (error) {
    if (!request.url.includes('/events?')) throw error
    const body = new TextEncoder().encode('{"result":"success","msg":"","events":[]}')
    return { status: 200, headers: { 'content-type': 'application/json' }, body }
  }
}

const withBlindRetries: Sabotage = (real) => async (request, signal) => {
  const isSend = request.method === 'POST' && request.url.endsWith('/messages')
  for (let n = 0; isSend && n < 2; n += 1) {
    try {
      return await real(request, signal)
    } catch {
      // The mistake: an unknown outcome is treated as not sent.
    }
  }
  return real(request, signal)
}

/** Even after a 45 s fault, longer than four times the limit, to which waiting may extend it. */
const longBackOffMs = 120_000

const withLongBackOff: Sabotage = (real) => {
  const failedAt = new Map<string, number>()
  return async (request, signal) => {
    const { host } = new URL(request.url)
    if (Date.now() - (failedAt.get(host) ?? 0) < longBackOffMs)
      throw new RequestFailed({ kind: 'network', reason: 'refused', host, reached: 'no' })
    try {
      return await real(request, signal)
    } catch (error) {
      failedAt.set(host, Date.now())
      throw error
    }
  }
}

const withoutMessages: Sabotage = (real) => async (request, signal) => {
  const reply = await real(request, signal)
  if (request.method !== 'GET' || !/\/(events|messages)\?/.test(request.url)) return reply
  const text = new TextDecoder().decode(reply.body)
  const body = new TextEncoder().encode(text.replaceAll('"type":"message"', '"type":"massage"'))
  return { ...reply, body }
}
