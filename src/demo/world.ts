import type { NewAccount } from '../shared/contract.ts'
import type { Account, AccountId } from '../shared/core/account.ts'
import { RequestFailed } from '../shared/core/failure.ts'
import type { HttpReply, HttpRequest } from '../shared/http.ts'
import { asText, dayMs, hourMs, minuteMs, type RawRequest } from './answers.ts'
import { PretendRealm } from './chat/pretend-realm.ts'
import { createProject, type Project } from './monitoring/pretend-project.ts'
import { expectedAt, graceMs, receivePing, type StoredCheck } from './monitoring/project-check.ts'
import { type CheckSeed, signalAt } from './monitoring/project-controls.ts'
import type { ProjectTable, StoredIntegration } from './monitoring/project-rules.ts'

export type WorldService = 'ops' | 'web' | 'chat'

/** Hosts that never resolve; tests that serve the world on sockets pass their own. */
const demoBases: Readonly<Record<WorldService, string>> = {
  ops: 'https://ops.demo.invalid',
  web: 'https://web.demo.invalid',
  chat: 'https://chat.demo.invalid',
}

/** These keys open nothing outside the demo. */
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
  /** Plays the story and lets people talk on their own; default on. Off for tests that count. */
  readonly lively?: boolean
  /** The realm's request limit per minute; default 200, as on real servers. */
  readonly rateLimit?: number
  /** The realm's; default the newest. */
  readonly featureLevel?: number | undefined
  readonly bases?: Readonly<Record<WorldService, string>>
}

export type World = ReturnType<typeof createWorld>

/**
 * Two pretend projects (one in trouble, one calm and read with a read-only key) and a pretend realm
 * whose people talk about both.
 */
export function createWorld(options: WorldOptions) {
  const { now, seed, lively = true, rateLimit = 200, bases = demoBases } = options
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
  const realm = new PretendRealm({
    baseUrl: bases.chat,
    now,
    seed: seed + 2,
    lively,
    rateLimit,
    featureLevel: options.featureLevel,
  })
  const story = lively ? createStory({ ops, realm }, now) : () => {}
  const hosts = new Map<string, (request: RawRequest, signal: AbortSignal) => Promise<HttpReply>>([
    [new URL(bases.ops).host, async (request) => ops.handle(asText(request))],
    [new URL(bases.web).host, async (request) => web.handle(asText(request))],
    [new URL(bases.chat).host, (request, signal) => realm.handle(request, signal)],
  ])
  /** Routes by host. Throws `RequestFailed` for an unknown one. */
  const handle = async (request: RawRequest, signal: AbortSignal): Promise<HttpReply> => {
    signal.throwIfAborted()
    const { host } = new URL(request.url)
    const answer = hosts.get(host)
    if (answer) return answer(request, signal)
    throw new RequestFailed({ kind: 'network', reason: 'dns', host, reached: 'no' })
  }
  return {
    ops,
    web,
    realm,
    bases,
    handle,
    /** In-process, without a socket. */
    transport: (request: HttpRequest, signal: AbortSignal) => handle(request, signal),
    ...accountsOf(bases, realm),
    /** Runs whatever is due: pings, alerts, the story. Call it about once a second. */
    tick() {
      for (const project of [ops, web]) {
        liveOn(project.table)
        project.tick()
      }
      story()
      realm.tick()
    },
    /** Plays one step of the story now. */
    live: (step: keyof typeof script) => script[step][1]({ ops, realm }),
  }
}

function accountsOf(bases: Readonly<Record<WorldService, string>>, { user }: PretendRealm) {
  const shared = { key: 'present', protection: 'session', insecure: false, demo: true } as const
  const project = { ...shared, kind: 'monitoring' } as const
  const chat = { kind: 'chat', baseUrl: bases.chat, email: user.email } as const
  /** The accounts as in the state, without their keys. */
  const accounts: readonly Account[] = [
    { ...project, id: 'demo-ops', label: 'ops-project', baseUrl: bases.ops, keyKind: 'readWrite' },
    { ...project, id: 'demo-web', label: 'web-project', baseUrl: bases.web, keyKind: 'readOnly' },
    { ...shared, ...chat, id: 'demo-chat', label: 'Demo', images: false },
  ]
  const keys: ReadonlyMap<AccountId, string> = new Map([
    ['demo-ops', demoKeys.ops],
    ['demo-web', demoKeys.web],
    ['demo-chat', user.key],
  ])
  const typed = { kind: 'monitoring', allowHttp: false } as const
  /** What a user would enter to add them. */
  const newAccounts: Readonly<Record<WorldService, NewAccount>> = {
    ops: { ...typed, label: 'ops-project', baseUrl: bases.ops, key: demoKeys.ops },
    web: { ...typed, label: 'web-project', baseUrl: bases.web, key: demoKeys.web },
    chat: { ...chat, key: user.key, allowHttp: false },
  }
  return { accounts, keys, newAccounts }
}

interface Stage {
  readonly ops: Project
  readonly realm: PretendRealm
}

export const troubledCheck = 'queue-worker'

/** One round of the story: when each step is due, and what it does. */
const script = {
  jobStarts: [20, ({ ops }) => ops.controls.ping('thumbnailer', 'start')],
  // Late after its period of two minutes, down after its grace of one.
  jobHangs: [60, ({ ops }) => ops.controls.hold(troubledCheck)],
  peopleWonder: [
    270,
    ({ realm }) =>
      say(realm, 'Boris', `\`${troubledCheck}\` has gone quiet, do you see anything?`, true),
  ],
  jobIsBack: [330, ({ ops }) => ops.controls.recover(troubledCheck)],
  peopleAnswer: [
    345,
    ({ realm }) => say(realm, 'Chidi', 'Restarted it: out of file handles again.', false),
  ],
  someoneWrites: [
    420,
    ({ realm }) => {
      const text = 'Could you look at the invoices, please?'
      realm.controls.say({ from: 'Ana', to: 'Ana', text })
    },
  ],
} satisfies Record<string, readonly [afterSeconds: number, run: (stage: Stage) => void]>

const roundMs = 480_000

function say(realm: PretendRealm, from: string, text: string, mention: boolean): void {
  realm.controls.say({ from, to: `ops > ${troubledCheck}`, text, mention })
}

/**
 * Repeats the story: each call plays what became due since the last. After a long sleep, plays only
 * the last round, to avoid a flood on waking.
 */
function createStory(stage: Stage, now: () => number): () => void {
  const began = now()
  let played = 0
  return () => {
    const elapsed = now() - began
    let from = Math.max(played, elapsed - roundMs)
    // In the script's order, even across the end of a round.
    for (let round = Math.floor(from / roundMs); round * roundMs <= elapsed; round += 1) {
      for (const [afterSeconds, run] of Object.values(script)) {
        const due = round * roundMs + afterSeconds * 1000
        if (due <= from || due > elapsed) continue
        run(stage)
        from = due
      }
    }
    played = elapsed
  }
}

const minute = 60
const hour = 60 * minute
const day = 24 * hour

const dumpLog = `pg_dump: last built-in OID is 16383
pg_dump: reading extensions
pg_dump: identifying extension members
pg_dump: reading schemas
archive: 4.1 GiB in 212 s
done`

const invoiceLog = `invoices: 312 to send
invoices: 118 sent
Traceback (most recent call last):
  File "invoices.py", line 88, in send
    smtp.send_message(mail)
ConnectionRefusedError: [Errno 111] Connection refused
exit status 1`

function job(
  name: string,
  tags: string,
  timeout: number,
  grace: number,
  more: Partial<CheckSeed> = {},
): CheckSeed {
  return { name, slug: name, tags, timeout, grace, ...more }
}

const longName =
  'archive-cold-storage-rotation-eu-central-1-retention-90-days-and-verify-checksums-of-every-volume-ok'

/** Every kind of check in every state, and names that stress the layout. */
export const opsChecks: readonly CheckSeed[] = [
  job('db-backup', 'prod db', hour, 10 * minute, {
    desc: 'Dumps all databases to the second site.\nRunbook: ops wiki, "Backups".',
    state: 'down',
    forMs: 2 * hourMs + 13 * minuteMs,
    runMs: 212_000,
    output: dumpLog,
    outages: [
      [500, 3],
      [122, 1],
    ],
  }),
  job('invoices-nightly', 'prod billing', day, hour, {
    schedule: '0 3 * * *',
    tz: 'Europe/Berlin',
    state: 'failed',
    forMs: 9 * hourMs,
    runMs: 95_000,
    output: 'invoices: 307 to send\ninvoices: 307 sent',
    failure: invoiceLog,
    integrations: 'On call,Billing team',
  }),
  job('report-mailer', 'prod mail', 30 * minute, 20 * minute, {
    state: 'late',
    forMs: 8 * minuteMs,
    outages: [[30, 0.5]],
  }),
  job('cert-renew', 'prod tls', 12 * hour, 2 * hour, {
    runMs: 8_400,
    output: 'No renewals were attempted.',
  }),
  job('search-reindex', 'prod search', 6 * hour, hour, {
    state: 'running',
    forMs: 7 * minuteMs,
    runMs: 24 * minuteMs,
  }),
  job('queue-worker', 'prod queue', 2 * minute, minute, { outages: [[50, 0.2]] }),
  job('thumbnailer', 'staging media', 5 * minute, 5 * minute, { runMs: 41_000 }),
  job('ledger-sync', 'prod billing', day, 2 * hour, {
    schedule: 'Mon..Fri 9:00',
    tz: 'Europe/Berlin',
    methods: 'POST',
  }),
  job('metrics-rollup', 'prod metrics', day, 10 * minute, {
    schedule: '*/15 * * * *',
    runMs: 12_300,
    success_kw: 'rolled up',
    failure_kw: 'error,failed',
    filter_http_body: true,
  }),
  job('restore-drill', 'db', 7 * day, day, {
    desc: 'Paused until the new disks are in.',
    manual_resume: true,
    state: 'paused',
    forMs: 3 * dayMs,
  }),
  job('old-exporter', 'staging', day, 12 * hour, { state: 'stuck', forMs: 5 * dayMs }),
  job('warehouse-import', 'staging', day, hour, { state: 'new' }),
  job('geo-refresh', 'staging', day, hour, { state: 'resumed', forMs: 2 * dayMs }),
  job(longName, 'prod archive eu-central-1 retention-90 verify', day, 4 * hour, {
    slug: 'archive-rotation',
  }),
  job('גיבוי לילי', 'prod db', day, 2 * hour, { slug: 'nightly-rtl' }),
  job('🚀 deploy smoke', 'prod 🚦', hour, 900, { slug: 'deploy-smoke' }),
]

export const opsIntegrations: readonly StoredIntegration[] = [
  { id: '2f5c6b1e-0d64-4b5f-9a0e-6a5b1f1c9d01', name: 'On call', kind: 'pd' },
  { id: '5b1d3c8a-77aa-4d52-8f5e-0c2e5f6a7b02', name: 'Billing team', kind: 'email' },
  { id: '9c7e2a4d-13f0-4c8e-a1b2-3d4e5f6a7b03', name: '', kind: 'slack' },
]

const sites = ['shop', 'blog', 'docs', 'status', 'forum', 'api', 'cdn', 'search']
const periods = [
  [5 * minute, 2 * minute],
  [15 * minute, 10 * minute],
  [hour, 30 * minute],
  [day, 4 * hour],
] as const
const jobs = ['uptime', 'links', 'sitemap', 'backup', 'cache-warm']

/** All up. */
const webChecks = sites
  .flatMap((site) => jobs.map((name) => ({ site, name: `${site}-${name}` })))
  .slice(0, 38)
  .map(({ site, name }, n) => {
    const [timeout, grace] = periods[n % periods.length] ?? [hour, hour]
    return job(name, `web ${site}`, timeout, grace)
  })

/** Jobs ping a little early, so that a poll between two ticks does not see them late. */
const earlyMs = 10_000

/** Number of missed pings made up one by one after a long sleep. */
const mostAtOnce = 30

/** Plays the jobs behind the checks: ends their runs and sends the pings that are due. */
function liveOn(table: ProjectTable): void {
  const now = table.now()
  for (const check of table.checks.values()) {
    if (!check.attended || check.status !== 'up') continue
    endRun(check, now)
    pingUntil(check, now)
  }
}

function endRun(check: StoredCheck, now: number): void {
  if (check.startedAt === null) return
  const end = check.startedAt + Math.min(graceMs(check) / 2, 20 * minuteMs)
  if (end <= now) receivePing(check, signalAt('success', end))
}

function pingUntil(check: StoredCheck, now: number): void {
  for (let n = 0; n < mostAtOnce; n += 1) {
    const due = dueAt(check)
    if (due === null || due > now) return
    receivePing(check, signalAt('success', due))
  }
  const due = dueAt(check)
  if (due !== null && due <= now) receivePing(check, signalAt('success', now))
}

/** On a schedule a ping must not be early: the server would count it toward the previous run. */
function dueAt(check: StoredCheck): number | null {
  const expected = expectedAt(check)
  return expected === null || check.nextRun !== null ? expected : expected - earlyMs
}
