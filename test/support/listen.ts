import type { Server } from 'node:net'

/**
 * Below the ports that the system hands out to whoever asks for any: a server that is away for a while,
 * as some faults have it, finds its own still free.
 */
const ports = { from: 12_000, to: 32_000 }
/** Another test may have drawn the same port meanwhile, and is over soon. */
const againMs = 100
const mostTries = 600

/** Has a server listen at this port, or (0) at any; returns which. */
export async function listen(server: Server, port: number): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const at = port === 0 ? ports.from + Math.floor(Math.random() * (ports.to - ports.from)) : port
    const error = await failureToListen(server, at)
    if (error === null) return at
    if (error.code !== 'EADDRINUSE' || tries === mostTries) throw error
    if (port !== 0) await new Promise((resolve) => setTimeout(resolve, againMs))
  }
}

function failureToListen(server: Server, port: number): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    server.once('error', resolve)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', resolve)
      resolve(null)
    })
  })
}
