/**
 * A client that follows a queue with a hundred events in each answer: how many it can take, and how
 * much memory it keeps.
 */

import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { messageText } from '../../src/main/chat/message-text.ts'
import { allMessages } from '../../src/shared/core/chat/message-list.ts'
import { report } from '../child.ts'
import type { Numbers } from '../measurement.ts'
import { costOf } from '../poll/poll-cost.ts'
import { followAsApp, messagesIn } from './app-loop.ts'
import { wallClock } from './clockwork.ts'
import { followRaw } from './raw-loop.ts'
import { ask, sentSoFar } from './server-acts.ts'
import { wireMessage } from './wire.ts'

const [contender = '', base = '', warm = '', total = '', floods = '', atOnce = ''] =
  process.argv.slice(2)
const batch = 100
/** The most messages that the app keeps of a realm. */
const messagesKept = 3_000

report(contender === 'raw' ? await runRaw() : await runApp())

async function runRaw(): Promise<Numbers> {
  let events = 0
  const onEvent = (): void => {
    events += 1
  }
  void followRaw(base, { onEvent })
  const numbers = await measured()
  assert.equal(events, Number(warm) + Number(floods) * Number(total) + Number(atOnce) + batch)
  return numbers
}

async function runApp(): Promise<Numbers> {
  let newest = 0
  let messages = 0
  const app = await followAsApp(
    base,
    {
      onPatch: (patch) => {
        for (const { id } of messagesIn(patch)) {
          if (id <= newest) continue
          newest = id
          messages += 1
        }
      },
      onNotice: () => assert.fail('nothing in a channel asks for a notification'),
    },
    wallClock,
  )
  const numbers = await measured()
  const sent = await sentSoFar(base)
  // Includes a long answer, which is applied and then patched in several turns.
  for (let n = 0; n < 500 && messages < sent; n += 1) await setTimeout(10)
  assert.equal(messages, sent)
  const realm = app.realm()
  const held = allMessages(realm.messages)
  assert.equal(held.length, Math.min(sent, messagesKept))
  // All except those of the last batch were read elsewhere.
  const [conversation] = realm.conversations.values()
  assert.equal(conversation?.unread.length, batch - 1)
  assert.equal(held.filter(({ flags }) => !flags.includes('read')).length, batch - 1)
  const words = messageText(String(wireMessage(0, false)['content'])).replace(/^.*\n/, '')
  assert.ok(held.every(({ text }) => text.endsWith(words)))
  await app.stop()
  return numbers
}

async function measured(): Promise<Numbers> {
  await ask(base, 'polled')
  const start = memory()
  await flood(Number(warm))
  const warmed = memory()
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  for (let n = 0; n < Number(floods); n += 1) await flood(Number(total))
  const seconds = (performance.now() - startedAt) / 1_000
  const { user, system } = process.cpuUsage(cpuBefore)
  const events = Number(floods) * Number(total)
  const end = memory()
  const { blockMs } = await costOf(() => flood(Number(atOnce), Number(atOnce)))
  // The runs end with a usual batch.
  await flood(batch)
  return {
    blockMs,
    eventsPerSecond: events / seconds,
    cpuMicrosPerEvent: (user + system) / events,
    heapGrowthMiB: end.heap - warmed.heap,
    rssGrowthMiB: end.rss - start.rss,
  }
}

/** Resolves when the client has acknowledged all events. */
async function flood(events: number, inAnswer = batch): Promise<void> {
  await ask(base, `flood?total=${events}&batch=${inAnswer}`)
  await ask(base, 'polled')
}

function memory(): { heap: number; rss: number } {
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  return { heap: heapUsed / 2 ** 20, rss: rss / 2 ** 20 }
}
