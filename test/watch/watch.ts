import { keyName } from '../../src/main/accounts/connections.ts'
import { App } from '../../src/main/app.ts'
import type { Desktop, Saved, Vault } from '../../src/main/base/ports.ts'
import { wholeSteps } from '../../src/main/state/attention-record.ts'
import { memoryHistory } from '../../src/main/storage/memory-history.ts'
import { memoryVault } from '../../src/main/storage/vault.ts'
import type { Account } from '../../src/shared/core/account.ts'
import type { AttentionEvent } from '../../src/shared/core/attention/event.ts'
import type { Silence } from '../../src/shared/core/attention/silence.ts'
import type { TrayShape } from '../../src/shared/core/views/tray-view.ts'
import { fakeDesktop } from '../support/fake-desktop.ts'
import type { Seeded } from '../support/seeded.ts'
import type { Interruption, Life, Silenced } from './life.ts'
import { createNetwork, type Read } from './proxy.ts'
import { type Service, uniqueKey } from './service.ts'
import type { VirtualTime } from './virtual-time.ts'

/** What the user was notified of about a check. */
interface Told {
  readonly project: number
  readonly name: string
  readonly at: number
  /** When each notified outage began, by the server's clock. Null: the current one. */
  readonly outages: readonly number[] | null
}

/** The icon from a moment on; null: none, since the app wasn't running. */
export interface Look {
  readonly at: number
  readonly shape: TrayShape | null
}

export interface Watched {
  readonly services: readonly Service[]
  readonly reads: readonly Read[]
  readonly looks: readonly Look[]
  readonly told: readonly Told[]
  readonly bugs: readonly string[]
}

/** A mistake made on purpose, which the judge has to find. */
export type Spoilt = 'noFlips' | 'echo' | 'invent' | 'green' | 'slow'

interface Running {
  readonly app: App
  /** Ignores everything it does from now on. */
  end(): void
}

const stopMs = 5_000

/** Runs the real app through this life; only the computer, its clock and its network are fake. */
export async function watchLife(
  time: VirtualTime,
  life: Life,
  chance: Seeded,
  spoilt: Spoilt | null = null,
): Promise<Watched> {
  time.moveTo(life.from)
  const { transport, services, reads } = createNetwork({
    ...{ life, spoilt, random: chance.part('network').random },
    now: () => time.real,
  })
  const accounts = life.projects.map(({ isWritable }, at): Account => {
    const baseUrl = `https://p${at}.example`
    return {
      ...{ kind: 'monitoring', id: `p${at}`, label: `Project ${at}`, baseUrl, key: 'present' },
      ...{ protection: 'os', insecure: false, demo: false },
      keyKind: isWritable ? 'readWrite' : 'readOnly',
    } as const
  })
  const vault = memoryVault()
  for (const account of accounts) await vault.put(keyName(account), `key-of-${account.id}`)
  const { sparesBattery } = life
  const pollSeconds = sparesBattery ? life.pollSeconds / 2 : life.pollSeconds
  const documents = new Map<string, unknown>([
    ['accounts', accounts],
    ['settings', { pollSeconds, sparesBattery, attention: life.attention }],
    ['silences', life.silences.map((one) => silenceOf(one, life))],
  ])
  const looks: Look[] = []
  const told: Told[] = []
  const bugs: string[] = []

  async function start(): Promise<Running> {
    let isOver = false
    const saved: Saved = {
      // The state is never changed in place, so it can be serialized when it is read.
      read: (name) => JSON.parse(JSON.stringify(documents.get(name) ?? null)) as unknown,
      write: async (name, value) => {
        if (!isOver) documents.set(name, value)
      },
    }
    const desktop: Desktop = {
      ...fakeDesktop(),
      onBattery: () => sparesBattery,
      pushPatch: () => undefined,
      notify: () => undefined,
      showTray: ({ shape }) => {
        const look = { at: time.now, shape: spoilt === 'green' ? ('good' as const) : shape }
        if (!isOver && looks.at(-1)?.shape !== look.shape) looks.push(look)
      },
    }
    const app: App = new App({
      ...{ desktop, saved, transport, vault: vault satisfies Vault },
      history: {
        ...memoryHistory(),
        add: (entries) => {
          if (isOver) return
          const steps = wholeSteps(entries.filter(({ kind }) => kind === 'step'))
          const news = steps
            .flatMap(({ happened }) => happened.events)
            .flatMap((event) => toldBy(app, event, time.now))
          told.push(...news, ...(spoilt === 'echo' ? news : []))
          if (spoilt === 'invent')
            told.push(...news.map((one) => ({ ...one, outages: [one.at - 3_600_000] })))
        },
      },
      clock: {
        now: () => time.now,
        monotonic: () => performance.now(),
        random: chance.part(`run ${looks.length}`).random,
      },
      environment: {
        ...{ protection: 'os', demo: false, version: '0.0.0', standIn: false, systemLocale: '' },
      },
      openDemo: () => Promise.reject(new Error('a life has no demo')),
      onBug: (where, error) => {
        if (!isOver) bugs.push(`${where}: ${error instanceof Error ? error.stack : String(error)}`)
      },
    })
    await app.start()
    return {
      app,
      end: () => {
        isOver = true
        looks.push({ at: time.now, shape: null })
        time.clear()
      },
    }
  }

  async function interrupted(running: Running, one: Interruption): Promise<Running> {
    await time.run(one.from)
    if (one.kind === 'sleep') {
      time.sleep(one.to)
      if (one.told) running.app.wake()
      return running
    }
    if (!one.killed) {
      void running.app.stop()
      await time.run(time.now + stopMs)
    }
    running.end()
    time.sleep(one.to)
    return start()
  }

  let running = await start()
  for (const one of life.interruptions) running = await interrupted(running, one)
  await time.run(life.to)
  running.end()
  for (const [at, service] of services.entries())
    service.advance(life.to + (life.projects[at]?.skew ?? 0))
  return { services, reads, looks, told, bugs }
}

function silenceOf({ project, uuid, to }: Silenced, life: Life): Silence {
  const accountId = `p${project}`
  return {
    ...{ id: `silence of ${uuid}`, how: 'mute', label: uuid, by: null, since: life.from },
    ...{ status: null, messageId: null },
    scope: { of: 'check', accountId, checkId: uniqueKey(uuid) },
    until: to === life.to ? { kind: 'ever' } : { kind: 'time', at: to },
  }
}

function toldBy(app: App, event: AttentionEvent, at: number): Told[] {
  if (event.of !== 'check' || event.isReminder === true) return []
  const { kind, accountId, checkId, name } = event
  const project = Number(accountId.slice(1))
  if (kind === 'down') return [{ project, name, at, outages: null }]
  if (kind !== 'missed') return []
  const found = app.state.boards.get(accountId)?.missed.found ?? []
  const outages = found.filter((one) => one.checkId === checkId).map(({ from }) => from)
  return [{ project, name, at, outages }]
}
