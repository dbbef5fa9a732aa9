import type { Server } from 'node:net'

/**
 * Below the ports that the system hands out to whoever asks for any: a server that is away for a while,
 * as some faults have it, finds its own still free.
 */
const ports = { from: 12_000, count: 20_000 }
/**
 * Where this process begins, far from those that run beside it: drawn at random, a port of a server that
 * was away went to another process's server now and then, which answered for it.
 */
let drawn = Math.floor(process.pid * 0.618 * ports.count) % ports.count
/** Another test may have drawn the same port meanwhile, and is over soon. */
const againMs = 100
const mostTries = 600

/** Has a server listen at this port, or (0) at any; returns which. */
export async function listen(server: Server, port: number): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const at = port === 0 ? nextPort() : port
    const error = await failureToListen(server, at)
    if (error === null) return at
    if (error.code !== 'EADDRINUSE' || tries === mostTries) throw error
    if (port !== 0) await new Promise((resolve) => setTimeout(resolve, againMs))
  }
}

/** In turn, so that it is long until one comes again. */
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
