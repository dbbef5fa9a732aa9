import { htmlMaxLength } from '../../src/shared/core/text-length.ts'
import { runAlone, serveAlone } from '../child.ts'
import type { Measurement, Numbers, Size } from '../measurement.ts'
import { installPeers } from '../peers.ts'

const server = new URL('event-server.ts', import.meta.url)

/** Runs a client in its own process, with a server of its own in another. */
async function runWithServer(
  program: string,
  args: (base: string) => string[],
  answerMs = 0,
): Promise<Numbers> {
  const { ready, close } = await serveAlone<string>(server, [String(answerMs)])
  try {
    return await runAlone(new URL(program, import.meta.url), args(ready))
  } finally {
    await close()
  }
}

interface Pace {
  /** Events before the measurement: the app runs for days, so cold code is not of interest. */
  readonly warm: number
  readonly count: number
  readonly everyMs: number
}

/** zulip-js sleeps for 1 s after each poll, so it gets fewer. */
const paces: Readonly<Record<Size, { readonly all: Pace; readonly ofZulipJs: Pace }>> = {
  full: {
    all: { warm: 1_000, count: 300, everyMs: 10 },
    ofZulipJs: { warm: 1, count: 20, everyMs: 180 },
  },
  smoke: {
    all: { warm: 10, count: 10, everyMs: 5 },
    ofZulipJs: { warm: 1, count: 2, everyMs: 50 },
  },
}

/**
 * Time from when the server makes an event to the app's patch with the message, and to its
 * notification: including reading, validation, state, decision, patch, and the notified state.
 * Processes share CLOCK_MONOTONIC. The bound, a raw socket in a loop, parses the JSON and ignores
 * its content.
 */
const eventLatency: Measurement = {
  name: 'event-latency',
  rounds: 7,
  targets: [
    {
      goal: 'message latency',
      isGuard: true,
      what: 'event → notification, p50, against the least',
      unit: 'ms',
      of: { contender: 'app', number: 'p50' },
      against: { contender: 'raw', number: 'p50' },
      atMost: 4,
    },
    {
      goal: 'message latency',
      isGuard: true,
      what: 'event → notification, p99, against the least',
      unit: 'ms',
      of: { contender: 'app', number: 'p99' },
      against: { contender: 'raw', number: 'p99' },
      atMost: 6,
    },
    {
      goal: 'message latency',
      isGuard: true,
      what: 'event → patch, p50, against the least',
      unit: 'ms',
      of: { contender: 'app', number: 'patchP50' },
      against: { contender: 'raw', number: 'p50' },
      atMost: 4,
    },
    {
      goal: 'message latency',
      what: 'event → notification, p50',
      unit: 'ms',
      of: { contender: 'app', number: 'p50' },
      against: { contender: 'zulip-js', number: 'p50' },
      atMost: 1 / 250,
    },
  ],
  async open(size) {
    const { all, ofZulipJs } = paces[size]
    const zulipJs = installPeers()('zulip-js')
    const run = (contender: string, pace: Pace) => () =>
      runWithServer('latency-run.ts', (base) => [
        contender,
        base,
        ...[pace.warm, pace.count, pace.everyMs].map(String),
        zulipJs,
      ])
    return {
      contenders: {
        raw: run('raw', all),
        app: run('app', all),
        'zulip-js': run('zulip-js', ofZulipJs),
      },
      close: async () => undefined,
    }
  },
}

/**
 * Numbers of events: to warm up, in each of the floods (with their number), and in one answer at
 * the end.
 */
const floods: Readonly<
  Record<Size, readonly [warm: number, total: number, floods: number, atOnce: number]>
> = {
  full: [5_000, 100_000, 2, 10_000],
  smoke: [400, 1_000, 1, 500],
}

/**
 * A hundred events in each answer, 99 messages of a topic and an event that the previous ones were
 * read: how much main could take. The budget of 150 requests a minute, which by design limits the
 * app to 15,000 such events a minute, is lifted (`followAsApp`). Heap growth is counted from when
 * the 3,000 messages that are kept of a realm are there.
 */
const eventFlood: Measurement = {
  name: 'event-flood',
  rounds: 3,
  targets: [
    {
      goal: 'main is never blocked',
      what: 'longest block of main by 10,000 events in one answer',
      unit: 'ms',
      of: { contender: 'app', number: 'blockMs' },
      atMost: 200,
    },
    {
      goal: 'a busy chat',
      isGuard: true,
      what: 'events a second, 100 in an answer',
      of: { contender: 'app', number: 'eventsPerSecond' },
      against: { contender: 'raw', number: 'eventsPerSecond' },
      atLeast: 0.15,
    },
    {
      goal: 'memory',
      what: 'heap kept after 205,000 events',
      unit: 'MiB',
      of: { contender: 'app', number: 'heapGrowthMiB' },
      atMost: 1,
    },
    {
      goal: 'memory',
      isGuard: true,
      what: 'RSS grown by 205,000 events',
      unit: 'MiB',
      of: { contender: 'app', number: 'rssGrowthMiB' },
      atMost: 400,
    },
  ],
  async open(size) {
    const run = (contender: string) => () =>
      runWithServer('flood-run.ts', (base) => [contender, base, ...floods[size].map(String)])
    return { contenders: { raw: run('raw'), app: run('app') }, close: async () => undefined }
  },
}

/**
 * Messages crafted to be as expensive as possible, each as long as is accepted, one by one and a
 * hundred of a kind in one answer: what main does until the events are read.
 */
const costlyMessages: Measurement = {
  name: 'costly-messages',
  rounds: 3,
  targets: [
    {
      goal: 'main is never blocked',
      what: 'the text of any message of 512 KiB, the worst of all shapes',
      unit: 'ms',
      of: { contender: 'app', number: 'worstMs' },
      atMost: 50,
    },
    {
      goal: 'main is never blocked',
      what: 'longest block of main by 100 such in one answer',
      unit: 'ms',
      of: { contender: 'app', number: 'blockMs' },
      atMost: 200,
    },
  ],
  async open(size) {
    const args = size === 'smoke' ? ['16000', '3'] : [String(htmlMaxLength), '100']
    const app = () => runAlone(new URL('costly-run.ts', import.meta.url), args)
    return { contenders: { app }, close: async () => undefined }
  },
}

/** How often the server forgets the queue. */
const losses: Readonly<Record<Size, number>> = { full: 9, smoke: 2 }
/**
 * How long an answer takes from a chat server that is not on this computer: what counts here are
 * round trips.
 */
const answerMs = 10

/**
 * A lost queue, as after every long sleep: from the server's error that it is gone to the first
 * event of the next one, with missed messages fetched before that. The bound registers and polls,
 * and fetches nothing: two round trips.
 */
const queueLoss: Measurement = {
  name: 'queue-loss',
  rounds: 7,
  targets: [
    {
      goal: 'after a sleep',
      what: 'lost queue → next event',
      unit: 'ms',
      of: { contender: 'app', number: 'msUntilNext' },
      against: { contender: 'raw', number: 'msUntilNext' },
      atMost: 3,
    },
    {
      goal: 'after a sleep',
      what: 'lost queue → what was missed',
      unit: 'ms',
      of: { contender: 'app', number: 'msUntilMissed' },
      against: { contender: 'raw', number: 'msUntilNext' },
      atMost: 3,
    },
    {
      goal: 'after a sleep',
      what: 'requests until the next event',
      of: { contender: 'app', number: 'requests' },
      atMost: 3,
    },
    {
      goal: 'after a sleep',
      what: 'messages lost',
      of: { contender: 'app', number: 'lostMessages' },
      atMost: 0,
    },
  ],
  async open(size) {
    const run = (contender: string) => () =>
      runWithServer('loss-run.ts', (base) => [contender, base, String(losses[size])], answerMs)
    return { contenders: { raw: run('raw'), app: run('app') }, close: async () => undefined }
  },
}

export const events: readonly Measurement[] = [eventLatency, eventFlood, costlyMessages, queueLoss]
