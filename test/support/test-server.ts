import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from 'node:net'

export interface TestServer {
  readonly port: number
  /** `http://127.0.0.1:port`, or https. */
  readonly url: string
  /** `GET /path` for each request that arrived. */
  readonly requests: string[]
  close(): Promise<void>
}

/** A real HTTP server on a free port of this computer. */
export async function serve(
  answer: RequestListener,
  tls?: Pick<ServerOptions, 'key' | 'cert' | 'ALPNProtocols'>,
): Promise<TestServer> {
  const requests: string[] = []
  const listener: RequestListener = (request, response) => {
    requests.push(`${request.method} ${request.url}`)
    answer(request, response)
  }
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener)
  const port = await listening(server)
  return {
    port,
    requests,
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A raw TCP server, for answers that no HTTP server would give. */
export async function serveBytes(talk: (socket: Socket) => void): Promise<TestServer> {
  const sockets = new Set<Socket>()
  const requests: string[] = []
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    // A client that gives up resets the connection, which some tests are about.
    socket.on('error', () => {})
    socket.once('data', (data) => {
      requests.push(data.toString('latin1').split(' HTTP/')[0] ?? '')
      talk(socket)
    })
  })
  const port = await listening(server)
  return {
    port,
    requests,
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function listening(server: TcpServer): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  // A server that listens on a TCP port has an address of this kind.
  return (server.address() as AddressInfo).port
}
