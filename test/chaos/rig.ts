import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { WorldService } from '../../src/demo/world.ts'
import { keyName } from '../../src/main/accounts/connections.ts'
import { App } from '../../src/main/app.ts'
import type { Clock, Saved, Transport, Vault } from '../../src/main/base/ports.ts'
import { createHttpTransport } from '../../src/main/http/http-transport.ts'
import { SavedFiles } from '../../src/main/storage/saved-files.ts'
import { memoryVault } from '../../src/main/storage/vault.ts'
import type { Account } from '../../src/shared/core/account.ts'
import { type FakeDesktop, fakeDesktop } from '../support/fake-desktop.ts'
import { type FaultProxy, type ProxiedRequest, startFaultProxy } from '../support/fault-proxy.ts'
import type { Fault } from '../support/faults.ts'
import type { Seeded } from '../support/seeded.ts'
import { serveWorld, type WorldServer } from '../support/world-server.ts'
import { scheduledMs } from './fast-time.ts'

export const services = ['ops', 'web', 'chat'] as const

export type Weather = (request: ProxiedRequest) => Fault | null

export const fair: Weather = () => null

/** One app on its own fake servers, with a fault proxy in front of each, and its own files. */
export interface Rig {
  readonly server: WorldServer
  readonly proxies: Readonly<Record<WorldService, FaultProxy>>
  readonly weather: Record<WorldService, Weather>
  /** Differences from the real clock, in ms. */
  readonly clockShift: { app: number; world: number }
  readonly broken: Broken
  readonly accounts: readonly Account[]
  readonly keys: ReadonlyMap<string, string>
  readonly bugs: unknown[]
  /** The current app, and its desktop. */
  readonly now: { app: App; desktop: FakeDesktop }
  restart(): Promise<void>
  close(): Promise<void>
}

/** Makes the disk or the name service fail, or the code below the app throw a bug. */
interface Broken {
  disk: boolean
  names: boolean
  /** A name resolves to a dead IPv6 address first. */
  ipv6: boolean
  code: boolean
}

/** Wraps the transport to break the app on purpose, as a positive control. */
export type Sabotage = (transport: Transport) => Transport

export async function startRig(chance: Seeded, sabotage: Sabotage = (real) => real): Promise<Rig> {
  const clockShift = { app: 0, world: 0 }
  const broken = { disk: false, names: false, ipv6: false, code: false }
  const server = await serveWorld({
    now: () => Date.now() + clockShift.world,
    seed: chance.whole(1, 1_000_000),
    lively: false,
  })
  calm(server)
  const ticking = setInterval(() => server.world.tick(), 1_000)
  const weather: Record<WorldService, Weather> = { ops: fair, web: fair, chat: fair }
  const proxies = await startProxies(server, weather)
  const accounts = accountsOf(server, proxies)
  const keys = server.world.keys
  const vault = memoryVault()
  for (const account of accounts) await vault.put(keyName(account), keys.get(account.id) ?? '')
  const folder = mkdtempSync(join(roomy, 'belfry-chaos-'))
  const saved = breakable(folder, broken)
  await saved.write('accounts', accounts)
  await saved.write('settings', { pollSeconds })
  const clock: Clock = {
    now: () => Date.now() + clockShift.app,
    monotonic: () => performance.now(),
    random: chance.random,
  }
  const bugs: unknown[] = []
  const parts = { vault, saved, clock, bugs, transport: sabotage(transportOf(broken)) }
  const now = startOne(parts)
  await now.app.start()
  return {
    server,
    proxies,
    weather,
    clockShift,
    broken,
    accounts,
    keys,
    bugs,
    now,
    restart: async () => {
      await now.app.stop()
      Object.assign(now, startOne(parts))
      await now.app.start()
    },
    close: async () => {
      await now.app.stop()
      clearInterval(ticking)
      await Promise.all(services.map((service) => proxies[service].close()))
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** In memory if possible, since a busy computer's disk is not what is tested here. */
const roomy = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** The shortest setting: stale after half a minute. */
export const pollSeconds = 15

/** Starts with everything up: otherwise a false green could not be told from a true one. */
function calm({ world }: WorldServer): void {
  for (const { controls } of [world.ops, world.web])
    for (const name of controls.names())
      if (['down', 'grace'].includes(controls.check(name).status)) controls.recover(name)
  world.tick()
}

async function startProxies(
  server: WorldServer,
  weather: Record<WorldService, Weather>,
): Promise<Record<WorldService, FaultProxy>> {
  const start = (service: WorldService) =>
    startFaultProxy({
      upstream: server.urls[service],
      choose: (request) => weather[service](request),
      now: scheduledMs,
    })
  return { ops: await start('ops'), web: await start('web'), chat: await start('chat') }
}

/** By names under `localhost`, so that name resolution can be made to fail. */
function accountsOf(
  { world }: WorldServer,
  proxies: Readonly<Record<WorldService, FaultProxy>>,
): Account[] {
  return world.accounts.map((account) => {
    const service = serviceOf(account.id)
    const baseUrl = proxies[service].url.replace('127.0.0.1', `${service}.localhost`)
    return { ...account, baseUrl, demo: false }
  })
}

export function serviceOf(accountId: string): WorldService {
  return accountId === 'demo-ops' ? 'ops' : accountId === 'demo-web' ? 'web' : 'chat'
}

const ipv4 = { address: '127.0.0.1', family: 4 }
/** RFC 3849: reserved for documentation, so nobody has it. */
const deadIpv6 = { address: '2001:db8::1', family: 6 }

function transportOf(broken: Readonly<Broken>): Transport {
  const http = createHttpTransport({
    lookup: (host, options, done) => {
      if (broken.names)
        done(Object.assign(new Error(`no such name: ${host}`), { code: 'ENOTFOUND' }), '', 4)
      else if (options.all === true) done(null, broken.ipv6 ? [deadIpv6, ipv4] : [ipv4])
      else done(null, '127.0.0.1', 4)
    },
  })
  return async (request, signal) => {
    const reply = await http(request, signal)
    if (broken.code) throw new TypeError('a bug, on purpose')
    return reply
  }
}

function breakable(folder: string, broken: { readonly disk: boolean }): Saved {
  const files = new SavedFiles({
    folder,
    onTrouble: () => undefined,
    openStored: () => null,
    now: Date.now,
  })
  return {
    read: (name) => files.read(name),
    write: async (name, value) => {
      if (broken.disk) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' })
      await files.write(name, value)
    },
  }
}

function startOne(parts: {
  vault: Vault
  saved: Saved
  clock: Clock
  bugs: unknown[]
  transport: Transport
}): { app: App; desktop: FakeDesktop } {
  const desktop = fakeDesktop()
  const app = new App({
    desktop,
    vault: parts.vault,
    saved: parts.saved,
    transport: parts.transport,
    clock: parts.clock,
    environment: {
      protection: 'os',
      demo: false,
      version: '0.0.0',
      standIn: false,
      systemLocale: '',
    },
    openDemo: () => Promise.reject(new Error('chaos has no demo')),
    onBug: (_where, error) => parts.bugs.push(error),
  })
  desktop.pushPatch(app.windowFollows())
  return { app, desktop }
}
