/**
 * A client that follows a queue while direct messages arrive, some ms apart: how late it gets each
 * of them.
 */
import assert from 'node:assert/strict'
import type { Notice } from '../../src/shared/core/attention/notice.ts'
import type { Patch } from '../../src/shared/core/patch.ts'
import { report } from '../child.ts'
import { percentile } from '../judge.ts'
import type { Numbers } from '../measurement.ts'
import { followAsApp, messagesIn } from './app-loop.ts'
import { clockwork } from './clockwork.ts'
import { followRaw } from './raw-loop.ts'
import { Arrivals, ask } from './server-acts.ts'
import type { WireEvent } from './wire.ts'

const [contender = '', base = '', warm = '', count = '', ms = '', zulipJs = ''] =
  process.argv.slice(2)

report(await run(contender))

async function run(name: string): Promise<Numbers> {
  const heard = new Arrivals()
  const onEvent = (event: WireEvent): void => {
    if (event.type === 'message') heard.hear(contentOf(event))
  }
  if (name === 'raw') void followRaw(base, { onEvent })
  else if (name === 'zulip-js') await followByZulipJs(onEvent)
  else return runApp()
  await paced([heard])
  return numbersOf(heard)
}

/**
 * A message has arrived with the patch that shows it, and with its notification. Messages in one
 * answer share a notification.
 */
async function runApp(): Promise<Numbers> {
  const patched = new Arrivals()
  const notified = new Arrivals()
  let untold: string[] = []
  const onPatch = (patch: Patch): void => {
    for (const { text } of messagesIn(patch)) {
      patched.hear(text)
      untold.push(text)
    }
  }
  const onNotice = (notice: Notice): void => {
    const told = untold
    untold = []
    for (const text of told) notified.hear(text)
    assert.equal(notice.kind, 'direct')
    assert.equal(notice.outcome, 'shown')
    if (told.length === 1) assert.equal(notice.body, told[0])
  }
  const app = await followAsApp(base, { onPatch, onNotice }, clockwork())
  await paced([patched, notified])
  const { p50: patchP50, p99: patchP99 } = numbersOf(patched)
  await app.stop()
  return { ...numbersOf(notified), patchP50, patchP99 }
}

async function paced(arrivals: readonly Arrivals[]): Promise<void> {
  await ask(base, 'polled')
  await send(arrivals, Number(warm), 2)
  await send(arrivals, Number(count), Number(ms))
}

async function send(arrivals: readonly Arrivals[], number: number, everyMs: number): Promise<void> {
  for (const one of arrivals) one.begin()
  const all = arrivals.map((one) => one.reach(number))
  await ask(base, `pace?count=${number}&ms=${everyMs}`)
  await Promise.all(all)
  for (const { count: came } of arrivals) assert.equal(came, number)
}

function numbersOf({ ages }: Arrivals) {
  return { p50: percentile(ages, 0.5), p99: percentile(ages, 0.99) }
}

function contentOf({ message }: WireEvent): string {
  // Written by our own server.
  return (message as { content: string }).content
}

/** The official client, which sleeps for a second after each poll. */
async function followByZulipJs(onEvent: (event: WireEvent) => void): Promise<void> {
  interface ZulipClient {
    callOnEachEvent(listener: (event: WireEvent) => void, types: readonly string[]): Promise<void>
  }
  // The shape that zulip-js 2.1.0 documents; it has no types of its own.
  const { default: connect } = (await import(zulipJs)) as {
    default: (config: object) => Promise<ZulipClient>
  }
  const client = await connect({
    username: 'polonius@chat.example.org',
    apiKey: 'key',
    realm: base,
  })
  void client.callOnEachEvent(onEvent, ['message'])
}
