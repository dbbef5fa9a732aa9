import type { Server } from 'node:net'

/**
 * Below the ports that the system hands out for port 0, so that a server that is away for a while,
 * as in some faults, finds its own still free.
 */
const ports = { from: 12_000, count: 20_000 }
/**
 * Where this process begins, far from processes that run beside it: with random ports, that of a
 * server that was away sometimes went to another process's server, which answered for it.
 */
let drawn = Math.floor(process.pid * 0.618 * ports.count) % ports.count
/** Another test may be using the port at the moment; it ends soon. */
const againMs = 100
const mostTries = 600

/** Makes a server listen at this port, or (0) at any; returns which. */
export async function listen(server: Server, port: number): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const at = port === 0 ? nextPort() : port
    const error = await failureToListen(server, at)
    if (error === null) return at
    if (error.code !== 'EADDRINUSE' || tries === mostTries) throw error
    if (port !== 0) await new Promise((resolve) => setTimeout(resolve, againMs))
  }
}

/** In sequence, so that a port is not reused for long. */
function nextPort(): number {
  drawn = (drawn + 1) % ports.count
  return ports.from + drawn
}

function failureToListen(server: Server, port: number): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    const onError = (error: Error): void => {
      server.off('listening', onListening)
      resolve(error)
    }
    const onListening = (): void => {
      server.off('error', onError)
      resolve(null)
    }
    server.once('error', onError)
    server.once('listening', onListening)
    server.listen(port, '127.0.0.1')
  })
}
