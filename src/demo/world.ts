import type { HttpReply, Transport } from '../main/http/transport.ts'
import type { NewAccount } from '../shared/contract.ts'
import type { Account, AccountId } from '../shared/core/account.ts'
import { RequestFailed } from '../shared/core/failure.ts'
import { asText, type RawRequest } from './answers.ts'
import { createRealm, type DemoRealm } from './chat/pretend-realm.ts'
import { createProject, type Project } from './monitoring/pretend-project.ts'
import { liveOn, opsChecks, opsIntegrations, webChecks } from './world-checks.ts'

export type WorldService = 'ops' | 'web' | 'chat'

/** Where each service is reached: names that no resolver has, unless real sockets serve the world. */
const demoBases: Readonly<Record<WorldService, string>> = {
  ops: 'https://ops.demo.invalid',
  web: 'https://web.demo.invalid',
  chat: 'https://chat.demo.invalid',
}

/** Keys of the demo world open nothing else. */
const demoKeys = {
  ops: `hcw_${'DemoOpsReadWrite'.padEnd(28, '0')}`,
  opsReadOnly: `hcr_${'DemoOpsReadOnly'.padEnd(28, '0')}`,
  web: `hcr_${'DemoWebReadOnly'.padEnd(28, '0')}`,
  webReadWrite: `hcw_${'DemoWebReadWrite'.padEnd(28, '0')}`,
} as const

export interface WorldOptions {
  /** Epoch ms. */
  readonly now: () => number
  readonly seed: number
  /** Tells the story and lets people talk by themselves; off for tests that count. Default on. */
  readonly lively?: boolean
  /** Requests a minute that the realm takes; default as a real one, 200. */
  readonly rateLimit?: number
  readonly bases?: Readonly<Record<WorldService, string>>
}

export interface World {
  readonly ops: Project
  readonly web: Project
  readonly realm: DemoRealm
  readonly bases: Readonly<Record<WorldService, string>>
  /** In process, no socket. */
  readonly transport: Transport
  /** Answers by the host asked for. Throws `RequestFailed` where nothing would answer. */
  handle(request: RawRequest, signal: AbortSignal): Promise<HttpReply>
  /** What the accounts would be in the state; their keys apart. */
  readonly accounts: readonly Account[]
  readonly keys: ReadonlyMap<AccountId, string>
  /** What someone would type to add them. */
  readonly newAccounts: Readonly<Record<WorldService, NewAccount>>
  /** Lets everything happen that is due by the clock: pings, alerts, the story. Every second or so. */
  tick(): void
  /** One step of the story, now. */
  live(step: StoryStep): void
}

/**
 * Two pretend projects and a pretend realm: one project with trouble, one that is calm and read
 * with a read-only key, and people who talk about both.
 */
export function createWorld(options: WorldOptions): World {
  const { now, seed, lively = true, bases = demoBases } = options
  const ops = createProject({
    baseUrl: bases.ops,
    name: 'ops-project',
    readWriteKey: demoKeys.ops,
    readOnlyKey: demoKeys.opsReadOnly,
    now,
    seed,
    checks: opsChecks,
    integrations: opsIntegrations,
  })
  const web = createProject({
    baseUrl: bases.web,
    name: 'web-project',
    readWriteKey: demoKeys.webReadWrite,
    readOnlyKey: demoKeys.web,
    now,
    seed: seed + 1,
    checks: webChecks,
  })
  const { rateLimit } = options
  const limits = rateLimit === undefined ? {} : { rateLimit }
  const realm = createRealm({ baseUrl: bases.chat, now, seed: seed + 2, lively, ...limits })
  const story = lively ? createStory({ ops, realm }, now) : () => {}
  const handle = router({ ops, web, realm, bases })
  return {
    ops,
    web,
    realm,
    bases,
    handle,
    transport: (request, signal) => handle(request, signal),
    ...accountsOf(bases, realm),
    tick() {
      for (const project of [ops, web]) {
        liveOn(project.table)
        project.tick()
      }
      story()
      realm.tick()
    },
    live: (step) => play({ ops, realm }, step),
  }
}

type Services = Pick<World, 'ops' | 'web' | 'realm' | 'bases'>

function router({ ops, web, realm, bases }: Services): World['handle'] {
  const hosts = new Map<string, WorldService>()
  for (const service of ['ops', 'web', 'chat'] as const)
    hosts.set(new URL(bases[service]).host, service)
  return async (request, signal) => {
    signal.throwIfAborted()
    const { host } = new URL(request.url)
    switch (hosts.get(host)) {
      case 'ops':
        return ops.handle(asText(request))
      case 'web':
        return web.handle(asText(request))
      case 'chat':
        return realm.handle(request, signal)
      case undefined:
        throw new RequestFailed({ kind: 'network', reason: 'dns', host, reached: 'no' })
    }
  }
}

function accountsOf(
  bases: World['bases'],
  { user }: DemoRealm,
): Pick<World, 'accounts' | 'keys' | 'newAccounts'> {
  const shared = { key: 'present', protection: 'session', insecure: false, demo: true } as const
  const project = { ...shared, kind: 'monitoring' } as const
  const accounts: Account[] = [
    { ...project, id: 'demo-ops', label: 'ops-project', baseUrl: bases.ops, keyKind: 'readWrite' },
    { ...project, id: 'demo-web', label: 'web-project', baseUrl: bases.web, keyKind: 'readOnly' },
    {
      ...shared,
      kind: 'chat',
      id: 'demo-chat',
      label: 'Demo',
      baseUrl: bases.chat,
      email: user.email,
      images: false,
    },
  ]
  const keys = new Map([
    ['demo-ops', demoKeys.ops],
    ['demo-web', demoKeys.web],
    ['demo-chat', user.key],
  ])
  const typed = { kind: 'monitoring', allowHttp: false } as const
  return {
    accounts,
    keys,
    newAccounts: {
      ops: { ...typed, label: 'ops-project', baseUrl: bases.ops, key: demoKeys.ops },
      web: { ...typed, label: 'web-project', baseUrl: bases.web, key: demoKeys.web },
      chat: {
        kind: 'chat',
        baseUrl: bases.chat,
        email: user.email,
        key: user.key,
        allowHttp: false,
      },
    },
  }
}

/** What can happen in the world; each also at once, through `live`. */
type StoryStep =
  | 'jobStarts'
  | 'jobHangs'
  | 'peopleWonder'
  | 'jobIsBack'
  | 'peopleAnswer'
  | 'someoneWrites'

interface Stage {
  readonly ops: Project
  readonly realm: DemoRealm
}

/** The check that the story takes down and brings back. */
export const troubledCheck = 'queue-worker'

const secondMs = 1000

/** One round of the story: how long after its beginning each step comes. */
const script: readonly (readonly [afterMs: number, step: StoryStep])[] = [
  [20 * secondMs, 'jobStarts'],
  // Late within two minutes, down a minute later: the check's own period and grace.
  [60 * secondMs, 'jobHangs'],
  [270 * secondMs, 'peopleWonder'],
  [330 * secondMs, 'jobIsBack'],
  [345 * secondMs, 'peopleAnswer'],
  [420 * secondMs, 'someoneWrites'],
]

const roundMs = 480 * secondMs

const deeds: Readonly<Record<StoryStep, (stage: Stage) => void>> = {
  jobStarts: ({ ops }) => ops.controls.ping('thumbnailer', 'start'),
  jobHangs: ({ ops }) => ops.controls.hold(troubledCheck),
  peopleWonder: ({ realm }) =>
    say(realm, 'Boris', `\`${troubledCheck}\` has gone quiet, do you see anything?`, true),
  jobIsBack: ({ ops }) => ops.controls.recover(troubledCheck),
  peopleAnswer: ({ realm }) =>
    say(realm, 'Chidi', 'Restarted it: out of file handles again.', false),
  someoneWrites: ({ realm }) => {
    realm.controls.say({ from: 'Ana', to: 'Ana', text: 'Could you look at the invoices, please?' })
  },
}

function say(realm: DemoRealm, from: string, text: string, mention: boolean): void {
  realm.controls.say({ from, to: `ops > ${troubledCheck}`, text, mention })
}

function play(stage: Stage, step: StoryStep): void {
  deeds[step](stage)
}

/**
 * The story, told again and again by the clock: each call plays what is due since the one before.
 * After a long sleep only the last round is, so that waking up is not a flood.
 */
function createStory(stage: Stage, now: () => number): () => void {
  const began = now()
  let told = 0
  return () => {
    const elapsed = now() - began
    let from = Math.max(told, elapsed - roundMs)
    // Steps come in the script's order, across the end of a round as well.
    for (let round = Math.floor(from / roundMs); round * roundMs <= elapsed; round += 1) {
      for (const [afterMs, step] of script) {
        const due = round * roundMs + afterMs
        if (due <= from || due > elapsed) continue
        play(stage, step)
        from = due
      }
    }
    told = elapsed
  }
}
