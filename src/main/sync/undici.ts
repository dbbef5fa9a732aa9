/// <reference path="./undici-parts.d.ts" />
import type { Agent, buildConnector } from 'undici'
import connector from 'undici/lib/core/connect.js'
import agent from 'undici/lib/dispatcher/agent.js'

/**
 * The parts of undici that the transport stands on. Its entry loads as much again: fetch, WebSocket,
 * caches, mocks, which cost half of its time and two thirds of its memory.
 */
export interface Undici {
  readonly Agent: typeof Agent
  readonly buildConnector: typeof buildConnector
  /** With its entry, for proxies: only that gives dispatchers the `connect` which makes tunnels. */
  whole(): Promise<typeof import('undici')>
}

export const undici: Undici = {
  Agent: agent,
  buildConnector: connector,
  whole: () => import('undici'),
}
