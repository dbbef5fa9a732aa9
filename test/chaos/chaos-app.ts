import { keyName } from '../../src/main/accounts/connections.ts'
import { App } from '../../src/main/app.ts'
import type { Desktop, Saved, Transport, Vault } from '../../src/main/base/ports.ts'
import { createHttpTransport } from '../../src/main/http/http-transport.ts'
import { wholeSteps } from '../../src/main/state/attention-record.ts'
import { memoryHistory } from '../../src/main/storage/memory-history.ts'
import { memoryVault } from '../../src/main/storage/vault.ts'
import type { Account } from '../../src/shared/core/account.ts'
import type { AttentionEvent } from '../../src/shared/core/attention/event.ts'
import { fakeDesktop } from '../support/fake-desktop.ts'
import type { Seeded } from '../support/seeded.ts'
import type { RealmServer } from './realm-server.ts'

/** A disk with slow writes, whose process can be killed: what was not written by then is lost. */
export interface KillableDisk extends Saved {
  readonly documents: ReadonlyMap<string, string>
  /** Stops all writes, and returns the disk for the next process. */
  kill(): KillableDisk
}

function killableDisk(documents = new Map<string, string>()): KillableDisk {
  let isDead = false
  return {
    documents,
    read: (name) => JSON.parse(documents.get(name) ?? 'null') as unknown,
    write: async (name, value) => {
      const text = JSON.stringify(value)
      await new Promise((resolve) => setTimeout(resolve, 5))
      // Neither resolves nor rejects, since the process that asked is gone.
      if (isDead) await new Promise(() => undefined)
      documents.set(name, text)
    },
    kill: () => {
      isDead = true
      return killableDisk(new Map(documents))
    },
  }
}

export interface ChaosApp {
  readonly app: App
  readonly disk: KillableDisk
  readonly bugs: unknown[]
  /** Ends the app as SIGKILL would: sockets closed, no more writes. Returns the disk. */
  kill(): KillableDisk
}

export interface ChaosParts {
  readonly accounts: readonly Account[]
  readonly vault: Vault
  readonly transport: Transport
  readonly chance: Seeded
  /** Called before the app starts, with what it read from the disk. */
  readonly onStart: (app: App) => void
  /** Called after each change of the state, before anything else happens. */
  readonly onChange: (app: App) => void
  /** Called with the events that the attention engine has to decide. */
  readonly onEvents?: (events: readonly AttentionEvent[]) => void
}

/** The real app on real sockets; only the computer is fake. */
export async function startChaosApp(parts: ChaosParts, disk = killableDisk()): Promise<ChaosApp> {
  if (!disk.documents.has('accounts')) await disk.write('accounts', parts.accounts)
  const bugs: unknown[] = []
  let isDead = false
  const desktop: Desktop = {
    ...fakeDesktop(),
    pushPatch: () => {
      if (!isDead) parts.onChange(app)
    },
  }
  const app = new App({
    desktop,
    vault: parts.vault,
    saved: disk,
    history: {
      ...memoryHistory(),
      add: (entries) => {
        // Written by `attention-record.ts`.
        const steps = isDead ? [] : wholeSteps(entries.filter(({ kind }) => kind === 'step'))
        for (const { happened } of steps) parts.onEvents?.(happened.events)
      },
    },
    transport: parts.transport,
    clock: {
      now: () => Date.now(),
      monotonic: () => performance.now(),
      random: parts.chance.random,
    },
    environment: {
      protection: 'os',
      demo: false,
      version: '0.0.0',
      standIn: false,
      systemLocale: '',
    },
    openDemo: () => Promise.reject(new Error('chaos has no demo')),
    onBug: (_where, error) => {
      if (!isDead) bugs.push(error)
    },
  })
  parts.onStart(app)
  await app.start()
  return {
    app,
    disk,
    bugs,
    kill: () => {
      isDead = true
      const left = disk.kill()
      // Not awaited: it never ends, since the disk never answers.
      void app.stop()
      return left
    },
  }
}

export async function chatAccounts(
  server: RealmServer,
  proxyUrl: string,
): Promise<{ readonly accounts: readonly Account[]; readonly vault: Vault }> {
  const vault = memoryVault()
  const accounts = server.realms.map(
    ({ user }, index): Account => ({
      kind: 'chat',
      id: `chat-${index}`,
      label: `Realm ${index}`,
      baseUrl: `${proxyUrl}/r${index}`,
      key: 'present',
      protection: 'session',
      insecure: true,
      demo: false,
      email: user.email,
      images: false,
    }),
  )
  for (const [index, account] of accounts.entries())
    await vault.put(keyName(account), server.realms[index]?.user.key ?? '')
  return { accounts, vault }
}

export function realTransport(): Transport {
  return createHttpTransport()
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Polls until `holds` is true; returns false if that takes too long. */
export async function until(holds: () => boolean, ms: number): Promise<boolean> {
  const end = Date.now() + ms
  while (!holds()) {
    if (Date.now() > end) return false
    await pause(250)
  }
  return true
}
