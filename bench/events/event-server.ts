/**
 * A chat server in its own process: event queues with real long polling, and the messages that a
 * client asks for. Its clients control it with `GET /bench/…`:
 *
 *   polled              answers once a client waits for events
 *   pace?count=&ms=     direct messages, some ms from each other; answers when the last is sent
 *   flood?total=&batch= messages of a topic, a batch in each answer; the batch before is read meanwhile
 *   lose?missed=        forgets the queues; messages come meanwhile, and one more with the next registration
 *   stats               how many messages were sent
 *
 * Its argument: ms before each answer is sent.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { messageEvent, readEvent, snapshot, type WireEvent, wireMessage } from './wire.ts'

interface Queue {
  readonly id: string
  nextId: number
  events: WireEvent[]
  waiting: ServerResponse | null
  flood: { left: number; readonly batch: number; unread: number[] } | null
}

/** As many as the client ever catches up with. */
const messagesKept = 2_000
const firstMessageId = 900_000
/** Ids count messages of the whole server, most of which this user does not get. */
const idStep = 7

const queues = new Map<string, Queue>()
const messages: Record<string, unknown>[] = []
const answerMs = Number(process.argv[2] ?? 0)
let sent = 0
let newestId = firstMessageId
let queuesMade = 0
let isPushingAtRegister = false
let onPolled: (() => void) | null = null

function nextMessage(isDirect: boolean): Record<string, unknown> {
  newestId += idStep
  sent += 1
  return wireMessage(newestId, isDirect)
}

/** Sends a direct message, even if nobody is listening. */
function push(): void {
  const message = nextMessage(true)
  messages.push(message)
  if (messages.length > messagesKept) messages.shift()
  for (const queue of queues.values()) {
    queue.events.push(messageEvent(queue.nextId, message))
    queue.nextId += 1
    const { waiting } = queue
    queue.waiting = null
    if (waiting !== null) sendEvents(queue, waiting)
  }
}

/** Adds a batch of new messages, and an event that those of the last batch were read elsewhere. */
function fillFlood(queue: Queue): void {
  const { flood } = queue
  if (flood === null || flood.left === 0 || queue.events.length > 0) return
  const size = Math.min(flood.left, flood.batch)
  flood.left -= size
  const read = flood.unread
  flood.unread = []
  for (let n = 0; n < size; n += 1, queue.nextId += 1)
    if (n === 0 && read.length > 0) queue.events.push(readEvent(queue.nextId, read))
    else {
      const message = nextMessage(false)
      flood.unread.push(newestId)
      queue.events.push(messageEvent(queue.nextId, message))
    }
}

function register(response: ServerResponse): void {
  queuesMade += 1
  const id = `queue-${queuesMade}`
  queues.set(id, { id, nextId: 0, events: [], waiting: null, flood: null })
  send(response, 200, snapshot(id, newestId))
  if (isPushingAtRegister) push()
  isPushingAtRegister = false
}

function poll(query: URLSearchParams, response: ServerResponse): void {
  const queue = queues.get(query.get('queue_id') ?? '')
  if (queue === undefined) {
    sendGone(response)
    return
  }
  const acknowledged = Number(query.get('last_event_id'))
  queue.events = queue.events.filter(({ id }) => id > acknowledged)
  fillFlood(queue)
  if (queue.events.length > 0 || query.get('dont_block') === 'true') sendEvents(queue, response)
  else {
    queue.waiting = response
    response.once('close', () => {
      if (queue.waiting === response) queue.waiting = null
    })
    onPolled?.()
  }
}

function sendEvents({ id, events }: Queue, response: ServerResponse): void {
  send(response, 200, { result: 'success', msg: '', events, queue_id: id })
}

function sendGone(response: ServerResponse): void {
  send(response, 400, { result: 'error', msg: 'Bad event queue ID', code: 'BAD_EVENT_QUEUE_ID' })
}

function getMessages(query: URLSearchParams, response: ServerResponse): void {
  const anchor = query.get('anchor') === 'newest' ? newestId : Number(query.get('anchor'))
  const withAnchor = query.get('include_anchor') !== 'false'
  const numBefore = Number(query.get('num_before'))
  const numAfter = Number(query.get('num_after'))
  const before = messages.filter(({ id }) => Number(id) < anchor)
  const at = withAnchor ? messages.filter(({ id }) => id === anchor) : []
  const after = messages.filter(({ id }) => Number(id) > anchor)
  send(response, 200, {
    result: 'success',
    msg: '',
    messages: [
      ...(numBefore === 0 ? [] : before.slice(-numBefore)),
      ...at,
      ...after.slice(0, numAfter),
    ].map((message) => ({ ...message, flags: [] })),
    found_newest: after.length <= numAfter,
    found_oldest: before.length <= numBefore,
    anchor,
  })
}

async function pace(count: number, ms: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    // Varies from half to one and a half, so as not to match any rhythm of a client.
    await new Promise((resolve) => setTimeout(resolve, ms * (0.5 + ((n * 7) % 10) / 10)))
    push()
  }
}

function lose(missed: number): void {
  const waiting = [...queues.values()].map((queue) => queue.waiting)
  queues.clear()
  for (let n = 0; n < missed; n += 1) push()
  isPushingAtRegister = true
  for (const response of waiting) if (response !== null) sendGone(response)
}

async function act(what: string, query: URLSearchParams): Promise<unknown> {
  const number = (name: string): number => Number(query.get(name))
  switch (what) {
    case 'polled':
      if (![...queues.values()].some(({ waiting }) => waiting !== null))
        await new Promise<void>((resolve) => {
          onPolled = resolve
        })
      return {}
    case 'pace':
      await pace(number('count'), number('ms'))
      return {}
    case 'flood':
      for (const queue of queues.values()) {
        queue.flood = {
          left: number('total'),
          batch: number('batch'),
          unread: queue.flood?.unread ?? [],
        }
        fillFlood(queue)
        const { waiting } = queue
        queue.waiting = null
        if (waiting !== null) sendEvents(queue, waiting)
      }
      return {}
    case 'lose':
      lose(number('missed'))
      return {}
    case 'stats':
      return { sent }
    default:
      throw new Error(`no such act: ${what}`)
  }
}

function send(response: ServerResponse, status: number, value: unknown): void {
  if (answerMs === 0) write(response, status, value)
  else setTimeout(write, answerMs, response, status, value)
}

function write(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  request.resume()
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://server')
  const route = `${request.method} ${pathname}`
  if (pathname.startsWith('/bench/'))
    void act(pathname.slice('/bench/'.length), searchParams).then((done) =>
      write(response, 200, done),
    )
  else if (route === 'POST /api/v1/register') register(response)
  else if (route === 'GET /api/v1/events') poll(searchParams, response)
  else if (route === 'GET /api/v1/messages') getMessages(searchParams, response)
  else send(response, 200, { result: 'success', msg: '' })
}

const server = createServer(answer)
server.keepAliveTimeout = 120_000
server.requestTimeout = 0
process.once('disconnect', () => process.exit())
server.listen(0, '127.0.0.1', () => {
  // A server that listens on a port has one.
  const { port } = server.address() as AddressInfo
  process.send?.(`http://127.0.0.1:${port}`)
})
