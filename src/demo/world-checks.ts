import { expectedAt, graceMs, receivePing, type StoredCheck } from './monitoring/project-check.ts'
import { type CheckSeed, signalAt } from './monitoring/project-controls.ts'
import type { ProjectTable, StoredIntegration } from './monitoring/project-rules.ts'

const minute = 60
const hour = 60 * minute
const day = 24 * hour
const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

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

/** The project with trouble: every kind of check in every state, and names that test a layout. */
export const opsChecks: readonly CheckSeed[] = [
  {
    name: 'db-backup',
    slug: 'db-backup',
    tags: 'prod db',
    desc: 'Dumps all databases to the second site.\nRunbook: ops wiki, "Backups".',
    timeout: hour,
    grace: 10 * minute,
    state: 'down',
    forMs: 2 * hourMs + 13 * minuteMs,
    runMs: 212_000,
    output: dumpLog,
    outages: [
      [500, 3],
      [122, 1],
    ],
  },
  {
    name: 'invoices-nightly',
    slug: 'invoices-nightly',
    tags: 'prod billing',
    schedule: '0 3 * * *',
    tz: 'Europe/Berlin',
    grace: hour,
    state: 'failed',
    forMs: 9 * hourMs,
    runMs: 95_000,
    output: 'invoices: 307 to send\ninvoices: 307 sent',
    failure: invoiceLog,
    integrations: 'On call,Billing team',
  },
  {
    name: 'report-mailer',
    slug: 'report-mailer',
    tags: 'prod mail',
    timeout: 30 * minute,
    grace: 20 * minute,
    state: 'late',
    forMs: 8 * minuteMs,
    outages: [[30, 0.5]],
  },
  {
    name: 'cert-renew',
    slug: 'cert-renew',
    tags: 'prod tls',
    timeout: 12 * hour,
    grace: 2 * hour,
    runMs: 8_400,
    output: 'No renewals were attempted.',
  },
  {
    name: 'search-reindex',
    slug: 'search-reindex',
    tags: 'prod search',
    timeout: 6 * hour,
    grace: hour,
    state: 'running',
    forMs: 7 * minuteMs,
    runMs: 24 * minuteMs,
  },
  {
    name: 'queue-worker',
    slug: 'queue-worker',
    tags: 'prod queue',
    timeout: 2 * minute,
    grace: minute,
    outages: [[50, 0.2]],
  },
  {
    name: 'thumbnailer',
    slug: 'thumbnailer',
    tags: 'staging media',
    timeout: 5 * minute,
    grace: 5 * minute,
    runMs: 41_000,
  },
  {
    name: 'ledger-sync',
    slug: 'ledger-sync',
    tags: 'prod billing',
    schedule: 'Mon..Fri 9:00',
    tz: 'Europe/Berlin',
    grace: 2 * hour,
    methods: 'POST',
  },
  {
    name: 'metrics-rollup',
    slug: 'metrics-rollup',
    tags: 'prod metrics',
    schedule: '*/15 * * * *',
    grace: 10 * minute,
    runMs: 12_300,
    success_kw: 'rolled up',
    failure_kw: 'error,failed',
    filter_http_body: true,
  },
  {
    name: 'restore-drill',
    slug: 'restore-drill',
    tags: 'db',
    desc: 'Paused until the new disks are in.',
    timeout: 7 * day,
    grace: day,
    manual_resume: true,
    state: 'paused',
    forMs: 3 * dayMs,
  },
  {
    name: 'old-exporter',
    slug: 'old-exporter',
    tags: 'staging',
    timeout: day,
    grace: 12 * hour,
    state: 'stuck',
    forMs: 5 * dayMs,
  },
  { name: 'warehouse-import', slug: 'warehouse-import', tags: 'staging', state: 'new' },
  {
    name: 'geo-refresh',
    slug: 'geo-refresh',
    tags: 'staging',
    timeout: day,
    grace: hour,
    state: 'resumed',
    forMs: 2 * dayMs,
  },
  {
    name: 'archive-cold-storage-rotation-eu-central-1-retention-90-days-and-verify-checksums-of-every-volume-ok',
    slug: 'archive-rotation',
    tags: 'prod archive eu-central-1 retention-90 verify',
    timeout: day,
    grace: 4 * hour,
  },
  { name: 'גיבוי לילי', slug: 'nightly-rtl', tags: 'prod db', timeout: day, grace: 2 * hour },
  { name: '🚀 deploy smoke', slug: 'deploy-smoke', tags: 'prod 🚦', timeout: hour, grace: 900 },
]

export const opsIntegrations: readonly StoredIntegration[] = [
  { id: '2f5c6b1e-0d64-4b5f-9a0e-6a5b1f1c9d01', name: 'On call', kind: 'pd' },
  { id: '5b1d3c8a-77aa-4d52-8f5e-0c2e5f6a7b02', name: 'Billing team', kind: 'email' },
  { id: '9c7e2a4d-13f0-4c8e-a1b2-3d4e5f6a7b03', name: '', kind: 'slack' },
]

const sites = ['shop', 'blog', 'docs', 'status', 'forum', 'api', 'cdn', 'search']
const jobs = ['uptime', 'links', 'sitemap', 'backup', 'cache-warm']

/** The calm project: 38 checks, all up. */
export const webChecks: readonly CheckSeed[] = sites
  .flatMap((site) => jobs.map((job) => ({ site, job })))
  .slice(0, 38)
  .map(({ site, job }, n) => ({
    name: `${site}-${job}`,
    slug: `${site}-${job}`,
    tags: `web ${site}`,
    timeout: [5 * minute, 15 * minute, hour, day][n % 4] ?? hour,
    grace: [2 * minute, 10 * minute, 30 * minute, 4 * hour][n % 4] ?? hour,
  }))

/** Jobs are a little early, so that a poll between two ticks does not see them late. */
const earlyMs = 10_000

/** After a long sleep only so many missed pings are made up one by one. */
const mostAtOnce = 30

/** The jobs behind the checks: each attended one sends the pings that are due by now, and ends its runs. */
export function liveOn(table: ProjectTable): void {
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

/** A schedule is kept to the second; before it, the server would count the ping to the run before. */
function dueAt(check: StoredCheck): number | null {
  const expected = expectedAt(check)
  return expected === null || check.nextRun !== null ? expected : expected - earlyMs
}
