import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createWorld } from '../../src/demo/world.ts'
import type { Transport } from '../../src/main/base/ports.ts'
import { fieldsOf, isFields } from '../../src/shared/core/schemas.ts'
import type { HttpReply } from '../../src/shared/http.ts'
import { startApp } from '../support/app.ts'

const second = 1_000
const minute = 60 * second

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 2, 17, 14, 25, 30) })
})
afterEach(() => {
  vi.useRealTimers()
})

type Event = Readonly<Record<string, unknown>>

/** Changes the events of each poll's reply. */
function altered(reply: HttpReply, change: (event: Event) => Event | null): HttpReply {
  const json: unknown = JSON.parse(new TextDecoder().decode(reply.body))
  if (!isFields(json) || !Array.isArray(json['events'])) return reply
  const events = json['events'].filter(isFields).flatMap((event) => change(event) ?? [])
  return { ...reply, body: new TextEncoder().encode(JSON.stringify({ ...json, events })) }
}

/** The app on a chat whose events come as `change` makes them, and the messages that it told. */
async function connected(change: (event: Event) => Event | null) {
  const world = createWorld({ now: Date.now, seed: 1, lively: false })
  let queues = 0
  const fetched: string[] = []
  const transport: Transport = async (request, signal) => {
    const { pathname, search } = new URL(request.url)
    if (pathname.endsWith('/register')) queues += 1
    if (pathname.endsWith('/messages') && search.includes('message_ids')) fetched.push(search)
    const reply = await world.transport(request, signal)
    return pathname.endsWith('/events') && request.method === 'GET' ? altered(reply, change) : reply
  }
  const it = await startApp({ world, transport })
  const added = it.app.commands.addAccount(world.newAccounts.chat)
  await vi.advanceTimersByTimeAsync(5 * second)
  await added
  const pass = async (ms: number) => {
    for (let at = 0; at < ms; at += second) {
      world.tick()
      await vi.advanceTimersByTimeAsync(second)
    }
  }
  return {
    listed: () => it.app.state.notices,
    told: () => it.desktop.notices.map(({ body }) => body.split(' ').at(-1)),
    queues: () => queues,
    fetched,
    pass,
    say: (text: string) =>
      world.realm.controls.say({ from: 'Ana', to: 'ops > a', text, mention: true }),
    async stop() {
      expect(it.bugs).toEqual([])
      const stopped = it.app.stop()
      await vi.advanceTimersByTimeAsync(5 * second)
      await stopped
    },
  }
}

test('a message of which no event comes, only heartbeats, is told within eight minutes', async () => {
  const it = await connected((event) => (event['type'] === 'message' ? null : event))
  it.say('Fire')
  await it.pass(4 * minute)
  expect(it.told()).toEqual([])
  await it.pass(4 * minute)
  expect(it.told()).toEqual(['Fire'])
  expect(it.queues()).toBe(2)
  await it.stop()
})

test('a quiet chat keeps its queue: the control', async () => {
  const it = await connected((event) => event)
  await it.pass(15 * minute)
  it.say('Morning')
  await it.pass(second)
  expect(it.told()).toHaveLength(1)
  expect(it.queues()).toBe(1)
  await it.stop()
})

test('messages of a queue whose event ids begin anew are told, and each once', async () => {
  let less = 0
  const it = await connected((event) => ({ ...event, id: Number(event['id']) - less }))
  it.say('First')
  await it.pass(10 * second)
  less = 1_000
  it.say('Second')
  await it.pass(10 * second)
  less = 0
  it.say('Third')
  await it.pass(10 * second)
  expect(it.told()).toEqual(['First', 'Second', 'Third'])
  await it.stop()
})

const unflagged = (event: Event) => ({ ...event, flags: { 0: 'mentioned' } })
const unnamed = (event: Event) => ({
  ...event,
  message: { ...fieldsOf(event['message']), id: 'x' },
})
test.each([
  ['flags can’t', unflagged, 1],
  ['id can’t', unnamed, 2],
])('a mention whose %s be read in its event is told as such, and once', async (_, bad, queues) => {
  let isBad = true
  const it = await connected((event) => (isBad && event['type'] === 'message' ? bad(event) : event))
  it.say('Unreadable')
  await it.pass(3 * second)
  isBad = false
  it.say('Readable')
  await it.pass(10 * second)
  expect(it.listed().map(({ kind }) => kind)).toEqual(['mention', 'mention'])
  expect(it.queues()).toBe(queues)
  await it.stop()
})

test('of hundreds of messages with unreadable events at once, all are fetched and told', async () => {
  const it = await connected((event) => (event['type'] === 'message' ? unflagged(event) : event))
  for (let at = 0; at < 450; at += 1) it.say('Unreadable')
  await it.pass(minute)
  // Besides what one of the notices says of several.
  const each = it.listed().filter(({ lines }) => lines.length === 0)
  expect(each).toHaveLength(450)
  await it.stop()
})

test.each([
  ['time', { timestamp: 1e300 }],
  ['kind', { type: 'carrier pigeon' }],
  ['sender', { sender_id: null }],
])('a message with an unreadable %s in its event is fetched, and told once', async (_what, bad) => {
  let isBad = true
  const it = await connected((event) =>
    isBad && isFields(event['message']) && event['type'] === 'message'
      ? { ...event, message: { ...event['message'], ...bad } }
      : event,
  )
  it.say('Unreadable')
  await it.pass(10 * second)
  isBad = false
  it.say('Readable')
  await it.pass(10 * second)
  expect(it.told()).toEqual(['Unreadable', 'Readable'])
  expect(it.fetched).toHaveLength(1)
  expect(it.queues()).toBe(1)
  await it.stop()
})
