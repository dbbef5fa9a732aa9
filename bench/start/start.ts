import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { cpuMs } from '../idle/processes.ts'
import type { Measurement, Numbers } from '../measurement.ts'
import { makeAppFolder } from './app-folder.ts'

const limitMs = 30_000

/**
 * Time from the start of the process until its first request arrives, with one project on disk: the
 * built app on an `electron` that does nothing, compared with bare Node that sends a single
 * request, the least that a program on Node can take. Plain http on both sides.
 */
export const start: Measurement = {
  name: 'start',
  rounds: 15,
  targets: [
    {
      goal: 'the start',
      isGuard: true,
      what: 'first request of main',
      of: { contender: 'app', number: 'ms' },
      against: { contender: 'bare', number: 'ms' },
      atMost: 4,
      unit: 'ms',
    },
    {
      goal: 'the start',
      isGuard: true,
      what: 'memory of main by then',
      of: { contender: 'app', number: 'rssMiB' },
      against: { contender: 'bare', number: 'rssMiB' },
      atMost: 2,
      unit: 'MiB',
    },
  ],
  async open() {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    // A server that listens on a port has one.
    const { port } = server.address() as AddressInfo
    const folder = await makeAppFolder(port)
    // Into the tray: with a window, main would wait for what a page draws first.
    const app = () => begin(server, [...folder.app, '--hidden'], '/api/v3/')
    // One start first, to fill the disk cache and to make what only a first start makes.
    await app()
    return {
      contenders: { app, bare: () => begin(server, folder.bare, '/') },
      close: async () => {
        server.closeAllConnections()
        server.close()
        folder.remove()
      },
    }
  },
}

/** Starts a Node program and ends it when its first request arrives. */
async function begin(server: Server, args: readonly string[], path: string): Promise<Numbers> {
  const from = performance.now()
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { PATH: process.env['PATH'] },
  })
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${args[0]}: ended with ${code} before it asked`)
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs)
  // The first argument of 'request'.
  const [request] = (await Promise.race([once(server, 'request'), ended])) as [IncomingMessage]
  const ms = performance.now() - from
  const pid = String(child.pid)
  const numbers = { ms, rssMiB: rssOf(pid), cpuMs: cpuMs(Number(pid)) }
  clearTimeout(timer)
  child.kill('SIGKILL')
  await ended.catch(() => {
    // Ended by us.
  })
  assert.ok(request.url?.startsWith(path), request.url)
  return numbers
}

function rssOf(pid: string): number {
  const [, kiB = ''] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kiB) / 1_024
}
