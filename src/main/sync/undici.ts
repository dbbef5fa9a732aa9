/// <reference path="./undici-parts.d.ts" />
import type { Agent, buildConnector, Pool, ProxyAgent } from 'undici'
import connector from 'undici/lib/core/connect.js'
import agent from 'undici/lib/dispatcher/agent.js'

/**
 * The parts of undici that the transport stands on. Its entry loads as much again: fetch, WebSocket,
 * caches, mocks, which cost half of its time and two thirds of its memory.
 */
export interface Undici {
  readonly Agent: typeof Agent
  readonly buildConnector: typeof buildConnector
  /** What a proxy takes beside it. */
  proxies(): Promise<UndiciProxies>
}

export interface UndiciProxies {
  readonly Pool: typeof Pool
  readonly ProxyAgent: typeof ProxyAgent
}

export const undici: Undici = {
  Agent: agent,
  buildConnector: connector,
  proxies: async () => (await import('./undici-proxies.ts')).undiciProxies,
}
