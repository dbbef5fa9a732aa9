import { createHash } from 'node:crypto'
import { nextAfter, type Plan } from './schedules.ts'

/** The service by its document, independent of the app and its demo: the truth here. */
export interface ServiceCheck {
  readonly uuid: string
  name: string
  /** Separated by spaces. */
  tags: string
  /** Not created yet, or deleted. */
  isGone: boolean
  readonly plan: Plan
  /** Ms. */
  readonly grace: number
  status: 'new' | 'up' | 'down' | 'paused'
  lastPing: number | null
  started: number | null
  duration: number | null
  count: number
  /** When it goes down without a signal; null: never. */
  deadline: number | null
  /** In the order of writing. */
  readonly flips: { readonly at: number; readonly to: ServiceCheck['status'] }[]
  /** Each start, and each end with the start that it had. */
  readonly starts: number[]
  readonly ends: { readonly from: number | null; readonly at: number; readonly isGood: boolean }[]
  readonly log: { readonly at: number; readonly type: Signal; readonly n: number }[]
}

export type Signal = 'success' | 'fail' | 'start'

export interface Deed {
  /** Epoch ms by the service's own clock, like all times here. */
  readonly at: number
  readonly check: number
  readonly what: Signal | 'pause' | 'resume' | 'create' | 'delete' | 'edit'
  /** What an edit changes. */
  readonly name?: string
  readonly tags?: string
}

/** How many pings the service keeps per check. */
const loggedPings = 100

export class Service {
  readonly checks: readonly ServiceCheck[]
  readonly #deeds: readonly Deed[]
  #done = 0

  constructor(checks: readonly ServiceCheck[], deeds: readonly Deed[]) {
    this.checks = checks
    this.#deeds = deeds.toSorted((one, other) => one.at - other.at)
  }

  /** Applies everything that happened by `now`. */
  advance(now: number): void {
    for (let deed = this.#deeds[this.#done]; deed !== undefined && deed.at <= now; ) {
      const check = this.checks[deed.check]
      if (check !== undefined && (!check.isGone || deed.what === 'create')) {
        passDeadline(check, deed.at)
        act(check, deed)
      }
      this.#done += 1
      deed = this.#deeds[this.#done]
    }
    for (const check of this.existing()) passDeadline(check, now)
  }

  existing(): readonly ServiceCheck[] {
    return this.checks.filter(({ isGone }) => !isGone)
  }

  /** `GET /checks/`. */
  list(now: number, isWritable: boolean): readonly object[] {
    return this.existing().map((check) => wireOf(check, now, isWritable))
  }

  find(id: string): ServiceCheck | undefined {
    return this.existing().find(({ uuid }) => uuid === id || uniqueKey(uuid) === id)
  }
}

/** "unique_key": the SHA-1 of the first half of the code (Management API v3). */
export function uniqueKey(uuid: string): string {
  return createHash('sha1').update(uuid.replaceAll('-', '').slice(0, 16)).digest('hex')
}

export function newCheck(uuid: string, name: string, plan: Plan, grace: number): ServiceCheck {
  return {
    ...{
      uuid,
      name,
      tags: '',
      isGone: false,
      plan,
      grace,
      status: 'new',
      lastPing: null,
      started: null,
      duration: null,
    },
    ...{ count: 0, deadline: null, flips: [], starts: [], ends: [], log: [] },
  }
}

function turn(check: ServiceCheck, to: ServiceCheck['status'], at: number): void {
  if (check.status === to) return
  check.flips.push({ at, to })
  check.status = to
}

function passDeadline(check: ServiceCheck, now: number): void {
  const { deadline } = check
  if (deadline === null || deadline > now) return
  turn(check, 'down', deadline)
  check.deadline = null
}

function edit(check: ServiceCheck, { what, name, tags }: Deed): void {
  check.name = name ?? check.name
  check.tags = tags ?? check.tags
  if (what === 'create') check.isGone = false
  if (what !== 'delete') return
  check.isGone = true
  check.deadline = null
}

function act(check: ServiceCheck, deed: Deed): void {
  const { at, what } = deed
  if (what === 'create' || what === 'delete' || what === 'edit') {
    edit(check, deed)
    return
  }
  if (what === 'pause' || what === 'resume') {
    if (what === 'resume' && check.status !== 'paused') return
    turn(check, what === 'pause' ? 'paused' : 'new', at)
    if (what === 'resume') check.lastPing = null
    check.started = null
    check.deadline = null
    return
  }
  check.count += 1
  check.log.push({ at, type: what, n: check.count })
  if (check.log.length > loggedPings) check.log.shift()
  if (what === 'start') {
    check.started = at
    check.starts.push(at)
  } else {
    check.ends.push({ from: check.started, at, isGood: what === 'success' })
    check.duration = check.started === null ? null : at - check.started
    check.started = null
    check.lastPing = at
    turn(check, what === 'success' ? 'up' : 'down', at)
  }
  check.deadline = deadlineOf(check)
}

function expected(check: ServiceCheck): number | null {
  return check.status === 'up' && check.lastPing !== null
    ? nextAfter(check.plan, check.lastPing)
    : null
}

function deadlineOf(check: ServiceCheck): number | null {
  if (check.status === 'down') return null
  const times = [expected(check), check.started].filter((time) => time !== null)
  return times.length === 0 ? null : Math.min(...times) + check.grace
}

function wireOf(check: ServiceCheck, now: number, isWritable: boolean): object {
  const { plan, uuid, status } = check
  const next = expected(check)
  const isDown = check.started !== null && now >= check.started + check.grace
  const shown = isDown ? 'down' : next !== null && now >= next ? 'grace' : status
  const soonest = [next, status === 'down' ? null : check.started].filter((time) => time !== null)
  return {
    name: check.name,
    slug: check.name,
    tags: check.tags,
    desc: '',
    grace: check.grace / 1_000,
    n_pings: check.count,
    status: shown,
    started: check.started !== null,
    last_ping: check.lastPing === null ? null : stamp(check.lastPing),
    next_ping: soonest.length === 0 ? null : stamp(Math.min(...soonest)),
    ...(check.duration === null ? {} : { last_duration: Math.floor(check.duration / 1_000) }),
    manual_resume: false,
    methods: '',
    ...(isWritable
      ? { uuid, ping_url: `https://ping.example/${uuid}`, channels: '' }
      : { unique_key: uniqueKey(uuid) }),
    ...(plan.kind === 'period'
      ? { timeout: plan.seconds }
      : { schedule: plan.text, tz: plan.zone }),
  }
}

/** Truncated to seconds, as by the service. */
export function stamp(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}+00:00`
}
