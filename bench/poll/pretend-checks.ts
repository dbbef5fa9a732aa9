import { seeded } from '../../test/support/seeded.ts'

/** A check as the monitoring service lists it: 31 fields in its own order, some 1,180 bytes. */
export type ListedCheck = Readonly<Record<string, string | number | boolean | null>>

export interface PretendList {
  readonly checks: readonly ListedCheck[]
  /** Epoch ms by the service's clock. */
  readonly at: number
}

/** What happens from one list to the next. */
interface Change {
  readonly pings: number
  readonly flips: number
}

/** Time between two lists by the service's clock: the poll interval while something is down. */
const stepMs = 30_000
const periodSeconds = 3_600
const graceSeconds = 3_600
const jobs = [
  'db-backup',
  'nightly-etl',
  'cert-renew',
  'log-rotate',
  'sync-ldap',
  'invoice-mailer',
  'thumbnailer',
  'search-reindex',
  'queue-drain',
  'dns-audit',
  'billing-export',
  'restic-prune',
]
const places = ['prod', 'staging', 'dr', 'dev']

/**
 * Lists as a service would return them at polls 30 s apart. From one to the next, some checks are
 * pinged and some change status (half of those go down because their deadline passed, half are
 * pinged up again). What changed moves to the end, as rewritten rows do in PostgreSQL.
 *
 * All that are down still have the `next_ping` that passed, as in the moment before the service
 * records them as down: the answer itself then shows since when, and a poll needs no other request.
 */
export function pretendLists(size: number, count: number, change: Change): readonly PretendList[] {
  const { random } = seeded(7)
  const start = Math.floor(Date.now() / 1_000) * 1_000
  const made: PretendList[] = [
    { at: start, checks: Array.from({ length: size }, (_, n) => pretendCheck(n, start, random)) },
  ]
  for (let step = 1; step < count; step += 1) {
    const before = made.at(-1)?.checks ?? []
    const at = start + step * stepMs
    const changed = changesOf(before, change, at, random)
    made.push({
      at,
      checks: [...before.filter((check) => !changed.has(check)), ...changed.values()],
    })
  }
  return made
}

/** All checks are late, and all go down before the next poll, as when a network fails. */
export function stormLists(size: number): readonly PretendList[] {
  const { random } = seeded(7)
  const start = Math.floor(Date.now() / 1_000) * 1_000
  const late = Array.from({ length: size }, (_, n) => ({
    ...pretendCheck(n, start, random),
    status: 'grace',
    ...pingedAt(
      start - (periodSeconds + graceSeconds) * 1_000 + 1_000 + Math.floor(random() * 28_000),
    ),
  }))
  const down = late.map((check) => ({ ...check, status: 'down' }))
  return [
    { at: start, checks: late },
    { at: start + stepMs, checks: down },
  ]
}

/** The changed checks: before → after, in the order of the list. */
function changesOf(
  before: readonly ListedCheck[],
  { pings, flips }: Change,
  at: number,
  random: () => number,
): ReadonlyMap<ListedCheck, ListedCheck> {
  const goesDown = before.filter((check) => check['status'] === 'grace' && deadlineOf(check) <= at)
  const comesUp = before.filter(({ status }) => status === 'down')
  const up = before.filter(({ status }) => status === 'up')
  const after = new Map<ListedCheck, ListedCheck>()
  for (const check of goesDown.slice(0, flips >> 1)) after.set(check, { ...check, status: 'down' })
  for (const check of comesUp.slice(0, flips - after.size)) after.set(check, pinged(check, at))
  for (let left = pings; left > 0; ) {
    const check = up[Math.floor(random() * up.length)]
    if (check === undefined || after.has(check)) continue
    after.set(check, pinged(check, at - Math.floor(random() * 29) * 1_000))
    left -= 1
  }
  return after
}

function deadlineOf(check: ListedCheck): number {
  return Date.parse(String(check['next_ping'])) + graceSeconds * 1_000
}

function pinged(check: ListedCheck, at: number): ListedCheck {
  return { ...check, status: 'up', n_pings: Number(check['n_pings']) + 1, ...pingedAt(at) }
}

function pingedAt(at: number): ListedCheck {
  return { last_ping: time(at), next_ping: time(at + periodSeconds * 1_000) }
}

/** Of each 50 checks, one is late, one down, one paused and one new; the others are up. */
function pretendCheck(n: number, now: number, random: () => number): ListedCheck {
  const status = ['grace', 'down', 'paused', 'new'][n % 50] ?? 'up'
  const job = jobs[n % jobs.length] ?? ''
  const place = places[n % places.length] ?? ''
  const host = `host-${String(n % 997).padStart(3, '0')}`
  const uuid = uuidOf(random)
  const update = `https://monitoring.example/api/v3/checks/${uuid}`
  return {
    name: `${job} ${place} ${host} #${n}${n % 50 === 7 ? ' \u00e9t\u00e9' : ''}`,
    slug: `${job}-${place}-${host}-${n}`,
    tags: `${place} ${host} team-${n % 12}`,
    desc: n % 3 === 0 ? '' : `Runs on ${host}. Runbook: https://wiki.example/runbooks/${job}`,
    grace: graceSeconds,
    n_pings: Math.floor(random() * 90_000),
    status,
    started: n % 50 === 9,
    ...timesOf(n, status, now, random),
    manual_resume: false,
    methods: '',
    subject: '',
    subject_fail: '',
    start_kw: '',
    success_kw: '',
    failure_kw: '',
    filter_subject: false,
    filter_body: false,
    filter_http_body: false,
    filter_default_fail: false,
    badge_url: `https://monitoring.example/b/2/${uuidOf(random)}.svg`,
    ...(n % 2 === 0 ? { last_duration: Math.floor(random() * 600) } : {}),
    uuid,
    ping_url: `https://ping.example/${uuid}`,
    update_url: update,
    pause_url: `${update}/pause`,
    resume_url: `${update}/resume`,
    channels: channels.slice(0, 1 + (n % 3)).join(','),
    ...(n % 4 === 0 ? { schedule: '*/15 * * * *', tz: 'Europe/Riga' } : { timeout: periodSeconds }),
  }
}

/** Late checks pass their deadlines one after the other, from the next list on. */
function timesOf(n: number, status: string, now: number, random: () => number): ListedCheck {
  const span = (periodSeconds + graceSeconds) * 1_000
  const ago = Math.floor(random() * periodSeconds) * 1_000
  switch (status) {
    case 'new':
      return { last_ping: null, next_ping: null }
    case 'paused':
      return { last_ping: time(now - ago), next_ping: null }
    case 'grace':
      return pingedAt(now - span + 5_000 + (Math.floor(n / 50) % 200) * 4_000)
    case 'down':
      return pingedAt(now - span - ago)
    default:
      return pingedAt(now - ago)
  }
}

/** A time as the service writes it: in whole seconds, with an explicit offset. */
function time(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, '+00:00')
}

function hex(random: () => number, length: number): string {
  return Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join('')
}

function uuidOf(random: () => number): string {
  const parts = [hex(random, 8), hex(random, 4), `4${hex(random, 3)}`, `a${hex(random, 3)}`]
  return [...parts, hex(random, 12)].join('-')
}

const channels = Array.from({ length: 3 }, (_, n) => uuidOf(seeded(n + 1).random))

/** The body as Python's `json.dumps` writes it: spaces after commas and colons, ASCII only. */
export function bodyOf({ checks }: PretendList): Buffer {
  const items = checks.map((check) => {
    const fields = Object.entries(check).map(
      ([name, value]) => `"${name}": ${JSON.stringify(value)}`,
    )
    return `{${fields.join(', ')}}`
  })
  return Buffer.from(`{"checks": [${items.join(', ')}]}`.replace(/[\u0080-\uffff]/g, escaped))
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
