/**
 * What messages that are crafted to be expensive cost main: `costly-run.ts <length> <messages in an
 * answer>`.
 */
import assert from 'node:assert/strict'
import { EventQueue } from '../../src/main/chat/event-queue.ts'
import { messageText } from '../../src/main/chat/message-text.ts'
import { readReplyYielding } from '../../src/main/http/reply-reading.ts'
import { createWaker, runYielding } from '../../src/main/http/wait.ts'
import { eventId, readEvent } from '../../src/shared/api/chat/read-events.ts'
import { readSnapshot } from '../../src/shared/api/chat/read-snapshot.ts'
import { queueOperations } from '../../src/shared/api/chat/server-operations.ts'
import type { ChatEvent } from '../../src/shared/core/chat/chat-event.ts'
import { costlyHtml } from '../../test/support/costly-html.ts'
import { report } from '../child.ts'
import { median } from '../judge.ts'
import { costOf } from '../poll/poll-cost.ts'
import { wallClock } from './clockwork.ts'
import { messageEvent, snapshot, wireMessage } from './wire.ts'

/** Runs for each message; the first ones run code that is not compiled yet, as in the app. */
const runs = 5
const account = { kind: 'chat', baseUrl: 'https://chat.example.org', email: 'a@b.example' } as const

const [length = 0, inAnswer = 0] = process.argv.slice(2).map(Number)
let worstMs = 0
let worstBlockMs = 0
for (const htmlOf of Object.values(costlyHtml)) {
  const html = htmlOf(length)
  worstMs = Math.max(worstMs, median(Array.from({ length: runs }, () => textMs(html))))
  worstBlockMs = Math.max(worstBlockMs, await answerBlockMs(html))
}
report({ worstMs, blockMs: worstBlockMs })

function textMs(html: string): number {
  const startedAt = performance.now()
  messageText(html)
  return performance.now() - startedAt
}

/**
 * The longest block from the bytes of an answer to its events, as the event queue reads them; with
 * as many messages as an answer may hold.
 */
async function answerBlockMs(content: string): Promise<number> {
  const event = (id: number) => messageEvent(id, { ...wireMessage(id + 1, false), content })
  const eventBytes = Buffer.byteLength(JSON.stringify(event(0))) + 100
  const most = Math.floor((queueOperations.getEvents.maxBytes ?? 0) / eventBytes)
  const count = Math.min(inAnswer, most)
  const wire = Array.from({ length: count }, (_, id) => event(id))
  const body = Buffer.from(JSON.stringify({ result: 'success', events: wire }))
  const { blockMs, result } = await costOf(() => eventsOf(body))
  assert.equal(result.length, count)
  return blockMs
}

/** Resolves with the events, ready to be applied. */
async function eventsOf(body: Uint8Array): Promise<readonly ChatEvent[]> {
  const abort = new AbortController()
  let isAnswered = false
  const { promise, resolve } = Promise.withResolvers<readonly ChatEvent[]>()
  const { done } = new EventQueue({
    register: async () => runYielding(readSnapshot(snapshot('queue', 1))),
    async getEvents(_poll, signal) {
      if (isAnswered) return untilAborted(signal)
      isAnswered = true
      return wireEvents(body)
    },
    deleteQueue: async () => undefined,
    eventId,
    readEvent: (wire) => readEvent(wire, { me: 10, toText: messageText }),
    onSnapshot: () => undefined,
    catchUp: async () => undefined,
    onEvents(events) {
      resolve(events)
      abort.abort()
    },
    newestId: () => Promise.resolve(null),
    notifiedUpTo: () => 0,
    onAlive: () => undefined,
    onFailure: ({ kind }) => assert.fail(kind),
    onBug: (error) => assert.fail(String(error)),
    clock: wallClock,
    waker: createWaker(),
    signal: abort.signal,
  })
  await done
  return promise
}

async function wireEvents(body: Uint8Array): Promise<readonly unknown[]> {
  const reply = { status: 200, headers: {}, body }
  const value = await readReplyYielding(account, queueOperations.getEvents, reply, Date.now())
  // As its schema defines it: this operation has just read it.
  const { events } = value as { events: readonly unknown[] }
  return events
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('over')))
  })
}
