import type { World } from '../../src/demo/world.ts'
import type { HttpReply } from '../../src/main/http/transport.ts'
import { serveWorld, type WorldServer } from '../support/world-server.ts'

/** How often a send meets a server that takes it and falls silent, or falls silent at once. */
const hangs = { before: 0.1, after: 0.1 } as const

/** The servers of one lane: they outlive all its kills, and hang now and then while they are told to. */
export interface Service {
  readonly server: WorldServer
  /** From now on every send is answered. */
  calm(): void
  /** How often each text is among the realm's messages. */
  texts(): ReadonlyMap<string, number>
}

export async function openService(seed: number, random: () => number): Promise<Service> {
  const rateLimit = 1_000_000
  const server = await serveWorld({ now: Date.now, seed, lively: false, rateLimit })
  const { world } = server
  const answer = world.handle
  let isCoolingDown = false
  const handle: World['handle'] = async (request, signal) => {
    const isSend = request.method === 'POST' && new URL(request.url).pathname.endsWith('/messages')
    const roll = isSend && !isCoolingDown ? random() : 1
    if (roll < hangs.before) return silence(signal)
    const reply = await answer(request, signal)
    return roll < hangs.before + hangs.after ? silence(signal) : reply
  }
  Object.assign(world, { handle })
  return {
    server,
    calm: () => {
      isCoolingDown = true
    },
    texts: () => {
      const times = new Map<string, number>()
      for (const { content } of world.realm.controls.messages())
        times.set(content, (times.get(content) ?? 0) + 1)
      return times
    },
  }
}

function silence(signal: AbortSignal): Promise<HttpReply> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('the client left')), { once: true })
  })
}
