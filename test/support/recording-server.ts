import type { AddressInfo, Socket } from 'node:net'
import { createServer } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'

export interface RecordingServer {
  readonly port: number
  /** Connections so far, including those that sent nothing. */
  readonly connections: number
  /** How many requests began, such as `GET / HTTP/1.1`. */
  readonly requests: number
  /** Everything that clients ever sent, decrypted if over TLS. */
  bytes(): Buffer
  close(): Promise<void>
}

const fine =
  'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}'

/**
 * A server that records every incoming byte, and answers each request with the same text, or never
 * if that is `null`. `tls` without a certificate makes every handshake fail, as it should.
 */
export async function serveRecording(
  options: { tls?: TlsOptions; answer?: string | null | (() => string); host?: string } = {},
): Promise<RecordingServer> {
  const { tls, answer = fine, host = '127.0.0.1' } = options
  const chunks: Buffer[] = []
  const sockets = new Set<Socket>()
  const recording = { connections: 0, requests: 0 }
  const talk = (socket: Socket): void => {
    socket.on('error', () => undefined)
    socket.on('data', (data) => {
      chunks.push(data)
      recording.requests += data.toString('latin1').match(/^[A-Z]+ \S+ HTTP\/1\.1/gm)?.length ?? 0
      if (answer !== null) socket.end(typeof answer === 'string' ? answer : answer())
    })
  }
  const server = tls === undefined ? createServer(talk) : createTlsServer(tls, talk)
  server.on('tlsClientError', () => undefined)
  server.on('connection', (socket: Socket) => {
    recording.connections += 1
    socket.on('error', () => undefined)
    sockets.add(socket)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, host, resolve)
  })
  return {
    // A server that listens on a TCP port has an address of this kind.
    port: (server.address() as AddressInfo).port,
    get connections() {
      return recording.connections
    },
    get requests() {
      return recording.requests
    },
    bytes: () => Buffer.concat(chunks),
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
