import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { PretendRealm } from '../../src/demo/chat/pretend-realm.ts'
import { listen } from '../support/listen.ts'

/** Many fake realms on one port, each under a path of its own. */
export interface RealmServer {
  readonly url: string
  readonly realms: readonly PretendRealm[]
  /** Delays the handling of the next message sent to this realm. */
  delayNextSend(realm: number, ms: number): void
  /** How many messages are still delayed, long after their sender gave up. */
  lateSends(): number
  /** Cuts every connection and refuses new ones for a while, as in a restart. */
  restart(ms: number): Promise<void>
  close(): Promise<void>
}

export async function serveRealms(count: number, seed: number): Promise<RealmServer> {
  const delays = new Map<number, number>()
  let late = 0
  const server = createServer((request, response) => {
    // The client has left: there is nobody to answer.
    respond(request, response).catch(() => response.destroy())
  })
  const port = await listen(server, 0)
  const url = `http://127.0.0.1:${port}`
  const realms = Array.from(
    { length: count },
    (_, index) =>
      new PretendRealm({
        baseUrl: `${url}/r${index}`,
        now: Date.now,
        seed: seed * 1_000 + index,
        lively: false,
        // The app's own budget stays far below; faulted calls don't count here anyway.
        rateLimit: 1_000_000,
      }),
  )

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array)) // bytes: no encoding was set
    const path = request.url ?? '/'
    const index = Number(/^\/r(\d+)\//.exec(path)?.[1])
    const realm = realms[index]
    if (realm === undefined) throw new Error(`no realm at ${path}`)
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)])
    const isSend = request.method === 'POST' && path.endsWith('/messages')
    const delay = isSend ? delays.get(index) : undefined
    if (delay !== undefined) {
      delays.delete(index)
      late += 1
      await new Promise((resolve) => setTimeout(resolve, delay))
      late -= 1
    }
    const reply = await realm.handle(
      {
        method: request.method ?? 'GET',
        url: `${url}${path}`,
        headers: Object.fromEntries(headers) as Record<string, string>,
        body: chunks.length === 0 ? null : Buffer.concat(chunks).toString('utf8'),
      },
      gone.signal,
    )
    const { 'content-length': _length, ...rest } = reply.headers
    // By this process's accelerated clock, since Node would date responses by the real one.
    const date = new Date(Date.now()).toUTCString()
    response.writeHead(reply.status, { ...rest, date, 'content-length': reply.body.length })
    response.end(reply.body)
  }

  return {
    url,
    realms,
    delayNextSend: (realm, ms) => {
      delays.set(realm, ms)
    },
    lateSends: () => late,
    restart: async (ms) => {
      await stop(server)
      await new Promise((resolve) => setTimeout(resolve, ms))
      await listen(server, port)
    },
    close: () => stop(server),
  }
}

async function stop(server: ReturnType<typeof createServer>): Promise<void> {
  const closed = new Promise((resolve) => {
    server.close(resolve)
  })
  server.closeAllConnections()
  await closed
}
