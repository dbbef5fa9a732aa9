import { connect } from 'node:net'
import type { WireEvent } from './wire.ts'

interface Reply {
  readonly queue_id?: string
  readonly last_event_id?: number
  readonly events?: readonly WireEvent[]
}

/**
 * The bound: the least that following a queue costs. One socket, handwritten requests, the body
 * parsed and its content ignored. Registers again when the queue is lost. Never returns.
 */
export async function followRaw(
  base: string,
  heard: {
    readonly onEvent: (event: WireEvent) => void
    readonly onLost?: () => void
    readonly onRequest?: () => void
  },
): Promise<never> {
  const request = await openSocket(base)
  const get = (line: string): Promise<Reply> => {
    heard.onRequest?.()
    return request(line)
  }
  for (;;) {
    const { queue_id, last_event_id = -1 } = await get('POST /api/v1/register')
    let last = last_event_id
    for (;;) {
      const path = `/api/v1/events?queue_id=${queue_id}&last_event_id=${last}`
      const { events } = await get(`GET ${path}`)
      if (events === undefined) break
      for (const event of events) {
        last = event.id
        heard.onEvent(event)
      }
    }
    heard.onLost?.()
  }
}

/** Sends one request after the other on one connection. */
function openSocket(base: string): Promise<(line: string) => Promise<Reply>> {
  const { hostname, port } = new URL(base)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  let chunks: Buffer[] = []
  let missing: number | null = null
  let done: (reply: Reply) => void = () => undefined
  socket.on('data', (chunk) => {
    let part = chunk
    if (missing === null) {
      const end = chunk.indexOf('\r\n\r\n')
      missing = Number(/content-length: (\d+)/i.exec(chunk.toString('latin1', 0, end))?.[1])
      part = chunk.subarray(end + 4)
    }
    chunks.push(part)
    missing -= part.length
    if (missing > 0) return
    const body = Buffer.concat(chunks).toString()
    chunks = []
    missing = null
    // Written by our own server.
    done(JSON.parse(body) as Reply)
  })
  const send = (line: string): Promise<Reply> =>
    new Promise((resolve) => {
      done = resolve
      const length = line.startsWith('POST') ? 'content-length: 0\r\n' : ''
      socket.write(
        `${line} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Basic eDp5\r\n${length}\r\n`,
      )
    })
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(send))
  })
}
