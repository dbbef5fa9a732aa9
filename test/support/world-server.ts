import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import {
  createWorld,
  type World,
  type WorldOptions,
  type WorldService,
} from '../../src/demo/world.ts'
import { RequestFailed } from '../../src/shared/core/failure.ts'
import type { HttpReply } from '../../src/shared/http.ts'
import { listen } from './listen.ts'

/** A request as received over the socket. */
interface LoggedRequest {
  /** When it had arrived, in epoch ms. */
  readonly at: number
  readonly service: WorldService
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The raw body, since an upload is not text. */
  readonly bytes: Uint8Array
  /** Null while it is unanswered, and for one that was cut off. */
  status: number | null
}

export interface WorldServer {
  /** The world behind it, with all its controls. */
  readonly world: World
  /** `http://127.0.0.1:port` of each service. */
  readonly urls: Readonly<Record<WorldService, string>>
  /** In order of arrival. */
  readonly log: readonly LoggedRequest[]
  /**
   * Stops listening and cuts every connection: "connection refused" until it is back, on the same
   * port.
   */
  away(service: WorldService, isAway: boolean): Promise<void>
  close(): Promise<void>
}

/**
 * A reply that is written up to this share of its body, then no further until `onWritten` was
 * called.
 */
export interface AimedReply extends HttpReply {
  readonly written: { readonly share: 0.5 | 1; readonly onWritten: () => void }
}

const services = ['ops', 'web', 'chat'] as const

/**
 * Serves a pretend world over real HTTP, on a port for each service. The caller calls
 * `world.tick()`.
 */
export async function serveWorld(options: Omit<WorldOptions, 'bases'>): Promise<WorldServer> {
  const log: LoggedRequest[] = []
  let world: World | null = null
  const open = services.map((service) => {
    const server = createServer((request, response) => {
      if (world === null) response.destroy()
      else void respond({ world, service, log, request, response })
    })
    return { service, server }
  })
  const ports = new Map<WorldService, number>()
  for (const { service, server } of open) ports.set(service, await listen(server, 0))
  const url = (service: WorldService) => `http://127.0.0.1:${ports.get(service)}`
  const urls = { ops: url('ops'), web: url('web'), chat: url('chat') }
  world = createWorld({ ...options, bases: urls })
  return {
    world,
    urls,
    log,
    async away(service, isAway) {
      const server = open.find((one) => one.service === service)?.server
      if (server === undefined || server.listening !== isAway) return
      if (isAway) await stop(server)
      else await listen(server, ports.get(service) ?? 0)
    },
    close: async () => {
      const listening = open.filter(({ server }) => server.listening)
      await Promise.all(listening.map(({ server }) => stop(server)))
    },
  }
}

async function stop(server: Server): Promise<void> {
  const closed = new Promise((resolve) => {
    server.close(resolve)
  })
  server.closeAllConnections()
  await closed
}

interface Exchange {
  readonly world: World
  readonly service: WorldService
  readonly log: LoggedRequest[]
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

async function respond({ world, service, log, request, response }: Exchange): Promise<void> {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  try {
    const logged = await read(request, service)
    log.push(logged)
    const url = `${world.bases[service]}${logged.path}`
    const body = logged.bytes.length === 0 ? null : logged.bytes
    const { method, headers } = logged
    const reply = await world.handle({ method, url, headers, body }, gone.signal)
    logged.status = reply.status
    write(response, method, reply)
  } catch (error) {
    // The client left, or the service is "away": the connection just ends.
    response.destroy()
    if (!gone.signal.aborted && !(error instanceof RequestFailed)) throw error
  }
}

async function read(request: IncomingMessage, service: WorldService): Promise<LoggedRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array))
  const bytes = Buffer.concat(chunks)
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)])
  return {
    at: Date.now(),
    service,
    method: request.method ?? 'GET',
    path: request.url ?? '/',
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: bytes.toString('utf8'),
    bytes,
    status: null,
  }
}

function write(response: ServerResponse, method: string, reply: HttpReply): void {
  const { 'content-length': _length, ...headers } = reply.headers
  response.writeHead(reply.status, { ...headers, 'content-length': reply.body.length })
  if ('written' in reply) {
    // Only an `AimedReply` has it.
    const { share, onWritten } = (reply as AimedReply).written
    response.write(reply.body.subarray(0, Math.ceil(reply.body.length * share)), onWritten)
    if (share < 1) return
    response.end()
    return
  }
  response.end(method === 'HEAD' ? undefined : reply.body)
}
