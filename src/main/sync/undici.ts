/// <reference path="./undici-parts.d.ts" />
import type { Agent, buildConnector, Dispatcher, Pool, ProxyAgent } from 'undici'
import requestWith from 'undici/lib/api/api-request.js'
import connector from 'undici/lib/core/connect.js'
import agent from 'undici/lib/dispatcher/agent.js'
import pool from 'undici/lib/dispatcher/pool.js'
import proxyAgent from 'undici/lib/dispatcher/proxy-agent.js'

/**
 * The parts of undici that the transport stands on. Its entry loads as much again: fetch, WebSocket,
 * caches, mocks, which cost half of its time and a third of its memory.
 */
export interface Undici {
  readonly Agent: typeof Agent
  readonly Pool: typeof Pool
  readonly ProxyAgent: typeof ProxyAgent
  readonly buildConnector: typeof buildConnector
  /** As undici's own of this name, which its entry makes. */
  request(url: string, options: Options): Promise<Dispatcher.ResponseData>
}

type Options = Omit<Dispatcher.RequestOptions, 'origin' | 'path'> & {
  readonly dispatcher: Dispatcher
}

export const undici: Undici = {
  Agent: agent,
  Pool: pool,
  ProxyAgent: proxyAgent,
  buildConnector: connector,
  request(url, { dispatcher, ...options }) {
    const { origin, pathname, search } = new URL(url)
    return requestWith.call(dispatcher, { ...options, origin, path: `${pathname}${search}` })
  },
}
