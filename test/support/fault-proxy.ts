import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import { faultyBody, isBodyFault } from './fault-bodies.ts'
import {
  bombReply,
  deepReply,
  type Framing,
  head,
  portalReply,
  queueGoneReply,
  type Reply,
  stackedReply,
  statusReply,
} from './fault-replies.ts'
import type { BodyFaultKind, Fault, FaultKind } from './faults.ts'
import { listen } from './listen.ts'

export type { Fault } from './faults.ts'

export interface ProxiedRequest {
  /** From 0, in order of arrival. */
  readonly index: number
  readonly method: string
  /** With its query. */
  readonly path: string
}

interface ProxyLogLine extends ProxiedRequest {
  readonly fault: FaultKind | null
  /** The whole request was sent to the server, which then does its work. */
  readonly reachedUpstream: boolean
  /** In ms by the proxy's clock. */
  readonly at: number
  /** When the exchange was over, by the same clock; null while it is in progress. */
  readonly endedAt: number | null
  /** All of the answer was written; false if either side left earlier. */
  readonly isAnswered: boolean
}

export interface FaultProxy {
  readonly url: string
  readonly log: readonly ProxyLogLine[]
  /** Resets every open connection, as when a network goes down. */
  cut(): void
  /** Nobody listens until it is back, on the same port: "connection refused". */
  away(isAway: boolean): Promise<void>
  close(): Promise<void>
}

/** Stands in front of a real HTTP server and applies the fault from `choose` to each request. */
export async function startFaultProxy(options: {
  /** `http://127.0.0.1:port` */
  upstream: string
  choose: (request: ProxiedRequest) => Fault | null
  /** The clock for `at` and `endedAt`, in ms; this computer's if left out. */
  now?: () => number
}): Promise<FaultProxy> {
  const { now = Date.now } = options
  const log: Line[] = []
  const cache = new Map<string, Cached>()
  const sockets = new Set<Socket>()
  const upstream = new URL(options.upstream)
  const server = createServer((request, response) => {
    const asked = { index: log.length, method: request.method ?? 'GET', path: request.url ?? '/' }
    const fault = options.choose(asked)
    const line: Line = {
      ...asked,
      fault: fault?.kind ?? null,
      reachedUpstream: false,
      at: now(),
      endedAt: null,
      isAnswered: false,
    }
    log.push(line)
    response.once('close', () => {
      line.endedAt = now()
      line.isAnswered ||= response.writableFinished
    })
    const visit = { request, response, socket: request.socket, upstream, line, cache }
    // Either side may leave at any moment here: that is the purpose.
    apply(fault, visit).catch(() => request.socket.destroy())
  })
  // A hanging client is one of the faults: none of the server's own limits may end it.
  server.requestTimeout = 0
  server.headersTimeout = 0
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
  })
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  const stop = async () => {
    if (!server.listening) return
    const closed = new Promise((resolve) => server.close(resolve))
    cut()
    await closed
  }
  const port = await listen(server, 0)
  return {
    url: `http://127.0.0.1:${port}`,
    log,
    cut,
    away: async (isAway) => {
      if (isAway) await stop()
      else if (!server.listening) await listen(server, port)
    },
    close: stop,
  }
}

interface Line extends ProxyLogLine {
  fault: FaultKind | null
  reachedUpstream: boolean
  endedAt: number | null
  isAnswered: boolean
}

interface Cached {
  readonly reply: Reply
  /** Epoch ms. */
  readonly at: number
}

interface Visit {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly socket: Socket
  readonly upstream: URL
  readonly line: Line
  /** By the path. */
  readonly cache: Map<string, Cached>
}

async function apply(fault: Fault | null, visit: Visit): Promise<void> {
  if (fault === null) {
    answer(visit, await forward(visit, 'ends with the client'))
  } else if (isBodyFault(fault.kind)) {
    const reply = await forward(visit, 'ends with the client')
    answer(visit, { ...reply, body: faultyBody(fault.kind, reply.body) })
  } else {
    // The table has a matching function for each kind, which the compiler can't follow.
    const act = acts[fault.kind] as (fault: Fault, visit: Visit) => void | Promise<void>
    await act(fault, visit)
  }
}

type ActKind = Exclude<FaultKind, BodyFaultKind>
type Acts = {
  readonly [K in ActKind]: (
    fault: Extract<Fault, { kind: K }>,
    visit: Visit,
  ) => void | Promise<void>
}

const acts: Acts = {
  async status(fault, visit) {
    if (fault.forwarded === true) await forward(visit, 'works on')
    answer(visit, statusReply(fault))
  },
  resetBefore: (_fault, { socket }) => {
    socket.resetAndDestroy()
  },
  async resetAfter(_fault, visit) {
    await forward(visit, 'works on')
    visit.socket.resetAndDestroy()
  },
  async resetInHeaders(_fault, visit) {
    const reply = await forward(visit, 'works on')
    reset(visit.socket, Buffer.from(head(reply, 'length').slice(0, 30)))
  },
  async resetInBody({ at }, visit) {
    const reply = await forward(visit, 'works on')
    reset(visit.socket, headAnd(reply, 'length', part(reply, at)))
  },
  async cutLength({ at }, visit) {
    const reply = await forward(visit, 'works on')
    visit.socket.end(headAnd(reply, 'length', part(reply, at)))
  },
  async cutChunk({ at }, visit) {
    const reply = await forward(visit, 'works on')
    const size = Buffer.from(`${reply.body.length.toString(16)}\r\n`)
    visit.socket.end(headAnd(reply, 'chunks', Buffer.concat([size, part(reply, at)])))
  },
  async cutPlain({ at }, visit) {
    const reply = await forward(visit, 'works on')
    visit.socket.end(headAnd(reply, 'close', part(reply, at)))
  },
  async hang({ forwarded }, visit) {
    if (forwarded) await forward(visit, 'works on')
  },
  async halfOpen(_fault, visit) {
    visit.request.once('end', () => visit.socket.pause())
    await forward(visit, 'works on')
  },
  async slowHeaders({ everyMs }, visit) {
    const reply = await forward(visit, 'works on')
    drip(visit, headAnd(reply, 'length', reply.body), everyMs)
  },
  async slowBody({ everyMs }, visit) {
    const reply = await forward(visit, 'works on')
    visit.socket.write(head(reply, 'length'))
    drip(visit, reply.body, everyMs)
  },
  async latency({ ms }, visit) {
    await new Promise((resolve) => setTimeout(resolve, ms))
    answer(visit, await forward(visit, 'ends with the client'))
  },
  async wrongJson(fault, visit) {
    const reply = await forward(visit, 'works on')
    answer(visit, { ...reply, body: Buffer.from(fault.json) })
  },
  hugeBody({ bytes }, { socket }) {
    socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n')
    flood(socket, bytes)
  },
  gzipBomb: ({ bytes }, visit) => answer(visit, bombReply(bytes)),
  stackedEncodings: ({ times }, visit) => answer(visit, stackedReply(times)),
  deepNesting: ({ depth }, visit) => answer(visit, deepReply(depth)),
  captivePortal: ({ by }, visit) => answer(visit, portalReply(by)),
  async cached(_fault, visit) {
    const { cache, line } = visit
    const kept = cache.get(line.path)
    // The first answer is the server's own.
    if (kept === undefined) line.fault = null
    const first = kept ?? { reply: await forward(visit, 'ends with the client'), at: Date.now() }
    cache.set(line.path, first)
    const age = `${Math.floor((Date.now() - first.at) / 1_000)}`
    answer(visit, { ...first.reply, headers: { ...first.reply.headers, age } })
  },
  queueGone: (_fault, visit) => answer(visit, queueGoneReply),
}

function part({ body }: Reply, at = Math.floor(body.length / 2)): Buffer {
  return body.subarray(0, Math.min(at, Math.max(0, body.length - 1)))
}

function headAnd(reply: Reply, framing: Framing, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(head(reply, framing)), body])
}

/** Lets what was written arrive first, since a reset may overtake it. */
function reset(socket: Socket, first: Buffer): void {
  socket.write(first, () => setTimeout(() => socket.resetAndDestroy(), 20))
}

/** Forwards the request. `works on`: even if the client gives up while the server works. */
async function forward(visit: Visit, how: 'works on' | 'ends with the client'): Promise<Reply> {
  const { request, socket, upstream, line } = visit
  const body = await collected(request)
  const gone = new AbortController()
  const onGone = () => gone.abort()
  if (how === 'ends with the client') socket.once('close', onGone)
  try {
    const reply = await new Promise<IncomingMessage>((resolve, reject) => {
      const { host: _host, connection: _connection, ...headers } = request.headers
      const onward = httpRequest(
        new URL(line.path, upstream),
        { method: line.method, headers, agent: false, signal: gone.signal },
        resolve,
      )
      onward.once('error', reject)
      onward.end(body, () => {
        line.reachedUpstream = true
      })
    })
    const { connection: _connection, 'keep-alive': _keepAlive, ...headers } = reply.headers
    return { status: reply.statusCode ?? 502, headers, body: await collected(reply) }
  } finally {
    socket.off('close', onGone)
  }
}

async function collected(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Uint8Array)) // bytes, as no encoding was set
  return Buffer.concat(chunks)
}

function answer({ response, request }: Visit, { status, headers, body }: Reply): void {
  const { 'content-length': _length, 'transfer-encoding': _transfer, ...rest } = headers
  response.writeHead(status, { ...rest, 'content-length': body.length })
  response.end(request.method === 'HEAD' ? undefined : body)
}

/** Writes byte by byte; counts as answered if it ends before the client gives up. */
function drip({ socket, line }: Visit, bytes: Buffer, everyMs: number): void {
  let at = 0
  const timer = setInterval(() => {
    socket.write(bytes.subarray(at, at + 1))
    at += 1
    if (at < bytes.length) return
    clearInterval(timer)
    line.isAnswered = true
    socket.end()
  }, everyMs)
  socket.once('close', () => clearInterval(timer))
}

/**
 * As fast as the client reads, block by block: both ends may share a thread whose turns are
 * measured.
 */
function flood(socket: Socket, bytes: number): void {
  const block = Buffer.alloc(64 * 1024, ' ')
  let left = bytes
  const pour = () => {
    if (socket.destroyed) return
    if (left <= 0) {
      socket.end('{}')
      return
    }
    left -= block.length
    if (socket.write(block)) setImmediate(pour)
    else socket.once('drain', pour)
  }
  pour()
}
